"""The estate that the tests of the pages look at: two clusters, and something of each kind.

SALES has the full repositories FR1 and FR2 and the partial ones QM1 to QM4. QM2 is suspended, the
link from QM1 to QM3 is cut so that its channel retries and 3 messages wait, and the channel from
QM1 to QM4 is stopped. Then QM1 loses its links to the full repositories, so that it does not learn
that QM4 changed its queue and that QM3 is suspended, too. ARCHIVE has one full repository, GW%1,
whose description looks like HTML.
"""

from __future__ import annotations

from typing import Final

from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, MINUTE, Instant

HOSTILE: Final = "</text><script>alert('x')</script>"
"""A description that would end the page if it was not escaped."""

FULL: Final = ("FR1", "FR2")
PARTIAL: Final = ("QM1", "QM2", "QM3", "QM4")


def start_of(now: Instant) -> Instant:
    """Return when the estate begins: at a whole hour, three days before."""
    return (now - 3 * DAY) // HOUR * HOUR


def build(url: str) -> None:
    """Record the estate in a new log."""
    with Twin.open(url, synchronous="NORMAL") as twin:
        at = start_of(twin.now())
        for name in (*FULL, *PARTIAL, "GW%1"):
            twin.crtmqm(name, at=at)
            twin.strmqm(name, at=at)
        for name in FULL:
            _run(twin, name, "ALTER QMGR REPOS(SALES)", at)
            _join(twin, name, "FR2" if name == "FR1" else "FR1", at)
        for name in PARTIAL:
            _join(twin, name, "FR1", at)
        _run(
            twin,
            "GW%1",
            f"ALTER QMGR REPOS(ARCHIVE) DESCR('{HOSTILE.replace(chr(39), chr(34))}')",
            at,
        )
        _run(
            twin,
            "GW%1",
            "DEFINE CHANNEL(ARCHIVE.GW%1) CHLTYPE(CLUSRCVR) CONNAME('gw1(1414)') CLUSTER(ARCHIVE)",
            at,
        )
        _happen(twin, at + HOUR)


def _happen(twin: Twin, at: Instant) -> None:
    for name in ("QM2", "QM3", "QM4"):
        _run(twin, name, "DEFINE QLOCAL(ORDERS) CLUSTER(SALES) DEFBIND(NOTFIXED)", at)
    twin.put("QM1", "ORDERS", count=9, at=at + MINUTE)
    _run(twin, "QM2", "SUSPEND QMGR CLUSTER(SALES)", at + 10 * MINUTE)
    twin.put("QM1", "ORDERS", count=2, bind="open", to="QM3", at=at + 15 * MINUTE)
    twin.link("cut", "QM1", "QM3", at=at + 20 * MINUTE)
    twin.put("QM1", "ORDERS", count=3, bind="open", to="QM3", at=at + 25 * MINUTE)
    _run(twin, "QM1", "STOP CHANNEL(SALES.QM4)", at + 30 * MINUTE)
    for full in FULL:
        twin.link("cut", "QM1", full, at=at + 38 * MINUTE)
    _run(twin, "QM4", "ALTER QLOCAL(ORDERS) PUT(DISABLED)", at + 40 * MINUTE)
    _run(twin, "QM3", "SUSPEND QMGR CLUSTER(SALES)", at + 45 * MINUTE)


def _join(twin: Twin, name: str, full: str, at: Instant) -> None:
    _run(
        twin,
        name,
        f"""DEFINE CHANNEL(SALES.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name.lower()}(1414)') +
CLUSTER(SALES)
DEFINE CHANNEL(SALES.{full}) CHLTYPE(CLUSSDR) CONNAME('{full.lower()}(1414)') CLUSTER(SALES)""",
        at,
    )


def _run(twin: Twin, name: str, mqsc: str, at: Instant) -> None:
    session = twin.runmqsc(name, mqsc, at=at)
    assert session.exit_code == 0, session
