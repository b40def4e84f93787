"""Benchmarks of the fold: replay, and views of other instants."""
