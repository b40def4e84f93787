"""Programs of MQ: `runswchl` switches transmission queues, `runmqdlq` moves dead letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from twin.cli.answers import show_lines
from twin.cli.errors import BadUsage
from twin.cli.files import STANDARD_INPUT, read_text
from twin.cli.flags import read_words
from twin.cli.output import DONE, FAILED
from twin.cli.target import AtOption, Format, FormatOption, instant, target_of
from twin.model.amounts import between, counted

if TYPE_CHECKING:
    from twin.app.results import Handled, Switching
    from twin.model.instants import AsOf
    from twin.questions.answer import Answer


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
    if not switches:
        yield "no channel needs another transmission queue"


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
    from twin.model.reasons import reason_name

    reason = switch.reason
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
