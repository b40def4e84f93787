"""Local and transmission queues: which queue a channel uses, free space, put times.

Second floor of the rules: knows definitions and waiting messages, and does not start channels.
"""
