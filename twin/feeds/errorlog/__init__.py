"""Error logs: readers of all forms, and what a record names.

The readers turn text into records and decide nothing. What is known of a message is in
`twin.model.messages`, and what becomes of it in `twin.events.logged`; `decoding` explains records
to people.
"""
