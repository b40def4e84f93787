"""`twin serve`: records timed events by the clock until it is stopped."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.processes import Process, running, said
from tests.patience import PATIENCE
from twin.app.clocks import ClockInDoubt
from twin.app.twin import Twin
from twin.cli.serving import LiveRecording
from twin.cli.signals import Stop
from twin.model.instants import DAY, SECOND, format_instant

Serve = Callable[..., AbstractContextManager[Process]]


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Return a function that starts `twin serve` as a process."""

    def start(*words: str) -> AbstractContextManager[Process]:
        return running(*words, "serve", "--no-web", cwd=tmp_path)

    return start


def build(run: Run, at: str) -> None:
    """Make a full repository and a member at an instant."""
    for name in ("FR1", "QM1"):
        assert run("crtmqm", name, "--at", at).code == 0
        assert run("strmqm", name, "--at", at).code == 0
    receiver = "DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(CA)\n"
    sender = "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('FR1(1414)') CLUSTER(CA)\n"
    full = "ALTER QMGR REPOS(CA)\n" + receiver.format("FR1")
    assert run("runmqsc", "FR1", "--at", at, typed=full).code == 0
    assert run("runmqsc", "QM1", "--at", at, typed=receiver.format("QM1") + sender).code == 0


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_serve_first_records_due_events_and_then_waits(
    run: Run, serve: Serve, stop: signal.Signals
) -> None:
    """Events that fell due earlier are recorded first, in one line; then the process waits."""
    begun = time.time_ns() // 1000 // SECOND * SECOND - 30 * DAY
    build(run, format_instant(begun))
    with serve() as process:
        assert said(process) == f"serving main: next due {format_instant(begun + 27 * DAY)}"
        did = said(process)
        process.send_signal(stop)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (0, "no longer serving main\n", "")
    assert "events, resent 2" in did
    shown = run("log", "show", "--type", "InformationRepublished", "--format", "json").json
    assert {row["occurred_at"] for row in shown["rows"]} == {format_instant(begun + 27 * DAY)}
    assert run("log", "verify").code == 0


def test_serve_records_timed_events_caused_by_other_processes(run: Run, serve: Serve) -> None:
    """A timed event that another process causes is recorded once it is due, and not before."""
    for command in ("crtmqm", "strmqm"):
        assert run(command, "LONE", "--at", "-28d").code == 0
    assert run("runmqsc", "LONE", "--at", "-28d", typed="ALTER QMGR REPOS(CA)\n").code == 0
    joins = "DEFINE CHANNEL(CA.LONE) CHLTYPE(CLUSRCVR) CONNAME('LONE(1414)') CLUSTER(CA)\n"
    with serve() as process:
        assert said(process) == "serving main: nothing is due"
        due = time.time_ns() // 1000 // SECOND * SECOND + 4 * SECOND
        at = format_instant(due - 27 * DAY)
        assert run("runmqsc", "LONE", "--at", at, typed=joins).code == 0
        said(process, "resent 1")
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    with Twin.open("sqlite:///twin.db", read_only=True) as twin:
        (event,) = twin.log.events(types=["InformationRepublished"])
        assert event.occurred_at == due <= event.recorded_at


def test_a_log_that_is_not_there_is_refused(run: Run) -> None:
    """A missing log is refused, and none is created."""
    refused = run("serve", "--no-web")
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert "there is no log" in refused.err
    assert not Path("twin.db").exists()


def test_a_log_that_cannot_be_written_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that cannot be written to is refused at the start."""
    run("crtmqm", "FR1")
    real = sqlite3.connect

    def connect(database: str, **options: Any) -> sqlite3.Connection:
        opened: sqlite3.Connection = real(database.replace("mode=rwc", "mode=ro"), **options)
        return opened

    monkeypatch.setattr(sqlite3, "connect", connect)
    refused = run("serve", "--no-web")
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert "readonly" in refused.err


def test_a_branch_that_is_not_there_is_refused(run: Run) -> None:
    """An unknown branch is refused in one line."""
    run("crtmqm", "FR1")
    refused = run("--branch", "none", "serve", "--no-web")
    assert (refused.code, refused.err.count("\n")) == (20, 1)
    assert "unknown branch 'none'" in refused.err


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("wait", [0.0, 0.1, 0.3, 0.6])
def test_serve_ends_well_from_its_first_moment(
    run: Run, serve: Serve, number: signal.Signals, wait: float
) -> None:
    """Also while it still imports what it needs, and with the options before the command."""
    assert run("crtmqm", "QM1").code == 0
    with serve("--log", "twin.db", "--branch=main") as process:
        while not _catches(process, signal.SIGTERM):  # Python itself catches SIGINT
            time.sleep(0.001)
        time.sleep(wait)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")


def _catches(process: Process, number: signal.Signals) -> bool:
    """Return whether a process has a handler of its own for a signal."""
    text = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    (caught,) = (line.split()[1] for line in text.splitlines() if line.startswith("SigCgt"))
    ends = process.poll() is not None
    return ends or bool(int(caught, 16) >> (number - 1) & 1)


def test_serve_waits_for_a_clock_that_was_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so once, goes on to run, and records later what fell due."""
    stop = Stop()
    with Twin.open(f"sqlite:///{tmp_path}/twin.db") as twin:
        service = LiveRecording(twin, stop)
        service._on_error(ClockInDoubt("the clock was set"))
        service._on_error(ClockInDoubt("the clock was set"))
    assert capsys.readouterr().err == (
        "twin: the clock was set: nothing was recorded on main; if the clock is right, say"
        " --trust-clock; trying again\n"
    )
    assert not stop.is_set()
