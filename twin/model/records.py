"""Records: what is named by a profile and by what it matches (CHLAUTH, AUTHREC, POLICY).

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
"""The keyword under which an authority record keeps what it grants, as DISPLAY AUTHREC shows it."""

IMPLIED: Final[Mapping[str, Mapping[str, Value]]] = {
    "CHLAUTH": {"USERSRC": "MAP", "CHCKCLNT": "ASQMGR", "WARN": "NO"}
}
"""What holds where a record does not say, by type (IBM MQ, SET CHLAUTH; dmpmqcfg leaves it out)."""

_NOTHING: Final = "NONE"
_EVERYTHING: Final = "ALL"


def profile_of(definition: Definition) -> str:
    """Give the profile of a record: as it was given, else the first word of its name."""
    keyword = "PROFILE" if definition.type == "AUTHREC" else definition.type
    return str(definition.values.get(keyword, "")) or definition.name.partition(" ")[0]


def identified(type_name: str, profile: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Add to a record's values the profile, under the word that names records of its type."""
    if type_name == "POLICY":
        return dict(values)
    return {"PROFILE" if type_name == "AUTHREC" else TYPES[type_name].word: profile, **values}


def granted(values: Mapping[str, Value], before: Mapping[str, Value]) -> dict[str, Value]:
    """Apply AUTHRMV and then AUTHADD to what a record granted before; the list keeps its order.

    ALL takes everything away, NONE adds and takes nothing. The two lists are meant to exclude each
    other; only ALL may stand against added ones (setmqaut -all +put), and so it goes first.

    Source: IBM MQ, Set Authority Record (AuthorityAdd, AuthorityRemove).
    """
    taken = set(_words(values.get("AUTHRMV", ())))
    held = [] if _EVERYTHING in taken else _words(before.get(AUTHORITIES, ()))
    added = [word for word in _words(values.get("AUTHADD", ())) if word != _NOTHING]
    now = dict.fromkeys((*(word for word in held if word not in taken), *added))
    kept = {key: value for key, value in values.items() if key not in {"AUTHADD", "AUTHRMV"}}
    return {**kept, AUTHORITIES: tuple(now)}


def removed(
    type_name: str, profile: str, values: Mapping[str, Value], *, action: str, among: Iterable[str]
) -> list[str]:
    """Name the records that REMOVE takes away, or REMOVEALL: all of this profile and type."""
    exact = record_name(type_name, profile, values)
    prefix = f"{profile} {values.get('TYPE', '')}".rstrip() + " "
    if action == "REMOVEALL":
        return [name for name in among if f"{name} ".startswith(prefix)]
    return [name for name in among if name == exact]


def _words(value: Value) -> list[str]:
    words = value if isinstance(value, tuple) else str(value).split(",")
    return [word.strip().upper() for word in words if word.strip()]
