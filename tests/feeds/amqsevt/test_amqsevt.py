"""Messages of amqsevt in JSON and in text."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.hostile import HOSTILE, reads, without_lines
from twin.feeds.amqsevt.events import IntervalCounters, MqEvent
from twin.feeds.amqsevt.meaning import (
    ChannelSaid,
    CommandSaid,
    DefinitionSaid,
    DepthSaid,
    LifecycleSaid,
    said,
)
from twin.feeds.amqsevt.names import plain_name, spelled
from twin.feeds.amqsevt.objects import mqsc_value
from twin.feeds.amqsevt.outputs import read_event_json, read_event_text
from twin.feeds.reading.not_understood import LONGEST, NotUnderstood
from twin.model.attributes import HIDDEN, TYPES, Value
from twin.model.instants import SECOND

EPOCH: Final = 1_800_000_000
STAMP: Final = "2027-01-15T08:00:00Z"
NAMES: Final = {43: "Config Event", 44: "Queue Mgr Event", 45: "Perfm Event", 46: "Channel Event"}


def message(type_: int, reason: int, data: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a message as `amqsevt -o json` decodes."""
    return {
        "eventSource": {
            "objectName": "SYSTEM.ADMIN.SOME.EVENT",
            "objectType": "Queue",
            "queueMgr": "HAMBURG",
        },
        "eventType": {"name": NAMES.get(type_, "Some Event"), "value": type_},
        "eventReason": {"name": "Some Reason", "value": reason},
        "eventCreation": {"timeStamp": STAMP, "epoch": EPOCH},
        **more,
        "eventData": data,
    }


def pretty(value: dict[str, Any]) -> str:
    """Write a message over several lines, with the spacing of amqsevt."""
    return json.dumps(value, indent=2, separators=(",", " : ")).replace("  ", " ") + "\n"


def one(value: dict[str, Any]) -> MqEvent:
    """Read one message."""
    (event,) = read_event_json([json.dumps(value)])
    assert isinstance(event, MqEvent)
    return event


def read(text: str) -> list[MqEvent | NotUnderstood]:
    """Read a text."""
    return list(read_event_json(text.splitlines(keepends=True)))


STARTED: Final = message(46, 2282, {"queueMgrName": "HAMBURG", "channelName": "TO.BREMEN"})
FULL: Final = message(45, 2053, {"queueMgrName": "HAMBURG", "baseObjectName": "ORDERS"})


@pytest.mark.parametrize(
    ("constant", "name"),
    [
        ("MQCA_Q_MGR_NAME", "queueMgrName"),
        ("MQCACH_XMIT_Q_NAME", "xmitQueueName"),
        ("MQCA_CLUSTER_Q_MGR_NAME", "clusterQueueMgrName"),
        ("MQCACF_EVENT_Q_MGR", "eventQueueMgr"),
        ("MQIA_CLWL_Q_RANK", "clwlQueueRank"),
        ("MQIACH_CLWL_CHANNEL_RANK", "clwlChannelRank"),
        ("MQIA_STATISTICS_Q", "statisticsQueue"),
        ("MQIA_DEF_BIND", "defBind"),
        ("MQIA_Q_SERVICE_INTERVAL", "queueServiceInterval"),
        ("MQXX_A_Q_B_Q_C", "aQueueBQC"),
        ("MQXX_A_Q_B_Q", "aQueueBQ"),
    ],
)
def test_a_constant_is_spelled_as_amqsevt_does(constant: str, name: str) -> None:
    """Only the first Q between underscores, or else a final one, becomes Queue."""
    assert spelled(constant) == name
    assert plain_name(constant) == name


def test_concatenated_objects_are_read_with_their_lines() -> None:
    """Objects that follow each other are no array; each knows where it starts and ends."""
    text = pretty(STARTED) + "\n" + pretty(FULL)
    lines = pretty(STARTED).count("\n")
    first, second = read(text)
    assert isinstance(first, MqEvent)
    assert isinstance(second, MqEvent)
    assert (first.line, first.last_line) == (1, lines)
    assert (second.line, second.last_line) == (lines + 2, text.count("\n"))
    assert (first.type, first.reason, first.at) == (46, 2282, EPOCH * SECOND)
    assert (first.qmgr, first.source) == ("HAMBURG", "SYSTEM.ADMIN.SOME.EVENT")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(STARTED) + "\n" + json.dumps(FULL),
        json.dumps([STARTED, FULL]),
        "[\n" + json.dumps(STARTED) + "\n," + json.dumps(FULL, indent=1) + "\n]\n",
        json.dumps(STARTED, separators=(",", ":")) + pretty(FULL),
        "\ufeff" + pretty(STARTED) + "\r\n\r\n" + pretty(FULL),
    ],
)
def test_every_layout_gives_the_same_events(text: str) -> None:
    """Compact objects, one a line or an array, are the same messages with the same digests."""
    expected = without_lines(read(pretty(STARTED) + pretty(FULL)))
    assert without_lines(read(text)) == expected


def test_the_sender_of_an_event_is_the_queue_manager_in_its_data() -> None:
    """Collected events name the collecting queue manager as their source."""
    assert one(message(46, 2282, {"queueMgrName": "KIEL", "channelName": "C"})).qmgr == "KIEL"
    assert one(message(43, 2367, {**QUEUE, "queueMgrName": "X"})).qmgr == "HAMBURG"
    assert one(message(46, 2282, {"channelName": "C"})).qmgr == "HAMBURG"


def test_raw_control_characters_in_strings_are_allowed() -> None:
    """Amqsevt escapes only quotes and backslashes."""
    raw = json.dumps(STARTED).replace("TO.BREMEN", "A\tB\x01C\nD")
    (event,) = read(raw)
    assert isinstance(event, MqEvent)
    assert event.data["channelName"] == "A\tB\x01C\nD"


def test_amqsevtg_gives_the_same_names() -> None:
    """Queue manager, names with Q and codes with their names are read as those of amqsevt."""
    value = message(46, 2282, {"qMgrName": "HAMBURG", "xmitQName": "X", "channelName": "C"})
    value["eventSource"]["queueManager"] = value["eventSource"].pop("queueMgr")
    value["eventCreation"]["timeStamp"] = "2027-01-15T08:00:00.25Z"
    value["eventData"]["reasonCode"] = {"name": "Not Authorized", "value": 2035}
    event = one(value)
    assert event.qmgr == "HAMBURG"
    assert event.at == EPOCH * SECOND + 250_000
    assert event.data["reasonCode"] == 2035
    assert event.data["queueMgrName"] == "HAMBURG"
    (channel,) = said(event)
    assert isinstance(channel, ChannelSaid)
    assert channel.xmitq == "X"


def test_constants_give_the_same_names() -> None:
    """The output of `amqsevt -d` has the names of constants."""
    event = one(message(46, 2282, {"MQCACH_CHANNEL_NAME": "C", "MQCACH_XMIT_Q_NAME": "X"}))
    assert event.data == {"channelName": "C", "xmitQueueName": "X"}


@pytest.mark.parametrize(
    ("reason", "qualifier", "status"),
    [
        (2282, "", "RUNNING"),
        (2283, "Channel Stopped Ok", "INACTIVE"),
        (2283, "Channel Stopped Error", "INACTIVE"),
        (2283, "Channel Stopped Retry", "RETRYING"),
        (2283, "Channel Stopped Disabled", "STOPPED"),
        (2283, "Unknown [44]", ""),
        (2279, "Channel Stopped Disabled", "STOPPED"),
        (2295, "", ""),
        (2296, "", ""),
        (2577, "Channel Blocked Noaccess", ""),
    ],
)
def test_a_channel_event_says_a_status(reason: int, qualifier: str, status: str) -> None:
    """Only starts and stops say which status follows."""
    data = {"channelName": "TO.BREMEN", "xmitQueueName": "X", "reasonQualifier": qualifier}
    (channel,) = said(one(message(46, reason, {**data, "channelType": "Clussdr"})))
    assert channel == ChannelSaid("TO.BREMEN", status, "X", "", "CLUSSDR", qualifier)


QUEUE: Final = {
    "eventUserId": "anna",
    "eventOrigin": "Console",
    "eventQueueMgr": "HAMBURG",
    "objectType": "Queue",
    "queueName": "ORDERS",
    "queueType": "Local",
    "clusterName": "HANSA",
    "defBind": "Bind Not Fixed",
    "inhibitPut": "Put Inhibited",
    "inhibitGet": "Get Allowed",
    "clwlQueueRank": 3,
    "clwlUseq": "Useq As Queue Mgr",
    "capExpiry": "-1",
    "maxQueueDepth": 5000,
    "usage": "Transmission",
    "shareability": "Not Shareable",
    "triggerControl": "Off",
    "defPersistence": "Not Persistent",
    "definitionType": "Predefined",
    "queueServiceIntervalEvent": "Exception",
    "queueDesc": "all orders",
    "somethingNew": 7,
}


def test_a_configuration_event_says_an_object_in_mqsc() -> None:
    """Title Case values become the words of MQSC; what is unknown is listed."""
    (definition,) = said(one(message(43, 2367, QUEUE)))
    assert isinstance(definition, DefinitionSaid)
    assert (definition.act, definition.user) == ("define", "anna")
    object_ = definition.object
    assert (object_.kind, object_.type, object_.name) == ("QUEUE", "QLOCAL", "ORDERS")
    assert object_.values == {
        "CLUSTER": "HANSA",
        "DEFBIND": "NOTFIXED",
        "PUT": "DISABLED",
        "GET": "ENABLED",
        "CLWLRANK": 3,
        "CLWLUSEQ": "QMGR",
        "CAPEXPRY": "NOLIMIT",
        "MAXDEPTH": 5000,
        "USAGE": "XMITQ",
        "SHARE": "NO",
        "TRIGGER": "NO",
        "DEFPSIST": "NO",
        "DEFTYPE": "PREDEFINED",
        "QSVCIEV": "OK",
        "DESCR": "all orders",
    }
    assert object_.unread == ("somethingNew",)


@pytest.mark.parametrize(
    ("data", "kind", "type_name", "values"),
    [
        (
            {
                "objectType": "Channel",
                "channelName": "TO.BREMEN",
                "channelType": "Clussdr",
                "xmitProtocolType": "TCP",
                "connectionName": "bremen(1414)",
                "dataConversion": "No Sender Conversion",
                "npmSpeed": "Fast",
                "keepAliveInterval": "Auto",
                "hdrCompression": ["None", "System"],
                "monitoringChannel": "Queue Mgr",
                "clwlChannelWeight": 50,
                "mcaType": "Thread",
                "password": "",
            },
            "CHANNEL",
            "CLUSSDR",
            {
                "TRPTYPE": "TCP",
                "CONNAME": "bremen(1414)",
                "CONVERT": "NO",
                "NPMSPEED": "FAST",
                "KAINT": "AUTO",
                "COMPHDR": ("NONE", "SYSTEM"),
                "MONCHL": "QMGR",
                "CLWLWGHT": 50,
                "MCATYPE": "THREAD",
                "PASSWORD": "",
            },
        ),
        (
            {
                "objectType": "Queue Mgr",
                "queueMgrName": "HAMBURG",
                "repositoryName": "HANSA",
                "queueMgrIdentifier": "HAMBURG_2027-01-01_00.00.00",
                "defClusterXmitQueueType": "Sctq",
                "startStopEvent": "Enabled",
                "maxPropertiesLength": "Unrestricted Length",
                "pubsubMode": "Enabled",
            },
            "QMGR",
            "QMGR",
            {
                "QMNAME": "HAMBURG",
                "REPOS": "HANSA",
                "QMID": "HAMBURG_2027-01-01_00.00.00",
                "DEFCLXQ": "SCTQ",
                "STRSTPEV": "ENABLED",
                "MAXPROPL": "NOLIMIT",
                "PSMODE": "ENABLED",
            },
        ),
        (
            {
                "objectType": "Auth Info",
                "authInfoName": "A",
                "authInfoType": "IDPW LDAP",
                "checkClientBinding": "Required Admin",
                "ldapSecureComm": "Anon",
                "ldapPassword": "hush",
            },
            "AUTHINFO",
            "AUTHINFO",
            {
                "AUTHTYPE": "IDPWLDAP",
                "CHCKCLNT": "REQDADM",
                "SECCOMM": "ANON",
                "LDAPPWD": HIDDEN,
            },
        ),
        (
            {"objectType": "Namelist", "namelistName": "N", "names": ["A", "B"], "nameCount": 2},
            "NAMELIST",
            "NAMELIST",
            {"NAMES": ("A", "B"), "NAMCOUNT": 2},
        ),
        (
            {
                "objectType": "MQOT_TOPIC",
                "topicName": "T",
                "inhibitPub": "MQTA_PUB_AS_PARENT",
                "clusterPubRoute": "Topic Host",
            },
            "TOPIC",
            "TOPIC",
            {"PUB": "ASPARENT", "CLROUTE": "TOPICHOST"},
        ),
    ],
)
def test_objects_of_every_kind_are_read(
    data: dict[str, Any], kind: str, type_name: str, values: dict[str, Any]
) -> None:
    """Channels, the queue manager, namelists and topics are read like queues."""
    (definition,) = said(one(message(43, 2370, data)))
    assert isinstance(definition, DefinitionSaid)
    assert (definition.object.kind, definition.object.type) == (kind, type_name)
    expected = {key: value for key, value in values.items() if key != "QMNAME"}
    assert definition.object.values == expected
    assert definition.object.unread == ()


@pytest.mark.parametrize(
    ("type_name", "keyword", "printed", "value"),
    [
        ("QLOCAL", "DEFBIND", "Bind On Group", "GROUP"),
        ("QLOCAL", "DEFBIND", "MQBND_BIND_ON_OPEN", "OPEN"),
        ("QLOCAL", "MONQ", "MQMON_Q_MGR", "QMGR"),
        ("QMGR", "ACTIVREC", "MQRECORDING_Q", "QUEUE"),
        ("CLUSSDR", "PASSWORD", HIDDEN, HIDDEN),
        ("QLOCAL", "DEFSOPT", "Input Shared", "SHARED"),
        ("QLOCAL", "NPMCLASS", "Class High", "HIGH"),
        ("QLOCAL", "MONQ", "Queue Mgr", "QMGR"),
        ("QLOCAL", "PROPCTL", "V6compat", "V6COMPAT"),
        ("QLOCAL", "DEFTYPE", "Permanent Dynamic", "PERMDYN"),
        ("QLOCAL", "CAPEXPRY", 100, 100),
        ("QLOCAL", "CAPEXPRY", "soon", None),
        ("QLOCAL", "PUT", "Unknown [7]", None),
        ("QLOCAL", "DESCR", "Get Inhibited ", "Get Inhibited"),
        ("QLOCAL", "DESCR", 12, "12"),
        ("QLOCAL", "DESCR", {"a": 1}, None),
        ("TOPIC", "PUB", "Pub As Parent", "ASPARENT"),
        ("TOPIC", "DEFPSIST", "Persistence As Parent", "ASPARENT"),
        ("TOPIC", "PMSGDLV", "All Dur", "ALLDUR"),
        ("RCVR", "PUTAUT", "Only Mca", "ONLYMCA"),
        ("RCVR", "MSGEXIT", "", ()),
        ("CLUSSDR", "COMPMSG", ["Zlibfast", "odd"], None),
        ("CLUSSDR", "CONNAME", ["a(1)", "b(2)"], "a(1),b(2)"),
        ("QMGR", "STATQ", "Not Available", "NONE"),
        ("QMGR", "ACCTCONO", "Off", "DISABLED"),
        ("QMGR", "CMDEV", "No Display", "NODISPLAY"),
        ("QMGR", "SUITEB", ["Suite B 128 Bit", "Suite B 192 Bit"], ("128_BIT", "192_BIT")),
        ("QMGR", "CERTVPOL", "Cert Val Policy Rfc5280", "RFC5280"),
        ("QMGR", "SCHINIT", "Control Queue Mgr", "QMGR"),
        ("QMGR", "PLATFORM", "Unix", "UNIX"),
        ("AUTHINFO", "AUTHTYPE", "IDPW LDAP", "IDPWLDAP"),
    ],
)
def test_printed_values_are_words_of_mqsc(
    type_name: str, keyword: str, printed: object, value: Value | None
) -> None:
    """A value ends with its word in MQSC, or is listed; others are not known."""
    assert mqsc_value(TYPES[type_name].by_keyword[keyword], printed) == value


def test_an_object_of_an_unknown_kind_is_not_read() -> None:
    """A kind that twin does not know gives no values."""
    (definition,) = said(one(message(43, 2367, {"objectType": "Cf Struc", "cfStrucName": "S"})))
    assert isinstance(definition, DefinitionSaid)
    assert (definition.object.kind, definition.object.values) == ("", {})
    assert definition.object.unread == ("cfStrucName", "objectType")


def change(state: str, correlation: str, name: str = "ORDERS") -> dict[str, Any]:
    """Return one half of a change."""
    data = {**QUEUE, "queueName": name, "queueDesc": state}
    return message(43, 2368, data, objectState=f"{state} Change", correlationID=correlation)


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("Suspend Queue Mgr Cluster", "SUSPEND"),
        ("Resume Q Mgr Cluster", "RESUME"),
        ("Refresh Cluster", "REFRESH"),
        ("Reset Cluster", "RESET"),
        ("Refresh Security", ""),
        ("Change Queue", ""),
        ("", ""),
    ],
)
def test_a_command_that_no_other_event_shows_is_asked(command: str, asked: str) -> None:
    """Commands about membership are recognised by their names."""
    context = {"eventUserId": "anna", "eventQueueMgr": "BREMEN", "command": command}
    data = {"commandContext": context, "commandData": {"clusterName": "HANSA"}}
    event = one(message(99, 2412, data))
    assert event.qmgr == "BREMEN"
    values = {"clusterName": "HANSA"}
    assert said(event) == (CommandSaid(command, asked, "HANSA", "", "anna", values),)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sslCryptoHardware", "GSK_PKCS11=/lib;label;hush;"),
        ("startArguments", "-u joe -p hush"),
        ("serviceDesc", "x?token=hush"),
        ("commandMqsc", "ALTER SERVICE(S) STOPARG('--secret hush')"),
    ],
)
def test_a_secret_alone_in_an_event_is_hidden(name: str, value: str) -> None:
    """Also where nothing else in the message looks like a secret."""
    written = json.dumps(message(99, 2412, {"commandData": {name: value}}))
    assert "hush" not in repr(read(written))
    assert "hush" not in repr(read(json.dumps(message(43, 2367, {name: value}))))


def test_passwords_are_hidden() -> None:
    """Passwords of attributes, commands and URLs are in no field, and not in what is shortened."""
    command = "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME(B) XMITQ(X) PASSWORD('hush')"
    data = {
        "commandContext": {"command": "Create Channel"},
        "commandData": {
            "commandMqsc": command,
            "ldapPassword": "hush",
            "sslKeyRepoPassword": "hush",
            "initialKey": "hush",
            "MQCACH_PASSWORD": ["hush"],
            "custom": "http://anna:hush@host/",
        },
    }
    event = one(message(99, 2412, data))
    assert "hush" not in repr(event)
    assert event.data["commandData"]["ldapPassword"] == HIDDEN
    torn = json.dumps(message(43, 2367, {"password": "hush"}))[:-3] + "}}}}"
    assert "hush" not in repr(read('{"eventData":{"password":"hush",}}' + torn))


def test_queue_managers_start_and_end() -> None:
    """Active and Not Active are the only events of a queue manager that say a state."""
    data = {"queueMgrName": "HAMBURG", "hostName": "h1", "reasonQualifier": "Queue Mgr Stopping"}
    assert said(one(message(44, 2222, data))) == (
        LifecycleSaid(running=True, host="h1", qualifier="Queue Mgr Stopping"),
    )
    assert said(one(message(44, 2223, data))) == (
        LifecycleSaid(running=False, host="h1", qualifier="Queue Mgr Stopping"),
    )
    assert said(one(message(44, 2035, data))) == ()


def test_performance_events_say_depths() -> None:
    """A negative number is a string."""
    data = {"baseObjectName": "Q", "highQueueDepth": 9, "msgEnqCount": "-1", "msgDeqCount": 2}
    assert said(one(message(45, 2224, data))) == (DepthSaid("Q", 9, -1, 2, 0),)
    assert said(one(message(45, 2226, data))) == ()


def test_statistics_are_counters_of_an_interval() -> None:
    """The numbers of the queue manager are counters between two local times."""
    data = {
        "queueMgrName": "HAMBURG",
        "startDate": "2027-01-15",
        "startTime": "08.30.00",
        "endDate": "2027-01-15",
        "endTime": "09.00.00",
        "commandLevel": 940,
        "conns": 4,
        "puts": [54, 2],
        "lowest": "-5",
    }
    (counters,) = said(one(message(164, 0, data)))
    assert counters == IntervalCounters(
        kind="qmgr",
        name="",
        begin=datetime(2027, 1, 15, 8, 30),  # noqa: DTZ001
        end=datetime(2027, 1, 15, 9, 0),  # noqa: DTZ001
        labels={},
        counters={"conns": 4, "puts": (54, 2), "lowest": -5},
    )


@pytest.mark.parametrize(
    ("type_", "list_", "name", "kind"),
    [
        (165, "queueStatisticsData", "queueName", "queue"),
        (165, "qStatisticsData", "qName", "queue"),
        (166, "chlStatisticsData", "channelName", "channel"),
        (168, "queueAccountingData", "queueName", "connection queue"),
    ],
)
def test_statistics_of_parts_are_one_record_each(
    type_: int, list_: str, name: str, kind: str
) -> None:
    """Each queue or channel has its own counters; the interval is that of the message."""
    parts = [{name: "A", "msgs": [3, 1]}, {name: "B", "msgs": 7, "connectionName": "h"}, "torn"]
    data = {"startDate": "2027-01-15", "startTime": "08.30.00", "endDate": "x", list_: parts}
    first, second = said(one(message(type_, 0, data)))
    assert isinstance(first, IntervalCounters)
    assert isinstance(second, IntervalCounters)
    assert (first.kind, first.name, first.counters) == (kind, "A", {"msgs": (3, 1)})
    assert (second.name, second.labels) == ("B", {"connectionName": "h"})
    assert first.begin == datetime(2027, 1, 15, 8, 30)  # noqa: DTZ001
    assert first.end is None


@pytest.mark.parametrize(
    ("change_", "why"),
    [
        ({"eventType": 46}, "has no eventType and eventReason with numbers"),
        ({"eventReason": {"value": True}}, "has no eventType and eventReason with numbers"),
        ({"eventCreation": {}}, "has no eventCreation with an instant"),
        ({"eventCreation": {"epoch": 10**15}}, "has no eventCreation with an instant"),
        ({"eventCreation": {"timeStamp": "soon"}}, "has no eventCreation with an instant"),
        ({"eventData": []}, "has eventData or eventSource that is not an object"),
    ],
)
def test_an_object_that_is_no_message_is_reported(change_: dict[str, Any], why: str) -> None:
    """The report has the line where the object starts."""
    text = "\n" + json.dumps({**STARTED, **change_}) + "\n"
    (problem,) = read(text)
    assert isinstance(problem, NotUnderstood)
    assert (problem.line, problem.why) == (2, why)


def test_a_torn_message_does_not_hide_the_next_one() -> None:
    """A message without its end, also in a string, is reported; the next one is read."""
    whole = pretty(STARTED)
    for length in range(3, len(whole) - 2):
        found = read(whole[:length] + "\n" + pretty(FULL))
        assert [each.reason for each in found if isinstance(each, MqEvent)] == [2053]
        assert len(found) <= 2


def test_text_between_messages_is_reported_once() -> None:
    """Several strange lines in a row give one report, amqsevt's lines about itself give none."""
    strange = "what is this\nand this\n"
    found = read(
        strange + pretty(STARTED) + "Press ENTER to end\n" + pretty(FULL) + "\n\n" + strange
    )
    assert [each.line for each in found if isinstance(each, NotUnderstood)] == [
        1,
        pretty(STARTED).count("\n") + pretty(FULL).count("\n") + 6,
    ]


def test_a_message_that_is_too_long_is_cut() -> None:
    """A message of more than 1 MiB is reported; those after it are read."""
    long = message(46, 2282, {"channelName": "C" * (2 * LONGEST)})
    found = read(json.dumps(long) + "\n" + json.dumps(STARTED) * 1000)
    assert isinstance(found[0], NotUnderstood)
    assert found[0].why == "is longer than 1 MiB"
    assert len(found) == 1001
    nearly = json.dumps(message(46, 2282, {"channelName": "C" * (LONGEST - 400)}))
    for length, why in ((0, ""), (400, "is longer than 1 MiB")):
        (event,) = read(nearly.replace("CCC", "CCC" + "C" * length, 1))
        assert getattr(event, "why", "") == why


TEXT: Final = """\
Sample AMQSEVT start

Using default set of event queues.

Press ENTER to end

**** Message #1 (236 Bytes) on Queue SYSTEM.ADMIN.CHANNEL.EVENT ****
Event Type                     : Channel Event [46]
Reason                         : Channel Stopped [2283]
Event created                  : 2027/01/15 08:00:00.25 GMT
  Queue Mgr Name               : HAMBURG
  Reason Qualifier             : Channel Stopped Retry
  Channel Name                 : TO.BREMEN
  Error Id                     : 0x20009202
  Aux Error Data Int 1         : -1
  Xmit Queue Name              : SYSTEM.CLUSTER.TRANSMIT.QUEUE

**** Message #2 (9 Bytes) on Topic $SYS/MQ/X Reason = 2079 ****
Event Type                     : Command Event [99]
Reason                         : Command MQSC [2412]
Event created                  : 2027/01/15 08:00:01.00 GMT
Correlation ID                 : 0A0B
  COMMAND CONTEXT
    Event User Id              : anna
    Event Queue Mgr            : HAMBURG
    Command                    : Suspend Queue Mgr Cluster
  COMMAND DATA
    Cluster Name               : HANSA
    Names                      : A
                               : B
                               : C
    Custom                     : one
two
    Reason Code                : Not Authorized [2035]

Sample AMQSEVT end
"""


def test_the_text_form_says_the_same() -> None:
    """Names, groups, lists and codes of the text form are those of the JSON form."""
    channel, command = read_event_text(TEXT.splitlines(keepends=True))
    assert isinstance(channel, MqEvent)
    assert isinstance(command, MqEvent)
    assert (channel.line, channel.last_line, channel.at) == (7, 16, EPOCH * SECOND + 250_000)
    assert said(channel) == (
        ChannelSaid(
            "TO.BREMEN",
            "RETRYING",
            "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
            "",
            "",
            "Channel Stopped Retry",
        ),
    )
    assert (command.source, command.correlation, command.qmgr) == ("$SYS/MQ/X", "0A0B", "HAMBURG")
    assert command.data["commandData"] == {
        "clusterName": "HANSA",
        "names": ["A", "B", "C"],
        "custom": "one\ntwo",
        "reasonCode": 2035,
    }
    (asked,) = said(command)
    assert isinstance(asked, CommandSaid)
    assert (asked.asked, asked.cluster) == ("SUSPEND", "HANSA")


def test_lists_of_groups_in_the_text_form_are_lists() -> None:
    """Each group of statistics is an element."""
    head = TEXT.splitlines()[6:10]
    head[1] = "Event Type                     : Statistics Queue [165]"
    body = ["  QUEUE STATISTICS DATA", "    Queue Name   : A", "    Puts   : 1", "           : 2"]
    body += ["  QUEUE STATISTICS DATA", "    Queue Name   : B", "    Puts   : 3", "  Last Of All :"]
    (event,) = read_event_text([*head, *body])
    assert isinstance(event, MqEvent)
    first, second = said(event)
    assert isinstance(first, IntervalCounters)
    assert isinstance(second, IntervalCounters)
    assert (first.name, first.counters) == ("A", {"puts": (1, 2)})
    assert (second.name, second.counters) == ("B", {"puts": 3})
    assert event.data["lastOfAll"] == ""


def test_what_the_text_form_does_not_say_is_reported() -> None:
    """A message without its type, and lines outside messages, are reported once each."""
    lines = TEXT.splitlines()
    broken = ["odd", "odd", *lines[6:8], *lines[9:12], "**** Message #x ****", *lines[6:15]]
    found = list(read_event_text(broken))
    assert [each.why for each in found if isinstance(each, NotUnderstood)] == [
        "is not part of a record",
        "has no eventType and eventReason with numbers",
        "is not the first line of a message",
    ]
    assert isinstance(found[-1], MqEvent)
    long = [*lines[6:15], *["x" * 4096] * 300, *lines[6:15]]
    whys = [getattr(each, "why", "") for each in read_event_text(long)]
    assert whys == ["is longer than 1 MiB", ""]
    created = [line.replace("2027/01/15", "tomorrow") for line in lines[6:15]]
    assert [getattr(each, "why", "") for each in read_event_text(created)] == [
        "has no eventCreation with an instant"
    ]


LABELS: Final = {"channelName": "Channel Name", "puts": "Puts", "errorId": "Error Id"}
WORDS: Final = st.text("abcXYZ.:()[]'{ ", min_size=1, max_size=9).map(str.strip)
FLAT: Final = st.lists(
    st.dictionaries(
        st.sampled_from(list(LABELS)), WORDS | st.integers(0, 10**12) | st.lists(WORDS, min_size=2)
    ),
    max_size=4,
)


def as_text(number: int, data: dict[str, Any], *, end: str) -> str:
    """Write a message as amqsevt writes it without `-o`."""
    lines = ["", f"**** Message #{number} (9 Bytes) on Queue SYSTEM.ADMIN.SOME.EVENT ****"]
    lines += [f"{'Event Type':31}: Channel Event [46]", f"{'Reason':31}: Some Reason [2282]"]
    lines += [f"{'Event created':31}: 2027/01/15 08:00:00.00 GMT"]
    for name, value in data.items():
        values = value if isinstance(value, list) else [value]
        labels = [LABELS[name], *[""] * (len(values) - 1)]
        lines += [f"  {label:29}: {each}" for label, each in zip(labels, values, strict=True)]
    return "".join(line + end for line in lines)


@given(FLAT, st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_text_and_json_of_one_run_have_equal_data(data: list[dict[str, Any]], end: str) -> None:
    """The two forms of a message have the same instant, numbers and values."""
    text = "".join(as_text(number, each, end=end) for number, each in enumerate(data))
    twins = [one(message(46, 2282, each)) for each in data]
    for lines in (text.splitlines(keepends=True), text.splitlines()):
        found = [each for each in read_event_text(lines) if isinstance(each, MqEvent)]
        assert [(each.at, each.type, each.reason, each.data) for each in found] == [
            (twin.at, twin.type, twin.reason, twin.data) for twin in twins
        ]
        assert [lines[each.line - 1].rstrip()[-4:] for each in found] == ["****"] * len(data)


MESSAGES: Final = st.lists(
    st.builds(
        message,
        st.sampled_from([43, 44, 45, 46, 99, 164, 7]),
        st.sampled_from([2282, 2283, 2367, 0]),
        st.dictionaries(
            st.sampled_from(["channelName", "qName", "puts", "objectType", "chlStatisticsData"]),
            st.recursive(
                st.integers(-5, 10**12) | st.text(max_size=8) | st.none() | st.booleans(),
                lambda inner: st.lists(inner, max_size=3),
                max_leaves=5,
            ),
        ),
    ),
    max_size=5,
)


@given(MESSAGES, st.sampled_from([0, 1, 4, "\t"]))
def test_layout_changes_nothing(messages: list[dict[str, Any]], indent: int | str) -> None:
    """Messages are the same with any layout."""
    expected = read("".join(json.dumps(each) + "\n" for each in messages))
    assert len(expected) == len(messages)
    laid_out = "".join(json.dumps(each, indent=indent) + "\n" for each in messages)
    assert without_lines(read(laid_out)) == without_lines(expected)
    for event in expected:
        assert isinstance(event, MqEvent)
        said(event)


@given(MESSAGES, MESSAGES)
def test_two_files_give_what_each_gives(
    first: list[dict[str, Any]], second: list[dict[str, Any]]
) -> None:
    """Joined files give the records of both."""
    texts = ["".join(map(pretty, messages)) for messages in (first, second)]
    joined = without_lines(read("".join(texts)))
    assert joined == without_lines(read(texts[0])) + without_lines(read(texts[1]))


@given(st.lists(st.sampled_from([*TEXT.splitlines(), *pretty(STARTED).splitlines(), "{", "x"])))
def test_no_order_of_lines_raises(lines: list[str]) -> None:
    """Any lines give records and reports, and no error."""
    for reader in (read_event_json, read_event_text):
        for found in reader(lines):
            if isinstance(found, MqEvent):
                said(found)


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_texts_are_survived(name: str) -> None:
    """No text raises, takes long, or gives more than a few reports."""
    for reader in (read_event_json, read_event_text):
        found = reads(reader, HOSTILE[name])
        assert all(isinstance(each, NotUnderstood) for each in found) or name == "colons"
        assert all(len(each.text) <= 80 for each in found if isinstance(each, NotUnderstood))
    good = [*HOSTILE[name], "\n", *pretty(STARTED).splitlines(keepends=True)]
    assert isinstance(reads(read_event_json, good)[-1], MqEvent)
