"""`twin advance`: virtual time, its summary, its progress bar, and interruptions."""

from __future__ import annotations

import json
import os
import pty
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Run
from tests.patience import PATIENCE
from twin.app.twin import Twin
from twin.cli import output

ROOT: Final = Path(__file__).parents[2]
_PROGRAM: Final = """
import sys
from twin_scheduler.virtual import VirtualScheduler
VirtualScheduler.__init__.__kwdefaults__["chunk"] = 1
from twin.cli import main
sys.exit(main(sys.argv[1:]))
"""
SLOWLY: Final = [sys.executable, "-c", _PROGRAM]
"""`twin` with every due instant in a transaction of its own."""

DEATHS: Final = 4


@pytest.fixture
def lab(cluster: Run) -> Run:
    """Make a branch `lab` of the cluster, and use it."""
    cluster("branch", "create", "lab")

    def run(*words: str, **options: Any) -> Any:
        return cluster("--branch", "lab", *words, **options)

    return run


@pytest.fixture
def environment() -> dict[str, str]:
    """Return an environment in which `python -m twin` works anywhere."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_time_passes_on_a_branch(lab: Run) -> None:
    """Time on a branch can pass without limit, and the summary names what happened."""
    advanced = lab("advance", "--days", "60")
    assert (advanced.code, advanced.err) == (0, "")
    assert advanced.lines[0].startswith(
        "lab: 2025-03-03T09:00:00Z to 2025-05-02T09:00:00Z, 60 days, "
    )
    assert advanced.lines[1].startswith("resent 6, expired 0, removed 0, renewed ")
    assert advanced.lines[2] == "next due 2025-05-23T09:00:00Z"
    assert advanced.lines[3].startswith("as of 2025-05-02T09:00:00Z")


def test_verbose_lists_the_jobs_and_their_runs(lab: Run) -> None:
    """Standard error shows each job's next run, before and after, and the result of each run."""
    advanced = lab("advance", "--days", "30", "--verbose")
    agenda = lab("ask", "agenda", "--format", "json").json
    lines = advanced.err.splitlines()
    runs = [line for line in lines if " job " in line]
    assert runs == ["2025-03-30T09:00:00Z job 05-resend: 7 events"]
    before, after = lines[: lines.index(runs[0])], lines[lines.index(runs[0]) + 1 :]
    assert before[0] == "job 05-resend: next run 2025-03-30T09:00:00Z"
    assert after[0] == "job 05-resend: next run 2025-04-26T09:00:00Z"
    assert {row["kind"]: row["due"] for row in reversed(agenda["rows"])}["resend"] == after[0][-20:]
    assert advanced.lines[0].startswith("lab: 2025-03-03T09:00:00Z to 2025-04-02T09:00:00Z")


def test_retries_that_come_to_nothing_are_counted(lab: Run) -> None:
    """Failed retries, which are not in the log, are counted, and the next retry is shown."""
    lab("put", "QM1", "ORDERS")
    lab("endmqm", "QM2")
    advanced = lab("advance", "--to", "+30m")
    assert advanced.lines[1].endswith(" retried 22")
    assert advanced.lines[2].endswith("next retry of a channel 2025-03-03T09:50:00Z")
    (row,) = lab("advance", "--to", "+20m", "--format", "json").json["rows"]
    assert (row["retried"], row["next_retry"]) == (2, "2025-03-03T10:10:00Z")
    lab("strmqm", "QM2")
    (row,) = lab("advance", "--to", "+1h", "--format", "json").json["rows"]
    assert (row["retried"], row["started"], row["next_retry"]) == (2, 2, None)


def test_days_add_up_though_nothing_happens(lab: Run) -> None:
    """A branch's now is the end of each advance, even if nothing fell due."""
    for day in ("04", "05"):
        assert f" to 2025-03-{day}T09:00:00Z, 1 day, " in lab("advance", "--days", "1").lines[0]


def test_the_summary_as_json(lab: Run) -> None:
    """The JSON summary is one row with instants in ISO 8601 and all counts."""
    lab("endmqm", "QM2")
    answer = lab("advance", "--to", "2025-07-01", "--format", "json").json
    (row,) = answer["rows"]
    assert (answer["question"], answer["as_of"]["valid"]) == ("advance", "2025-07-01T00:00:00Z")
    assert (row["branch"], row["since"], row["reached"], row["to"], row["days"]) == (
        *("lab", "2025-03-03T09:00:00Z", "2025-07-01T00:00:00Z", "2025-07-01T00:00:00Z"),
        119,
    )
    assert row["finished"] is True
    assert min(row[word] for word in ("events", "resent", "expired", "removed", "warned")) > 0


def test_main_goes_up_to_the_present(cluster: Run) -> None:
    """Main advances to the present; a later instant is one line that suggests a branch."""
    assert cluster("advance", "--to", "now").code == 0
    shown = cluster("log", "show", "--type", "InformationRepublished", "--limit", "0")
    assert "2025-03-30T09:00:00Z" in shown.out
    before = cluster("log", "verify").lines[0]
    for words in (["--days", "1"], ["--to", "+1h"]):
        refused = cluster("advance", *words)
        assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
        assert "main never runs ahead of the clock" in refused.err
        assert "twin branch create" in refused.err
    assert cluster("log", "verify").lines[0] == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give the end with one of --to T and --days N"),
        (["--to", "now", "--days", "1"], "give the end with one of --to T and --days N"),
        (["--to", "soon"], "'soon' is not a time"),
        (["--days", "-1"], "--days"),
        (["--days", "x"], "--days"),
        (["--days", "99999999999999"], "is out of range"),
        (
            ["--to", "2025-03-01"],
            "branch lab is already at 2025-03-03T09:00:00Z; --to must be later",
        ),
    ],
)
def test_a_bad_distance_is_one_line(lab: Run, words: list[str], said: str) -> None:
    """A missing, double, malformed or negative distance is bad input, and nothing is recorded."""
    before = lab("log", "verify").lines[0]
    refused = lab("advance", *words)
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert said in refused.err
    assert lab("log", "verify").lines[0] == before


def test_a_log_that_is_not_there_is_not_made(run: Run) -> None:
    """Advancing without a log creates none."""
    refused = run("advance", "--to", "now")
    assert refused.code == 20
    assert "there is no log" in refused.err
    assert not Path("twin.db").exists()


def test_an_interrupt_stops_between_two_steps(lab: Run, environment: dict[str, str]) -> None:
    """Ctrl-C exits 130 and prints the instant reached, and a command that completes the advance."""
    lab("endmqm", "QM2")
    lab("branch", "create", "whole", "--from", "lab")
    with subprocess.Popen(
        [*SLOWLY, "--branch", "lab", "advance", "--days", "30000", "--format", "json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        _wait_for_events(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    (row,) = json.loads(out)["rows"]
    assert row["finished"] is False
    assert row["since"] < row["reached"] < row["to"]
    assert lab("log", "verify").code == 0
    _same_in_the_end(lab, row["to"])


def test_a_killed_process_leaves_a_log_to_go_on_with(lab: Run, environment: dict[str, str]) -> None:
    """After repeated SIGKILLs the log verifies, and continuing ends like an uninterrupted run."""
    lab("endmqm", "QM2")
    lab("branch", "create", "whole", "--from", "lab")
    moments = random.Random(DEATHS)
    until = "2120-01-01T00:00:00Z"
    for _ in range(DEATHS):
        with subprocess.Popen(
            [*SLOWLY, "--branch", "lab", "advance", "--to", until],
            env=environment,
            stdout=subprocess.DEVNULL,
        ) as process:
            _wait_for_events(process)
            time.sleep(moments.uniform(0, 0.2))
            assert process.poll() is None
            process.kill()
        assert lab("log", "verify").code == 0
    _same_in_the_end(lab, until)


def _wait_for_events(process: subprocess.Popen[Any]) -> None:
    """Wait until a process has written to the branch."""
    with Twin.open("sqlite:///twin.db", branch="lab", read_only=True) as twin:
        before = twin.log.head("lab").position
        while twin.log.head("lab").position == before and process.poll() is None:
            time.sleep(0.001)


def _same_in_the_end(lab: Run, until: str) -> None:
    """Continue to the end, and compare with a branch that advanced without interruption."""
    assert lab("advance", "--to", until).code == 0
    assert lab("advance", "--to", until, "--branch", "whole").code == 0
    with Twin.open("sqlite:///twin.db", read_only=True) as twin:
        logs = [
            [
                (event.occurred_at, event.type, event.qmgr, event.source, event.body)
                for event in twin.log.events(branch=name, after=twin.log.head().position)
            ]
            for name in ("lab", "whole")
        ]
    assert logs[0] == logs[1]
    assert len(logs[0]) > 100


def test_a_bar_shows_the_days_on_a_terminal(lab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, the bar on standard error counts days, and standard output is unchanged."""
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    parent, child = pty.openpty()
    with os.fdopen(child, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        advanced = lab("advance", "--days", "400")
    shown = os.read(parent, 100_000).decode()
    os.close(parent)
    assert advanced.code == 0
    assert advanced.lines[0].startswith("lab: 2025-03-03T09:00:00Z to 2026-04-07T09:00:00Z")
    assert "of 400 days" in shown


def test_no_bar_where_nobody_waits(lab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of less than a second, or without a terminal, shows no bar."""
    assert lab("advance", "--days", "400").err == ""
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    assert lab("advance", "--days", "400").err == ""
