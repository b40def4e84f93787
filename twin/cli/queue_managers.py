"""crtmqm, strmqm, endmqm, dltmqm and dspmq, with the names and flags that MQ gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.flags import FLAGS, Words, only_name, told_apart
from twin.cli.options import AsOfOption, At, Format, FormatOption, KnownAt
from twin.cli.output import emit, show_lines
from twin.cli.place import instant, log_time, place_of

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.questions.answer import Answer

FREE_WORDS: Final = {"ignore_unknown_options": True}
"""Typer's setting for commands whose flags `told_apart` reads."""

_NAME_COLUMN: Final = 58
"""Where dspmq's second cell begins (captures of 9.2 and 9.3)."""

_MEANING: Final = {
    "crtmqm": {
        "c": "descr",
        "d": "defxmitq",
        "h": "maxhands",
        "t": "trigint",
        "u": "deadq",
        "x": "maxumsgs",
    }
}
"""Flags that set an attribute, by command: the argument they are recorded as."""

_CELLS: Final = {"status": ("status",), "default": ("default",), "all": ("status", "default")}

_Words: TypeAlias = Annotated[list[str], Argument(metavar="[FLAGS] QM")]

_DONE: Final = {
    "crtmqm": "IBM MQ queue manager '{}' created.",
    "strmqm": "IBM MQ queue manager '{}' started.",
    "endmqm": "IBM MQ queue manager '{}' ended.",
    "dltmqm": "IBM MQ queue manager '{}' deleted.",
}


def crtmqm(
    context: Context,
    words: _Words,
    *,
    cmdlevel: Annotated[int, Option(help="Command level, 700 to 1099")] = 940,
    platform: Annotated[str, Option(help="UNIX, WINDOWSNT, MVS, OS400 or APPLIANCE")] = "UNIX",
    at: At = None,
) -> int:
    """Create a queue manager.

    It gets the default objects of its command level.
    """
    from twin.model.platforms import LEVELS, PLATFORMS

    if cmdlevel not in LEVELS:
        raise BadUsage(
            command="crtmqm",
            problem=f"--cmdlevel {cmdlevel} is not one of {LEVELS[0]} to {LEVELS[-1]}",
        )
    if platform.upper() not in PLATFORMS:
        raise BadUsage(
            command="crtmqm", problem=f"--platform {platform} is not one of {', '.join(PLATFORMS)}"
        )
    arguments = (f"cmdlevel={cmdlevel}", f"platform={platform.upper()}")
    return _control(context, "crtmqm", words, at=at, arguments=arguments)


def strmqm(context: Context, words: _Words, *, at: At = None) -> int:
    """Start a queue manager."""
    return _control(context, "strmqm", words, at=at)


def endmqm(context: Context, words: _Words, *, at: At = None) -> int:
    """End a queue manager."""
    return _control(context, "endmqm", words, at=at)


def dltmqm(context: Context, words: _Words, *, at: At = None) -> int:
    """Delete a queue manager that has ended.

    What others believe of it stays.
    """
    return _control(context, "dltmqm", words, at=at)


def _control(
    context: Context,
    command: str,
    words: list[str],
    *,
    at: str | None,
    arguments: tuple[str, ...] = (),
) -> int:
    told = told_apart(command, words)
    qmgr = only_name(command, told)
    arguments += tuple(_arguments(command, told.flags))
    with place_of(context).writer(at, create=command == "crtmqm") as twin:
        twin.control(command, qmgr, *arguments, at=instant(twin, at))
    emit([_DONE[command].format(qmgr)])
    return 0


def _arguments(command: str, flags: Mapping[str, str]) -> Iterator[str]:
    """Write flags as the arguments they are recorded as.

    Raises:
        BadUsage: for a value that the attribute which a flag sets cannot have.
    """
    for flag, value in flags.items():
        argument = _MEANING.get(command, {}).get(flag)
        if argument is None:
            yield f"{flag}={value}" if value else flag
        elif problem := _problem(argument.upper(), value):
            raise BadUsage(command=command, problem=f"-{flag}: {problem}")
        else:
            yield f"{argument}={value.strip()}"


def _problem(keyword: str, value: str) -> str:
    """Say what ALTER QMGR would have against a value, '' for nothing."""
    from twin.model.attributes import read_values
    from twin.model.platforms import DEFAULT_LEVEL
    from twin.mqsc.statement import Parameter, Token

    given = [Parameter(keyword, (Token(value, quoted=True),))]
    reading = read_values("QMGR", given, altering=True, level=DEFAULT_LEVEL)
    return reading.problem.text if reading.problem else ""


def dspmq(
    context: Context,
    words: Annotated[list[str] | None, Argument(metavar="[FLAGS]")] = None,
    *,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """List the queue managers and whether they run."""
    told = told_apart("dspmq", words or [])
    if told.names:
        raise BadUsage(command="dspmq", problem=f"write -m {told.names[0]} for one queue manager")
    cells = _cells(told)
    answer = _listed(context, told, as_of, known_at)
    show_lines(answer, _laid_out(answer, cells), output)
    return 0


def _cells(told: Words) -> tuple[str, ...]:
    wanted = told.flags.get("o", "status")
    try:
        return _CELLS[wanted]
    except KeyError:
        raise BadUsage(
            command="dspmq", problem=f"-o {wanted} is not one of {', '.join(_CELLS)}"
        ) from None


def _listed(context: Context, told: Words, as_of: str | None, known_at: str | None) -> Answer:
    from twin.questions.answer import Answer, Row

    with place_of(context).reader(as_of, known_at) as twin:
        estate, point = twin.view(as_of=instant(twin, as_of), known_at=log_time(twin, known_at))
        chosen = [estate.qmgr(told.flags["m"])] if "m" in told.flags else estate.qmgrs.values()
        found = sorted(chosen, key=lambda qmgr: qmgr.name)
    rows: tuple[Row, ...] = tuple(
        {"qmname": qmgr.name, "status": _status(qmgr), "default": "no"} for qmgr in found
    )
    evidence = tuple((qmgr.position,) for qmgr in found)
    return Answer("dspmq", point, ("qmname", "status", "default"), rows, evidence=evidence)


def _status(qmgr: QueueManager) -> str:
    if qmgr.running:
        return "Running"
    return "Ended immediately" if qmgr.started is None else "Ended normally"


def _laid_out(answer: Answer, cells: tuple[str, ...]) -> Iterator[str]:
    for row in answer.rows:
        name = f"QMNAME({row['qmname']})"
        yield name.ljust(_NAME_COLUMN) + " ".join(f"{cell.upper()}({row[cell]})" for cell in cells)


_COMMANDS: Final[tuple[Callable[..., int], ...]] = (crtmqm, strmqm, endmqm, dltmqm, dspmq)


def register(app: Typer) -> None:
    """Add these commands to the command line."""
    for command in _COMMANDS:
        epilog = FLAGS[command.__name__].help()
        app.command(context_settings=FREE_WORDS, epilog=epilog)(command)
