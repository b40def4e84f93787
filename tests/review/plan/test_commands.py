"""A command is carried out as its text is run."""

from __future__ import annotations

import pytest

from tests.app.scenes import SCRIPTS, START, make_twin
from twin.app.rehearsing import Rehearsal
from twin.model.commands import Command
from twin.model.instants import HOUR
from twin.review.plan.planned import perform

COMMANDS = (
    Command.of("PR1", "DEFINE", "QLOCAL", "low.q", CLUSTER="CA", DESCR="it's; (new)"),
    Command.of("PR1", "DEFINE", "NAMELIST", "BOTH", NAMES=("CA", "cb")),
    Command.of("PR1", "ALTER", "QMGR", DEADQ="", CLWLMRUC=3),
    Command.of("PR1", "DEFINE", "TOPIC", "T", TOPICSTR=()),
    Command.of("PR1", "SUSPEND", "QMGR", CLUSTER="CA"),
    Command.of("PR1", "DELETE", "QLOCAL", "NOSUCH"),
    Command.of("PR1", "STOP", "CHANNEL", "CA.FR1", STATUS="INACTIVE"),
    Command.of("FR1", "REFRESH", "CLUSTER", "CA", REPOS="NO"),
    Command.of("FR1", "DISPLAY", "QMGR", REPOS=None),
    Command.program("PR1", "endmqm"),
    Command.program("PR1", "strmqm"),
)


@pytest.fixture
def begin(sqlite_url: str) -> Rehearsal:
    """Return a rehearsal of the usual cluster."""
    twin = make_twin(sqlite_url, lambda: START + HOUR)
    for name in SCRIPTS:
        twin.crtmqm(name, at=START)
        twin.strmqm(name, at=START)
    for name, script in SCRIPTS.items():
        assert twin.runmqsc(name, script, at=START).exit_code == 0
    return twin.rehearse()


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_carrying_out_a_command_is_running_its_text(begin: Rehearsal, command: Command) -> None:
    """The events, the replies and whether it is accepted are the same."""
    carried, ran = begin.fork(), begin.fork()
    (outcome,) = perform(carried, (command,)).commands
    if command.kind == "mqsc":
        session = ran.runmqsc(command.on, command.text)
        assert outcome.messages == tuple(each.render(session.level) for each in session.messages)
        assert outcome.accepted == (session.exit_code == 0)
    elif outcome.accepted:
        program, name = command.text.split()
        ran.control(program, name)
    assert [event for _, event in carried.decided] == [event for _, event in ran.decided]


def test_steps_that_cut_a_link_or_let_time_pass_are_planned_like_commands(
    begin: Rehearsal,
) -> None:
    """Both sides of a plan reach the minute after the last step, and the cut is on one alone."""
    steps = (
        Command.program("PR1", "cut", ("FR1", None)),
        Command.program("", "pass", name="12h"),
        Command.program("PR1", "cut", ("NOBODY", None)),
    )
    carried = begin.fork()
    done = perform(carried, steps).commands
    assert [(each.text, each.accepted) for each in done] == [
        ("cut PR1 FR1", True),
        ("pass 12h", True),
        ("cut PR1 NOBODY", False),
    ]
    assert carried.now() == begin.now() + 12 * HOUR
    assert carried.estate.links.keys() - begin.estate.links.keys()
