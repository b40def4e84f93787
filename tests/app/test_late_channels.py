"""A late observation of a channel has the same effect on messages as one that came on time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hypothesis import example, given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START, Act
from tests.app.test_laws import fresh
from tests.laws import examples
from twin import events
from twin.app.acting import Fact
from twin.app.twin import Twin
from twin.fold.estate import Estate
from twin.model.instants import HOUR, MINUTE

SCRIPTS: Final = {
    "QMS": """ALTER QMGR REPOS(CA)
DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSRCVR) CONNAME('qms(1414)') CLUSTER(CA)
DEFINE QLOCAL(XQ) USAGE(XMITQ)""",
    **{
        name: f"""DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSSDR) CONNAME('qms(1414)') CLUSTER(CA)
DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)"""
        for name in ("QM3", "QM4")
    },
}
CHANNELS: Final = st.sampled_from(["CA.QM3", "CA.QM4"])


def _command(text: str) -> events.Event:
    return events.CommandEntered(qmgr="QMS", text=text)


PUTS: Final = st.integers(1, 9).map(
    lambda count: events.PutEntered(qmgr="QMS", queue="ORD", count=count)
)
ASKED: Final = st.one_of(
    PUTS,
    CHANNELS.map(lambda channel: _command(f"STOP CHANNEL({channel})")),
    CHANNELS.map(lambda channel: _command(f"START CHANNEL({channel})")),
    CHANNELS.map(lambda channel: _command(f"ALTER QLOCAL(XQ) CLCHNAME('{channel}')")),
    CHANNELS.map(lambda channel: events.ChannelHeld(qmgr="QMS", channel=channel)),
    CHANNELS.map(lambda channel: events.ChannelReleased(qmgr="QMS", channel=channel)),
)
SEEN: Final = st.builds(
    events.ChannelObserved,
    qmgr=st.just("QMS"),
    channel=CHANNELS,
    status=st.sampled_from([None, "RUNNING", "RETRYING", "STOPPED"]),
    indoubt=st.sampled_from([None, True, False]),
    curmsgs=st.integers(1, 5),
)


def dated(what: st.SearchStrategy[events.Event], most: int) -> st.SearchStrategy[list[Act]]:
    """Give each action its own instant."""
    hours = st.lists(st.tuples(st.integers(1, 40), what), min_size=1, max_size=most)
    return hours.map(
        lambda found: [
            Act(START + hour * HOUR + number * MINUTE, event)
            for number, (hour, event) in enumerate(sorted(found, key=lambda each: each[0]))
        ]
    )


def played(twin: Twin, acts: Sequence[Act]) -> Estate:
    """Perform everything in the order of recording, and let time pass."""
    for name, script in SCRIPTS.items():
        twin.crtmqm(name, at=START)
        twin.strmqm(name, at=START)
        assert twin.runmqsc(name, script, at=START).exit_code == 0
    for act in acts:
        fact = [Fact(act.event, "test")]
        if isinstance(act.event, events.ChannelObserved):
            twin.record_observations(fact, at=act.at)
        else:
            twin.record(fact, at=act.at)
    estate, _ = twin.view(as_of=LATER)
    return estate


def _told(estate: Estate) -> list[Any]:
    """Return where messages are and the status of channels, without positions."""
    found: list[Any] = []
    for name in SCRIPTS:
        qmgr = estate.qmgr(name)
        channels = [
            (channel, state.status, state.since, state.retry)
            for channel, state in qmgr.activity.channels.items()
        ]
        lying = {
            queue: [(parcel.count, parcel.at, parcel.to) for parcel in parcels]
            for queue, parcels in qmgr.messaging.local.items()
        }
        waiting = {
            (queue, channel): [(parcel.count, parcel.at, parcel.to) for parcel in parcels]
            for queue, channels_of in qmgr.messaging.waiting.items()
            for channel, parcels in channels_of.items()
        }
        found += [sorted(channels), lying, waiting, qmgr.messaging.in_doubt]
        found += [qmgr.messaging.workload, qmgr.messaging.assigned]
    return found


DRIFTING: Final = [
    Act(START + hour * HOUR, event)
    for hour, event in [
        (10, events.ChannelHeld(qmgr="QMS", channel="CA.QM3")),
        (11, events.PutEntered(qmgr="QMS", queue="ORD", count=1)),
        (12, _command("STOP CHANNEL(CA.QM3)")),
    ]
]
"""The message is moved, and named by the position of a put that is decided anew."""


@examples(cost=2)
@given(dated(ASKED, 10), dated(SEEN, 3))
@example(DRIFTING, [Act(START + 4 * HOUR, events.ChannelObserved(qmgr="QMS", channel="CA.QM3"))])
def test_a_late_observation_leaves_the_messages_as_if_it_had_come_on_time(
    asked: list[Act], seen: list[Act]
) -> None:
    """A late observation gives the same passes, switches and arrivals as one on time."""
    late = [Act(act.at + 30 * MINUTE - 1, act.event) for act in seen]
    with fresh(2) as (one, other):
        learnt_late = played(one, [*asked, *late])
        on_time = played(other, sorted([*asked, *late], key=lambda act: act.at))
        assert _told(learnt_late) == _told(on_time)
        one.log.verify()
