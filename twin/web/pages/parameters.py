"""What the query parameters of pages take, and the check of a request against it.

A value that a parameter does not take is refused in one sentence; it is never read as another one.
A name is refused if nothing has it at the instant of the page, nor now.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from twin.app.twin import Twin
from twin.errors import BadInstant, TwinError, did_you_mean
from twin.events.catalogue import EVENTS
from twin.model.amounts import whole_number
from twin.model.instants import AsOf, parse_instant, parse_length
from twin.questions.unknown_names import names_of, unknown
from twin.web.errors import BadRequest
from twin.web.pages.zones import UTC, BadLocalTime, NoSuchZone, zone_of
from twin.web.points import TooFarAhead, demand_near

_OFFERED: Final = 10
"""How many names a refusal lists."""


class BadParameter(BadRequest, message="bad value {1!r} of parameter {0}; expected {2}"):
    """A query parameter with a value that it does not take."""


class NamedAt(NamedTuple):
    """Where names are looked up: a twin, and a point in time."""

    twin: Twin
    at: AsOf

    def has(self, question: Callable[[Any], bool]) -> bool:
        """Return whether something is true of the estate of the point, or of that of now."""
        twin, at = self
        return twin.look(question, as_of=at.valid, known_at=at.known) or twin.read(question)


class ParameterKind(NamedTuple):
    """What a parameter takes.

    Attributes:
        expected: what it takes, in words.
        fits: whether a value has the right form; it reads nothing.
        names: whether what a value names exists, at the point of a page or now.
        offers: the names to choose from, for a refusal.
    """

    expected: str
    fits: Callable[[str], bool] = lambda _: True
    names: Callable[[NamedAt, str], bool] | None = None
    offers: Callable[[NamedAt], Collection[str]] = lambda _: ()

    def demand_form(self, name: str, value: str) -> None:
        """Check the form of a value.

        Raises:
            BadParameter: if it does not fit.
        """
        if not self.fits(value):
            raise BadParameter(name, value, self.expected)

    def demand_known(self, name: str, value: str, place: NamedAt) -> None:
        """Check that what a value names exists.

        Raises:
            BadParameter: if it does not.
        """
        if self.names is not None and not self.names(place, value):
            raise BadParameter(name, value, self.expected + _offer(value, self.offers(place)))


def one_of(values: Collection[str]) -> ParameterKind:
    """Return the kind of a parameter that takes one of some words."""
    word = "one of " if len(values) > 1 else ""
    return ParameterKind(f"{word}{', '.join(values)}", lambda text: text in values)


def words_of(text: str) -> list[str]:
    """Return the names of a list, which spaces, commas or semicolons separate."""
    return text.replace(",", " ").replace(";", " ").split()


def parts_of(text: str, *counts: int) -> list[str] | None:
    """Return the parts of a word between colons; None if their number is none of these."""
    parts = text.split(":")
    return parts if len(parts) in counts and all(parts) else None


def _offer(value: str, names: Collection[str]) -> str:
    """Return the end of a refusal: the names to choose from."""
    if not names:
        return ""
    listed, more = ", ".join(sorted(names)[:_OFFERED]), len(names) - _OFFERED
    return f": {listed}{f' and {more} more' if more > 0 else ''}{did_you_mean(value, names)}"


def _reads(read: Callable[[str], object], *errors: type[TwinError]) -> Callable[[str], bool]:
    """Return a function that says whether a text can be read."""

    def fits(text: str) -> bool:
        try:
            read(text)
        except errors:
            return False
        return True

    return fits


def _known_as(filter_: str) -> Callable[[NamedAt, str], bool]:
    """Return a function that says whether an estate has what a filter of a question names."""

    def known(place: NamedAt, value: str) -> bool:
        def has(estate: Any) -> bool:
            return not unknown(estate, {filter_: value})

        return place.has(has)

    return known


_IN_TWIN: Final = _known_as("on")
_CLUSTER: Final = _known_as("cluster")


def _qmgr(place: NamedAt, name: str) -> bool:
    """Return whether a queue manager is, or ever was, in the twin."""
    log, branch = place.twin.log, place.at.branch
    return _IN_TWIN(place, name) or any(log.events(branch=branch, qmgr=name, limit=1))


def _member(place: NamedAt, name: str) -> bool:
    """Return whether a queue manager is in the twin, or a record names it."""
    if _qmgr(place, name):
        return True
    twin, at = place
    rows = twin.ask("members", as_of=at.valid, known_at=at.known).rows
    return any(row["qmgr"] == name for row in rows)


def _qmgrs(place: NamedAt) -> Collection[str]:
    names: Collection[str] = place.twin.read(names_of).qmgrs
    return names


def _clusters(place: NamedAt) -> Collection[str]:
    names: Collection[str] = place.twin.read(names_of).clusters
    return names


def _reference(place: NamedAt, text: str) -> bool:
    return text in {branch.name for branch in place.twin.log.branches()} or INSTANT.fits(text)


def _position(place: NamedAt, text: str) -> bool:
    position = whole_number(text)
    if not position:
        return False
    log, branch = place.twin.log, place.at.branch
    return any(log.events(branch=branch, after=position - 1, upto=position))


TEXT: Final = ParameterKind("a text")
INSTANT: Final = ParameterKind(
    "an instant: ISO 8601 (2026-01-31T02:13:00Z) or relative to now (+27d, -2h)",
    _reads(lambda text: parse_instant(text, now=0), BadInstant),
)
LENGTH: Final = ParameterKind(
    "how long: a number with d, h or m, such as 91d or 2h30m", _reads(parse_length, BadInstant)
)
ZONE: Final = ParameterKind(
    "a time zone: a name of the IANA database, such as Europe/Berlin", _reads(zone_of, NoSuchZone)
)
REFERENCE: Final = ParameterKind(
    f"a branch, or {INSTANT.expected}", names=_reference, offers=lambda _: ()
)
LOCAL: Final = ParameterKind(
    "a date and time, YYYY-MM-DD HH:MM[:SS]", _reads(UTC.instant, BadLocalTime)
)
NUMBER: Final = ParameterKind("a whole number", lambda text: whole_number(text) is not None)
POSITION: Final = ParameterKind("the position of an event on this branch", names=_position)
QUEUE_MANAGER: Final = ParameterKind("a queue manager in the twin", names=_qmgr, offers=_qmgrs)
MEMBER: Final = ParameterKind("a queue manager", names=_member, offers=_qmgrs)
CLUSTER: Final = ParameterKind("a cluster", names=_CLUSTER, offers=_clusters)
CHANNEL: Final = ParameterKind(
    "a channel that is defined, or that a record names", names=_known_as("channel")
)
QUEUE: Final = ParameterKind(
    "a queue that is defined, or that a record names", names=_known_as("queue")
)
EVENT_TYPE: Final = ParameterKind(
    "a type of event, such as ObjectDefined (docs/events.md lists them)",
    lambda text: text.partition("@")[0] in EVENTS,
)
OBJECT_KIND: Final = ParameterKind(
    "a kind of object, such as queue, channel or qmgr", names=_known_as("kind")
)
QMGRS: Final = ParameterKind(
    "queue managers in the twin, with spaces between them",
    names=lambda place, text: all(_qmgr(place, name) for name in words_of(text)),
    offers=_qmgrs,
)


def _refreshed(place: NamedAt, text: str) -> bool:
    parts = [parts_of(word, 2) for word in words_of(text)]
    return all(each and _qmgr(place, each[0]) and _CLUSTER(place, each[1]) for each in parts)


def _put_at(place: NamedAt, text: str) -> bool:
    parts = [parts_of(word, 2, 3) for word in words_of(text)]
    return all(each is not None and _qmgr(place, each[0]) for each in parts)


REFRESHES: Final = ParameterKind(
    "QM:CLUSTER, a queue manager in the twin and a cluster", names=_refreshed
)
PUTS: Final = ParameterKind(
    "QM:QUEUE or QM:QUEUE:BIND, with a queue manager in the twin", names=_put_at
)


def _route(place: NamedAt, text: str) -> bool:
    parts = parts_of(text, 2)
    return parts is not None and _member(place, parts[0])


ROUTE: Final = ParameterKind("QM:CHANNEL, a queue manager and its channel", names=_route)

SHARED: Final[Mapping[str, ParameterKind]] = MappingProxyType(
    {"cluster": CLUSTER, "eyes": QUEUE_MANAGER, "against": REFERENCE, "zone": ZONE}
)
"""What the parameters take that every view has, besides the point."""

POINT: Final[Mapping[str, ParameterKind]] = MappingProxyType(
    {"as-of": INSTANT, "known-at": INSTANT}
)
"""What the parameters of the point take; the branch is checked when its twin is lent."""


def demand_ahead(name: str, value: str, twin: Twin) -> None:
    """Check that an instant is not too late.

    Raises:
        BadParameter: if it is.
    """
    if not INSTANT.fits(value):
        return
    try:
        demand_near(parse_instant(value, now=twin.now()), twin)
    except TooFarAhead as error:
        raise BadParameter(name, value, f"an instant that is near: {error}") from None
