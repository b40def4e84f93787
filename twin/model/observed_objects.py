"""What an observation of objects changes, given the objects that were known before it.

An observation says of each object what it is, and not what changed. The difference depends on what
was known at its instant, so it is computed again wherever the observation is folded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from twin.model.attributes import TYPES, Value, conflict, full, sparse, template_of
from twin.model.names import generic
from twin.model.objects import AUTHORITIES, IMPLIED, ObjectKey, granted
from twin.model.system_objects import initial_values

EVERY_LEVEL: Final = 9999
"""A command level at which every attribute exists: an attribute in a dump always exists."""

ALL: Final = "*"
"""The base of a deletion of all records whose names begin with the same words."""


class ObjectValues(NamedTuple):
    """An object: its type and its sparse values."""

    type: str
    values: Mapping[str, Value]


class KnownObject(Protocol):
    """An object as it is known: its type and its sparse values."""

    @property
    def type(self) -> str:
        """Its type."""

    @property
    def values(self) -> Mapping[str, Value]:
        """Its sparse values."""


class Stated(Protocol):
    """What an observation says of one object; `twin.events.StatedObject` describes it."""

    @property
    def act(self) -> str:
        """Whether it is defined, altered or deleted."""

    @property
    def name(self) -> str:
        """The name of the object."""

    @property
    def type(self) -> str:
        """Its type; '' if unknown."""

    @property
    def base(self) -> str:
        """The object whose values it has besides; '' for the defaults."""

    @property
    def values(self) -> Mapping[str, Value]:
        """Its values by keyword."""


def differing(
    known: Mapping[ObjectKey, KnownObject],
    kind: str,
    said: Sequence[Stated],
    *,
    complete: str | None,
) -> dict[ObjectKey, ObjectValues | None]:
    """Return the objects of a kind that an observation changes, with None for those that vanish.

    `said` is applied in its order. `complete` is the generic name that it is complete for: known
    objects that match it and that are not in `said` vanish. An object whose values are the same,
    with all defaults filled in, does not differ.

    What is said again changes nothing: so this is repeated while it shows that more of what is said
    was already in effect.
    """
    settled: dict[ObjectKey, set[str]] = {}
    while True:
        result = _Result(known, kind, settled)
        for each in said:
            result.take(each)
        if not result.has_sources:
            break
        unchanged = {
            key: given for key, given in result.given.items() if result.leaves_unchanged(key)
        }
        if unchanged.keys() <= settled.keys():
            break
        settled |= unchanged
    if complete is not None:
        result.now |= dict.fromkeys(
            sorted(
                key
                for key in known
                if key[0] == kind and key not in result.given and generic(complete, key[1])
            )
        )
    return {key: after for key, after in result.now.items() if not _same(known.get(key), after)}


class _Result:
    """The objects of one kind while statements about them are applied.

    Attributes:
        now: the objects that were stated, None for those that do not exist.
        given: the keywords that were stated, by object.
        has_sources: whether an object has its other values from a known object.
    """

    def __init__(
        self,
        known: Mapping[ObjectKey, KnownObject],
        kind: str,
        settled: Mapping[ObjectKey, set[str]],
    ) -> None:
        """Begin with the known objects.

        `settled` are objects that the statements do not change, with the keywords that they set. If
        the same was said before, the earlier values of these keywords are unknown.
        """
        self._known = known
        self._kind = kind
        self._settled = settled
        self.now: dict[ObjectKey, ObjectValues | None] = {}
        self.given: dict[ObjectKey, set[str]] = {}
        self.has_sources = False

    def take(self, said: Stated) -> None:
        """Apply a statement; one about an unknown object, or about another type, says nothing."""
        _ACTS[said.act](self, said, (self._kind, said.name))

    def leaves_unchanged(self, key: ObjectKey) -> bool:
        """Return whether an object exists and is as it was."""
        now = self._of(key)
        return now is not None and _same(self._known.get(key), now)

    def define(self, said: Stated, key: ObjectKey) -> None:
        """Set a whole object; without a base its values are sparse, and agree."""
        given = self.given.setdefault(key, set())
        if not said.base:
            given |= said.values.keys()
            self.now[key] = ObjectValues(said.type, said.values)
            return
        self.has_sources = True
        source = (self._kind, said.base)
        base = self._of(source)
        if base is None or base.type != said.type:
            if said.base != template_of(said.type, said.values):
                return
            base = ObjectValues(said.type, {})
        values = {**self._as_before(key, base, source), **said.values}
        self._set(key, said.type, values, set(TYPES[said.type].by_keyword))

    def alter(self, said: Stated, key: ObjectKey) -> None:
        """Set attributes of an object; an authority record is made if it does not exist."""
        self.given.setdefault(key, set())
        before = self._of(key)
        if self._kind == "AUTHREC":
            values = granted(said.values, before.values if before is not None else {})
            self._set(key, "AUTHREC", values, set(values))
        elif before is not None and said.type in {"", before.type}:
            values = {**before.values, **said.values}
            self._set(key, before.type, values, set(said.values))

    def delete(self, said: Stated, key: ObjectKey) -> None:
        """Remove an object: a client channel if there is no other channel of its name.

        With the base `*`, all records are removed whose names begin with these words.
        """
        if said.base == ALL:
            found = [each for each in {**self._known, **self.now} if each[0] == self._kind]
            for each in found:
                if f"{each[1]} ".startswith(f"{said.name} "):
                    self._remove(each)
            return
        if self._kind == "CHANNEL" and self._of(key) is None:
            key = ("CLNTCONN", said.name)
        before = self._of(key)
        if before is not None and said.type in {"", before.type}:
            self._remove(key)

    def _of(self, key: ObjectKey) -> KnownObject | None:
        return self.now[key] if key in self.now else self._known.get(key)

    def _remove(self, key: ObjectKey) -> None:
        self.given.setdefault(key, set())
        self.now[key] = None

    def _set(
        self, key: ObjectKey, type_name: str, values: Mapping[str, Value], given: set[str]
    ) -> None:
        """Set an object, unless its values exclude each other."""
        if conflict(type_name, values) is None:
            self.given[key] |= given
            self.now[key] = ObjectValues(type_name, sparse(type_name, values))

    def _as_before(
        self, key: ObjectKey, base: KnownObject, source: ObjectKey
    ) -> Mapping[str, Value]:
        """Return the values of a base, but an object's own where its base was changed here.

        Otherwise, a script that defines an object and then alters its template would give other
        definitions when it is imported again.
        """
        unsure = self._settled.get(source, set()) - self.given.get(source, set())
        before = self._known.get(key)
        if not unsure or before is None or before.type != base.type:
            return base.values
        own = full(base.type, before.values, level=EVERY_LEVEL)
        return {**base.values, **{each: value for each, value in own.items() if each in unsure}}


_ACTS: Final = {"define": _Result.define, "alter": _Result.alter, "delete": _Result.delete}


def _same(before: KnownObject | None, after: KnownObject | None) -> bool:
    """Tell whether two objects are equal, with all defaults filled in; None is a missing object."""
    if before is None or after is None:
        return before is after
    if before.type != after.type:
        return False
    return before.values == after.values or _all_values(before) == _all_values(after)


def _all_values(known: KnownObject) -> dict[str, Value]:
    values = full(known.type, {**IMPLIED.get(known.type, {}), **known.values}, level=EVERY_LEVEL)
    if isinstance(words := values.get(AUTHORITIES), tuple):
        values[AUTHORITIES] = tuple(sorted(words))
    return values


def differing_attributes(
    name: str, level: int, known: Mapping[str, Value], said: Iterable[Stated]
) -> dict[str, Value]:
    """Return the attributes of a queue manager that an observation of it changes.

    `known` are its own attributes, `level` is its command level. If the observation defines the
    queue manager, as a dump does, attributes that it does not name have their defaults; those that
    every new queue manager has set keep their known values, or else those of a new one.
    """
    initial = initial_values(name, level=level)
    known = {**initial, **known}
    before = full("QMGR", known, level=EVERY_LEVEL)
    now = before
    for each in said:
        if conflict("QMGR", {**now, **each.values}) is not None and each.act != "define":
            continue
        if each.act == "define":
            kept = {keyword: value for keyword, value in known.items() if keyword in initial}
            now = full("QMGR", {**kept, **each.values}, level=EVERY_LEVEL)
        else:
            now = {**now, **each.values}
    return {keyword: value for keyword, value in now.items() if value != before.get(keyword)}
