"""Bytes that a disk flipped in the file of a log give no wrong answer and no traceback."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any, Final

import pytest

from tests.app.scenes import LATER, START, make_twin
from tests.app.test_damaged_caches import SINCE, history, reader
from twin.app import played_ahead, recorded_estate
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.instants import DAY, HOUR

FLIPS: Final = 200
AT_ONCE: Final = (1, 1, 1, 8)
"""How many bytes are changed at once: one of these."""


def answers(twin: Twin) -> list[Any]:
    """Ask about an instant after everything, which plays what is due, and about an earlier one."""
    late, early = SINCE + 60 * DAY, START + 20 * HOUR
    return [
        *(twin.ask(name, as_of=late).as_json()["rows"] for name in ("beliefs", "members")),
        twin.ask("beliefs", as_of=early).as_json()["rows"],
    ]


def test_flipped_bytes_give_no_wrong_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer is that of the intact log, or one clear line."""
    monkeypatch.setattr(recorded_estate, "SNAPSHOT_EVERY", 40)
    monkeypatch.setattr(played_ahead, "KEPT_FROM", 1)
    intact, flipped = tmp_path / "intact.db", tmp_path / "flipped" / "flipped.db"
    with make_twin(f"sqlite:///{intact}", lambda: LATER) as twin:
        history(twin)
    told: list[str] = []
    with reader(f"sqlite:///{intact}", told) as twin:
        wanted = answers(twin)
    connection = sqlite3.connect(intact)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = intact.read_bytes()
    refused: list[str] = []
    chance = random.Random(15)
    for number in range(FLIPS):
        changed = bytearray(content)
        for _ in range(chance.choice(AT_ONCE)):
            changed[chance.randrange(len(changed))] ^= chance.randrange(1, 256)
        flipped.parent.mkdir()
        flipped.write_bytes(changed)
        try:
            with reader(f"sqlite:///{flipped}", told, keeps_caches=number % 2 == 0) as twin:
                assert answers(twin) == wanted
        except TwinError as error:
            refused.append(str(error))
        shutil.rmtree(flipped.parent)
    assert 0 < len(refused) < FLIPS / 2
    assert all(len(line.splitlines()) == 1 for line in refused)
    assert told
