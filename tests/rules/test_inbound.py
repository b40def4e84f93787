"""Messages that arrive on a channel: put, sent on, dead-lettered, returned or discarded."""

from __future__ import annotations

import pytest

from tests.rules.ledger import Ledger
from tests.sandbox import Sandbox, small_cluster
from twin import events
from twin.rules.deriving import derive

FULL_QUEUE = "ALTER QLOCAL(Q) MAXDEPTH(2)"
OFF = "ALTER QLOCAL(Q) PUT(DISABLED)"
GONE = "DELETE QLOCAL(Q)"


def waiting(hosts: str = "PR1", **options: object) -> Sandbox:
    """Let five messages for PR1 wait for a held channel, on a link that carries no records."""
    sandbox = small_cluster()
    for host in hosts.split():
        sandbox.run(host, "DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)")
    derive(sandbox.draft, events.ChannelHeld(qmgr="PR2", channel="CA.PR1"))
    sandbox.put("PR2", "Q", count=5, **options)
    assert sandbox.depth("PR2", "SYSTEM.CLUSTER.TRANSMIT.QUEUE") == 5
    return sandbox


def release(sandbox: Sandbox) -> Sandbox:
    """Release the held channel."""
    derive(sandbox.draft, events.ChannelReleased(qmgr="PR2", channel="CA.PR1"))
    return sandbox


def depths(sandbox: Sandbox, *queues: str) -> list[int]:
    """Count messages on queues named QM/QUEUE."""
    return [sandbox.depth(*queue.split("/")) for queue in queues]


def last(sandbox: Sandbox, kind: type[events.Event]) -> events.Event:
    """Return the last event of a type."""
    return next(each.event for each in reversed(sandbox.draft.events) if type(each.event) is kind)


@pytest.mark.parametrize(("change", "reason"), [(OFF, 2051), (GONE, 2085), (FULL_QUEUE, 2053)])
def test_what_cannot_be_put_is_dead_lettered_with_its_reason(change: str, reason: int) -> None:
    """Without another instance, messages that cannot be put go to the dead-letter queue."""
    sandbox = waiting(bind="notfixed")
    sandbox.run("PR1", f"DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\n{change}")
    release(sandbox)
    there = 2 if change == FULL_QUEUE else 0
    assert depths(sandbox, "PR1/Q", "PR1/DLQ") == [there, 5 - there]
    arrived = last(sandbox, events.MessagesArrived)
    assert isinstance(arrived, events.MessagesArrived)
    assert (arrived.queue, arrived.reason) == ("DLQ", reason)


@pytest.mark.parametrize("change", [OFF, GONE])
def test_what_is_not_bound_goes_to_another_instance_first(change: str) -> None:
    """An unbound message goes to another instance that the receiver knows or can ask for."""
    sandbox = waiting("PR1", bind="notfixed")
    sandbox.run("FR2", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.run("PR1", f"DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\n{change}")
    release(sandbox)
    assert depths(sandbox, "PR1/Q", "FR2/Q", "PR1/DLQ") == [0, 5, 0]
    assert {parcel.redirected for parcel in sandbox.estate.qmgr("FR2").messaging.local["Q"]} == {
        True
    }


@pytest.mark.parametrize("options", [{"bind": "open"}, {"to": "PR1"}])
def test_what_is_bound_goes_nowhere_else(options: dict[str, str]) -> None:
    """Bound messages go to the dead-letter queue even if another instance exists."""
    sandbox = waiting("PR1", **options)
    sandbox.run("FR2", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.run("PR1", f"DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\n{OFF}")
    release(sandbox)
    assert depths(sandbox, "FR2/Q", "PR1/DLQ") == [0, 5]


@pytest.mark.parametrize(
    "why",
    ["", "ALTER QMGR DEADQ(NONE)", "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) USEDLQ(NO)"],
)
def test_without_a_dead_letter_queue_persistent_messages_go_back(why: str) -> None:
    """Persistent messages return to the transmission queue and their channel fails."""
    sandbox = waiting(bind="notfixed")
    sandbox.run("PR1", f"DEFINE QLOCAL(DLQ)\n{OFF}")
    if why:
        sandbox.run("PR1", f"ALTER QMGR DEADQ(DLQ)\n{why}")
    release(sandbox)
    assert depths(sandbox, "PR2/SYSTEM.CLUSTER.TRANSMIT.QUEUE", "PR1/DLQ") == [5, 0]
    assert sandbox.estate.qmgr("PR2").activity.channels["CA.PR1"].status == "RETRYING"
    sandbox.run("PR1", "ALTER QLOCAL(Q) PUT(ENABLED)")
    sandbox.pass_time(60_000_000)
    assert depths(sandbox, "PR1/Q") == [5]


@pytest.mark.parametrize(("speed", "lost"), [("FAST", 5), ("NORMAL", 0)])
def test_nonpersistent_messages_are_discarded_by_a_fast_channel_only(speed: str, lost: int) -> None:
    """A channel with NPMSPEED(NORMAL) returns non-persistent messages like persistent ones."""
    sandbox = waiting(persistent=False, bind="notfixed")
    sandbox.run("PR1", f"ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) NPMSPEED({speed})\n{OFF}")
    release(sandbox)
    gone = [each.event for each in sandbox.draft.events]
    assert sum(e.count for e in gone if isinstance(e, events.MessagesLost)) == lost
    assert depths(sandbox, "PR2/SYSTEM.CLUSTER.TRANSMIT.QUEUE") == [5 - lost]


def test_a_full_or_inhibited_dead_letter_queue_takes_what_it_can() -> None:
    """Messages that the dead-letter queue cannot hold return to the sender."""
    sandbox = waiting(bind="notfixed")
    sandbox.run("PR1", f"DEFINE QLOCAL(DLQ) MAXDEPTH(3)\nALTER QMGR DEADQ(DLQ)\n{OFF}")
    release(sandbox)
    assert depths(sandbox, "PR1/DLQ", "PR2/SYSTEM.CLUSTER.TRANSMIT.QUEUE") == [3, 2]


def test_what_arrives_at_a_full_queue_is_dead_lettered_and_not_sent_to_another_instance() -> None:
    """Only a queue that is put-disabled or gone lets messages go to another instance."""
    for full, there, dead, elsewhere in (
        ("MAXDEPTH(2)", 2, 3, 0),
        ("PUT(DISABLED)", 0, 0, 5),
    ):
        sandbox = waiting(bind="notfixed")
        sandbox.run("FR2", "DEFINE QLOCAL(Q) CLUSTER(CA) CLWLPRTY(0)")
        sandbox.open("PR1", "Q")
        sandbox.run("PR1", "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
        sandbox.run("PR1", f"ALTER QLOCAL(Q) {full}")
        release(sandbox)
        assert depths(sandbox, "PR1/Q", "PR1/DLQ", "FR2/Q") == [there, dead, elsewhere]


def test_what_arrives_stays_at_the_local_instance_whatever_clwluseq_says() -> None:
    """A message from a cluster channel stays at the local instance, whatever CLWLUSEQ is."""
    sandbox = waiting(bind="notfixed")
    sandbox.run("FR2", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.run("PR1", "ALTER QLOCAL(Q) CLWLUSEQ(ANY)")
    sandbox.open("PR1", "Q")
    release(sandbox)
    assert depths(sandbox, "PR1/Q", "FR2/Q") == [5, 0]


def test_what_arrives_goes_on_to_an_instance_of_higher_rank() -> None:
    """From MQ 8.0 on, an arriving message goes on to a known instance of higher rank."""
    sandbox = waiting(bind="notfixed")
    sandbox.run("FR2", "DEFINE QLOCAL(Q) CLUSTER(CA) CLWLRANK(5)")
    sandbox.open("PR1", "Q")
    release(sandbox)
    assert depths(sandbox, "PR1/Q", "FR2/Q") == [0, 5]


def test_an_alias_without_a_local_target_leads_on() -> None:
    """The target of an alias is chosen by the queue manager that has the alias."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QALIAS(A) TARGET(T) CLUSTER(CA)")
    sandbox.run("FR2", "DEFINE QLOCAL(T) CLUSTER(CA)")
    sandbox.put("PR2", "A", count=3, bind="notfixed")
    (parcel,) = sandbox.estate.qmgr("FR2").messaging.local["T"]
    assert (parcel.count, parcel.by, parcel.hops, parcel.redirected) == (3, "PR2", 1, False)


def test_a_remote_definition_is_a_gateway() -> None:
    """Messages for a clustered remote definition go on to its target."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QREMOTE(G) RNAME(INNER) RQMNAME(FR2) CLUSTER(CA)")
    sandbox.run("FR2", "DEFINE QLOCAL(INNER)")
    sandbox.put("PR2", "G", count=3)
    assert depths(sandbox, "FR2/INNER") == [3]


@pytest.mark.parametrize("kind", ["QREMOTE", "QALIAS"])
def test_messages_in_a_ring_of_definitions_circulate(kind: str) -> None:
    """Messages that were sent on too often are recorded as circulating, and lie on no queue."""
    sandbox = small_cluster()
    for here, there in (("PR1", "PR2"), ("PR2", "PR1")):
        sandbox.run(here, "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
        if kind == "QALIAS":
            names = f"R.{here}) TARGET(R.{there}"
            sandbox.run(here, f"DEFINE QALIAS({names}) CLUSTER(CA) DEFBIND(NOTFIXED)")
        else:
            sandbox.run(here, f"DEFINE QREMOTE(RING) RNAME(RING) RQMNAME({there})")
    sandbox.put("PR2", "R.PR1" if kind == "QALIAS" else "RING", count=2)
    assert sum(depths(sandbox, "PR1/DLQ", "PR2/DLQ")) == 0
    circulated = last(sandbox, events.MessagesCirculated)
    assert isinstance(circulated, events.MessagesCirculated)
    assert [(each.count, each.reason) for each in circulated.parcels] == [(2, 0)]
    ledger = Ledger(sandbox)
    ledger.check()
    assert ledger.accounts["circulating"] == 2


def test_messages_keep_their_order_where_some_are_sent_on() -> None:
    """Each queue has its messages in the order of their puts."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)\nDEFINE QLOCAL(P) CLUSTER(CA)")
    derive(sandbox.draft, events.ChannelHeld(qmgr="PR2", channel="CA.PR1"))
    for name in ("a", "b", "c", "d"):
        sandbox.put("PR2", "Q" if name in "ac" else "P", name=name)
    release(sandbox)
    local = sandbox.estate.qmgr("PR1").messaging.local
    names = {queue: [parcel.name for parcel in local[queue]] for queue in local}
    assert names == {"Q": ["a", "c"], "P": ["b", "d"]}


def test_an_alias_that_the_gateway_chooses_as_its_own_leads_on() -> None:
    """A message from outside that is given to the gateway's clustered alias goes to its target."""
    sandbox = small_cluster().create("OUT")
    sandbox.run("PR1", "DEFINE QALIAS(A) TARGET(T) CLUSTER(CA)\nDEFINE QREMOTE(ANY)")
    sandbox.run("PR1", "DEFINE CHANNEL(O.PR1) CHLTYPE(RCVR)")
    sandbox.run("FR2", "DEFINE QLOCAL(T) CLUSTER(CA)\nDEFINE QLOCAL(A) CLUSTER(CA)")
    sandbox.run("OUT", "DEFINE QLOCAL(ANY) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)")
    sandbox.run("OUT", "DEFINE CHANNEL(O.PR1) CHLTYPE(SDR) CONNAME('pr1(1414)') XMITQ(ANY)")
    sandbox.put("OUT", "A", to="ANY", count=4)
    assert depths(sandbox, "FR2/A", "FR2/T", "PR1/A") == [2, 2, 0]
