"""The doctor: rules that find what is wrong with clusters, and name the commands that mend it.

A rule is a pure function from the index of an estate to findings. The registry declares each rule
once; a diagnosis runs them. Nothing here runs a command: `twin.review` proves fixes in rehearsals.
"""
