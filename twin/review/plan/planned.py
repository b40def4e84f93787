"""The changes that a plan rehearses, and what became of each command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from twin import events
from twin.errors import TwinError
from twin.model.commands import Command
from twin.model.instants import parse_length
from twin.mqsc.masking import masked, masked_text
from twin.mqsc.reader import CommandRead, Item, read
from twin.rules.membership import clusters_joined

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.estate import Estate
    from twin.rules.draft import Decided

_OF_OBJECT: Final = (events.ObjectDefined, events.ObjectAltered, events.ObjectDeleted)
_OF_QMGR: Final = (
    events.QueueManagerAltered,
    events.QueueManagerCreated,
    events.QueueManagerStarted,
    events.QueueManagerEnded,
    events.QueueManagerDeleted,
    events.QueueManagerSuspended,
    events.QueueManagerResumed,
)

LINKS: Final = frozenset({"cut", "heal"})
"""The verbs that cut and heal a link; the parameter is the other queue manager."""

TIME_PASSES: Final = "pass"
"""The verb that lets time pass; the name is how long, as it was written, and no queue manager is
named.
"""

CausedObject: TypeAlias = tuple[str, str, str]
"""(queue manager, kind, name) of an object; kind and name of a queue manager's own attributes are
`QMGR` and ''.
"""


@dataclass(frozen=True, slots=True)
class PlannedScript:
    """MQSC to run at a queue manager.

    Attributes:
        on: the queue manager.
        text: the commands.
        file: the path of the script as given; '' if an option of the plan stands for it.
        line: the line of the file that the text begins with, from 1; 0 if it has no line there.
    """

    on: str
    text: str
    file: str = ""
    line: int = 1


@dataclass(frozen=True, slots=True)
class PlannedControl:
    """A control command, or a step of a what-if, with what is not written in it.

    Attributes:
        command: the command.
        arguments: what crtmqm is given, each as `name=value`.
        file: the path of the file that asks for it; '' if an option of the plan does.
        configuration: what crtmqm gives with -ii, -ic and -iv; None if nothing.
    """

    command: Command
    arguments: tuple[str, ...] = ()
    file: str = ""
    configuration: events.AutomaticConfiguration | None = field(default=None, hash=False)

    @property
    def on(self) -> str:
        """The queue manager."""
        return self.command.on


PlannedChange: TypeAlias = PlannedScript | PlannedControl | Command


@dataclass(frozen=True, slots=True)
class RehearsedCommand:
    """One command of a plan, and the reply to it.

    Attributes:
        number: its number in the plan, from 1.
        on: the queue manager.
        file, line: where it stands; '' and 0 if it stands nowhere.
        text: the command, with passwords masked; '' if it stands for a file that was not read.
        messages: the reply messages.
        accepted: whether it was carried out.
        segment: of a command with a syntax error, its text up to and including the error.
        first: the DISPLAY to run before it, because it may lose a batch in doubt; '' for none.
    """

    number: int
    on: str
    file: str
    line: int
    text: str
    messages: tuple[str, ...]
    accepted: bool
    segment: str = ""
    first: str = ""


@dataclass(frozen=True, slots=True)
class Performance:
    """What became of the commands of a plan.

    Attributes:
        commands: every command, in order.
        causes: object -> the number of the last command that changed it.
    """

    commands: tuple[RehearsedCommand, ...]
    causes: Mapping[CausedObject, int]


def suspension(estate: Estate, qmgr: str) -> list[Command]:
    """Return the commands that suspend a queue manager in each of its clusters.

    Raises:
        NoSuchQueueManager: if it does not exist.
    """
    known = estate.qmgr(qmgr)
    clusters = [name for name in clusters_joined(known) if name not in known.suspended]
    return [Command.of(qmgr, "SUSPEND", "QMGR", CLUSTER=name) for name in clusters]


def refresh(estate: Estate, qmgr: str, cluster: str) -> Command:
    """Return the command that refreshes a queue manager in a cluster.

    Raises:
        NoSuchQueueManager: if the queue manager does not exist.
    """
    estate.qmgr(qmgr)
    return Command.of(qmgr, "REFRESH", "CLUSTER", cluster, REPOS="NO")


def changing(
    scripts: Iterable[PlannedScript],
    *,
    suspend: Iterable[str] = (),
    stop: Iterable[str] = (),
    refreshes: Iterable[tuple[str, str]] = (),
    moved: Iterable[tuple[str, str]] = (),
) -> Callable[[Rehearsal], Sequence[PlannedChange]]:
    """Return the changes of a plan in order: scripts, then suspensions, ends and refreshes.

    They follow from the estate where the plan begins. `refreshes` are queue managers, each with a
    cluster, and `moved` queue managers, each with an address that leads there no longer. The
    function raises NoSuchQueueManager if one to suspend or to refresh does not exist.
    """
    return lambda begin: [
        *(Command.program(on, "cut", (address, True)) for on, address in moved),
        *scripts,
        *(command for qmgr in suspend for command in suspension(begin.estate, qmgr)),
        *(Command.program(qmgr, "endmqm") for qmgr in stop),
        *(refresh(begin.estate, qmgr, cluster) for qmgr, cluster in refreshes),
    ]


def perform(rehearsal: Rehearsal, changes: tuple[PlannedChange, ...]) -> Performance:
    """Carry out all changes of a plan in a rehearsal, whatever is refused."""
    commands: list[RehearsedCommand] = []
    causes: dict[CausedObject, int] = {}
    for change in map(_sourced, changes):
        if isinstance(change, PlannedControl):
            began = len(rehearsal.decided)
            commands.append(_control(rehearsal, change, len(commands) + 1))
            _note(causes, rehearsal.decided[began:], len(commands))
        else:
            _run(rehearsal, change, commands, causes)
    return Performance(tuple(commands), causes)


def _sourced(change: PlannedChange) -> PlannedScript | PlannedControl:
    """Return a change with where it comes from: a command alone comes from nowhere."""
    if not isinstance(change, Command):
        return change
    is_mqsc = change.kind == "mqsc"
    return PlannedScript(change.on, change.text) if is_mqsc else PlannedControl(change)


def _control(rehearsal: Rehearsal, change: PlannedControl, number: int) -> RehearsedCommand:
    on, command = change.on, change.command
    refused: tuple[str, ...] = ()
    try:
        if command.verb in LINKS:
            ((other, _),) = command.parameters
            rehearsal.link(command.verb, on, other)
        elif command.verb == TIME_PASSES:
            rehearsal.advance(rehearsal.now() + parse_length(command.name))
        else:
            given = change.configuration
            rehearsal.control(command.verb, on, *change.arguments, configuration=given)
    except TwinError as error:
        refused = (str(error),)
    return RehearsedCommand(number, on, change.file, 0, command.text, refused, not refused)


def _run(
    rehearsal: Rehearsal,
    script: PlannedScript,
    commands: list[RehearsedCommand],
    causes: dict[CausedObject, int],
) -> None:
    """Run a script; add its commands, and what each of them changed."""
    first = len(commands)
    begins = [len(rehearsal.decided)]

    def items() -> Iterator[Item]:
        for item in read(script.text):
            yield item
            if isinstance(item, CommandRead):
                begins.append(len(rehearsal.decided))

    session = rehearsal.mqsc(script.on, file=script.file or None)
    for _ in session.stream(items()):
        pass
    if not session.replies and session.problem:
        commands += _unread(script, session.problem, first + 1)
    for number, reply in enumerate(session.replies, first + 1):
        messages = tuple(message.render(session.level) for message in reply.messages)
        accepted = not reply.failed
        line = reply.line + script.line - 1 if script.file and script.line else 0
        commands.append(
            RehearsedCommand(
                number,
                script.on,
                script.file,
                line,
                masked(reply.text.strip()),
                messages,
                accepted,
                masked_text(reply.segment),
            )
        )
    for number, (begin, end) in enumerate(pairwise(begins), first + 1):
        _note(causes, rehearsal.decided[begin:end], number)


def _unread(script: PlannedScript, problem: str, number: int) -> Iterator[RehearsedCommand]:
    """Yield what a queue manager refuses that reads no command: a file as a whole."""
    texts = [item.text for item in read(script.text) if isinstance(item, CommandRead)]
    for n, text in enumerate([""] if script.file else texts, number):
        yield RehearsedCommand(
            n, script.on, script.file, 0, masked(text.strip()), (problem,), accepted=False
        )


def _note(causes: dict[CausedObject, int], decided: Sequence[Decided], number: int) -> None:
    """Note which objects a command changed."""
    for _, event in decided:
        if isinstance(event, _OF_OBJECT):
            causes[event.qmgr, event.kind, event.name] = number
        elif isinstance(event, _OF_QMGR):
            causes[event.qmgr, "QMGR", ""] = number
