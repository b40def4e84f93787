"""`twin crtmqm`, `strmqm`, `endmqm`, `dltmqm` and `dspmq`, with MQ's own flags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from typer import Argument, Context, Option

from twin.cli.answers import show
from twin.cli.errors import BadUsage
from twin.cli.files import check_regular, read_text
from twin.cli.flags import only_name, read_words
from twin.cli.messaging import ExitOption, load_exits
from twin.cli.output import DONE, complain, emit, note
from twin.cli.target import (
    AsOfOption,
    AtOption,
    Format,
    FormatOption,
    KnownAt,
    instant,
    log_time,
    target_of,
)
from twin.model.attributes import read_values
from twin.model.ini import read_settings
from twin.model.platforms import DEFAULT_LEVEL, LEVELS, PLATFORMS
from twin.mqsc.statement import Parameter, Token

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.events import AutomaticConfiguration, ConfigurationFile
    from twin.model.instants import Instant
    from twin.questions.answer import Answer

_NAME_COLUMN: Final = 58
"""The column where the second cell of dspmq begins (captures of 9.2 and 9.3)."""

_ATTRIBUTES: Final = {
    "c": "descr",
    "d": "defxmitq",
    "h": "maxhands",
    "t": "trigint",
    "u": "deadq",
    "x": "maxumsgs",
}
"""The flags of crtmqm that set an attribute, and the argument that each is recorded as."""

_CELLS: Final = {"status": ("status",), "default": ("default",), "all": ("status", "default")}

_FlagsAndName: TypeAlias = Annotated[list[str] | None, Argument(metavar="[FLAGS] QM")]

_DONE: Final = {"crtmqm": "created", "strmqm": "started", "endmqm": "ended", "dltmqm": "deleted"}


def crtmqm(
    context: Context,
    words: _FlagsAndName = None,
    *,
    cmdlevel: Annotated[
        int,
        Option(metavar="N", help=f"Command level, {LEVELS[0]} to {LEVELS[-1]}"),
    ] = DEFAULT_LEVEL,
    platform: Annotated[
        str, Option(metavar="NAME", help=f"Platform: one of {', '.join(PLATFORMS)}")
    ] = PLATFORMS[0],
    at: AtOption = None,
) -> int:
    """Create a queue manager and its default objects.

    The default objects depend on its command level. The log is created too, if it does not exist.

    The queue manager stores the files of -ii and -ic and the variables of -iv. A folder stands for
    all its *.ini or *.mqsc files, in the order of their names. Every strmqm applies them. If a
    command of them fails, the error log shows it (twin ask errorlog).

    Exit codes: 0 created; 20 bad input, such as a missing file or an incomplete stanza AutoCluster.
    """
    problem = ""
    if cmdlevel not in LEVELS:
        problem = f"unknown --cmdlevel {cmdlevel}; expected {LEVELS[0]} to {LEVELS[-1]}"
    elif platform.upper() not in PLATFORMS:
        problem = f"unknown --platform {platform}; expected one of {', '.join(PLATFORMS)}"
    if problem:
        raise BadUsage(command="crtmqm", problem=problem)
    arguments = (f"cmdlevel={cmdlevel}", f"platform={platform.upper()}")
    return _control(context, "crtmqm", words, at=at, arguments=arguments)


def strmqm(context: Context, words: _FlagsAndName = None, *, at: AtOption = None) -> int:
    """Start a queue manager."""
    return _control(context, "strmqm", words, at=at)


def endmqm(
    context: Context,
    words: _FlagsAndName = None,
    *,
    at: AtOption = None,
    exits: ExitOption = None,
) -> int:
    """End a queue manager.

    Other queue managers keep their beliefs about it.
    """
    return _control(context, "endmqm", words, at=at, exits=exits)


def dltmqm(context: Context, words: _FlagsAndName = None, *, at: AtOption = None) -> int:
    """Delete a queue manager that has ended.

    Other queue managers keep their beliefs about it.
    """
    return _control(context, "dltmqm", words, at=at)


def _control(
    context: Context,
    command: str,
    words: list[str] | None,
    *,
    at: str | None,
    arguments: tuple[str, ...] = (),
    exits: list[str] | None = None,
) -> int:
    typed = read_words(command, words or [])
    qmgr = only_name(command, typed)
    flags = dict(typed.flags)
    configuration = configuration_of(flags) if command == "crtmqm" else None
    arguments += tuple(_arguments(command, flags))
    loaded = load_exits(command, exits)
    with target_of(context).writer(at, create=command == "crtmqm", exits=loaded) as twin:
        twin.control(command, qmgr, *arguments, configuration=configuration, at=instant(twin, at))
    emit([f"IBM MQ queue manager '{qmgr}' {_DONE[command]}."])
    return DONE


def _arguments(command: str, flags: Mapping[str, str]) -> Iterator[str]:
    """Return the flags as the arguments that are recorded.

    Raises:
        BadUsage: if the attribute that a flag sets cannot have its value.
    """
    for flag, value in flags.items():
        argument = _ATTRIBUTES.get(flag) if command == "crtmqm" else None
        if argument is None:
            yield f"{flag}={value}" if value else flag
        elif problem := _problem(argument.upper(), value):
            raise BadUsage(command=command, problem=f"-{flag}: {problem}")
        else:
            yield f"{argument}={value.strip()}"


def _problem(keyword: str, value: str) -> str:
    """Return why ALTER QMGR would refuse a value; '' if it would accept it."""
    parameters = [Parameter(keyword, (Token(value, quoted=True),))]
    reading = read_values("QMGR", parameters, altering=True, level=DEFAULT_LEVEL)
    return reading.problem.text if reading.problem else ""


def dspmq(
    context: Context,
    words: Annotated[list[str] | None, Argument(metavar="[FLAGS]")] = None,
    *,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """List the queue managers, and whether they run.

    The instant of the answer is written to standard error, so that scripts read what MQ writes.

    Exit codes: 0 listed; 72 no such queue manager, as MQ's; 20 other bad input.
    """
    names, flags = read_words("dspmq", words or [])
    if names:
        raise BadUsage(command="dspmq", problem=f"unknown word {names[0]}; expected -m {names[0]}")
    if (wanted := flags.get("o", "status")) not in _CELLS:
        problem = f"unknown -o {wanted}; expected one of {', '.join(_CELLS)}"
        raise BadUsage(command="dspmq", problem=problem)
    from twin.app.refusals import NoSuchQueueManager

    with target_of(context).reader(as_of, known_at) as twin:
        valid, known = instant(twin, as_of), log_time(twin, known_at)
        try:
            answer = _answer(twin, flags.get("m"), valid, known)
        except NoSuchQueueManager as error:
            if type(error) is not NoSuchQueueManager:
                raise  # the log begins later
            complain(str(error))
            return _NO_SUCH_NAME
    if output is not Format.TEXT:
        show(answer, output)
        return DONE
    emit(_lines(answer, _CELLS[wanted]))
    for line in (*answer.notes, str(answer.as_of)):
        note(line)
    return DONE


_NO_SUCH_NAME: Final = 72
"""The exit code of MQ's dspmq for a wrong name (IBM MQ 9.4, "dspmq", return codes)."""


def _answer(
    twin: Twin, name: str | None, as_of: Instant | None, known_at: Instant | None
) -> Answer:
    from twin.app.notes import beginning_of, not_before
    from twin.questions.answer import Answer, Row
    from twin.questions.qmgr_states import qmgr_states
    from twin.questions.sights import basis_of_state

    estate, point = twin.view(as_of=as_of, known_at=known_at)
    with not_before(twin.log, point):
        listed = estate.qmgrs.values() if name is None else [estate.qmgr(name)]
    qmgrs = sorted(listed, key=lambda qmgr: qmgr.name)
    states = qmgr_states(estate)
    ended = {True: "Ended immediately", False: "Ended normally"}  # not by endmqm, or by it
    rows: tuple[Row, ...] = tuple(
        {
            "qmname": qmgr.name,
            "status": {True: "Running", None: None}.get(
                states[qmgr.name].running, ended[qmgr.failed or qmgr.started is None]
            ),
            "default": "no",
            "basis": basis_of_state(qmgr),
        }
        for qmgr in qmgrs
    )
    evidence = tuple((qmgr.position,) for qmgr in qmgrs)
    answer = Answer(
        "dspmq", point, ("qmname", "status", "default", "basis"), rows, evidence=evidence
    )
    return replace(answer, notes=beginning_of(twin.log, point))


def _lines(answer: Answer, cells: tuple[str, ...]) -> Iterator[str]:
    for row in answer.rows:
        name = f"QMNAME({row['qmname']})"
        shown = (f"{cell.upper()}({row[cell] or _UNKNOWN})" for cell in cells)
        yield name.ljust(_NAME_COLUMN) + " ".join(shown)


_UNKNOWN: Final = "Status not available"
"""What dspmq shows as the status that it cannot find out (IBM MQ 9.4, dspmq)."""


def configuration_of(flags: dict[str, str]) -> AutomaticConfiguration | None:
    """Take -ii, -ic and -iv out of the flags, and return what they give; None without them.

    Raises:
        BadUsage: if a folder has no file of the kind, or a variable has no name or no value.
        UnreadableFile: if a file does not exist or cannot be read.
        BadConfiguration: if an ini file is malformed or its stanza AutoCluster is incomplete.
    """
    ini, mqsc, variables = (flags.pop(flag, "") for flag in ("ii", "ic", "iv"))
    if not (ini or mqsc or variables):
        return None
    from twin.events import AutomaticConfiguration

    configuration = AutomaticConfiguration(
        ini=_files(ini, "ini"), mqsc=_files(mqsc, "mqsc"), variables=_variables(variables)
    )
    read_settings((file.name, file.text) for file in configuration.ini)
    return configuration


def _files(path: str, ending: str) -> tuple[ConfigurationFile, ...]:
    """Read a file, or all files of a folder with this ending in the order of their names."""
    from twin.events import ConfigurationFile

    if not path:
        return ()
    paths = [Path(path)]
    if paths[0].is_dir():
        paths = sorted(file for file in paths[0].glob(f"*.{ending}") if file.is_file())
        if not paths:
            raise BadUsage(command="crtmqm", problem=f"{path} contains no *.{ending}")
    for file in paths:
        check_regular(str(file))
    return tuple(ConfigurationFile(name=file.name, text=read_text(str(file))) for file in paths)


def _variables(text: str) -> dict[str, str]:
    """Read NAME=VALUE, separated by semicolons."""
    variables: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        name, _, value = part.partition("=")
        if not (name.strip() and value.strip()):
            raise BadUsage(command="crtmqm", problem=f"-iv: expected NAME=VALUE, not {part!r}")
        variables[name.strip().upper()] = value.strip()
    return variables
