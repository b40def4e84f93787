"""Imports: facts with instants of their own, each recorded once, in transactions of bounded size.

`identities` gives a fact the id by which it is found again. `sweeping` derives what follows from
facts that come late, once for all of them. `dated` records facts piece by piece.
"""
