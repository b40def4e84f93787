"""Feeds: what real files say. Readers turn text into records, observations into events.

Each format has a room of its own: `errorlog`, `captures` of DISPLAY, `amqsevt`, `prometheus` and
`configuration`; they share `reading`. The modules beside them read definitions, which are MQSC
scripts and dumps, and turn them into events; `detect` tells formats apart.
"""
