"""Read the parameters of an MQSC command once, for the syntax check and for the rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from twin.model.attributes import (
    TYPES,
    Problem,
    Reading,
    Value,
    read_options,
    read_values,
)
from twin.model.objects import RECORDS
from twin.model.platforms import ZOS
from twin.mqsc.statement import Statement

_SYNTAX: Final = frozenset(
    "unknown-keyword keyword-not-for-type bad-value out-of-range too-long bad-name repeated"
    " not-alterable".split()
)
"""The kinds of problems that are syntax errors; others are reported when the command is run."""

MQTT: Final = "MQTT"
"""The channel type of telemetry, which twin recognises and does not model."""


class ReadCommand(NamedTuple):
    """A command with its parameters read.

    Attributes:
        statement: the parsed command.
        level: the command level that it was read for.
        type: the object type, such as QLOCAL or CLUSRCVR; '' if the command does not give it.
        reading: its attributes and options, and the first problem in them.
        fault: the problem that makes it a syntax error, independent of existing objects, or None.
    """

    statement: Statement
    level: int
    type: str
    reading: Reading
    fault: Problem | None

    @property
    def name(self) -> str:
        """The object name in the command; '' if it has none."""
        return self.statement.name.text if self.statement.name else ""

    @property
    def object(self) -> str:
        """The object word of the command."""
        return self.statement.object

    @property
    def values(self) -> Mapping[str, Value]:
        """The attributes that the command gives."""
        return self.reading.values

    @property
    def problem(self) -> Problem | None:
        """The first problem in the parameters."""
        return self.reading.problem

    def option(self, keyword: str) -> str | None:
        """Return the value of an option: '' if it has no value, None if it is not given."""
        value = self.reading.options.get(keyword)
        return None if value is None else str(value)


def read(statement: Statement, *, level: int, platform: str = "") -> ReadCommand:
    """Read the parameters of a command for a queue manager of a command level and platform."""
    verb, word, zos = statement.verb, statement.object, platform == ZOS
    if verb in ("DEFINE", "ALTER"):
        return _read_definition(statement, level, zos=zos)
    if word in RECORDS:
        name = statement.name.text if statement.name else ""
        reading = read_values(
            word, statement.parameters, altering=False, level=level, name=name, zos=zos
        )
        return ReadCommand(statement, level, word, reading, _syntax_error(reading.problem))
    reading = read_options(verb, word, statement.parameters, zos=zos)
    return ReadCommand(statement, level, word, reading, reading.problem)


def _read_definition(statement: Statement, level: int, *, zos: bool) -> ReadCommand:
    type_name = type_of(statement)
    if type_name == MQTT:
        return ReadCommand(statement, level, MQTT, Reading(), None)
    if type_name is None:
        missing = Problem("missing", "CHLTYPE", "CHLTYPE is missing or is not a channel type")
        return ReadCommand(statement, level, "", Reading(problem=missing), missing)
    reading = read_values(
        type_name,
        statement.parameters,
        altering=statement.verb == "ALTER",
        level=level,
        name=statement.name.text if statement.name else "",
        zos=zos,
    )
    return ReadCommand(statement, level, type_name, reading, _syntax_error(reading.problem))


def _syntax_error(problem: Problem | None) -> Problem | None:
    if problem is None or problem.kind in _SYNTAX:
        return problem
    return problem if problem.kind == "exclusive" and not problem.reason else None


def type_of(statement: Statement) -> str | None:
    """Return the object type of a DEFINE or ALTER; None for a channel without a type.

    The type of a channel is its CHLTYPE, which DEFINE and ALTER require.
    """
    if statement.object != "CHANNEL":
        return statement.object
    for parameter in statement.parameters:
        if parameter.keyword == "CHLTYPE":
            word = parameter.values[0].text.upper() if parameter.values else ""
            if word == MQTT:
                return MQTT
            return word if word in TYPES and TYPES[word].kind in ("CHANNEL", "CLNTCONN") else None
    return None
