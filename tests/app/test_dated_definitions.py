"""From when a definition counts: from the instant of its last ALTER, if a later sight shows it."""

from __future__ import annotations

from datetime import UTC
from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import picture
from tests.app.test_laws import fresh
from tests.feeds.test_dumps import OWN, dump
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import HOUR, Instant, mq_date, mq_time, parse_instant
from twin.questions.explanation import ExplainRequest

START = parse_instant("2026-03-01T00:00:00Z", now=0)
CLUSTER = """DEFINE CHANNEL('CA.QM7') CHLTYPE(CLUSRCVR) +
   CONNAME('qm7(1414)') CLUSTER(CA) +
   REPLACE
"""
PLAIN = {"MAXDEPTH": "100", "PUT": "ENABLED"}


class Step(NamedTuple):
    """What happens at an hour: ALTER, a change without ALTER, or a dump."""

    what: str
    values: dict[str, str]


STEPS = st.lists(
    st.one_of(
        st.builds(
            Step,
            st.just("alter"),
            st.fixed_dictionaries(
                {
                    "MAXDEPTH": st.sampled_from(["100", "200", "300"]),
                    "PUT": st.sampled_from(["ENABLED", "DISABLED"]),
                }
            ),
        ),
        st.builds(Step, st.just("set"), st.just({"PUT": "DISABLED"})),
        st.just(Step("dump", {})),
        st.just(Step("dump", {})),
    ),
    min_size=3,
    max_size=9,
)


def written(values: dict[str, str], altered: Instant | None, cluster: str = "CA") -> str:
    """Write a dump of QM7 with a queue of these values; with None it shows no dates."""
    shared = f"   CLUSTER({cluster}) +\n" if cluster else ""
    shown = "".join(f"   {key}({value}) +\n" for key, value in values.items())
    dates = ""
    if altered is not None:
        dates = f"*  ALTDATE({mq_date(altered)}) +\n*  ALTTIME({mq_time(altered)}) +\n"
    return dump(OWN, CLUSTER, f"DEFINE QLOCAL('A') +\n{dates}{shared}{shown}   REPLACE\n")


def told(twin: Twin, at: Instant) -> dict[str, str]:
    """Return what DISPLAY shows; an unknown value is blank."""
    (row,) = twin.runmqsc("QM7", "DISPLAY QLOCAL(A) MAXDEPTH PUT", as_of=at).displayed
    return {key: "" if row[key.lower()] is None else str(row[key.lower()]) for key in PLAIN}


@examples(cost=4)
@given(STEPS, st.sampled_from(["CA", ""]), st.randoms(use_true_random=False))
def test_no_value_is_false_between_two_dumps(steps: list[Step], cluster: str, chance: Any) -> None:
    """What DISPLAY shows of any instant was so then, or is blank, whatever was imported first."""
    values, altered, seen = dict(PLAIN), START - HOUR, False
    truth: dict[Instant, dict[str, str]] = {}
    dumps = [(START, written(values, altered, cluster))]
    for hour, step in enumerate(steps, start=1):
        at = START + hour * HOUR
        if step.what == "dump":
            dumps.append((at, written(values, altered, cluster)))
            seen = False
        elif step.what == "alter":
            values, altered, seen = {**values, **step.values}, at, True
        elif not seen:  # nothing dates what is set after an ALTER and before the next dump
            values = {**values, **step.values}
        truth[at] = dict(values)
    shuffled = list(dumps)
    chance.shuffle(shuffled)
    with fresh(2) as (one, other):
        for at, text in dumps:
            one.ingest_files([FileText(text, zone=UTC)], at=at)
        for at, text in shuffled:
            other.ingest_files([FileText(text, zone=UTC)], at=at)
        for at, true in truth.items():
            if at > dumps[-1][0]:
                continue
            shown = told(one, at + 1)
            assert all(shown[key] in {"", true[key]} for key in PLAIN)
            assert shown == told(other, at + 1)
            assert picture(one.view(as_of=at)[0]) == picture(other.view(as_of=at)[0])
        for at, _ in dumps:
            assert "" not in told(one, at).values()
        one.log.verify()


@examples(cost=4)
@given(STEPS)
def test_each_alter_between_two_dumps_is_a_change(steps: list[Step]) -> None:
    """It has its own instant; a row for each attribute that differs, or one of ALTDATE if none."""
    values, altered = dict(PLAIN), START - HOUR
    dumps = [(START, altered, values, written(values, altered))]
    for hour, step in enumerate(steps, start=1):
        at = START + hour * HOUR
        if step.what == "dump":
            dumps.append((at, altered, values, written(values, altered)))
        elif step.what == "alter":
            values, altered = {**values, **step.values}, at
    with fresh(1) as (twin,):
        for at, _, _, text in dumps:
            twin.ingest_files([FileText(text, zone=UTC)], at=at)
        for (begin, first, was, _), (end, last, now, _) in pairwise(dumps):
            rows = twin.ask("changes", since=begin, as_of=end, kind="queue", name="A").rows
            differing = {key: (was[key], now[key]) for key in PLAIN if was[key] != now[key]}
            if first == last:
                assert rows == ()
                continue
            assert {row["at"] for row in rows} == {last}
            found = {row["field"]: (row["before"], row["after"]) for row in rows}
            assert found == differing if differing else list(found) == ["ALTDATE"]
            assert {row["basis"] for row in rows} == {"observed"}


ROW = """Starting MQSC for queue manager QM7.

     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM7)                           CHANNEL(CA.QM7)
   CLUSTER(CA)                             CONNAME(qm7(1414))
   DEFTYPE(CLUSRCVR)                       QMTYPE(NORMAL)
   QMID(QM7_2025-12-31_23.59.58)           SUSPEND(NO)
One MQSC command read.
No commands have a syntax error.
"""


@examples(cost=4)
@given(
    altered=st.integers(-9, 9),
    cluster=st.sampled_from(["CA", ""]),
    is_dump_first=st.booleans(),
)
def test_what_a_dump_dates_before_the_first_answer_was_there_then(
    altered: int, cluster: str, *, is_dump_first: bool
) -> None:
    """An answer showed the queue manager, not its queue; an ALTER since then says nothing of it."""
    files = [(START, ROW), (START + 10 * HOUR, written(PLAIN, START + altered * HOUR, cluster))]
    with fresh(1) as (twin,):
        for at, text in reversed(files) if is_dump_first else files:
            twin.ingest_files([FileText(text, zone=UTC)], at=at)
        for at in (START, START + 1, START + max(altered, 0) * HOUR, START + 9 * HOUR):
            shown = twin.runmqsc("QM7", "DISPLAY QLOCAL(A) MAXDEPTH PUT", as_of=at).displayed
            assert bool(shown) == (START + altered * HOUR <= at)
        twin.log.verify()


def collected(twin: Twin, *, altered: int, zone: bool = True) -> None:
    """Import a dump of hour 0, and one of hour 10 with a queue disabled since another hour."""
    tz = UTC if zone else None
    twin.ingest_files([FileText(written(PLAIN, START - HOUR), zone=tz)], at=START)
    text = written({**PLAIN, "PUT": "DISABLED"}, START + altered * HOUR)
    twin.ingest_files([FileText(text, zone=tz)], at=START + 10 * HOUR)


def test_a_definition_counts_from_the_instant_of_its_alter(twin: Twin) -> None:
    """An answer about an instant between ALTTIME and the dump has the new value, as one before."""
    collected(twin, altered=7)
    assert told(twin, START + 7 * HOUR)["PUT"] == "DISABLED"
    assert told(twin, START)["PUT"] == "ENABLED"
    explained, _ = twin.explain("QM7", ExplainRequest(queue="A"), as_of=START + 8 * HOUR)
    assert explained.reason == 2051
    (row,) = twin.ask("changes", since=START, as_of=START + 11 * HOUR, kind="queue").rows
    assert row["at"] == START + 7 * HOUR


def test_what_is_unknown_in_between_is_answered_for_both(twin: Twin) -> None:
    """Before ALTTIME an explanation says what happens with either value, and what is not known."""
    collected(twin, altered=7)
    explained, point = twin.explain("QM7", ExplainRequest(queue="A"), as_of=START + 3 * HOUR)
    text = " ".join(" ".join(explained.lines).split())
    assert "PUT (ENABLED or DISABLED) of queue A at QM7" in text
    assert "2051" in text
    assert "stays at QM7" in text
    (row,) = explained.answer(point).rows
    assert row["reason"] is None
    session = twin.runmqsc("QM7", "DISPLAY QLOCAL(A) PUT", as_of=START + 3 * HOUR)
    assert "PUT (ENABLED or DISABLED) of queue A at QM7" in map(str, session.unobserved)


def test_a_date_without_a_zone_counts_when_it_must_have_passed(twin: Twin) -> None:
    """Without a zone, ALTTIME is known to 14 hours: nothing is told as certain before that."""
    collected(twin, altered=7, zone=False)
    assert told(twin, START + 8 * HOUR)["PUT"] == ""
    assert told(twin, START + 10 * HOUR)["PUT"] == "DISABLED"


def test_a_date_after_its_dump_is_an_error_of_the_zone(twin: Twin) -> None:
    """It is reported, and no date of the file counts: when PUT was altered is not known."""
    text = written({**PLAIN, "PUT": "DISABLED"}, START + 12 * HOUR)
    twin.ingest_files([FileText(written(PLAIN, START - HOUR), zone=UTC)], at=START)
    (observed,) = twin.ingest_files([FileText(text, zone=UTC)], at=START + 10 * HOUR)
    assert ["--tz" in each.why for each in observed.not_understood] == [True]
    shown = [told(twin, START + hours * HOUR)["PUT"] for hours in (0, 9, 10)]
    assert shown == ["ENABLED", "", "DISABLED"]


def test_without_dates_a_value_that_differs_is_unknown_until_it_is_seen(twin: Twin) -> None:
    """Two dumps that show no dates say that it was altered in between, and not when."""
    for hours, put in enumerate(("ENABLED", "DISABLED")):
        text = written({**PLAIN, "PUT": put}, None)
        twin.ingest_files([FileText(text, zone=UTC)], at=START + hours * HOUR)
    shown = [told(twin, START + minutes)["PUT"] for minutes in (0, 1, HOUR - 1, HOUR)]
    assert shown == ["ENABLED", "", "", "DISABLED"]
    assert told(twin, START + 1)["MAXDEPTH"] == PLAIN["MAXDEPTH"]


def test_a_retracted_dump_dates_nothing(twin: Twin) -> None:
    """If the dump that shows an ALTTIME is retracted, the value before it counts again."""
    collected(twin, altered=7)
    stated = [each for each in twin.log.events(types=["ObjectsObserved"]) if each.cause is None]
    twin.retract([each.position for each in stated if each.occurred_at > START])
    assert told(twin, START + 8 * HOUR)["PUT"] == "ENABLED"


def test_what_no_rule_reads_costs_itself_only(twin: Twin) -> None:
    """An ALTER of a queue outside clusters adds what it says, and derives nothing again."""
    for hour, depth in enumerate(("100", "200")):
        text = written({**PLAIN, "MAXDEPTH": depth}, START + (2 * hour - 1) * HOUR, cluster="")
        before = twin.log.last().position
        twin.ingest_files([FileText(text, zone=UTC)], at=START + 3 * hour * HOUR)
    added = [each.type for each in twin.log.events(after=before)]
    assert added.count("ObjectsDated") == added.count("ObjectsUnsure") == 1
    assert set(added) == {"ObjectsDated", "ObjectsUnsure", "ObjectsObserved"}
    assert told(twin, START + HOUR)["MAXDEPTH"] == "200"
    twin.log.verify()
