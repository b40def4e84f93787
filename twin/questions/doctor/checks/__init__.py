"""The checks of the doctor's rules: pure functions from the index of an estate to findings.

The registry says of each rule what it is, why it matters, and what its source is. A check yields
the most important findings only once: a fault of a cluster is one finding, not one per member.
"""
