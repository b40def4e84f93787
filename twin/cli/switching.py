"""`twin runswchl`: channels that do not run get the transmission queue that the definitions say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context, Typer

from twin.cli.errors import BadUsage
from twin.cli.flags import FLAGS, told_apart
from twin.cli.options import At, Format, FormatOption
from twin.cli.output import show_lines
from twin.cli.place import instant, place_of
from twin.cli.queue_managers import FREE_WORDS

if TYPE_CHECKING:
    from twin.model.asof import AsOf
    from twin.questions.answer import Answer
    from twin.rules.channels.switching import Switching

_COMMAND: Final = "runswchl"
_LEFT: Final = 10
"""The exit code where a channel should be switched and was not."""


def runswchl(
    context: Context,
    words: Annotated[list[str], Argument(metavar="-m QM -c CHANNEL [-q] [-n]")],
    *,
    at: At = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Switch cluster-sender channels that do not run to their transmission queue of now.

    With -q it is only said which would be; with -n their messages stay behind.
    """
    told = told_apart(_COMMAND, words)
    if told.names or not {"m", "c"} <= told.flags.keys():
        raise BadUsage(command=_COMMAND, problem="write -m QM -c CHANNEL, generic* or '*'")
    qmgr, channel = told.flags["m"], told.flags["c"]
    if "q" in told.flags:
        return _report(context, qmgr, channel, at, output)
    with place_of(context).writer(at) as twin:
        when = instant(twin, at)
        found = twin.runswchl(qmgr, channel, move="n" not in told.flags, at=when)
        answer = _answer(twin.as_of(), found)
    show_lines(answer, _lines(found), output)
    return 0 if all(each.switched for each in found) else _LEFT


def _report(context: Context, qmgr: str, channel: str, at: str | None, output: Format) -> int:
    with place_of(context).reader(at, None) as twin:
        found, point = twin.pending_switches(qmgr, channel, as_of=instant(twin, at))
    show_lines(_answer(point, found), _lines(found), output)
    return 0


def _answer(point: AsOf, found: Iterable[Switching]) -> Answer:
    from twin.questions.answer import Answer
    from twin.rules.channels.switching import Switching

    rows = tuple(each._asdict() for each in found)
    return Answer(_COMMAND, point, Switching._fields, rows)


def _lines(found: Iterable[Switching]) -> Iterator[str]:
    none = True
    for each in found:
        none = False
        yield f"{each.channel} ({each.status}): {each.xmitq} -> {each.pending_xmitq}"
        yield f"  {_said(each)}"
    if none:
        yield "No channel is to have another transmission queue."


def _said(found: Switching) -> str:
    from twin.model.amounts import counted

    if not found.switched:
        return f"{counted(found.messages)}, not switched"
    if found.stranded:
        return f"switched, {counted(found.stranded)} left behind"
    return f"switched with {counted(found.messages)}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command(context_settings=FREE_WORDS, epilog=FLAGS[_COMMAND].help())(runswchl)
