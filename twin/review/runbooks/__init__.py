"""Runbooks: procedures for a named queue manager, checked against an estate and rehearsed."""
