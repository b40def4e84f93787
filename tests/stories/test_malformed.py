"""Malformed stories: each is one line with file, line and key."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stories.reading import HEAD, only, refused
from twin.stories.checking import EXPECTATIONS
from twin.stories.errors import StoryError
from twin.stories.read import STORY_KEYS, read
from twin.stories.verbs import VERBS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "s.yaml:1: story: the file contains no story"),
        ("just text", "s.yaml:1: expected a mapping, not 'just text'"),
        ("- a", "s.yaml:1: expected a mapping, not a list"),
        ("story: a", "s.yaml:1: steps is missing"),
        ("steps: [ask: members]", "s.yaml:1: story is missing"),
        ("story:\nsteps: [ask: members]", "s.yaml:1: story: expected a text, not nothing"),
        ("story: a\nsteps:", "s.yaml:2: steps: expected a list, not nothing"),
        ("story: a\nsteps: []", "s.yaml:2: steps: expected at least one step"),
        ("story: a\nsteps: [{}]", "s.yaml:2: steps: this step is empty"),
        ("story: a\nsteps:\n  - ask", "s.yaml:3: steps: expected a mapping, not 'ask'"),
        ("story: a\nstart: soon\nsteps: [at: +1d]", "s.yaml:2: start: invalid time 'soon'"),
        ("story: a\nstart: +1d\nsteps: [at: +1d]", "s.yaml:2: start: expected an instant such as"),
        (
            "story: a\nqueue_managers: {}\nsteps: [at: +1d]",
            "s.yaml:2: queue_managers: unknown key; did you mean queue managers?",
        ),
        ("story: a\nlatency: 5s\nsteps: [at: +1d]", "s.yaml:2: latency: only a story with queue"),
        ("story: a\nxyz: 5s\nsteps: [at: +1d]", "s.yaml:2: xyz: unknown key; expected one of"),
        (
            "story: a\nqueue managers: 'Q 1'\nsteps: [at: +1d]",
            "s.yaml:2: queue managers: invalid",
        ),
        (
            "story: a\nqueue managers: [Q]\nsteps: [at: +1d]",
            "s.yaml:2: queue managers: expected",
        ),
        (
            "story: a\nqueue managers:\n  'Q?': ''\nsteps: [at: +1d]",
            "s.yaml:3: Q?: invalid name 'Q?'",
        ),
        (
            "story: a\nqueue managers:\n  Q: {cmdlevel: 12}\nsteps: [at: +1d]",
            "s.yaml:3: cmdlevel: unknown command level 12; expected 700 to 1099",
        ),
        (
            "story: a\nqueue managers:\n  Q: {platform: TPF}\nsteps: [at: +1d]",
            "s.yaml:3: platform: unknown value 'TPF'; expected one of UNIX, ",
        ),
        (
            "story: a\nqueue managers:\n  Q: {ini: 'AutoCluster:'}\nsteps: [at: +1d]",
            "s.yaml:3: ini: AutoCluster: Type must be Uniform, not missing",
        ),
        (
            "story: a\nqueue managers:\n  Q: {level: 12}\nsteps: [at: +1d]",
            "s.yaml:3: level: unknown key; did you mean cmdlevel?",
        ),
        (
            "story: a\nqueue managers:\n  Q: [a]\nsteps: [at: +1d]",
            "s.yaml:3: Q: expected a text",
        ),
    ],
)
def test_a_malformed_story_is_one_line(text: str, said: str) -> None:
    """The error of a malformed story has file, line and key, then the problem."""
    assert refused(text).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{at: now}", "at: invalid time 'now'; write ISO 8601"),
        ("{at: -1d}", "at: -1d lies before the start of the story"),
        ("{at: +999999999999w}", "at: '+999999999999w' is not a time"),
        ("{runmqsc: DISPLAY QMGR}", "runmqsc: on is missing: name the queue manager"),
        ("{on: QM1}", "on: the verb is missing"),
        ("{on: QM1, runmqsc: }", "runmqsc: expected a text, not nothing"),
        ("{on: QM1, runmqsc: [a]}", "runmqsc: expected a text, not a list"),
        (
            "{on: QM1, runmqsc: A, open: B}",
            "open: a step has one verb; this one already has runmqsc",
        ),
        ("{on: QM9, runmqsc: A}", "on: the story has no queue manager QM9"),
        ("{on: QM1, runmqsc: A, with: {}}", "with: unknown key"),
        ("{on: QM1, endmqm: QM1}", "on: unknown key"),
        ("{endmqm: QM9}", "endmqm: the story has no queue manager QM9"),
        ("{endmqm: []}", "endmqm: this list is empty"),
        ("{endmqm: {QM1: a}}", "endmqm: expected a text, not a mapping"),
        ("{cut: QM1}", "cut: expected a list, not 'QM1'"),
        ("{cut: [QM1]}", "cut: write the names of two queue managers: [QM1, QM2]"),
        ("{cut: [QM1, QM1]}", "cut: write the names of two queue managers"),
        ("{cut: [QM1, QM9]}", "cut: the story has no queue manager QM9"),
        ("{delay: soon}", "delay: invalid duration 'soon'; write 500ms, 5s"),
        ("{delay: 5}", "delay: invalid duration '5'"),
        ("{delay: {between: [QM1, QM2]}}", "delay: latency is missing"),
        ("{restore: {QM2: +1d}}", "restore: a backup cannot be of a later instant"),
        ("{restore: {QM9: +0s}}", "restore: the story has no queue manager QM9"),
        ("{restore: QM2}", "restore: expected a mapping, not 'QM2'"),
        ("{restore: {}}", "restore: name a queue manager"),
        ("{crtmqm: }", "crtmqm: name a queue manager"),
        ("{ask: weather}", "ask: unknown question 'weather'; expected one of access, agenda, "),
        ("{ask: members, with: {on: QM1}}", "on: unknown key; expected one of basis, cluster"),
        ("{ask: members, with: {since: +1d}}", "since: unknown key"),
        ("{ask: members, on: QM1}", "on: unknown key"),
        ("{ask: members, as_of: noon}", "as_of: invalid time 'noon'"),
        ("{on: QM1, open: {bind: open}}", "open: queue is missing"),
        (
            "{on: QM1, open: {queue: A, bind: loosely}}",
            "bind: unknown value 'loosely'; expected",
        ),
        ("{on: QM1, open: {on: QM2, queue: A}}", "on: the queue manager is named twice"),
        ("{on: QM1, open: {queue: A, put1: true}}", "put1: unknown key"),
        ("{on: QM1, put: {count: 5}}", "put: write one of queue and handle"),
        ("{on: QM1, put: {queue: A, handle: h}}", "put: write one of queue and handle"),
        ("{on: QM1, put: {queue: A, count: 0}}", "count: this must be 1 or more"),
        ("{on: QM1, put: {queue: A, count: -1}}", "count: this must be 1 or more"),
        (
            "{on: QM1, put: {queue: A, count: 1000000000}}",
            "count: this must be 999,999,999 or less",
        ),
        ("{on: QM1, put: {queue: A, put1: 'yes'}}", "put1: expected true or false, not 'yes'"),
        ("{put: {queue: A}}", "put: on is missing"),
        (
            "{observe: {on: QM1, channel: C, status: DEAD}}",
            "status: unknown value 'DEAD'; ",
        ),
        ("{on: QM1, put: {handle: h, bind: open}}", "put: bind belongs to the open of the handle"),
        (
            "{put: {handle: h, to: QM1}}",
            "put: to belongs to the open of the handle, not to",
        ),
        ("{put: {handle: h, put1: true}}", "put: put1 belongs to the open of the handle"),
        ("{explain: {handle: h, bind: open}}", "explain: bind belongs to the open of the handle"),
        ("{on: QM1, put: 'A*'}", "put: expected a mapping, not 'A*'"),
        (
            "{on: QM1, put: {queue: 'A*'}}",
            "queue: invalid name 'A*'; expected 1 to 48 characters",
        ),
        (f"{{on: QM1, get: {'A' * 49}}}", f"get: invalid name '{'A' * 49}'"),
        ("{on: QM1, open: 'A B'}", "open: invalid name 'A B'"),
        ("{observe: {on: QM1, channel: C}}", "observe: nothing is observed; write status, indoubt"),
        ("{observe: {on: QM1, channel: C, curmsgs: 5}}", "observe: nothing is observed"),
        (
            "{hold: {on: QM1, channel: A.CHANNEL.OF.21.CHARS}}",
            "channel: invalid channel name 'A.",
        ),
        (
            "{runswchl: {on: QM1, channel: 'C*A'}}",
            "channel: invalid channel name 'C*A'",
        ),
        ("{hold: {on: QM1}}", "hold: channel is missing"),
        ("{close: }", "close: expected a text, not nothing"),
    ],
)
def test_a_malformed_step_is_one_line(text: str, said: str) -> None:
    """The error of a malformed step has the key that does not fit, and its line."""
    assert refused(f"{HEAD}  - {text}\n").startswith(f"s.yaml:4: {said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expect: expected a mapping, not nothing"),
        ("{}", "expect: this is empty; name an expectation"),
        ("{row: []}", "row: unknown key; did you mean rows?"),
        ("{reason: 2085}", "reason: unknown expectation of runmqsc; expected one of absent, "),
        ("{to: {QM1: 5}}", "to: unknown expectation of runmqsc"),
        ("{rows: {a: 1}}", "rows: expected a list, not a mapping"),
        ("{rows: [a]}", "rows: expected a mapping, not 'a'"),
        ("{rows: [{}]}", "rows: an empty row matches anything; name a key"),
        ("{rows: [{A: 1}]}", "A: the keys of rows are lower case: a"),
        ("{rows: [{a: {b: 1}}]}", "a: expected a value or a list of values, not a mapping"),
        ("{rows: [{a: [[1]]}]}", "a: expected a single value, not a list"),
        ("{exact: true}", "exact: write this together with rows or errors"),
        ("{rows: [], exact: 1}", "exact: expected true or false, not '1'"),
        ("{count: -1}", "count: this must be 0 or more"),
        ("{count: many}", "count: expected a whole number, not 'many'"),
        ("{messages: {}}", "messages: expected a text, not a mapping"),
    ],
)
def test_a_malformed_expectation_is_one_line(text: str, said: str) -> None:
    """The error of an invalid expectation has its key and line."""
    lines = f"  - on: QM1\n    runmqsc: DISPLAY QMGR\n    expect: {text}\n"
    assert refused(HEAD + lines).startswith(f"s.yaml:6: {said}")


_WORDS = [
    *VERBS,
    *EXPECTATIONS,
    *STORY_KEYS,
    "at",
    "on",
    "expect",
    "with",
    "as_of",
    "queue",
    "latency",
]
_VALUES = ["QM1", "+1d", "5s", "open", "ORD", "beliefs", "", 1, 0, True, None, "AMQ8005I", "2026"]
_ANY = st.recursive(
    st.sampled_from(_VALUES),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS), inner, max_size=4)
    ),
    max_leaves=8,
)
_STEPS = st.dictionaries(st.sampled_from(_WORDS), _ANY, max_size=4)


@given(st.lists(_STEPS, min_size=1, max_size=3), st.dictionaries(st.sampled_from(STORY_KEYS), _ANY))
def test_whatever_is_written_is_a_story_or_one_line(steps: list[Any], more: dict[str, Any]) -> None:
    """Any combination of known keys and values is a story or one error line."""
    written = {"story": "a", "queue managers": {"QM1": ""}, "steps": steps, **more}
    try:
        read(json.dumps(written), file="s.yaml")
    except StoryError as error:
        assert re.fullmatch(r"s\.yaml:1: .+", str(error))  # noqa: PT017 - most are none


def test_time_never_goes_back() -> None:
    """A step before its previous step is malformed, also if one of the times is absolute."""
    said = refused(f"{HEAD}  - at: +2d\n  - at: 2026-01-02\n")
    assert said == "s.yaml:5: at: 2026-01-02 lies before the previous step"
    assert len(only(f"{HEAD}  - at: +1d\n  - ask: members\n  - at: 2026-01-02\n").steps) == 3


def test_a_queue_manager_may_be_named_once_it_is_created() -> None:
    """A queue manager that crtmqm creates in a story cannot be named before that step."""
    made, ended = "  - crtmqm: QM4\n", "  - endmqm: QM4\n"
    assert len(only(HEAD + made + ended).steps) == 2
    assert refused(HEAD + ended + made) == "s.yaml:4: endmqm: the story has no queue manager QM4"


def test_links_join_queue_managers_of_the_story() -> None:
    """A link is written as two queue managers of the story with a dash between them."""
    story = "story: a\nlinks: {%s: 5s}\nqueue managers: {QM1: '', QM2: ''}\nsteps: [at: +1d]\n"
    assert refused(story % "QM1-QM2") == "s.yaml:2: QM1-QM2: expected two queue managers: QM1 - QM2"
    assert (
        refused(story % "QM1 - QM1")
        == "s.yaml:2: QM1 - QM1: expected two queue managers: QM1 - QM2"
    )
    assert refused(story % "QM1 - QM9").endswith("links: the story has no queue manager QM9")
