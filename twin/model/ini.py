"""Read configuration files of MQ (qm.ini and alike): stanzas of NAME=VALUE lines.

A line that starts with `#` is a comment. Names are compared without regard to case.

Source: IBM MQ 9.4, "Automatic configuration of a queue manager from an INI script at startup".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from twin.errors import TwinError

_STANZA: Final = re.compile(r"([A-Za-z][A-Za-z0-9]*)\s*:")
_ATTRIBUTE: Final = re.compile(r"([^\s=:#]+)\s*=\s*(.*)")


class BadIni(
    TwinError, ValueError, message="line {}: expected STANZA: or, in a stanza, NAME=VALUE, not {!r}"
):
    """A line of a configuration file that is neither a stanza nor an attribute in one."""


class Stanza(NamedTuple):
    """One stanza of a file.

    Attributes:
        name: as written, without the colon.
        attributes: (name, value) as written, in order.
    """

    name: str
    attributes: tuple[tuple[str, str], ...]


def read_line(raw: str) -> str | tuple[str, str]:
    """Read one line: the name of a stanza, an attribute as (name, value), or '' for nothing.

    Raises:
        ValueError: if it is none of these, nor a comment.
    """
    line = raw.strip()
    if not line or line.startswith("#"):
        return ""
    if stanza := _STANZA.fullmatch(line):
        return stanza[1]
    if attribute := _ATTRIBUTE.fullmatch(line):
        return attribute[1], attribute[2]
    raise ValueError(line)


def read_ini(text: str) -> tuple[Stanza, ...]:
    """Read the stanzas of a file, in order; a byte order mark at its start is ignored.

    Raises:
        BadIni: if a line is neither a stanza, nor an attribute in one, nor a comment, nor blank.
    """
    stanzas: list[tuple[str, list[tuple[str, str]]]] = []
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        try:
            read = read_line(raw)
        except ValueError:
            raise BadIni(number, raw.strip()) from None
        if isinstance(read, tuple):
            if not stanzas:
                raise BadIni(number, raw.strip())
            stanzas[-1][1].append(read)
        elif read:
            stanzas.append((read, []))
    return tuple(Stanza(name, tuple(attributes)) for name, attributes in stanzas)


def merged(stanzas: Iterable[Stanza], name: str) -> Mapping[str, str] | None:
    """Return the attributes of all stanzas of a name, by name in upper case; the last one counts.

    None if there is no such stanza.
    """
    same = [stanza for stanza in stanzas if stanza.name.upper() == name.upper()]
    if not same:
        return None
    return {key.upper(): value for stanza in same for key, value in stanza.attributes}
