"""Doctor and route say the same of a loop: they ask the same room, for each way to bind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.laws import examples
from tests.questions.doctor.healthy import healthy
from tests.questions.telling import facts_of
from tests.sandbox import Sandbox
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.question import READS
from twin.questions.route import route

NAMES = ("A", "B", "C", "D")
HOMES = ("PR1", "PR2", "FR2", "FR1")

ALIASES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["OPEN", "NOTFIXED"]), st.booleans()),
    min_size=2,
    max_size=4,
)
"""For each queue manager in turn: the target of its alias, DEFBIND, and whether it has DEADQ."""


def made(aliases: list[tuple[str, str, bool]]) -> Sandbox:
    """Let each queue manager share one alias."""
    estate = healthy()
    for home, name, (target, bind, dead) in zip(HOMES, NAMES, aliases, strict=False):
        estate.run(home, f"ALTER QMGR DEADQ({'SYSTEM.DEAD.LETTER.QUEUE' if dead else ' '!r})")
        script = f"DEFINE QALIAS({name}) TARGET({target}) CLUSTER(SALES) DEFBIND({bind})"
        estate.run(home, script)
    return estate


def loops_found(estate: Sandbox) -> list[Found]:
    """Return the loops that the doctor finds over several queue managers."""
    facts = facts_of(estate, READS)
    found = diagnose(estate.estate, estate.as_of.valid, facts=facts, rules=["gateway-loop"]).found
    return [each for each in found if len(each.finding.on) > 1]


@given(aliases=ALIASES)
@examples(cost=2)
def test_doctor_and_route_say_the_same_of_a_loop(aliases: list[tuple[str, str, bool]]) -> None:
    """A message for a name in a loop goes round if it is not bound, and ends there if it is."""
    estate = made(aliases)
    loops = loops_found(estate)
    inside = {place.name: each for each in loops for place in each.finding.evidence}  # type: ignore[union-attr]
    for name in NAMES[: len(aliases)]:
        ends = {}
        for bind in ("open", "notfixed"):
            answer = route(estate.estate, estate.as_of, on="PR3", queue=name, bind=bind)
            ends[bind] = [row for row in answer.rows if row["end"]]
            said = " ".join(answer.lines or ())
            if name in inside:
                assert " ".join(inside[name].finding.text.split()) in " ".join(said.split())
        if name in inside:
            assert [row["end"] for row in ends["notfixed"]] == ["loop"]
            assert [row["reason"] for row in ends["open"]] == [2082]
        else:
            assert "for ever" not in said or any(row["end"] == "loop" for row in ends["notfixed"])


@given(aliases=ALIASES)
@examples(cost=2)
def test_the_severity_of_a_loop_follows_its_binding(aliases: list[tuple[str, str, bool]]) -> None:
    """It is milder only if each alias binds on open, and each message ends on a queue."""
    by_name = dict(zip(NAMES, aliases, strict=False))
    for each in loops_found(made(aliases)):
        names = [place.name for place in each.finding.evidence]  # type: ignore[union-attr]
        bound = all(by_name[name][1] == "OPEN" for name in names)
        kept = all(by_name[name][2] for name in names)
        expected = Severity.WARNING if bound and kept else Severity.ERROR
        assert each.severity is expected
        first = each.finding.text.split(",")[0]
        assert first == ("With bind open" if bound else "With bind notfixed")
