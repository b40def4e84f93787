"""Converters: the records of each feed turned into facts with instants of their own.

A converter is pure and knows no estate. `identities` tells equal records apart.
"""
