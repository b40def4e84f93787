"""MQ objects by kind and name, and what a finding or a sentence is about: the subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from twin.model.attributes import TYPES, Value, attribute_of
from twin.model.instants import Instant

ObjectKey: TypeAlias = tuple[str, str]
"""(kind, name) of an MQ object."""

PARTNERS: Final[Mapping[str, tuple[str, ...]]] = {
    "CLUSSDR": ("CLUSRCVR",),
    "SDR": ("RCVR", "RQSTR"),
    "SVR": ("RCVR", "RQSTR"),
    "RQSTR": ("SVR", "SDR"),
}
"""Channel type that can be started -> the types that its partner can have."""

UNCLUSTERED: Final = frozenset({"SDR", "SVR"})
"""The types that send from the transmission queue in their definition."""

SENDING: Final = frozenset({"CLUSSDR", "SDR", "SVR"})
RECEIVING: Final = frozenset({"CLUSRCVR", "RCVR", "RQSTR"})
"""The types that receive messages."""


class Definition(NamedTuple):
    """One MQ object as it is defined.

    Attributes:
        values: the attributes that differ from the defaults of the type.
        created: when it was created; None means with its queue manager.
        altered: when it was last altered; None means never since its creation.
        position: the position of the event that last changed it.
    """

    kind: str
    name: str
    type: str
    values: Mapping[str, Value]
    created: Instant | None
    altered: Instant | None
    position: int = 0

    @property
    def is_qmgr_alias(self) -> bool:
        """Whether it is a queue manager alias: a remote definition with a blank RNAME."""
        return self.type == "QREMOTE" and not self.values.get("RNAME")

    @property
    def is_transmission_queue(self) -> bool:
        """Whether it is a local or model queue with USAGE(XMITQ)."""
        return self.values.get("USAGE") == "XMITQ"

    @property
    def is_put_inhibited(self) -> bool:
        """Whether it is PUT(DISABLED)."""
        return self.values.get("PUT") == "DISABLED"


def value_in(type_name: str, values: Mapping[str, Value], keyword: str) -> Value:
    """Return an attribute of an object of a type; if it is not set, the default of the type.

    An attribute that the type does not have, or that only its queue manager knows, is blank.
    """
    if keyword in values:
        return values[keyword]
    default = attribute_of(type_name, keyword).default
    return "" if default is None else default


def value_of(definition: Definition, keyword: str) -> Value:
    """Return an attribute of a definition, or the default of its type."""
    return value_in(definition.type, definition.values, keyword)


def text_of(definition: Definition, keyword: str) -> str:
    """Return an attribute as a string; a list is joined with commas."""
    value = value_of(definition, keyword)
    return ",".join(value) if isinstance(value, tuple) else str(value)


def number_of(definition: Definition, keyword: str) -> int:
    """Return an attribute as a number; 0 if it is a word or blank."""
    value = value_of(definition, keyword)
    return value if isinstance(value, int) else 0


def names_of(namelist: Definition | None) -> tuple[str, ...]:
    """Return the names in a namelist, in order and without repetitions; () without a namelist."""
    names = value_of(namelist, "NAMES") if namelist else ()
    return tuple(dict.fromkeys(names)) if isinstance(names, tuple) else ()


def clusters_of(definition: Definition, namelists: Mapping[str, Definition]) -> tuple[str, ...]:
    """Return the clusters of an object: its CLUSTER, or the names in its CLUSNL.

    A namelist that does not exist has no names. For a queue manager, they are the clusters of which
    it is a full repository (REPOS, REPOSNL).

    Source: IBM MQ, Cluster namelists; domain facts 3.9.
    """
    pair = ("REPOS", "REPOSNL") if definition.kind == "QMGR" else ("CLUSTER", "CLUSNL")
    cluster, namelist = (definition.values.get(keyword, "") for keyword in pair)
    if isinstance(cluster, str) and cluster:
        return (cluster,)
    return names_of(namelists.get(str(namelist))) if namelist else ()


def record_name(type_name: str, profile: str, values: Mapping[str, Value]) -> str:
    """Return a name for a record without a name of its own (CHLAUTH, AUTHREC).

    It consists of the profile and the values that the record matches, because records with the same
    profile differ in these values.
    """
    identity = (values.get(keyword, "") for keyword in TYPES[type_name].identity)
    return " ".join((profile, *(str(value) for value in identity if value)))


class Subject(NamedTuple):
    """An object, a queue manager, a cluster, or one side of these.

    As text it is the queue manager, the cluster, the kind and name, and the aspect, as far as they
    are given: `QM1 QUEUE(ORDERS)`, `CLUSTER(SALES) QUEUE(ORDERS) MAXMSGL`, `QM1 CLUSTER(SALES)`.
    This text is the lasting identity of a finding: suppressions and baselines name it.

    Attributes:
        qmgr: the queue manager that has it; '' for what belongs to no single one.
        kind: its kind, such as QUEUE; '' for a queue manager or a cluster as a whole.
        name: its name; '' for all of its kind.
        cluster: the cluster that it is seen in; '' for none.
        aspect: which side of it is meant, if several are told apart.
    """

    qmgr: str = ""
    kind: str = ""
    name: str = ""
    cluster: str = ""
    aspect: str = ""

    def __str__(self) -> str:
        """Write it as people read it, and as suppressions and baselines name it."""
        cluster = f"CLUSTER({self.cluster})" if self.cluster else ""
        named = f"{self.kind}({self.name})" if self.name else self.kind
        if self.qmgr and cluster and named:
            return f"{self.qmgr} {named} in {cluster}"
        return " ".join(filter(None, (self.qmgr, cluster, named, self.aspect)))

    @property
    def path(self) -> tuple[str, ...]:
        """Its queue manager, kind and name, or those of its cluster; () if it has no name."""
        if self.cluster:
            place = () if self.kind and self.qmgr else ("CLUSTER", self.cluster)
        else:
            place = (self.kind, self.name) if self.name else ()
        return (*((self.qmgr,) if self.qmgr else ()), *place) if place else ()
