"""Convert saved answers about clusters to beliefs: which records their queue manager held.

DISPLAY CLUSQMGR shows records of queue managers, QCLUSTER and QUEUE with CLUSINFO those of queues,
TCLUSTER and TOPIC with CLUSINFO those of topics. The row of the queue manager itself is its
CLUSRCVR. A row with SYSTEM.TEMPQMGR or SYSTEM.TEMPUUID in CLUSQMGR or QMID, or with
DEFTYPE(CLUSSDR), is no record: it shows that a manual CLUSSDR has not reached its partner yet.

Source: IBM MQ 9.4, DISPLAY CLUSQMGR: CLUSDATE and CLUSTIME are when the definition became available
to the local queue manager; they are local times. DEFTYPE(CLUSSDR): no information came back yet.
ALTDATE and ALTTIME are copied from the definition, so they are local times of its owner, whose zone
the answer does not tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Final, NamedTuple

from twin.events import BeliefsObserved, RecordSaid
from twin.feeds.captures.records import Capture, CapturedRow, RowValues
from twin.feeds.reading.local_time import instant_shown, key_of
from twin.feeds.reading.not_understood import LONG_QMID, NotUnderstood
from twin.model.attributes import KNOWN_KEYWORDS, Value
from twin.model.cluster_records import ALTERED, OBJECT_KINDS, is_default, type_of, value_in
from twin.model.names import QMID_LENGTH, legal_name
from twin.model.platforms import is_version, level_in

_KINDS: Final = {
    "CLUSQMGR": "qmgr",
    "QCLUSTER": "queue",
    "QUEUE": "queue",
    "TCLUSTER": "topic",
    "TOPIC": "topic",
}
"""The object word of a command -> the kind of the records that its answer shows."""

_WITH_LOCAL: Final = frozenset({"QUEUE", "TOPIC"})
"""The words that show what is in clusters only if CLUSINFO is asked for."""

_IDENTIFIES: Final = ("CLUSTER", "CLUSQMGR")
_TEMPORARY: Final = ("SYSTEM.TEMPQMGR", "SYSTEM.TEMPUUID")
_NEVER_BLANK: Final = ("QMTYPE", "SUSPEND")
_NOT_IN_RECORDS: Final = KNOWN_KEYWORDS | set(
    "CLUSQMGR CLUSDATE CLUSTIME CLSTATE CLUSTER CHANNEL DEFTYPE QMID QUEUE STATUS TOPIC TYPE XMITQ"
    " ALTDATE ALTTIME CLUSQT QMTYPE SUSPEND VERSION USERID PASSWORD"
    " RNAME RQMNAME TARGET".split()
)


class BeliefsSeen(NamedTuple):
    """What one answer says of the beliefs of its queue manager.

    Attributes:
        line: its first line, from 1.
        event: the observation.
        unfinished: the names of queue managers that it has not heard from yet.
        columns: attributes that are not known -> in how many rows they are; they are kept out.
        left_out: the rows that are not understood, with the reason.
        undated: how many records have no CLUSDATE and CLUSTIME that are an instant.
        lacking: why the answer may lack something.
    """

    line: int
    event: BeliefsObserved
    unfinished: tuple[str, ...]
    columns: Mapping[str, int]
    left_out: tuple[NotUnderstood, ...]
    undated: int
    lacking: tuple[str, ...]


def shows_beliefs(capture: Capture) -> bool:
    """Return whether an answer shows records of clusters."""
    if capture.verb not in {"DISPLAY", ""} or capture.object not in _KINDS:
        return False
    if capture.object not in _WITH_LOCAL:
        return True
    return "CLUSINFO" in capture.asked or any("CLUSQMGR" in row.values for row in capture.rows)


def beliefs_in(
    parts: Sequence[Capture], *, qmgr: str = "", zone: tzinfo | None = None
) -> BeliefsSeen:
    """Convert the records of one answer for which `shows_beliefs` holds.

    Args:
        parts: all records of the answer.
        qmgr: the queue manager that answered, if the answer does not name it.
        zone: its zone; without one, local times are taken as UTC.
    """
    first, last = parts[0], parts[-1]
    reading = _Reading(_KINDS[first.object], first.qmgr or qmgr, zone or UTC)
    for part in parts:
        for row in part.rows:
            reading.take(row)
    whole = last.complete_for is not None and not last.more and not reading.left_out
    whole = whole and (first.object not in _WITH_LOCAL or "CLUSINFO" in first.asked)
    return BeliefsSeen(
        first.line,
        BeliefsObserved(
            qmgr=reading.qmgr,
            kind=reading.kind,
            said=tuple(reading.said[key] for key in sorted(reading.said)),
            columns=tuple(sorted(reading.columns)),
            complete=last.complete_for if whole else None,
            qmid=reading.qmid,
            cmdlevel=level_in(reading.version) if reading.version else None,
            version=reading.version,
            assumes_utc=zone is None and bool(reading.said),
            zone=key_of(zone),
        ),
        tuple(sorted(reading.unfinished)),
        dict(reading.unknown),
        tuple(reading.left_out),
        sum(said.received is None for said in reading.said.values()),
        last.lacking,
    )


class _Reading:
    """The rows of one answer while they are converted."""

    def __init__(self, kind: str, qmgr: str, zone: tzinfo) -> None:
        self.kind = kind
        self.qmgr = qmgr
        self.said: dict[tuple[str, str, str, str], RecordSaid] = {}
        self.columns: set[str] = set()
        self.unknown: Counter[str] = Counter()
        self.unfinished: set[str] = set()
        self.left_out: list[NotUnderstood] = []
        self.qmid: str | None = None
        self.version: str | None = None
        self._zone = zone

    def take(self, row: CapturedRow) -> None:
        """Convert a row, unless it is a local definition or about the queue manager itself."""
        values = row.values
        if self.kind != "qmgr" and "CLUSQMGR" not in values and "TYPE" in values:
            return  # a local definition beside those in clusters
        called = values.get("CLUSQMGR", "")
        temporary = (called.startswith(_TEMPORARY), values.get("QMID", "").startswith(_TEMPORARY))
        if any(temporary) or (self.kind == "qmgr" and values.get("DEFTYPE") == "CLUSSDR"):
            self.unfinished.add(called or values.get("QMID", ""))
            return
        if len(values.get("QMID", "")) > QMID_LENGTH:
            self.left_out.append(NotUnderstood(row.line, values.get("CLUSQMGR", ""), LONG_QMID))
            return
        if self._is_own(values):
            self._take_own(values)
            if "" in (values.get(each) for each in _NEVER_BLANK):
                return  # twin wrote it, where nobody knew them
        needed = (*_IDENTIFIES, OBJECT_KINDS[self.kind])
        if missing := [keyword for keyword in needed if not values.get(keyword)]:
            why = f"is shown without {', '.join(missing)}; ask for ALL"
            name = values.get("CLUSQMGR") or values.get(OBJECT_KINDS[self.kind], "")
            self.left_out.append(NotUnderstood(row.line, name, why))
            return
        wrong = next(
            (each for each in ("CLUSQMGR", "CLUSTER") if not legal_name(values[each])), None
        )
        if wrong is not None:
            why = f"is shown with a {wrong} that is not a legal name"
            self.left_out.append(NotUnderstood(row.line, values[wrong], why))
            return
        said = self._said(values, self._zone if self._is_own(values) else UTC)
        self.said[said.cluster, said.name, said.owner, said.owner_name] = said

    def _is_own(self, values: RowValues) -> bool:
        if self.kind == "qmgr" and "DEFTYPE" in values:
            return values["DEFTYPE"] == "CLUSRCVR"
        return values.get("CLUSQMGR") == self.qmgr

    def _take_own(self, values: RowValues) -> None:
        self.qmid = values.get("QMID") or self.qmid
        if is_version(version := values.get("VERSION", "")):
            self.version = version

    def _said(self, shown: RowValues, owners: tzinfo) -> RecordSaid:
        """Convert a record; `owners` is the zone in which the date of its definition is read."""
        type_name = type_of(self.kind, shown.get("CLUSQT", "QLOCAL"))
        values: dict[str, Value] = {}
        for keyword, text in shown.items():
            value = value_in(self.kind, type_name, keyword, text)
            if value is None:
                if keyword not in _NOT_IN_RECORDS:
                    self.unknown[keyword] += 1
                continue
            self.columns.add(keyword)
            if not is_default(self.kind, type_name, keyword, value):
                values[keyword] = value
        altered = instant_shown(shown, "ALTDATE", "ALTTIME", owners)
        if altered is not None:
            values[ALTERED] = altered
        return RecordSaid(
            cluster=shown["CLUSTER"],
            name=shown[OBJECT_KINDS[self.kind]],
            owner=shown.get("QMID", ""),
            owner_name=shown["CLUSQMGR"],
            values=values,
            received=instant_shown(shown, "CLUSDATE", "CLUSTIME", self._zone),
            deftype=shown.get("DEFTYPE", "") if self.kind == "qmgr" else "",
        )
