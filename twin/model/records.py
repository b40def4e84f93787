"""Records: objects named by a profile and the values they match (CHLAUTH, AUTHREC, POLICY).

Source: IBM MQ 9.4, "SET CHLAUTH", "SET AUTHREC", "SET POLICY".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from twin.model.attributes import TYPES, Value
from twin.model.objects import Definition, record_name

RECORDS: Final = frozenset({"CHLAUTH", "AUTHREC", "POLICY"})
"""The kinds whose objects are records."""

AUTHORITIES: Final = "AUTHLIST"
"""The keyword of the granted authorities in an authority record, as in DISPLAY AUTHREC."""

IMPLIED: Final[Mapping[str, Mapping[str, Value]]] = {
    "CHLAUTH": {"USERSRC": "MAP", "CHCKCLNT": "ASQMGR", "WARN": "NO"}
}
"""The defaults of records, by type (IBM MQ, SET CHLAUTH; dmpmqcfg omits them)."""

_NOTHING: Final = "NONE"
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
    """Apply AUTHRMV and then AUTHADD to the authorities of a record; their order is kept.

    ALL removes everything; NONE adds or removes nothing. The lists should not overlap, except that
    ALL may be combined with added authorities (setmqaut -all +put), so removal comes first.

    Source: IBM MQ, Set Authority Record (AuthorityAdd, AuthorityRemove).
    """
    removed = set(_words(values.get("AUTHRMV", ())))
    earlier = [] if _EVERYTHING in removed else _words(before.get(AUTHORITIES, ()))
    added = [word for word in _words(values.get("AUTHADD", ())) if word != _NOTHING]
    now = dict.fromkeys((*(word for word in earlier if word not in removed), *added))
    others = {key: value for key, value in values.items() if key not in {"AUTHADD", "AUTHRMV"}}
    return {**others, AUTHORITIES: tuple(now)}


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
