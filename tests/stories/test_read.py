"""Stories as read from YAML."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stories.reading import HEAD, only, step
from twin.model.instants import DAY, HOUR, SECOND
from twin.stories.checking import EXPECTATIONS
from twin.stories.read import read
from twin.stories.story import DEFAULT_START
from twin.stories.verbs import VERBS


def test_a_whole_story_is_read() -> None:
    """A story is read with name, start, queue managers in both forms, latencies and steps."""
    story = only(
        """
        story: one of everything
        start: 2026-02-01T00:00:00Z
        latency: 5s
        links: {QM1 - QM2: {latency: 500ms}, QM2 - FR1: 1s}
        queue managers:
          FR1: |
            ALTER QMGR REPOS(CA)
          QM1: {cmdlevel: 750, platform: MVS, mqsc: "DEFINE QLOCAL(A)"}
          QM2:
        steps:
          - at: +1d
            endmqm: QM2
          - at: 2026-02-03
        """
    )
    assert story.name == "one of everything"
    assert story.start == DEFAULT_START + 31 * DAY
    assert story.latency == 5 * SECOND
    assert [(link.between, link.latency) for link in story.links] == [
        (("QM1", "QM2"), SECOND // 2),
        (("QM2", "FR1"), SECOND),
    ]
    assert [
        (each.qmgr, each.cmdlevel, each.platform, each.mqsc) for each in story.scripts or ()
    ] == [
        ("FR1", 940, "UNIX", "ALTER QMGR REPOS(CA)\n"),
        ("QM1", 750, "MVS", "DEFINE QLOCAL(A)"),
        ("QM2", 940, "UNIX", ""),
    ]
    assert [each.number for each in story.steps] == [1, 2]
    assert story.steps[0].at is not None
    assert story.steps[0].at.offset == DAY
    assert str(story.steps[0].place) == "s.yaml:12"


def test_a_story_without_queue_managers_has_no_start_of_its_own() -> None:
    """A story without queue managers starts at the latest instant of its branch."""
    story = only("{story: a, steps: [ask: members]}")
    assert (story.scripts, story.start) == (None, None)
    assert only("{story: a, queue managers: , steps: [ask: members]}").scripts == ()
    assert only(HEAD + "  - ask: members").start == DEFAULT_START


@pytest.mark.parametrize(
    ("text", "verb", "on", "options"),
    [
        ("at: +1d", "", "", {}),
        ("{on: QM1, runmqsc: DISPLAY QMGR}", "runmqsc", "QM1", {"mqsc": "DISPLAY QMGR"}),
        ("{on: QM1, open: ORD}", "open", "QM1", {"queue": "ORD"}),
        (
            "{on: QM1, open: {queue: ORD, bind: open, to: QM2, name: h1}}",
            "open",
            "QM1",
            {"queue": "ORD", "bind": "open", "to": "QM2", "name": "h1"},
        ),
        ("open: {on: QM1, queue: ORD}", "open", "QM1", {"queue": "ORD"}),
        ("endmqm: QM1", "endmqm", "", {"qmgrs": ("QM1",)}),
        ("strmqm: [QM1, QM2]", "strmqm", "", {"qmgrs": ("QM1", "QM2")}),
        ("dltmqm: QM1", "dltmqm", "", {"qmgrs": ("QM1",)}),
        ("cut: [QM1, QM2]", "cut", "", {"between": ("QM1", "QM2")}),
        ("heal: [QM1, QM2]", "heal", "", {"between": ("QM1", "QM2")}),
        (
            "delay: {between: [QM1, QM2], latency: 5s}",
            "delay",
            "",
            {"between": ("QM1", "QM2"), "latency": 5 * SECOND},
        ),
        ("delay: 1h", "delay", "", {"latency": HOUR}),
        ("delay: {latency: 0}", "delay", "", {"latency": 0}),
        ("ask: members", "ask", "", {"question": "members", "filters": {}, "since": None}),
        (
            "{ask: beliefs, with: {on: QM1, kind: queue}}",
            "ask",
            "",
            {"question": "beliefs", "filters": {"on": "QM1", "kind": "queue"}, "since": None},
        ),
    ],
)
def test_each_step_is_read_as_what_it_does(
    text: str, verb: str, on: str, options: dict[str, Any]
) -> None:
    """The verb of a step is its action; `on` is beside the verb or in its mapping."""
    action = step(text).action
    assert (action.verb, action.on, action.options) == (verb, on, options)


def test_times_of_reading_steps_are_read() -> None:
    """The keys as_of, known_at and since are moments."""
    text = "{ask: changes, with: {since: +1d, on: QM1}, as_of: +2d, known_at: +3d}"
    options = step(text).action.options
    assert [options[key].text for key in ("since", "as_of", "known_at")] == ["+1d", "+2d", "+3d"]
    assert options["filters"] == {"on": "QM1"}


def test_a_queue_manager_is_created_or_restored_in_mid_story() -> None:
    """The verb crtmqm takes the forms of `queue managers`, restore an instant for each name."""
    created = step("crtmqm: {QM4: {cmdlevel: 900, mqsc: DEFINE QLOCAL(A)}}").action.options
    assert [(script.qmgr, script.cmdlevel) for script in created["scripts"]] == [("QM4", 900)]
    (script,) = step("crtmqm: QM4").action.options["scripts"]
    assert (script.qmgr, script.mqsc) == ("QM4", "")
    ((qmgr, backup),) = step("{at: +9d, restore: {QM2: +2d}}").action.options["backups"]
    assert (qmgr, backup.offset) == ("QM2", 2 * DAY)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{messages: [AMQ8557I, AMQ8006]}", {"messages": ("AMQ8557I", "AMQ8006")}),
        ("{messages: AMQ8557I}", {"messages": ("AMQ8557I",)}),
        ("{rows: [], exact: true}", {"rows": (), "exact": True}),
        ("{rows: [{a: 1, b: [x, 2]}]}", {"rows": ({"a": 1, "b": ("x", 2)},)}),
        ("{count: 0}", {"count": 0}),
        (
            "{absent: [{a: YES}], says: two words}",
            {"absent": ({"a": "YES"},), "says": ("two words",)},
        ),
        ("{errors: [{id: AMQ9406}]}", {"errors": ({"id": "AMQ9406"},)}),
    ],
)
def test_expectations_are_read_by_their_kind(text: str, values: dict[str, Any]) -> None:
    """Each expectation has its kind of value; a single value is read as a list of one."""
    assert step(f"{{on: QM1, runmqsc: DISPLAY QMGR, expect: {text}}}").expect.values == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{reason: 2085}", {"reason": (2085,)}),
        ("{reason: [2085, 2189], waited: 10}", {"reason": (2085, 2189), "waited": 10 * SECOND}),
        ("{waited: 500ms}", {"waited": SECOND // 2}),
        ("{bound_to: QM2}", {"bound_to": "QM2"}),
    ],
)
def test_what_is_expected_of_an_open_is_read(text: str, values: dict[str, Any]) -> None:
    """An open may expect one reason or several; a plain number of `waited` is in seconds."""
    assert step(f"{{on: QM1, open: Q, expect: {text}}}").expect.values == values


MESSAGE_STEPS = [
    "{on: QM1, put: {queue: ORD, count: 10, bind: notfixed, name: m1}, expect: {to: {QM3: 10}}}",
    "{on: QM1, put: {handle: h1}, expect: {reason: 2268, at: open}}",
    "{put: {handle: h1, group: g, logical_order: true}, expect: {order: {cycle: 4}}}",
    "{on: QM1, put: {queue: A, put1: true, nonpersistent: true, to: QM2}, expect: {via: {C.B: 5}}}",
    "{explain: {on: QM1, queue: ORD}, as_of: +1d, expect: {rows: [{qmgr: QM9}], count: 9}}",
    "{observe: {on: QM1, channel: CA.QM3, status: RETRYING, indoubt: 'YES', curmsgs: 10, sent: 2}}",
    "{at: +1d, observe: {on: QM1, channel: CA.QM3, status: RUNNING}, occurred: +1h}",
    "hold: {on: QM1, channel: CA.QM3, switch: true}",
    "release: {on: QM1, channel: CA.QM3}",
    "close: h1",
    "{get: {on: QM1, queue: ORD, count: 5}, expect: {count: 5}}",
    "{inquire: {on: QM1, queue: ORD}, expect: {reason: 2085}}",
    "{runswchl: {on: QM1, channel: CL1.QM1}, expect: {messages: [AMQ7341]}}",
]


@pytest.mark.parametrize("text", MESSAGE_STEPS)
def test_steps_about_messages_are_read(text: str) -> None:
    """A step about messages is read with its line, its options, and its expectations."""
    verb = next(name for name in VERBS if f"{name}:" in text)
    story = f"{HEAD}  - ask: members\n  - {text}\n"
    assert read(story, file="s.yaml")[0].steps[1].action.verb == verb


def test_all_that_steps_may_expect_can_be_read() -> None:
    """Each key that a verb may expect has a kind, and each kind is expected of some verb."""
    expected = {key for verb in VERBS.values() for key in verb.expects}
    assert expected == set(EXPECTATIONS)


def test_a_file_may_hold_several_stories() -> None:
    """Each document of a file is a story with its own line numbers."""
    stories = read(f"{HEAD}  - ask: members\n---\n{HEAD}  - at: +1d\n", file="s.yaml")
    assert [str(story.steps[0].place) for story in stories] == ["s.yaml:4", "s.yaml:9"]
