"""Saved answers of mqweb as captures: the same records as those of runmqsc."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.hostile import in_linear_time
from twin.feeds.captures.mqweb import read_mqweb
from twin.feeds.captures.records import Capture
from twin.feeds.reading.not_understood import LONGEST, NotUnderstood

URL: Final = "https://h:9443/ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc"
ASKED: Final = {
    "type": "runCommandJSON",
    "command": "display",
    "qualifier": "clusqmgr",
    "name": "*",
    "responseParameters": ["all"],
}
ROWS: Final = [
    {"clusqmgr": "FR1", "channel": "TO.FR1", "clwlwght": 50, "suspend": "NO", "xmitq": ""},
    {"clusqmgr": "QM1", "channel": "TO.QM1", "clwlwght": 50, "suspend": "NO", "xmitq": ""},
]


def answer(*rows: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with these rows."""
    return {
        "commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": row} for row in rows
        ],
        "overallReasonCode": 0,
        "overallCompletionCode": 0,
    }


def read(text: str) -> tuple[list[Capture], list[NotUnderstood]]:
    """Read a text; return the captures and what was not understood."""
    records = list(read_mqweb(StringIO(text)))
    captures = [record for record in records if isinstance(record, Capture)]
    return captures, [record for record in records if isinstance(record, NotUnderstood)]


def only(text: str) -> Capture:
    """Read a text of one capture in which everything is understood."""
    captures, left = read(text)
    assert not left
    (capture,) = captures
    return capture


def values(capture: Capture) -> list[dict[str, str]]:
    """Return the rows as plain dictionaries."""
    return [dict(row.values) for row in capture.rows]


def test_an_answer_with_its_request_is_a_capture() -> None:
    """URL and request tell queue manager and command; numbers become text."""
    text = f"{URL}\n{json.dumps(ASKED)}\n{json.dumps(answer(*ROWS), indent=1)}\n"
    capture = only(text)
    assert (capture.qmgr, capture.object, capture.name) == ("QM1", "CLUSQMGR", "*")
    assert (capture.asked, capture.complete) == (("ALL",), True)
    assert values(capture)[0] == {
        "CLUSQMGR": "FR1",
        "CHANNEL": "TO.FR1",
        "CLWLWGHT": "50",
        "SUSPEND": "NO",
        "XMITQ": "",
    }


def test_an_answer_alone_is_kept_as_incomplete() -> None:
    """Without a request nobody knows what was asked for; the rows tell the object."""
    capture = only(json.dumps(answer(*ROWS)))
    assert (capture.object, capture.lacking) == ("CLUSQMGR", ("the command is unknown",))


def test_values_are_written_as_display_writes_them() -> None:
    """Lists are joined, keywords alone are blank, secrets are masked."""
    row = {
        "queue": "Q",
        "share": "YES",
        "trigger": "NO",
        "names": ["A", "B"],
        "password": "geheim",
        "descr": "http://u:geheim@h/",
        "qtime": [1, 2],
    }
    (capture,), _ = read(json.dumps(answer(row)))
    found = values(capture)[0]
    assert "geheim" not in repr(capture)
    assert {key: found[key] for key in ("SHARE", "NOTRIGGER", "NAMES", "QTIME")} == {
        "SHARE": "",
        "NOTRIGGER": "",
        "NAMES": "A,B",
        "QTIME": "1,2",
    }


def test_handles_are_rows_with_the_keys_of_their_connection() -> None:
    """The objects inside a connection come after it."""
    inner = [{"objname": "Q", "objtype": "QUEUE"}]
    row = {"conn": "A1", "extconn": "41", "type": "*", "pid": 7, "objects": inner}
    assert values(only(json.dumps(answer(row)))) == [
        {"CONN": "A1", "EXTCONN": "41", "TYPE": "*", "PID": "7"},
        {"CONN": "A1", "EXTCONN": "41", "TYPE": "*", "OBJNAME": "Q", "OBJTYPE": "QUEUE"},
    ]


@pytest.mark.parametrize(
    ("element", "lacking"),
    [
        ({"reasonCode": 2085, "message": ["AMQ8147E: Object * not found."]}, ()),
        ({"reasonCode": 3065, "message": ["AMQ8420I: Not found."]}, ()),
        (
            {"reasonCode": 2035, "message": ["AMQ8135E: Not authorized."]},
            ("AMQ8135 was answered",),
        ),
        ({"reasonCode": 3008}, ("reason code 3008 was answered",)),
    ],
)
def test_failures_are_told_from_nothing_found(
    element: dict[str, Any], lacking: tuple[str, ...]
) -> None:
    """Not found is a complete capture of nothing."""
    body = {"commandResponse": [{"completionCode": 2, **element}], "overallCompletionCode": 2}
    capture = only(f"{json.dumps(ASKED)}\n{json.dumps(body)}\n")
    assert (capture.rows, capture.lacking, capture.complete) == ((), lacking, not lacking)


def test_errors_of_mqweb_answer_what_was_asked() -> None:
    """An unknown queue manager and an expired login are no rows, and not complete."""
    error = {"error": [{"msgId": "MQWB0009E", "message": "MQWB0009E: ..."}]}
    capture = only(f"{URL}\n{json.dumps(ASKED)}\n{json.dumps(error)}\n")
    assert (capture.messages, capture.complete, capture.qmgr) == (("MQWB0009",), False, "QM1")


@pytest.mark.parametrize(
    "text",
    [
        ["AMQ8409I: Display Queue details.   QUEUE(A)   TYPE(QLOCAL)   DESCR(a b)   SHARE"],
        [
            "CSQN205I   COUNT=       3, RETURN=00000000, REASON=00000000",
            "CSQM401I MQ22 QUEUE(A   ) TYPE(QLOCAL  ) DESCR(a b ) SHARE",
            "CSQ9022I MQ22 CSQMDRTS ' DISPLAY QUEUE' NORMAL COMPLETION",
        ],
    ],
)
def test_text_of_run_command_is_read_as_runmqsc_prints_it(text: list[str]) -> None:
    """Both platforms give the same row."""
    asked = {"type": "runCommand", "parameters": {"command": "DIS QUEUE(*) ALL"}}
    body = {"commandResponse": [{"completionCode": 0, "text": text}], "overallCompletionCode": 0}
    capture = only(f"{URL}\n{json.dumps(asked)}\n{json.dumps(body)}\n")
    assert values(capture) == [{"QUEUE": "A", "TYPE": "QLOCAL", "DESCR": "a b", "SHARE": ""}]
    assert (capture.qmgr, capture.command, capture.complete) == ("QM1", "DIS QUEUE(*) ALL", True)


def test_resources_have_keywords_where_there_are_some() -> None:
    """Other properties keep their names; the URL tells for what the answer is complete."""
    queue = {
        "name": "Q",
        "type": "alias",
        "general": {"inhibitPut": True},
        "cluster": {"name": "C1"},
        "alias": {"targetName": "T"},
        "timestamps": {"altered": "2026-01-01T00:00:00.000Z"},
    }
    channel = {
        "name": "C",
        "type": "clusterSender",
        "clusterSender": {"connection": [{"host": "h", "port": 1414}]},
    }
    url = "https://h:9443/ibmmq/rest/v1/admin/qmgr/QM1"
    text = f"GET {url}/queue\n{json.dumps({'queue': [queue]})}\n"
    text += f"GET {url}/channel?type=all\n{json.dumps({'channel': [channel]})}\n"
    text += (
        'GET https://h/ibmmq/rest/v3/admin/qmgr\n{"qmgr": [{"name": "A", "state": "running"}]}\n'
    )
    captures, left = read(text)
    assert not left
    assert [(each.verb, each.object, each.qmgr, each.complete) for each in captures] == [
        ("GET", "QUEUE", "QM1", True),
        ("GET", "CHANNEL", "QM1", False),
        ("GET", "QMGR", "", True),
    ]
    assert [values(each) for each in captures] == [
        [
            {
                "QUEUE": "Q",
                "TYPE": "QALIAS",
                "PUT": "DISABLED",
                "CLUSTER": "C1",
                "TARGET": "T",
                "timestamps.altered": "2026-01-01T00:00:00.000Z",
            }
        ],
        [{"CHANNEL": "C", "CHLTYPE": "CLUSSDR", "CONNAME": "h(1414)"}],
        [{"QMNAME": "A", "state": "running"}],
    ]


def test_the_http_date_is_the_instant_of_the_answer() -> None:
    """Headers stand before an answer, or after it in a trace; a list may carry its own instants."""
    date = "Date: Thu, 01 Jan 2026 00:00:01 GMT\n"
    body = json.dumps(answer(*ROWS))
    assert only(f"HTTP/1.1 200 OK\n{date}\n{body}\n").claimed == 1_767_225_601_000_000
    trace = f"{body}\nStatusCode: 200, Headers:\n{{\n  {date}  Content-Length: 1\n}}\n"
    assert only(trace).claimed == 1_767_225_601_000_000
    polled = [{"url": URL, "at": "2026-01-01T00:00:01Z", "request": ASKED, "body": answer(*ROWS)}]
    capture = only(json.dumps(polled))
    assert (capture.claimed, capture.qmgr, capture.complete) == (1_767_225_601_000_000, "QM1", True)


@given(
    indent=st.sampled_from([None, 0, 1, 4]),
    rows=st.lists(
        st.dictionaries(
            st.sampled_from(["queue", "descr", "curdepth", "names"]),
            st.one_of(st.text(max_size=20), st.integers(), st.lists(st.text(max_size=5))),
            min_size=1,
        ),
        max_size=4,
    ),
)
def test_the_layout_of_json_changes_nothing(indent: int | None, rows: list[dict[str, Any]]) -> None:
    """Wherever a document is broken into lines, the records are the same."""
    body = answer(*rows)
    plain = only(json.dumps(body))
    text = json.dumps(body, indent=indent, ensure_ascii=False)
    assert only(text).digest == plain.digest
    doubled = read(text + "\n" + text)[0]
    assert [each.digest for each in doubled] == [plain.digest] * 2


def test_long_answers_go_on_in_further_records() -> None:
    """An answer of one line is read element by element."""
    body = answer(*({"queue": f"Q{at}", "descr": "x" * 200} for at in range(10_000)))
    captures, left = read(f"{json.dumps(ASKED)}\n{json.dumps(body)}")
    assert not left
    assert len(captures) > 1
    assert [each.more for each in captures] == [True] * (len(captures) - 1) + [False]
    assert sum(len(each.rows) for each in captures) == 10_000
    assert captures[-1].complete


HOSTILE: Final = {
    "deep": "[" * 200_000,
    "deep objects": '{"a":' * 100_000,
    "deep in an element": '{"commandResponse":[' + '{"parameters":' * 50_000,
    "a string without end": '{"commandResponse":["' + '\\"' * 500_000,
    "strings without end": '{"a":"\n' * 10_000,
    "a long string": '{"commandResponse":[{"parameters":{"a":"' + "x" * 3 * LONGEST + '"}}]}',
    "a long document": '{"a":[' + "1," * LONGEST + "1]}\n" + json.dumps(answer(*ROWS)),
    "other types": '{"commandResponse":[1,null,[],{"parameters":3,"message":4,"text":{}}],'
    '"overallCompletionCode":"x"}\n{"error":3}\n{"error":[1]}\n{"queue":{}}\n[1]\n',
    "closing brackets": "}]" * 100_000,
    "nul": '{"commandResponse":[{"parameters":{"a":"\\u0000\\ud800"}}]}',
    "big numbers": '{"commandResponse":[{"parameters":{"a":' + "9" * 100_000 + "}}]}",
    "torn": json.dumps(answer(*ROWS)).partition("}}")[0] + "}}\n" + json.dumps(answer(*ROWS)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_is_read_in_bounded_time(name: str) -> None:
    """No text raises or takes long; what cannot be read is reported."""
    with in_linear_time():
        captures, left = read(HOSTILE[name])
    assert captures or left
    assert all(len(each.text) <= 80 for each in left)


def test_a_torn_answer_does_not_spoil_the_next() -> None:
    """The first lacks its end, the second is whole."""
    captures, left = read(HOSTILE["torn"])
    assert [each.why for each in left] == ["a document has no end"]
    assert [len(each.rows) for each in captures] == [1, 2]
    assert "a part of it cannot be read" in captures[0].lacking


@given(st.text(st.sampled_from('{}[]",:\\ \n01truecommandResponse\0'), max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Nothing raises, whatever is pasted."""
    for start in ("", '{"commandResponse":[{"parameters":'):
        assert read(start + text) is not None
