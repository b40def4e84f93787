"""Signing in and out: for programs as mqweb has it, for browsers by a form."""
