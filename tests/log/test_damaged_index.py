"""A log that lost the rows which every command needs says which one, in one line."""

from __future__ import annotations

import pytest

from tests.log.database import behind_the_back
from tests.log.writing import OpenLog, fill, new
from twin.log import LogDamaged


@pytest.mark.parametrize(
    ("deleted", "missing"),
    [
        ("log_version", "the only row of log_version"),
        ("branch WHERE id = 1", "the row of branch main"),
        ("head WHERE branch = 0", "the head row of the log"),
        ("head WHERE branch = 1", "the head row of the log or of branch main"),
    ],
)
def test_a_log_without_such_a_row_says_so(
    log_url: str, open_log: OpenLog, deleted: str, missing: str
) -> None:
    """Reading and appending name the missing row; nothing is migrated or recorded."""
    fill(open_log(log_url), 1, 2)
    with behind_the_back(log_url, guarded=False) as database:
        database.execute(f"DELETE FROM {deleted}")  # noqa: S608 - of the table above
    with pytest.raises(LogDamaged, match=missing):
        open_log(log_url, mode="read").head()
    with pytest.raises(LogDamaged, match=missing):
        open_log(log_url).append([new(3)], recorded_at=3)
