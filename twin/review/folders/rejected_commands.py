"""The commands of a script that runmqsc would reject, and the script without them.

A queue manager carries out nothing of a command with a syntax error (IBM MQ 9.4, AMQ8405), so the
objects of such a command are not in the estate of the folder. A dump comes from a queue manager
that accepted what it says, maybe of a later release: nothing of it is rejected. The platform of a
script is not known, so keywords and commands for z/OS alone are not rejected, and CipherSpecs
neither, of which every release has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from twin.model.attributes import ZOS_ONLY
from twin.model.messages import SYNTAX_ERROR, Message
from twin.mqsc.masking import masked, masked_text
from twin.mqsc.reader import CommandRead, Echoed, read
from twin.mqsc.statement import Malformed, parse
from twin.rules.commands.automatic_configuration import INSERT
from twin.rules.commands.mqsc_commands import COMMANDS, fault_segment, read_known

_PLACEHOLDER: Final = re.compile(r"\{\{.*?\}\}|\$\{.*?\}", re.DOTALL)


class RejectedCommand(NamedTuple):
    """A command that runmqsc would reject.

    Attributes:
        line: the line where it starts, from 1.
        text: the command, with passwords masked.
        why: what is wrong, for people.
        segment: its text up to and including the error, with passwords masked.
        level: the command level of its queue manager.
    """

    line: int
    text: str
    why: str
    segment: str
    level: int

    @property
    def message(self) -> str:
        """The message of MQ."""
        return Message(SYNTAX_ERROR).render(self.level)

    @property
    def hint(self) -> str:
        """What the command seems to be meant for; '' if nothing shows it.

        Source: IBM MQ 9.4, "Automatic configuration from an MQSC script at startup": strmqm
        replaces inserts such as `+QMNAME+`.
        """
        if found := INSERT.search(self.text):
            return (
                f"{found[0]} is an insert of automatic configuration: strmqm replaces it, and "
                "runmqsc does not. Give such a script to crtmqm -ic."
            )
        if found := _PLACEHOLDER.search(self.text):
            return f"{found[0]} looks like a placeholder of a template: fill in its value first."
        return ""


class _Placed(NamedTuple):
    """A command with the last line that it is on."""

    command: CommandRead
    end: int


def rejected_commands(text: str, level: int) -> list[RejectedCommand]:
    """Return the commands of a script that a queue manager of a command level would reject."""
    return [found for each in _placed(text) if (found := _rejected(each.command, level))]


def without_rejected(text: str, level: int) -> str:
    """Return a script without the commands that would be rejected; all others keep their lines."""
    lines = text.split("\n")
    for block in _blocks(list(_placed(text))):
        kept = [each.command for each in block if not _rejected(each.command, level)]
        if len(kept) == len(block):
            continue
        first = block[0].command.line
        lines[first - 1 : block[-1].end] = [""] * (block[-1].end - first + 1)
        for line, on_line in groupby(kept, key=lambda each: each.line):
            lines[line - 1] = "; ".join(each.text for each in on_line)
    return "\n".join(lines)


def _placed(text: str) -> Iterator[_Placed]:
    end = 0
    for item in read(text):
        if isinstance(item, Echoed):
            end = item.line
        elif isinstance(item, CommandRead):
            yield _Placed(item, max(end, item.line))


def _blocks(commands: Sequence[_Placed]) -> Iterator[list[_Placed]]:
    """Yield the commands that share lines together."""
    block: list[_Placed] = []
    for each in commands:
        if block and each.command.line > block[-1].end:
            yield block
            block = []
        block.append(each)
    if block:
        yield block


def _rejected(command: CommandRead, level: int) -> RejectedCommand | None:
    statement = parse(command.text)
    if isinstance(statement, Malformed):
        why, segment = "the command is not MQSC from here on", statement.segment
    elif command.too_long:
        why, segment = "the command is longer than MQSC allows", command.text
    else:
        if (statement.verb, statement.object) not in COMMANDS:
            return None
        fault = read_known(statement, level=level).fault
        if fault is None or fault.kind == "unknown-cipherspec" or fault.keyword in ZOS_ONLY:
            return None
        why, segment = fault.text, fault_segment(statement, fault)
    text, segment = masked(command.text.strip()), masked_text(segment.strip())
    return RejectedCommand(command.line, text, masked_text(why), segment, level)
