"""The report of steps, as text and as JSON."""

from __future__ import annotations

from typing import Any

import pytest

from twin.model.instants import DAY, HOUR
from twin.questions.answer import Row
from twin.stories.checking import check
from twin.stories.matching import Table
from twin.stories.play import Played
from twin.stories.read import read
from twin.stories.report import (
    moment_column,
    step_lines,
    story_json,
    story_line,
    title_lines,
    total_line,
)
from twin.stories.story import DEFAULT_START, StepOutcome, Story

ROWS: list[Row] = [
    {"name": "ORD", "state": "active", "expires": DEFAULT_START + 30 * DAY},
    {"name": "PAY", "state": "expired", "expires": DEFAULT_START},
]


def played(expect: str, outcome: StepOutcome, *, do: str = "ask: members") -> Played:
    """Compare an outcome with the expectations of a step."""
    head = "story: a sentence\nqueue managers: {QM1: ''}\nsteps:\n"
    step = story(f"{head}  - {{at: +1d1h, {do}, expect: {expect}}}\n").steps[0]
    differences = tuple(check(step.expect.values, outcome))
    return Played(step, DEFAULT_START + DAY + HOUR, DEFAULT_START, outcome, differences)


def story(text: str) -> Story:
    """Read the one story of a text."""
    (found,) = read(text, file="s.yaml")
    return found


def answered(*rows: Row, **more: Any) -> StepOutcome:
    """Make the outcome of a question."""
    table = Table(rows, frozenset({"expires"}), start=DEFAULT_START)
    return StepOutcome(table=table, lines=("name state",), **more)


def shown(result: Played, width: int | None = None) -> list[str]:
    """Write a step as text."""
    return list(step_lines(result, width=width))


def test_a_step_that_holds_is_one_line() -> None:
    """A step that holds is one line: its number, its moment and its title."""
    result = played("{rows: [{name: ORD, expires: +30d}]}", answered(*ROWS))
    assert shown(result) == ["held     1  +1d1h  ask members"]


def test_a_step_that_fails_has_expected_beside_actual() -> None:
    """A failed step shows each expected row and the closest rows, with the expected keys."""
    result = played("{rows: [{name: ORD, state: expired, expires: +30d}]}", answered(*ROWS))
    assert shown(result) == [
        "FAILED   1  +1d1h  ask members",
        "           at s.yaml:4",
        "           expected  row {name: ORD, state: expired, expires: +30d}",
        "           actual    no row matches",
        "                     {name: ORD, state: active, expires: 2026-01-31T00:00:00Z (+30d)}",
    ]


def test_steps_stand_in_columns() -> None:
    """The column of moments is as wide as the widest of the story; a long name is wrapped."""
    text = "story: %s\nqueue managers: {}\nsteps: [at: +1d, at: +26d23h59m59s, at: +27d]\n"
    one = story(text % " ".join(["word"] * 30))
    assert moment_column(one, DEFAULT_START) == len("+26d23h59m59s")
    assert max(map(len, title_lines(one, width=80))) <= 80
    assert title_lines(one, width=None) == [one.name]
    result = played("{count: 2}", answered(*ROWS))
    (line,) = step_lines(result, width=None, moments=10)
    assert line == "held     1  +1d1h       ask members"


def test_a_step_fits_a_terminal() -> None:
    """A long title is cut and long differences are wrapped to the width of the terminal."""
    long: Row = {"name": "N" * 40, "state": "S" * 40, "expires": None}
    do = f"on: QM1, runmqsc: DEFINE QLOCAL({'Q' * 90})"
    result = played("{rows: [{name: ORD, state: active}], exact: true}", answered(long), do=do)
    lines = shown(result, 80)
    assert max(map(len, lines)) <= 80
    assert lines[0].endswith("…")
    assert len(lines) > 6


@pytest.mark.parametrize(
    ("expect", "expected", "actual"),
    [
        ("{count: 1}", "1 row", "2 rows"),
        ("{says: [name state, gone]}", "says 'gone'", "name state"),
        ("{absent: [{name: PAY}]}", "no row {name: PAY}", "{name: PAY}"),
        ("{absent: [{nam: PAY}]}", "no row {nam: PAY}", "no row has the key nam"),
        (
            "{rows: [{name: ORD}], exact: true}",
            "no other row",
            "{name: PAY, state: expired, expires: 2026-01-01T00:00:00Z (+0s)}",
        ),
    ],
)
def test_each_expectation_says_what_differs(expect: str, expected: str, actual: str) -> None:
    """Expected and actual values are written as in stories."""
    lines = shown(played(expect, answered(*ROWS)))
    assert lines[2:] == [f"           expected  {expected}", f"           actual    {actual}"]


@pytest.mark.parametrize(
    ("messages", "held"),
    [
        ("[AMQ8557I]", True),
        ("[AMQ8557]", True),
        ("[amq8557i]", True),
        ("[AMQ8557, AMQ8006I]", True),
        ("[]", True),
        ("[AMQ8006, AMQ8557]", False),
        ("[AMQ8557, AMQ8557]", False),
        ("[AMQ8557E]", False),
        ("[AMQ855]", False),
    ],
)
def test_messages_appear_in_their_order(messages: str, held: bool) -> None:  # noqa: FBT001 - a row
    """Expected message ids must appear in order; others may come between them."""
    outcome = answered(messages=["AMQ8557I", "AMQ8409I", "AMQ8006I"])
    do = "on: QM1, runmqsc: SUSPEND QMGR CLUSTER(CA)"
    assert played(f"{{messages: {messages}}}", outcome, do=do).held is held


@pytest.mark.parametrize(
    ("expect", "outcome", "held"),
    [
        ("{reason: [2085, 2189]}", StepOutcome(done=False, reason=2189), True),
        ("{reason: 2085}", StepOutcome(done=False, reason=2189), False),
        ("{reason: 2085}", StepOutcome(reason=0), False),
        ("{bound_to: QM1}", StepOutcome(reason=0, bound_to=("QM1",)), True),
        ("{bound_to: QM1}", StepOutcome(reason=0, bound_to=("QM1", "QM2")), False),
        ("{bound_to: QM1}", StepOutcome(done=False, reason=2085), False),
        ("{waited: 10}", StepOutcome(done=False, reason=2189, waited=10_000_000), True),
        ("{waited: 10}", StepOutcome(reason=0), False),
    ],
)
def test_an_open_ends_in_its_reason(
    expect: str,
    outcome: StepOutcome,
    held: bool,  # noqa: FBT001 - a row
) -> None:
    """An open holds if its reason is one of the expected, and its handle has one destination."""
    assert played(expect, outcome, do="on: QM1, open: Q").held is held


def test_what_was_not_done_fails_unless_it_is_expected() -> None:
    """A refused command fails its step, unless its message is expected."""
    text = "AMQ5019E: already running"
    refused = StepOutcome(done=False, problem=text, messages=["AMQ5019E"])
    result = played("{errors: []}", refused, do="strmqm: QM1")
    assert shown(result)[2:] == [
        "           expected  the step succeeds",
        "           actual    AMQ5019E: already running",
    ]
    assert played("{messages: [AMQ5019]}", refused, do="strmqm: QM1").held


def test_many_rows_are_cut_short() -> None:
    """Only a few rows are shown beside a failed row, with the number of the others."""
    rows: list[Row] = [{"name": f"Q{number}", "state": "active"} for number in range(20)]
    lines = shown(played("{absent: [{state: active}]}", answered(*rows)))
    assert len(lines) == 4
    lines = shown(played("{rows: [{name: X, state: active}]}", answered(*rows)))
    assert lines[-1].strip() == "and 14 more like these"


def test_a_story_and_several_end_in_one_line() -> None:
    """The last line has the numbers of steps and stories that held or failed."""
    good = played("{count: 2}", answered(*ROWS))
    bad = played("{count: 3}", answered(*ROWS))
    one = story("{story: a, steps: [ask: members]}")
    assert story_line(one, [good]) == "1 step held"
    assert story_line(one, [good, bad]) == "1 of 2 steps failed: s.yaml:1"
    assert total_line(1, 0, 0) == "1 story: 1 held"
    assert total_line(4, 1, 1) == "4 stories: 2 held, 1 failed, 1 could not be played"


def test_machines_read_the_same() -> None:
    """JSON has expected and actual values by the same keys, with instants in ISO 8601."""
    result = played("{rows: [{name: ORD, expires: +30d}], count: 1}", answered(*ROWS))
    one = story("{story: a sentence, steps: [ask: members]}")
    assert story_json(one, [result]) == {
        "story": "a sentence",
        "held": False,
        "steps": [
            {
                "number": 1,
                "held": False,
                "expected": {"rows": [{"name": "ORD", "expires": "+30d"}], "count": 1},
                "actual": {
                    "rows": [
                        {"name": "ORD", "state": "active", "expires": "2026-01-31T00:00:00Z"},
                        {"name": "PAY", "state": "expired", "expires": "2026-01-01T00:00:00Z"},
                    ],
                    "count": 2,
                },
            }
        ],
    }


def test_machines_read_where_messages_went() -> None:
    """JSON has the routes of messages by the keys of expectations, expected or not."""
    outcome = StepOutcome(
        reason=0, to={"QM2": 2, "QM3": 1}, via={"CA.QM2": 2}, order=["QM2", "QM3", "QM2"]
    )
    one = story("{story: a sentence, steps: [ask: members]}")
    for expect in ("{to: {QM2: 2, QM3: 1}}", "{reason: 0}"):
        result = played(expect, outcome, do="on: QM1, put: {queue: Q}")
        (step,) = story_json(one, [result])["steps"]
        assert {key: step["actual"][key] for key in ("to", "via", "order")} == {
            "to": {"QM2": 2, "QM3": 1},
            "via": {"CA.QM2": 2},
            "order": ["QM2", "QM3", "QM2"],
        }
    failed = StepOutcome(done=False, problem="reason 2268", reason=2268, at="put")
    (step,) = story_json(
        one, [played("{to: {}, reason: 2268}", failed, do="on: QM1, put: {queue: Q}")]
    )["steps"]
    assert (step["actual"]["at"], step["actual"]["to"]) == ("put", {})


def test_machines_read_reasons_and_errors_too() -> None:
    """JSON has the outcome of an open and error log entries by the keys of expectations."""
    errors = Table([{"id": "AMQ9406", "inserts": ("CA",)}])
    outcome = StepOutcome(done=False, problem="reason 2085", reason=2085, errors=errors)
    result = played("{reason: 2085, errors: [{id: AMQ9406}]}", outcome, do="on: QM1, open: Q")
    one = story("{story: a sentence, steps: [ask: members]}")
    (step,) = story_json(one, [result])["steps"]
    assert step["held"]
    assert step["actual"] == {
        "problem": "reason 2085",
        "reason": 2085,
        "bound_to": None,
        "waited": 0.0,
        "errors": [{"id": "AMQ9406", "inserts": ["CA"]}],
    }
