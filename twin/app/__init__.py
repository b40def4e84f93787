"""The entry point of the library: `Twin` combines a log, the rules, the fold and the questions."""

from typing import Final

DEFAULT_URL: Final = "sqlite:///twin.db"
"""The default log: a SQLite file in the current folder."""
