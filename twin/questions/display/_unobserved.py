"""What an answer to DISPLAY would show of an imported queue manager, and no feed has shown.

MQ's layout has no word for "not known": a value that nobody knows is blank, and a channel whose
status nobody saw has no row in CHSTATUS. The answer says beside its rows which states these are. Of
a queue manager that is not only observed the rules decide all states, and none is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.model.attributes import TYPES
from twin.model.basis import Basis
from twin.model.names import generic
from twin.model.objects import RECEIVING
from twin.model.observed_objects import ALL
from twin.questions.basis import basis_of_attribute
from twin.questions.display._definitions import DisplaySource, FoundRow
from twin.questions.sender_channels import SenderChannels
from twin.rules import standing
from twin.rules.queues import transmission_queues

_SYSTEM: Final = "SYSTEM."
_DEPTH: Final = "CURDEPTH"


class Unobserved(NamedTuple):
    """A state that nobody observed.

    Attributes:
        state: what it is, in words; of what was never observed at all, an object word.
        names: the objects whose state nobody observed; empty if the state has no such names.
        among: all objects that the answer is about.
    """

    state: str
    names: frozenset[str] = frozenset()
    among: frozenset[str] = frozenset()
    is_kind: bool = False
    """Whether it is a kind of object of which nothing was observed that the command asks for."""

    def __str__(self) -> str:
        """Write it with the number of objects."""
        if not self.among:
            return self.state
        return f"{self.state} ({len(self.names)} of {len(self.among)})"

    def joined(self, other: Unobserved) -> Unobserved:
        """Return it with the objects of another answer."""
        return self._replace(names=self.names | other.names, among=self.among | other.among)


FindUnobserved: TypeAlias = Callable[
    [DisplaySource, Sequence[FoundRow], Collection[str]], Iterator[Unobserved]
]
"""Source, all rows before they are filtered, and the keywords that matter -> what is missing."""


def defaults(source: DisplaySource, rows: Sequence[FoundRow], word: str) -> Iterator[Unobserved]:
    """Yield that objects were never observed: a command shows no default of a new queue manager.

    Without a complete answer, what is not known may exist.
    """
    qmgr, kind = source.qmgr, _KINDS.get(word) or (TYPES[word].kind if word in TYPES else "")
    if not kind or not qmgr.observed or qmgr.confirmed.get(kind, NEVER_CONFIRMED).complete:
        return
    if not rows:
        pattern = source.request.pattern
        yield Unobserved(word if pattern == ALL else f"{word}({pattern})", is_kind=True)
        return
    among = [
        each
        for each in qmgr.definitions.values()
        if each.kind == kind and source.request.names(each.name)
    ]
    hidden = frozenset(each.name for each in among if not qmgr.was_shown(each))
    if hidden:
        yield Unobserved("default objects", hidden, frozenset(each.name for each in among))


def left_to_defaults(
    source: DisplaySource, word: str, keywords: Collection[str]
) -> Iterator[Unobserved]:
    """Yield that objects have defaults in their attributes that no script sets, if any is shown."""
    kind = _KINDS.get(word) or (TYPES[word].kind if word in TYPES else "")
    among = {
        each.name: each.given is not None
        and any(
            basis_of_attribute(source.qmgr, each, column.keyword) is not Basis.OBSERVED
            for column in TYPES[each.type].attributes
            if column.settable and column.keyword in keywords
        )
        for each in source.qmgr.definitions.values()
        if each.kind == kind and source.request.names(each.name)
    }
    if names := frozenset(name for name, is_left in among.items() if is_left):
        yield Unobserved("attributes that no script sets", names, frozenset(among))


_KINDS: Final = {"QUEUE": "QUEUE", "CHANNEL": "CHANNEL", "QMGR": ""}
"""Object words that stand for several types, or for none -> the kind of their objects."""


def never(state: str) -> FindUnobserved:
    """Return a function for a state that no feed shows."""

    def find(
        source: DisplaySource, rows: Sequence[FoundRow], keywords: Collection[str]
    ) -> Iterator[Unobserved]:
        del source, rows, keywords
        yield Unobserved(state)

    return find


def depths(
    source: DisplaySource, rows: Sequence[FoundRow], keywords: Collection[str]
) -> Iterator[Unobserved]:
    """Yield the queues whose depth nobody observed, if depths are shown or filtered."""
    del source
    local = [row.values for row in rows if _DEPTH in row.values]
    among = frozenset(str(values["QUEUE"]) for values in local)
    names = frozenset(str(values["QUEUE"]) for values in local if values[_DEPTH] is None)
    if names and _DEPTH in keywords:
        yield Unobserved("depths of queues", names, among)


def channel_statuses(
    source: DisplaySource, rows: Sequence[FoundRow], keywords: Collection[str]
) -> Iterator[Unobserved]:
    """Yield the channels whose status nobody observed, also those without a row.

    Channels of clients have a row for each connection, of which no feed is kept.
    """
    del rows, keywords
    qmgr, wanted = source.qmgr, source.request.names
    among = frozenset(name for name in _message_channels(qmgr) if wanted(name))
    names = frozenset(name for name in among if not standing.stands(qmgr, name))
    if names:
        yield Unobserved("status of channels", names, among)
    clients = [name for name, kind in qmgr.channels.items() if kind == "SVRCONN"]
    if any(wanted(name) and not name.startswith(_SYSTEM) for name in clients):
        yield Unobserved("connections of clients")


def cluster_channels(
    source: DisplaySource, rows: Sequence[FoundRow], keywords: Collection[str]
) -> Iterator[Unobserved]:
    """Yield the channels of members whose status nobody observed, if it is shown."""
    among = frozenset(str(row.values["CHANNEL"]) for row in rows)
    names = frozenset(name for name in among if not standing.stands(source.qmgr, name))
    if names and "STATUS" in keywords:
        yield Unobserved("status of channels", names, among)


def listeners(
    source: DisplaySource, rows: Sequence[FoundRow], keywords: Collection[str]
) -> Iterator[Unobserved]:
    """Yield that nobody observed which listeners run."""
    del rows, keywords
    qmgr, wanted = source.qmgr, source.request.names
    seen = qmgr.activity.seen.listeners
    among = frozenset(
        name for kind, name in qmgr.definitions if kind == "LISTENER" and wanted(name)
    )
    names = frozenset(name for name in among if not any(generic(pattern, name) for pattern in seen))
    if names or (not among and not seen):
        yield Unobserved("which listeners run", names, among)


def own_attributes(
    source: DisplaySource, rows: Sequence[FoundRow], keywords: Collection[str]
) -> Iterator[Unobserved]:
    """Yield the attributes of the queue manager itself that nobody showed."""
    del source
    among = frozenset(each for row in rows for each in row.values if each in keywords)
    names = frozenset(each for row in rows for each in among if row.values[each] is None)
    if names:
        yield Unobserved("attributes of the queue manager", names, among)


def own_status(
    source: DisplaySource, rows: Sequence[FoundRow], keywords: Collection[str]
) -> Iterator[Unobserved]:
    """Yield that nobody observed whether the queue manager runs."""
    del rows, keywords
    if not source.qmgr.activity.seen.qmgr:
        yield Unobserved("status of the queue manager")


def _message_channels(qmgr: QueueManager) -> Iterator[str]:
    """Go through the channels that have a status when they run, but for MQ's own models."""
    for name in {*SenderChannels(qmgr).names(), *qmgr.channels}:
        kind = qmgr.channels.get(name, "CLUSSDR")
        sends = kind == "CLUSSDR" or transmission_queues.is_sender(qmgr, name)
        if (sends or kind in RECEIVING) and not name.startswith(_SYSTEM):
            yield name


HANDLES: Final = "HANDLE"
"""Stands in the table for DISPLAY QSTATUS TYPE(HANDLE), which has a view of its own."""

FINDERS: Final[Mapping[str, FindUnobserved]] = MappingProxyType(
    {
        **dict.fromkeys(("QUEUE", "QLOCAL", "QSTATUS"), depths),
        "CHSTATUS": channel_statuses,
        "CLUSQMGR": cluster_channels,
        "LSSTATUS": listeners,
        "QMGR": own_attributes,
        "QMSTATUS": own_status,
        "APSTATUS": never("applications"),
        "CONN": never("connections"),
        "PUBSUB": never("status of publish/subscribe"),
        "SVSTATUS": never("which services run"),
        "TPSTATUS": never("subscriptions and publications of applications"),
        HANDLES: never("open handles"),
    }
)
"""The object word of a DISPLAY -> what finds the states of its answer that nobody observed."""
