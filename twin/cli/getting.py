"""`twin get`: gets messages from a local queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.answers import show_lines
from twin.cli.messaging import QmgrArgument
from twin.cli.output import DONE, FAILED
from twin.cli.target import AtOption, Format, FormatOption, instant, target_of
from twin.model.amounts import counted
from twin.model.reasons import reason_name

if TYPE_CHECKING:
    from twin.app.results import Got


def get(
    context: Context,
    qmgr: QmgrArgument,
    queue: Annotated[str, Argument(metavar="QUEUE", help="Queue to get from")],
    *,
    count: Annotated[int, Option(min=1, metavar="N", help="Number of messages to get")] = 1,
    at: AtOption = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Get messages from a queue.

    Prints how many messages were got, and how many are left on the queue.

    Exit codes: 0 all messages were got; 10 the queue had fewer, or another reason code; 20 bad
    input.
    """
    from twin.questions.answer import Answer, Row

    with target_of(context).writer(at) as twin:
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
    show_lines(Answer("get", point, tuple(row), (row,)), _lines(qmgr, got), output)
    return FAILED if got.reason else DONE


def _lines(qmgr: str, got: Got) -> Iterator[str]:
    if got.count or not got.reason:
        yield f"{counted(got.count)} got from {got.queue} on {qmgr}, {got.left} left"
    if got.reason:
        yield f"{got.queue} on {qmgr}: {got.reason} {reason_name(got.reason)}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command("get")(get)
