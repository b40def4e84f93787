"""Schedulers that record what falls due: on the machine's clock, and on a virtual clock."""
