"""Random messages that arrive on transmission queues, wait, are moved and leave, consistently."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from tests.history.scene import event, told

_QMGRS: Final = ("QM1", "QM2")
_CHANNELS: Final = ("CA.QM3", "CA.QM4", "CB.QM5")
_FIXED: Final = ("", "", "", "bind-on-open", "bind-on-group", "named-qmgr")


@dataclass
class Traffic:
    """The messages on each queue, and the events that record them."""

    chosen: random.Random
    events: list[dict[str, Any]] = field(default_factory=list)
    lying: dict[tuple[str, str], list[list[Any]]] = field(default_factory=dict)

    def act(self, when: str) -> None:
        """Perform a random act."""
        qmgr, channel = self.chosen.choice(_QMGRS), self.chosen.choice(_CHANNELS)
        there = self.lying.setdefault((qmgr, channel), [])
        kinds = ("put", "redirect", "send", "give back", "take", "pass", "doubt", "discard")
        match self.chosen.choices(kinds, (40, 6, 20, 6, 4, 16, 6, 2))[0]:
            case "put":
                self._put(when, qmgr)
            case "redirect":
                self._redirect(when, qmgr)
            case "pass":
                self._pass(when, qmgr, channel, there)
            case "doubt":
                count = self.chosen.randrange(4)
                self._say(when, "ChannelBatchInDoubt", qmgr, channel=channel, count=count)
            case "discard":
                lost = {"queue": "Q", "count": 2, "why": "discarded", "sender": "QM9"}
                self._say(when, "MessagesLost", qmgr, channel=channel, **lost)
            case kind if there:
                self._leave(when, kind, qmgr, channel, there)
            case _:
                pass

    def _say(self, when: str, type_: str, qmgr: str, **fields: Any) -> None:
        self.events.append(event(when, type_, qmgr, **fields))

    def _put(self, when: str, qmgr: str) -> None:
        fixed = self.chosen.choice(_FIXED)
        ways = self.chosen.sample(("", *_CHANNELS), 1 if fixed else self.chosen.randint(1, 3))
        shares = [_share(way, self.chosen.randint(0, 9)) for way in ways]
        self._say(when, "MessagesPut", qmgr, queue="Q", shares=shares, fixed=fixed)
        for share in shares:
            self._lay(qmgr, share["channel"], len(self.events), share["count"], fixed)

    def _lay(self, qmgr: str, channel: str, put: int, count: int, fixed: str) -> None:
        if channel and count:
            self.lying.setdefault((qmgr, channel), []).append([put, count, fixed])

    def _redirect(self, when: str, qmgr: str) -> None:
        put = len(self.events) + 1_000_000
        parcels: list[dict[str, Any]] = [
            {"put": put + number, "count": self.chosen.randint(1, 5), "fixed": fixed}
            for number, fixed in enumerate(self.chosen.sample(_FIXED[2:], 2))
        ]
        total = sum(parcel["count"] for parcel in parcels)
        first = self.chosen.randint(0, total)
        ways = self.chosen.sample(_CHANNELS, 2)
        counts = (first, total - first)
        self._say(
            when,
            "MessagesRedirected",
            qmgr,
            parcels=parcels,
            shares=[_share(way, count) for way, count in zip(ways, counts, strict=True)],
            fixed="",
        )
        coming = [[each["put"], each["count"], each["fixed"]] for each in parcels]
        for way, count in zip(ways, counts, strict=True):
            for part in _first(coming, count):
                self._lay(qmgr, way, *part)

    def _leave(self, when: str, kind: str, qmgr: str, channel: str, there: list[list[Any]]) -> None:
        total = sum(part[1] for part in there)
        count = total if kind == "give back" else self.chosen.randint(1, total)
        gone = _first(there, count)
        if kind == "take":
            got = self.chosen.random() < 0.5
            why = {} if got else {"why": "cleared"}
            type_ = "MessagesGot" if got else "MessagesLost"
            self._say(when, type_, qmgr, channel=channel, queue="X", count=count, **why)
            return
        self._say(when, "MessagesSent", qmgr, channel=channel, queue="X", count=count)
        if kind == "give back":
            back = [{"put": put, "count": n, "fixed": fixed} for put, n, fixed in gone[-2:]]
            self._say(when, "MessagesReturned", qmgr, channel=channel, queue="X", parcels=back)
            there.extend([list(part) for part in gone[-2:]])

    def _pass(self, when: str, qmgr: str, channel: str, there: list[list[Any]]) -> None:
        moves, way = [], self.chosen.choice(("", *_CHANNELS))
        for part in [part for part in there if not part[2]]:
            if way != channel and self.chosen.random() < 0.7:
                there.remove(part)
                moves.append({"put": part[0], "share": _share(way, part[1])})
                self._lay(qmgr, way, part[0], part[1], "")
        stayed = self.chosen.randint(0, 5)
        fields: dict[str, Any] = {
            "channel": channel,
            "queue": "X",
            "cause": self.chosen.choice(("stop", "retry")),
            "interrupted": self.chosen.random() < 0.2,
        }
        if moves:
            self._say(when, "MessagesReallocated", qmgr, **fields, moves=moves, stayed=0)
        if stayed or not moves:
            fields |= {"moves": [], "stayed": stayed, "ineligible": stayed % 3}
            self._say(when, "MessagesReallocated", qmgr, **fields)


def _share(channel: str, count: int) -> dict[str, Any]:
    return {"count": count, "to": "Q_ID", "channel": channel, "lies_on": "X", "queue": "Q"}


def _first(parts: list[list[Any]], count: int) -> list[list[Any]]:
    """Take a number of messages off the front of a queue."""
    taken = []
    while count and parts:
        put, there, fixed = parts[0]
        some = min(count, there)
        taken.append([put, some, fixed])
        count -= some
        if some == there:
            del parts[0]
        else:
            parts[0][1] -= some
    return taken


def traffic(spark: SparkSession, seed: int, *, count: int, days: int) -> DataFrame:
    """Make the events of a number of acts over some days, many of them at one instant."""
    chosen = random.Random(seed)
    made = Traffic(chosen)
    for hour in sorted(chosen.randrange(days * 24) for _ in range(count)):
        made.act(f"+{hour}h")
    return told(spark, *made.events)
