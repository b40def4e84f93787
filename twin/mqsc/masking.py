"""Hide passwords in free text, in time linear in its length.

Command texts with password attributes, URLs with a password and settings such as ``password=X`` may
be quoted anywhere in a feed, or be the value of any attribute. `twin.mqsc.secrets` masks whole
commands; here the command is a part of a longer text, which may be cut.
"""

from __future__ import annotations

import re
from typing import Final

from twin.model.attributes import HIDDEN, TYPES, Secret

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

_KEYWORDS: Final = "|".join(sorted(SECRETS))
_ATTRIBUTE: Final = re.compile(
    rf"(?i)\b((?:{_KEYWORDS})\s*\()(?:\s*'(?:[^']|'')*(?:'|\Z)|[^)]*)", re.ASCII
)
"""A password attribute; a value that is cut is hidden up to the end."""

_SETTING: Final = re.compile(
    r"""\b([A-Za-z_]\w*["']?\s*[=:]\s*)("[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^\s&;,'"]+)""", re.ASCII
)
_SECRET: Final = re.compile(r"(?i)pass(?:w|phrase)|pwd")
_TRIGGERS: Final = tuple("@ pass pwd key sslc".split())
_ATTRIBUTES: Final = re.compile(_KEYWORDS, re.IGNORECASE)


def may_have_password(text: str) -> bool:
    """Tell whether a text may have a password; if not, no part of it has one."""
    lower = text.lower()
    for trigger in _TRIGGERS:  # noqa: SIM110 - any() takes three times as long
        if trigger in lower:
            return True
    return False


def masked_text(text: str) -> str:
    """Return a text with the passwords in it hidden."""
    if not may_have_password(text):
        return text
    if _ATTRIBUTES.search(text):
        text = _ATTRIBUTE.sub(rf"\1{HIDDEN}", text)
    if "@" in text:
        text = " ".join(_without_credentials(word) for word in text.split(" "))
    if _SECRET.search(text):
        text = _SETTING.sub(_setting, text)
    return text


def _setting(found: re.Match[str]) -> str:
    return found[1] + HIDDEN if _SECRET.search(found[1]) else found[0]


def _without_credentials(word: str) -> str:
    """Hide the password in words like ``https://user:secret@host/path``, ``user:secret@host``."""
    before, at, place = word.rpartition("@")
    scheme, slashes, user = before.rpartition("://")
    name, colon, secret = user.partition(":")
    if not at or not colon or not (slashes or (name and secret)):
        return word
    return f"{scheme}{slashes}{name}:{HIDDEN}@{place}"
