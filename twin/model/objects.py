"""MQ objects by kind and name, and what a finding or a sentence is about: the subject.

Records: objects named by a profile and the values they match (CHLAUTH, AUTHREC, POLICY).

Source: IBM MQ 9.4, "SET CHLAUTH", "SET AUTHREC", "SET POLICY".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from twin.model.attributes import TYPES, Value, attribute_of
from twin.model.authorities import expanded
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
        altered: when it was last altered, or else since when it was seen so; None means never since
            its creation.
        position: the position of the event that last changed it.
        dated: whether `altered` is when it was altered: a file showed that, or a command did it.
        given: the attributes that were set, if it is known from scripts only: they leave the others
            to the default object of their queue manager, whose values nobody may have seen. None
            if all of it is known.
    """

    kind: str
    name: str
    type: str
    values: Mapping[str, Value]
    created: Instant | None
    altered: Instant | None
    position: int = 0
    dated: bool = True
    given: tuple[str, ...] | None = None

    @property
    def alter_date(self) -> Instant | None:
        """When it was last altered; None if it never was, or nothing shows when."""
        return self.altered if self.dated else None

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


RECORDS: Final = frozenset({"CHLAUTH", "AUTHREC", "POLICY"})
"""The kinds whose objects are records."""

AUTHORITIES: Final = "AUTHLIST"
"""The keyword of the granted authorities in an authority record, as in DISPLAY AUTHREC."""

IMPLIED: Final[Mapping[str, Mapping[str, Value]]] = {
    "CHLAUTH": {"USERSRC": "MAP", "CHCKCLNT": "ASQMGR", "WARN": "NO"}
}
"""The defaults of records, by type (IBM MQ, SET CHLAUTH; dmpmqcfg omits them)."""

_EVERYTHING: Final = "ALL"


def profile_of(definition: Definition) -> str:
    """Return the profile of a record: its own, else the first word of its name."""
    keyword = "PROFILE" if definition.type == "AUTHREC" else definition.type
    return str(definition.values.get(keyword, "")) or definition.name.partition(" ")[0]


def in_order(definition: Definition) -> tuple[str, str]:
    """Return the place of an object among those of its kind, for lists of them.

    Of channel authentication records, a generic profile comes after the profiles that it covers,
    and blocked users come after the maps of their profile, as dmpmqcfg of 9.x writes them.
    """
    if definition.type != "CHLAUTH":
        return definition.name, ""
    return profile_of(definition).replace("*", "~"), definition.name.replace(" BLOCK", " ~")


def identified(type_name: str, profile: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Add the profile to the values of a record, under the keyword of its type."""
    if type_name == "POLICY":
        return dict(values)
    return {"PROFILE" if type_name == "AUTHREC" else TYPES[type_name].word: profile, **values}


def granted(values: Mapping[str, Value], before: Mapping[str, Value]) -> dict[str, Value]:
    """Apply AUTHRMV and then AUTHADD to the authorities of a record; they come in MQ's order.

    ALL removes everything; NONE adds or removes nothing. The lists should not overlap, except that
    ALL may be combined with added authorities (setmqaut -all +put), so removal comes first.

    Source: IBM MQ, Set Authority Record (AuthorityAdd, AuthorityRemove).
    """
    of_type, words = str(values.get("OBJTYPE", "")), _words(values.get("AUTHRMV", ()))
    earlier = () if _EVERYTHING in words else expanded(of_type, _words(before.get(AUTHORITIES, ())))
    removed = expanded(of_type, words)
    now = [word for word in earlier if word not in removed] + _words(values.get("AUTHADD", ()))
    others = {key: value for key, value in values.items() if key not in {"AUTHADD", "AUTHRMV"}}
    return {**others, AUTHORITIES: expanded(of_type, now)}


def authorities_of(record: Definition) -> tuple[str, ...]:
    """Return what an authority record grants, in MQ's order."""
    words = record.values.get(AUTHORITIES, record.values.get("AUTHADD", ()))
    return expanded(str(record.values.get("OBJTYPE", "")), _words(words))


def removed(
    type_name: str, profile: str, values: Mapping[str, Value], *, action: str, among: Iterable[str]
) -> list[str]:
    """Return the records that REMOVE deletes; REMOVEALL deletes all of a profile and type."""
    exact = record_name(type_name, profile, values)
    prefix = f"{profile} {values.get('TYPE', '')}".rstrip() + " "
    if action == "REMOVEALL":
        return [name for name in among if f"{name} ".startswith(prefix)]
    return [name for name in among if name == exact]


def _words(value: Value) -> list[str]:
    words = value if isinstance(value, tuple) else str(value).split(",")
    return [word.strip().upper() for word in words if word.strip()]
