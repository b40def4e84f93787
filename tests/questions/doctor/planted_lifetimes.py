"""Faults that come with time, and faults of the estate as a whole."""

from __future__ import annotations

from typing import Final

from tests.questions.doctor.healthy import sender
from tests.questions.doctor.planting import Planted, receiver, tell
from tests.sandbox import Sandbox
from twin import events
from twin.fold.handlers.restoring import backup_of
from twin.model.instants import DAY

_TRANSMIT: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"


def _end(name: str, days: int) -> Planted:
    """Plant a queue manager that is down for some days."""
    rule, what = {
        28: ("record-overdue", ""),
        40: ("record-expired", ""),
        85: ("record-removed-soon", ""),
    }[days]
    del what
    return Planted(
        rule,
        f"{name} CLUSTER(SALES) {name}_2026-01-01_00.00.00",
        make=lambda estate: estate.control("endmqm", name),
        after=f"+{days}d",
    )


def _break_repository(estate: Sandbox) -> None:
    estate.run("PR1", f"ALTER QLOCAL({_TRANSMIT}) USAGE(NORMAL)")
    estate.run("PR1", "DEFINE QLOCAL(NEW) CLUSTER(SALES)")


def _exhaust(estate: Sandbox) -> None:
    tell(estate, events.RepositoryStorageExhausted(qmgr="PR1"))


def _restore(estate: Sandbox) -> None:
    """Restore a queue manager to the time before its last publication."""
    backup = backup_of(estate.estate.qmgr("PR1"), to=estate.draft.at)
    estate.run("PR1", "DEFINE QLOCAL(NEW) CLUSTER(SALES)\nDELETE QLOCAL(NEW)")
    tell(estate, backup)


def _forget_queue(estate: Sandbox) -> None:
    """Take a queue away as a restore does, which publishes no deletion."""
    estate.run("PR1", "DEFINE QLOCAL(GONE) CLUSTER(SALES)")
    qmgr = estate.estate.qmgr("PR1")
    del qmgr.definitions["QUEUE", "GONE"]
    qmgr.repository.forget(("SALES", "queue", "GONE"), qmgr.qmid)
    qmgr.repository.own_records.pop(("SALES", "queue", "GONE"))


def _see_tomorrow(estate: Sandbox) -> None:
    said = events.RecordSaid(
        cluster="SALES",
        name="ORDERS",
        owner="PR2_2026-01-01_00.00.00",
        owner_name="PR2",
        values={"CLUSQT": "QLOCAL"},
        received=estate.draft.at + 3 * DAY,
    )
    seen = events.BeliefsObserved(qmgr="PR3", kind="queue", said=(said,), columns=("CLUSQT",))
    tell(estate, seen)


def _see_another(estate: Sandbox) -> None:
    """See a queue manager that leads to one that is not in the twin."""
    said = (
        events.StatedObject(
            name="SALES.OLD",
            type="CLUSSDR",
            values={"CLUSTER": "SALES", "CONNAME": "old.example(1414)"},
        ),
    )
    tell(estate, events.ObjectsObserved(qmgr="SEEN", kind="CHANNEL", said=said))


LIFETIMES: Final = (
    _end("PR3", 28),
    _end("PR3", 40),
    _end("PR3", 85),
    Planted(
        "member-dropped-out",
        "PR3 CLUSTER(SALES) record",
        make=lambda estate: estate.control("endmqm", "PR3"),
        after="+95d",
    ),
    Planted(
        "repository-manager-failing",
        "PR1 REPOSITORY",
        make=_break_repository,
        also=frozenset({"system-queue-usage"}),
    ),
    Planted("repository-out-of-storage", "PR1 REPOSITORY storage", make=_exhaust),
    Planted(
        "refresh-repeated",
        "PR1 CLUSTER(SALES) REFRESH",
        {"PR1": "REFRESH CLUSTER(SALES)\nREFRESH CLUSTER(SALES)"},
    ),
    Planted(
        "refresh-on-full-repository",
        "FR1 CLUSTER(SALES) full repository REFRESH",
        {"FR1": "REFRESH CLUSTER(SALES)"},
    ),
    Planted(
        "refresh-on-full-repository",
        "FR1 CLUSTER(SALES) full repository REFRESH",
        {"FR1": "REFRESH CLUSTER(SALES) REPOS(YES)"},
    ),
    Planted("restored-without-refresh", "PR1 CLUSTER(SALES) restored", make=_restore),
    Planted("record-without-queue", "PR1 CLUSTER(SALES) queues", make=_forget_queue),
    Planted("dates-in-future", "PR3 dates", make=_see_tomorrow),
)

ESTATES: Final = (
    Planted(
        "queue-manager-not-in-twin",
        "QMGR(OLD?)",
        make=_see_another,
        also=frozenset({"cluster-sender-without-receiver"}),
    ),
    Planted(
        "collection-stale",
        "COLLECTION age",
        make=_see_another,
        after="+30d",
        also=frozenset({"cluster-sender-without-receiver"}),
    ),
    Planted(
        "environments-joined",
        "CLUSTER(SALES) environments",
        {
            "QMTEST": receiver("QMTEST", host="uat.example(1)") + sender("FR1"),
            "QMPROD": receiver("QMPROD", host="prd.example(1)") + sender("FR1"),
        },
        create={"QMTEST": 940, "QMPROD": 940},
    ),
)
