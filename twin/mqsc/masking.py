"""Hide passwords in free text, in time linear in its length.

Command texts with password attributes, URLs with a password and settings such as ``password=X`` may
be quoted anywhere in a feed, or be the value of any attribute. `twin.model.passwords` hides those
of URLs, settings and options; this module also hides the values of password attributes.
`twin.mqsc.secrets` masks whole commands; here the command is a part of a longer text, which may be
cut.
"""

from __future__ import annotations

import re
from typing import Final

from twin.model import program_options
from twin.model.attributes import TYPES, Secret
from twin.model.passwords import HIDDEN, without_passwords

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
    *program_options.TRIGGERS,
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
