"""Long commands show their progress in a terminal, after a second."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.editions.stored import put_back
from tests.patience import PATIENCE, wait_until
from twin.cli import main, output
from twin.cli.output import ProgressBar
from twin.log import Log


class Terminal(io.StringIO):
    """Standard error on a terminal."""

    def isatty(self) -> bool:
        """Return that it is one."""
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, *, patience: float) -> Terminal:
    """Show bars on a terminal, after these seconds."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(output, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    return terminal


def wait_for(text: str, terminal: Terminal) -> None:
    """Wait until a terminal shows a text."""
    wait_until(lambda: text in terminal.getvalue(), f"the terminal shows {text}")


def test_a_step_of_unknown_length_is_shown_while_it_lasts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bar appears although nothing reports, and counts again in the next step."""
    terminal = on_terminal(monkeypatch, patience=0.05)
    with ProgressBar("events") as bar:
        bar.show(0, 0, "upgrading")
        wait_for("upgrading", terminal)
        bar.show(5, 10, "saving")
        wait_for("saving", terminal)
        bar.show(0, 0, "checking")
        wait_for("checking", terminal)
    assert "5 of 10 events" in terminal.getvalue()
    length = len(terminal.getvalue())
    bar.show(1, 2)
    assert len(terminal.getvalue()) == length


def test_a_quick_step_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar that ends before its time never appears."""
    terminal = on_terminal(monkeypatch, patience=PATIENCE)
    with ProgressBar("events") as bar:
        bar.show(0, 0, "upgrading")
        bar.show(1, 2, "saving")
    assert terminal.getvalue() == ""


def test_an_upgrade_reports_its_steps(log_url: str) -> None:
    """The copy of a file is counted in pages; how long the migration takes is unknown."""
    put_back("branches", log_url)
    told: list[tuple[int, int, str]] = []
    Log.upgrade(log_url, progress=lambda *report: told.append(report)).close()
    copied = told[:-1]
    assert told[-1] == (0, 0, "upgrading the log")
    assert bool(copied) == log_url.startswith("sqlite")
    for done, total, step in copied[-1:]:
        assert (done, step) == (total, "copying the log before its upgrade")
    told.clear()
    Log.open(log_url, progress=lambda *report: told.append(report)).close()
    assert told == []


def test_commands_report_their_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The upgrade by command or by a command that writes, snapshots and verify show bars."""
    told: list[object] = []

    def show(*report: object, step: str = "", **_: object) -> None:
        told.append(step or report[-1])

    monkeypatch.setattr(ProgressBar, "show", show)
    first, second = (str(tmp_path / name) for name in ("first.db", "second.db"))
    for file in (first, second):
        put_back("branches", f"sqlite:///{file}")
    for words, steps in (
        (["--log", first, "log", "upgrade"], ["upgrading the log", "snapshots of branch main"]),
        (["--log", first, "log", "snapshot"], ["snapshots of branch main"]),
        (["--log", first, "log", "verify"], ["checking the file and the caches"]),
        (["--log", second, "--branch", "what-if", "crtmqm", "NEW"], ["upgrading the log"]),
    ):
        assert main(words) == 0
        assert set(steps) <= set(told)
        told.clear()
