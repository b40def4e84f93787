"""Programs of MQ: `runmqsc`, `dmpmqcfg`, `runswchl` and `runmqdlq`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context, Option

from twin.cli.answers import show, show_lines
from twin.cli.errors import BadUsage
from twin.cli.files import STANDARD_INPUT, read_text, terminal_input
from twin.cli.flags import Words, only_name, read_words
from twin.cli.messaging import ExitOption, load_exits
from twin.cli.output import DONE, FAILED, emit
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
from twin.model.amounts import between, counted
from twin.model.instants import format_instant
from twin.model.reasons import reason_name
from twin.mqsc.reader import CommandRead, Echoed, Item, read, read_lines

if TYPE_CHECKING:
    from twin.app.results import Handled, Switching
    from twin.model.instants import AsOf
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
    from twin.questions.answer import Answer, Row

    commands = (item.text for item in read("\n".join(lines)) if isinstance(item, CommandRead))
    rows: tuple[Row, ...] = tuple({"command": command} for command in commands)
    return Answer("dmpmqcfg", point, ("command",), rows)


def runswchl(
    context: Context,
    words: Annotated[list[str], Argument(metavar="-m QM -c CHANNEL [-q] [-n]")],
    *,
    at: AtOption = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Switch channels to their new transmission queue.

    The channels are cluster-senders. A channel that runs is not switched. A switch stops if the new
    queue is full or put-disabled, or the old one get-disabled. CHANNEL is a name, a generic name
    such as CA.*, or '*'. With -q, the channels to be switched are only listed. With -n, messages
    stay on the old transmission queue.

    Prints each channel with its old and its new transmission queue.

    Exit codes: 0 all channels were switched or listed; 10 some were not switched; 20 bad input.
    """
    names, flags = read_words("runswchl", words)
    if names or not {"m", "c"} <= flags.keys():
        raise BadUsage(command="runswchl", problem="expected -m QM -c CHANNEL")
    qmgr, channel = flags["m"], flags["c"]
    if "q" in flags:
        with target_of(context).reader(at, None) as twin:
            switches, point = twin.pending_switches(qmgr, channel, as_of=instant(twin, at))
        show_lines(_answer(point, switches), _lines(switches), output)
        return DONE
    with target_of(context).writer(at) as twin:
        switched = twin.runswchl(qmgr, channel, move="n" not in flags, at=instant(twin, at))
        answer = _answer(twin.as_of(), switched)
    show_lines(answer, _lines(switched), output)
    return DONE if all(switch.switched for switch in switched) else FAILED


def _answer(point: AsOf, switches: Sequence[Switching]) -> Answer:
    from twin.app.results import Switching
    from twin.questions.answer import Answer

    rows = tuple(switch._asdict() for switch in switches)
    return Answer("runswchl", point, Switching._fields, rows)


def _lines(switches: Sequence[Switching]) -> Iterator[str]:
    for switch in switches:
        yield f"{switch.channel} ({switch.status}): {switch.xmitq} -> {switch.pending_xmitq}"
        yield f"  {_outcome(switch)}"
    from twin.questions.order import OF_SWITCH

    yield OF_SWITCH if switches else "no channel needs another transmission queue"


def _outcome(switch: Switching) -> str:
    if switch.moved and not switch.switched:
        left = (switch.messages or 0) - switch.moved
        return f"{counted(switch.moved)} moved, {left} left, {_why_not(switch)}"
    if not switch.switched:
        return f"{_messages(switch)}, {_why_not(switch)}"
    if switch.stranded:
        return f"switched, {counted(switch.stranded)} left behind"
    return f"switched with {counted(switch.messages or 0)}"


def _messages(switch: Switching) -> str:
    """Write how many messages would be moved: of an imported queue manager only bounds are seen."""
    if switch.messages is None:
        return "how many messages is not known"
    return between(switch.messages, switch.at_most)


def _why_not(switch: Switching) -> str:
    reason = switch.reason
    if switch.next_portion is not None:
        return f"being switched, the next portion at {format_instant(switch.next_portion)}"
    return f"stopped with {reason} {reason_name(reason)}" if reason else "not switched"


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
    show_lines(answer, _handled_lines(handled), output)
    return FAILED if any(each.why for each in handled) else DONE


def _handled_lines(handled: Sequence[Handled]) -> Iterator[str]:
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
