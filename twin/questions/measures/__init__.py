"""Measures of an estate for monitoring: of queue managers, channels, queues, clusters, records.

A measure is a number that a question has in its rows, summed up where there would be too many rows.
What is not known is None, and never 0.
"""
