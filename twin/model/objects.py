"""Definitions of MQ objects, and the small questions that clusters ask of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from twin.model.attributes import TYPES, Value, attribute_of
from twin.model.instants import Instant


class Definition(NamedTuple):
    """One MQ object as it is defined.

    `values` holds only what differs from the product's defaults of the type. `created` None means
    at the creation of its queue manager, `altered` None means not since it was created, and
    `position` is that of the event on which it rests.
    """

    kind: str
    name: str
    type: str
    values: Mapping[str, Value]
    created: Instant | None
    altered: Instant | None
    position: int = 0


def value_of(definition: Definition, keyword: str) -> Value:
    """Give an attribute of a definition, the product's default where it has no value of its own.

    An attribute that the type does not have, or that only its queue manager knows, is blank.
    """
    if keyword in definition.values:
        return definition.values[keyword]
    default = attribute_of(definition.type, keyword).default
    return "" if default is None else default


def text_of(definition: Definition, keyword: str) -> str:
    """Give an attribute as a string; a list is joined with commas."""
    value = value_of(definition, keyword)
    return ",".join(value) if isinstance(value, tuple) else str(value)


def number_of(definition: Definition, keyword: str) -> int:
    """Give an attribute that is a number; 0 where it is a word or blank."""
    value = value_of(definition, keyword)
    return value if isinstance(value, int) else 0


def names_of(namelist: Definition | None) -> tuple[str, ...]:
    """Give the names in a namelist in their order, each once; of no namelist there are none."""
    names = value_of(namelist, "NAMES") if namelist else ()
    return tuple(dict.fromkeys(names)) if isinstance(names, tuple) else ()


def clusters_of(definition: Definition, namelists: Mapping[str, Definition]) -> tuple[str, ...]:
    """Give the clusters an object is in: its CLUSTER, or the names in its CLUSNL.

    A namelist that does not exist names none. Of a queue manager it is the clusters it holds a
    full repository for (REPOS, REPOSNL).

    Source: IBM MQ, Cluster namelists; domain facts 3.9.
    """
    pair = ("REPOS", "REPOSNL") if definition.kind == "QMGR" else ("CLUSTER", "CLUSNL")
    cluster, namelist = (definition.values.get(keyword, "") for keyword in pair)
    if isinstance(cluster, str) and cluster:
        return (cluster,)
    return names_of(namelists.get(str(namelist))) if namelist else ()


def record_name(type_name: str, profile: str, values: Mapping[str, Value]) -> str:
    """Name a record that has no name of its own (CHLAUTH, AUTHREC): profile and identity.

    Two records of one profile differ in what they match, and so in their names.
    """
    found = (values.get(keyword, "") for keyword in TYPES[type_name].identity)
    return " ".join((profile, *(str(value) for value in found if value)))
