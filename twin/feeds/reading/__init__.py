"""What all readers of feeds share: bounds, digests, instants, hidden passwords, JSON in a stream.

A reader is a function from lines to records and `NotUnderstood` rows. It decides nothing about what
a record means for an estate, never raises because of its text, holds one record at a time, and
hides passwords before a record leaves it.
"""
