"""Saved answers of mqweb are reproduced, where the public samples are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.web.mqweb.rest import Rest

SAMPLES: Final = Path(__file__).parents[4] / "shared" / "samples"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")


def shape(value: Any) -> Any:
    """Return the names and types in a document, without its values."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return type(value).__name__


def body_of(path: str) -> Any:
    """Return the last JSON document of a sample."""
    text = (SAMPLES / path).read_text(encoding="utf-8")
    start = text.index("\n{") if not text.startswith("{") else 0
    documents = text[start:].strip().split("\n{")
    *_, last = (each if each.startswith("{") else "{" + each for each in documents)
    return json.JSONDecoder().raw_decode(last)[0]


def test_answers_that_keda_reads_are_word_for_word_the_same(shop: Rest) -> None:
    """Found, not found, and an unknown queue manager."""
    found, missing, unknown = json.loads(
        (SAMPLES / "open" / "rest" / "keda__three_responses.json").read_text(encoding="utf-8")
    )
    answers = [
        shop.json("display", "qlocal", "DEV.QUEUE.1", response=["CURDEPTH"]),
        shop.json("display", "qlocal", "FAKE.QUEUE", response=["CURDEPTH"]),
        shop.json("display", "qlocal", "DEV.QUEUE.1", qmgr="testqmgR"),
    ]
    for answer, sample in zip(answers, (found, missing, unknown), strict=True):
        assert (answer.status_code, answer.json()) == (sample["status"], sample["body"])


@pytest.mark.parametrize(
    ("path", "resource", "params"),
    [
        ("open/rest/ibm-messaging__cp4i-mq-samples__12-rest-token_README.md__L438.txt", "", {}),
        ("reference/rest/mq-dotnet__v1_channel_sender.json", "/channel/SYSTEM.DEF.SENDER", {}),
        (
            "reference/rest/mq-dotnet__v1_queue_attributes_all.json",
            "/queue/DEV.QUEUE.1",
            {"attributes": "*"},
        ),
    ],
)
def test_objects_have_the_shape_of_saved_ones(
    shop: Rest, path: str, resource: str, params: dict[str, str]
) -> None:
    """The same properties in the same groups, with values of the same types."""
    answer = shop.get(f"/admin/qmgr/QM1{resource}", "v1", **params)
    assert shape(answer.json()) == shape(body_of(path))


def test_a_command_as_text_has_the_shape_of_a_saved_one(rest: Rest) -> None:
    """The request of the sample gets the answer of the sample."""
    (sample,) = SAMPLES.glob("reference/rest/*mq-dotnet*README.md__L206.txt")
    lines = sample.read_text(encoding="utf-8").split("\n")
    answer = rest.run(json.loads(lines[1]))
    expected = json.JSONDecoder().raw_decode("\n".join(lines[2:]))[0]
    assert (answer.status_code, answer.json()) == (200, expected)


def test_the_headers_of_a_put_are_those_of_a_saved_one(rest: Rest) -> None:
    """Every header of MQ that the sample has, the answer has."""
    text = (SAMPLES / "open" / "rest" / "cp4i__messaging_put_201_headers.txt").read_text("utf-8")
    status, *headers = text.strip().split("\n")
    answer = rest.service.admin.post(
        "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message",
        content="x",
        headers={"content-type": "text/plain;charset=utf-8", "ibm-mq-rest-csrf-token": "blank"},
    )
    assert str(answer.status_code) in status
    for header in headers:
        name, _, value = header.partition(": ")
        shown = answer.headers[name]
        assert (
            len(shown) == len(value)
            if name.startswith("ibm-") or name == "Date"
            else shown == value
        )
