"""A plan says what becomes of messages whose channel does not work, as a put shows it."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from twin.app.twin import Twin
from twin.events.messages import Bind
from twin.model.commands import Command
from twin.model.instants import HOUR, MINUTE
from twin.review.plan.affected import PlannedPut
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import PlannedScript
from twin.review.plan.routing import RoutingChange
from twin.review.plan.text import text_of

NOW = START + 5 * HOUR
"""After the disconnect interval of the channels that carried the messages of the beginning."""


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a twin of a cluster in which two queue managers have the queue Q, which was used."""
    twin = build(make_twin(sqlite_url, lambda: NOW))
    for name in ("PR1", "FR2"):
        twin.runmqsc(name, "DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    for name in ("PR2", "FR1"):
        twin.put(name, "Q", count=4, at=START)
    return twin


def stopped(twin: Twin, *names: str, bind: Bind = "asqdef") -> Plan:
    """Plan to end some queue managers, and name a put from FR1."""
    ends = [Command.program(name, "endmqm") for name in names]
    return plan(twin, Request(changes=lambda _: ends, puts=(PlannedPut("FR1", "Q", bind),)))


def waiting(twin: Twin, *ended: str, on: str, bind: Bind = "asqdef") -> int:
    """Return how many of six messages wait on a branch where these queue managers ended."""
    twin.create_branch("w", at=NOW)
    branch = twin.on_branch("w")
    for name in ended:
        branch.endmqm(name, at=NOW)
    put = branch.put(on, "Q", count=6, bind=bind, at=NOW + MINUTE)
    return branch.whereabouts(on, put, at=NOW + 2 * MINUTE).waiting


def words(made: Plan) -> str:
    """Return the text of a plan as one line."""
    return " ".join(line.strip() for line in text_of(made))


def test_puts_over_idle_channels_to_ended_queue_managers_count_as_waiting(twin: Twin) -> None:
    """A channel that has disconnected does not start, so each put of a survivor is worse."""
    made = stopped(twin, "PR1", "FR2")
    changes = {each.put.on: each for each in made.routing if each.put.queue == "Q"}
    assert {on for on, each in changes.items() if each.is_worse} == {"FR1", "PR2"}
    assert all("would not start" in each.after.waits for each in changes.values())
    assert "no other instance can be reached" in words(made)
    assert waiting(twin, "PR1", "FR2", on="FR1") == 6


def test_a_message_that_is_not_bound_goes_to_the_instance_that_is_left(twin: Twin) -> None:
    """A plan names the destination after the channel fails, and does not count this as worse."""
    made = stopped(twin, "PR1")
    assert "to PR1: CA.PR1 would not start, as PR1 has ended; a message then goes to FR2" in words(
        made
    )
    assert not any(each.is_worse for each in made.routing if each.put.on != "PR1")
    assert waiting(twin, "PR1", on="FR1") == 0


def test_a_message_that_rank_keeps_is_not_said_to_be_routed_again(twin: Twin) -> None:
    """CLWLRANK is compared before the status, so messages wait for the higher rank."""
    twin.runmqsc("PR1", "ALTER QLOCAL(Q) CLWLRANK(5)", at=START + HOUR)
    made = stopped(twin, "PR1")
    line = "a message waits: FR2 is excluded by queue-rank"
    assert line in words(made)
    assert all(each.is_worse for each in made.routing)
    assert waiting(twin, "PR1", on="FR1") == 6


def test_a_bound_message_is_not_said_to_be_routed_again(twin: Twin) -> None:
    """A message that is bound waits for its queue manager, whatever else there is."""
    made = stopped(twin, "PR1", bind="open")
    line = "a message waits: it is bound to PR1"
    assert line in words(made)
    (change,) = (each for each in made.routing if each.put == PlannedPut("FR1", "Q", "open"))
    assert change.is_worse
    assert waiting(twin, "PR1", on="FR1", bind="notfixed") == 0


def test_a_message_to_the_only_instance_waits(twin: Twin) -> None:
    """Without another instance nothing is said of another route."""
    twin.runmqsc("FR2", "DELETE QLOCAL(Q) PURGE", at=START + HOUR)
    made = stopped(twin, "PR1")
    assert "a message waits: no other instance is known" in words(made)
    assert waiting(twin, "PR1", on="FR1") == 6


PREFER = PlannedScript("PR1", "ALTER QLOCAL(Q) CLWLPRTY(5)")


def changed(twin: Twin, *changes: PlannedScript, on: str, queue: str = "Q") -> RoutingChange:
    """Return what a plan says of one put."""
    made = plan(twin, Request(changes=lambda _: changes))
    (found,) = (each for each in made.routing if each.put == PlannedPut(on, queue))
    return found


def test_a_message_to_a_partner_behind_a_cut_link_goes_to_the_next_choice(twin: Twin) -> None:
    """CA.PR1 is INACTIVE, so it is chosen; it would not start, and the message goes to FR2."""
    twin.link("cut", "PR2", "PR1", at=NOW)
    change = changed(twin, PREFER, on="PR2")
    (share,) = change.after.shares
    assert (share.qmgr, share.then, share.stays) == ("PR1", "FR2", "")
    assert share.obstacle == "CA.PR1 would not start, as the link to PR1 is cut"
    assert not change.is_worse
    twin.create_branch("w", at=NOW)
    branch = twin.on_branch("w")
    branch.runmqsc("PR1", PREFER.text, at=NOW)
    put = branch.put("PR2", "Q", count=6, at=NOW + MINUTE)
    assert branch.whereabouts("PR2", put, at=NOW + 2 * MINUTE).waiting == 0
    assert branch.view(as_of=NOW + 2 * MINUTE)[0].qmgrs["FR2"].messaging.depth("Q") > 0


def test_the_obstacle_of_a_share_is_its_channel_if_that_does_not_work(twin: Twin) -> None:
    """Messages for the only instance wait for a channel that is RETRYING or STOPPED."""
    twin.runmqsc("FR2", "DELETE QLOCAL(Q) PURGE", at=START + HOUR)
    stop = PlannedScript("PR2", "STOP CHANNEL(CA.PR1)")
    (share,) = changed(twin, stop, on="PR2").after.shares
    assert (share.obstacle, share.then) == ("CA.PR1 is STOPPED", "")
    assert share.stays == "no other instance is known"
    twin.link("cut", "PR2", "PR1", at=NOW)
    twin.put("PR2", "Q", at=NOW)
    (share,) = changed(twin, stop, on="PR2").before.shares
    assert share.obstacle == "CA.PR1 is RETRYING"


def test_one_put_of_a_plan_does_not_change_the_next(twin: Twin) -> None:
    """A request that cannot reach FR2 makes CA.FR2 of PR2 RETRYING; no other put feels that."""
    for name in ("A", "Z"):
        twin.runmqsc("PR1", f"DEFINE QLOCAL({name}) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    twin.link("cut", "PR2", "FR2", at=NOW)
    alter = PlannedScript("FR2", "ALTER QLOCAL(Q) CLWLPRTY(5)")
    puts = tuple(PlannedPut("PR2", queue) for queue in ("A", "Z", "Q"))
    together = plan(twin, Request(changes=lambda _: [alter], puts=puts))
    for put in puts:
        alone = plan(twin, Request(changes=lambda _: [alter], puts=(put,)))
        one, other = (
            {each.put: (each.before, each.after) for each in made.routing}.get(put)
            for made in (together, alone)
        )
        assert one == other
    (share,) = changed(twin, alter, on="PR2").after.shares
    assert share.obstacle == "CA.FR2 would not start, as the link to FR2 is cut"
    assert share.then == "PR1"
