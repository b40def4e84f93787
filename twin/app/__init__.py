"""The composition root: a log, the rules, the fold and the questions put together."""

from typing import Final

DEFAULT_URL: Final = "sqlite:///twin.db"
"""The log if none is named: a SQLite file in the current folder."""
