"""Comparing two answers: the rows that were added, removed or changed."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import seeds
from tests.soak.estates import histories, opened, perform
from tests.soak.questions import NAMELESS
from twin.app.comparing import NoReference, NotCompared, span_of
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.log import NoSuchBranch
from twin.model.instants import DAY, HOUR, AsOf
from twin.questions.answer import Answer, Row
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import AFTER, BEFORE, CHANGE
from twin.questions.row_differences import BadIgnored, compared

NOW, THEN = AsOf(2 * DAY, 3 * DAY, position=9), AsOf(DAY, 3 * DAY, position=9)
NAMED: Final = ("GW1", "QM1", "FR1")
QUEUES: Final = ("A", "T", "U", "R")


def agenda(point: AsOf, *rows: tuple[str, str, int, int]) -> Answer:
    """Make an answer whose rows have a kind, a queue manager, an instant and a count."""
    names = ("kind", "on", "due", "count", "waiting", "only_if")
    made: list[Row] = [dict(zip(names, (*row, 0, None), strict=True)) for row in rows]
    return Answer.of("agenda", point, ((row, (number,)) for number, row in enumerate(made)))


def test_rows_are_matched_by_their_key_and_only_differing_fields_are_named() -> None:
    """A changed row has the fields that differ, an added or a removed one has all of them."""
    reference = agenda(
        THEN, ("retry", "QM1", 1, 1), ("expiry", "QM1", 1, 1), ("removal", "A", 1, 1)
    )
    now = agenda(NOW, ("retry", "QM1", 2, 1), ("resend", "QM1", 5, 1), ("removal", "A", 1, 1))
    answer = compared(now, reference)
    assert (answer.as_of, answer.against) == (NOW, THEN)
    gone = {"due_before": 1, "count_before": 1, "waiting_before": 0, "only_if_before": None}
    come = {"due_after": 5, "count_after": 1, "waiting_after": 0, "only_if_after": None}
    assert answer.rows == (
        {"change": "changed", "kind": "retry", "on": "QM1", "due_before": 1, "due_after": 2},
        {"change": "added", "kind": "resend", "on": "QM1", **come},
        {"change": "removed", "kind": "expiry", "on": "QM1", **gone},
    )
    assert compared(now, reference, ignored=["due", "count"]).rows[0]["change"] == "added"


def test_rows_with_one_key_are_matched_by_their_values_first() -> None:
    """Of several rows with the same key, those that are equal are no difference."""
    reference = [("AMQ9456", "a"), ("AMQ9456", "b"), ("AMQ9456", "b")]
    now = [("AMQ9456", "b"), ("AMQ9456", "c")]

    def log(point: AsOf, lines: list[tuple[str, str]]) -> Answer:
        common: Row = {"on": "QM1", "at": DAY, "inserts": (), "basis": "derived"}
        rows: list[tuple[Row, tuple[int, ...]]] = [
            ({**common, "id": id_, "text": text}, ()) for id_, text in lines
        ]
        return Answer.of("errorlog", point, rows)

    answer = compared(log(NOW, now), log(THEN, reference))
    shown = [(row["change"], row.get("text_before"), row.get("text_after")) for row in answer.rows]
    assert shown == [("changed", "a", "c"), ("removed", "b", None)]


def members(point: AsOf, *rows: tuple[str, str, str]) -> Answer:
    """Make an answer whose rows have a queue manager, whether it is suspended, and a basis."""
    common: Row = {"cluster": "CA", "qmid": "Q", "qmtype": "NORMAL", "known_by": (), "last_seen": 1}
    names = ("qmgr", "suspend", "basis")
    made: list[Row] = [{**common, **dict(zip(names, row, strict=True))} for row in rows]
    return Answer.of("members", point, ((row, ()) for row in made))


def test_rows_that_differ_in_their_basis_alone_are_counted_and_not_listed() -> None:
    """What a row says is the same if only what it rests on differs; a changed row names both."""
    reference = members(THEN, ("A", "NO", "observed"), ("B", "NO", "observed"))
    now = members(NOW, ("A", "NO", "assumed"), ("B", "YES", "assumed"))
    answer = compared(now, reference)
    assert [(row["qmgr"], row["suspend_after"], row["basis_after"]) for row in answer.rows] == [
        ("B", "YES", "assumed")
    ]
    assert answer.notes == ("1 row not listed: only the basis differs",)
    assert compared(now, reference, ignored=["basis"]).notes == ()


ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.just("QM1"), st.integers(0, 2), st.integers(0, 2)),
    max_size=6,
    unique_by=lambda row: row[0],
)


@given(ROWS, ROWS)
def test_the_differences_turn_the_reference_into_the_answer(
    before: list[Any], after: list[Any]
) -> None:
    """Law: the rows of the reference, with the differences applied, are the rows of the answer."""
    reference, now = agenda(THEN, *before), agenda(NOW, *after)
    rows = {row["kind"]: dict(row) for row in reference.rows}
    for change in compared(now, reference).rows:
        if change[CHANGE] == "removed":
            assert rows.pop(change["kind"])["due"] == change[f"due{BEFORE}"]
            continue
        row = rows.setdefault(change["kind"], {"kind": change["kind"], "on": change["on"]})
        row.update({name[: -len(AFTER)]: v for name, v in change.items() if name.endswith(AFTER)})
    assert sorted(map(repr, map(sorted, map(dict.items, rows.values())))) == sorted(
        map(repr, map(sorted, map(dict.items, now.rows)))
    )


def _asked(twin: Twin, name: str, filters: dict[str, Any], at: int) -> Answer | None:
    try:
        return twin.ask(name, as_of=at, **filters)
    except TwinError:
        return None


@pytest.mark.parametrize("number", seeds(3, 4, 5, 6, 7))
def test_the_key_columns_identify_a_row(number: int, tmp_path: Path) -> None:
    """Law: in random estates no two rows have the same key, unless the question says so."""
    asked: list[tuple[str, dict[str, str]]] = [
        *((name, {}) for name in NAMELESS if not QUESTIONS[name].repeats),
        *(
            (name, {"on": on, "queue": queue})
            for name in ("explain", "route")
            for on in NAMED
            for queue in QUEUES
        ),
    ]
    rows = 0
    for place, (history, _) in enumerate(histories(random.Random(number), 6)):
        with opened(f"sqlite:///{tmp_path / f'{place}.db'}") as twin:
            perform(twin, history)
            for at in (history[len(history) // 2].at, history[-1].at, history[-1].at + 30 * DAY):
                for name, filters in asked:
                    answer = _asked(twin, name, filters, at)
                    keys = Counter(
                        tuple(row[key] for key in QUESTIONS[name].keys)
                        for row in (answer.rows if answer else ())
                    )
                    rows += len(keys)
                    assert [key for key, count in keys.items() if count > 1] == [], name
    assert rows > 100


@pytest.fixture
def twin(tmp_path: Path) -> Twin:
    """Make a log in which QM1 is created after an hour, and a branch on which FR1 ends."""
    made = Twin.open(f"sqlite:///{tmp_path / 'log.db'}", synchronous="NORMAL", clock=lambda: DAY)
    made.crtmqm("FR1", at=0)
    made.strmqm("FR1", at=0)
    made.crtmqm("QM1", at=HOUR)
    made.create_branch("lab")
    made.on_branch("lab").endmqm("FR1", at=DAY)
    return made


def test_a_name_that_exists_at_one_point_only_has_no_rows_at_the_other(twin: Twin) -> None:
    """A queue manager that one point does not know is a note; one that neither knows, an error."""
    twin.strmqm("QM1", at=HOUR)
    answer = twin.ask("beliefs", on="QM1", against=0)
    assert answer.notes == ("reference: AMQ8118E: IBM MQ queue manager QM1 does not exist",)
    with pytest.raises(TwinError, match="QM9 does not exist"):
        twin.ask("beliefs", on="QM9", against=0)


def test_a_branch_is_compared_at_the_same_instant(twin: Twin) -> None:
    """The reference is another instant of the branch, or another branch at the same instant."""
    lab = twin.on_branch("lab")
    answer = lab.ask("errorlog", against="main")
    assert [(row["change"], row["id"]) for row in answer.rows] == [("added", "AMQ9411")]
    assert answer.against is not None
    assert (answer.against.branch, answer.against.valid) == ("main", answer.as_of.valid)
    back = twin.ask("errorlog", against="lab", as_of=DAY)
    assert [(row["change"], row["id"]) for row in back.rows] == [("removed", "AMQ9411")]


def test_a_span_begins_at_the_same_instant_on_both_sides(twin: Twin) -> None:
    """The default span ends at the later point, and begins before the earlier one."""
    assert span_of("passes", QUESTIONS["passes"], None, NOW, THEN) == THEN.valid - DAY
    assert span_of("errorlog", QUESTIONS["errorlog"], None, NOW, THEN) is None
    with pytest.raises(NotCompared, match=r"the span begins at .* and one of the two ends at"):
        twin.ask("errorlog", since=3 * HOUR, against=2 * HOUR)


@pytest.mark.parametrize(
    ("question", "options", "error", "said"),
    [
        ("changes", {"against": 0}, NotCompared, "twin branch diff compares two branches"),
        ("explain", {"against": 0, "position": "3"}, NotCompared, "made at one point only"),
        ("members", {"against": "none"}, NoSuchBranch, "unknown branch 'none'"),
        ("members", {"ignore": ["suspend"]}, NoReference, "it needs against"),
        ("members", {"against": 0, "ignore": ["qmid"]}, BadIgnored, "identifies the rows"),
        ("members", {"against": 0, "ignore": ["suspnd"]}, BadIgnored, "did you mean suspend"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    twin: Twin, question: str, options: dict[str, Any], error: type[TwinError], said: str
) -> None:
    """A question or option without a sense against a reference is refused, and says what to do."""
    with pytest.raises(error, match=said) as raised:
        twin.ask(question, **options)
    assert "\n" not in str(raised.value)


def test_a_comparison_goes_into_other_tools(twin: Twin) -> None:
    """Arrow gets each side of a field with the type of the field, and null where it is missing."""
    table = twin.on_branch("lab").ask("errorlog", against="main").to_arrow()
    types = {name: str(table.schema.field(name).type) for name in ("change", "at", "text_after")}
    assert types == {"change": "string", "at": "timestamp[us, tz=UTC]", "text_after": "string"}
    assert table.column("text_before").to_pylist() == [None]
    assert table.column("change").to_pylist() == ["added"]
