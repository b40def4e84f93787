"""Templates of event bodies: as the log writes them, with placeholders."""

from __future__ import annotations

import re

from hypothesis import given

from tests.events.any_event import ANY_EVENT
from twin import events
from twin.events.base import Event
from twin.events.catalogue import decode, encode
from twin.log import Log
from twin.model.instants import parse_instant
from twin.sampling.cutting import Templates

AT = parse_instant("2026-01-01T00:00:00Z", now=0)
MARKING = Templates(str.lower, "<{}>".format, "[{}]".format)
RECENT = re.compile(r"\b1[0-9]{15}\b")


@given(ANY_EVENT)
def test_without_placeholders_a_template_is_the_stored_body(event: Event) -> None:
    """A template differs from the body in the log only by its placeholders."""
    assert Templates(str, str, str).body(event) == encode(event)


def test_instants_and_positions_become_placeholders_and_numbers_stay() -> None:
    """A field becomes a placeholder by its annotation; a count as large as an instant does not."""
    parcel = events.Parcel(put=7, count=AT, queue="Q", at=AT, by="QM1", passes=-1)
    event = events.MessagesArrived(
        qmgr="QM1", sender="QM2", channel="C", queue="Q", parcels=(parcel,)
    )
    body = MARKING.body(event)
    assert f'"put":[7],"count":{AT},"queue":"q","at":<{AT}>,"by":"qm1"' in body
    assert '"passes":-1' in body


def test_the_instant_in_a_published_record_becomes_a_placeholder() -> None:
    """The ALTERED instant among the values of a record becomes a placeholder."""
    record = events.RecordPublished(kind="qmgr", name="A", values={"ALTERED": AT, "DISCINT": AT})
    body = MARKING.body(record)
    assert f'{{"altered":<{AT}>,"discint":{AT}}}' in body


def test_every_recent_number_of_a_sample_is_an_instant_to_its_template(log: Log) -> None:
    """No event of a sample has an instant in a field without the annotation."""
    templates = Templates(lambda _: '""', lambda _: "0", lambda _: "0")
    bodies = (templates.body(decode(each.type, each.body)) for each in log.events())
    assert not [body for body in bodies if RECENT.search(body)]
