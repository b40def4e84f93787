"""runmqsc and dmpmqcfg: the language of MQ, in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context, Typer

from twin.cli.errors import BadUsage
from twin.cli.files import STANDARD_INPUT, read_text, typed_at
from twin.cli.flags import FLAGS, Words, only_name, told_apart
from twin.cli.options import AsOfOption, At, Format, FormatOption, KnownAt
from twin.cli.output import emit, show
from twin.cli.place import Place, instant, log_time, place_of
from twin.cli.queue_managers import FREE_WORDS
from twin.errors import TwinError

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.model.asof import AsOf
    from twin.mqsc.reader import Item
    from twin.questions.answer import Answer

_WHOLE: Final = {"t": "all", "x": "all", "n": "*", "o": "mqsc"}
"""What dmpmqcfg's limits say where they limit nothing, which is their default in MQ too."""

_MOST_NAMES: Final = 2
"""runmqsc takes a queue manager and a file."""


def runmqsc(
    context: Context,
    words: Annotated[list[str] | None, Argument(metavar="[FLAGS] QM [FILE]")] = None,
    *,
    at: At = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
) -> int:
    """Run MQSC from a file or standard input.

    With a time to look at, it only reads.

    Exit code 0 when all was done, 10 when some command was not, 20 when none could be tried.
    """
    told = told_apart("runmqsc", words or [])
    place = place_of(context)
    if not told.names:
        problem = f"name a queue manager, there is no default one{_suggestion(place)}"
        raise BadUsage(command="runmqsc", problem=problem)
    qmgr, path = _names(told)
    looks = as_of is not None or known_at is not None
    if looks and at is not None:
        problem = "--at is for acting, --as-of and --known-at are for looking"
        raise BadUsage(command="runmqsc", problem=problem)
    items = _items(path, echo="e" not in told.flags)
    verifies = "v" in told.flags
    reads = looks or verifies
    with place.reader(at, as_of, known_at) if reads else place.writer(at) as twin:
        if verifies:
            return _verified(twin, qmgr, items)
        when = instant(twin, at)
        twin.check_instant(when)
        session = twin.mqsc(
            qmgr,
            at=when,
            as_of=instant(twin, as_of),
            known_at=log_time(twin, known_at),
            file=None if path == STANDARD_INPUT else path,
        )
        emit(session.stream(items))
    return session.exit_code


def _suggestion(place: Place) -> str:
    """Name the only queue manager there is, for who forgot to; '' where there are others."""
    with suppress(TwinError), place.reader() as twin:
        estate, _ = twin.view()
        if len(estate.qmgrs) == 1:
            (only,) = estate.qmgrs
            return f": twin runmqsc {only}"
    return ""


def _names(told: Words) -> tuple[str, str]:
    if len(told.names) > _MOST_NAMES:
        problem = "a queue manager is expected, and perhaps a file"
        raise BadUsage(command="runmqsc", problem=problem)
    qmgr, *files = told.names
    files += [told.flags["f"]] if "f" in told.flags else []
    if len(files) > 1:
        problem = f"one file is expected, and there are {' '.join(files)}"
        raise BadUsage(command="runmqsc", problem=problem)
    return qmgr, files[0] if files else STANDARD_INPUT


def _items(path: str, *, echo: bool) -> Iterator[Item]:
    """Read what is to be run; what is typed at a terminal is run as it is typed, without echo."""
    from twin.mqsc.reader import Echoed, read, read_lines

    typed = typed_at() if path == STANDARD_INPUT else None
    if typed is None:
        return (item for item in read(read_text(path)) if echo or not isinstance(item, Echoed))
    lines = (line.rstrip("\n") for line in typed)
    return (item for item in read_lines(lines) if not isinstance(item, Echoed))


def _verified(twin: Twin, qmgr: str, items: Iterable[Item]) -> int:
    """Say which commands are well formed, and run none (`runmqsc -v`)."""
    from twin.mqsc.frame import CommandReply, Session
    from twin.mqsc.statement import Malformed, Statement
    from twin.rules.commands.mqsc_commands import read as read_command

    estate, point = twin.view()
    level = estate.qmgr(qmgr).cmdlevel

    def check(statement: Statement) -> CommandReply | Malformed:
        if statement.verb != "DISPLAY" and read_command(statement, level=level).fault:
            return Malformed(statement.text, statement.text)
        return CommandReply.of()

    session = Session(qmgr, f"twin {point}", check, level=level)
    emit(session.run(items))
    return session.exit_code


def dmpmqcfg(
    context: Context,
    words: Annotated[list[str] | None, Argument(metavar="[FLAGS] QM")] = None,
    *,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Write definitions as they were, ready to replay.

    The queue manager is named alone or by -m. All of it is written, with every attribute: where
    -t, -x, -n and -o are given, they say all, all, '*' and mqsc.
    """
    qmgr = _dumped(told_apart("dmpmqcfg", words or []))
    with place_of(context).reader(as_of, known_at) as twin:
        valid, known = instant(twin, as_of), log_time(twin, known_at)
        lines = twin.dmpmqcfg(qmgr, as_of=valid, known_at=known)
        point = twin.as_of(valid=valid, known=known)
    if output is Format.TEXT:
        emit(lines)
    else:
        show(_commands(lines, point), output)
    return 0


def _dumped(told: Words) -> str:
    """Return the queue manager to be written, when nothing is asked for that cannot be done."""
    for flag, only in _WHOLE.items():
        given = told.flags.get(flag, only)
        if given.lower() != only:
            problem = f"-{flag} {given} is not possible, only -{flag} '{only}'"
            raise BadUsage(command="dmpmqcfg", problem=problem)
    named = [told.flags["m"]] if "m" in told.flags else []
    return only_name("dmpmqcfg", Words((*told.names, *named), told.flags))


def _commands(lines: Sequence[str], point: AsOf) -> Answer:
    from twin.mqsc.reader import CommandRead, read
    from twin.questions.answer import Answer, Row

    commands = (item.text for item in read("\n".join(lines)) if isinstance(item, CommandRead))
    rows: tuple[Row, ...] = tuple({"command": command} for command in commands)
    return Answer("dmpmqcfg", point, ("command",), rows)


def register(app: Typer) -> None:
    """Add these commands to the command line."""
    app.command(context_settings=FREE_WORDS, epilog=FLAGS["runmqsc"].help())(runmqsc)
    app.command(context_settings=FREE_WORDS, epilog=FLAGS["dmpmqcfg"].help())(dmpmqcfg)
