"""Hide passwords in commands and in free text, in time linear in its length.

Command texts with password attributes, URLs with a password and settings such as ``password=X`` may
be quoted anywhere in a feed, or be the value of any attribute. `twin.model.passwords` hides those
of URLs, settings and options; this module also hides the values of password attributes.
`masked` is for whole commands; elsewhere the command is a part of a longer text, which may be cut.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from twin.model import passwords
from twin.model.attributes import TYPES, Secret
from twin.model.passwords import HIDDEN, without_passwords
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Malformed, Parameter, Token, parse, write

SECRETS: Final = frozenset(
    {
        "SSLKEYP",  # of other releases and tools
        *(
            keyword
            for table in TYPES.values()
            for attribute in table.attributes
            if isinstance(attribute.form, Secret)
            for keyword in attribute.keywords
        ),
    }
)
"""The keywords whose values are secrets."""

_KEYWORDS: Final = "|".join([*sorted(SECRETS), r"(?=\w*(?:PASSW|PWD))\w+"])
"""The keywords of secrets, and those of other releases that are named as such."""

_NAMED_SO: Final = re.compile("PASSW|PWD")

_ATTRIBUTE: Final = re.compile(
    rf"(?i)\b((?:{_KEYWORDS})\s*\()(?:\s*'(?:[^']|'')*(?:'|\Z)|[^)]*)", re.ASCII
)
"""A password attribute; a value that is cut is hidden up to the end."""

TRIGGERS: Final = (
    *"@ pass pwd key sslc :// secret token credential sig -p authoriz".split(),
    *passwords.TRIGGERS,
)
"""What a text with a secret has, in lower case."""

_ATTRIBUTES: Final = re.compile("|".join([*sorted(SECRETS), "PASSW|PWD"]), re.IGNORECASE)


def is_secret(keyword: str) -> bool:
    """Tell whether the value of an attribute is a secret; unknown keywords may be named so."""
    return keyword in SECRETS or _NAMED_SO.search(keyword) is not None


def may_have_password(text: str) -> bool:
    """Tell whether a text may have a password; if not, no part of it has one."""
    lower = text.lower()
    for trigger in TRIGGERS:  # noqa: SIM110 - any() takes three times as long
        if trigger in lower:
            return True
    return False


def masked_text(text: str) -> str:
    """Return a text with the passwords in it hidden."""
    if not may_have_password(text):
        return text
    if _ATTRIBUTES.search(text):
        text = _ATTRIBUTE.sub(rf"\1{HIDDEN}", text)
    return without_passwords(text)


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
