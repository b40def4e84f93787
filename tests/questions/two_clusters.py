"""Two clusters with a gateway between them, for explanations that lead to the end of a route."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from twin import Twin
from twin.model.instants import Instant, parse_instant

START: Final[Instant] = parse_instant("2026-01-01T09:00:00Z", now=0)


def receiver(name: str, cluster: str) -> str:
    """Return the command that makes a queue manager a member."""
    return f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) CONNAME({name}) CLUSTER({cluster})"


def sender(name: str, cluster: str) -> str:
    """Return the command that defines a CLUSSDR to a full repository."""
    return f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSSDR) CONNAME({name}) CLUSTER({cluster})"


def member(name: str, cluster: str) -> str:
    """Return the commands of a partial repository."""
    return f"{receiver(name, cluster)}\n{sender(f'F{cluster[1]}', cluster)}\n"


SCRIPTS: Final = {
    "FA": f"ALTER QMGR REPOS(CA)\n{receiver('FA', 'CA')}",
    "FB": f"ALTER QMGR REPOS(CB)\n{receiver('FB', 'CB')}",
    "GW": f"""{member("GW", "CA")}{member("GW", "CB")}
DEFINE QALIAS(STOCK.CA) TARGET(STOCK) CLUSTER(CA)
DEFINE QREMOTE(QM3) RQMNAME(QM3) CLUSTER(CA)
DEFINE QREMOTE(STOCK.R) RNAME(STOCK) RQMNAME(QM3) CLUSTER(CA)
DEFINE QALIAS(NOWHERE.CA) TARGET(NOWHERE) CLUSTER(CA)""",
    "QM1": f"""{member("QM1", "CA")}
DEFINE QALIAS(BOUND) TARGET(ORDERS) DEFBIND(OPEN)
DEFINE QALIAS(LOOSE) TARGET(ORDERS) DEFBIND(NOTFIXED)
DEFINE QALIAS(EMPTY) TARGET(NADA)
DEFINE QLOCAL(HERE)
DEFINE QALIAS(THERE) TARGET(HERE)
DEFINE QREMOTE(REMOTE) RNAME(ORDERS) RQMNAME(QM2)
DEFINE QREMOTE(FAR) RNAME(ORDERS) RQMNAME(QM9)
DEFINE QREMOTE(BLANK) RNAME(ORDERS)""",
    "QM2": f"{member('QM2', 'CA')}DEFINE QLOCAL(ORDERS) CLUSTER(CA) DEFBIND(NOTFIXED)",
    "QM3": f"""{member("QM3", "CB")}
DEFINE QLOCAL(STOCK) CLUSTER(CB)
DEFINE QLOCAL(ORDERS)""",
    "QM4": f"{member('QM4', 'CA')}DEFINE QLOCAL(ORDERS) CLUSTER(CA) DEFBIND(NOTFIXED)",
}
"""FA and FB are the full repositories of CA and CB, GW is in both, QM1 puts."""


def two_clusters(folder: Path) -> Twin:
    """Make the clusters; now is an hour after they were made."""
    made = Twin.open(
        f"sqlite:///{folder / 'log.db'}", synchronous="NORMAL", clock=lambda: START + 3_600_000_000
    )
    return built(made)


def built(made: Twin) -> Twin:
    """Make the clusters in an empty log."""
    for name in SCRIPTS:
        made.crtmqm(name, at=START)
        made.strmqm(name, at=START)
    for name, script in SCRIPTS.items():
        session = made.runmqsc(name, script, at=START)
        assert session.exit_code == 0, session.lines
    return made
