"""`twin runmqsc` and `twin dmpmqcfg`: MQSC in and out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context

from twin.cli.answers import show
from twin.cli.errors import BadUsage
from twin.cli.files import STANDARD_INPUT, read_text, terminal_input
from twin.cli.flags import Words, only_name, read_words
from twin.cli.messaging import ExitOption, load_exits
from twin.cli.output import DONE, emit
from twin.cli.target import (
    AsOfOption,
    AtOption,
    Format,
    FormatOption,
    KnownAt,
    Target,
    instant,
    log_time,
    target_of,
)
from twin.errors import TwinError

if TYPE_CHECKING:
    from twin.model.instants import AsOf
    from twin.mqsc.reader import Item
    from twin.questions.answer import Answer

_UNLIMITED: Final = {"t": "all", "x": "all", "n": "*", "o": "mqsc"}
"""The only values that dmpmqcfg's limits may have: MQ's defaults, which limit nothing."""


def runmqsc(
    context: Context,
    words: Annotated[list[str] | None, Argument(metavar="[FLAGS] QM [FILE]")] = None,
    *,
    at: AtOption = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    exits: ExitOption = None,
) -> int:
    """Run MQSC commands from a file, a pipe or a terminal.

    Every command is recorded, with its outcome. With --as-of or --known-at the session is
    read-only: it answers DISPLAY commands as of that time.

    Prints what runmqsc of MQ prints.

    Exit codes: 0 all commands were processed; 10 some were not; 20 none was tried, or bad input.
    """
    typed = read_words("runmqsc", words or [])
    target = target_of(context)
    if not typed.names:
        problem = f"name a queue manager; there is no default{_suggestion(target)}"
        raise BadUsage(command="runmqsc", problem=problem)
    qmgr, path = _qmgr_and_file(typed)
    reads = as_of is not None or known_at is not None
    if reads and at is not None:
        problem = "--at records commands, --as-of and --known-at only read; use one or the other"
        raise BadUsage(command="runmqsc", problem=problem)
    from twin.events import Origin

    items = _items(path, echo="e" not in typed.flags)
    verifies = "v" in typed.flags
    loaded = load_exits("runmqsc", exits)
    reader = reads or verifies
    with target.reader(at, as_of, known_at) if reader else target.writer(at, exits=loaded) as twin:
        if verifies:
            verification = twin.verify_mqsc(qmgr)
            emit(verification.run(items))
            return verification.exit_code
        when = instant(twin, at)
        twin.check_instant(when)
        session = twin.mqsc(
            qmgr,
            at=when,
            as_of=instant(twin, as_of),
            known_at=log_time(twin, known_at),
            origin=None if path == STANDARD_INPUT else Origin(file=path),
        )
        emit(session.stream(items))
    return session.exit_code


def _suggestion(target: Target) -> str:
    """Return the command for the only queue manager; '' if there are more."""
    with suppress(TwinError), target.reader() as twin:
        estate, _ = twin.view()
        if len(estate.qmgrs) == 1:
            (only,) = estate.qmgrs
            return f" (did you mean twin runmqsc {only}?)"
    return ""


def _qmgr_and_file(words: Words) -> tuple[str, str]:
    qmgr, *files = words.names
    files += [words.flags["f"]] if "f" in words.flags else []
    if len(files) > 1:
        problem = f"expected one queue manager and one file at most, not files {' '.join(files)}"
        raise BadUsage(command="runmqsc", problem=problem)
    return qmgr, files[0] if files else STANDARD_INPUT


def _items(path: str, *, echo: bool) -> Iterator[Item]:
    """Read the commands of a session; those typed at a terminal at once and without echo."""
    from twin.mqsc.reader import Echoed, read, read_lines

    terminal = terminal_input() if path == STANDARD_INPUT else None
    if terminal is None:
        return (item for item in read(read_text(path)) if echo or not isinstance(item, Echoed))
    lines = (line.rstrip("\n") for line in terminal)
    return (item for item in read_lines(lines) if not isinstance(item, Echoed))


def dmpmqcfg(
    context: Context,
    words: Annotated[list[str] | None, Argument(metavar="[FLAGS] QM")] = None,
    *,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Print the definitions of a queue manager as MQSC.

    Prints all objects with all attributes, as commands that runmqsc can run. JSON and CSV have one
    row per command. The flags -t, -x, -n and -o accept only MQ's defaults: all, all, '*' and mqsc.
    The flag -m may also name the queue manager.
    """
    qmgr = _dumped_qmgr(read_words("dmpmqcfg", words or []))
    with target_of(context).reader(as_of, known_at) as twin:
        valid, known = instant(twin, as_of), log_time(twin, known_at)
        lines = twin.dmpmqcfg(qmgr, as_of=valid, known_at=known)
        point = twin.as_of(valid=valid, known=known)
    if output is Format.TEXT:
        emit(lines)
    else:
        show(_commands(lines, point), output)
    return DONE


def _dumped_qmgr(words: Words) -> str:
    """Return the name of the queue manager, after checking the limits."""
    for flag, default in _UNLIMITED.items():
        value = words.flags.get(flag, default)
        if value.lower() != default:
            problem = f"-{flag} {value} is not supported; expected -{flag} '{default}'"
            raise BadUsage(command="dmpmqcfg", problem=problem)
    named = [words.flags["m"]] if "m" in words.flags else []
    return only_name("dmpmqcfg", Words((*words.names, *named), words.flags))


def _commands(lines: Sequence[str], point: AsOf) -> Answer:
    from twin.mqsc.reader import CommandRead, read
    from twin.questions.answer import Answer, Row

    commands = (item.text for item in read("\n".join(lines)) if isinstance(item, CommandRead))
    rows: tuple[Row, ...] = tuple({"command": command} for command in commands)
    return Answer("dmpmqcfg", point, ("command",), rows)
