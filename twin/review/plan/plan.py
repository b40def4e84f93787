"""Plans: a change is rehearsed beside doing nothing, and both are compared at the same instant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from twin.errors import TwinError
from twin.fold.replay import gc_paused
from twin.model.amounts import counted
from twin.model.basis import Basis
from twin.model.commands import Command
from twin.model.instants import Instant, format_instant
from twin.mqsc.statement import typed_command
from twin.questions.assumed import notes_of_links, notes_of_rows
from twin.questions.doctor.fixes import looks
from twin.questions.namesakes import namesakes, shown_qmgr
from twin.questions.not_modelled import notes_of_direct_topics, notes_of_shared_queues
from twin.questions.order import order_after
from twin.questions.rehearsing import SETTLES_WITHIN
from twin.review.plan.affected import PlannedPut
from twin.review.plan.beliefs import BeliefChange, DateChange, belief_changes, date_changes
from twin.review.plan.definitions import DefinitionChange, definition_changes
from twin.review.plan.error_log import ErrorLogChange, error_log_changes
from twin.review.plan.findings import FindingChange, finding_changes
from twin.review.plan.handles import HandleChange, handle_changes
from twin.review.plan.lost import LostChange, lost_changes, notes_of_unseen_messages
from twin.review.plan.meanwhile import MOST_SPANS, NOTHING, ChangesThen, Meanwhile, meanwhile
from twin.review.plan.pair import RehearsedPair
from twin.review.plan.planned import (
    PlannedChange,
    PlannedControl,
    RehearsedCommand,
    perform,
)
from twin.review.plan.routing import PlanProgress, RoutingChange, routing_changes
from twin.review.plan.waiting import SeenWaiting, WaitingChange, seen_waiting, waiting_changes

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.app.twin import Twin
    from twin.fold.estate import QueueManager
    from twin.model.instants import AsOf
    from twin.model.objects import Definition
    from twin.questions.doctor.finding import Severity

MANY_QMGRS: Final = 200
"""Up to how many queue managers an estate is compared in between unless this is asked for.

Comparing in between takes longer than all else of a plan, in proportion to the queue managers.
"""


class NothingPlanned(
    TwinError,
    ValueError,
    message="nothing to plan: give a script with --on QM, QM=FILE, --suspend, --stop or --refresh",
):
    """A plan without a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to plan.

    Attributes:
        changes: the changes, in order; a function makes them from the estate at the beginning.
        puts: puts to compare besides those that the change can affect.
        advance: how long to let time pass after the change, in microseconds.
        between: whether to compare also in between, where effects may begin and end; None: if the
            estate has at most `MANY_QMGRS` queue managers.
        may_be_empty: whether there may be no change.
        progress: called with how much of a step is done, of what total, and the name of the step;
            a total of 0 is not known.
    """

    changes: Callable[[Rehearsal], Sequence[PlannedChange]]
    puts: tuple[PlannedPut, ...] = ()
    advance: Instant = 0
    between: bool | None = None
    may_be_empty: bool = False
    progress: PlanProgress = lambda _done, _total, _step: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a change does, beside what happens without it.

    Attributes:
        point: where the rehearsals began.
        until: the instant at which they are compared.
        scripts: (queue manager, path) of each script.
        commands: each command and its reply.
        definitions, beliefs, routing, waiting, dates, error_log, findings: the differences at the
            end, by section; of error logs, those until then.
        seen: what captures show of the messages for channels that the change stops.
        lost: the messages that the change destroys until then.
        handles: open handles whose messages then end elsewhere.
        meanwhile: the differences that have gone at the end.
        notes: what else its reader should know.
        namesakes: the QMIDs of queue managers that share their name with another one.
        of_files: whether the queue managers are those of files, and not those of a log.
    """

    point: AsOf
    until: Instant
    scripts: tuple[tuple[str, str], ...]
    commands: tuple[RehearsedCommand, ...]
    definitions: tuple[DefinitionChange, ...]
    beliefs: tuple[BeliefChange, ...]
    routing: tuple[RoutingChange, ...]
    waiting: tuple[WaitingChange, ...]
    dates: tuple[DateChange, ...]
    error_log: tuple[ErrorLogChange, ...]
    findings: tuple[FindingChange, ...]
    seen: tuple[SeenWaiting, ...] = ()
    lost: tuple[LostChange, ...] = ()
    handles: tuple[HandleChange, ...] = ()
    meanwhile: Meanwhile = NOTHING
    notes: tuple[str, ...] = ()
    namesakes: frozenset[str] = frozenset()
    of_files: bool = False

    @property
    def begin(self) -> tuple[str, ...]:
        """Where the rehearsals began, as answers print it; files have no branch of a log."""
        return self.point.lines[:1] if self.of_files else self.point.lines

    def named(self, name: str, qmid: str) -> str:
        """Write the name of a queue manager, with its QMID if another one has that name."""
        return shown_qmgr(name, qmid, self.namesakes)

    @property
    def refused(self) -> int:
        """The number of commands that were refused."""
        return sum(not command.accepted for command in self.commands)

    @property
    def changes_anything(self) -> bool:
        """Whether anything differs."""
        return any(
            (
                *(self.definitions, self.beliefs, self.routing, self.lost, self.handles),
                *(self.waiting, self.dates, self.error_log, self.findings, self.meanwhile),
            )
        )

    def has_new_finding(self, least: Severity) -> bool:
        """Return whether the change brings a finding as bad as `least`, or makes one that bad."""
        return any(each.is_worse and each.severity.rank <= least.rank for each in self.findings)


def plan(
    twin: Twin, request: Request, *, as_of: Instant | None = None, known_at: Instant | None = None
) -> Plan:
    """Rehearse changes at an instant, which defaults to now, and compare with doing nothing.

    Raises:
        NothingPlanned: if there is no change.
        NoSuchQueueManager: if a change or a put names a queue manager that does not exist.
    """

    def once() -> Plan:
        begin = twin.rehearse(as_of=as_of, known_at=known_at)
        changes = tuple(request.changes(begin))
        if not changes and not request.may_be_empty:
            raise NothingPlanned
        _check_names(begin, changes, request.puts)
        base, changed = begin.fork(), begin.fork()
        request.progress(0, 0, "commands")
        performed = perform(changed, changes)
        start = begin.now()
        settled = start + SETTLES_WITHIN
        until = max(changed.now() + SETTLES_WITHIN, start + request.advance)
        request.progress(0, 0, "time passes")
        for rehearsal in (base, changed):
            rehearsal.advance(until)
        pair = RehearsedPair(begin, base, changed, settled)
        changed.settle(base, apart=pair.parts)
        with gc_paused():
            made = Plan(
                point=begin.point,
                until=until,
                scripts=tuple(
                    dict.fromkeys(
                        (each.on, each.file)
                        for each in changes
                        if not isinstance(each, Command) and each.file
                    )
                ),
                commands=tuple(_looked_at(begin, each) for each in performed.commands),
                definitions=tuple(definition_changes(pair, performed.causes)),
                beliefs=tuple(belief_changes(pair)),
                routing=tuple(routing_changes(pair, request.puts, request.progress)),
                waiting=tuple(waiting_changes(pair)),
                seen=tuple(seen_waiting(pair)),
                lost=tuple(lost_changes(pair)),
                handles=tuple(handle_changes(pair)),
                dates=tuple(date_changes(pair)),
                error_log=tuple(error_log_changes(pair)),
                findings=tuple(finding_changes(pair)),
                namesakes=namesakes(base.estate, changed.estate),
            )
        made = _without_deleted(made, pair, request.puts)
        if until > settled:
            request.progress(0, 0, "comparing in between")
            made = replace(made, meanwhile=_meanwhile(made, pair, request))
        return replace(made, notes=tuple(dict.fromkeys((*made.notes, *_notes(twin, pair, made)))))

    return twin.soundly(once)


def _looked_at(begin: Rehearsal, command: RehearsedCommand) -> RehearsedCommand:
    """Let a command say what to display before it, if it may lose a batch in doubt."""
    given = typed_command(command.on, command.text)
    first = next(looks(begin.estate.qmgrs, given, begin.now()), None)
    return command if first is None else replace(command, first=first.text)


def _without_deleted(made: Plan, pair: RehearsedPair, puts: Sequence[PlannedPut]) -> Plan:
    """Return a plan without the records, puts and error logs of queue managers that are deleted.

    A note names each of them. Puts that were asked for stay.
    """
    deleted = pair.base.estate.qmgrs.keys() - pair.changed.estate.qmgrs.keys()
    return replace(
        made,
        beliefs=tuple(each for each in made.beliefs if each.observer not in deleted),
        error_log=tuple(each for each in made.error_log if each.on not in deleted),
        routing=tuple(
            each for each in made.routing if each.put.on not in deleted or each.put in puts
        ),
        notes=tuple(
            f"{name} is deleted: its records of others, error log and puts are left out"
            for name in sorted(deleted)
        ),
    )


def _meanwhile(made: Plan, pair: RehearsedPair, request: Request) -> Meanwhile:
    """Return what differs only for a time; of deleted queue managers nothing is said."""
    ending = ChangesThen(made.beliefs, made.routing, made.waiting, made.dates)
    compares = request.between
    if compares is None:
        compares = len(pair.base.estate.qmgrs) <= MANY_QMGRS
    with gc_paused():
        return meanwhile(pair, ending, request.puts, most=MOST_SPANS if compares else 0)


def _check_names(
    begin: Rehearsal, changes: Sequence[PlannedChange], puts: Sequence[PlannedPut]
) -> None:
    """Check that the queue managers of changes and puts exist, or that the change creates them."""
    controls = (each for each in changes if isinstance(each, PlannedControl))
    new = {"", *(each.on for each in controls if each.command.verb == "crtmqm")}
    for name in (*(each.on for each in changes if each.on not in new), *(put.on for put in puts)):
        begin.estate.qmgr(name)


def _left_out(found: Meanwhile) -> Iterator[str]:
    """Yield a line that says when effects may begin and end that are not shown."""
    if found.left_out and found.compared:
        yield (
            f"what differs for a time only is compared in the {found.compared} longest spans of "
            f"time; {counted(found.left_out, 'span')} left out"
        )
    elif found.left_out:
        yield (
            "effects that begin and end within --advance are not compared here: "
            f"{counted(found.left_out, 'span')} of time left out; --between compares the longest"
        )


def _notes(twin: Twin, pair: RehearsedPair, made: Plan) -> Iterator[str]:
    """Yield lines about what is assumed, and about what is missing."""
    rows = [
        {**change._asdict(), "basis": Basis.ASSUMED}  # only records that are assumed give a line
        for change in made.beliefs
    ]
    yield from notes_of_rows(pair.changed.estate, rows)
    for change in made.routing:
        yield from (*change.before.notes, *change.after.notes)
    yield from notes_of_links(pair.base.estate)
    yield from _tried_again(pair)
    yield from notes_of_direct_topics(_new_topics(pair))
    yield from notes_of_shared_queues(pair.changed.estate)
    yield from notes_of_unseen_messages(pair, made.commands)
    before, after = (
        order_after(each.event for each in side.decided[pair.first :])
        for side in (pair.base, pair.changed)
    )
    yield from (each for each in after if each not in before)
    yield from _left_out(made.meanwhile)
    yield from twin.incompleteness(made.point)


def _tried_again(pair: RehearsedPair) -> Iterator[str]:
    """Yield the channels that run at their next retry because of the change, and only then."""
    for sides in pair.touched("activity"):
        if sides.before is None or sides.after is None:
            continue
        before = sides.before.activity.channels
        for channel, state in sides.after.activity.channels.items():
            was = before.get(channel)
            if state.status != "RETRYING" or state.retry is None or was is None or was.retry:
                continue
            yield (
                f"{channel} of {sides.after.name} runs at its next retry, "
                f"{format_instant(state.retry)}, or as soon as START CHANNEL is entered"
            )


def _new_topics(pair: RehearsedPair) -> Iterator[tuple[QueueManager, Definition]]:
    """Go through the topics that the change defines or alters."""
    for sides, (kind, _), _, topic in pair.objects:
        if kind == "TOPIC" and topic is not None and sides.after is not None:
            yield sides.after, topic
