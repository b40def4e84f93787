"""MQSC text held against the tables, for the tests of the model."""

from __future__ import annotations

from collections.abc import Iterator

from twin.model.attributes import TYPES, Reading, read_values
from twin.model.platforms import DEFAULT_LEVEL
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Statement, parse


def statements(text: str) -> Iterator[Statement]:
    """Give every command in the text that is one, in order."""
    for item in read(text):
        parsed = parse(item.text) if isinstance(item, CommandRead) else None
        if isinstance(parsed, Statement):
            yield parsed


def type_of(statement: Statement) -> str:
    """Give the type a command is about: its object word, or what its CHLTYPE says."""
    if statement.object in TYPES:
        return statement.object
    given = {each.keyword: each.values for each in statement.parameters}
    return (given["CHLTYPE"] or ())[0].text


def reading_of(statement: Statement, *, level: int = DEFAULT_LEVEL) -> Reading:
    """Hold a DEFINE, ALTER or SET against the table of its type."""
    return read_values(
        type_of(statement),
        statement.parameters,
        altering=statement.verb == "ALTER",
        level=level,
        name=statement.name.text if statement.name else "",
    )


def reading(text: str, *, level: int = DEFAULT_LEVEL) -> Reading:
    """Hold the one command in the text against the table of its type."""
    (statement,) = statements(text)
    return reading_of(statement, level=level)
