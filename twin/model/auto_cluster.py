"""The stanzas AutoCluster and Variables, which configure a uniform cluster automatically.

IBM's text spells RepositoryName1, its examples Repository1Name: both are read.

Source: IBM MQ 9.4, "AutoCluster stanza" and "Variables stanza" of the qm.ini file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from twin.errors import TwinError
from twin.model.ini import BadIni, Stanza, merged, read_ini
from twin.model.names import legal_name


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
