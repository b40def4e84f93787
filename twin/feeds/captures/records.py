"""The records of saved DISPLAY answers, and what is not understood; no secret is in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from twin.feeds.reading.not_understood import NotUnderstood, not_understood
from twin.model.attributes import HIDDEN
from twin.model.instants import Instant
from twin.mqsc.masking import SECRETS, is_secret, masked, masked_text

ALL_NAMES: Final = "*"
NARROWED: Final = "only "
"""How a reason begins that an answer shows only what was asked for, and all of that."""

_CONSIDERED: Final = 2048
_USER: Final = re.compile(r"((?:-u|--user)[= ]\s*'?[^\s:'\"]{1,200}:)[^\s'\"]+")
_MAYBE_SECRET: Final = re.compile("|".join(sorted(SECRETS)), re.IGNORECASE)

RowValues: TypeAlias = Mapping[str, str]
"""Attribute -> value as MQ shows it; '' for a blank value and for a keyword without a value."""


class CapturedRow(NamedTuple):
    """One object of an answer.

    Attributes:
        line: the line where it starts, from 1.
        values: its attributes, in the order of the answer.
    """

    line: int
    values: RowValues


class Capture(NamedTuple):
    """The answer of one queue manager to one command.

    Attributes:
        line: the first line of the command or the answer, from 1.
        last_line: the last line.
        qmgr: the queue manager that answered; '' if it is unknown.
        command: the command as typed, on one line, with its secrets masked; '' if it is unknown.
        verb: such as DISPLAY; GET for a resource of mqweb; '' if it is unknown.
        object: the object word, such as CLUSQMGR or QLOCAL; '' if it is unknown. The status of
            queue managers that `dspmq` shows has the word DSPMQ.
        name: the name asked for, perhaps generic; '' if it is unknown.
        asked: the keywords without values in the command, such as ALL or SAVED.
        selected: the keywords with values in the command, such as ('CLUSTER', 'C1').
        where: the inside of WHERE, '' without one.
        rows: the objects, in the order of the answer.
        messages: the ids of the messages of the answer that are no heading of a row.
        complete_for: the name asked for, if the answer shows everything with such a name; None if
            it may lack something, for the reasons of `lacking`.
        lacking: why the answer may lack something.
        claimed: the instant that the source itself gives to the answer; None if it gives none.
        part: from 0; a long answer is divided into several records, one after another.
        more: whether the answer goes on in the next record.
        digest: of the content without its layout, and of what it is complete for: an answer that
            was cut when it was first read is another record when it is whole.
    """

    line: int
    last_line: int
    qmgr: str
    command: str
    verb: str
    object: str
    name: str
    asked: tuple[str, ...]
    selected: tuple[tuple[str, str], ...]
    where: str
    rows: tuple[CapturedRow, ...]
    messages: tuple[str, ...]
    complete_for: str | None
    lacking: tuple[str, ...]
    claimed: Instant | None
    part: int
    more: bool
    digest: str

    @property
    def faults(self) -> tuple[str, ...]:
        """Why something is missing that was asked for."""
        return tuple(why for why in self.lacking if not why.startswith(NARROWED))

    @property
    def complete(self) -> bool:
        """Whether what the answer does not show did not exist for the queue manager."""
        return self.complete_for == ALL_NAMES


def left_over(line: int, text: str, why: str) -> NotUnderstood:
    """Return a line that is no part of an answer; of a line that may hold a secret, nothing."""
    start = text[:_CONSIDERED]
    safe = HIDDEN if _MAYBE_SECRET.search(start) else _USER.sub(rf"\1{HIDDEN}", masked_text(start))
    return not_understood(line, safe, why)


def without_secrets(command: str) -> str:
    """Return a command without its secrets."""
    return masked_text(masked(command))


def without_secret(keyword: str, value: str) -> str:
    """Return the value of an attribute, masked if it is a secret or contains one."""
    if value and is_secret(keyword):
        return HIDDEN
    return masked_text(value)
