"""The section of a plan about error logs."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from twin.app.twin import Twin
from twin.model.commands import Command
from twin.model.instants import DAY, HOUR, Instant
from twin.review.plan.document import document_of
from twin.review.plan.error_log import error_log_changes
from twin.review.plan.pair import RehearsedPair
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import PlannedChange, PlannedScript, perform
from twin.review.plan.text import text_of


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a twin of a cluster with two full repositories and two members."""
    return build(make_twin(sqlite_url, lambda: START + HOUR))


def planned(twin: Twin, change: PlannedChange, advance: Instant = 0) -> Plan:
    """Plan a change now."""
    return plan(twin, Request(changes=lambda _: [change], advance=advance))


def test_a_plan_lists_the_error_log_entries_that_it_brings(twin: Twin) -> None:
    """A refused RESET at once; daily warnings together, with the first of them and how many."""
    reset = "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(NOBODY) QUEUES(NO)"
    at_once = planned(twin, PlannedScript("FR1", reset))
    (entry,) = at_once.error_log
    assert (entry.is_new, entry.on, entry.id, entry.entries) == (True, "FR1", "AMQ9455", 1)
    assert any("+ FR1: AMQ9455E: " in line and "(at once)" in line for line in text_of(at_once))
    later = planned(twin, Command.program("PR1", "endmqm"), advance=40 * DAY)
    warned = [each for each in later.error_log if each.id == "AMQ9469" and each.on == "FR1"]
    assert [(each.is_new, each.entries, each.last - each.first) for each in warned] == [
        (True, 13, 12 * DAY)
    ]
    document = document_of(later)["error_log"]
    assert {"is_new", "on", "id", "text", "first", "last", "entries"} == document[0].keys()


def test_a_plan_says_which_error_log_entries_no_longer_come(twin: Twin) -> None:
    """A queue manager that starts again spares the full repositories the warnings about it."""
    twin.endmqm("PR1", at=START + HOUR)
    made = planned(twin, Command.program("PR1", "strmqm"), advance=40 * DAY)
    assert {(each.on, each.id) for each in made.error_log if not each.is_new} >= {
        ("FR1", "AMQ9469"),
        ("FR2", "AMQ9469"),
    }


def test_entries_of_one_instant_are_counted_without_an_end(twin: Twin) -> None:
    """What comes several times at once does not say until when."""
    reset = "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(NOBODY) QUEUES(NO)"
    made = planned(twin, PlannedScript("FR1", f"{reset}\n{reset}"))
    assert any("+ FR1: AMQ9455E: " in line for line in text_of(made))
    assert any(line.endswith("(at once, 2 times)") for line in text_of(made))


def test_an_entry_that_comes_twice_instead_of_once_is_one_more(twin: Twin) -> None:
    """Equal entries of one instant are told apart by their number alone."""
    reset = PlannedScript("FR1", "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(NOBODY) QUEUES(NO)")
    begin = twin.rehearse()
    base, changed = begin.fork(), begin.fork()
    perform(base, (reset,))
    perform(changed, (reset, reset))
    pair = RehearsedPair(begin, base, changed, begin.now())
    assert [(each.is_new, each.on, each.entries) for each in error_log_changes(pair)] == [
        (True, "FR1", 1)
    ]
