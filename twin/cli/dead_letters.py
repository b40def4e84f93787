"""`twin runmqdlq`: processes the messages on a dead-letter queue by a rules table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from twin.cli.answers import show_lines
from twin.cli.files import STANDARD_INPUT, read_text
from twin.cli.output import DONE, FAILED
from twin.cli.target import AtOption, Format, FormatOption, instant, target_of
from twin.model.amounts import counted

if TYPE_CHECKING:
    from twin.app.results import Handled


def runmqdlq(
    context: Context,
    qmgr: Annotated[str, Argument(metavar="QM", help="Queue manager")],
    rules: Annotated[
        str, Argument(metavar="[RULES]", help="Rules table; - is standard input")
    ] = STANDARD_INPUT,
    *,
    queue: Annotated[
        str, Option(metavar="QUEUE", help="Dead-letter queue [INPUTQ of the rules, or else DEADQ]")
    ] = "",
    at: AtOption = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Process a dead-letter queue by a rules table.

    The actions are RETRY, FWD, DISCARD and IGNORE; the patterns are DESTQ, DESTQM, REASON and
    PERSIST. Each message is processed once.

    Prints what happened to the messages of each put.

    Exit codes: 0 done; 10 some messages could not be put; 20 bad input.
    """
    from twin.app.results import Handled
    from twin.questions.answer import Answer

    text = read_text(rules)
    with target_of(context).writer(at) as twin:
        handled = twin.runmqdlq(qmgr, text, queue=queue, at=instant(twin, at))
        rows = tuple(each._asdict() for each in handled)
        answer = Answer("runmqdlq", twin.as_of(), Handled._fields, rows)
    show_lines(answer, _lines(handled), output)
    return FAILED if any(each.why for each in handled) else DONE


def _lines(handled: Sequence[Handled]) -> Iterator[str]:
    from twin.model.reasons import reason_name

    for each in handled:
        reason = reason_name(each.reason) if each.reason else "no reason"
        yield f"{counted(each.messages)} for {each.queue} at {each.qmgr} ({reason})"
        if each.line is None:
            yield "  no rule fits: left on the queue"
            continue
        done = f"  {each.action} (line {each.line})"
        if each.why:
            yield f"{done}: {counted(each.left)} left on the queue, {reason_name(each.why)}"
        else:
            yield f"{done}: left on the queue" if each.left else f"{done}: done"
    if not handled:
        yield "there is no message"
