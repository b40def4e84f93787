"""The records of clusters as DISPLAY shows them: which attributes belong to a record.

Sources: IBM MQ 9.4, DISPLAY CLUSQMGR, DISPLAY QUEUE (TYPE(QCLUSTER)), DISPLAY TOPIC.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from twin.model.attributes import TYPES, Number, Value

_ADDED: Final[Mapping[str, Mapping[str, str | None]]] = {
    "qmgr": {"QMTYPE": "NORMAL", "SUSPEND": "NO", "VERSION": None},
    "queue": {"CLUSQT": None},
    "topic": {},
}
"""Kind of record -> the attributes that the object does not have, with their defaults."""

QUEUE_FACTS: Final = frozenset(
    "DEFBIND DEFPRTY DEFPSIST DEFPRESP DEFREADA DESCR PUT CLWLPRTY CLWLRANK CAPEXPRY".split()
)
"""Attributes in the record of a clustered queue.

Where an alias or a remote queue leads is known to its owner only. Sources: IBM MQ, MQWQR (the queue
record of a workload exit, version 4), and the properties of a cluster queue in the Explorer.
"""

_COPIED_ONCE: Final = frozenset("RNAME RQMNAME TARGET".split())
"""Attributes of queues that records of older logs hold besides; they decide nothing."""

PRIVATE: Final[Mapping[str, frozenset[str]]] = {
    "qmgr": frozenset({"CLUSTER", "CLUSNL", "MONCHL", "STATCHL", "CERTLABL"}),
    "topic": frozenset({"CLUSTER", "TYPE"}),
}
"""Kind of record -> the attributes of the object that are not in the record."""

_NOT_COPIED: Final = frozenset("DEFREADA MCAUSER PUTAUT SSLCAUTH".split())
"""Attributes that answers may show, and that are not compared: DEFREADA is of those who get, and is
not in MQWQR; the others protect the own end of a CLUSRCVR (9.4, "Channel attributes").
"""

OBJECT_KINDS: Final = {"qmgr": "CHANNEL", "queue": "QUEUE", "topic": "TOPIC"}
"""Kind of a record -> the kind of the object that it is about."""

ALTERED: Final = "ALTERED"
"""The keyword in a record for ALTDATE and ALTTIME of its definition.

They are a local time of the owner, which a record carries without a zone: as `on_clock` has it.
"""

UNSHOWN: Final = "UNSHOWN"
"""The keyword in a record that was seen for its attributes that no sight of it showed."""

SUSPEND: Final = "SUSPEND"
"""Whether a queue manager is suspended: no definition says so, but a row of CLUSQMGR does."""

_UNDECISIVE: Final = (ALTERED, UNSHOWN, "DESCR", "VERSION", *sorted(_NOT_COPIED | _COPIED_ONCE))
"""Parts of a record by which no queue manager decides anything, its date, and what is no part."""

_DIGITS: Final = 12
"""The digits of the longest number that an attribute has, and more."""


def type_of(kind: str, queue_type: str) -> str:
    """Return the type whose defaults a record has: for a queue CLUSQT, but QMGR is a QREMOTE."""
    if kind == "queue":
        return queue_type if queue_type in TYPES else "QREMOTE"
    return "CLUSRCVR" if kind == "qmgr" else "TOPIC"


def value_in(kind: str, type_name: str, keyword: str, text: str) -> Value | None:
    """Return the value of an attribute of a record as shown; None if it is not in a record.

    `kind` is that of the record, and `type_name` the type of the object that it is about.
    """
    if keyword in _ADDED[kind]:
        return text
    attribute = TYPES[type_name].by_keyword.get(keyword)
    if attribute is None or not attribute.settable or not _is_shared(kind, keyword):
        return None
    if isinstance(attribute.default, tuple):
        return tuple(word for word in text.replace(" ", "").split(",") if word)
    if isinstance(attribute.form, Number) and text.removeprefix("-").isdecimal():
        return int(text[:_DIGITS])
    return text


def is_copied(kind: str, keyword: str) -> bool:
    """Return whether a record copies an attribute, so that what was seen of it can be compared."""
    if keyword in _NOT_COPIED or keyword in (ALTERED, UNSHOWN):
        return False
    return keyword in _ADDED[kind] or _is_shared(kind, keyword)


def is_default(kind: str, type_name: str, keyword: str, value: Value) -> bool:
    """Return whether a record leaves out an attribute with this value."""
    if keyword in _ADDED[kind]:
        return value == _ADDED[kind][keyword]
    default = TYPES[type_name].by_keyword[keyword].default
    return value == ("" if default is None else default)


def _is_shared(kind: str, keyword: str) -> bool:
    return keyword in QUEUE_FACTS if kind == "queue" else keyword not in PRIVATE[kind]


def unshown_in(values: Mapping[str, Value]) -> frozenset[str]:
    """Return the attributes of a record that nobody saw: what it has of them is not known."""
    unshown = values.get(UNSHOWN, ())
    return frozenset(unshown) if isinstance(unshown, tuple) else frozenset()


@lru_cache(maxsize=256)
def not_among(columns: tuple[str, ...], kind: str, type_name: str, level: int) -> tuple[str, ...]:
    """Return the attributes that DISPLAY shows of a record, without those of some columns.

    `kind` is that of the record, `type_name` the type of its object, `level` that of the observer.
    """
    own = {each.keyword for each in TYPES[type_name].at(level) if each.settable}
    shared = {each for each in own if _is_shared(kind, each)}
    return tuple(sorted({*shared, *_ADDED[kind]}.difference(columns)))


def of_channel(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values of a queue manager's record that are attributes of its CLUSRCVR."""
    added = (*_ADDED["qmgr"], ALTERED)
    return {keyword: value for keyword, value in values.items() if keyword not in added}


def is_published_alike(now: Mapping[str, Value], before: Mapping[str, Value]) -> bool:
    """Return whether an owner has nothing to publish: a fix pack alone changes no record."""
    ignored = {"VERSION", *_COPIED_ONCE}
    return now == before or all(
        now.get(each) == before.get(each) for each in {*now, *before} - ignored
    )


def is_as_good(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Return whether two versions of a record lead to the same decisions of queue managers.

    VERSION and DESCR are shown, and nothing is decided by them. Of dates alone nothing follows.
    """
    return one == other or all(
        one.get(key) == other.get(key)
        for key in {*one, *other}.difference(_UNDECISIVE, unshown_in(one), unshown_in(other))
    )
