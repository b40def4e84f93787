"""The records of clusters as DISPLAY shows them: which attributes belong to a record.

Sources: IBM MQ 9.4, DISPLAY CLUSQMGR, DISPLAY QUEUE (TYPE(QCLUSTER)), DISPLAY TOPIC.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.model.attributes import TYPES, Number, Value

_ADDED: Final[Mapping[str, Mapping[str, str | None]]] = {
    "qmgr": {"QMTYPE": "NORMAL", "SUSPEND": "NO", "VERSION": None},
    "queue": {"CLUSQT": None},
    "topic": {},
}
"""Kind of record -> the attributes that the object does not have, with their defaults."""

QUEUE_FACTS: Final = frozenset(
    "DEFBIND DEFPRTY DEFPSIST DEFPRESP DEFREADA DESCR PUT CLWLPRTY CLWLRANK"
    " CAPEXPRY RNAME RQMNAME TARGET".split()
)
"""Attributes in the record of a clustered queue: those that DISPLAY QCLUSTER shows (9.4)."""

PRIVATE: Final[Mapping[str, frozenset[str]]] = {
    "qmgr": frozenset({"CLUSTER", "CLUSNL", "MONCHL", "STATCHL", "CERTLABL"}),
    "topic": frozenset({"CLUSTER", "TYPE"}),
}
"""Kind of record -> the attributes of the object that are not in the record."""

_NOT_COPIED: Final = frozenset("TARGET TARGTYPE MCAUSER PUTAUT SSLCAUTH".split())
"""Attributes that answers may show, and that no record copies: the target of an alias is resolved
at its owner (DISPLAY QUEUE), and these attributes of a CLUSRCVR protect its own end (9.4, "Channel
attributes": PUTAUT, MCAUSER and SSLCAUTH are of the receiving end).
"""

OBJECT_KINDS: Final = {"qmgr": "CHANNEL", "queue": "QUEUE", "topic": "TOPIC"}
"""Kind of a record -> the kind of the object that it is about."""

ALTERED: Final = "ALTERED"
"""The keyword in a record for ALTDATE and ALTTIME of its definition: an instant of the owner."""

_UNDECISIVE: Final = (ALTERED, "DESCR", "VERSION", *sorted(_NOT_COPIED))
"""Parts of a record by which no queue manager decides anything, its date, and what is no part."""

_DIGITS: Final = 12
"""The digits of the longest number that an attribute has, and more."""


def queue_type(shown: str) -> str:
    """Return the type whose defaults a cluster queue has: CLUSQT, but QMGR for its own aliases."""
    return shown if shown in TYPES else "QREMOTE"


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
    return keyword in _ADDED[kind] or (keyword not in _NOT_COPIED and _is_shared(kind, keyword))


def is_default(kind: str, type_name: str, keyword: str, value: Value) -> bool:
    """Return whether a record leaves out an attribute with this value."""
    if keyword in _ADDED[kind]:
        return value == _ADDED[kind][keyword]
    default = TYPES[type_name].by_keyword[keyword].default
    return value == ("" if default is None else default)


def _is_shared(kind: str, keyword: str) -> bool:
    return keyword in QUEUE_FACTS if kind == "queue" else keyword not in PRIVATE[kind]


def of_channel(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values of a queue manager's record that are attributes of its CLUSRCVR."""
    added = (*_ADDED["qmgr"], ALTERED)
    return {keyword: value for keyword, value in values.items() if keyword not in added}


def is_published_alike(now: Mapping[str, Value], before: Mapping[str, Value]) -> bool:
    """Return whether an owner has nothing to publish: a fix pack alone changes no record."""
    return now == before or {**now, "VERSION": ""} == {**before, "VERSION": ""}


def is_as_good(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Return whether two versions of a record lead to the same decisions of queue managers.

    VERSION and DESCR are shown, and nothing is decided by them. Of dates alone nothing follows.
    """
    return one == other or all(
        one.get(key) == other.get(key) for key in {*one, *other}.difference(_UNDECISIVE)
    )
