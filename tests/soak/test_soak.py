"""The short form of the soak."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.soak.children import ROOT
from tests.soak.tally import SECTIONS, Tally


@pytest.mark.more
def test_a_short_soak_loses_nothing() -> None:
    """In trials of every kind nothing is lost, nothing is missed and nothing differs."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak", "--short", "--seed", "15"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing was lost" in done.stdout


def test_the_table_has_a_line_for_each_kind_and_a_sum_for_each_section() -> None:
    """The table counts each section, and each kind in it."""
    tally = Tally()
    tally.add("kill", "import, SQLite", count=2)
    tally.add("kill", "serve, SQLite")
    tally.add("tampering", "head, SQLite", "log verify says so")
    lines = [" ".join(line.split()) for line in tally.table()]
    assert lines[:3] == [f"{SECTIONS['kill']} 3", "import, SQLite 2", "serve, SQLite 1"]
    assert "head, SQLite: log verify says so 1" in lines
    assert len(lines) == len(SECTIONS) + 3
