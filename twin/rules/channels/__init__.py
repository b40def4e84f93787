"""Channels: their status, retries and batches, and which transmission queue they get from.

Third floor of the rules: a channel starts, fails or stops here. What that means for messages and
repository commands is decided on the floors above.
"""
