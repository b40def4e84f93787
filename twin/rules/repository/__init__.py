"""Cluster repositories: what queue managers publish, ask for, pass on, keep and remove."""
