"""Messages of amqsevt turned into facts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.amqsevt.test_amqsevt import EPOCH, FLAT, QUEUE, TEXT, as_text, change, message
from twin import events
from twin.feeds.converters import CONVERTERS
from twin.feeds.converting.event_messages import NO_OBJECT, NO_QMGR
from twin.feeds.detect import FileFormat
from twin.feeds.observed import Converted, DatedFact, FeedSource, NotRecorded, PassedOver
from twin.model.instants import SECOND

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
AT = EPOCH * SECOND
SOURCE = FeedSource(file="events.json")


def converted(*messages: dict[str, Any], source: FeedSource = SOURCE) -> list[Converted]:
    """Convert messages in JSON."""
    text = "".join(json.dumps(each) + "\n" for each in messages)
    return list(CONVERTERS[FileFormat.AMQSEVT_JSON](text.splitlines(), source))


def facts(*messages: dict[str, Any]) -> list[DatedFact]:
    """Return the facts in messages."""
    return [each for each in converted(*messages) if isinstance(each, DatedFact)]


def event_of(*messages: dict[str, Any]) -> events.Event:
    """Return the event of the only fact, without its origin."""
    (fact,) = facts(*messages)
    assert isinstance(fact.event, events.Observation)
    return replace(fact.event, origin=None)


CHANNEL = {
    "queueMgrName": "HAMBURG",
    "channelName": "TO.BREMEN",
    "xmitQueueName": "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
    "connectionName": "10.0.0.2",
}


def test_a_channel_event_is_a_status_of_one_instance() -> None:
    """A start and a stop say a status; what says none is evidence for the channel."""
    assert event_of(message(46, 2282, CHANNEL)) == events.ChannelObserved(
        qmgr="HAMBURG", channel="TO.BREMEN", status="RUNNING", instance="10.0.0.2"
    )
    evidence = event_of(message(46, 2284, CHANNEL))
    assert isinstance(evidence, events.EvidenceObserved)
    assert (evidence.id, evidence.channel) == ("2284", "TO.BREMEN")


def test_messages_of_one_second_keep_their_order() -> None:
    """What was said last of a second is the state at its end."""
    stop = message(46, 2283, {**CHANNEL, "reasonQualifier": "Channel Stopped Ok"})
    found = facts(message(46, 2282, CHANNEL), stop, message(46, 2282, CHANNEL))
    assert [each.at for each in found] == [AT, AT + 1, AT + 2]
    assert len({each.identity for each in found}) == 3


LOCAL = {name: value for name, value in QUEUE.items() if name != "usage"}


def test_a_created_object_is_observed_whole() -> None:
    """A created, listed or changed object is what the event says; unknown members are reported."""
    for reason in (2367, 2370):
        rows = converted(message(43, reason, LOCAL))
        (fact,) = [each for each in rows if isinstance(each, DatedFact)]
        event = fact.event
        assert isinstance(event, events.ObjectsObserved)
        (said,) = event.said
        assert (event.qmgr, event.kind, said.act, said.name) == (
            *("HAMBURG", "QUEUE", "define"),
            "ORDERS",
        )
        assert said.values["CLUSTER"] == "HANSA"
        assert "MAXDEPTH" not in said.values
        problems = [each.text for each in rows if isinstance(each, NotRecorded)]
        assert problems == ["somethingNew"]


def test_of_a_change_the_second_half_counts() -> None:
    """The state before a change is passed over."""
    halves = [change("Before", "0a"), change("After", "0a")]
    for half in halves:
        del half["eventData"]["usage"]
    before, *_ = converted(*halves)
    assert before == PassedOver(1, "before change", "ORDERS")
    (after,) = facts(*halves)
    assert isinstance(after.event, events.ObjectsObserved)
    assert after.event.said[0].values["DESCR"] == "After"


def test_a_deleted_object_does_not_exist() -> None:
    """A deletion names one object."""
    event = event_of(message(43, 2369, QUEUE))
    assert isinstance(event, events.ObjectsObserved)
    assert event.said == (events.StatedObject(act="delete", name="ORDERS", type="QLOCAL"),)


def test_a_queue_manager_in_a_configuration_event_has_its_attributes() -> None:
    """Attributes that no command sets are left out, others than those in the event are kept."""
    data = {"objectType": "Queue Mgr", "queueMgrName": "HAMBURG", "repositoryName": "HANSA"}
    event = event_of(message(43, 2370, {**data, "eventQueueMgr": "HAMBURG", "commandLevel": 940}))
    assert isinstance(event, events.ObjectsObserved)
    (said,) = event.said
    assert (event.kind, said.act, said.name, dict(said.values)) == (
        *("QMGR", "alter", ""),
        {"REPOS": "HANSA"},
    )


def test_commands_about_clusters_were_asked_for() -> None:
    """What was asked may have failed; other commands are evidence."""
    context = {"eventUserId": "anna", "eventQueueMgr": "BREMEN"}
    data = {"commandData": {"clusterName": "HANSA"}}
    suspend = {**context, "command": "Suspend Queue Mgr Cluster"}
    assert event_of(message(99, 2413, {"commandContext": suspend, **data})) == (
        events.ClusterCommandObserved(
            qmgr="BREMEN", command="SUSPEND", cluster="HANSA", user="anna"
        )
    )
    clear = {**context, "command": "Clear Queue"}
    evidence = event_of(message(99, 2413, {"commandContext": clear, **data}))
    assert isinstance(evidence, events.EvidenceObserved)


def test_starts_and_depths_are_observed() -> None:
    """A queue manager that is active runs; a queue that is full had that depth."""
    active = message(44, 2222, {"queueMgrName": "HAMBURG"})
    assert event_of(active) == events.QueueManagerStatusObserved(qmgr="HAMBURG", status="RUNNING")
    full = message(
        45, 2053, {"queueMgrName": "HAMBURG", "baseObjectName": "Q", "highQueueDepth": 9}
    )
    assert event_of(full) == events.DepthsObserved(
        qmgr="HAMBURG", depths=(events.QueueDepth(queue="Q", highest=9),)
    )


INTERVAL = {
    "queueMgrName": "HAMBURG",
    "startDate": "2027-01-15",
    "startTime": "08.30.00",
    "endDate": "2027-01-15",
    "endTime": "09.00.00",
}


def test_statistics_are_counters_up_to_their_message() -> None:
    """An interval ends with its message; each part is a fact, and lists have numbered names."""
    parts = [
        {"channelName": "TO.A", "msgs": 5, "connectionName": "10.0.0.2"},
        {"channelName": "TO.B", "msgs": [1, 2]},
    ]
    one, two = facts(message(166, 0, {**INTERVAL, "chlStatisticsData": parts}))
    assert isinstance(one.event, events.IntervalCounted)
    assert isinstance(two.event, events.IntervalCounted)
    assert (one.at, one.event.begin) == (AT, AT - 1800 * SECOND)
    assert (one.event.kind, one.event.name, one.event.counters["msgs"]) == ("channel", "TO.A", 5)
    assert one.event.labels == {"connectionName": "10.0.0.2"}
    assert two.event.counters == {"msgs.1": 1, "msgs.2": 2}
    assert one.identity != two.identity


def test_an_object_whose_values_exclude_each_other_is_not_recorded() -> None:
    """No queue manager has a transmission queue in a cluster."""
    problem, *_ = converted(message(43, 2367, QUEUE))
    assert isinstance(problem, NotRecorded)
    assert problem.why == "a cluster queue cannot be a transmission queue"
    assert not facts(message(43, 2367, QUEUE))


def test_what_is_not_recorded_says_why() -> None:
    """An object of an unknown kind, and a message of no queue manager."""
    (problem,) = converted(message(43, 2367, {"objectType": "Cf Struc", "cfStrucName": "S"}))
    assert isinstance(problem, NotRecorded)
    assert problem.why == NO_OBJECT
    nobody = message(46, 2282, {"channelName": "A"})
    del nobody["eventSource"]["queueMgr"]
    (problem,) = converted(nobody)
    assert isinstance(problem, NotRecorded)
    assert problem.why == NO_QMGR


@given(FLAT)
def test_text_and_json_give_the_same_facts(data: list[dict[str, Any]]) -> None:
    """The two forms of one run differ in nothing but lines."""
    source = FeedSource(qmgr="QM")
    text = "".join(as_text(number, each, end="\n") for number, each in enumerate(data))
    messages = [message(46, 2282, each) for each in data]
    for each in messages:
        del each["eventSource"]["queueMgr"]
    assert list(CONVERTERS[FileFormat.AMQSEVT_TEXT](text.splitlines(), source)) == [
        *converted(*messages, source=source)
    ]


@given(
    st.dictionaries(
        st.sampled_from(["channelName", "queueName", "applName", "puts", "objectType"]),
        st.integers(-(10**30), 10**30) | st.text(max_size=8) | st.just("\ud800"),
    ),
    st.sampled_from([(43, 2367), (44, 2085), (46, 2282), (99, 2412), (164, 0), (7, 1)]),
)
def test_hostile_values_give_rows(data: dict[str, Any], codes: tuple[int, int]) -> None:
    """Whatever a message has, there is a row and no error."""
    assert converted(message(*codes, data))


@pytest.mark.parametrize("format_", [FileFormat.AMQSEVT_JSON, FileFormat.AMQSEVT_TEXT])
def test_passwords_are_masked(format_: FileFormat) -> None:
    """Neither an event nor its evidence has a password."""
    command = "ALTER QMGR SSLKEYP('hush') * https://me:hush@host/ LDAPPWD('hush')"
    data = {"commandMqsc": command, "ldapPassword": "hush", "clusterName": "A"}
    context = {"eventQueueMgr": "HAMBURG", "command": "Change Queue Mgr"}
    text = json.dumps(message(99, 2412, {"commandContext": context, "commandData": data}))
    if format_ is FileFormat.AMQSEVT_TEXT:
        text = TEXT.replace(
            "    Cluster Name               : HANSA",
            f"    Command MQSC               : {command}\n    LDAP Password              : hush",
        )
    rows = list(CONVERTERS[format_](text.splitlines(), SOURCE))
    assert any(isinstance(each, DatedFact) for each in rows)
    assert "hush" not in repr(rows)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize(
    ("path", "format_", "kinds"),
    [
        ("open/amqsevt/DataDog__Statistics_MQI.json", "amqsevt-json", ["IntervalCounted"]),
        (
            "reference/amqsevt/id66449337319__EVTCAP_full_events.json",
            "amqsevt-json",
            ["EvidenceObserved", "DepthsObserved"],
        ),
        (
            "reference/amqsevt/marktaylor_p401__queue_full_text_format.txt",
            "amqsevt-text",
            ["DepthsObserved"],
        ),
    ],
)
def test_public_messages_are_facts(path: str, format_: str, kinds: list[str]) -> None:
    """Each message of a public file is a fact, as its index counts them."""
    lines = (SAMPLES / path).read_text(encoding="utf-8").splitlines()
    rows = list(CONVERTERS[FileFormat(format_)](lines, SOURCE))
    assert [type(each.event).__name__ for each in rows if isinstance(each, DatedFact)] == kinds
    assert all(isinstance(each, DatedFact) for each in rows)
