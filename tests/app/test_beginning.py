"""An answer about an instant before the log begins says so: it is not just empty."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from twin.app.notes import BeforeLog, beginning_of
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import DAY, HOUR, Instant, parse_instant
from twin.questions.explanation import ExplainRequest
from twin.review.doctor.examination import ExamRequest, examine

NINE = parse_instant("2026-01-01T09:00:00Z", now=0)
LINE = "the log begins at 2026-01-01T09:00:00Z: nothing is known of 2026-01-01T08:00:00Z"


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Begin a log at nine o'clock, recorded ten hours later."""
    with Twin.open(f"sqlite:///{tmp_path / 'twin.db'}", clock=lambda: NINE + 10 * HOUR) as made:
        made.crtmqm("QM1", at=NINE)
        yield made


def lines(twin: Twin, valid: Instant, known: Instant | None = None) -> tuple[str, ...]:
    """Return what is said of an instant."""
    return beginning_of(twin.log, twin.as_of(valid=valid, known=known))


def test_an_instant_before_the_first_event_is_named(twin: Twin) -> None:
    """From the first event on nothing is said."""
    assert lines(twin, NINE - HOUR) == (LINE,)
    assert lines(twin, NINE - 1)[0].endswith("2026-01-01T08:59:59.999999Z")
    assert lines(twin, NINE) == lines(twin, NINE + DAY) == ()


def test_an_answer_has_the_line(twin: Twin) -> None:
    """So has each side of a comparison."""
    assert twin.ask("members", as_of=NINE - HOUR).notes == (LINE,)
    compared = twin.ask("members", as_of=NINE, against=NINE - HOUR)
    assert any(note.endswith(LINE) for note in compared.notes)


def test_a_branch_sees_the_beginning_of_its_parent(twin: Twin) -> None:
    """Its own events come later."""
    twin.create_branch("b")
    on_branch = twin.on_branch("b")
    on_branch.crtmqm("QM2")
    assert lines(on_branch, NINE - HOUR) == (LINE,)
    assert lines(on_branch, NINE) == ()


def test_what_was_not_recorded_by_then_is_named(twin: Twin) -> None:
    """With an earlier `known_at` the log has nothing at all."""
    assert lines(twin, NINE, NINE) == ("nothing had been recorded by 2026-01-01T09:00:00Z",)


def test_an_empty_log_begins_nowhere(tmp_path: Path) -> None:
    """There is no instant to name."""
    with Twin.open(f"sqlite:///{tmp_path / 'empty.db'}", clock=lambda: NINE) as empty:
        assert lines(empty, NINE) == ()


ASKED: tuple[Callable[[Twin, str, Instant], object], ...] = (
    lambda twin, name, at: twin.explain(name, ExplainRequest(queue="Q"), as_of=at),
    lambda twin, name, at: twin.ask("explain", on=name, queue="Q", as_of=at),
    lambda twin, name, at: twin.ask("errorlog", on=name, as_of=at),
    lambda twin, name, at: twin.ask("route", on=name, queue="Q", as_of=at),
    lambda twin, name, at: twin.dmpmqcfg(name, as_of=at),
    lambda twin, name, at: twin.mqsc(name, as_of=at).run("DISPLAY QMGR").lines,
    lambda twin, name, at: examine(twin, ExamRequest(on=name, as_of=at)),
)
"""What names a queue manager at an instant, each by another way."""


@pytest.mark.parametrize("asked", ASKED)
def test_a_queue_manager_is_not_said_to_be_missing_before_the_log(
    twin: Twin, asked: Callable[[Twin, str, Instant], object]
) -> None:
    """What names one says that the log begins later; from then on, that it does not exist."""
    with pytest.raises(BeforeLog, match=re.escape(LINE)):
        asked(twin, "QM1", NINE - HOUR)
    twin.strmqm("QM1", at=NINE + HOUR)
    try:
        found = asked(twin, "QM2", NINE + HOUR)
    except NoSuchQueueManager as error:
        assert "AMQ8118E" in str(error)  # noqa: PT017 - a session prints the message instead
    else:
        assert "AMQ8118E" in str(found)


def test_an_examination_has_the_line(twin: Twin) -> None:
    """No queue manager is not a healthy estate."""
    assert examine(twin, ExamRequest(as_of=NINE - HOUR)).notes == (LINE,)
    assert examine(twin, ExamRequest(as_of=NINE)).notes == ()
