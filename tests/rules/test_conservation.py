"""After any actions no message is lost without an event or doubled, and a replay agrees."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from tests.laws import examples
from tests.rules import random_estates, random_operations
from tests.rules.ledger import Ledger
from tests.sandbox import Sandbox
from twin import events
from twin.events.catalogue import column_of, encode
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.fold.store.pages import pages_of
from twin.model.instants import SECOND
from twin.rules.channels import channel_status, starting, switching
from twin.rules.deriving import derive
from twin.rules.messages import best_routes, outbound
from twin.rules.queues import transmission_queues
from twin.rules.queues.transmission_queues import DEFAULT_QUEUE

HOSTS: Final = ("QM1", "QM2", "QM3")
EVERY: Final = ("FR1", "QMS", *HOSTS)
CHANNELS: Final = st.sampled_from([f"CA.{name}" for name in HOSTS])
MODES: Final = st.sampled_from(["", " MODE(FORCE)", " MODE(TERMINATE)", " STATUS(INACTIVE)"])
SMALL: Final = st.integers(min_value=0, max_value=12)

PUTS: Final = st.fixed_dictionaries(
    {
        "queue": st.sampled_from(["ORD", "TINY"]),
        "count": st.integers(min_value=1, max_value=12),
        "bind": st.sampled_from(["open", "notfixed", "group"]),
        "persistent": st.booleans(),
    },
    optional={"to": st.sampled_from(HOSTS), "logical_order": st.just(True)},  # noqa: FBT003
).map(lambda options: ("put", options))

PATTERNS: Final = st.sampled_from(["' '", "'CA.*'", "'CA.QM1'", "'C*.QM2'"])
DEFINITIONS: Final = st.one_of(
    PATTERNS.map(lambda name: f"ALTER QLOCAL(XQ1) CLCHNAME({name})"),
    PATTERNS.map(lambda name: f"ALTER QLOCAL(XQ2) CLCHNAME({name})"),
    st.sampled_from(["SCTQ", "CHANNEL"]).map(lambda how: f"ALTER QMGR DEFCLXQ({how})"),
    st.builds(
        "ALTER QLOCAL({}) {}({})".format,
        st.sampled_from(["XQ1", "XQ2", DEFAULT_QUEUE]),
        st.sampled_from(["PUT", "GET"]),
        st.sampled_from(["DISABLED", "ENABLED", "ENABLED"]),
    ),
)
OTHERS: Final = st.one_of(
    st.tuples(CHANNELS, MODES).map(lambda both: ("run", f"STOP CHANNEL({both[0]}){both[1]}")),
    CHANNELS.map(lambda channel: ("run", f"START CHANNEL({channel})")),
    DEFINITIONS.map(lambda text: ("run", text)),
    st.tuples(CHANNELS, st.sampled_from(["COMMIT", "BACKOUT"])).map(
        lambda both: ("run", f"RESOLVE CHANNEL({both[0]}) ACTION({both[1]})")
    ),
    st.sampled_from(HOSTS).map(lambda name: ("alter", name)),
    st.sampled_from(EVERY).map(lambda name: ("endmqm", name)),
    st.sampled_from(EVERY).map(lambda name: ("strmqm", name)),
    st.sampled_from(HOSTS).map(lambda name: ("cut", name)),
    st.sampled_from(HOSTS).map(lambda name: ("silence", name)),
    st.sampled_from(HOSTS).map(lambda name: ("heal", name)),
    st.tuples(CHANNELS, st.booleans()).map(lambda both: ("hold", both)),
    st.tuples(CHANNELS, st.booleans()).map(lambda both: ("release", both)),
    st.tuples(
        CHANNELS,
        st.sampled_from([None, "RUNNING", "RETRYING", "STOPPED", "INACTIVE"]),
        st.one_of(st.none(), st.booleans()),
        SMALL,
        st.one_of(st.none(), SMALL),
    ).map(lambda seen: ("observe", seen)),
    st.sampled_from(["CA.*", "CA.QM1"]).map(lambda channel: ("runswchl", channel)),
    st.sampled_from(HOSTS).map(lambda name: ("get", (name, "TINY"))),
    st.sampled_from(["XQ1", DEFAULT_QUEUE]).map(lambda queue: ("get", ("QMS", queue))),
    st.integers(min_value=1, max_value=2000).map(lambda seconds: ("pass", seconds)),
)
XMITQS: Final = """
DEFINE QLOCAL(XQ1) USAGE(XMITQ) MAXDEPTH(4)
DEFINE QLOCAL(XQ2) USAGE(XMITQ) MAXDEPTH(7) NPMCLASS(HIGH)
"""
STEPS: Final = st.lists(st.tuples(PUTS, OTHERS, OTHERS), min_size=1, max_size=8).map(
    lambda steps: [each for step in steps for each in step]
)


def cluster(weights: tuple[int, int, int]) -> Sandbox:
    """Make a sender and three hosts of two queues, one nearly full; the third host has a DLQ.

    The retries of their channels end after a while. The sender's channels run and are held; its
    transmission queues are nearly full, and one keeps non-persistent messages over a restart.
    """
    sandbox = Sandbox().create(*EVERY)
    sandbox.full("FR1").member("QMS", "FR1")
    sandbox.run("QMS", f"{XMITQS}\nALTER QLOCAL({DEFAULT_QUEUE}) MAXDEPTH(20)")
    for name, weight in zip(HOSTS, weights, strict=True):
        sandbox.member(name, "FR1")
        sandbox.run(
            name,
            f"ALTER CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CLWLWGHT({weight}) LONGRTY(3)\n"
            "DEFINE QLOCAL(ORD) CLUSTER(CA)\nDEFINE QLOCAL(TINY) CLUSTER(CA) MAXDEPTH(5)",
        )
    sandbox.run("QM3", "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    sandbox.open("QMS", "ORD")
    sandbox.open("QMS", "TINY")
    for name in HOSTS:
        sandbox.run("QMS", f"START CHANNEL(CA.{name})")
        derive(sandbox.draft, events.ChannelHeld(qmgr="QMS", channel=f"CA.{name}"))
    return sandbox


def perform(sandbox: Sandbox, kind: str, what: object) -> None:
    """Perform one step, if the state of the queue manager allows it."""
    name = what if kind in ("endmqm", "strmqm", "alter") else "QMS"
    running = sandbox.estate.qmgr(str(name)).running
    if kind == "pass":
        assert isinstance(what, int)
        sandbox.pass_time(what * SECOND)
    elif kind in ("endmqm", "strmqm"):
        if running is (kind == "endmqm"):
            sandbox.control(kind, str(what))
    elif kind in ("cut", "silence", "heal"):
        change = events.LinkChanged(
            qmgr="QMS", other=str(what), cut=kind != "heal", silent=kind == "silence"
        )
        derive(sandbox.draft, change)
    elif kind in ("run", "alter"):
        text = str(what) if kind == "run" else _toggled(sandbox, str(name))
        sandbox.run(str(name), text)
    elif kind == "runswchl":
        if running:
            sandbox.control(kind, "QMS", f"c={what}")
    else:
        derive(sandbox.draft, _fact(kind, what))


def _toggled(sandbox: Sandbox, name: str) -> str:
    queue = sandbox.estate.qmgr(name).definitions["QUEUE", "ORD"]
    put = "ENABLED" if queue.values.get("PUT") == "DISABLED" else "DISABLED"
    return f"ALTER QLOCAL(ORD) PUT({put})"


def _fact(kind: str, what: Any) -> events.Event:
    match kind, what:
        case "put", _:
            return events.PutEntered(qmgr="QMS", **what)
        case "hold", (channel, switch):
            return events.ChannelHeld(qmgr="QMS", channel=channel, switch=switch)
        case "release", (channel, switch):
            return events.ChannelReleased(qmgr="QMS", channel=channel, switch=switch)
        case "observe", (channel, status, indoubt, curmsgs, sent):
            return events.ChannelObserved(
                qmgr="QMS",
                channel=channel,
                status=status,
                indoubt=indoubt,
                curmsgs=curmsgs,
                sent=sent,
            )
        case _, (name, queue):
            return events.GetEntered(qmgr=name, queue=queue, count=3)
    raise AssertionError(kind)


def check_index(estate: Estate) -> None:
    """Check the index of waiting messages, and that messages in doubt wait."""
    for qmgr in estate.qmgrs.values():
        assert (qmgr.name in estate.qmgrs_with_waiting_messages) is bool(qmgr.messaging.waiting)
        for channel, count in qmgr.messaging.in_doubt.items():
            waiting = transmission_queues.waiting(qmgr, channel)
            assert 0 < count <= sum(parcel.count for _, parcel in waiting)


def check_settled(sandbox: Sandbox) -> None:
    """Check that no message waits that could leave, and that useful retries are scheduled."""
    for name in list(sandbox.estate.qmgrs_with_waiting_messages):
        qmgr = sandbox.estate.qmgr(name)
        for channel in qmgr.messaging.channels() if qmgr.running else ():
            state = qmgr.activity.channels.get(channel)
            held = (*qmgr.messaging.held, *qmgr.messaging.in_doubt, *qmgr.messaging.switching)
            if state is None:
                continue
            kept = channel in held or starting.inhibited_queue(qmgr, channel)
            if not kept and outbound.can_send(sandbox.draft, qmgr, channel):
                assert not list(transmission_queues.waiting(qmgr, channel))
            prospects = best_routes.Prospects(sandbox.draft, qmgr)
            moves = prospects.move(channel)
            stuck = switching.is_stuck(qmgr, channel)
            if channel not in qmgr.messaging.held_switch and not stuck:
                moves = moves or bool(switching.pending_queue(qmgr, channel))
            if state.status == "RETRYING" and moves:
                retries, at = state.retries, sandbox.draft.at
                silent = channel_status.is_silent(sandbox.draft, name, state.partner)
                wanted = retries.next_failure if silent else retries.next_after
                following = wanted(state.since, at)
                assert following is None or state.retry == following


@given(
    st.tuples(*[st.sampled_from([20, 50, 50])] * 3),
    STEPS,
)
def test_no_message_is_lost_unseen_and_the_log_tells_it_all(
    weights: tuple[int, int, int], steps: list[tuple[str, object]]
) -> None:
    """Messages put equal messages on queues, got and lost; a replay gives the same estate."""
    sandbox = cluster(weights)
    ledger = Ledger(sandbox)
    for step in steps:
        perform(sandbox, *step)
        ledger.check()
        check_settled(sandbox)
    ledger.check_order()
    check_index(sandbox.estate)
    check_replay(sandbox)


def check_replay(sandbox: Sandbox) -> None:
    """Check that a replay of the events gives the same estate."""
    rows = [
        (at, position, column_of(type(event)), encode(event))
        for position, (at, event) in enumerate(sandbox.draft.events, start=1)
    ]
    assert pages_of(replay(Estate(), rows)) == pages_of(sandbox.estate)


@examples(times=4)
@given(random_estates.ESTATES, random_operations.OPERATIONS)
def test_every_message_is_on_a_queue_or_was_taken_off_by_an_event(
    members: random_estates.Members, operations: list[random_operations.Operation]
) -> None:
    """In every estate put is waiting, on queues, got, cleared, gone with its queue, and lost.

    A message is doubled by no event, and in flight only within one.
    """
    estate = random_estates.Estate(members)
    ledger = Ledger(estate.sandbox)
    for operation in operations:
        estate.perform(*operation)
        ledger.check()
        ledger.check_order()
        check_index(estate.sandbox.estate)
    check_replay(estate.sandbox)
