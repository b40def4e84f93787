"""Messages over REST: counts of them, with honest answers about their contents."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from tests.web.mqweb.rest import Rest
from tests.web.serving import CSRF

QUEUE = "/messaging/qmgr/QM1/queue"


def send(
    rest: Rest, method: str, path: str, *, version: str = "v2", **options: Any
) -> httpx.Response:
    """Send a request about messages, with text as its body."""
    headers = {**CSRF, "content-type": "text/plain;charset=utf-8", **options.pop("headers", {})}
    url = f"/ibmmq/rest/{version}{QUEUE}/{path}"
    client = options.pop("client", rest.service.user)
    answer = client.request(method, url, headers=headers, **options)
    assert isinstance(answer, httpx.Response)
    return answer


def depth(rest: Rest) -> int:
    """Return the depth of the queue."""
    (row,) = rest.shown("qlocal", "DEV.QUEUE.1", None, ["curdepth"])
    return int(row["curdepth"])


@pytest.mark.parametrize(("version", "prefix"), [("v1", ""), ("v2", ""), ("v3", "ID:")])
def test_a_post_puts_one_message(rest: Rest, version: str, prefix: str) -> None:
    """201 without a body, with a message identifier of its own each time."""
    answers = [
        send(rest, "POST", "DEV.QUEUE.1/message", version=version, content="x") for _ in range(2)
    ]
    for each in answers:
        assert (each.status_code, each.content) == (201, b"")
        assert each.headers["content-type"] == "text/plain; charset=utf-8"
        assert re.fullmatch(
            prefix + "414d5120514d31[0-9a-f]{34}", each.headers["ibm-mq-md-messageid"]
        )
    assert len({each.headers["ibm-mq-md-messageid"] for each in answers}) == 2
    assert depth(rest) == 12


def test_a_delete_takes_one_message(rest: Rest) -> None:
    """200 without a body while there are messages, then 204."""
    for left in range(9, -1, -1):
        answer = send(rest, "DELETE", "DEV.QUEUE.1/message?wait=100")
        assert (answer.status_code, answer.content) == (200, b"")
        assert depth(rest) == left
    assert send(rest, "DELETE", "DEV.QUEUE.1/message").status_code == 204


def test_contents_are_not_served(rest: Rest) -> None:
    """A browse of a message, and a get by identifier, are 501; a browse of an empty queue 204."""
    assert send(rest, "GET", "DEV.QUEUE.1/message").status_code == 501
    assert send(rest, "DELETE", "DEV.QUEUE.1/message?messageId=00").status_code == 501
    assert depth(rest) == 10
    assert send(rest, "GET", "SYSTEM.DEFAULT.LOCAL.QUEUE/message").status_code == 204


def test_the_list_has_one_element_for_each_message(rest: Rest) -> None:
    """Up to the limit; a queue with GET(DISABLED) has none."""
    listed = send(rest, "GET", "DEV.QUEUE.1/messagelist", params={"limit": "4"})
    messages = listed.json()["messages"]
    assert len(messages) == 4
    assert messages[0]["twin"]["persistence"] == "persistent"
    rest.text("ALTER QLOCAL(DEV.QUEUE.1) GET(DISABLED)")
    assert send(rest, "GET", "DEV.QUEUE.1/messagelist").json() == {"messages": []}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "NONE/message", {}, 404),
        ("GET", "NONE/message", {}, 404),
        ("DELETE", "NONE/message", {}, 404),
        ("POST", "DEV.QUEUE.1/message", {"content-type": "image/png"}, 415),
        ("POST", "DEV.QUEUE.1/message", {"ibm-mq-md-persistence": "yes"}, 400),
        ("POST", "DEV.QUEUE.1/message", {"twin-as-of": "-1h"}, 403),
        ("POST", "a b/message", {}, 400),
        ("DELETE", "DEV.QUEUE.1/message?wait=soon", {}, 400),
        ("GET", "DEV.QUEUE.1/messagelist?limit=0", {}, 400),
        ("GET", "DEV.QUEUE.1/messagelist?limit=99999999999999999999", {}, 400),
    ],
)
def test_a_bad_request_changes_nothing(
    rest: Rest, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    """Each kind of mistake has its status."""
    answer = send(rest, method, path, headers=headers)
    assert (answer.status_code, next(iter(answer.json()))) == (status, "error")
    assert depth(rest) == 10


def test_an_inhibited_queue_is_405(rest: Rest) -> None:
    """PUT(DISABLED) refuses a put, with its reason."""
    rest.text("ALTER QLOCAL(DEV.QUEUE.1) PUT(DISABLED)")
    answer = send(rest, "POST", "DEV.QUEUE.1/message", content="x")
    assert (answer.status_code, answer.json()["error"][0]["reasonCode"]) == (405, 2051)


def test_messages_need_their_role(rest: Rest) -> None:
    """MQWebAdminRO cannot put."""
    answer = send(rest, "POST", "DEV.QUEUE.1/message", client=rest.service.reader)
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "queue", ["OBS1/queue/Q", "QM1/queue/SYSTEM.CLUSTER.HISTORY.QUEUE"], ids=["imported", "system"]
)
def test_unknown_messages_are_not_served_as_none(shop: Rest, queue: str) -> None:
    """Where CURDEPTH is unknown, a list and a browse are 501, and the question has a note."""
    for resource in ("message", "messagelist"):
        answer = shop.get(f"/messaging/qmgr/{queue}/{resource}", "v2")
        assert answer.status_code == 501, answer.text
        assert "does not know the messages" in answer.json()["error"][0]["message"]
    qmgr, name = queue.split("/queue/")
    params = {"on": qmgr, "queue": name}
    asked = shop.service.reader.get("/twin/v1/ask/browse", params=params).json()
    assert asked["rows"] == []
    assert asked["notes"][0] == f"{qmgr}: whether messages are on {name} is not known, as CURDEPTH"
