"""Mask secrets in commands: the value of a password attribute must not be stored."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from twin.model.attributes import HIDDEN, TYPES, Secret
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


def _masked(parameter: Parameter) -> Parameter:
    values = parameter.values
    if parameter.keyword not in SECRETS or not any(token.text for token in values or ()):
        return parameter
    return Parameter(parameter.keyword, (Token(HIDDEN, quoted=True),))
