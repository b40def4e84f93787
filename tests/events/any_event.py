"""Makes events of any class with any contents, for laws about all events."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from hypothesis import strategies as st

from twin import events
from twin.events import restoring
from twin.events.catalogue import EVENTS

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "str": _TEXT,
    "int": st.integers(0, 2**53),
    "Instant": st.integers(0, 2**53),
    "Position": st.integers(0, 2**53),
    "bool": st.booleans(),
    "bool | None": st.one_of(st.none(), st.booleans()),
    "int | None": st.one_of(st.none(), st.integers(0, 2**53)),
    "tuple[int, ...]": st.lists(st.integers(0, 2**53), max_size=2).map(tuple),
    "tuple[Position, ...]": st.lists(st.integers(0, 2**53), max_size=2).map(tuple),
    "Values": st.dictionaries(
        _TEXT, st.one_of(_TEXT, st.integers(-9, 10**9), st.lists(_TEXT).map(tuple)), max_size=3
    ),
    "tuple[str, ...]": st.lists(_TEXT, max_size=2).map(tuple),
    "tuple[tuple[str, str], ...]": st.lists(st.tuples(_TEXT, _TEXT), max_size=2).map(tuple),
    "tuple[tuple[str, str], ...] | None": st.none(),
    "tuple[tuple[str, str, int], ...]": st.lists(
        st.tuples(_TEXT, _TEXT, st.integers(0, 2**53)), max_size=2
    ).map(tuple),
    "tuple[tuple[str, int], ...]": st.lists(
        st.tuples(_TEXT, st.integers(0, 2**53)), max_size=2
    ).map(tuple),
    "tuple[tuple[int, int], ...]": st.lists(
        st.tuples(st.integers(0, 2**53), st.integers(0, 2**53)), max_size=2
    ).map(tuple),
    "tuple[int, int, int, int]": st.tuples(*[st.integers(0, 2**53)] * 4),
    "UseCounters | None": st.none() | st.tuples(st.integers(0, 2**53), st.integers(0, 2**53)),
    "Bind": st.sampled_from(["open", "notfixed", "group", "asqdef"]),
    "dict[str, str]": st.dictionaries(_TEXT, _TEXT, max_size=2),
    "dict[str, int]": st.dictionaries(_TEXT, st.integers(0, 2**53), max_size=2),
}
_PARTS = {
    cls.__name__: cls
    for cls in (
        events.Origin,
        *(events.AutomaticConfiguration, events.ConfigurationFile),
        *(events.Item, events.RecordPublished, events.Removal, events.RepositoryCommand),
        *(events.RecordDate, events.RecordSaid),
        *(events.QueueOpened, events.PutEntered, events.HandleClosed),
        *(events.ExitSaid, events.Move, events.Parcel, events.StatedObject, events.Share),
        events.QueueDepth,
        *(restoring.AskerKept, restoring.ObjectKept, restoring.RecordsKept, restoring.RequestKept),
    )
}


def _made(cls: Any) -> st.SearchStrategy[Any]:
    return st.builds(cls, **{field.name: _value(field.type) for field in dataclasses.fields(cls)})


def _value(annotation: Any) -> st.SearchStrategy[Any]:
    if annotation in _BY_TYPE:
        return _BY_TYPE[annotation]
    if annotation.startswith("Literal["):
        return st.sampled_from(ast.literal_eval(annotation.removeprefix("Literal")))
    if annotation.endswith(" | None"):
        return st.none() | _value(annotation.removesuffix(" | None"))
    if annotation.startswith("tuple["):
        part = annotation.removeprefix("tuple[").removesuffix(", ...]")
        return st.lists(_made(_PARTS[part]), max_size=2).map(tuple)
    return _made(_PARTS[annotation])


ANY_EVENT = st.sampled_from(sorted(EVENTS)).flatmap(lambda name: _made(EVENTS[name]))
