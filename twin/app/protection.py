"""Decide whether a command may act on a queue manager on main.

A queue manager that crtmqm made is simulated: the rules decide what happens to it. One that was
first seen in a feed is observed: on main, only observations change it. On any other branch, every
queue manager is simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Final

from twin import events
from twin.app.acting import COMMAND, Fact
from twin.errors import TwinError
from twin.fold.estate import Estate
from twin.log import Log
from twin.model.instants import MAIN

BRANCH: Final = "whatif"
"""The name of the branch that a refusal proposes; a number follows if there is such a branch."""


class ObservedOnMain(
    TwinError,
    ValueError,
    message="{} is observed, so only observations change it on main; try it on a branch: {}",
):
    """A command that would change an observed queue manager on main; nothing was recorded."""


def calls_on(branch: str) -> str:
    """Return how a Python program makes a branch and works on it."""
    return f"twin.create_branch({branch!r}), then twin.on_branch({branch!r})"


@dataclass(frozen=True, slots=True)
class Protection:
    """Keeps commands on main away from observed queue managers.

    Attributes:
        lifted: whether main is simulated, too: every command is carried out.
        instead: returns how the same is done on a new branch of this name.
    """

    lifted: bool = False
    instead: Callable[[str], str] = calls_on

    def check(self, facts: Sequence[Fact], estate: Estate, *, log: Log, branch: str) -> None:
        """Check that commands may act on the queue managers of an estate.

        Raises:
            ObservedOnMain: if a command would change an observed queue manager on main.
        """
        if self.lifted or branch != MAIN:
            return
        for fact in facts:
            if fact.source != COMMAND:
                continue
            for name in _changed(fact, estate):
                qmgr = estate.qmgrs.get(name)
                if qmgr is not None and qmgr.observed:
                    raise ObservedOnMain(name, self.instead(_free_name(log)))


def _changed(fact: Fact, estate: Estate) -> Collection[str]:
    """Return the queue managers that a command acts on, not those that only hear of it."""
    event = fact.event
    if isinstance(event, events.LinkChanged):
        return (event.qmgr, event.other) if event.qmgr or event.other else estate.qmgrs
    if isinstance(event, events.ControlCommandEntered) and event.command == "crtmqm":
        return ()  # refused by MQ if there is such a queue manager
    if isinstance(event, events.CommandEntered) and _only_reads(event, fact):
        return ()
    return (event.qmgr,)


def _only_reads(event: events.CommandEntered, fact: Fact) -> bool:
    from twin.mqsc.statement import Statement, parse  # noqa: PLC0415 - a reader needs none
    from twin.mqsc.words import READING_VERBS  # noqa: PLC0415

    statement = fact.command.statement if fact.command else parse(event.text)
    return isinstance(statement, Statement) and statement.verb in READING_VERBS


def _free_name(log: Log) -> str:
    taken = {branch.name for branch in log.branches()}
    names = chain((BRANCH,), (f"{BRANCH}{number}" for number in count(2)))
    return next(name for name in names if name not in taken)
