"""Compares twin with peers: the same work, measured in turns in one run."""
