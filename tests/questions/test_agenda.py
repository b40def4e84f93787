"""The agenda: the next due instant of each rule, and the number of things that wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.scenes import LATER, START, make_twin
from tests.scheduler.living import build
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import DAY, MINUTE, SECOND
from twin.rules.due_timers import LIFETIMES


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Make the small cluster; PR1 has reused one of PR2's two queues, then PR2 ended."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        build(twin)
        queues = "DEFINE QLOCAL(Q1) CLUSTER(CA)\nDEFINE QLOCAL(Q2) CLUSTER(CA)"
        twin.runmqsc("PR2", queues, at=START)
        for queue, day in (("Q1", 0), ("Q2", 0), ("Q1", 1)):
            twin.open_queue("PR1", queue, at=START + day * DAY)
        twin.endmqm("PR2", at=START + DAY)
        yield twin


def _rows(twin: Twin, day: int, on: str) -> list[tuple[object, ...]]:
    rows = twin.ask("agenda", as_of=START + day * DAY, on=on).rows
    days = [(int(str(row["due"])) - START) / DAY for row in rows]
    return [
        (row["kind"], due, row["count"], row["waiting"])
        for row, due in zip(rows, days, strict=True)
    ]


def test_each_rule_has_its_next_instant_and_all_that_waits(twin: Twin) -> None:
    """After 35 days the records of PR2 are expired, and the others were republished after 27."""
    assert _rows(twin, 1, "PR1") == [
        ("resend", 27, 1, 1),
        ("renewal", 27, 1, 1),
        ("warning", 28, 5, 5),
        ("lapse", 30, 1, 1),
        ("expiry", 30, 5, 5),
    ]
    assert _rows(twin, 35, "PR1") == [
        ("warning", 36, 3, 5),
        ("resend", 54, 1, 1),
        ("lapse", 57, 1, 1),
        ("expiry", 57, 2, 2),
        ("removal", 90, 3, 3),
    ]


def test_a_queue_manager_that_is_down_waits_for_nothing(twin: Twin) -> None:
    """A queue manager that is down has no rows until it starts."""
    assert _rows(twin, 1, "PR2") == []


@pytest.mark.parametrize("day", [1, 27, 29, 58, 95])
def test_the_earliest_of_each_rule_is_when_its_job_runs_next(twin: Twin, day: int) -> None:
    """The question and the schedulers have the same next instant of each rule."""
    twin.tick(START + day * DAY)
    answer = twin.ask("agenda", as_of=START + day * DAY)
    first = {row["kind"]: row["due"] for row in reversed(answer.rows)}
    assert first == {LIFETIMES[kind].name: at for kind, at in twin.agenda().items()}
    dues = [row["due"] for row in answer.rows]
    assert dues == sorted(dues, key=lambda due: int(str(due)))


def test_every_row_names_the_events_that_it_rests_on(twin: Twin) -> None:
    """Each position in the evidence is that of an event about the row's queue manager."""
    answer = twin.ask("agenda", as_of=START + DAY)
    stored = {event.position: event for event in twin.log.events()}
    assert all(answer.evidence)
    assert {
        (row["on"], stored[position].qmgr)
        for row, evidence in zip(answer.rows, answer.evidence, strict=True)
        for position in evidence
        if row["kind"] in ("renewal", "lapse")
    } == {("PR1", "PR1")}


def test_a_queue_manager_that_does_not_exist_is_an_error(twin: Twin) -> None:
    """An unknown queue manager is refused."""
    with pytest.raises(NoSuchQueueManager):
        twin.ask("agenda", on="QM9")


def test_queues_in_trouble_are_on_the_agenda(twin: Twin) -> None:
    """A channel that retries to put a command, and a repository manager that retries, have rows."""
    closed = "ALTER QLOCAL(SYSTEM.CLUSTER.{}.QUEUE) PUT(DISABLED)"
    twin.runmqsc("FR1", closed.format("COMMAND"), at=START + 2 * DAY)
    twin.runmqsc("PR1", "DEFINE QLOCAL(Q3) CLUSTER(CA)", at=START + 2 * DAY)
    twin.runmqsc("PR1", closed.format("TRANSMIT"), at=START + 2 * DAY)
    twin.runmqsc("PR1", "DEFINE QLOCAL(Q4) CLUSTER(CA)", at=START + 2 * DAY)
    answer = twin.ask("agenda", as_of=START + 2 * DAY, on="PR1")
    due = {row["kind"]: int(str(row["due"])) - START - 2 * DAY for row in answer.rows}
    assert due["message-retry"] == 10 * SECOND
    assert due["rerun"] == 10 * MINUTE
    assert all(answer.evidence)


def test_a_warning_or_expiry_that_the_owner_prevents_is_conditional(twin: Twin) -> None:
    """They come only if the records are not republished; those of PR2, which ended, do come."""

    def conditions(day: int) -> dict[object, object]:
        rows = twin.ask("agenda", as_of=START + day * DAY, on="PR1").rows
        return {row["kind"]: row["only_if"] for row in rows if row["only_if"] is not None}

    assert conditions(1) == dict.fromkeys(("warning", "expiry"), "not republished")
    assert conditions(28) == {}
    assert conditions(35) == {"expiry": "not republished"}
