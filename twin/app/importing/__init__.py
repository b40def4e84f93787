"""Imports: facts with instants of their own, each recorded once, in transactions of bounded size.

`identities` gives a fact the id by which it is found again. `in_order` brings facts into the order
of their instants. `dated` records facts piece by piece, and `pieces` decides one piece. `marks` has
the events that begin and end an import.
"""
