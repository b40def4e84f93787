"""Events to estate, pure: record what happened, decide nothing.

From the ground up: the estate and its values (the modules of this room), `store` (the estate in
pages), `handlers` (what each event changes), `replay` (rows of the log into an estate).
"""
