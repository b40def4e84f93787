"""Error logs: readers of all forms, and what each message means.

The readers turn text into records and decide nothing. `meanings` is a table from message id to what
becomes of it, and `decoding` explains them to people.
"""
