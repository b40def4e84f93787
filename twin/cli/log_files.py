"""`twin log upgrade` and `backup`: a log as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.exit_codes import DONE, FAILED
from twin.cli.output import complain, emit
from twin.cli.progress import ProgressBar
from twin.cli.target import target_of
from twin.model.amounts import counted


def upgrade(
    context: Context,
    *,
    snapshots: Annotated[
        bool, Option("--snapshots/--no-snapshots", help="Save snapshots of every branch at once")
    ] = True,
) -> int:
    """Bring a log of an older edition to the edition of this version of twin.

    An SQLite log is copied first, to a file beside it. On PostgreSQL, end all other programs that
    use the log, and make a backup (twin log backup prints how). If the upgrade is interrupted, the
    log stays as it was.

    Snapshots are a cache. An upgrade drops them; without them the next questions take longer.
    """
    from twin.app.clocks import system_clock
    from twin.app.twin import Twin
    from twin.log import Log

    log = Log.upgrade(target_of(context).url)
    with Twin(log, clock=system_clock, branch="main") as twin:
        emit(log.notices or ["the log is of the newest edition already"])
        if snapshots and log.notices:
            names = [branch.name for branch in log.branches()]
            saved = sum(twin.on_branch(name).snapshot() for name in names)
            emit([f"{counted(saved, 'snapshot')} saved"])
    return DONE


def backup(
    context: Context,
    file: Annotated[str, Argument(metavar="FILE", help="File that does not exist yet")],
) -> int:
    """Copy the log to a file, as it is at one moment. Others may go on writing to it.

    For a PostgreSQL log, the command prints the pg_dump command that does so, without a password,
    and copies nothing.

    Exit codes: 0 copied; 10 nothing was copied, run the printed command; 20 bad input.
    """
    with target_of(context).reader() as twin, ProgressBar("pages") as bar:
        end = twin.log.last()
        command = twin.log.back_up(Path(file), progress=bar.show)
    if command:
        complain("nothing was copied; run this command where the server can be reached:")
        emit([command])
        return FAILED
    emit([f"{file} is a copy of the log, with {counted(end.position, 'event')} or more"])
    return DONE


def register(app: Typer) -> None:
    """Add these commands to `twin log`."""
    app.command()(upgrade)
    app.command()(backup)
