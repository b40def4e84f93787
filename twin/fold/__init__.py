"""Apply events to an estate, purely: record what happened, decide nothing.

The floors, lowest first: the estate and its values (the modules of this room), `store` (the estate
in pages), `handlers` (what each event changes), `replay` (fold rows of the log into an estate).
"""
