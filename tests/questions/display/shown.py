"""Shared helpers of the DISPLAY tests: a command at a sandbox, as rows, lines or a message."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.sandbox import Sandbox
from twin.model.messages import Message
from twin.mqsc.layout import lay_out
from twin.mqsc.statement import Statement, parse
from twin.questions.answer import Row
from twin.questions.display import Displayed, display

SAMPLES: Final = Path(__file__).parents[4] / "shared" / "samples"
"""Public data that may be absent: tests that need it skip."""


def ask(sandbox: Sandbox, qmgr: str, command: str) -> Displayed:
    """Run a DISPLAY at a queue manager."""
    statement = parse(command)
    assert isinstance(statement, Statement), statement
    return display(sandbox.estate, sandbox.as_of, qmgr, statement)


def rows(sandbox: Sandbox, qmgr: str, command: str) -> list[Row]:
    """Run a DISPLAY that finds records, and return their values."""
    answer = ask(sandbox, qmgr, command)
    assert answer.problem is None, answer.problem
    return [record.values for record in answer.records]


def column(sandbox: Sandbox, qmgr: str, command: str, key: str) -> list[object]:
    """Return one value of every record."""
    return [row.get(key) for row in rows(sandbox, qmgr, command)]


def lines(sandbox: Sandbox, qmgr: str, command: str) -> list[str]:
    """Return an answer as runmqsc writes it, without the frame."""
    answer = ask(sandbox, qmgr, command)
    level = sandbox.estate.qmgr(qmgr).cmdlevel
    if answer.problem is not None:
        return [answer.problem.render(level)]
    written: list[str] = []
    for record in answer.records:
        written += [Message(record.message).render(level), *lay_out(record.cells)]
    return written


def problem(sandbox: Sandbox, qmgr: str, command: str) -> str:
    """Return the message of a DISPLAY that fails: its id, then its inserts."""
    answer = ask(sandbox, qmgr, command)
    assert answer.problem is not None
    assert not answer.records
    return " ".join((answer.problem.id, *answer.problem.inserts))
