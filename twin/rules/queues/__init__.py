"""Local and transmission queues: which queue a channel uses, free space, put times.

It reads definitions and waiting messages; it does not start channels.
"""
