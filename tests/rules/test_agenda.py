"""The agenda finds the same due events as a search through everything."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.rules.test_convergence import STEPS, cluster, perform
from tests.sandbox import Sandbox
from twin import events
from twin.fold.agenda import TimerKind
from twin.fold.estate import Estate, QueueManager
from twin.fold.handlers.restoring import backup_of
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.model.instants import ANSWER_WITHIN, DAY, Instant
from twin.rules import due_timers, lifecycle
from twin.rules.deriving import derive
from twin.rules.draft import Draft
from twin.rules.reactions import REACTIONS

PAUSES: Final = st.sampled_from([1, DAY, 12 * DAY, 27 * DAY, 30 * DAY, 60 * DAY])
PAIRS: Final = st.sampled_from([("FR1", "PR1"), ("FR2", "PR2"), ("FR1", "FR2")])
TIMES: Final = st.one_of(
    STEPS,
    st.tuples(st.just("wait"), PAUSES, st.just("")),
    st.tuples(st.just("cut"), PAIRS, st.just("")),
    st.tuples(st.just("silence"), PAIRS, st.just("")),
    st.tuples(st.just("heal"), PAIRS, st.just("")),
)


def run(sandbox: Sandbox, kind: str, what: object, more: str) -> None:
    """Perform one step, or let time pass."""
    if kind == "wait":
        assert isinstance(what, int)
        sandbox.pass_time(what)
    elif kind in ("cut", "silence", "heal"):
        assert isinstance(what, tuple)
        change = events.LinkChanged(
            qmgr=what[0], other=what[1], cut=kind != "heal", silent=kind == "silence"
        )
        derive(sandbox.draft, change)
    else:
        perform(sandbox, kind, str(what), more)


def by_looking(estate: Estate, now: Instant) -> set[tuple[Instant, TimerKind, str]]:
    """Find everything that will be due, with rule and queue manager, by a full search."""
    found = set()
    for qmgr in estate.qmgrs.values():
        for instant, kind in _of(qmgr, now) if qmgr.running else ():
            found.add((max(instant, estate.instant), kind, qmgr.name))
    return found


def _of(qmgr: QueueManager, now: Instant) -> list[tuple[Instant, TimerKind]]:
    repository, found = qmgr.repository, []
    for parcels in repository.waiting.values():
        found += [(parcel.since + 30 * DAY, TimerKind.QUEUED) for parcel in parcels]
    for state in qmgr.activity.channels.values():
        if state.status == "RETRYING" and state.retry is not None:
            found.append((state.retry, TimerKind.RETRYING))
        if state.silence is not None and state.silence.notices is not None:
            found.append((state.silence.notices, TimerKind.SILENT))
    found += [
        (silence.notices, TimerKind.SILENT)
        for silence in qmgr.activity.silent.values()
        if silence.notices is not None and not silence.ended
    ]
    found += [
        (wait.since + ANSWER_WITHIN, TimerKind.AWAITED) for wait in qmgr.activity.waits.values()
    ]
    for made in repository.subscriptions.values():
        used = made.referenced is not None
        found.append(
            (made.made + 27 * DAY, TimerKind.REFERENCED)
            if used
            else (made.made + 30 * DAY, TimerKind.REQUESTED)
        )
    for owners in repository.beliefs.values():
        for belief in owners.values():
            sent = belief.published
            if belief.owner == qmgr.qmid:
                found.append((sent + 27 * DAY, TimerKind.PUBLISHED))
                continue
            gone = (belief.owner, belief.sequence) in repository.expired
            found.append(
                (sent + 90 * DAY, TimerKind.EXPIRED) if gone else (sent + 30 * DAY, TimerKind.HELD)
            )
            days = max((now - sent) // DAY - 27, 0) + 1
            found.append((sent + (27 + days) * DAY, TimerKind.OVERDUE))
    return found


@given(st.lists(TIMES, max_size=12))
def test_the_agenda_says_what_looking_at_everything_finds(
    steps: list[tuple[str, object, str]],
) -> None:
    """The agenda has the due instant and rule of a full search, also after reading from pages."""
    sandbox = cluster()
    for step in steps:
        run(sandbox, *step)
        for estate in (sandbox.estate, read_back(sandbox.estate)):
            now = sandbox.draft.at
            due = due_timers.due(estate, played=now)
            assert due is not None or not by_looking(estate, now)
            if due is not None:
                wanted = min(by_looking(estate, now))
                assert (due.instant, due.kind, due.entry[1]) == wanted


def read_back(estate: Estate) -> Estate:
    """Write an estate as pages, and read it again."""
    pages = pages_of(estate)
    return estate_from(pages[ESTATE], pages.__getitem__)


@given(st.lists(TIMES, max_size=8), st.integers(1, 60))
def test_time_passes_alike_in_one_go_and_in_many(
    steps: list[tuple[str, object, str]], days: int
) -> None:
    """The events of some days are the same for one advance and for many."""
    at_once, daily = cluster(), cluster()
    for step in steps:
        run(at_once, *step)
        run(daily, *step)
    at_once.pass_time(days * DAY)
    for _ in range(days):
        daily.pass_time(DAY)
    assert at_once.draft.events == daily.draft.events


def test_a_backup_may_have_the_number_of_a_publication_of_another_instant() -> None:
    """Only the records of the backup expire, with snapshots and without, if both had one number."""
    sandbox = cluster()
    backup = backup_of(sandbox.estate.qmgr("PR1"), to=sandbox.draft.at)
    earlier = [replace(each, published=each.published - 3) for each in backup.records]
    sandbox.pass_time(DAY)
    derive(sandbox.draft, replace(backup, records=tuple(earlier)))
    for each in ("FR1", "FR2", "FR3", "PR2"):
        sandbox.control("endmqm", each)
    estates = (sandbox.estate, read_back(sandbox.estate))
    found = [_played(estate, 100 * DAY) for estate in estates]
    assert found[0] == found[1]
    assert {kind for _, kind in found[0]} == {
        "InformationExpired",
        "InformationRemoved",
        "RenewalOverdue",
    }
    assert {each % DAY for each, _ in found[0]} == {each.published % DAY for each in earlier}


def _played(estate: Estate, time: Instant) -> list[tuple[Instant, str]]:
    """Let time pass; return when timed events about records happened, and their names."""
    draft = Draft(estate, estate.instant, 1, reactions=REACTIONS)
    lifecycle.play(draft, upto=estate.instant + time)
    about = (events.InformationExpired, events.InformationRemoved, events.RenewalOverdue)
    return [
        (each.at, type(each.event).__name__)
        for each in draft.events
        if isinstance(each.event, about)
    ]


def test_names_are_as_they_are_asked_for() -> None:
    """Every kind of timer has its rule in the documented order, and its own name."""
    assert list(due_timers.LIFETIMES) == list(TimerKind)
    assert len({each.name for each in due_timers.LIFETIMES.values()}) == len(TimerKind)
