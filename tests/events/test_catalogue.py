"""How events are stored and read."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.events.any_event import ANY_EVENT
from twin import events
from twin.events import catalogue
from twin.events.base import Event, family
from twin.events.catalogue import (
    EVENTS,
    UnknownEvent,
    UnreadableEvent,
    column_of,
    columns_of,
    decode,
    decode_all,
    encode,
)


@given(st.lists(ANY_EVENT, min_size=1, max_size=10))
def test_what_is_encoded_is_decoded_in_its_order(made: list[Event]) -> None:
    """Events of any types and contents are decoded as they were encoded, in the same order."""
    columns = [column_of(type(event)) for event in made]
    assert decode_all(columns, [encode(event) for event in made]) == made


def test_an_unknown_type_or_schema_is_refused() -> None:
    """An unknown event type or a newer schema is refused by name."""
    for column in ("NoSuchThing", "ObjectDeleted@99"):
        with pytest.raises(UnknownEvent, match=column):
            decode(column, "{}")


def test_a_body_that_does_not_fit_is_refused() -> None:
    """A body with a missing or an additional field is refused."""
    with pytest.raises(UnreadableEvent, match="qmgr"):
        decode("QueueManagerStarted", "{}")
    with pytest.raises(UnreadableEvent, match="extra"):
        decode("QueueManagerStarted", '{"qmgr": "QM1", "extra": 1}')


def test_an_old_schema_is_brought_up_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body of schema 1 is converted by every upcast to the current schema."""

    @family
    class Renamed(Event):
        upcasts: ClassVar = (
            lambda body: {**body, "kind": body["k"]},
            lambda body: {key: value for key, value in body.items() if key != "k"},
        )

        kind: str

    monkeypatch.setitem(EVENTS, "Renamed", Renamed)
    assert columns_of(Renamed) == ["Renamed", "Renamed@2", "Renamed@3"]
    assert column_of(Renamed) == "Renamed@3"
    made = Renamed(qmgr="QM1", kind="QUEUE")
    assert decode("Renamed", '{"qmgr": "QM1", "k": "QUEUE"}') == made
    assert decode("Renamed@2", '{"qmgr": "QM1", "kind": "QUEUE", "k": "TOPIC"}') == made
    assert decode("Renamed@3", '{"qmgr": "QM1", "kind": "QUEUE"}') == made


@pytest.mark.parametrize(("status", "discint"), [("RUNNING", 0), ("RETRYING", None)])
def test_a_channel_of_the_first_schema_never_disconnects(status: str, discint: int | None) -> None:
    """A RUNNING channel of schema 1 never disconnects; other statuses have no interval."""
    body = json.dumps({"qmgr": "QM1", "channel": "CA.QM2", "status": status, "partner": "QM2"})
    read = catalogue.decode("ChannelStatusChanged", body)
    assert isinstance(read, events.ChannelStatusChanged)
    assert read.discint == discint
    assert catalogue.decode("ChannelStatusChanged@2", body) == events.ChannelStatusChanged(
        qmgr="QM1", channel="CA.QM2", status=status, partner="QM2"
    )


def test_every_event_is_registered_and_exported_once() -> None:
    """Every class with `@event` is registered and exported by `twin.events`."""
    folder = Path(events.__file__).parent
    defined = [
        node.name
        for file in folder.glob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(each, ast.Name) and each.id == "event" for each in node.decorator_list)
    ]
    assert sorted(defined) == sorted(EVENTS)
    assert [getattr(events, name, None) for name in EVENTS] == list(EVENTS.values())


def test_an_origin_is_in_the_body_only_where_there_is_one() -> None:
    """A fact without an origin has the same body and digest as before origins existed."""
    without = events.CommandEntered(qmgr="QM1", text="PING QMGR")
    assert encode(without) == '{"qmgr":"QM1","text":"PING QMGR"}'
    origin = events.Origin(file="qm1.mqsc", line=7)
    fact = events.CommandEntered(qmgr="QM1", text="PING QMGR", origin=origin)
    body = '{"qmgr":"QM1","origin":{"file":"qm1.mqsc","line":7},"text":"PING QMGR"}'
    assert encode(fact) == body
    assert decode("CommandEntered", body) == fact


def test_a_configuration_is_in_the_body_only_where_there_is_one() -> None:
    """A crtmqm without automatic configuration has the same body as before there was one."""
    body = '{"qmgr":"QM1","command":"crtmqm","arguments":["cmdlevel=940"]}'
    without = decode("ControlCommandEntered", body)
    assert encode(without) == body
    assert column_of(type(without)) == "ControlCommandEntered"
    created = '{"qmgr":"QM1","qmid":"QM1_1","cmdlevel":940,"platform":"UNIX"}'
    assert encode(decode("QueueManagerCreated", created)) == created


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (events.Origin(file="qm1.mqsc"), "qm1.mqsc"),
        (events.Origin(file="qm1.mqsc", line=7), "qm1.mqsc:7"),
        (events.Origin(file="story.yaml", line=7, step=2), "story.yaml:7 (step 2)"),
        (events.Origin(user="ann"), "ann"),
        (events.Origin(user="ann", address="192.0.2.1"), "ann@192.0.2.1"),
    ],
)
def test_an_origin_is_written_in_one_line(origin: events.Origin, text: str) -> None:
    """An origin is one line: a file with line and step, or a user and address."""
    assert str(origin) == text
