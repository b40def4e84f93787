"""Channels: their status, retries and batches, and which transmission queue they get from.

A channel starts, fails or stops here. The floors above decide what then
happens to messages and repository commands.
"""
