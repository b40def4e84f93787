"""Scenes for the laws: clusters, random histories, and the comparable part of an estate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from hypothesis import strategies as st

from twin import events
from twin.app.acting import Fact
from twin.app.twin import Twin
from twin.fold.beliefs import Belief
from twin.fold.estate import Estate, QueueManager
from twin.model.instants import HOUR, Instant, parse_instant

START: Instant = parse_instant("2026-01-01T00:00:00Z", now=0)
LATER: Instant = parse_instant("2030-01-01T00:00:00Z", now=0)

SCRIPTS = {
    "FR1": """ALTER QMGR REPOS(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR2) CHLTYPE(CLUSSDR) CONNAME('fr2(1414)') CLUSTER(CA)""",
    "FR2": """ALTER QMGR REPOS(CA)
DEFINE CHANNEL(CA.FR2) CHLTYPE(CLUSRCVR) CONNAME('fr2(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)""",
    "PR1": """DEFINE CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME('pr1(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)""",
    "PR2": """DEFINE CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) CONNAME('pr2(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR2) CHLTYPE(CLUSSDR) CONNAME('fr2(1414)') CLUSTER(CA)""",
}


def make_twin(url: str, clock: Callable[[], Instant]) -> Twin:
    """Open a twin on a new log."""
    return Twin.open(url, clock=clock, synchronous="NORMAL")


def build(twin: Twin, *, at: Instant = START, level: int = 940) -> Twin:
    """Create the four queue managers and run their scripts."""
    for name in SCRIPTS:
        twin.crtmqm(name, cmdlevel=level, at=at)
        twin.strmqm(name, at=at)
    for name, script in SCRIPTS.items():
        assert twin.runmqsc(name, script, at=at).exit_code == 0
    return twin


def add_on_zos(twin: Twin, *, at: Instant = START) -> None:
    """Add the member ZOS1 on z/OS, as PR1 is elsewhere."""
    twin.crtmqm("ZOS1", platform="MVS", at=at)
    twin.strmqm("ZOS1", at=at)
    script = SCRIPTS["PR1"].replace("PR1", "ZOS1").replace("pr1", "zos1")
    assert twin.runmqsc("ZOS1", script, at=at).exit_code == 0


@dataclass(frozen=True)
class Act:
    """An action at an instant: a command, an open, or an observation."""

    at: Instant
    event: events.Event

    @property
    def observed(self) -> bool:
        """Whether it is an observation, which may be recorded late."""
        return isinstance(self.event, events.Observation)

    def perform(self, twin: Twin) -> None:
        """Perform it."""
        fact = Fact(self.event, "observation:test" if self.observed else "command")
        if self.observed:
            twin.record_observations([fact], at=self.at)
        else:
            twin.record([fact], at=self.at)


_QMGRS = st.sampled_from(sorted(SCRIPTS))
_QUEUES = st.sampled_from(["Q1", "Q2"])
_ACTS: Final[tuple[Literal["define", "alter", "delete"], ...]] = ("define", "alter", "delete")
_CLUSTERS = st.sampled_from(["CA", ""])


@st.composite
def _commands(draw: st.DrawFn) -> events.Event:
    queue, cluster = draw(_QUEUES), draw(_CLUSTERS)
    text = draw(
        st.sampled_from(
            [
                f"DEFINE QLOCAL({queue}) CLUSTER({cluster or ' '})",
                f"DEFINE QLOCAL({queue}) CLUSTER({cluster or ' '}) REPLACE",
                f"ALTER QLOCAL({queue}) CLUSTER({cluster or ' '})",
                f"ALTER QLOCAL({queue}) PUT(DISABLED)",
                f"DELETE QLOCAL({queue})",
            ]
        ).map(lambda text: text.replace("( )", "(' ')"))
    )
    return events.CommandEntered(qmgr=draw(_QMGRS), text=text)


_OPENS = st.builds(lambda qmgr, queue: events.QueueOpened(qmgr=qmgr, queue=queue), _QMGRS, _QUEUES)


@st.composite
def _beliefs(draw: st.DrawFn, qmgr: str) -> events.Event:
    """Draw queues that a queue manager was seen to hold, of members or of an unknown owner."""
    said = {}
    for owner in draw(st.sets(st.sampled_from([*sorted(SCRIPTS), "OUT"]), max_size=2)):
        queue = draw(_QUEUES)
        said[queue, owner] = events.RecordSaid(
            cluster="CA",
            name=queue,
            owner=f"{owner}_2026-01-01_00.00.00",
            owner_name=owner,
            values={"CLUSQT": "QLOCAL", "DESCR": draw(st.sampled_from("ab"))},
            received=draw(st.sampled_from([None, START, START + HOUR])),
        )
    return events.BeliefsObserved(
        qmgr=qmgr,
        kind="queue",
        said=tuple(said[key] for key in sorted(said)),
        columns=("CLUSQT", "DESCR"),
        complete=draw(st.sampled_from([None, "*"])),
    )


@st.composite
def _observations(draw: st.DrawFn) -> events.Event:
    qmgr, queue = draw(_QMGRS), draw(_QUEUES)
    way = draw(st.integers(0, 4))
    if way == 4:
        return draw(_beliefs(qmgr))
    if way == 0:
        return events.ObjectVanished(qmgr=qmgr, kind="QUEUE", name=queue)
    values: dict[str, Any] = {"CLUSTER": draw(_CLUSTERS), "DESCR": draw(st.sampled_from("ab"))}
    if way > 1:
        act = draw(st.sampled_from(_ACTS))
        said = events.StatedObject(act=act, name=queue, type="QLOCAL", values=values)
        complete = "Q*" if way == 2 and act == "define" else None
        return events.ObjectsObserved(qmgr=qmgr, kind="QUEUE", said=(said,), complete=complete)
    return events.ObjectObserved(qmgr=qmgr, kind="QUEUE", name=queue, type="QLOCAL", values=values)


@st.composite
def histories(draw: st.DrawFn, *, least: int = 1, most: int = 8) -> list[Act]:
    """Draw acts in the order of their instants; several may share one."""
    kinds = st.one_of(_commands(), _opens(), _observations())
    acts = draw(st.lists(st.tuples(st.integers(0, 5), kinds), min_size=least, max_size=most))
    instant = START + HOUR
    history = []
    for gap, event in acts:
        instant += gap * HOUR
        history.append(Act(instant, event))
    return history


def _opens() -> st.SearchStrategy[events.QueueOpened]:
    return _OPENS


@st.composite
def late_observations(draw: st.DrawFn) -> Act:
    """Draw an observation of an instant within a history."""
    instant = START + draw(st.integers(1, 30)) * HOUR + draw(st.integers(0, 1))
    return Act(instant, draw(_observations()))


def picture(estate: Estate) -> dict[str, Any]:
    """Return everything of an estate except log positions."""
    return {name: _of(qmgr) for name, qmgr in sorted(estate.qmgrs.items())}


def _held(belief: Belief) -> tuple[Any, ...]:
    came = belief.receipt
    return (*belief[:3], came.sequence, came.published, came.source, came.received)


def _of(qmgr: QueueManager) -> dict[str, Any]:
    held = qmgr.repository
    return {
        "core": (qmgr.qmid, qmgr.created, qmgr.running, qmgr.values, qmgr.altered),
        "objects": {key: definition[:6] for key, definition in qmgr.definitions.items()},
        "beliefs": {
            name: {owner: _held(belief) for owner, belief in owners.items()}
            for name, owners in held.beliefs.items()
        },
        "told": held.last_sent,
        "gone": held.deletions,
        "subscriptions": {
            name: (one.made, one.referenced, one.assumed)
            for name, one in held.subscriptions.items()
        },
        "subscribers": {name: sorted(who) for name, who in held.subscribers.items()},
        "waiting": {name: [one[:3] for one in parcels] for name, parcels in held.waiting.items()},
        "channels": {name: state[:4] for name, state in qmgr.activity.channels.items()},
        "published": {number: one[:4] for number, one in qmgr.published.items()},
    }
