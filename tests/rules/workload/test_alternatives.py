"""The smallest changes that select another queue manager, checked and in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.workload.commands import chosen_then, route_then, singles
from tests.rules.workload.routing import SENDER, contexts, histories, route, routes
from twin.fold.messaging import RouteUse, Workload
from twin.rules.workload.choosing import Trace
from twin.rules.workload.counterfactuals import NEAREST, Alternative, alternatives, rank_traps
from twin.rules.workload.filters import group_of
from twin.rules.workload.remedies import Change
from twin.rules.workload.routes import Context, Route
from twin.rules.workload.trace_text import LINES, NOTE, WIDTH, trace_lines

HOST = Context(qmgr="A", queue="ORD", queue_useq="QMGR", qmgr_useq="LOCAL")


def _found(
    candidates: list[Route], context: Context = SENDER, workload: Workload | None = None
) -> dict[str, list[str]]:
    """Return the commands, with the queue manager to run them at, by target queue manager."""
    workload = workload or Workload()
    trace = Trace.of(candidates, context, workload)
    return {
        each.qmgr: [f"{change.command.text} at {change.command.on}" for change in each.changes]
        for each in alternatives(trace, workload)
    }


@pytest.mark.parametrize(
    ("loser", "command"),
    [
        ({"put_enabled": False}, "ALTER QLOCAL(ORD) PUT(ENABLED) at Z"),
        ({"suspended": True}, "RESUME QMGR CLUSTER(CA) at Z"),
        ({"status": "STOPPED"}, "START CHANNEL(CA.Z) at QMS"),
    ],
)
def test_each_difference_has_the_command_that_removes_it(
    loser: dict[str, object], command: str
) -> None:
    """Each difference is named with its command and the queue manager to run it at."""
    candidates = [route("A"), route("Z", **loser)]
    used = Workload({candidates[0].key: RouteUse(1, 20)}, last=1)
    assert _found(candidates, workload=used) == {"Z": [command]}


@pytest.mark.parametrize(
    ("winner", "command"),
    [
        ({"channel_rank": 3}, "ALTER CHANNEL(CA.Z) CHLTYPE(CLUSRCVR) CLWLRANK({}) at Z"),
        ({"queue_rank": 3}, "ALTER QLOCAL(ORD) CLWLRANK({}) at Z"),
        ({"channel_priority": 3}, "ALTER CHANNEL(CA.Z) CHLTYPE(CLUSRCVR) CLWLPRTY({}) at Z"),
        ({"queue_priority": 3}, "ALTER QLOCAL(ORD) CLWLPRTY({}) at Z"),
    ],
)
def test_being_equal_will_do_if_ones_turn_is_next(winner: dict[str, object], command: str) -> None:
    """A number is made equal if the route is then next in turn, and better otherwise.

    A lower factor does not help if a channel is altered: this resets all factors.
    """
    candidates = [route("A", **winner), route("Z")]
    first, second = (each.key for each in candidates)
    is_next = Workload({first: RouteUse(2, 20), second: RouteUse(1, 0)}, last=2)
    assert _found(candidates, workload=is_next) == {"Z": [command.format(3)]}
    high, low = (500, 20) if "CHANNEL" in command else (20, 500)
    is_not = Workload({first: RouteUse(1, high), second: RouteUse(2, low)}, last=2)
    assert _found(candidates, workload=is_not) == {"Z": [command.format(4)]}


def test_the_local_preference_is_lifted_where_it_is_set() -> None:
    """A remote instance that loses to the local one needs CLWLUSEQ(ANY) and its turn."""
    here = route("A", local=True, status="RUNNING")
    used = Workload({here.key: RouteUse(1, 20)}, last=1)
    assert _found([here, route("B")], HOST, used) == {"B": ["ALTER QLOCAL(ORD) CLWLUSEQ(ANY) at A"]}
    trace = Trace.of([here, route("B")], HOST, Workload())
    (first,) = alternatives(trace, Workload())
    assert (list(map(str, first.changes)), first.in_turn) == (
        ["ALTER QLOCAL(ORD) CLWLUSEQ(ANY) at A"],
        True,
    )
    assert "  B: ALTER QLOCAL(ORD) CLWLUSEQ(ANY) at A (then it takes turns)" in trace_lines(
        trace, [first]
    )
    beaten = [here, route("B", queue_priority=1)]
    assert _found(beaten, replace(HOST, queue_useq="ANY")) == {
        "A": ["ALTER QLOCAL(ORD) CLWLPRTY(1) at A"]
    }


def test_a_local_instance_that_competes_can_be_preferred() -> None:
    """A local instance whose turn is not next needs CLWLUSEQ(LOCAL)."""
    here = route("A", local=True, status="RUNNING")
    used = Workload({here.key: RouteUse(1, 20)}, last=1)
    beaten = [here, route("B", queue_priority=9)]
    assert _found(beaten, replace(HOST, queue_useq="ANY"), used) == {
        "A": ["ALTER QLOCAL(ORD) CLWLUSEQ(LOCAL) at A"]
    }


def test_two_differences_need_two_changes_where_no_one_does() -> None:
    """An instance with two differences needs two changes, if no single one is enough."""
    candidates = [route("A", channel_rank=9), route("B", put_enabled=False)]
    used = Workload({candidates[0].key: RouteUse(1, 20)}, last=1)
    assert _found(candidates, workload=used) == {
        "B": [
            "ALTER CHANNEL(CA.B) CHLTYPE(CLUSRCVR) CLWLRANK(9) at B",
            "ALTER QLOCAL(ORD) PUT(ENABLED) at B",
        ]
    }


def test_clwlmruc_is_raised_where_it_is_set() -> None:
    """A channel that was not used recently enough needs a higher CLWLMRUC at the sender."""
    candidates = [route("A"), route("B")]
    used = Workload({candidates[0].key: RouteUse(1, 20)}, last=1)
    assert _found(candidates, replace(SENDER, mruc=1), used) == {
        "B": ["ALTER QMGR CLWLMRUC(2) at QMS"]
    }


def test_a_finalist_need_only_wait() -> None:
    """An instance without any difference has its turn after a number of messages."""
    candidates = [route("A"), route("B"), route("C")]
    trace = Trace.of(candidates, SENDER, Workload())
    assert alternatives(trace, Workload()) == (
        Alternative("B", "B_1", after=1),
        Alternative("C", "C_1", after=2),
    )


def test_a_channel_is_started_once_its_partner_can_be_reached() -> None:
    """A channel whose partner is unreachable is not suggested to be started, with the reason."""
    candidates = [route("A"), route("Z", status="RETRYING")]
    used = Workload({candidates[0].key: RouteUse(1, 20)}, last=1)
    trace = Trace.of(candidates, SENDER, used)
    (found,) = alternatives(
        trace, used, obstacle=lambda route: "" if route.qmgr != "Z" else "Z is down"
    )
    assert list(map(str, found.changes)) == ["START CHANNEL(CA.Z) at QMS once Z can be reached"]
    (found,) = alternatives(
        trace, used, obstacle=lambda route: "" if route.qmgr != "A" else "A is down"
    )
    assert list(map(str, found.changes)) == ["START CHANNEL(CA.Z) at QMS"]


def test_a_rank_that_would_strand_messages_is_named() -> None:
    """A rank that chooses a failing channel is no suggestion: what would happen is said."""
    candidates = [route("A"), route("Y", status="STOPPED"), route("Z", status="RETRYING")]
    trace = Trace.of(candidates, SENDER, Workload())
    text = " ".join(trace_lines(trace, alternatives(trace, Workload()))).replace("   ", " ")
    assert "CLWLRANK" not in "".join(_found(candidates)["Z"])
    assert (
        "Not by rank: after ALTER QLOCAL(ORD) CLWLRANK(1) at Y messages would wait for CA.Y, which"
        " is STOPPED; other ranks would do so too. Rank is compared before the status."
    ) in text
    highest = Trace.of([route("A", queue_rank=9, status="RETRYING")], SENDER, Workload())
    assert list(rank_traps(highest)) == []


@given(st.data(), contexts())
def test_each_rank_that_is_warned_of_strands_messages(
    data: st.DataObject, context: Context
) -> None:
    """Law: after the command, the rules choose the channel that is named, and it cannot send."""
    candidates = data.draw(routes())
    trace = Trace.of(candidates, context, Workload())
    for trap in rank_traps(trace):
        then = route_then(candidates, context, Workload(), [trap.change])
        assert then is not None
        assert (then.channel, then.status) == (trap.channel, trap.status)
        assert group_of(then.status) > 0


def test_what_messages_would_meet_now_is_said_of_each_suggestion() -> None:
    """A suggestion says why messages would not arrive at its queue manager now."""
    candidates = [route("A"), route("B"), route("Z", queue_priority=0)]
    candidates = [replace(each, queue_priority=int(each.qmgr != "Z")) for each in candidates]
    trace = Trace.of(candidates, SENDER, Workload())
    found = alternatives(trace, Workload(), obstacle=lambda route: f"{route.qmgr} has ended")
    lines = trace_lines(trace, found)
    assert "Next in turn: B after 1 (now B has ended)." in lines
    text = " ".join(line.strip() for line in lines)
    assert "at Z (messages would not arrive now: Z has ended)" in text


def test_what_was_not_looked_for_is_counted() -> None:
    """The nearest nine queue managers get suggestions, and the others are counted."""
    for count, more in ((9, []), (12, ["  and 3 more"]), (40, ["  and 31 more"])):
        candidates = [route("A"), *(route(f"Q{n:02}", suspended=True) for n in range(count))]
        used = Workload({candidates[0].key: RouteUse(1, 20)}, last=1)
        trace = Trace.of(candidates, SENDER, used)
        lines = trace_lines(trace, alternatives(trace, used))
        shown = [line for line in lines if ": RESUME" in line]
        assert len(shown) == 9
        assert [line for line in lines if line.startswith("  and ")] == more
        assert len(lines) <= LINES


def test_whose_turn_comes_later_is_counted_too() -> None:
    """Of forty instances that take turns, six are named and the others counted."""
    candidates = [route(f"Q{n:02}") for n in range(40)]
    trace = Trace.of(candidates, SENDER, Workload())
    text = " ".join(trace_lines(trace, alternatives(trace, Workload())))
    assert "Q06 after 6 and 33 more." in text


def test_that_a_message_would_wait_is_said_first() -> None:
    """The text says that a message would wait after its destination and before the rules."""
    trace = Trace.of([route("A", status="STOPPED")], SENDER, Workload())
    lines = trace_lines(trace, beside=["It waits: CA.A is STOPPED."])
    assert lines[:2] == ["ORD at QMS goes to A by CA.A.", "It waits: CA.A is STOPPED."]


def test_names_that_mqsc_would_fold_are_quoted() -> None:
    """Names that MQSC would fold are quoted, so that a command can be pasted."""
    candidates = [route("A"), route("qmB", "to.qmB", status="STOPPED")]
    used = Workload({candidates[0].key: RouteUse(1, 20)}, last=1)
    assert _found(candidates, workload=used) == {"qmB": ["START CHANNEL('to.qmB') at QMS"]}


def test_rank_is_not_raised_for_a_channel_that_sends_nothing() -> None:
    """A channel that is not sending is suggested to be started, not to get a higher rank."""
    candidates = [route("A"), route("Z", status="STOPPED")]
    later = Workload({candidates[1].key: RouteUse(1, 20)}, last=1)
    assert _found(candidates, workload=later) == {"Z": ["START CHANNEL(CA.Z) at QMS"]}
    lower = [route("A", channel_rank=2), route("Z", status="STOPPED")]
    (commands,) = _found(lower, workload=later).values()
    assert commands == [
        "ALTER CHANNEL(CA.Z) CHLTYPE(CLUSRCVR) CLWLRANK(3) at Z",
        "START CHANNEL(CA.Z) at QMS",
    ]


def test_a_channel_that_fell_first_may_need_the_least() -> None:
    """The channel that was excluded first may need the smallest change."""
    candidates = [
        route("A", channel_rank=1, queue_rank=1),
        route("D", "CA.D.0", channel_rank=1, status="STOPPED"),
        route("D", "CA.D.6"),
    ]
    assert _found(candidates) == {"D": ["ALTER CHANNEL(CA.D.6) CHLTYPE(CLUSRCVR) CLWLRANK(2) at D"]}


def _helps(
    candidates: list[Route], context: Context, workload: Workload, single: Change, qmid: str
) -> bool:
    """Return whether a change selects a queue manager through a channel as good as now."""
    chosen = Trace.of(candidates, context, workload).chosen
    then = route_then(candidates, context, workload, [single])
    best = group_of(chosen.status if chosen else "")
    return then is not None and then.qmid == qmid and group_of(then.status) <= best


@given(st.data(), contexts())
def test_what_is_advised_works_and_less_would_not(data: st.DataObject, context: Context) -> None:
    """The suggested commands select that queue manager according to the definition.

    A queue manager that is chosen, or whose turn comes, gets no suggestion. If two changes are
    suggested, no single one is enough. A route that then takes turns is chosen after all others
    were used.
    """
    candidates = data.draw(routes())
    workload = data.draw(histories(candidates))
    trace = Trace.of(candidates, context, workload)
    found = alternatives(trace, workload)
    waiting = {each.qmid for each in trace.finalists}
    for each in found:
        assert (each.after is None) is bool(each.changes)
        assert (each.qmid in waiting) is (not each.changes)
        then = workload
        if each.in_turn:
            assert chosen_then(candidates, context, workload, each.changes) != each.qmid
            used = {
                other.key: RouteUse(9, 10**6) for other in candidates if other.qmid != each.qmid
            }
            then = Workload(used, 9)
        if each.changes and not (each.in_turn and (context.mruc < len(candidates))):
            assert chosen_then(candidates, context, then, each.changes) == each.qmid
        if len(each.changes) > 1:
            for single in singles(candidates, context, each.qmid):
                assert not _helps(candidates, context, workload, single, each.qmid), single
    numbers = [len(each.changes) for each in found]
    assert numbers == sorted(numbers)


@given(st.data(), contexts())
def test_a_queue_manager_that_one_change_selects_has_a_suggestion(
    data: st.DataObject, context: Context
) -> None:
    """A queue manager that one change would select has a suggestion."""
    candidates = data.draw(routes())
    workload = data.draw(histories(candidates))
    trace = Trace.of(candidates, context, workload)
    found = {each.qmid for each in alternatives(trace, workload)}
    chosen = trace.chosen.qmid if trace.chosen else ""
    for qmid in {each.qmid for each in candidates} - found - {chosen}:
        for single in singles(candidates, context, qmid):
            assert not _helps(candidates, context, workload, single, qmid), single


def test_a_thousand_instances_are_explained_in_few_lines() -> None:
    """An explanation of 1,000 queue managers is short, with suggestions for the nearest."""
    states = ("RUNNING", "RETRYING", "STOPPED")
    candidates = [
        route(
            f"Q{n:04}", suspended=n % 3 == 0, status=states[n % 7 % 3], channel_priority=n % 5 % 3
        )
        for n in range(1000)
    ]
    trace = Trace.of(candidates, SENDER, Workload())
    found = alternatives(trace, Workload())
    assert len(found) <= 2 * NEAREST
    lines = trace_lines(trace, found)
    assert all(len(line) <= WIDTH for line in lines)
    assert len(lines) < 2 * LINES


@given(st.data(), contexts(), st.integers(1, 48))
def test_a_ticket_holds_a_trace_of_nine(data: st.DataObject, context: Context, length: int) -> None:
    """A trace of nine has at most 25 lines of 80 columns, even with long names."""
    candidates = [
        replace(each, qmgr=each.qmgr * length, channel=f"{each.channel:.<20}")
        for each in data.draw(routes(most=9))
    ]
    workload = data.draw(histories(candidates))
    trace = Trace.of(candidates, context, workload)
    lines = trace_lines(trace, alternatives(trace, workload))
    assert len(lines) <= LINES, "\n".join(lines)
    assert all(len(line) <= WIDTH for line in lines)
    assert " ".join(line.strip() for line in lines).endswith(NOTE) == trace.by_counter


def test_the_published_example_in_words() -> None:
    """The published example of nine instances is explained: exclusions, turns and changes."""
    usual = {"channel_rank": 4, "queue_rank": 4, "channel_priority": 3, "queue_priority": 4}
    candidates = [
        route("QMA", **{**usual, "channel_rank": 5}, put_enabled=False),
        route("QMB", **{**usual, "queue_rank": 3}),
        route("QMC", **usual, status="RETRYING"),
        route("QMD", **usual, suspended=True),
        route("QME", **{**usual, "queue_priority": 3}),
        route("QMF", **usual, suspended=True),
        route("QMG", **usual, weight=30),
        route("QMH", **usual, weight=20),
        route("QMI", **usual, weight=50),
    ]
    context = replace(SENDER, profile="v7")
    trace = Trace.of(candidates, context, Workload())
    assert (
        "\n".join(trace_lines(trace, alternatives(trace, Workload())))
        == """\
ORD at QMS goes to QMG by CA.QMG.
Rules in the order of v7 (MQ 7.5 and earlier), 9 candidates.
put                 8 left  QMA excluded: PUT(DISABLED)
queue-rank          7 left  QMB excluded: CLWLRANK(3), the highest is 4
suspended           5 left  QMD, QMF excluded: SUSPEND(YES), another is not
status              4 left  QMC excluded: STATUS(RETRYING), the best is INACTIVE
queue-priority      3 left  QME excluded: CLWLPRTY(3), the highest is 4
weight              1 left  QMH, QMI excluded: never used, another comes first
No route excluded by: cluster, local, channel-rank, netprty, channel-priority,
  mruc.
The lowest factor is next, then the route used longest ago (last use).
Next in turn: QMH after 1, QMI after 2.
Smallest changes that select another queue manager:
  QME: ALTER QLOCAL(ORD) CLWLPRTY(4) at QME
  QMC: START CHANNEL(CA.QMC) at QMS
  QMD: RESUME QMGR CLUSTER(CA) at QMD
  QMF: RESUME QMGR CLUSTER(CA) at QMF
  QMB: ALTER QLOCAL(ORD) CLWLRANK(4) at QMB
  QMA: ALTER QLOCAL(ORD) PUT(ENABLED) at QMA
Not by rank: after ALTER QLOCAL(ORD) CLWLRANK(5) at QMC messages would wait for
  CA.QMC, which is RETRYING. Rank is compared before the status.
In a live cluster, repository commands also use these counters: exact counts are
  valid in the model only."""
    )
