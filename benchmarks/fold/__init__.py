"""Benchmarks of the fold: replay, and views as of other instants."""
