"""Faults of queues, aliases, workload balancing, system queues and transmission queues."""

from __future__ import annotations

from typing import Final

from tests.questions.doctor.healthy import sender
from tests.questions.doctor.planting import Planted, receiver, tell
from tests.sandbox import Sandbox
from twin import events

_COMMANDS: Final = "SYSTEM.CLUSTER.COMMAND.QUEUE"
_TRANSMIT: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"


def _both(script: str) -> dict[str, str]:
    """Run a script at both queue managers that have ORDERS and BILLING."""
    return {"PR1": script, "PR2": script}


def _end_both(estate: Sandbox) -> None:
    for name in ("PR1", "PR2"):
        estate.control("endmqm", name)


QUEUES: Final = (
    Planted(
        "shared-object-without-receiver",
        "PR1 objects in CLUSTER(SALE)",
        {"PR1": "DEFINE QLOCAL(RETURNS) CLUSTER(SALE)"},
    ),
    Planted(
        "cluster-namelist",
        "PR1 NAMELIST(CLUSTERS)",
        {"PR1": "DEFINE QLOCAL(RETURNS) CLUSNL(CLUSTERS)"},
    ),
    Planted(
        "cluster-one-member",
        "CLUSTER(SALLES) members",
        {"PR3": "ALTER CHANNEL(SALES.PR3) CHLTYPE(CLUSRCVR) CLUSTER(SALLES)"},
    ),
    Planted(
        "default-object-in-cluster",
        "PR1 QUEUE(SYSTEM.DEFAULT.LOCAL.QUEUE)",
        {"PR1": "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) CLUSTER(SALES)"},
    ),
    Planted(
        "alias-to-nothing",
        "PR1 QUEUE(ALIAS)",
        {"PR1": "DEFINE QALIAS(ALIAS) TARGET(NOTHING)"},
    ),
    Planted(
        "alias-to-nothing",
        "PR1 QUEUE(ALIAS)",
        {
            "PR1": "DEFINE QALIAS(ALIAS) TARGET(THERE)",
            "PR2": f"{receiver('PR2', 'OTHER')}\nDEFINE QLOCAL(THERE) CLUSTER(OTHER)",
        },
    ),
    Planted(
        "undefined-reference",
        "PR1 QUEUE(TRIGGERED)",
        {"PR1": "DEFINE QLOCAL(TRIGGERED) TRIGGER PROCESS(NONE)"},
    ),
    Planted(
        "undefined-reference",
        "PR1 QUEUE(REMOTE)",
        {"PR1": "DEFINE QREMOTE(REMOTE) RNAME(ORDERS) RQMNAME(PR2) XMITQ(NONE)"},
    ),
    Planted(
        "remote-queue-to-nothing",
        "PR1 QUEUE(REMOTE)",
        {
            "PR1": "DEFINE QREMOTE(REMOTE) RNAME(NOTHING) RQMNAME(PR2)\n"
            "DEFINE QREMOTE(PR2) RNAME(' ') RQMNAME(PR2)"
        },
    ),
    Planted(
        "remote-queue-to-nothing",
        "PR1 QUEUE(REMOTE)",
        {"PR1": "DEFINE QREMOTE(REMOTE) RNAME(ORDERS) RQMNAME(' ') CLUSTER(SALES)"},
    ),
    Planted(
        "remote-queue-to-nothing",
        "PR1 QUEUE(REMOTE)",
        {
            "PR1": "DEFINE QLOCAL(X) USAGE(XMITQ)\n"
            "DEFINE QREMOTE(REMOTE) RNAME(ORDERS) RQMNAME(' ') XMITQ(X)"
        },
    ),
    Planted(
        "remote-queue-to-nothing",
        "PR1 QUEUE(REMOTE)",
        {
            "PR1": "DEFINE QREMOTE(REMOTE) RNAME(ALIAS) RQMNAME(PR3) CLUSTER(SALES)",
            "PR3": "DEFINE QALIAS(ALIAS) TARGET(ORDERS)",
        },
    ),
    Planted(
        "remote-queue-to-nothing",
        "PR1 QUEUE(REMOTE)",
        {"PR1": "DEFINE QREMOTE(REMOTE) RNAME(ORDERS) RQMNAME(PR3)"},
    ),
    Planted(
        "remote-queue-to-nothing",
        "PR1 QUEUE(REMOTE)",
        {
            "PR1": "DEFINE QREMOTE(REMOTE) RNAME(ALIAS) RQMNAME(PR3)",
            "PR3": "DEFINE QALIAS(ALIAS) TARGET(NOTHING)\n"
            "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)",
        },
        also=frozenset({"alias-to-nothing"}),
    ),
    Planted(
        "default-transmission-queue",
        "PR1 QMGR DEFXMITQ",
        {"PR1": "ALTER QMGR DEFXMITQ(NONE)"},
    ),
    Planted(
        "alias-bound-elsewhere",
        "PR3 QUEUE(ALIAS)",
        {"PR3": "DEFINE QALIAS(ALIAS) TARGET(ORDERS) CLUSTER(SALES)"},
    ),
    Planted(
        "cluster-queue-hidden",
        "PR3 QUEUE(ORDERS)",
        {"PR3": "DEFINE QLOCAL(ORDERS)"},
    ),
    Planted(
        "queue-full",
        "PR1 QUEUE(LOCAL)",
        {"PR1": "ALTER QLOCAL(LOCAL) MAXDEPTH(4)"},
        make=lambda estate: estate.put("PR1", queue="LOCAL", count=4),
    ),
    Planted(
        "queue-nearly-full",
        "PR1 QUEUE(LOCAL)",
        {"PR1": "ALTER QLOCAL(LOCAL) MAXDEPTH(5)"},
        make=lambda estate: estate.put("PR1", queue="LOCAL", count=4),
    ),
    Planted(
        "gateway-loop",
        "PR1 QUEUE(ROUND)",
        {
            "PR1": "DEFINE QREMOTE(ROUND) RNAME(ROUND) RQMNAME(PR2)",
            "PR2": "DEFINE QREMOTE(ROUND) RNAME(ROUND) RQMNAME(PR1)",
        },
    ),
    Planted(
        "gateway-loop",
        "PR1 QUEUE(A)",
        {
            "PR1": "DEFINE QALIAS(A) TARGET(B) CLUSTER(SALES) DEFBIND(NOTFIXED)",
            "PR2": "DEFINE QALIAS(B) TARGET(A) CLUSTER(SALES) DEFBIND(NOTFIXED)",
        },
    ),
    Planted(
        "gateway-loop",
        "PR1 QUEUE(A)",
        {
            "PR1": "DEFINE QALIAS(A) TARGET(B)\nDEFINE QREMOTE(B) RNAME(C) RQMNAME(PR3)",
            "PR3": "DEFINE QALIAS(C) TARGET(D)\nDEFINE QREMOTE(D) RNAME(A) RQMNAME(PR1)",
        },
    ),
    Planted(
        "remote-queue-to-nothing",
        "PR2 QUEUE(B)",
        {
            "PR1": "DEFINE QALIAS(A) TARGET(B) CLUSTER(SALES) DEFBIND(NOTFIXED)",
            "PR2": "DEFINE QREMOTE(B) RNAME(C) RQMNAME(PR3) CLUSTER(SALES)",
            "PR3": "DEFINE QALIAS(C) TARGET(A)",
        },
    ),
    Planted(
        "left-cluster-used",
        "PR3 CLUSTER(SALES) left",
        {
            "PR3": "DEFINE QALIAS(ALIAS) TARGET(ORDERS)\n"
            "ALTER CHANNEL(SALES.PR3) CHLTYPE(CLUSRCVR) CLUSTER(' ')"
        },
        also=frozenset({"cluster-sender-without-receiver"}),
    ),
    Planted(
        "left-cluster-used",
        "PR3 CLUSTER(SALES) left",
        {"PR3": "DELETE CHANNEL(SALES.PR3)\nDELETE CHANNEL(SALES.FR1)"},
        make=lambda estate: estate.put("PR3", queue="ORDERS", count=2),
    ),
)

WORKLOAD: Final = (
    Planted(
        "weights-with-shared-channels",
        "CLUSTER(SALES) CLWLWGHT",
        {"PR1": "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) CLWLWGHT(80)"},
    ),
    Planted(
        "alias-ignores-clwluseq",
        "PR1 QUEUE(LOCAL)",
        {
            "PR1": "DEFINE QALIAS(A) TARGET(LOCAL) CLUSTER(SALES)\n"
            "ALTER QLOCAL(LOCAL) CLWLUSEQ(ANY)",
            "PR2": "DEFINE QALIAS(A) TARGET(LOCAL) CLUSTER(SALES)",
        },
    ),
    Planted(
        "instances-differ",
        "CLUSTER(SALES) QUEUE(ORDERS)",
        {"PR2": "ALTER QLOCAL(ORDERS) DEFBIND(GROUP)"},
    ),
    Planted(
        "rank-for-failover",
        "CLUSTER(SALES) QUEUE(ORDERS) CLWLRANK",
        {"PR1": "ALTER QLOCAL(ORDERS) CLWLRANK(5)"},
    ),
    Planted(
        "high-rank-put-disabled",
        "CLUSTER(SALES) QUEUE(ORDERS)",
        {"PR1": "ALTER QLOCAL(ORDERS) CLWLRANK(5) PUT(DISABLED)"},
        also=frozenset({"rank-for-failover"}),
    ),
    Planted(
        "all-instances-put-disabled",
        "CLUSTER(SALES) QUEUE(ORDERS)",
        _both("ALTER QLOCAL(ORDERS) PUT(DISABLED)"),
    ),
    Planted(
        "all-instances-ended",
        "CLUSTER(SALES) ended PR1 PR2",
        make=_end_both,
    ),
    Planted(
        "all-instances-suspended",
        "CLUSTER(SALES) suspended PR1 PR2",
        _both("SUSPEND QMGR CLUSTER(SALES)"),
    ),
    Planted(
        "suspended-long",
        "PR1 CLUSTER(SALES)",
        {"PR1": "SUSPEND QMGR CLUSTER(SALES)"},
        after="+8d",
    ),
    Planted(
        "single-instance",
        "CLUSTER(SALES) single instances",
        {"PR1": "DEFINE QLOCAL(RARE) CLUSTER(SALES)"},
    ),
    Planted(
        "clwlmruc-below-instances",
        "PR3 QMGR CLWLMRUC",
        {"PR3": "ALTER QMGR CLWLMRUC(1)"},
    ),
    Planted(
        "workload-exit",
        "PR3 QMGR CLWLEXIT",
        {"PR3": "ALTER QMGR CLWLEXIT('lib(Choose)')"},
    ),
    Planted(
        "publish-subscribe-disabled",
        "PR3 CLUSTER(SALES) PSCLUS",
        {
            "PR1": "DEFINE TOPIC(PRICES) TOPICSTR('prices') CLUSTER(SALES)",
            "PR3": "ALTER QMGR PSCLUS(DISABLED)",
        },
    ),
    Planted(
        "cluster-topics-conflict",
        "CLUSTER(SALES) TOPIC(PRICES)",
        {
            "PR1": "DEFINE TOPIC(PRICES) TOPICSTR('prices') CLUSTER(SALES) CLROUTE(TOPICHOST)",
            "PR2": "DEFINE TOPIC(PRICES) TOPICSTR('prices') CLUSTER(SALES)",
        },
    ),
)


def _zos(estate: Sandbox) -> None:
    estate.control("crtmqm", "ZOS1", "cmdlevel=930", "platform=MVS")
    estate.control("strmqm", "ZOS1")
    estate.run("ZOS1", receiver("ZOS1") + sender("FR1"))
    said = events.StatedObject(
        name="XQ", type="QLOCAL", values={"USAGE": "XMITQ", "CLCHNAME": "SALES.*"}
    )
    tell(estate, events.ObjectsObserved(qmgr="ZOS1", kind="QUEUE", said=(said,)))


def _fill_commands(estate: Sandbox) -> None:
    estate.run("FR1", f"ALTER QLOCAL({_COMMANDS}) GET(DISABLED)")
    estate.run("PR2", "ALTER QLOCAL(ORDERS) DESCR('new')")


SYSTEM_QUEUES: Final = (
    Planted(
        "system-queue-usage",
        f"PR3 QUEUE({_TRANSMIT})",
        {"PR3": f"ALTER QLOCAL({_TRANSMIT}) USAGE(NORMAL)"},
    ),
    Planted(
        "cluster-queue-get-disabled",
        f"PR3 QUEUE({_TRANSMIT})",
        {"PR3": f"ALTER QLOCAL({_TRANSMIT}) GET(DISABLED)"},
    ),
    Planted(
        "cluster-queue-put-disabled",
        f"PR3 QUEUE({_TRANSMIT})",
        {"PR3": f"ALTER QLOCAL({_TRANSMIT}) PUT(DISABLED)"},
    ),
    Planted(
        "cluster-queue-capexpry",
        f"PR1 QUEUE({_TRANSMIT})",
        {"PR1": f"ALTER QLOCAL({_TRANSMIT}) CAPEXPRY(600)"},
    ),
    Planted(
        "command-queue-not-empty",
        f"FR1 QUEUE({_COMMANDS}) depth",
        make=_fill_commands,
        also=frozenset({"cluster-queue-get-disabled"}),
    ),
    Planted("transmission-queue-index", "ZOS1 QUEUE(XQ)", make=_zos),
)


def _half_switch(estate: Sandbox) -> None:
    """Let the channel of PR3 to PR1 switch to a queue that takes nothing."""
    channel = "SALES.PR1"
    tell(estate, events.ChannelHeld(qmgr="PR3", channel=channel))
    estate.put("PR3", queue="ORDERS", count=2, to="PR1")
    estate.run("PR3", f"STOP CHANNEL({channel})")
    estate.run("PR3", f"DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME({channel}) PUT(DISABLED)")
    estate.run("PR3", f"START CHANNEL({channel})")


TRANSMISSION: Final = (
    Planted(
        "clchname-ambiguous",
        "PR3 CLCHNAME(SALES.*)",
        {
            "PR3": "DEFINE QLOCAL(XA) USAGE(XMITQ) CLCHNAME(SALES.*)\n"
            "DEFINE QLOCAL(XB) USAGE(XMITQ) CLCHNAME(SALES.*)"
        },
    ),
    Planted(
        "clchname-overlap",
        "PR3 CLCHNAME(SALES.F*) CLCHNAME(SALES.*)",
        {
            "PR3": "DEFINE QLOCAL(XA) USAGE(XMITQ) CLCHNAME(SALES.*)\n"
            "DEFINE QLOCAL(XB) USAGE(XMITQ) CLCHNAME(SALES.F*)"
        },
    ),
    Planted(
        "switch-unfinished",
        "PR3 CHANNEL(SALES.PR1) switch",
        make=_half_switch,
        also=frozenset({"cluster-queue-put-disabled"}),
    ),
    Planted(
        "switch-pending",
        "PR3 CHANNEL(SALES.FR1)",
        {
            "PR3": "STOP CHANNEL(SALES.FR1)\nSTART CHANNEL(SALES.FR1)\n"
            "DEFINE QLOCAL(XA) USAGE(XMITQ) CLCHNAME(SALES.FR1)"
        },
    ),
    Planted(
        "transmission-queue-named-like-member",
        "PR3 QUEUE(PR1)",
        {"PR3": "DEFINE QLOCAL(PR1) USAGE(XMITQ)"},
    ),
    Planted(
        "default-transmission-queue-in-cluster",
        "PR3 QMGR DEFXMITQ(XA)",
        {"PR3": "DEFINE QLOCAL(XA) USAGE(XMITQ)\nALTER QMGR DEFXMITQ(XA)"},
    ),
)
