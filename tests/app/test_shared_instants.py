"""What happened at a position is told the same after more has happened at its instant."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START
from tests.app.test_cut_time import act, cluster
from tests.laws import examples
from tests.rules.retry_scenes import EXITS, Step
from twin.app.twin import Twin
from twin.model.instants import MINUTE, Instant
from twin.model.platforms import ZOS


def told(twin: Twin, now: Instant) -> dict[str, list[Any]]:
    """Return what a twin tells of the past: rows with their evidence."""
    found: dict[str, list[Any]] = {}
    for name in ("passes", "errorlog"):
        answer = twin.ask(name, as_of=now, **_since(name))
        found[name] = [
            (dict(row), evidence)
            for row, evidence in zip(answer.rows, answer.evidence, strict=True)
            if row.get("moved", 0) is not None  # a pass to come
        ]
    return found


def _since(name: str) -> dict[str, Any]:
    return {} if name == "errorlog" else {"since": START}


def until(found: dict[str, list[Any]], now: Instant, position: int) -> dict[str, list[Any]]:
    """Return the rows about instants up to now that rest on nothing after a position."""
    return {
        name: [
            (row, evidence)
            for row, evidence in rows
            if row["at"] <= now and max(evidence, default=0) <= position
        ]
        for name, rows in found.items()
    }


BEGINNING: Final = (Step(0, (), "", "NEAR", "endmqm"), Step(0, (), "", "APP", "put MAIL"))
STEPS: Final = st.lists(
    st.builds(
        lambda lasts, act: Step(lasts, (), "", *act),
        st.sampled_from([0, 0, MINUTE]),
        st.sampled_from(
            [
                ("APP", "put MAIL"),
                ("APP", "STOP CHANNEL(NORTH.NEAR)"),
                ("APP", "STOP CHANNEL(NORTH.NEAR) MODE(FORCE)"),
                ("APP", "STOP CHANNEL(NORTH.NEAR) STATUS(INACTIVE)"),
                ("APP", "START CHANNEL(NORTH.NEAR)"),
                ("GW", "ALTER QLOCAL(MAIL) PUT(DISABLED)"),
                ("GW", "ALTER QLOCAL(MAIL) PUT(ENABLED)"),
                ("NEAR", "strmqm"),
                ("NEAR", "endmqm"),
            ]
        ),
    ),
    min_size=2,
    max_size=8,
).map(lambda steps: [*BEGINNING, *steps])
"""Steps about a channel that fails while messages wait for it; many of them share an instant."""


@examples(cost=6)
@given(STEPS, st.sampled_from(sorted(EXITS)))
def test_the_past_is_not_rewritten_by_what_happens_at_its_instant(
    steps: list[Step], exit_: str
) -> None:
    """Passes and log lines stay as they were told when they were the newest."""
    with (
        cluster(on=ZOS) as url,
        Twin.open(url, clock=lambda: LATER, exits=EXITS[exit_]) as twin,
    ):
        now, before = START, list[tuple[Instant, int, dict[str, list[Any]]]]()
        for step in steps:
            now += step.lasts
            twin.tick(now)
            act(twin, step, now)
            before.append((now, twin.log.head().position, told(twin, now)))
        after = told(twin, now)
        for instant, position, then in before:
            assert until(after, instant, position) == then
