"""`twin browse`: lists the messages on a queue."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Context, Typer

from twin.cli.answers import Layout, show
from twin.cli.output import DONE
from twin.cli.target import (
    AsOfOption,
    ColumnsOption,
    Format,
    FormatOption,
    KnownAt,
    LimitOption,
    WideOption,
    instant,
    log_time,
    target_of,
)


def browse(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: Annotated[str, Argument(metavar="QM", help="Queue manager that has the queue")],
    queue: Annotated[str, Argument(metavar="QUEUE", help="Local queue to browse")],
    *,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
    columns: ColumnsOption = None,
    wide: WideOption = False,
    limit: LimitOption = None,
) -> int:
    """List the messages on a local queue and their descriptors.

    Each row stands for the identical messages of one put. The messages stay on the queue. This is
    the short form of `twin ask browse --on QM --queue QUEUE`, whose --help explains the columns.

    Exit codes: 0 listed, even if the queue is empty; 20 bad input.
    """
    layout = Layout.of("browse", columns, wide=wide, limit=limit)
    with target_of(context).reader(as_of, known_at) as twin:
        valid, known = instant(twin, as_of), log_time(twin, known_at)
        answer = twin.ask("browse", as_of=valid, known_at=known, on=qmgr, queue=queue)
    show(answer, output, layout)
    return DONE


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command("browse")(browse)
