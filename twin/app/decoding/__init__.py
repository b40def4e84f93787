"""Decode lines of error logs: what they mean, and what the twin knows of what they name."""
