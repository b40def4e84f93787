"""One message of MQ: its row, what becomes of it, and when it is written fit each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.feeds.errorlog.error_logs import FIRST, Said, console_line, json_line, text
from twin import events
from twin.events.logged import BECOMES, RESTARTS, becomes_of
from twin.feeds.converters import CONVERTERS
from twin.feeds.detect import FileFormat
from twin.feeds.observed import DatedFact, FeedSource, PassedOver
from twin.model.instants import MINUTE
from twin.model.messages import CATALOGUE, TIMED_OUT, Message
from twin.rules.written import WRITTEN_FOR, messages_of

ROOT: Final = Path(__file__).parents[1]
ID: Final = re.compile(r"(?:AMQ\d|TWN\d|CSQ[A-Z])\d{3}")

OF_ROLE: Final = {
    "channel": "CA.QM2",
    "cluster": "CA",
    "queue": "ORD.IN",
    "object": "ORD.IN",
    "qmid": "QM2_2026-01-01_00.00.00",
    "qmgr": "QM2",
    "sender": "QM2",
    "host": "qm2.example (10.0.0.2)",
    "to": "XMIT.NEW",
    "days": "13",
    "left": "50",
}
"""A value for each role that a reader takes; all other inserts are numbers."""

FIELD_OF: Final = {"qmid": "owner", "object": "name"}
"""Role -> the field of RenewalOverdueObserved."""

FORMS: Final[Mapping[FileFormat, Callable[[Said], str]]] = {
    FileFormat.ERROR_LOG: text,
    FileFormat.JSON_LOG: json_line,
    FileFormat.CONTAINER_LOG: console_line,
}

NAMES_TOO_LITTLE: Final = {
    "AMQ9442": "its text counts objects, and names no cluster",
    "CSQX442": "its text counts objects, and names no cluster",
    "AMQ9468": "its text names no QMIDs",
    "CSQX468": "its text names no QMIDs",
    "CSQM551": "no public source shows where it names its queue",
}
"""The ids that are read as evidence where the twin's own text is all that is known: why."""

_REPLY: Final = re.compile(r"AMQ8\d{3}|AMQ908\d|AMQ9531|CSQX531|TWN\d{4}")
LOGGED: Final = [id_ for id_, row in CATALOGUE.items() if row.text and not _REPLY.fullmatch(id_)]
"""The messages of queue managers that the twin may write to error logs; the others are replies."""


def in_rules() -> Iterator[str]:
    """Yield the ids that the rules write, from their source."""
    for path in sorted(ROOT.glob("twin/rules/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from ID.findall(node.value) if ID.fullmatch(node.value) else ()


def said_of(message: Message) -> Said:
    """Return a record with the text of the twin, and its inserts where the readers expect them.

    Where no place is known, names are text inserts in their order, and numbers numeric ones.
    """
    row = message.row
    values = dict(zip(row.roles, message.inserts, strict=False))
    comments = [values.get(role, "") for role in row.comments.split()]
    arith = [values.get(role, "") for role in row.arith.split()]
    if not row.comments and not row.arith:
        comments = [each for each in message.inserts if not each.isdecimal()]
        arith = [each for each in message.inserts if each.isdecimal()]
        if row.names is not None:  # places in the text alone: a form without inserts
            comments, arith = [], []
    one, two, three, *_ = (*comments, "", "", "")
    first, second, *_ = (*arith, "", "")
    return replace(
        FIRST,
        id=message.full_id,
        message=message.text,
        explanation="It is so.",
        comments=(one, two, three),
        arith=(first, second),
    )


def read_back(form: FileFormat, written: str) -> DatedFact | PassedOver:
    """Return what becomes of the one record of a text."""
    (found,) = CONVERTERS[form](written.splitlines(), FeedSource(qmgr="QMA", at=FIRST.at))
    assert isinstance(found, DatedFact | PassedOver)
    return found


def check(message: Message, found: DatedFact | PassedOver) -> None:
    """Check that what was read is what becomes of a message, with the values that it was given."""
    becomes = becomes_of(message.id)
    if becomes.event is None:
        assert isinstance(found, PassedOver)
        return
    assert isinstance(found, DatedFact)
    event = found.event
    if message.id in NAMES_TOO_LITTLE or not becomes.certain:
        # An attempt that nothing follows is evidence until its connect time is over.
        assert isinstance(event, events.EvidenceObserved)
    elif becomes.event is events.ChannelObserved and isinstance(event, events.EvidenceObserved):
        assert "channel" not in _placed(message)
        return
    else:
        assert type(event) is becomes.event
        assert {name: getattr(event, name) for name in becomes.values} == becomes.values
    values = {
        FIELD_OF.get(role, role): value
        for role, value in zip(message.row.roles, message.inserts, strict=False)
    }
    values["name"] = values.get("name", values.get("channel", ""))
    if becomes.event is events.RepositoryManagerObserved and "left" in values:
        values["left"] = str(int(values["left"]) * MINUTE)  # the record counts minutes
    names = {each.name for each in fields(type(event))} & {"channel", "cluster", "queue", "owner"}
    for name in names | ({"name", "days", "left"} & {each.name for each in fields(type(event))}):
        read = getattr(event, name)
        assert read in {"", None} or str(read) == values[name], (name, read)
    for role in _placed(message) & names:
        assert getattr(event, role) == values[role], role


def _placed(message: Message) -> set[str]:
    """Return the roles that have a place in the record that `said_of` makes."""
    row = message.row
    return set((row.comments or row.names or "").split()) & set(row.roles)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("id_", [each for each in LOGGED if each.startswith("AMQ")])
def test_what_the_twin_writes_is_read_as_what_becomes_of_it(id_: str, form: FileFormat) -> None:
    """A record with the text and the inserts of a row gives the event of its id, with the names."""
    message = Message(id_, *(OF_ROLE.get(role, "7") for role in CATALOGUE[id_].roles))
    check(message, read_back(form, FORMS[form](said_of(message))))


@pytest.mark.parametrize("id_", [each for each in LOGGED if each.startswith("CSQ")])
def test_what_the_twin_writes_on_z_os_is_read_as_what_becomes_of_it(id_: str) -> None:
    """A line of a job log with the text of a row gives the event of its id, with the names."""
    message = Message(id_, *(OF_ROLE.get(role, "7") for role in CATALOGUE[id_].roles))
    line = f"2026-03-22T08:17:30.123Z {message.full_id} +QMA CSQXREPO {message.text}"
    check(message, read_back(FileFormat.ZOS_LOG, line))


def test_what_becomes_of_a_message_is_about_a_known_one() -> None:
    """Each id that becomes something has a row."""
    assert BECOMES.keys() | RESTARTS <= CATALOGUE.keys()


def test_the_rules_write_known_messages() -> None:
    """Each id in the rules has a row with a text."""
    assert sorted(id_ for id_ in in_rules() if not CATALOGUE[id_].text) == []


QMID: Final = OF_ROLE["qmid"]
_COMMAND: Final = events.RepositoryCommand(sender=QMID, cluster="CA", since=0)
READ_AS: Final[list[tuple[events.Event, list[tuple[type[events.Event], dict[str, Any]]]]]] = [
    (
        events.QueueManagerStarted(qmgr="QMA"),
        [(events.QueueManagerStatusObserved, {"status": "RUNNING", "restarted": None})],
    ),
    (
        events.QueueManagerEnded(qmgr="QMA"),
        [(events.QueueManagerStatusObserved, {"status": "ENDED"})],
    ),
    (
        events.QueueManagerEnded(qmgr="QMA", failed=True),
        [(events.EvidenceObserved, {"id": "AMQ9409"})],
    ),
    (
        events.RepositoryManagerFailed(
            qmgr="QMA", queue="ORD.IN", reason=2053, after=600_000_000, left=3_600_000_000
        ),
        [
            (events.EvidenceObserved, {"id": "AMQ9511"}),
            (events.RepositoryManagerObserved, {"running": False}),
        ],
    ),
    (
        events.RepositoryManagerRestarted(qmgr="QMA"),
        [(events.RepositoryManagerObserved, {"running": True})],
    ),
    (
        events.RepositoryRefreshed(
            qmgr="QMA", cluster="CA", repos="NO", dropped=(), refreshed=7, republished=2
        ),
        [(events.EvidenceObserved, {"id": "AMQ9442"})],
    ),
    (
        events.QueueManagerSuspended(qmgr="QMA", cluster="CA"),
        [(events.SuspensionObserved, {"cluster": "CA", "suspended": True})],
    ),
    (
        events.QueueManagerResumed(qmgr="QMA", cluster="CA"),
        [(events.SuspensionObserved, {"cluster": "CA", "suspended": False})],
    ),
    (
        events.MemberForceRemoved(qmgr="QMA", cluster="CA", member=QMID, queues=True, source="QMA"),
        [
            (events.EvidenceObserved, {"id": "AMQ9405", "inserts": (QMID, "CA")}),
            (events.EvidenceObserved, {"id": "AMQ9441", "inserts": ("CA", QMID)}),
        ],
    ),
    (
        events.RenewalOverdue(
            qmgr="QMA",
            cluster="CA",
            id="AMQ9469",
            owner=QMID,
            names=(("qmgr", "CA.QM2"),),
            days=13,
            left=50,
        ),
        [
            (
                events.RenewalOverdueObserved,
                {
                    "id": "AMQ9469",
                    "cluster": "CA",
                    "owner": QMID,
                    "name": "CA.QM2",
                    "days": 13,
                    "left": 50,
                },
            )
        ],
    ),
    (
        events.ErrorLogged(qmgr="QMA", id="AMQ9406", inserts=("QMA", "CA")),
        [(events.EvidenceObserved, {"id": "AMQ9406", "inserts": ("QMA", "CA")})],
    ),
    (
        events.ChannelStatusChanged(
            qmgr="QMA", channel="CA.QM2", status="RETRYING", partner="QM2", reason="AMQ9519"
        ),
        [(events.ChannelObserved, {"channel": "CA.QM2", "status": "RETRYING"})] * 2,
    ),
    (
        events.ReceivingEndEnded(qmgr="QMA", channel="CA.QMA", partner="QM2", reason=TIMED_OUT),
        [
            (events.EvidenceObserved, {"id": TIMED_OUT}),
            (events.ChannelObserved, {"channel": "CA.QMA", "status": "RETRYING"}),
        ],
    ),
    (
        events.ClusterCommandsPut(
            qmgr="QMA", channel="CA.QMA", queue="DLQ", command=_COMMAND, reason=2053
        ),
        [(events.EvidenceObserved, {"id": "AMQ9544", "inserts": ("CA.QMA",)})],
    ),
    (
        events.MessagesArrived(
            qmgr="QMA", sender="QM2", channel="CA.QMA", queue="DLQ", parcels=(), reason=2053
        ),
        [(events.EvidenceObserved, {"id": "AMQ9544", "inserts": ("CA.QMA",)})],
    ),
]


@pytest.mark.parametrize(("event", "expected"), READ_AS)
def test_what_an_event_writes_is_read_as_the_event_again(
    event: events.Event, expected: list[tuple[type[events.Event], dict[str, Any]]]
) -> None:
    """The records of each event are read as what was seen of it, or as evidence of it."""
    read = [
        read_back(FileFormat.JSON_LOG, json_line(said_of(message)))
        for message in messages_of(event)
    ]
    assert len(read) == len(expected)
    for found, (type_, values) in zip(read, expected, strict=True):
        assert isinstance(found, DatedFact)
        assert type(found.event) is type_
        assert {name: getattr(found.event, name) for name in values} == values


def test_every_event_that_writes_a_message_is_read_back() -> None:
    """There is a record of each type of event that writes to an error log."""
    assert {type(event) for event, _ in READ_AS} == WRITTEN_FOR.keys()
