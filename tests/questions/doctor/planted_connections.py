"""Faults of what makes channels connect, of their status, and of dead-letter queues."""

from __future__ import annotations

from typing import Final

from tests.questions.doctor.healthy import sender
from tests.questions.doctor.planting import Planted, receiver, tell
from tests.sandbox import Sandbox
from twin import events

_DEAD: Final = "SYSTEM.DEAD.LETTER.QUEUE"


def _altered(keyword: str, value: object) -> dict[str, str]:
    return {"PR1": f"ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) {keyword}({value})"}


def _small_zos(estate: Sandbox) -> None:
    estate.control("crtmqm", "ZOS1", "cmdlevel=930", "platform=MVS")
    estate.control("strmqm", "ZOS1")
    estate.run("ZOS1", "ALTER QMGR MAXCHL(3)\n" + receiver("ZOS1") + sender("FR1"))


def _cut(estate: Sandbox, one: str, other: str, *, silent: bool = False) -> None:
    tell(estate, events.LinkChanged(qmgr=one, other=other, cut=True, silent=silent))


def _come_back(estate: Sandbox) -> None:
    """Let PR1 notice a silent cut before FR1 does, and connect again."""
    estate.run("PR1", "STOP CHANNEL(SALES.FR1)\nSTART CHANNEL(SALES.FR1)")
    _cut(estate, "FR1", "PR1", silent=True)
    estate.run("PR1", "STOP CHANNEL(SALES.FR1) MODE(TERMINATE)")
    tell(estate, events.LinkChanged(qmgr="FR1", other="PR1", cut=False))
    estate.run("PR1", "START CHANNEL(SALES.FR1)")


def _rename_receiver(estate: Sandbox) -> None:
    """Give PR1 another CLUSRCVR while messages wait for its old one."""
    estate.run("PR3", "STOP CHANNEL(SALES.PR1)")
    estate.put("PR3", queue="ORDERS", count=2, to="PR1")
    estate.run(
        "PR1",
        "STOP CHANNEL(SALES.PR1)\nDELETE CHANNEL(SALES.PR1)\n"
        "DEFINE CHANNEL(PR1.SALES) CHLTYPE(CLUSRCVR) CLUSTER(SALES) "
        "CONNAME('PR1.example(1416)')\n",
    )
    estate.run("PR3", "START CHANNEL(SALES.PR1)")


def _doubt(estate: Sandbox) -> None:
    estate.put("PR3", queue="ORDERS", count=2, to="PR1")
    tell(estate, events.ChannelHeld(qmgr="PR3", channel="SALES.PR1"))
    estate.put("PR3", queue="ORDERS", count=2, to="PR1")
    tell(
        estate,
        events.ChannelObserved(qmgr="PR3", channel="SALES.PR1", indoubt=True, curmsgs=2),
    )


CONNECTIONS: Final = (
    Planted(
        "sender-without-receiver",
        "PR1 CHANNEL(TO.PR3)",
        {
            "PR1": "DEFINE QLOCAL(XPR3) USAGE(XMITQ)\nDEFINE CHANNEL(TO.PR3) CHLTYPE(SDR) "
            "CONNAME('PR3.example(1418)') XMITQ(XPR3)"
        },
    ),
    Planted(
        "ssl-cipher-differs",
        "PR3 CHANNEL(SALES.FR1)",
        {"PR3": "ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSSDR) SSLCIPH(ANY_TLS12)"},
    ),
    Planted(
        "message-length",
        "PR1 CHANNEL(SALES.PR1)",
        {"PR1": "ALTER QLOCAL(ORDERS) MAXMSGL(4000000)"} | _altered("MAXMSGL", 1000000),
    ),
    Planted(
        "instances-message-length",
        "CLUSTER(SALES) QUEUE(ORDERS) MAXMSGL",
        {"PR2": "ALTER QLOCAL(ORDERS) MAXMSGL(100)"},
    ),
    Planted(
        "channel-authentication-unchecked",
        "CHLAUTH",
        {"PR1": "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)"},
    ),
    Planted(
        "message-length",
        "PR3 MAXMSGL",
        {
            "PR1": "ALTER QLOCAL(ORDERS) MAXMSGL(50000000)\n"
            "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) MAXMSGL(50000000)\n"
            "ALTER QMGR MAXMSGL(50000000)",
        },
        also=frozenset({"instances-message-length"}),
    ),
    Planted("heartbeat-interval", "PR1 CHANNEL(SALES.PR1)", _altered("HBINT", 0)),
    Planted("long-retry-interval", "PR1 CHANNEL(SALES.PR1)", _altered("LONGTMR", 86400)),
    Planted("retries-limited", "PR1 CHANNEL(SALES.PR1)", _altered("LONGRTY", 5)),
    Planted(
        "channel-initiator-manual",
        "PR1 QMGR SCHINIT",
        {"PR1": "ALTER QMGR SCHINIT(MANUAL)"},
    ),
    Planted(
        "adoption-refused",
        "FR1 CHANNEL(SALES.FR1) from PR1",
        make=_come_back,
    ),
    Planted("channel-limit", "ZOS1 MAXCHL", make=_small_zos),
    Planted("defaults-in-use", "DEFAULTS"),
)

STATES: Final = (
    Planted(
        "channel-retrying",
        "PR1 CHANNEL(SALES.FR1)",
        {"PR1": "START CHANNEL(SALES.FR1)"},
        make=lambda estate: _cut(estate, "FR1", "PR1"),
    ),
    Planted(
        "channel-target-put-disabled",
        "PR1 QUEUE(ORDERS)",
        {"PR1": f"ALTER QLOCAL({_DEAD}) MAXDEPTH(1)\nALTER QLOCAL(ORDERS) PUT(DISABLED)"},
        make=lambda estate: estate.put("PR3", queue="ORDERS", count=3, to="PR1"),
    ),
    Planted(
        "channel-stopped",
        "PR1 CHANNEL(SALES.FR1)",
        {"PR1": "STOP CHANNEL(SALES.FR1)"},
    ),
    Planted(
        "channel-stopped",
        "PR3 CHANNEL(SALES.FR2)",
        {"PR3": "STOP CHANNEL(SALES.FR1)\nSTOP CHANNEL(SALES.FR2)"},
        also=frozenset({"channel-stopped"}),
    ),
    Planted(
        "channel-gone",
        "PR3 CHANNEL(SALES.PR1)",
        make=_rename_receiver,
    ),
    Planted(
        "channel-in-doubt",
        "PR3 CHANNEL(SALES.PR1)",
        make=_doubt,
    ),
)

DEAD_LETTERS: Final = (
    Planted("dead-letter-queue-blank", "PR1 QMGR DEADQ", {"PR1": "ALTER QMGR DEADQ(' ')"}),
    Planted("dead-letter-queue-missing", "PR1 QUEUE(NONE)", {"PR1": "ALTER QMGR DEADQ(NONE)"}),
    Planted(
        "dead-letter-queue-usage",
        "PR1 QUEUE(DLQ)",
        {"PR1": "DEFINE QLOCAL(DLQ) USAGE(XMITQ)\nALTER QMGR DEADQ(DLQ)"},
    ),
    Planted(
        "dead-letter-queue-disabled",
        f"PR1 QUEUE({_DEAD})",
        {"PR1": f"ALTER QLOCAL({_DEAD}) PUT(DISABLED)"},
    ),
    Planted(
        "dead-letter-queue-full",
        f"PR1 QUEUE({_DEAD})",
        {"PR1": f"ALTER QLOCAL({_DEAD}) MAXDEPTH(2)"},
        make=lambda estate: estate.put("PR1", queue=_DEAD, count=2),
    ),
    Planted(
        "dead-letter-queue-used",
        f"PR1 QUEUE({_DEAD})",
        make=lambda estate: estate.put("PR1", queue=_DEAD, count=2),
    ),
)
