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
    """The import says how many it has; that a file is missing offers no option to state a loss."""
    taken = run("import", str(weeks))
    assert "QM9 has the CONNAME of QM2: if it is the same, --renamed QM2=QM9" in taken.lines
    assert "2 of 4 queue managers are in these files" in taken.lines
    assert "--gone" not in taken.out
    assert "QM3" in run("dspmq").out


ROW = """AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR({0})                           CHANNEL(CA.{0})
   CLUSTER(CA)                             QMID({0}_2025-05-05_08.00.00)
   CONNAME({0}(1414))                      QMTYPE({1})
   CLUSDATE(2026-03-01)                    CLUSTIME(08.00.00)
   DEFTYPE({2})                            STATUS(RUNNING)
"""


def answer_of(qmgr: str, *others: str) -> str:
    """Return a whole answer to DISPLAY CLUSQMGR of a queue manager: FR1 is a full repository."""
    roles = {each: "REPOS" if each == "FR1" else "NORMAL" for each in (qmgr, *others)}
    rows = [ROW.format(qmgr, roles[qmgr], "CLUSRCVR")]
    rows += [ROW.format(each, roles[each], "CLUSSDRA") for each in others]
    return (
        f"Starting MQSC for queue manager {qmgr}.\n\n     1 : DISPLAY CLUSQMGR(*) ALL\n"
        + "".join(rows)
        + "One MQSC command read.\nNo commands have a syntax error.\n"
    )


@pytest.mark.parametrize(
    ("at_fr1", "at_qm2", "offered"),
    [(["QM2", "QM3"], ["FR1"], False), (["QM2"], ["FR1", "QM3"], False), (["QM2"], ["FR1"], True)],
)
def test_gone_is_offered_where_no_repository_has_it(
    run: Run, at_fr1: list[str], at_qm2: list[str], *, offered: bool
) -> None:
    """A whole answer of a full repository lacks it, and no queue manager of the files shows it."""
    Path("first").mkdir()
    for qmgr in ("FR1", "QM2", "QM3"):
        repository = "ALTER QMGR REPOS(CA)\n" if qmgr == "FR1" else ""
        text = SCRIPT.format(qmgr=qmgr, host=qmgr.lower()) + repository
        Path("first", f"{qmgr}.mqsc").write_text(text, encoding="utf-8")
    assert run("import", "first", "--at", "2026-03-01T08:00:00Z").code == 0
    Path("second").mkdir()
    Path("second", "FR1.txt").write_text(answer_of("FR1", *at_fr1), encoding="utf-8")
    Path("second", "QM2.txt").write_text(answer_of("QM2", *at_qm2), encoding="utf-8")
    taken = run("import", "second", "--at", "2026-03-02T08:00:00Z")
    assert "2 of 3 queue managers are in these files" in taken.lines
    assert ("--gone QM3" in taken.out) is offered
    assert "--gone FR1" not in taken.out


def test_an_answer_without_a_row_says_nothing_of_its_name(run: Run) -> None:
    """It holds no answer; the queue manager was named already, so nobody is told to name it."""
    Path("a.txt").write_text("AMQ8405: Syntax error detected.\n", encoding="utf-8")
    refused = run("import", "a.txt", "--qmgr", "QM1")
    assert (refused.code, refused.err.strip()) == (
        20,
        "twin: a.txt holds no answer that twin reads",
    )


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
    """A name that neither the twin nor the files have is reported, and recorded nowhere."""
    taken = run("import", str(weeks), "--gone", "NOBODY")
    assert taken.code == 10
    assert "NOBODY is not in the twin, so it is not recorded as gone" in taken.lines


def test_the_import_that_first_names_a_queue_manager_may_state_that_it_is_gone(
    run: Run, weeks: Path
) -> None:
    """From then on every face says since when it is gone, and when it was seen last."""
    folder, at = weeks.parent / "answers", "2026-03-20T00:00:00Z"
    folder.mkdir()
    (folder / "FR1.txt").write_text(answer_of("FR1", "LATE"), encoding="utf-8")
    taken = run("import", str(folder), "--gone", "LATE", "--at", at)
    assert taken.code == 0, taken.out
    later = ("--as-of", "2026-03-21T00:00:00Z")
    shown = run("runmqsc", "FR1", *later, typed="DISPLAY CLUSQMGR(*) STATUS\n").out
    assert f"LATE: it was stated to be gone at {at}" in shown
    for refused in (
        run("runmqsc", "LATE", *later, typed="DISPLAY QMGR\n"),
        run("ask", "beliefs", "--on", "LATE", *later),
    ):
        assert f"it was stated to be gone at {at}" in refused.out + refused.err
    assert f"stated to be gone, at {at}" in run("ask", "members", *later).out


@pytest.mark.parametrize("word", ["QM2", "QM2=", "=QM9"])
def test_a_malformed_renaming_is_one_line(run: Run, weeks: Path, word: str) -> None:
    """--renamed takes OLD=NEW; otherwise nothing is recorded."""
    before = run("log", "head").out
    refused = run("import", str(weeks), "--renamed", word)
    assert (refused.code, refused.out) == (20, "")
    assert "expected OLD=NEW" in refused.err
    assert run("log", "head").out == before
