"""After any actions no message is lost without an event or doubled, and a replay agrees."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox import Sandbox
from twin import events
from twin.events import Parcel
from twin.events.catalogue import column_of, encode
from twin.fold.estate import Estate, QueueManager
from twin.fold.replay import replay
from twin.fold.store.pages import pages_of
from twin.model.instants import SECOND
from twin.model.names import COMMAND_QUEUE
from twin.model.objects import number_of
from twin.rules.channels import get_inhibited, moving, reaching, switching
from twin.rules.deriving import derive
from twin.rules.messages import best_routes, outbound
from twin.rules.queues import transmission_queues
from twin.rules.queues.transmission_queue_selection import DEFAULT_QUEUE

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


def lying(estate: Estate) -> Iterator[Parcel]:
    """Go through all messages on all local queues; a message on anything else has vanished.

    Repository commands on a command queue or a dead-letter queue were put by no application.
    """
    for qmgr in estate.qmgrs.values():
        for queue, parcels in qmgr.messaging.local.items():
            if is_local(qmgr, queue):
                yield from (each for each in parcels if each.queue != COMMAND_QUEUE)
        for queue in qmgr.messaging.waiting:
            if is_local(qmgr, queue):
                yield from qmgr.messaging.on(queue)


def is_local(qmgr: QueueManager, name: str) -> bool:
    """Return whether a name is that of a local queue."""
    queue = qmgr.definitions.get(("QUEUE", name))
    return queue is not None and queue.type == "QLOCAL"


def told(sandbox: Sandbox, *kinds: type[events.Event]) -> list[events.Event]:
    """List the events of some types."""
    return [event for _, event in sandbox.draft.events if isinstance(event, kinds)]


def check_counts(sandbox: Sandbox) -> None:
    """Check that messages put are messages on queues, messages got, and lost messages together."""
    put = sum(
        share.count
        for event in told(sandbox, events.MessagesPut)
        if isinstance(event, events.MessagesPut)
        for share in event.shares
    )
    gone = sum(
        event.count
        for event in told(sandbox, events.MessagesGot, events.MessagesLost)
        if isinstance(event, events.MessagesGot | events.MessagesLost)
    )
    assert put == gone + sum(parcel.count for parcel in lying(sandbox.estate))


def check_order(sandbox: Sandbox) -> None:
    """Check that persistent messages that were routed once are in the order of their puts."""
    again = {
        move.put
        for event in told(sandbox, events.MessagesReallocated)
        if isinstance(event, events.MessagesReallocated)
        for move in event.moves
    }
    again |= {
        parcel.put
        for event in told(sandbox, events.MessagesRedirected, events.MessagesReturned)
        if isinstance(event, events.MessagesRedirected | events.MessagesReturned)
        for parcel in event.parcels
    }
    for name in HOSTS:
        for parcels in sandbox.estate.qmgr(name).messaging.local.values():
            found = [each.put for each in parcels if each.persistent and each.put not in again]
            assert found == sorted(found)


def check_index(estate: Estate) -> None:
    """Check the index of waiting messages, and that messages in doubt wait."""
    for qmgr in estate.qmgrs.values():
        assert (qmgr.name in estate.qmgrs_with_waiting_messages) is bool(qmgr.messaging.waiting)
        for channel, count in qmgr.messaging.in_doubt.items():
            waiting = transmission_queues.waiting(qmgr, channel)
            assert 0 < count <= sum(parcel.count for _, parcel in waiting)


def check_depths(sandbox: Sandbox) -> None:
    """Check that no queue holds more than MAXDEPTH."""
    for qmgr in sandbox.estate.qmgrs.values():
        messaging = qmgr.messaging
        for queue in {*messaging.local, *messaging.waiting}:
            most = number_of(qmgr.definitions["QUEUE", queue], "MAXDEPTH")
            assert messaging.depth(queue) <= most


def check_settled(sandbox: Sandbox) -> None:
    """Check that no message waits that could leave, and that useful retries are scheduled."""
    for name in list(sandbox.estate.qmgrs_with_waiting_messages):
        qmgr = sandbox.estate.qmgr(name)
        for channel in qmgr.messaging.channels() if qmgr.running else ():
            state = qmgr.activity.channels.get(channel)
            held = (*qmgr.messaging.held, *qmgr.messaging.in_doubt, *qmgr.messaging.switching)
            if state is None:
                continue
            kept = channel in held or get_inhibited.inhibited_queue(qmgr, channel)
            if not kept and outbound.can_send(sandbox.draft, qmgr, channel):
                assert not list(transmission_queues.waiting(qmgr, channel))
            prospects = best_routes.Prospects(sandbox.draft, qmgr)
            moves = prospects.move(channel)
            stuck = moving.is_stuck(qmgr, channel)
            if channel not in qmgr.messaging.held_switch and not stuck:
                moves = moves or bool(switching.pending_queue(qmgr, channel))
            if state.status == "RETRYING" and moves:
                retries, at = state.retries, sandbox.draft.at
                silent = reaching.is_silent(sandbox.draft, name, state.partner)
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
    for step in steps:
        perform(sandbox, *step)
        check_counts(sandbox)
        check_depths(sandbox)
        check_settled(sandbox)
    check_order(sandbox)
    check_index(sandbox.estate)
    check_replay(sandbox)


def check_replay(sandbox: Sandbox) -> None:
    """Check that a replay of the events gives the same estate."""
    rows = [
        (at, position, column_of(type(event)), encode(event))
        for position, (at, event) in enumerate(sandbox.draft.events, start=1)
    ]
    assert pages_of(replay(Estate(), rows)) == pages_of(sandbox.estate)


MEMBERS: Final = ("GW1", "GW2", "QM1", "QM2", "FR1")
"""The queue managers of the estates with aliases; the gateways and FR1 are in CA and CB."""

CLUSTERS: Final = {"QM1": "CLUSTER(CA)", "QM2": "CLUSTER(CB)"}
BOTH: Final = "CLUSNL(NL)"
LOCAL: Final = ("QLOCAL({})", "QLOCAL({})", "QLOCAL({}) MAXDEPTH(4)", "QLOCAL({}) PUT(DISABLED)")
SLOTS: Final = {
    "A": ("", "QALIAS({}) TARGET(T)", "QALIAS({}) TARGET(T)", "QALIAS({}) TARGET(A)", *LOCAL[1:]),
    "T": ("", "", *LOCAL, "QALIAS({}) TARGET(T)", "QALIAS({}) TARGET(U)"),
    "U": ("", *LOCAL, "QREMOTE({}) RNAME(T) RQMNAME(GW2)"),
}
"""What a queue manager may have under each name; '' is nothing."""

HOW_BOUND: Final = ("notfixed", "notfixed", "notfixed", "asqdef", "open", "group")
COMMANDS: Final = (
    "STOP CHANNEL(C.{other})",
    "STOP CHANNEL(C.{other}) MODE(FORCE)",
    "START CHANNEL(C.{other})",
    "START CHANNEL(C.{other})",
    "ALTER QLOCAL({queue}) PUT(DISABLED)",
    "ALTER QLOCAL({queue}) PUT(ENABLED)",
    "CLEAR QLOCAL({queue})",
    "DELETE QLOCAL({queue}) PURGE",
    "DELETE QALIAS({queue})",
    "ALTER QMGR DEFCLXQ(CHANNEL)",
    "ALTER QMGR DEFCLXQ(SCTQ)",
    "SUSPEND QMGR CLUSTER(CA)",
)


def definition(rng: Random, name: str, queue: str) -> str:
    """Choose a definition of a queue, mostly shared in all clusters of its queue manager."""
    what = rng.choice(SLOTS[queue]).format(queue)
    cluster = rng.choice(["", *[CLUSTERS.get(name, BOTH)] * 4])
    defbind = rng.choice(["OPEN", "NOTFIXED", "NOTFIXED", "GROUP"])
    return (
        f"DEFINE {what} {cluster} DEFBIND({defbind}) CLWLRANK({rng.choice('001')})" if what else ""
    )


def estate_with_aliases(rng: Random) -> Sandbox:
    """Make two clusters with gateways in both, and random definitions; one gateway has a DLQ."""
    sandbox = Sandbox().create(*MEMBERS)
    for name in reversed(MEMBERS):
        where = CLUSTERS.get(name, BOTH)
        sandbox.run(name, "DEFINE NAMELIST(NL) NAMES(CA,CB)" if where == BOTH else "")
        sandbox.run(name, "ALTER QMGR REPOSNL(NL)" if name == "FR1" else "")
        for end, channel in (("CLUSRCVR", name), ("CLUSSDR", "FR1")):
            if end == "CLUSRCVR" or name != "FR1":
                text = f"CHLTYPE({end}) CONNAME('{channel}(1414)') {where}"
                sandbox.run(name, f"DEFINE CHANNEL(C.{channel}) {text} SHORTTMR(20) LONGRTY(3)")
    sandbox.run("GW1", "DEFINE QLOCAL(DLQ) MAXDEPTH(9)\nALTER QMGR DEADQ(DLQ)")
    for name in MEMBERS:
        for queue in SLOTS:
            sandbox.run(name, definition(rng, name, queue))
            sandbox.open(name, queue)
    return sandbox


def act(sandbox: Sandbox, rng: Random) -> None:  # noqa: C901, PLR0912 - a case for each kind
    """Carry out a random step at a random queue manager."""
    there = [name for name in MEMBERS if name in sandbox.estate.qmgrs]
    if len(there) < 2:
        return
    name, other = rng.sample(there, 2)
    queue, count = rng.choice("AAATTU"), rng.randint(1, 9)
    qmgr = sandbox.estate.qmgr(name)
    channel = f"C.{other}"
    match rng.choice("pppppphhrcxeessslwgt" + "d" * (rng.random() < 0.1)):
        case "p":
            named = {"to": other} if rng.random() < 0.1 else {}
            options = {"bind": rng.choice(HOW_BOUND), "persistent": rng.random() < 0.8, **named}
            sandbox.put(name, queue, count=count, logical_order=rng.random() < 0.2, **options)
        case "h":
            derive(sandbox.draft, events.ChannelHeld(qmgr=name, channel=channel))
        case "r":
            derive(sandbox.draft, events.ChannelReleased(qmgr=name, channel=channel))
        case "c" | "x" as change:
            cut = events.LinkChanged(qmgr=name, other=other, cut=change == "x")
            derive(sandbox.draft, cut)
        case "e" if qmgr.running:
            sandbox.control("endmqm", name)
        case "s" | "e" if not qmgr.running:
            sandbox.control("strmqm", name)
        case "d" if not qmgr.running:
            sandbox.control("dltmqm", name)
        case "w" if qmgr.running:
            sandbox.control("runswchl", name, "c=C.*")
        case "g":
            sandbox.get(name, queue, 2)
        case "t":
            sandbox.pass_time(rng.randint(1, 2000) * SECOND)
        case "l":
            sandbox.run(name, definition(rng, name, queue))
        case _:
            sandbox.run(name, rng.choice(COMMANDS).format(other=other, queue=queue))


@given(st.integers(min_value=0))
def test_no_message_vanishes_by_an_alias(seed: int) -> None:
    """Messages put equal messages on queues, got and lost, wherever aliases and gateways lead."""
    rng = Random(seed)
    sandbox = estate_with_aliases(rng)
    for _ in range(30):
        act(sandbox, rng)
        check_counts(sandbox)
        check_depths(sandbox)
    check_index(sandbox.estate)
    check_replay(sandbox)
