"""Failures that are seen: in captures, in error logs, and in what others hold."""

from __future__ import annotations

from typing import Any, Final

from tests.questions.doctor.planting import Planted, tell
from tests.sandbox import Sandbox
from twin import events
from twin.model.instants import HOUR, MINUTE

REPOSITORY_QUEUE: Final = "SYSTEM.CLUSTER.REPOSITORY.QUEUE"


def cut(estate: Sandbox, one: str, *others: str) -> None:
    """Cut the links of a queue manager."""
    for other in others:
        tell(estate, events.LinkChanged(qmgr=one, other=other, cut=True))


def see(estate: Sandbox, name: str, channel: str, status: str) -> None:
    """See the status of a channel."""
    tell(estate, events.ChannelObserved(qmgr=name, channel=channel, status=status))


def keep_starting(estate: Sandbox, name: str, *channels: str) -> None:
    """See channels BINDING, and again after an hour."""
    for _ in range(2):
        for channel in channels:
            see(estate, name, channel, "BINDING")
        estate.pass_time(HOUR)


def start(estate: Sandbox, name: str, *channels: str) -> None:
    """Start channels anew, and let their first retries pass."""
    for channel in channels:
        estate.run(name, f"STOP CHANNEL({channel})\nSTART CHANNEL({channel})")
    estate.pass_time(2 * MINUTE)


def move(estate: Sandbox, name: str) -> None:
    """Give a queue manager another address."""
    new = f"CONNAME('new-{name.lower()}.example(1414)')"
    estate.run(name, f"ALTER CHANNEL(SALES.{name}) CHLTYPE(CLUSRCVR) {new}")


def hold_old_address(estate: Sandbox) -> None:
    """Let PR1 move while PR3 hears nothing from the full repositories."""
    cut(estate, "PR3", "FR1", "FR2", "PR1")
    move(estate, "PR1")
    start(estate, "PR3", "SALES.FR1", "SALES.FR2", "SALES.PR1")


def move_both(estate: Sandbox) -> None:
    """Let both full repositories move while they cannot reach each other."""
    cut(estate, "FR1", "FR2")
    for name in ("FR1", "FR2"):
        move(estate, name)
    start(estate, "FR1", "SALES.FR2")
    start(estate, "FR2", "SALES.FR1")


def see_idle(estate: Sandbox, *, failing: bool = False) -> None:
    """See an imported member whose repository queue is empty."""
    addresses = {"SALES.SEEN": "seen.example(1414)", "SALES.FR1": "FR1.example(1414)"}
    said = tuple(
        events.StatedObject(
            name=name,
            type="CLUSRCVR" if name == "SALES.SEEN" else "CLUSSDR",
            values={"CLUSTER": "SALES", "CONNAME": address},
        )
        for name, address in addresses.items()
    )
    tell(estate, events.ObjectsObserved(qmgr="SEEN", kind="CHANNEL", said=said))
    if failing:
        tell(estate, events.RepositoryManagerObserved(qmgr="SEEN", running=False))
    empty = events.QueueDepth(queue=REPOSITORY_QUEUE, depth=0)
    tell(estate, events.DepthsObserved(qmgr="SEEN", depths=(empty,)))


def wait_for_ended(estate: Sandbox) -> None:
    """Let messages wait for a queue manager that somebody ended."""
    estate.control("endmqm", "PR1")
    estate.put("PR3", queue="ORDERS", count=2, to="PR1")
    estate.pass_time(6 * MINUTE)


def dead_letter(estate: Sandbox) -> None:
    """See in an error log that messages went to the dead-letter queue of the writer."""
    inserts = ("1", "SALES.PR1", "4711")
    record: dict[str, Any] = {"id": "AMQ9544", "channel": "SALES.PR1", "inserts": inserts}
    tell(estate, events.EvidenceObserved(qmgr="PR1", **record))


def enable_again(estate: Sandbox) -> None:
    """Let repository commands wait on a queue that is get-disabled and get-enabled again."""
    get = "ALTER QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) GET"
    estate.run("PR1", f"{get}(DISABLED)\nDEFINE QLOCAL(LATE) CLUSTER(SALES)\n{get}(ENABLED)")


SHARED_QUEUE: Final = """
DEFINE QLOCAL(XQ) USAGE(XMITQ)
DEFINE CHANNEL(ONE) CHLTYPE(SDR) CONNAME('one.example(1)') XMITQ(XQ)
DEFINE CHANNEL(TWO) CHLTYPE(SDR) CONNAME('two.example(1)') XMITQ(XQ)
"""

FAILURES: Final = (
    Planted(
        "channel-starting",
        "PR3 CHANNEL(SALES.FR1)",
        make=lambda estate: keep_starting(estate, "PR3", "SALES.FR1"),
    ),
    Planted("messages-stuck", "PR3 CHANNEL(SALES.PR1) messages", make=wait_for_ended),
    Planted(
        "nothing-due",
        "PR1 CHANNEL(SALES.FR1)",
        make=enable_again,
        also=frozenset({"nothing-due"}),  # for the other full repository
    ),
    Planted("messages-dead-lettered", "PR1 CHANNEL(SALES.PR1) dead letters", make=dead_letter),
    Planted(
        "stale-address",
        "PR3 CHANNEL(SALES.PR1) in CLUSTER(SALES)",
        make=hold_old_address,
        also=frozenset({"channel-retrying"}),
    ),
    Planted(
        "full-repositories-moved",
        "CLUSTER(SALES) moved FR1 FR2",
        make=move_both,
        also=frozenset({"cluster-sender-wrong-address"}),  # of the other members
    ),
    Planted("repository-manager-idle", "SEEN REPOSITORY idle", make=see_idle),
    Planted("transmission-queue-shared", "PR1 QUEUE(XQ) senders", {"PR1": SHARED_QUEUE}),
)
