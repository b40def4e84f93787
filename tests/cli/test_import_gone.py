"""`twin import` of files that no longer have a queue manager, or have it under another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

SCRIPT = """DEFINE CHANNEL(CA.{qmgr}) CHLTYPE(CLUSRCVR) CONNAME('{host}(1414)') CLUSTER(CA)
"""


@pytest.fixture
def weeks(run: Run) -> Path:
    """Import three queue managers, and write the files of a week later."""
    for week, hosts in {
        "2026-03-01": {"FR1": "fr1", "QM2": "qm2", "QM3": "qm3"},
        "2026-03-08": {"FR1": "fr1", "QM9": "qm2"},
    }.items():
        Path(week).mkdir()
        for qmgr, host in hosts.items():
            text = SCRIPT.format(qmgr=qmgr, host=host)
            (Path(week) / f"{qmgr}.mqsc").write_text(text, encoding="utf-8")
    assert run("import", "2026-03-01").code == 0
    return Path("2026-03-08")


def test_what_is_missing_is_listed_and_a_new_name_suggested(run: Run, weeks: Path) -> None:
    """The import names the queue managers that it does not have, and the options that say why."""
    lines = run("import", str(weeks)).lines
    assert "QM9 has the CONNAME of QM2: if it is the same, --renamed QM2=QM9" in lines
    assert "not among these files: QM3; if they are gone, --gone QM3" in lines
    assert "QM3" in run("dspmq").out


def test_what_is_stated_to_be_gone_is_gone_from_then_on(run: Run, weeks: Path) -> None:
    """Both are gone at the instant of the files; before, and in the log, they are still there."""
    taken = run("import", str(weeks), "--gone", "QM3", "--renamed", "QM2=QM9")
    assert taken.code == 0
    assert "--gone" not in taken.out
    assert "QM3" not in run("dspmq").out
    assert "QM2" not in run("dspmq").out
    assert "QM2" in run("dspmq", "--as-of", "2026-03-02T00:00:00Z").out


def test_what_is_in_the_files_is_not_gone(run: Run, weeks: Path) -> None:
    """The import says so and ends with 10; stating again what is gone records nothing."""
    kept = run("import", str(weeks), "--gone", "FR1")
    assert kept.code == 10
    assert "FR1 is in these files, so it is not recorded as gone" in kept.lines
    assert "FR1" in run("dspmq").out
    assert run("import", str(weeks), "--gone", "QM3").code == 0
    before = run("log", "verify").lines[0]
    again = run("import", str(weeks), "--gone", "QM3")
    assert again.code == 0
    assert "QM3 was gone already, so it is not recorded again" in again.lines
    late = run("import", str(weeks), "--renamed", "QM3=QM9").lines
    assert "QM3 was gone already, so it is not recorded again, and not as renamed to QM9" in late
    assert run("log", "verify").lines[0] == before


def test_a_queue_manager_is_not_renamed_to_one_that_nobody_knows(run: Run, weeks: Path) -> None:
    """A mistyped new name is reported, and nothing is recorded of the old one."""
    taken = run("import", str(weeks), "--renamed", "QM2=QM99")
    assert taken.code == 10
    assert "QM99 is not in the twin, so QM2 is not recorded as renamed to it" in taken.lines
    assert "QM2" in run("dspmq").out


def test_an_unknown_queue_manager_cannot_be_gone(run: Run, weeks: Path) -> None:
    """Nothing of the files is recorded then."""
    before = run("log", "head").out
    refused = run("import", str(weeks), "--gone", "NOBODY")
    assert (refused.code, refused.out) == (20, "")
    assert run("log", "head").out == before


@pytest.mark.parametrize("word", ["QM2", "QM2=", "=QM9"])
def test_a_malformed_renaming_is_one_line(run: Run, weeks: Path, word: str) -> None:
    """--renamed takes OLD=NEW; otherwise nothing is recorded."""
    before = run("log", "head").out
    refused = run("import", str(weeks), "--renamed", word)
    assert (refused.code, refused.out) == (20, "")
    assert "expected OLD=NEW" in refused.err
    assert run("log", "head").out == before
