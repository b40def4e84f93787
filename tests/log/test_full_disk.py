"""A full disk is one clear error, and what was committed before it is reported as done."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, cast

from twin.log.sqlite_files import Mark


class FullDisk:
    """A connection whose WAL cannot be moved into its file."""

    def execute(self, statement: str) -> Any:
        """Refuse, as SQLite does."""
        raise sqlite3.OperationalError(statement)


def test_a_checkpoint_that_fails_is_no_failed_command() -> None:
    """The events are in the WAL; the mark reaches the file later."""
    mark = Mark(Path(__file__))
    mark._is_new = True
    mark.spread(cast("sqlite3.Connection", FullDisk()))
    assert not mark._is_new
