"""The command line: one file per group of commands, and `main`, which runs them."""

from twin.cli.start import main

__all__ = ["main"]
