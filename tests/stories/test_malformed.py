"""Stories that are not written as stories are: one line each, with file, line and key."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stories.reading import HEAD, only, refused
from twin.stories.errors import StoryError
from twin.stories.expectations import KINDS
from twin.stories.forms import FORMS
from twin.stories.read import STORY_KEYS, read


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "s.yaml:1: story: there is no story in this file"),
        ("just text", "s.yaml:1: 'just text' stands where a mapping belongs"),
        ("- a", "s.yaml:1: a list stands where a mapping belongs"),
        ("story: a", "s.yaml:1: steps is missing"),
        ("steps: [ask: members]", "s.yaml:1: story is missing"),
        ("story:\nsteps: [ask: members]", "s.yaml:1: story: nothing stands where a text belongs"),
        ("story: a\nsteps:", "s.yaml:2: steps: nothing stands where a list belongs"),
        ("story: a\nsteps: []", "s.yaml:2: steps: a story has one step or more"),
        ("story: a\nsteps: [{}]", "s.yaml:2: steps: this step is empty"),
        ("story: a\nsteps:\n  - ask", "s.yaml:3: steps: 'ask' stands where a mapping belongs"),
        ("story: a\nstart: soon\nsteps: [at: +1d]", "s.yaml:2: start: 'soon' is not a time"),
        ("story: a\nstart: +1d\nsteps: [at: +1d]", "s.yaml:2: start: the start of a story is"),
        (
            "story: a\nqueue_managers: {}\nsteps: [at: +1d]",
            "s.yaml:2: queue_managers: there is no such key here: did you mean queue managers?",
        ),
        ("story: a\nlatency: 5s\nsteps: [at: +1d]", "s.yaml:2: latency: only a story with queue"),
        ("story: a\nxyz: 5s\nsteps: [at: +1d]", "s.yaml:2: xyz: there is no such key here: there"),
        ("story: a\nqueue managers: 'Q 1'\nsteps: [at: +1d]", "s.yaml:2: queue managers: 'Q 1' is"),
        ("story: a\nqueue managers: [Q]\nsteps: [at: +1d]", "s.yaml:2: queue managers: a list"),
        (
            "story: a\nqueue managers:\n  'Q?': ''\nsteps: [at: +1d]",
            "s.yaml:3: Q?: 'Q?' is no name",
        ),
        (
            "story: a\nqueue managers:\n  Q: {cmdlevel: 12}\nsteps: [at: +1d]",
            "s.yaml:3: cmdlevel: 12 is no command level: 700 to 1099",
        ),
        (
            "story: a\nqueue managers:\n  Q: {platform: TPF}\nsteps: [at: +1d]",
            "s.yaml:3: platform: 'TPF' is not one of UNIX, ",
        ),
        (
            "story: a\nqueue managers:\n  Q: {level: 12}\nsteps: [at: +1d]",
            "s.yaml:3: level: there is no such key here: did you mean cmdlevel?",
        ),
        ("story: a\nqueue managers:\n  Q: [a]\nsteps: [at: +1d]", "s.yaml:3: Q: a list stands"),
    ],
)
def test_a_malformed_story_is_one_line(text: str, said: str) -> None:
    """File, line and key come first, then what is wrong."""
    assert refused(text).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{at: now}", "at: 'now' is not a time: write ISO 8601"),
        ("{at: -1d}", "at: -1d lies before the start of the story"),
        ("{at: +999999999999w}", "at: '+999999999999w' is not a time"),
        ("{runmqsc: DISPLAY QMGR}", "runmqsc: on is missing: at which queue manager?"),
        ("{on: QM1}", "on: what is done is missing"),
        ("{on: QM1, runmqsc: }", "runmqsc: nothing stands where a text belongs"),
        ("{on: QM1, runmqsc: [a]}", "runmqsc: a list stands where a text belongs"),
        ("{on: QM1, runmqsc: A, open: B}", "open: a step does one thing, and this one has runmqsc"),
        ("{on: QM9, runmqsc: A}", "on: the story has no queue manager QM9"),
        ("{on: QM1, runmqsc: A, with: {}}", "with: there is no such key here"),
        ("{on: QM1, endmqm: QM1}", "on: there is no such key here"),
        ("{endmqm: QM9}", "endmqm: the story has no queue manager QM9"),
        ("{endmqm: []}", "endmqm: this list is empty"),
        ("{endmqm: {QM1: a}}", "endmqm: a mapping stands where a text belongs"),
        ("{cut: QM1}", "cut: 'QM1' stands where a list belongs"),
        ("{cut: [QM1]}", "cut: write the names of two queue managers: [QM1, QM2]"),
        ("{cut: [QM1, QM1]}", "cut: write the names of two queue managers"),
        ("{cut: [QM1, QM9]}", "cut: the story has no queue manager QM9"),
        ("{delay: soon}", "delay: 'soon' is not a duration: write 500ms, 5s"),
        ("{delay: 5}", "delay: '5' is not a duration"),
        ("{delay: {between: [QM1, QM2]}}", "delay: latency is missing"),
        ("{restore: {QM2: +1d}}", "restore: a backup cannot be of a later instant"),
        ("{restore: {QM9: +0s}}", "restore: the story has no queue manager QM9"),
        ("{restore: QM2}", "restore: 'QM2' stands where a mapping belongs"),
        ("{restore: {}}", "restore: no queue manager is named"),
        ("{crtmqm: }", "crtmqm: no queue manager is named"),
        ("{ask: weather}", "ask: unknown question 'weather'; expected one of agenda, beliefs, "),
        ("{ask: members, with: {on: QM1}}", "on: there is no such key here: there are cluster"),
        ("{ask: members, with: {since: +1d}}", "since: there is no such key here"),
        ("{ask: members, on: QM1}", "on: there is no such key here"),
        ("{ask: members, as_of: noon}", "as_of: 'noon' is not a time"),
        ("{on: QM1, open: {bind: open}}", "open: queue is missing"),
        ("{on: QM1, open: {queue: A, bind: loosely}}", "bind: 'loosely' is not one of open, not"),
        ("{on: QM1, open: {on: QM2, queue: A}}", "on: the queue manager is there twice"),
        ("{on: QM1, open: {queue: A, put1: true}}", "put1: there is no such key here"),
        ("{on: QM1, put: {count: 5}}", "put: write one of queue and handle"),
        ("{on: QM1, put: {queue: A, handle: h}}", "put: write one of queue and handle"),
        ("{on: QM1, put: {queue: A, count: 0}}", "count: this must be 1 or more"),
        ("{on: QM1, put: {queue: A, count: -1}}", "count: this must be 1 or more"),
        (
            "{on: QM1, put: {queue: A, count: 1000000000}}",
            "count: this must be 999,999,999 or less",
        ),
        ("{on: QM1, put: {queue: A, put1: 'yes'}}", "put1: 'yes' stands where true or false"),
        ("{put: {queue: A}}", "put: on is missing"),
        ("{observe: {on: QM1, channel: C, status: DEAD}}", "status: 'DEAD' is not one of INACTIVE"),
        ("{on: QM1, put: {handle: h, bind: open}}", "put: bind is said as a handle is opened"),
        ("{put: {handle: h, to: QM1}}", "put: to is said as a handle is opened, not beside it"),
        ("{put: {handle: h, put1: true}}", "put: put1 is said as a handle is opened"),
        ("{explain: {handle: h, bind: open}}", "explain: bind is said as a handle is opened"),
        ("{on: QM1, put: 'A*'}", "put: 'A*' stands where a mapping belongs"),
        ("{on: QM1, put: {queue: 'A*'}}", "queue: 'A*' is no name: 1 to 48 of A-Z a-z 0-9 . / _ %"),
        (f"{{on: QM1, get: {'A' * 49}}}", f"get: '{'A' * 49}' is no name"),
        ("{on: QM1, open: 'A B'}", "open: 'A B' is no name"),
        ("{observe: {on: QM1, channel: C}}", "observe: nothing is observed: write status, indoubt"),
        ("{observe: {on: QM1, channel: C, curmsgs: 5}}", "observe: nothing is observed"),
        ("{hold: {on: QM1, channel: A.CHANNEL.OF.21.CHARS}}", "channel: 'A.CHANNEL.OF.21.CHARS'"),
        ("{runswchl: {on: QM1, channel: 'C*A'}}", "channel: 'C*A' is no channel name, generic*"),
        ("{hold: {on: QM1}}", "hold: channel is missing"),
        ("{close: }", "close: nothing stands where a text belongs"),
    ],
)
def test_a_malformed_step_is_one_line(text: str, said: str) -> None:
    """Whatever does not fit the step names its key, and the line that it stands in."""
    assert refused(f"{HEAD}  - {text}\n").startswith(f"s.yaml:4: {said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expect: nothing stands where a mapping belongs"),
        ("{}", "expect: nothing is expected"),
        ("{row: []}", "row: there is no such key here: did you mean rows?"),
        ("{reason: 2085}", "reason: this cannot be expected of runmqsc, only absent, "),
        ("{to: {QM1: 5}}", "to: this cannot be expected of runmqsc"),
        ("{rows: {a: 1}}", "rows: a mapping stands where a list belongs"),
        ("{rows: [a]}", "rows: 'a' stands where a mapping belongs"),
        ("{rows: [{}]}", "rows: a row that names no key matches anything"),
        ("{rows: [{A: 1}]}", "A: the keys of rows are lower case: a"),
        ("{rows: [{a: {b: 1}}]}", "a: a mapping stands where a value or a list of values belongs"),
        ("{rows: [{a: [[1]]}]}", "a: a list stands where a single value belongs"),
        ("{exact: true}", "exact: this says something beside rows or errors only"),
        ("{rows: [], exact: 1}", "exact: '1' stands where true or false belongs"),
        ("{count: -1}", "count: this must be 0 or more"),
        ("{count: many}", "count: 'many' stands where a whole number belongs"),
        ("{messages: {}}", "messages: a mapping stands where a text belongs"),
    ],
)
def test_a_malformed_expectation_is_one_line(text: str, said: str) -> None:
    """What cannot be expected, or not so, names its key and line."""
    lines = f"  - on: QM1\n    runmqsc: DISPLAY QMGR\n    expect: {text}\n"
    assert refused(HEAD + lines).startswith(f"s.yaml:6: {said}")


_WORDS = [*FORMS, *KINDS, *STORY_KEYS, "at", "on", "expect", "with", "as_of", "queue", "latency"]
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
    """No way of putting known keys and values together makes the reader fail otherwise."""
    written = {"story": "a", "queue managers": {"QM1": ""}, "steps": steps, **more}
    try:
        read(json.dumps(written), file="s.yaml")
    except StoryError as error:
        assert re.fullmatch(r"s\.yaml:1: .+", str(error))  # noqa: PT017 - most are none


def test_time_never_goes_back() -> None:
    """A step before the one above it is malformed, also where one is absolute."""
    said = refused(f"{HEAD}  - at: +2d\n  - at: 2026-01-02\n")
    assert said == "s.yaml:5: at: 2026-01-02 lies before the step before"
    assert len(only(f"{HEAD}  - at: +1d\n  - ask: members\n  - at: 2026-01-02\n").steps) == 3


def test_a_queue_manager_may_be_named_once_it_is_created() -> None:
    """One that crtmqm makes later in the story does not exist before."""
    made, ended = "  - crtmqm: QM4\n", "  - endmqm: QM4\n"
    assert len(only(HEAD + made + ended).steps) == 2
    assert refused(HEAD + ended + made) == "s.yaml:4: endmqm: the story has no queue manager QM4"


def test_links_join_queue_managers_of_the_story() -> None:
    """A link is written with a dash between two names that the story has."""
    story = "story: a\nlinks: {%s: 5s}\nqueue managers: {QM1: '', QM2: ''}\nsteps: [at: +1d]\n"
    assert refused(story % "QM1-QM2") == "s.yaml:2: QM1-QM2: a link is written QM1 - QM2"
    assert refused(story % "QM1 - QM1") == "s.yaml:2: QM1 - QM1: a link is written QM1 - QM2"
    assert refused(story % "QM1 - QM9").endswith("links: the story has no queue manager QM9")
