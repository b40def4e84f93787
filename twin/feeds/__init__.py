"""Feeds: what real files say. Readers turn text into records, observations into events.

Each format has a room of its own: `errorlog`, `captures` of DISPLAY, `amqsevt`, `prometheus` and
`configuration`; they share `reading`. Of the modules beside them, `definitions` turns MQSC scripts
and dumps into events, `observed_captures` saved answers to DISPLAY; `detect` tells formats apart.
"""
