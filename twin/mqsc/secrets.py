"""Mask secrets in commands: the value of a password attribute must not be stored."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from twin.model.attributes import HIDDEN, TYPES, Secret
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Malformed, Parameter, Token, parse, write

SECRETS: Final = frozenset(
    keyword
    for table in TYPES.values()
    for attribute in table.attributes
    if isinstance(attribute.form, Secret)
    for keyword in attribute.keywords
)
"""The keywords whose values are secrets."""

_MAYBE: Final = re.compile("|".join(sorted(SECRETS)), re.IGNORECASE)


def masked(text: str) -> str:
    """Return a command with its secrets masked, or unchanged if it has none.

    A text that cannot be parsed and may contain a secret is masked completely.
    """
    if not _MAYBE.search(text):
        return text
    statement = parse(text)
    if isinstance(statement, Malformed):
        return HIDDEN
    if not any(parameter.keyword in SECRETS for parameter in statement.parameters):
        return text
    return write(replace(statement, parameters=tuple(map(_masked, statement.parameters))))


def masked_script(text: str) -> str:
    """Return a script with its secrets masked, or unchanged if it has none.

    A script with secrets loses its comments; each command starts on a line of its own.
    """
    if not _MAYBE.search(text):
        return text
    commands = [item.text for item in read(text) if isinstance(item, CommandRead)]
    return "".join("-\n".join(_LINES.findall(masked(command))) + "\n" for command in commands)


_LINES: Final = re.compile(r".{1,2000}(?=[^*\s]|$)")
"""The lines that a command is divided into: none starts as a comment or a blank line."""


def _masked(parameter: Parameter) -> Parameter:
    values = parameter.values
    if parameter.keyword not in SECRETS or not any(token.text for token in values or ()):
        return parameter
    return Parameter(parameter.keyword, (Token(HIDDEN, quoted=True),))
