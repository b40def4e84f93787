"""A plan names what differs for a time only, as asking at an instant of that time shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, build, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.twin import Twin
from twin.cli import planning
from twin.model.commands import Command
from twin.model.instants import DAY, HOUR, MINUTE, Instant
from twin.questions.explanation import ExplainRequest
from twin.review.plan.affected import PlannedPut
from twin.review.plan.document import document_of
from twin.review.plan.plan import MANY_QMGRS, Plan, Request, plan
from twin.review.plan.planned import PlannedChange, PlannedScript
from twin.review.plan.routing import Routing, RoutingChange
from twin.review.plan.text import text_of

NOW = START + 2 * HOUR
REMOVE = PlannedScript("FR1", "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(PR1) QUEUES(YES)")
"""PR1 is forgotten until it sends its records again, 27 days after it sent them."""

RENEWAL = START + 27 * DAY


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a twin of a cluster in which PR1 alone has the queue Q, and PR2 has opened it."""
    return opened(make_twin(sqlite_url, lambda: NOW))


def opened(twin: Twin) -> Twin:
    """Build the cluster, and put to Q from PR2."""
    build(twin)
    twin.runmqsc("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    twin.put("PR2", "Q", at=START)
    return twin


def planned(
    twin: Twin, *changes: PlannedChange, days: int, puts: tuple[PlannedPut, ...] = ()
) -> Plan:
    """Plan these changes now, and let days pass."""
    return plan(twin, Request(changes=lambda _: changes, advance=days * DAY, puts=puts))


def test_puts_that_fail_for_a_time_are_named_with_that_time(twin: Twin) -> None:
    """A member that was removed by force comes back with its renewal: its queue was unknown."""
    made = planned(twin, REMOVE, days=91)
    assert made.routing == ()
    (found,) = made.meanwhile.routing
    assert {found.change.put.on, *found.change.alike} == {"FR1", "FR2", "PR2"}
    assert (found.since, found.until) == (NOW, RENEWAL)
    assert (found.change.before.reason, found.change.after.reason) == (0, 2085)
    forgot = {
        (each.change.observer, each.change.kind, each.change.effect, each.since, each.until)
        for each in made.meanwhile.beliefs
    }
    assert ("PR2", "queue", "forgets", NOW, RENEWAL) in forgot
    assert made.changes_anything
    text = " ".join(line.strip() for line in text_of(made))
    assert (
        "from 2026-01-01T02:00:00Z until 2026-01-28T00:00:00Z: ~ FR1, FR2, PR2 to Q: "
        "PR1 -> 2085 MQRC_UNKNOWN_OBJECT_NAME"
    ) in text
    assert "3 puts change for a time only" in text
    document = document_of(made)["meanwhile"]
    assert {
        (row["queue"], row["since"], row["until"], row["reason_after"])
        for row in document["routing"]
    } == {("Q", "2026-01-01T02:00:00Z", "2026-01-28T00:00:00Z", 2085)}
    assert document["left_out"] == 0


def test_messages_that_wait_for_a_time_are_named_before_their_partner_is_forgotten(
    twin: Twin,
) -> None:
    """Messages for PR1 wait from its end on; after 90 days they would fail, which the end shows."""
    made = planned(twin, Command.program("PR1", "endmqm"), days=95, puts=(PlannedPut("PR2", "Q"),))
    (end,) = (each for each in made.routing if each.put.on == "PR2")
    assert end.after.reason == 2085
    (found,) = (each for each in made.meanwhile.routing if "PR2" in names_of(each.change))
    assert (found.since, found.until) == (NOW, START + 90 * DAY)
    (share,) = found.change.after.shares
    assert (share.qmgr, bool(share.obstacle)) == ("PR1", True)
    expired = {
        (each.change.observer, each.change.kind, each.since, each.until)
        for each in made.meanwhile.dates
    }
    assert ("FR1", "queue", START + 30 * DAY, START + 90 * DAY) in expired


def test_nothing_passes_in_a_plan_that_lets_no_time_pass_or_whose_effects_stay(twin: Twin) -> None:
    """Renewals at other instants than without the change are no effect."""
    put = PlannedScript("PR1", "ALTER QLOCAL(Q) PUT(DISABLED)")
    assert not planned(twin, REMOVE, days=0).meanwhile
    made = planned(twin, put, days=91)
    assert made.routing
    assert not made.meanwhile


def test_a_plan_says_what_it_does_not_compare_in_between(twin: Twin) -> None:
    """Without --between, and in a large estate, a note says how many spans are left out."""
    change: list[PlannedChange] = [REMOVE]
    request = Request(changes=lambda _: change, advance=91 * DAY, between=False)
    made = plan(twin, request)
    assert not made.meanwhile
    assert (made.meanwhile.compared, made.meanwhile.left_out) == (0, 1)
    note = (
        "effects that begin and end within --advance are not compared here: 1 span of time left "
        "out; --between compares the longest"
    )
    assert note in made.notes
    assert note not in planned(twin, REMOVE, days=91).notes


@pytest.mark.parametrize(("between", "compared"), [(None, 0), (True, 1)])
def test_a_large_estate_is_compared_in_between_only_if_asked(
    twin: Twin, *, between: bool | None, compared: int
) -> None:
    """An estate of more than 200 queue managers is, if that is asked for."""
    for number in range(MANY_QMGRS - 3):
        twin.crtmqm(f"X{number}", at=START + HOUR)
    change: list[PlannedChange] = [REMOVE]
    request = Request(changes=lambda _: change, advance=91 * DAY, between=between)
    assert plan(twin, request).meanwhile.compared == compared


def test_the_help_names_up_to_how_many_queue_managers_are_compared_in_between() -> None:
    """The command line states the number without importing what plans need."""
    assert f"up to {MANY_QMGRS} queue managers" in Path(planning.__file__).read_text("utf-8")


_CHANGES: list[PlannedChange] = [
    REMOVE,
    Command.program("PR1", "endmqm"),
    Command.program("PR1", "strmqm"),
    Command.program("FR1", "endmqm"),
    PlannedScript("PR2", "REFRESH CLUSTER(CA) REPOS(NO)"),
    PlannedScript("PR2", "STOP CHANNEL(CA.PR1)"),
    PlannedScript("PR1", "ALTER QLOCAL(Q) DESCR(NEW)"),
]


@examples(cost=4)
@given(
    st.sampled_from(["", "PR1", "PR2", "FR1"]),
    st.sampled_from([1, 25, 60]),
    st.lists(st.sampled_from(_CHANGES), min_size=1, max_size=2),
    st.sampled_from([2, 28, 70, 95]),
    st.integers(1, 94),
)
def test_a_put_goes_as_a_plan_says_of_each_day(
    ended: str, after: int, changes: list[PlannedChange], days: int, day: int
) -> None:
    """On each day a put fails, or goes elsewhere, as it does on a branch with the change."""
    with fresh(1) as (twin,):
        opened(twin)
        if ended:
            twin.endmqm(ended, at=START + HOUR)
        start = START + after * DAY + HOUR
        request = Request(changes=lambda _: changes, advance=days * DAY)
        made = plan(twin, request, as_of=start)
        twin.create_branch("w", at=start)
        branch = twin.on_branch("w")
        for change in changes:
            perform(branch, change, start)
        at = start + min(day, days) * DAY - MINUTE
        for on in ("FR1", "FR2", "PR2"):
            there = [goes(each, on, at) for each in (twin, branch)]
            said = [
                passing.change
                for passing in made.meanwhile.routing
                if passing.since <= at < passing.until and on in names_of(passing.change)
            ]
            if not any(on in names_of(each) for each in (*said, *made.routing)):
                assert there[0] == there[1], (on, at)
            for each in said if len(said) == 1 else ():
                if each.put.queue == "Q":
                    assert [shown(routing) for routing in (each.before, each.after)] == there


def names_of(change: RoutingChange) -> set[str]:
    """Return the queue managers that a change of a put is about."""
    return {change.put.on, *change.alike}


def shown(routing: Routing) -> tuple[int, set[str]]:
    """Return the reason code, and the queue managers that take turns."""
    return routing.reason, {share.qmgr for share in routing.shares}


def perform(branch: Twin, change: PlannedChange, at: Instant) -> None:
    """Make a change, whether or not it is refused."""
    if isinstance(change, PlannedScript):
        branch.runmqsc(change.on, change.text, at=at)
    elif isinstance(change, Command):
        verb = change.verb
        if branch.view()[0].qmgr(change.on).running != (verb == "strmqm"):
            branch.control(verb, change.on, at=at)


def goes(twin: Twin, on: str, at: Instant) -> tuple[int, set[str]]:
    """Return the reason code of a put to Q, and the queue managers that take turns."""
    explained, _ = twin.explain(on, ExplainRequest(queue="Q"), as_of=at)
    trace = explained.trace
    if trace is None:
        return explained.reason, {explained.alone[0]} - {""}
    routes = trace.finalists if trace.chosen is not None else ()
    return explained.reason, {route.qmgr for route in routes}
