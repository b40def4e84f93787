"""How events are stored and read again."""

from __future__ import annotations

import ast
import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin import events
from twin.events import catalogue, restoring
from twin.events.base import Event
from twin.events.catalogue import (
    EVENTS,
    UnknownEvent,
    UnreadableEvent,
    column_of,
    decode,
    decode_all,
    encode,
)

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "str": _TEXT,
    "int": st.integers(0, 2**53),
    "bool": st.booleans(),
    "bool | None": st.one_of(st.none(), st.booleans()),
    "int | None": st.one_of(st.none(), st.integers(0, 2**53)),
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
    "Use | None": st.none() | st.tuples(st.integers(0, 2**53), st.integers(0, 2**53)),
    "Bind": st.sampled_from(["open", "notfixed", "group", "asqdef"]),
    "dict[str, str]": st.dictionaries(_TEXT, _TEXT, max_size=2),
}
_PARTS = {
    cls.__name__: cls
    for cls in (
        *(events.Item, events.RecordPublished, events.Removal),
        *(events.ExitSaid, events.Move, events.Parcel, events.Share),
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


@given(st.lists(ANY_EVENT, min_size=1, max_size=10))
def test_what_is_encoded_is_decoded_in_its_order(made: list[Event]) -> None:
    """Events of any types and contents come back equal, in the order they went."""
    columns = [column_of(type(event)) for event in made]
    assert decode_all(columns, [encode(event) for event in made]) == made


def test_an_unknown_type_or_schema_is_refused() -> None:
    """A type nobody knows, and a schema from the future, are named in the error."""
    for column in ("NoSuchThing", "ObjectDeleted@99"):
        with pytest.raises(UnknownEvent, match=column):
            decode(column, "{}")


def test_a_body_that_does_not_fit_is_refused() -> None:
    """A missing or a surplus field is an error, never silently dropped."""
    with pytest.raises(UnreadableEvent, match="qmgr"):
        decode("QueueManagerStarted", "{}")
    with pytest.raises(UnreadableEvent, match="extra"):
        decode("QueueManagerStarted", '{"qmgr": "QM1", "extra": 1}')


def test_an_old_schema_is_brought_up_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body of schema 1 passes through every step to the current schema."""
    monkeypatch.setitem(catalogue.SCHEMAS, "ObjectDeleted", 3)
    monkeypatch.setitem(
        catalogue.UPCASTS, ("ObjectDeleted", 1), lambda body: {**body, "kind": body["k"]}
    )
    monkeypatch.setitem(
        catalogue.UPCASTS,
        ("ObjectDeleted", 2),
        lambda body: {key: value for key, value in body.items() if key != "k"},
    )
    assert column_of(events.ObjectDeleted) == "ObjectDeleted@3"
    old = json.dumps({"qmgr": "QM1", "k": "QUEUE", "name": "Q"})
    assert decode("ObjectDeleted", old) == events.ObjectDeleted(qmgr="QM1", kind="QUEUE", name="Q")


@pytest.mark.parametrize(("status", "discint"), [("RUNNING", 0), ("RETRYING", None)])
def test_a_channel_of_the_first_schema_never_disconnects(status: str, discint: int | None) -> None:
    """Its interval was not looked at then; the other statuses have none."""
    body = json.dumps({"qmgr": "QM1", "channel": "CA.QM2", "status": status, "partner": "QM2"})
    read = catalogue.decode("ChannelStatusChanged", body)
    assert isinstance(read, events.ChannelStatusChanged)
    assert read.discint == discint
    assert catalogue.decode("ChannelStatusChanged@2", body) == events.ChannelStatusChanged(
        qmgr="QM1", channel="CA.QM2", status=status, partner="QM2"
    )
