"""Random lives of small clusters, played in live and in virtual time, and their events."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from apscheduler.executors.debug import DebugExecutor
from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory
from hypothesis import strategies as st

from tests.app.scenes import LATER, SCRIPTS, START, make_twin
from twin import events
from twin.app.acting import Fact
from twin.app.clocks import system_clock
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.instants import DAY, HOUR, Instant, datetime_of
from twin_scheduler.live import LiveScheduler
from twin_scheduler.virtual import VirtualScheduler

CLUSTERS = (("FR1", "PR1"), ("FR1", "FR2", "PR1"), tuple(SCRIPTS))


def build(twin: Twin, names: Iterable[str] = SCRIPTS, *, at: Instant = START) -> Twin:
    """Create queue managers of the small cluster and run their scripts."""
    for name in names:
        twin.crtmqm(name, at=at)
        twin.strmqm(name, at=at)
    for name in names:
        twin.runmqsc(name, SCRIPTS[name], at=at)
    return twin


@contextlib.contextmanager
def standing_still(at: Instant = START) -> Iterator[FrozenDateTimeFactory]:
    """Stop the machine's clock, so that a test can move it."""
    with freeze_time(datetime_of(at)) as clock:
        assert isinstance(clock, FrozenDateTimeFactory)
        yield clock


class Stepped(LiveScheduler):
    """A live scheduler without a thread: `step` runs the rounds that are due."""

    def __init__(self, twin: Twin, **options: Any) -> None:
        """Serve a twin by the machine's clock, and run jobs in the thread of the test."""
        super().__init__(twin, executor=DebugExecutor(), **options)

    def _main_loop(self) -> None:
        """Return at once."""

    def step(self) -> None:
        """Run rounds until the next one is in the future."""
        while not self._process_jobs():
            pass


@contextlib.contextmanager
def stepped(twin: Twin, **options: Any) -> Iterator[Stepped]:
    """Start a live scheduler that a test steps."""
    live = Stepped(twin, on_error=_fail, **options)
    live.start()
    try:
        yield live
    finally:
        live.shutdown()


def _fail(error: Exception) -> None:
    raise AssertionError from error


@dataclass(frozen=True)
class Step:
    """An action, some time after the one before it."""

    after: Instant
    event: events.Event

    def do(self, twin: Twin, at: Instant) -> None:
        """Record the action; one that MQ refuses leaves no event in any world."""
        with contextlib.suppress(TwinError):
            twin.record([Fact(self.event, "command")], at=at)


class Life(NamedTuple):
    """A cluster, the actions on it, and the time after the last action."""

    cluster: tuple[str, ...]
    steps: tuple[Step, ...]
    rest: Instant


@st.composite
def lives(draw: st.DrawFn) -> Life:
    """Draw a life; most of it is waiting."""
    cluster = draw(st.sampled_from(CLUSTERS))
    gaps = st.integers(0, 45).map(lambda days: days * DAY + (days % 3) * HOUR)
    steps = draw(st.lists(st.builds(Step, gaps, _events(cluster)), max_size=5))
    return Life(cluster, tuple(steps), draw(st.integers(0, 100)) * DAY)


def _events(cluster: tuple[str, ...]) -> st.SearchStrategy[events.Event]:
    qmgrs, queues = st.sampled_from(cluster), st.sampled_from(["Q1", "Q2"])
    opens = st.builds(lambda qmgr, queue: events.QueueOpened(qmgr=qmgr, queue=queue), qmgrs, queues)
    return st.one_of(
        st.builds(_command, qmgrs, st.just("DEFINE QLOCAL({}) CLUSTER(CA)"), queues),
        st.builds(_command, qmgrs, st.just("DELETE QLOCAL({})"), queues),
        st.builds(_control, qmgrs, st.sampled_from(["endmqm", "strmqm"])),
        st.builds(_link, qmgrs, qmgrs, st.sampled_from([True, False, None]), st.booleans()),
        *[opens] * 3,
    )


def _command(qmgr: str, text: str, queue: str) -> events.Event:
    return events.CommandEntered(qmgr=qmgr, text=text.format(queue))


def _link(one: str, other: str, cut: bool | None, silent: bool) -> events.Event:  # noqa: FBT001 - or slower
    latency = None if cut else HOUR
    return events.LinkChanged(
        qmgr=one, other=other, cut=cut, latency=latency, silent=silent and bool(cut)
    )


def _control(qmgr: str, command: str) -> events.Event:
    return events.ControlCommandEntered(qmgr=qmgr, command=command)


def live_through(life: Life, twin: Twin, pass_time: Callable[[Instant], None]) -> None:
    """Play a life; call `pass_time` with each instant to wait for."""
    build(twin, life.cluster)
    twin.runmqsc(life.cluster[0], "DEFINE QLOCAL(Q1) CLUSTER(CA)", at=START)
    at = START
    for step in life.steps:
        at += step.after
        pass_time(at)
        step.do(twin, at)
    pass_time(at + life.rest)


def virtually(life: Life, folder: Path, *, chunk: int) -> list[tuple[object, ...]]:
    """Play a life in virtual time and return its events."""
    with make_twin(f"sqlite:///{_new(folder)}/twin.db", lambda: LATER) as twin:

        def pass_time(upto: Instant) -> None:
            with VirtualScheduler(twin, chunk=chunk) as virtual:
                list(virtual.advance(upto))

        live_through(life, twin, pass_time)
        return happened(twin)


def really(
    life: Life, folder: Path, frozen: FrozenDateTimeFactory, *, lateness: timedelta
) -> list[tuple[object, ...]]:
    """Play a life with a live scheduler that wakes late, and return its events."""
    frozen.move_to(datetime_of(START))
    with (
        make_twin(f"sqlite:///{_new(folder)}/twin.db", system_clock) as twin,
        stepped(twin) as live,
    ):

        def pass_time(upto: Instant) -> None:
            noticed = frozen() + timedelta(seconds=2)  # by then it has noticed the last action
            frozen.move_to(min(noticed.replace(tzinfo=UTC), datetime_of(upto)))
            live.step()
            while (due := live.next_due()) is not None and due <= upto:
                frozen.move_to(min(datetime_of(due) + lateness, datetime_of(upto)))
                live.step()
            frozen.move_to(datetime_of(upto))
            live.step()

        live_through(life, twin, pass_time)
        return happened(twin)


def _new(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def happened(twin: Twin) -> list[tuple[object, ...]]:
    """Return the events of a branch without their ids and recording instants."""
    causes: dict[str | None, int] = {None: 0}
    told: list[tuple[object, ...]] = []
    for event in twin.log.events(branch=twin.branch):
        causes.setdefault(event.event_id, len(causes))
        cause = causes.setdefault(event.cause, len(causes))
        what = (event.occurred_at, event.type, event.qmgr, event.source, event.body)
        told.append((*what, cause, event.branch))
    return told
