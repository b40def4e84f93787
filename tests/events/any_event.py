"""Makes events of any class with any contents, for laws about all events."""

from __future__ import annotations

import dataclasses
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from twin.events.base import Position, Values
from twin.events.catalogue import EVENTS
from twin.model.instants import Instant

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_NUMBER = st.integers(0, 2**53)
_BY_TYPE: dict[Any, st.SearchStrategy[Any]] = {
    str: _TEXT,
    int: _NUMBER,
    Instant: _NUMBER,
    Position: _NUMBER,
    bool: st.booleans(),
    type(None): st.none(),
    Values: st.dictionaries(
        _TEXT, st.one_of(_TEXT, st.integers(-9, 10**9), st.lists(_TEXT).map(tuple)), max_size=3
    ),
    tuple[tuple[str, str], ...] | None: st.none(),
}


def _made(cls: Any) -> st.SearchStrategy[Any]:
    hints = get_type_hints(cls, include_extras=True)
    return st.builds(
        cls, **{field.name: _value(hints[field.name]) for field in dataclasses.fields(cls)}
    )


def _value(hint: Any) -> st.SearchStrategy[Any]:
    if hint in _BY_TYPE:
        return _BY_TYPE[hint]
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Literal:
        return st.sampled_from(parts)
    if kind in (UnionType, Union):
        return st.one_of([_value(part) for part in parts])
    if kind is dict:
        return st.dictionaries(*map(_value, parts), max_size=2)
    if kind is tuple and parts[-1] is ...:
        return st.lists(_value(parts[0]), max_size=2).map(tuple)
    return st.tuples(*map(_value, parts)) if kind is tuple else _made(hint)


ANY_EVENT = st.sampled_from(sorted(EVENTS)).flatmap(lambda name: _made(EVENTS[name]))
