"""Random repository events, so that records are held and lost in every possible way."""

from __future__ import annotations

import random
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from tests.history.scene import event, told

_QMGRS: Final = ("QM1", "QM2", "QM3")
_QUEUES: Final = ("A", "B", "C", "D")
_CLUSTERS: Final = ("CA", "CA", "CB")
_CHANNELS: Final = ("QM1", "QM2", "QM3", "QM3.SLOW")
_STATUSES: Final = ("RUNNING", "RETRYING", "RETRYING", "STOPPED", "INACTIVE")
_SUBSCRIBED: Final = ("Made", "Made", "Referenced", "sRenewed", "sLapsed")
_LIVES: Final = ("Started", "Started", "Started", "Ended", "Ended", "Deleted")
_PUT: Final = ("ENABLED", "ENABLED", "DISABLED")
_WEIGHTS: Final = {
    "Published": 10,
    "Republished": 12,
    "Received": 40,
    "Removed": 7,
    "Expired": 3,
    "refreshed": 3,
    "forced": 3,
    "subscription": 14,
    "life": 10,
    "status": 30,
    "warning": 5,
    "restored": 2,
}


def repositories(spark: SparkSession, seed: int, *, count: int, days: int) -> DataFrame:
    """Make the events of `records`, with their columns."""
    return told(spark, *records(seed, count=count, days=days))


def records(seed: int, *, count: int, days: int, before: int = 0) -> list[dict[str, Any]]:
    """Make events of three queue managers over some days, many of them at one instant.

    They begin `before` hours before 2026.
    """
    chosen, begin = random.Random(seed), f"{-before:+}h"
    sent: list[dict[str, Any]] = []
    events = [event(begin, "QueueManagerCreated", name, qmid=f"ID.{name}") for name in _QMGRS]
    events += [event(begin, "QueueManagerStarted", name) for name in _QMGRS[:2]]
    for hour in sorted(chosen.randrange(days * 24) for _ in range(count)):
        events.append(_one(chosen, f"{hour - before:+}h", sent))
    return events


def _one(chosen: random.Random, when: str, sent: list[dict[str, Any]]) -> dict[str, Any]:
    (what,) = chosen.choices(tuple(_WEIGHTS), tuple(_WEIGHTS.values()))
    qmgr, cluster = chosen.choice(_QMGRS), chosen.choice(_CLUSTERS)
    fields: dict[str, Any] = {"cluster": cluster}
    match what:
        case "Published" | "Republished":
            again = what == "Republished"
            type_, fields = (
                f"Information{what}",
                _publication(chosen, qmgr, cluster, sent, again=again),
            )
        case "Received" | "Removed" | "Expired":
            type_ = f"Information{what}"
            fields |= {"items": _items(chosen, sent, cluster), "sender": "QM1"}
        case "refreshed":
            type_ = "RepositoryRefreshed"
            fields |= {"dropped": _items(chosen, sent, cluster)}
        case "forced":
            type_ = "MemberForceRemoved"
            fields |= {"member": _owner(chosen), "queues": chosen.random() < 0.7}
        case "subscription":
            type_, more = _subscription(chosen)
            fields |= more
        case "life":
            type_, fields = f"QueueManager{chosen.choice(_LIVES)}", {}
        case "status":
            type_, fields = "ChannelStatusChanged@2", _status(chosen, qmgr)
        case "warning":
            type_, days = "RenewalOverdue", chosen.randrange(1, 63)
            message = chosen.choice(("AMQ9456", "AMQ9469"))
            fields |= {"id": message, "owner": _owner(chosen), "days": days, "left": 63 - days}
        case _:
            type_, fields = "QueueManagerRestored", _restored(chosen, sent)
    return event(when, type_, qmgr, **fields)


def _owner(chosen: random.Random) -> str:
    return f"ID.{chosen.choice(_QMGRS)}"


def _publication(
    chosen: random.Random,
    qmgr: str,
    cluster: str,
    sent: list[dict[str, Any]],
    *,
    again: bool,
) -> dict[str, Any]:
    """Make a publication; half of all republications equal an earlier publication."""
    owner, sequence = f"ID.{qmgr}", len(sent) + 1
    mine = [each for each in sent if each["owner"] == owner and each["cluster"] == cluster]
    names = mine[-1]["names"] if again and mine and chosen.random() < 0.5 else _names(chosen)
    sent.append({"owner": owner, "cluster": cluster, "sequence": sequence, "names": names})
    fields: dict[str, Any] = {"qmid": owner, "cluster": cluster, "sequence": sequence}
    if again:
        return {**fields, "names": names, "was": None}
    records = [
        {"kind": kind, "name": name, "values": {"PUT": chosen.choice(_PUT)}, "deleted": deleted}
        for kind, name in names
        for deleted in (kind == "queue" and chosen.random() < 0.25,)
    ]
    return {**fields, "records": records}


def _names(chosen: random.Random) -> list[list[str]]:
    queues = sorted(chosen.sample(_QUEUES, chosen.randrange(len(_QUEUES))))
    return [*(["queue", name] for name in queues), ["qmgr", "CHANNEL"]]


def _items(chosen: random.Random, sent: list[dict[str, Any]], cluster: str) -> list[dict[str, Any]]:
    there = [each for each in sent if each["cluster"] == cluster][-6:]
    found = chosen.sample(there, min(len(there), chosen.randrange(1, 4)))
    return [
        {
            "owner": each["owner"],
            "sequence": each["sequence"],
            "only": chosen.choice((None, None, each["names"][: chosen.randrange(1, 3)])),
        }
        for each in found
    ]


def _subscription(chosen: random.Random) -> tuple[str, dict[str, Any]]:
    what, name = chosen.choice(_SUBSCRIBED), chosen.choice(_QUEUES)
    if what.startswith("s"):
        return f"Subscription{what}", {"asks": [["queue", name], ["qmgr", "QM9"]]}
    kind = chosen.choice(("queue", "queue", "topic"))
    return f"Subscription{what}", {"kind": kind, "name": name}


def _status(chosen: random.Random, qmgr: str) -> dict[str, Any]:
    channel = chosen.choice([each for each in _CHANNELS if each != qmgr])
    partner = chosen.choice(("", channel.split(".")[0]))
    return {"channel": f"TO.{channel}", "status": chosen.choice(_STATUSES), "partner": partner}


def _restored(chosen: random.Random, sent: list[dict[str, Any]]) -> dict[str, Any]:
    records = [
        {**each, "records": [{"kind": kind, "name": name} for kind, name in each["names"][:1]]}
        for each in chosen.sample(sent, min(len(sent), 2))
    ]
    requests = [{"cluster": "CA", "kind": "queue", "name": chosen.choice(_QUEUES), "made": 0}]
    return {"records": records, "requests": requests}
