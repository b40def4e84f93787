"""Queues, channels and subscriptions as objects of mqweb."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.web.mqweb.rest import Rest
from tests.web.serving import CSRF

QM1 = "/admin/qmgr/QM1"


def send(rest: Rest, method: str, path: str, body: Any = None) -> httpx.Response:
    """Send a request that changes a queue."""
    return rest.service.admin.request(
        method, f"/ibmmq/rest/v1{QM1}/queue{path}", json=body, headers=CSRF
    )


def paths(value: dict[str, Any], before: str = "") -> set[str]:
    """Return the paths of all properties of an object."""
    found: set[str] = set()
    for key, inner in value.items():
        path = f"{before}{key}"
        found |= paths(inner, f"{path}.") if isinstance(inner, dict) else {path}
    return found


def test_a_queue_is_named_with_its_type(shop: Rest) -> None:
    """Without attributes, a queue has its name and type, and others what they stand for."""
    assert shop.get(f"{QM1}/queue/DEV.QUEUE.1", "v1").json() == {
        "queue": [{"name": "DEV.QUEUE.1", "type": "local"}]
    }
    assert shop.get(f"{QM1}/queue", "v2", name="DEV.*", type="remote").json() == {
        "queue": [
            {
                "name": "DEV.REMOTE",
                "type": "remote",
                "remote": {
                    "queueName": "DEV.QUEUE.1",
                    "qmgrName": "QM2",
                    "transmissionQueueName": "QM2",
                },
            }
        ]
    }


def test_all_attributes_of_a_queue_are_those_of_mqweb(shop: Rest) -> None:
    """A local queue has the groups and properties that mqweb 9.2 was seen to answer."""
    (queue,) = shop.get(f"{QM1}/queue/DEV.QUEUE.1", "v1", attributes="*").json()["queue"]
    groups = {
        "applicationDefaults": "putResponse messagePriority messagePersistence clusterBind"
        " sharedInput readAhead messagePropertyControl",
        "cluster": "namelist name workloadQueueUse workloadPriority workloadRank"
        " transmissionQueueForChannelName",
        "dataCollection": "accounting monitoring statistics",
        "events.depth": "lowPercentage highPercentage lowEnabled fullEnabled highEnabled",
        "events.serviceInterval": "duration okEnabled highEnabled",
        "extended": "allowSharedInput enableMediaImageOperations backoutRequeueQueueName custom"
        " supportDistributionLists backoutThreshold",
        "general": "inhibitPut inhibitGet isTransmissionQueue description",
        "storage": "maximumDepth maximumMessageLength messageDeliverySequence"
        " nonPersistentMessageClass",
        "timestamps": "created altered",
        "trigger": "initiationQueueName depth data processName messagePriority type enabled",
    }
    expected = {f"{group}.{name}" for group, names in groups.items() for name in names.split()}
    assert paths(queue) == {"name", "type", *expected}
    assert queue["storage"]["maximumDepth"] == 5000
    assert queue["general"] == {
        "description": 'It\'s "one"',
        "inhibitGet": False,
        "inhibitPut": False,
        "isTransmissionQueue": False,
    }
    assert queue["events"]["depth"]["fullEnabled"] is True
    assert queue["timestamps"]["created"].endswith(".000Z")


def test_a_depth_is_in_the_status(shop: Rest) -> None:
    """A known depth is a number; what twin does not know is left out, and named."""
    (queue,) = shop.get(f"{QM1}/queue/DEV.QUEUE.1", "v1", status="*").json()["queue"]
    assert (queue["status"]["currentDepth"], queue["status"]["openInputCount"]) == (10, 0)
    assert "oldestMessageAge" not in queue["status"]
    assert queue["twin"]["notModelled"] == ["status.oldestMessageAge"]
    rows = shop.get(f"{QM1}/queue", "v1", filter="status.currentDepth:greaterThan:9").json()
    assert [each["name"] for each in rows["queue"]] == ["DEV.QUEUE.1"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("general.isTransmissionQueue:equalTo:true", ["QM2"]),
        ("general.description:equalTo:It's*", ["DEV.QUEUE.1"]),
        ("storage.maximumDepth:lessThan:0", []),
        ("remote.qmgrName:notEqualTo:QM2", []),
    ],
)
def test_a_filter_selects_objects(shop: Rest, text: str, names: list[str]) -> None:
    """A filter compares booleans, names that may be generic, and numbers."""
    queues = shop.get(f"{QM1}/queue", "v1", filter=text).json()["queue"]
    own = [each["name"] for each in queues if not each["name"].startswith("SYSTEM.")]
    assert own == names


@pytest.mark.parametrize(
    "params",
    [
        {"filter": "storage.maximumDepth:near:1"},
        {"filter": "nothing:equalTo:1"},
        {"attributes": "nothing"},
        {"status": "general"},
        {"type": "nothing"},
        {"nothing": "1"},
    ],
)
def test_an_unknown_parameter_is_refused(shop: Rest, params: dict[str, str]) -> None:
    """No query parameter is ignored."""
    assert shop.get(f"{QM1}/queue", "v1", **params).status_code == 400


def test_a_queue_is_defined_altered_and_deleted(rest: Rest) -> None:
    """POST answers 201 with the place, PATCH and DELETE 204; the objects are those of MQSC."""
    body = {
        "name": "a/b%",
        "storage": {"maximumDepth": 7},
        "general": {"inhibitPut": True, "description": "it's"},
        "events": {"serviceInterval": {"highEnabled": True, "okEnabled": False}},
        "trigger": {"enabled": True},
    }
    made = send(rest, "POST", "", body)
    assert (made.status_code, made.content) == (201, b"")
    place = made.headers["location"]
    assert place.endswith("/queue/a%2Fb%25")
    assert rest.service.reader.get(place).json() == {"queue": [{"name": "a/b%", "type": "local"}]}
    (shown,) = rest.shown("qlocal", "a/b%", None, ["maxdepth", "put", "qsvciev", "trigger"])
    assert (shown["maxdepth"], shown["put"], shown["qsvciev"]) == (7, "DISABLED", "HIGH")
    assert shown["trigger"] == "YES"
    assert send(rest, "PATCH", "/a%2Fb%25", {"trigger": {"enabled": False}}).status_code == 204
    assert rest.shown("qlocal", "a/b%", None, ["trigger"])[0]["notrigger"] == "YES"
    assert (
        send(rest, "POST", "?noReplace", {"name": "a/b%"}).json()["error"][0]["reasonCode"] == 4001
    )
    assert send(rest, "POST", "?like=a%2Fb%25", {"name": "copy"}).status_code == 201
    assert rest.shown("qlocal", "copy", None, ["maxdepth"])[0]["maxdepth"] == 7
    assert send(rest, "DELETE", "/a%2Fb%25?purge").status_code == 204
    gone = send(rest, "DELETE", "/a%2Fb%25")
    assert (gone.status_code, gone.json()["error"][0]["reasonCode"]) == (404, 2085)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": 7},
        {"name": "A", "type": "cluster"},
        {"name": "A", "type": ["local"]},
        {"name": "A", "nothing": 1},
        {"name": "A", "storage": {"maximumDepth": "many"}},
        {"name": "A", "storage": {"maximumDepth": None}},
        {"name": "A", "storage": 7},
        {"name": "A", "general": {"inhibitPut": "true"}},
        {"name": "A", "general": {"inhibitPut": 1}},
        {
            "name": "A",
            "events": {"serviceInterval": {"highEnabled": True, "okEnabled": True}},
        },
    ],
)
def test_what_is_no_queue_is_refused(rest: Rest, body: dict[str, Any]) -> None:
    """A body with other properties or values is refused, and nothing is recorded."""
    head = rest.service.head()
    answer = send(rest, "POST", "", body)
    assert (answer.status_code, [*answer.json()]) == (400, ["error"])
    assert rest.service.head() == head


def test_only_writers_change_queues(rest: Rest) -> None:
    """MQWebAdminRO gets 403."""
    answer = rest.post(f"{QM1}/queue", {"name": "A"}, client=rest.service.reader)
    assert answer.status_code == 403


def test_a_channel_has_a_group_named_by_its_type(shop: Rest) -> None:
    """The connection is a list of hosts; a channel without one has an empty list."""
    assert shop.get(f"{QM1}/channel/SYSTEM.DEF.SENDER", "v1").json() == {
        "channel": [
            {
                "sender": {"transmissionQueueName": "", "connection": []},
                "name": "SYSTEM.DEF.SENDER",
                "type": "sender",
            }
        ]
    }
    (channel,) = shop.get(f"{QM1}/channel", "v2", name="QM1.*").json()["channel"]
    assert channel["sender"]["connection"] == [{"host": "qm2", "port": 1414}, {"host": "other"}]


def test_only_message_channels_are_listed(shop: Rest) -> None:
    """Server connections are not listed as channels, as in mqweb."""
    listed = shop.get(f"{QM1}/channel", "v1").json()["channel"]
    assert {each["type"] for each in listed} == {
        *("sender", "server", "receiver", "requester", "clusterSender", "clusterReceiver")
    }
    assert shop.get(f"{QM1}/channel/DEV.APP", "v1").status_code == 404


def test_the_status_of_a_channel_has_its_state(rest: Rest) -> None:
    """A channel that runs or retries has one element in currentStatus."""
    assert rest.text("START CHANNEL(QM1.TO.QM2)").json()["overallCompletionCode"] == 0
    answer = rest.get(f"{QM1}/channel/QM1.TO.QM2", "v1", status="currentStatus.state")
    (channel,) = answer.json()["channel"]
    assert channel["currentStatus"] == [{"state": "retrying"}]


def test_a_subscription_has_its_topic_string(shop: Rest) -> None:
    """It has no id, and says so."""
    (found,) = shop.get(f"{QM1}/subscription/DEV.SUB", attributes="destination.name").json()[
        "subscription"
    ]
    assert found == {
        "name": "DEV.SUB",
        "resolvedTopicString": "a/b",
        "destination": {"name": "DEV.QUEUE.1"},
        "twin": {"notModelled": ["id"]},
    }
    assert shop.get(f"{QM1}/subscription/NONE").status_code == 404


def test_queue_managers_are_described_as_asked(shop: Rest) -> None:
    """State, status and attributes select; through a gateway the state is left out."""
    states = {each["name"]: each["state"] for each in shop.get("/admin/qmgr").json()["qmgr"]}
    assert (states["QM1"], states["QM2"]) == ("running", "ended")
    assert states["OBS1"] == "stateNotAvailable"
    ended = shop.get("/admin/qmgr", state="ended").json()["qmgr"]
    assert [each["name"] for each in ended] == ["QM2"]
    (one,) = shop.get("/admin/qmgr/QM1", status="*", attributes="*").json()["qmgr"]
    assert one["extended"]["isDefaultQmgr"] is False
    assert one["status"]["channelInitiatorState"] == "running"
    assert one["status"]["started"].endswith("Z")
    assert one["twin"]["notModelled"] == [
        "status.ldapConnectionState",
        "status.connectionCount",
    ]
    gateway = {"ibm-mq-rest-gateway-qmgr": "QM2"}
    reader, path = shop.service.reader, "/ibmmq/rest/v3/admin/qmgr/QM1"
    assert reader.get(path, headers=gateway).json() == {"qmgr": [{"name": "QM1"}]}
    unknown = {"ibm-mq-rest-gateway-qmgr": "NONE"}
    assert reader.get(path, headers=unknown).json()["error"][0]["msgId"] == "MQWB0009E"


def test_the_installation_has_the_highest_level(shop: Rest) -> None:
    """What twin does not know of it is named."""
    answer = shop.get("/admin/installation", attributes="extended.maximumCommandLevel")
    assert answer.json() == {
        "installation": [
            {
                "name": "Installation1",
                "platform": "unix",
                "version": "9.4.0.0",
                "extended": {"maximumCommandLevel": 940},
            }
        ]
    }
    assert shop.get("/admin/installation/Other").status_code == 404
