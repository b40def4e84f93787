"""`twin assume`: what an imported queue manager is assumed to use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.output import DONE, emit
from twin.cli.target import AtOption, instant, target_of

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

    The assumption ends when you import a complete answer to DISPLAY QCLUSTER(*), which shows what
    the queue manager holds. Only observed partial repositories have assumptions.

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


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(assume)
