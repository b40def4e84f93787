"""`twin retract`: facts that should not have been recorded no longer count."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.output import DONE, emit
from twin.cli.target import instant, target_of
from twin.model.amounts import counted


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
        from twin.model.instants import format_instant

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


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(retract)
