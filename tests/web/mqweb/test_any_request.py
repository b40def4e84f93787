"""Any request to the REST interface gets an answer, and none is an unforeseen error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.mqweb.rest import Rest
from tests.web.serving import CSRF, copy_log, served
from twin.app.twin import Twin
from twin.model.attributes import KNOWN_KEYWORDS
from twin.mqsc.words import OBJECTS, VERBS

SCALARS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=60),
    st.sampled_from(["yes", "NO", "enabled", "*", "(''", "('x')", "DEV.QUEUE.1", "\x00", "\u2028"]),
)
JSON: Final = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
KEYWORDS: Final = st.sampled_from(sorted({*KNOWN_KEYWORDS, "WHERE", "REPLACE", "LIKE", "TYPE"}))
COMMANDS: Final = st.fixed_dictionaries(
    {
        "type": st.just("runCommandJSON"),
        "command": st.sampled_from([each.lower() for each in VERBS]),
        "qualifier": st.sampled_from(sorted(OBJECTS)),
    },
    optional={
        "name": st.sampled_from(["*", "DEV.*", "DEV.QUEUE.1", "New", "QM1.TO.QM2", ""]) | SCALARS,
        "parameters": st.dictionaries(
            KEYWORDS, SCALARS | st.lists(SCALARS, max_size=3), max_size=4
        ),
        "responseParameters": st.lists(KEYWORDS | st.just("all"), max_size=3),
    },
)
TEXTS: Final = st.builds(
    lambda words: {"type": "runCommand", "parameters": {"command": " ".join(words)}},
    st.lists(
        st.sampled_from(
            [*VERBS, *OBJECTS, "QLOCAL(A)", "QUEUE(*)", "ALL", "DESCR('", "')", "(", "\n", "+", ";"]
        )
        | KEYWORDS
        | st.text(max_size=20),
        max_size=6,
    ),
)
SEGMENTS: Final = st.sampled_from(
    [
        *("v1", "v3", "v9", "admin", "messaging", "action", "qmgr", "queue", "channel", "mqsc"),
        *("subscription", "installation", "message", "messagelist", "topic", "login"),
        *("QM1", "QM2", "OBS1", "DEV.QUEUE.1", "%2F", "%25", "%00", "%ff", "..", "", "*", "a%20b"),
    ]
)
QUERIES: Final = st.dictionaries(
    st.sampled_from(
        [
            *("attributes", "status", "filter", "name", "type", "limit", "wait", "state", "x"),
            *("twin-as-of", "twin-known-at", "twin-branch"),
        ]
    ),
    st.sampled_from(
        ["*", "general", "-1h", "+1d", "main", "9999999-01-01", "all", "local", "1", "-1", ""]
    )
    | st.text(max_size=12),
    max_size=3,
)


@pytest.fixture(scope="module")
def busy(
    shop_log: Path, users_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Rest]:
    """Serve one log to all examples, and check at the end that it is sound."""
    log = copy_log(shop_log, tmp_path_factory.mktemp("busy"))
    with served(log, users_file) as service:
        yield Rest(service)
        assert service.reader.get("/ibmmq/rest/v3/admin/qmgr").status_code == 200
    with Twin.open(f"sqlite:///{log}") as twin:
        twin.log.verify()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"\\ud800": 1}', "It has half of a pair of surrogates, which is no character."),
        (b'{"type": "\\udfff"}', "It has half of a pair of surrogates, which is no character."),
        (b"[" * 100_000, "It is nested too deeply."),
        (b'{"a": ' * 50_000, "It is nested too deeply."),
        (b'{"type": 1e999}', "Its type must be runCommand or runCommandJSON."),
        (b'{"type": NaN}', "NaN is not JSON."),
        (b'{"type": ' + b"9" * 10_000 + b"}", "It has a number with too many digits."),
        (b'{"a":\n "\xff"}', "It is not UTF-8 at byte 9."),
        (b'{"a":\n 1', "It is not JSON at line 2, column 3."),
        (b"", "It is not JSON at line 1, column 1."),
        (b"null", "It must be one JSON object."),
    ],
)
def test_what_is_no_json_is_refused(shop: Rest, body: bytes, why: str) -> None:
    """Bodies that are no JSON object, or no text, are refused with an error that says where."""
    path = "/ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc"
    answer = shop.service.admin.post(path, content=body, headers=CSRF)
    assert (answer.status_code, [*answer.json()]) == (400, ["error"])
    assert answer.json()["error"][0]["explanation"] == why


def check(answer: httpx.Response) -> None:
    """Check that an answer is one that mqweb could give."""
    assert answer.status_code != 500, answer.text
    if answer.status_code not in {200, 201, 204}:
        (error,) = answer.json()["error"]
        assert error["message"].startswith(error["msgId"])
        assert "\n" not in error["msgId"]


@given(command=COMMANDS | TEXTS)
def test_any_command_is_answered(busy: Rest, command: dict[str, Any]) -> None:
    """A command is carried out, or fails, or is refused; QM1 goes on answering."""
    answer = busy.run(command)
    check(answer)
    if answer.status_code == 200:
        elements = answer.json()["commandResponse"]
        assert elements
        failed = any(each["completionCode"] for each in elements)
        assert answer.json()["overallCompletionCode"] == (2 if failed else 0)


@given(body=JSON, path=st.sampled_from(["/admin/action/qmgr/QM1/mqsc", "/admin/qmgr/QM1/queue"]))
def test_any_body_is_answered(busy: Rest, body: Any, path: str) -> None:
    """A body of any shape is refused with an error document, unless it is right."""
    check(busy.post(path, body))


@given(
    method=st.sampled_from(["GET", "POST", "PATCH", "DELETE", "PUT"]),
    segments=st.lists(SEGMENTS, max_size=8),
    query=QUERIES,
    content=st.binary(max_size=30),
)
def test_any_path_is_answered(
    busy: Rest, method: str, segments: list[str], query: dict[str, str], content: bytes
) -> None:
    """A path, a query and a body of any kind get an answer in the form of mqweb."""
    url = "/ibmmq/rest/" + "/".join(segments)
    client = busy.service.admin
    request = client.build_request(method, url, params=query, content=content, headers=CSRF)
    if "/ibmmq/rest" in str(request.url):
        check(client.send(request))
