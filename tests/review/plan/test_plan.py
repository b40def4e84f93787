"""A plan says the same as making the change, and leaves the log untouched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from twin import events
from twin.app.twin import Twin
from twin.model.commands import Command
from twin.model.instants import DAY, HOUR, Instant
from twin.questions.changes import changes
from twin.questions.doctor.finding import Severity
from twin.questions.errorlog import CHANNEL_RUNS
from twin.questions.explanation import ExplainRequest
from twin.review.plan.affected import ANY_QUEUE, PlannedPut
from twin.review.plan.document import document_of
from twin.review.plan.plan import NothingPlanned, Plan, Request, plan
from twin.review.plan.planned import (
    PlannedChange,
    PlannedScript,
    refresh,
    suspension,
)
from twin.review.plan.routing import Routing, UnknownPlannedPut
from twin.review.plan.text import text_of


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a twin of a cluster in which two queue managers have the queue Q."""
    twin = build(make_twin(sqlite_url, lambda: START + HOUR))
    for name in ("PR1", "FR2"):
        twin.runmqsc(name, "DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    twin.put("PR2", "Q", count=2, at=START)
    return twin


def planned(
    twin: Twin, *changes: PlannedChange, advance: Instant = 0, puts: tuple[PlannedPut, ...] = ()
) -> Plan:
    """Plan these changes now."""
    return plan(twin, Request(changes=lambda _: changes, advance=advance, puts=puts))


def test_an_instance_that_is_only_local_now_is_no_changed_put_at_its_owner(twin: Twin) -> None:
    """The message goes where it went: only other queue managers can no longer put to the queue."""
    twin.runmqsc("PR1", "DEFINE QLOCAL(OWN) CLUSTER(CA)", at=START)
    made = planned(twin, PlannedScript("PR1", "ALTER QLOCAL(OWN) CLUSTER(' ')"))
    senders = {name for each in made.routing for name in (each.put.on, *each.alike)}
    assert senders == {"FR1", "FR2", "PR2"}
    assert document_of(made)["summary"]["routes"] == len(senders)


def scripts_of(acts: Sequence[Act]) -> list[PlannedScript]:
    """Return the MQSC commands of acts as scripts."""
    return [
        PlannedScript(act.event.qmgr, act.event.text)
        for act in acts
        if isinstance(act.event, events.CommandEntered)
    ]


@examples(cost=2)
@given(
    histories(least=2),
    histories(),
    st.sampled_from(["", "FR1", "PR1"]),
    st.sampled_from([0, 1, 28, 95]),
)
def test_a_plan_says_the_same_as_making_the_change(
    before: list[Act], then: list[Act], ended: str, days: int
) -> None:
    """Definitions, beliefs and findings differ as those of a branch with the change do."""
    with fresh(1) as (twin,):
        build(twin)
        for act in before:
            act.perform(twin)
        start = before[-1].at
        scripts = scripts_of(then)
        made = plan(
            twin,
            Request(
                changes=lambda _: (
                    [*scripts, *([Command.program(ended, "endmqm")] if ended else ())] or [END_ALL]
                ),
                advance=days * DAY,
            ),
            as_of=start,
        )
        twin.create_branch("w", at=start)
        branch = twin.on_branch("w")
        for script in scripts:
            branch.runmqsc(script.on, script.text, at=start)
        for name in [ended] if ended else [] if scripts else [END_ALL.on]:
            branch.endmqm(name, at=start)
        without, _ = twin.view(as_of=made.until)
        done, point = branch.view(as_of=made.until)
        rows = changes(without, done, point, all="yes").rows
        differing = {
            (row["on"], str(row["name"]).split("@")[0], row["field"], row["before"], row["after"])
            for row in rows
            if row["kind"] != "qmgr"
        }
        assert {
            *(
                (each.on, each.name, each.field, each.before, each.after)
                for each in made.definitions
                if each.type != "QMGR"
            ),
            *(
                (each.observer, name_of(each), each.field, each.before, each.after)
                for each in made.beliefs
                if each.effect != "misses"
            ),
        } == differing
        logged = entries(branch, start, made.until)
        logged.subtract(entries(twin, start, made.until))
        for change in made.error_log:
            logged[change.on, change.id] -= change.entries * (1 if change.is_new else -1)
        assert not any(logged.values())
        found = [
            {
                (str(row["id"]), str(row["object"]))
                for row in each.ask("doctor", as_of=made.until).rows
            }
            for each in (twin, branch)
        ]
        assert {
            effect: {(each.id, each.object) for each in made.findings if each.effect == effect}
            for effect in ("new", "gone")
        } == {"new": found[1] - found[0], "gone": found[0] - found[1]}
        goes = {
            (on, change.put.queue): (change.before, change.after)
            for change in made.routing
            for on in (change.put.on, *change.alike)
        }
        for on in done.qmgrs.keys() & without.qmgrs.keys():
            for queue in ("Q1", "Q2") if (on, ANY_QUEUE) not in goes else ():
                there = [routed(each, on, queue, made.until) for each in (twin, branch)]
                if (on, queue) in goes:
                    assert [shown(each) for each in goes[on, queue]] == there
                else:
                    assert there[0] == there[1]


def entries(twin: Twin, since: Instant, until: Instant) -> Counter[tuple[object, object]]:
    """Count the entries of error logs, without those that only say that a channel ran."""
    rows = twin.ask("errorlog", as_of=until, since=since).rows
    return Counter((row["on"], row["id"]) for row in rows if str(row["id"]) not in CHANNEL_RUNS)


def routed(twin: Twin, on: str, queue: str, at: Instant) -> tuple[int, frozenset[str]]:
    """Return the reason code of a put, and the queue managers that take turns."""
    explained, _ = twin.explain(on, ExplainRequest(queue=queue), as_of=at)
    trace = explained.trace
    if trace is None:
        return explained.reason, frozenset({explained.alone[0]} - {""})
    routes = trace.finalists if trace.chosen is not None else ()
    return explained.reason, frozenset(route.qmgr for route in routes)


def shown(routing: Routing) -> tuple[int, frozenset[str]]:
    """Return the same of a plan."""
    return routing.reason, frozenset(share.qmgr for share in routing.shares)


END_ALL = Command.program("FR1", "endmqm")


def name_of(change: object) -> str:
    """Return the name of a record as `changes` has it, without its owner."""
    kind, name, owner = (getattr(change, each) for each in ("kind", "name", "owner"))
    return f"CA.{owner}" if kind == "qmgr" else str(name)


def test_a_plan_leaves_the_log_untouched_to_the_byte(
    twin: Twin, sqlite_url: str, tmp_path: Path
) -> None:
    """It reads a log that it must not write, and lets a year pass in memory."""
    twin.close()
    before = contents(tmp_path)
    with Twin.open(sqlite_url, read_only=True, clock=lambda: START + HOUR) as reader:
        made = planned(
            reader,
            PlannedScript("PR1", "DELETE QLOCAL(Q)"),
            Command.program("FR1", "endmqm"),
            advance=365 * DAY,
        )
    assert made.changes_anything
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of the files in a folder."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def test_a_plan_says_who_gets_messages_instead(twin: Twin) -> None:
    """PUT(DISABLED) at one of two instances sends all messages to the other."""
    made = planned(twin, PlannedScript("PR1", "ALTER QLOCAL(Q) PUT(DISABLED)", "a.mqsc"))
    goes = {
        change.put.on: (
            [share.qmgr for share in change.after.shares],
            {each.qmgr: each.rule for each in change.after.removed},
        )
        for change in made.routing
    }
    assert goes["PR2"] == (["FR2"], {"PR1": "put"})
    assert goes["PR1"] == (["FR2"], {"PR1": "put"})
    assert "FR2" not in goes  # its own instance is chosen as before
    (definition,) = made.definitions
    assert definition[1:] == ("PR1", "QLOCAL", "Q", "PUT", "ENABLED", "DISABLED", 1)


def test_a_plan_names_the_instance_that_clwlmruc_leaves_out(twin: Twin) -> None:
    """With CLWLMRUC(1) one of the two instances gets all messages."""
    made = planned(twin, PlannedScript("PR2", "ALTER QMGR CLWLMRUC(1)"))
    (change,) = (each for each in made.routing if (each.put.on, each.put.queue) == ("PR2", "Q"))
    assert [share.share for share in change.after.shares] == [100]
    assert [each.rule for each in change.after.removed] == ["mruc"]


def test_a_plan_names_the_rule_that_excluded_the_last_route_to_a_queue_manager(twin: Twin) -> None:
    """PR1 has a second channel of lower rank; its better channel decides why it gets nothing."""
    for name in ("PR1", "FR2"):
        text = f"ALTER CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CLWLRANK(1)"
        assert twin.runmqsc(name, text, at=START).exit_code == 0
    second = "DEFINE CHANNEL(CA.PR1X) CHLTYPE(CLUSRCVR) CONNAME(PR1) CLUSTER(CA)"
    assert twin.runmqsc("PR1", second, at=START).exit_code == 0
    made = planned(twin, PlannedScript("FR2", "ALTER QLOCAL(Q) CLWLPRTY(9)"))
    (change,) = (each for each in made.routing if each.put.on == "PR2")
    assert {each.qmgr: each.rule for each in change.after.removed} == {"PR1": "queue-priority"}


def test_a_plan_names_who_does_not_hear_and_why(twin: Twin) -> None:
    """A change at a queue manager whose channels cannot run reaches nobody, and that is said."""
    twin.link("cut", "PR1", "FR1", at=START + HOUR)
    twin.link("cut", "PR1", "FR2", at=START + HOUR)
    made = planned(twin, PlannedScript("PR1", "ALTER QLOCAL(Q) DESCR('new')"))
    missing = {each.observer: each for each in made.beliefs if each.effect == "misses"}
    assert missing.keys() == {"FR1", "FR2", "PR2"}
    waits = "its commands wait at PR1: CA.FR1 is RETRYING, next retry 2026-01-01T01:02:00Z"
    assert missing["FR1"].why == waits
    assert (missing["FR1"].before, missing["FR1"].after) == ("", "new")


def test_what_would_have_happened_anyway_is_not_part_of_a_plan(twin: Twin) -> None:
    """Renewals, expiry and removal that come without the change too are subtracted."""
    twin.endmqm("PR2", at=START + HOUR)
    made = planned(twin, PlannedScript("FR1", "DEFINE NAMELIST(X)"), advance=95 * DAY)
    assert [each.name for each in made.definitions] == ["X"]
    assert (made.beliefs, made.routing, made.dates, made.waiting) == ((), (), (), ())
    known = {row["qmgr"]: row["known_by"] for row in twin.ask("members", as_of=made.until).rows}
    assert known["PR2"] == ("PR2",)


def test_a_plan_says_when_a_belief_goes(twin: Twin) -> None:
    """An ended queue manager is forgotten 90 days after it last sent its records."""
    made = planned(twin, Command.program("PR1", "endmqm"), advance=95 * DAY)
    lost = {each.observer: each for each in made.beliefs if each.name == "PR1"}
    assert lost.keys() == {"FR1", "FR2", "PR2"}
    assert {each.how for each in lost.values()} == {"90 days after it was sent"}
    assert {each.when for each in lost.values()} == {START + 90 * DAY}


def test_each_record_goes_90_days_after_it_was_sent_itself(sqlite_url: str) -> None:
    """Records of one owner that were sent at different times are forgotten at different times."""
    twin = build(make_twin(sqlite_url, lambda: START + 10 * DAY))
    for days, queue in ((0, "OLD"), (10, "NEW")):
        define = f"DEFINE QLOCAL({queue}) CLUSTER(CA)"
        assert twin.runmqsc("PR1", define, at=START + days * DAY).exit_code == 0
    made = planned(twin, Command.program("PR1", "endmqm"), advance=120 * DAY)
    gone = {each.name: each.when for each in made.beliefs if each.observer == "FR1"}
    assert gone == {"OLD": START + 90 * DAY, "NEW": START + 100 * DAY, "PR1": START + 90 * DAY}


def test_messages_that_wait_for_a_forgotten_partner_stay_a_finding(twin: Twin) -> None:
    """The channel is RETRYING because the partner ended; that was planned until it is forgotten."""
    twin.runmqsc("PR1", "DEFINE QLOCAL(ONLY) CLUSTER(CA)", at=START)
    twin.put("PR2", "ONLY", at=START)
    twin.link("cut", "PR2", "PR1", at=START + HOUR)
    twin.put("PR2", "ONLY", count=4, bind="open", at=START + HOUR)
    for days, is_gone in ((1, True), (91, False)):
        made = planned(twin, Command.program("PR1", "endmqm"), advance=days * DAY)
        gone = {each.object for each in made.findings if each.effect == "gone"}
        assert ("PR2 CHANNEL(CA.PR1)" in gone) is is_gone
    rehearsal = twin.rehearse()
    rehearsal.endmqm("PR1")
    rehearsal.advance(START + 92 * DAY)
    (row,) = (each for each in rehearsal.ask("doctor").rows if each["id"] == "channel-retrying")
    assert "to PR1, of which it holds no record any more, since" in str(row["finding"])
    assert "(AMQ9202); 4 messages wait" in str(row["finding"])


def test_a_finding_that_goes_since_its_queue_manager_ends_is_not_called_mended(twin: Twin) -> None:
    """The end of the sender of a RETRYING channel hides the finding, and the plan says so."""
    twin.link("cut", "PR2", "PR1", at=START + HOUR)
    twin.put("PR2", "Q", count=4, bind="open", at=START + HOUR)
    for change, is_hidden in (
        (Command.program("PR2", "endmqm"), True),
        (PlannedScript("PR2", "STOP CHANNEL(CA.PR1)"), False),
    ):
        made = planned(twin, change)
        (gone,) = (
            each for each in made.findings if (each.effect, each.id) == ("gone", "channel-retrying")
        )
        assert gone.finding.endswith("gone because PR2 has ended.") is is_hidden


def test_messages_that_wait_and_move_are_listed(twin: Twin) -> None:
    """Waiting messages leave an instance that becomes put-disabled; those that are bound stay."""
    for partner in ("PR1", "FR2"):
        twin.link("cut", "PR2", partner, at=START + HOUR)
    for bind in ("notfixed", "open"):
        twin.put("PR2", "Q", count=4, bind=bind, at=START + HOUR)
    disabled = PlannedScript("PR1", "ALTER QLOCAL(Q) PUT(DISABLED)")
    made = planned(twin, disabled, advance=HOUR)
    moved = {(each.qmgr, each.why): (each.before, each.after) for each in made.waiting}
    unbound = sum(before for (_, why), (before, _) in moved.items() if not why)
    assert unbound == 4
    assert moved["PR1", ""][1] == 0
    assert moved["FR2", ""][1] == 4
    assert not any(why for _, why in moved)


def test_messages_whose_channel_goes_are_counted_as_stranded(twin: Twin) -> None:
    """A CLUSRCVR that is renamed while messages wait strands them, and is a new error."""
    twin.runmqsc("PR2", "STOP CHANNEL(CA.PR1)", at=START)
    twin.put("PR2", "Q", count=2, to="PR1", at=START)
    made = planned(
        twin,
        PlannedScript(
            "PR1",
            "STOP CHANNEL(CA.PR1)\nDELETE CHANNEL(CA.PR1)\nDEFINE CHANNEL(PR1.CA) "
            "CHLTYPE(CLUSRCVR) CONNAME('pr1(1414)') CLUSTER(CA)\n",
        ),
        PlannedScript("PR2", "START CHANNEL(CA.PR1)\n"),
    )
    assert [(each.why, each.strands) for each in made.waiting if each.strands] == [
        ("no-channel", 2)
    ]
    new = {(each.id, each.object) for each in made.findings if each.effect == "new"}
    assert ("channel-gone", "PR2 CHANNEL(CA.PR1)") in new


def test_suspending_and_refreshing_are_commands_of_a_plan(twin: Twin) -> None:
    """`suspension` names each cluster once, and `refresh` is REFRESH CLUSTER with REPOS(NO)."""
    estate, _ = twin.view()
    assert [*map(str, suspension(estate, "PR1"))] == ["PR1: SUSPEND QMGR CLUSTER(CA)"]
    made = planned(twin, *suspension(estate, "PR1"), refresh(estate, "PR2", "CA"))
    assert [command.text for command in made.commands] == [
        "SUSPEND QMGR CLUSTER(CA)",
        "REFRESH CLUSTER(CA) REPOS(NO)",
    ]
    assert {each.observer for each in made.beliefs if each.field == "SUSPEND"} >= {"FR1", "FR2"}


def test_the_commands_of_options_are_shown_where_the_queue_manager_does_not_run(
    twin: Twin,
) -> None:
    """They are written as for runmqsc, with quotes where needed; a file has one line."""
    estate = twin.view()[0]
    ended = Command.program("PR2", "endmqm")
    options = *suspension(estate, "PR2"), refresh(estate, "PR2", "lower")
    file = PlannedScript("PR2", "ALTER QMGR DESCR(A)\nALTER QMGR DESCR(B)\n", "pr2.mqsc")
    result = planned(twin, ended, *options, file)
    assert [(each.text, each.file, each.accepted) for each in result.commands] == [
        ("endmqm PR2", "", True),
        ("SUSPEND QMGR CLUSTER(CA)", "", False),
        ("REFRESH CLUSTER('lower') REPOS(NO)", "", False),
        ("", "pr2.mqsc", False),
    ]
    assert "  4 PR2 pr2.mqsc  no command is read" in list(text_of(result))


def test_a_plan_without_a_change_or_with_an_unknown_name_is_refused(twin: Twin) -> None:
    """Nothing planned, and a put that resolves on neither side, are bad input."""
    with pytest.raises(NothingPlanned):
        planned(twin)
    with pytest.raises(UnknownPlannedPut, match="NOSUCH is unknown at PR2"):
        planned(twin, Command.program("PR1", "endmqm"), puts=(PlannedPut("PR2", "NOSUCH"),))
    new = PlannedScript("PR1", "DEFINE QLOCAL(NEW) CLUSTER(CA)")
    (change,) = (
        each
        for each in planned(twin, new, puts=(PlannedPut("PR2", "NEW"),)).routing
        if each.put.on == "PR2"
    )
    assert (change.before.reason, change.after.reason) == (2085, 0)


def test_a_plan_says_how_far_it_is(twin: Twin) -> None:
    """It counts the puts that it compares, up to their number."""
    steps: list[tuple[float, float, str]] = []
    disabled = PlannedScript("PR1", "ALTER QLOCAL(Q) PUT(DISABLED)")
    request = Request(changes=lambda _: [disabled], progress=lambda *step: steps.append(step))
    plan(twin, request)
    compared = [(done, total) for done, total, step in steps if step == "comparing"]
    assert [done for done, _ in compared] == list(range(len(compared)))
    assert {total for _, total in compared} == {len(compared)}
    assert [step for *_, step in steps if step != "comparing"] == ["commands", "time passes"]


def test_a_plan_lists_the_findings_that_come_and_go(twin: Twin) -> None:
    """The doctor's findings with the change are compared with those without it."""
    demoted = planned(twin, PlannedScript("FR1", "ALTER QMGR REPOS(' ')"))
    new = {(each.id, each.object) for each in demoted.findings if each.effect == "new"}
    assert ("full-repository-single", "CLUSTER(CA)") in new
    assert demoted.has_new_finding(Severity.ERROR)
    twin.runmqsc("FR1", "ALTER QMGR REPOS(' ')", at=START + HOUR)
    mended = planned(twin, PlannedScript("FR1", "ALTER QMGR REPOS(CA)"))
    gone = {(each.id, each.object) for each in mended.findings if each.effect == "gone"}
    assert ("full-repository-single", "CLUSTER(CA)") in gone
    assert not mended.has_new_finding(Severity.WARNING)


def test_a_plan_lists_a_finding_that_becomes_worse(twin: Twin) -> None:
    """A stopped CLUSRCVR is only worth a remark while its queue manager is suspended."""
    twin.runmqsc("PR1", "SUSPEND QMGR CLUSTER(CA)\nSTOP CHANNEL(CA.PR1)", at=START + HOUR)
    resumed = planned(twin, PlannedScript("PR1", "RESUME QMGR CLUSTER(CA)"))
    (worse,) = (each for each in resumed.findings if each.effect == "worse")
    assert (worse.severity_before, worse.severity) == (Severity.INFO, Severity.ERROR)
    assert resumed.has_new_finding(Severity.ERROR)
    (changed,) = document_of(resumed)["findings"]["changed"]
    assert (changed["effect"], changed["severity_before"]) == ("worse", "info")
    assert f"! info -> error {worse.id}, " in "\n".join(text_of(resumed))
    twin.runmqsc("PR1", "RESUME QMGR CLUSTER(CA)", at=START + HOUR)
    suspended = planned(twin, PlannedScript("PR1", "SUSPEND QMGR CLUSTER(CA)"))
    assert {each.id for each in suspended.findings if each.effect == "milder"} == {worse.id}
    assert not suspended.has_new_finding(Severity.INFO)


def test_a_plan_shows_that_messages_go_to_another_address(twin: Twin) -> None:
    """A copy of PR1 with its QMID publishes another CONNAME: senders choose it as before."""
    made = planned(
        twin,
        PlannedScript("PR1", "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME('dr.example(1415)')"),
    )
    goes = {
        change.put.on: [
            {share.qmgr: share.address for share in each.shares}["PR1"]
            for each in (change.before, change.after)
        ]
        for change in made.routing
    }
    assert goes["PR2"] == ["pr1(1414)", "dr.example(1415)"]
    assert "PR1 at pr1(1414)" in " ".join(text_of(made))
    assert not any(change.is_worse for change in made.routing)
