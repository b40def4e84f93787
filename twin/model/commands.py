"""A command that somebody is to run at a queue manager or on its machine, as a value.

Fixes, runbook steps, plans and settings make commands; this module alone writes them as text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

if TYPE_CHECKING:
    from twin.model.objects import Definition

ParameterValue: TypeAlias = str | int | tuple[str, ...] | None
"""The value of a parameter: '' stands for a blank, () for no text at all, and None for a keyword
without parentheses.
"""

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
    return f"({','.join(map(quote_if_needed, values)) or quote('')})"


_CONSOLE: Final = frozenset({("START", "QMGR"), ("STOP", "QMGR")})
"""The commands of the console of z/OS that start and end a queue manager (IBM MQ, "Using MQSC to
start and stop a queue manager on z/OS").
"""


@dataclass(frozen=True, slots=True)
class Command:
    """An MQSC command or a control command, and the queue manager to run it at.

    Attributes:
        on: the queue manager; in a runbook, words for one that the estate does not name.
        verb: such as ALTER; of a control command its program, such as endmqm.
        object: the object word, such as QLOCAL; '' for a program.
        name: the name of the object, or of the queue manager of a program; '' if there is none.
        parameters: keyword and value of each parameter, in the order in which they are written. Of
            a program they are its flags, options and redirections.
        typed: the command as somebody typed it; '' for one that is written from its values.
    """

    on: str
    verb: str
    object: str
    name: str = ""
    parameters: tuple[tuple[str, ParameterValue], ...] = ()
    typed: str = ""

    @classmethod
    def of(
        cls, on: str, verb: str, word: str, name: str = "", /, **parameters: ParameterValue
    ) -> Self:
        """Return an MQSC command with these parameters."""
        return cls(on, verb, word, name, tuple(parameters.items()))

    @classmethod
    def about(
        cls, on: str, verb: str, definition: Definition, /, **parameters: ParameterValue
    ) -> Self:
        """Return a command about an object; DEFINE and ALTER name the type of a channel."""
        if definition.kind not in ("CHANNEL", "CLNTCONN"):
            return cls.of(on, verb, definition.type, definition.name, **parameters)
        if verb in ("DEFINE", "ALTER"):
            parameters = {"CHLTYPE": definition.type, **parameters}
        return cls.of(on, verb, "CHANNEL", definition.name, **parameters)

    def without(self, keyword: str) -> Self:
        """Return the command without a parameter."""
        return replace(
            self, parameters=tuple(each for each in self.parameters if each[0] != keyword)
        )

    @classmethod
    def program(
        cls, on: str, program: str, *parameters: tuple[str, ParameterValue], name: str = ""
    ) -> Self:
        """Return a control command; `name` is its queue manager, if that is not `on`."""
        return cls(on, program, "", name or on, parameters)

    @property
    def kind(self) -> Literal["mqsc", "control"]:
        """What the command is for: a session of MQSC, or the machine of the queue manager."""
        is_control = not self.object or (self.verb, self.object) in _CONSOLE
        return "control" if is_control and not self.typed else "mqsc"

    @property
    def text(self) -> str:
        """The command in one line, as it is typed."""
        if self.typed:
            return self.typed
        if not self.object:
            return _program_text(self.verb, self.name, self.parameters)
        name = _in_parentheses(self.name or None)
        return f"{self.verb} {self.object}{name} {parameters_text(self.parameters)}".rstrip()

    def as_fix(self) -> dict[str, str]:
        """Return the command as answers show it in JSON."""
        return {"on": self.on, "mqsc": self.text}

    def __str__(self) -> str:
        """Write the queue manager and the command in one line."""
        return f"{self.on}: {self.text}"


def _program_text(program: str, name: str, parameters: Iterable[tuple[str, ParameterValue]]) -> str:
    """Write a control command: MQ's flags stand before the name, options and redirections after."""
    early: list[str] = []
    late: list[str] = []
    for flag, value in parameters:
        is_early = flag.startswith("-") and not flag.startswith("--")
        word = flag if value is None else f"{flag} {shlex.quote(str(value))}"
        (early if is_early else late).append(word)
    return " ".join((program, *early, name, *late))
