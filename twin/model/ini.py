"""Read configuration files of MQ (qm.ini and alike): stanzas of NAME=VALUE lines.

The stanzas AutoCluster and Variables configure a uniform cluster automatically.

A line that starts with `#` is a comment. Names are compared without regard to case.

Source: IBM MQ 9.4, "Automatic configuration of a queue manager from an INI script at startup".

IBM's text spells RepositoryName1, its examples Repository1Name: both are read.

Source: IBM MQ 9.4, "AutoCluster stanza" and "Variables stanza" of the qm.ini file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from twin.errors import TwinError
from twin.model.names import legal_name

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


class BadConfiguration(TwinError, ValueError):
    """An ini file, or a stanza in it, with which no queue manager can be created."""


class AutoCluster(NamedTuple):
    """A uniform cluster.

    Attributes:
        cluster: its name.
        repositories: the name of each full repository -> its CONNAME.
    """

    cluster: str
    repositories: Mapping[str, str]


class Settings(NamedTuple):
    """The content of ini files.

    Attributes:
        auto_cluster: the uniform cluster; None without the stanza AutoCluster.
        variables: the variables by name in upper case.
    """

    auto_cluster: AutoCluster | None
    variables: Mapping[str, str]


def read_settings(files: Iterable[tuple[str, str]]) -> Settings:
    """Read ini files, given as (name, text); of repeated attributes the last one counts.

    Raises:
        BadConfiguration: if a line is malformed, or the stanza AutoCluster is wrong or incomplete.
    """
    stanzas: list[Stanza] = []
    for name, text in files:
        try:
            stanzas += read_ini(text)
        except BadIni as error:
            message = f"{name}: {error}"
            raise BadConfiguration(message) from None
    cluster = merged(stanzas, "AutoCluster")
    return Settings(
        None if cluster is None else read_auto_cluster(cluster), merged(stanzas, "Variables") or {}
    )


def read_auto_cluster(values: Mapping[str, str]) -> AutoCluster:
    """Read the attributes of a stanza AutoCluster, which are by name in upper case.

    Raises:
        BadConfiguration: if one is wrong or missing.
    """
    problem = ""
    if values.get("TYPE", "").upper() != "UNIFORM":
        problem = f"Type must be Uniform, not {values.get('TYPE', '') or 'missing'}"
    elif not values.get("CLUSTERNAME"):
        problem = "ClusterName is missing"
    elif not legal_name(values["CLUSTERNAME"]):
        problem = f"ClusterName {values['CLUSTERNAME']!r} is not a legal name"
    if problem:
        raise _bad(problem)
    pairs = (pair for number in "12" if (pair := _repository(values, number)))
    return AutoCluster(values["CLUSTERNAME"], MappingProxyType(dict(pairs)))


def _repository(values: Mapping[str, str], number: str) -> tuple[str, str] | None:
    """Return name and CONNAME of a full repository; None if neither is given."""
    name, conname = (
        values.get(f"REPOSITORY{number}{word}") or values.get(f"REPOSITORY{word}{number}") or ""
        for word in ("NAME", "CONNAME")
    )
    if bool(name) != bool(conname):
        given, missing = ("Name", "Conname") if name else ("Conname", "Name")
        problem = f"Repository{number}{given} needs Repository{number}{missing}"
        raise _bad(problem)
    if name and not legal_name(name):
        problem = f"Repository{number}Name {name!r} is not a legal name"
        raise _bad(problem)
    return (name, conname) if name else None


def _bad(problem: str) -> BadConfiguration:
    return BadConfiguration(f"AutoCluster: {problem}")
