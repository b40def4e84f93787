"""A command that somebody is to run at a queue manager or on its machine, as a value.

Fixes, runbook steps, plans and settings make commands; this module alone writes them as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, TypeAlias

if TYPE_CHECKING:
    from twin.model.objects import Definition

ParameterValue: TypeAlias = str | int | tuple[str, ...] | None
"""The value of a parameter: '' stands for a blank, None for a keyword without parentheses."""

_PLAIN: Final = re.compile(r"[A-Z0-9._/%]+")


def quote(text: str) -> str:
    """Return a text in quotes, with quotes inside it doubled."""
    return "'" + text.replace("'", "''") + "'"


def quote_if_needed(text: str) -> str:
    """Return a value as a command needs it: in quotes unless it is plain; a blank for no text.

    Plain are upper case, digits and the characters that need no quotes (IBM MQ, "Rules for using
    MQSC commands": period, forward slash, underscore and percent sign).
    """
    return text if _PLAIN.fullmatch(text) else quote(text or " ")


def parameters_text(parameters: Iterable[tuple[str, ParameterValue]]) -> str:
    """Write parameters of an MQSC command, with quotes where they are needed."""
    return " ".join(keyword + _in_parentheses(value) for keyword, value in parameters)


def _in_parentheses(value: ParameterValue) -> str:
    if value is None:
        return ""
    values = value if isinstance(value, tuple) else (str(value),)
    return f"({','.join(map(quote_if_needed, values))})"


@dataclass(frozen=True, slots=True)
class Command:
    """An MQSC command, and the queue manager to run it at.

    Attributes:
        on: the queue manager.
        verb: such as ALTER.
        object: the object word, such as QLOCAL.
        name: the name of the object; '' if the command has none.
        parameters: keyword and value of each parameter, in the order in which they are written.
    """

    on: str
    verb: str
    object: str
    name: str = ""
    parameters: tuple[tuple[str, ParameterValue], ...] = ()

    @classmethod
    def of(
        cls, on: str, verb: str, word: str, name: str = "", /, **parameters: ParameterValue
    ) -> Self:
        """Return a command with these parameters."""
        return cls(on, verb, word, name, tuple(parameters.items()))

    @classmethod
    def about(
        cls, on: str, verb: str, definition: Definition, /, **parameters: ParameterValue
    ) -> Self:
        """Return a command about an object that is defined; ALTER names the type of a channel."""
        word, given = definition.type, tuple(parameters.items())
        if definition.kind == "CHANNEL":
            word = "CHANNEL"
            given = (("CHLTYPE", definition.type), *given) if verb == "ALTER" else given
        return cls(on, verb, word, definition.name, given)

    @property
    def text(self) -> str:
        """The command as MQSC, in one line."""
        name = _in_parentheses(self.name or None)
        return f"{self.verb} {self.object}{name} {parameters_text(self.parameters)}".rstrip()

    def as_fix(self) -> dict[str, str]:
        """Return the command as answers show it in JSON."""
        return {"on": self.on, "mqsc": self.text}

    def __str__(self) -> str:
        """Write the queue manager and the command in one line."""
        return f"{self.on}: {self.text}"
