"""Mask secrets in commands: the value of a password attribute must not be stored."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from twin.model.attributes import HIDDEN
from twin.mqsc.masking import SECRETS, is_secret, masked_text, may_have_password
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Malformed, Parameter, Token, parse, write

_MAYBE: Final = re.compile("|".join([*sorted(SECRETS), "PASSW|PWD"]), re.IGNORECASE)


def masked(text: str) -> str:
    """Return a command with its secrets masked, or unchanged if it has none.

    Secrets are the values of password attributes, and passwords within the values of others, such
    as USERDATA('pwd:X'). A text that cannot be parsed and may contain a secret is masked
    completely.
    """
    if not may_have_password(text):
        return text
    statement = parse(text)
    if isinstance(statement, Malformed):
        return HIDDEN if _MAYBE.search(text) else masked_text(text)
    parameters = tuple(map(_masked, statement.parameters))
    if parameters == statement.parameters:
        return text
    return write(replace(statement, parameters=parameters))


def masked_script(text: str) -> str:
    """Return a script with its secrets masked, or unchanged if it has none.

    A script with secrets loses its comments; each command starts on a line of its own.
    """
    commands = [item.text for item in read(text) if isinstance(item, CommandRead)]
    if all(masked(command) == command for command in commands):
        return text
    return "".join("-\n".join(_LINES.findall(masked(command))) + "\n" for command in commands)


_LINES: Final = re.compile(r".{1,2000}(?=[^*\s]|$)")
"""The lines that a command is divided into: none starts as a comment or a blank line."""


def _masked(parameter: Parameter) -> Parameter:
    values = parameter.values or ()
    if is_secret(parameter.keyword):
        if not any(token.text for token in values):
            return parameter
        return Parameter(parameter.keyword, (Token(HIDDEN, quoted=True),))
    shown = tuple(map(_without_password, values))
    return parameter if shown == values else Parameter(parameter.keyword, shown)


def _without_password(token: Token) -> Token:
    text = masked_text(token.text)
    return token if text == token.text else Token(text, quoted=True)
