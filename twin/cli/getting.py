"""`twin get`: messages taken off a local queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.messaging import FAILED, Where
from twin.cli.options import At, Format, FormatOption
from twin.cli.output import show_lines
from twin.cli.place import instant, place_of

if TYPE_CHECKING:
    from twin.rules.messages.getting import Got


def get(
    context: Context,
    qmgr: Where,
    queue: Annotated[str, Argument(metavar="QUEUE", help="What it gets from")],
    *,
    count: Annotated[int, Option(min=1, metavar="N", help="How many messages")] = 1,
    at: At = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Take messages off a queue.

    Exit code 10 when there are fewer than were asked for; those that are there are taken.
    """
    from twin.model.reasons import reason_name
    from twin.questions.answer import Answer, Row

    with place_of(context).writer(at) as twin:
        when = instant(twin, at)
        got = twin.get(qmgr, queue, count=count, at=when)
        point = twin.as_of(valid=when)
    row: Row = {
        "on": qmgr,
        "queue": got.queue,
        "count": got.count,
        "left": got.left,
        "reason": got.reason,
        "reason_name": reason_name(got.reason),
    }
    show_lines(Answer("get", point, tuple(row), (row,)), _said(qmgr, got), output)
    return FAILED if got.reason else 0


def _said(qmgr: str, got: Got) -> Iterator[str]:
    from twin.model.reasons import reason_name

    if got.count or not got.reason:
        messages = f"{got.count} message{'' if got.count == 1 else 's'}"
        yield f"{messages} got from {got.queue} on {qmgr}, {got.left} left"
    if got.reason:
        yield f"{got.queue} on {qmgr}: {got.reason} {reason_name(got.reason)}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command("get")(get)
