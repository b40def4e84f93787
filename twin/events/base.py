"""What every event is: a frozen, checked value that names the queue manager where it happened.

Defining a class with `@event` registers it: `EVENTS` holds every event class, and the log, the
documentation and the tests read the events from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError, fields
from operator import attrgetter
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    NoReturn,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
)

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from twin.errors import TwinError
from twin.model.instants import Instant
from twin.model.versions import FIRST

Values: TypeAlias = dict[
    str, Annotated[str | int | tuple[str, ...], Field(union_mode="left_to_right")]
]
"""Attributes by MQSC keyword; an attribute that is absent has its product default.

A value is text, a number, or a list of names.
"""

Position: TypeAlias = Annotated[int, "position"]
"""The position of an event in the log; the annotation tells fields of events apart."""

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""A function that turns a stored body of one schema into a body of the next schema."""

_T = TypeVar("_T")

_OPEN: Final = ConfigDict(defer_build=True)
_CLOSED: Final = ConfigDict(defer_build=True, extra="forbid")
"""Validators are built when a class is first used: a short command uses few classes."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
def value(cls: type[_T]) -> type[_T]:
    """Make a class a part of event bodies: frozen, keyword-only, slotted, checked by pydantic.

    Rules compare values often, so a value has methods of its own, which are faster.
    """
    made: Any = dataclass(config=_OPEN, frozen=True, kw_only=True, slots=True)(cls)
    return cast("type[_T]", made)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def family(cls: type[_T]) -> type[_T]:
    """Make a class a base of events: like an event, but never stored itself.

    The standard library compiles six methods for each frozen class. That is most of what importing
    80 classes costs, so events share the methods below.
    """
    made: Any = dataclass(config=_CLOSED, eq=False, repr=False, kw_only=True, slots=True)(cls)
    made._names = tuple(field.name for field in fields(made))  # noqa: SLF001
    made._later = frozenset(field.name for field in fields(made) if not field.repr)  # noqa: SLF001
    # The class comes first, so that the state is a tuple even of a single field.
    made._state = attrgetter("__class__", *made._names)  # noqa: SLF001
    for name, method in _METHODS.items():
        setattr(made, name, method)
    return cast("type[_T]", made)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def event(cls: type[_T]) -> type[_T]:
    """Make a class an event, and register it under its name.

    An event is frozen, keyword-only and slotted. Pydantic checks it when it is made and when it is
    decoded; a field that the class does not have is refused.
    """
    made = family(cls)
    EVENTS[cls.__name__] = cast("type[Event]", made)
    return made


def _equal(self: Any, other: Any) -> Any:
    if self.__class__ is not other.__class__:
        return NotImplemented
    return self._state(self) == self._state(other)


def _hash(self: Any) -> int:
    return hash(self._state(self))


def _repr(self: Any) -> str:
    """Return its fields in words; a field that later versions added only if it has a value.

    The identities of some facts are made of these words, and stay what they were.
    """
    values = ((name, getattr(self, name)) for name in self._names)
    said = (
        f"{name}={value!r}" for name, value in values if not (value is None and name in self._later)
    )
    return f"{type(self).__qualname__}({', '.join(said)})"


def _refuse(self: object, name: str, value: object = None) -> NoReturn:
    del self, value
    raise FrozenInstanceError(f"cannot change field {name!r}")  # noqa: EM102, TRY003


def _fields_of(self: Any) -> list[object]:
    return [getattr(self, name) for name in self._names]


def _restore(self: Any, values: Iterable[object]) -> None:
    for name, value in zip(self._names, values, strict=True):
        object.__setattr__(self, name, value)


_METHODS: Final = {
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _fields_of,
    "__setstate__": _restore,
}


@value
class Origin:
    """Where a primary fact came from: a place in a file, or a user at an address.

    Attributes:
        file: the file's path as it was given.
        line: the line of the file where the command or definition starts, from 1.
        step: the number of the step, from 1, where the file is a story.
        user: the user who entered it.
        address: the network address that the user entered it from.
        message: the id of the message that it is, where the file is an error log.
        digest: the digest of the text of that message, which is kept apart.
    """

    file: str | None = None
    line: int | None = None
    step: int | None = None
    user: str | None = None
    address: str | None = None
    message: str | None = None
    digest: str | None = None

    def __str__(self) -> str:
        """Write the origin in one line: `FILE:LINE`, `FILE:LINE (step N)` or `USER@ADDRESS`."""
        file = self.file and ":".join(str(part) for part in (self.file, self.line) if part)
        step = self.step and f"(step {self.step})"
        who = "@".join(part for part in (self.user, self.address) if part)
        return " ".join(part for part in (file, step, who) if part)


GroupsOfUsers: TypeAlias = Mapping[str, Sequence[str]] | Sequence[str]
"""The groups of a user, or those of several users by their names."""


class GroupsAlone(TwinError, ValueError):
    """Groups without the user who is in them."""

    def __init__(self) -> None:
        super().__init__("groups are those of a user: name it, too (as)")


@value
class Caller:
    """The user that an application runs as, and in which groups users are, as far as it was given.

    Attributes:
        name: the user.
        groups: (user, its groups), for this user and for others, such as those of MCAUSER.
    """

    name: str
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, user: str, groups: GroupsOfUsers = ()) -> Self | None:
        """Return who calls, and in which groups users are; None without a user.

        Raises:
            GroupsAlone: if groups are given without a user.
        """
        if not user:
            if groups:
                raise GroupsAlone
            return None
        by_user = groups if isinstance(groups, Mapping) else {user: groups}
        known = tuple((each, tuple(by_user[each])) for each in sorted(by_user))
        return cls(name=user, groups=known)

    def groups_of(self, user: str) -> tuple[str, ...]:
        """Return the groups that were given of a user."""
        return dict(self.groups).get(user, ())


@family
class Event:
    """Something that happened at a queue manager; the envelope says when, and what caused it."""

    upcasts: ClassVar[tuple[Upcast, ...]] = ()
    """The function at index N - 1 turns a stored body of schema N into one of schema N + 1."""

    understood_since: ClassVar[str] = FIRST
    """The version of twin that first understood the event in its current schema."""

    qmgr: str


@family
class ChannelEvent(Event):
    """Something that happened to a channel, or to what is sent over it."""

    channel: str


@family
class TransmissionQueueEvent(ChannelEvent):
    """Something that happened to a channel and its transmission queue, or to messages there."""

    queue: str


@family
class ClusterEvent(Event):
    """Something that happened at a queue manager as a member of a cluster."""

    cluster: str


@family
class PrimaryFact(Event):
    """Something that was asked for or observed, as opposed to derived by the rules.

    `origin` says where it came from, where that is known. No rule reads it, and neither does the
    fold.
    """

    origin: Origin | None = None


@family
class Observation(PrimaryFact):
    """Something that was observed.

    An observation may be dated after its recording. It is then recorded at the instant of its
    recording, and `claimed` is the instant that it was dated.
    """

    claimed: Instant | None = None


@family
class StatedObservation(Observation):
    """What one file said of a queue manager at an instant; the fold computes what that changes.

    `kind` is that of the objects or records in it. With `complete`, it names all of them whose
    names match this generic name. `lines` has the line of each in the file of the origin. With
    `same_as`, it says the same as the earlier one with this id. It is then stored without `said`
    and `lines`, and whoever reads it from the log gets those of the earlier one. `qmid`,
    `cmdlevel` and `version` (VVRRMMFF) are those of the queue manager, if the file says them.
    `zone` is that of its local times, if it was known.
    """

    kind: str
    complete: str | None = None
    same_as: str | None = None
    lines: tuple[int, ...] | None = None
    qmid: str | None = None
    cmdlevel: int | None = None
    version: str | None = None
    zone: str | None = None


EVENTS: Final[dict[str, type[Event]]] = {}
"""Every event class by its name."""
