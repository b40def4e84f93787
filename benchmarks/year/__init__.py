"""The simulated year: a cluster driven through its lifecycle on a branch, beside SimPy."""
