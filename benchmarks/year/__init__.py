"""The simulated year: the lifecycle of a cluster on a branch, compared with SimPy."""
