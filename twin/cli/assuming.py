"""`twin reading`, `twin assume` and `twin retract`: what the log is to be read by, and without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context, Option

from twin.cli.errors import BadUsage
from twin.cli.output import DONE, emit
from twin.cli.target import AtOption, instant, target_of
from twin.model.amounts import counted
from twin.model.instants import format_instant

if TYPE_CHECKING:
    from twin.app.assumptions import AssumedName


def assume(
    context: Context,
    qmgr: Annotated[str, Argument(metavar="QM", help="Imported queue manager")],
    *,
    queue: Annotated[
        str | None, Option("--queue", metavar="Q", help="Assume that it also uses this queue")
    ] = None,
    used: Annotated[
        bool, Option("--used", help="Assume that it uses the queues that its definitions point to")
    ] = False,
    nothing: Annotated[bool, Option("--nothing", help="Assume that it uses no queue")] = False,
    at: AtOption = None,
) -> int:
    """Show or set what a queue manager is assumed to use.

    A dump does not say which queues of a cluster the applications of a queue manager have opened.
    By default (--used) twin assumes those that its definitions point to: targets of aliases, queue
    managers of remote definitions, destinations of subscriptions, streaming queues, and clustered
    queues with CLWLUSEQ(ANY). The queue manager then holds the records of these names that the full
    repositories hold.

    A complete answer to DISPLAY QCLUSTER(*) ends this for the names that it lacks, if a full
    repository had them. That a queue was asked for that the answer shows is no assumption. Only
    observed partial repositories have assumptions.

    --at may be in the past. Without an option, the command prints the assumed names.
    """
    chosen = [queue is not None, used, nothing]
    if sum(chosen) > 1:
        raise BadUsage(command="assume", problem="expected one of --queue, --used and --nothing")
    if not any(chosen):
        with target_of(context).reader(at, None) as twin:
            emit(_lines(qmgr, twin.assumed(qmgr, as_of=instant(twin, at))))
        return DONE
    with target_of(context).writer(at) as twin:
        when = instant(twin, at)
        if queue is not None:
            twin.assume(qmgr, "queue", queue=queue, at=when)
        else:
            twin.assume(qmgr, "used" if used else "nothing", at=when)
        names = twin.assumed(qmgr)
        emit(_lines(qmgr, names))
        if queue is not None and queue not in {each.name for each in names}:
            emit([f"{queue} is not assumed now: {qmgr} is a full repository, {_OR_SEEN}"])
    return DONE


_OR_SEEN: Final = "or a later answer to DISPLAY QCLUSTER shows what it holds"
"""Why else an assumption has no effect."""


def _lines(qmgr: str, names: list[AssumedName]) -> Iterator[str]:
    if not names:
        yield f"nothing is assumed of {qmgr}"
    for each in names:
        because = f" ({each.because})" if each.because else ""
        yield f"{qmgr} is assumed to use {each.kind} {each.name}{because}"


def reading(
    context: Context,
    choice: Annotated[
        str, Argument(metavar="[NAME=VALUE]", help="Reading to choose, such as restart=republish")
    ] = "",
    *,
    at: AtOption = None,
) -> int:
    """Choose how to model what IBM's documents leave open.

    A reading says how the model behaves where these documents are silent or disagree. The choice
    applies to the whole branch from now on. Recorded events do not change. Without NAME=VALUE, the
    command prints all readings.

    restart=due: a queue manager that starts sends the records that fell due while it was down.
    restart=republish: it sends all its records again.

    refresh=forget: after REFRESH CLUSTER a partial repository asks for a name at its next use.
    refresh=rebuild: it asks at once for the names that it used.

    failed=ended: a queue manager that failed stays ended. failed=restarted: what watches it, such
    as ARM or HACMP, starts it again at once.

    opmode=newfunc, opmode=compat: whether CLCHNAME and DEFCLXQ can be set on z/OS at 8.0.

    equals=stay: a reallocation pass moves nothing among equally good channels. equals=turn: they
    take turns, as at a put.

    switch-portion=50, switch-wait=0s: how many messages a switch of the transmission queue moves in
    one unit of work, and how long it waits before the next. pass-portion=50, pass-wait=0s: the same
    of a reallocation pass. Without a wait, all that can be moved is moved at once.

    fresh=26h: evidence of imported queue managers is fresh for this time, and old after three times
    that; fresh:QM1=2h is for QM1. Without it, evidence is fresh for twice the median time between
    the last collections of a queue manager, at least 10 minutes, at most 26 hours.
    """
    if not choice:
        with target_of(context).reader(at, None) as twin:
            emit(
                [
                    f"{name}={value}"
                    for name, value in twin.readings(as_of=instant(twin, at)).items()
                ]
            )
        return DONE
    name, sign, value = choice.partition("=")
    if not sign:
        example = "such as restart=republish"
        raise BadUsage(command="reading", problem=f"expected NAME=VALUE, {example}, not {choice}")
    with target_of(context).writer(at) as twin:
        twin.choose_reading(name, value, at=instant(twin, at))
    emit([f"reading {name}={value} chosen"])
    return DONE


def retract(
    context: Context,
    positions: Annotated[
        list[int] | None,
        Argument(metavar="[POSITION]...", help="Positions of facts, as twin log show prints them"),
    ] = None,
    *,
    since: Annotated[
        str | None,
        Option(
            metavar="T",
            help="Retract everything at or after this instant, also what only time caused",
        ),
    ] = None,
    undo: Annotated[
        int | None,
        Option(metavar="POSITION", help="Undo the retraction at this position"),
    ] = None,
) -> int:
    """Retract what was recorded by mistake, or undo that.

    The branch then answers as if the facts had never been recorded: what followed from them no
    longer counts, and everything later is derived again. Nothing is deleted: twin log show marks
    the events, and --known-at with an earlier time still sees them. Branches that were forked
    before the retraction do not change.

    Name the positions of commands and observations. What the rules derived from them is retracted
    with them.

    Use --since after commands that ran while the clock was wrong. The branch then goes back to its
    last fact before that instant.

    Prints the command that undoes the retraction.
    """
    chosen = [bool(positions), since is not None, undo is not None]
    if sum(chosen) != 1:
        problem = "expected one of POSITION..., --since T and --undo POSITION"
        raise BadUsage(command="retract", problem=problem)
    with target_of(context).writer(since, cures_clock=True) as twin:
        if undo is not None:
            done = twin.undo_retraction(undo)
        else:
            done = twin.retract(positions or (), since=instant(twin, since))
        verb = "retracted" if undo is None else "restored"
        counts = (
            f"{counted(done.facts, 'fact')} {verb}, {counted(done.derived, 'event')} derived again"
        )
        emit([f"{counts}; branch {twin.branch} now ends at {format_instant(done.latest)}"])
        if undo is None:
            emit([f"twin retract --undo {done.position} undoes this"])
    return DONE
