"""A healthy estate: two full repositories, members that share queues, nothing to complain about."""

from __future__ import annotations

from tests.sandbox import Sandbox

FULL = ("FR1", "FR2")
MEMBERS = ("PR1", "PR2", "PR3")
CLUSTER = "SALES"

_EVERY = """
ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)
DEFINE LISTENER(TCP) TRPTYPE(TCP) PORT({port}) CONTROL(QMGR)
START LISTENER(TCP)
DEFINE CHANNEL(SALES.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}.example({port})') CLUSTER(SALES)
"""
_SENDER = "DEFINE CHANNEL(SALES.{0}) CHLTYPE(CLUSSDR) CONNAME('{0}.example({1})') CLUSTER(SALES)\n"
_QUEUES = """
DEFINE QLOCAL(ORDERS) CLUSTER(SALES) DEFBIND(NOTFIXED)
DEFINE QLOCAL(BILLING) CLUSTER(SALES)
DEFINE QLOCAL(LOCAL)
"""
PORTS = {name: 1414 + number for number, name in enumerate((*FULL, *MEMBERS))}


def sender(name: str) -> str:
    """Return the MQSC of a manual CLUSSDR to a queue manager."""
    return _SENDER.format(name, PORTS[name])


def healthy() -> Sandbox:
    """Make the estate, with messages that were put two hours ago."""
    estate = Sandbox().create(*FULL, *MEMBERS)
    for name in (*FULL, *MEMBERS):
        estate.run(name, _EVERY.format(name=name, port=PORTS[name]))
    for name, other in zip(FULL, reversed(FULL), strict=True):
        estate.run(name, f"ALTER QMGR REPOS({CLUSTER})\n" + sender(other))
    for name in MEMBERS:
        estate.run(name, sender("FR1"))
    for name in MEMBERS[:2]:
        estate.run(name, _QUEUES)
    estate.open("PR3", "ORDERS")
    estate.put("PR3", queue="ORDERS", count=4)
    return estate.at("+2h")
