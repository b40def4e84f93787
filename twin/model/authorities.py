"""What authority records grant, in MQ's spelling, and which of several profiles counts for a name.

Sources: IBM MQ 9.4, "setmqaut" (which authorities an object has, and ALL, ALLMQI and ALLADM);
"Using OAM generic profiles" and "Profile priorities". The order is that of the numbers of MQAUTH_*,
as in dmpmqcfg. CRT is not in ALL: MQ keeps it in the profile @class [inferred].
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

_EVERY: Final = (
    "QUEUE PROCESS QMGR NAMELIST TOPIC AUTHINFO CLNTCONN CHANNEL LISTENER SERVICE COMMINFO"
)
_MQI: Final = {
    "ALTUSR": "QMGR",
    "BROWSE": "QUEUE",
    "CONNECT": "QMGR",
    "GET": "QUEUE",
    "INQ": "QUEUE PROCESS QMGR NAMELIST AUTHINFO",
    "PUT": "QUEUE RQMNAME",
    **dict.fromkeys(("PASSALL", "PASSID"), "QUEUE TOPIC"),
    "SET": "QUEUE PROCESS QMGR",
    **dict.fromkeys(("SETALL", "SETID"), "QUEUE QMGR TOPIC"),
    **dict.fromkeys(("PUB", "SUB", "RESUME"), "TOPIC"),
}
_ADMINISTRATION: Final = {
    **dict.fromkeys(("CHG", "DLT", "DSP"), _EVERY),
    "CLR": "QUEUE TOPIC",
    "CTRL": "TOPIC CHANNEL LISTENER SERVICE QMGR",
    "CTRLX": "CHANNEL",
}
_ORDER: Final = tuple(
    """ALTUSR BROWSE CHG CLR CONNECT CRT DLT DSP GET INQ PUT PASSALL PASSID SET SETALL SETID CTRL
    CTRLX PUB SUB RESUME SYSTEM""".split()
)
_GROUPS: Final = {
    "NONE": {},
    "ALLMQI": _MQI,
    "ALLADM": _ADMINISTRATION,
    "ALL": {**_MQI, **_ADMINISTRATION, "SYSTEM": "QMGR"},
}
"""The words for several authorities: each of these -> the types of objects that have it."""

AUTHORITIES: Final = (*_ORDER, *_GROUPS)
"""The authorities that SET AUTHREC takes, in the order in which DISPLAY AUTHREC shows them."""

PUT: Final = "PUT"

ADMINISTRATORS: Final = "mqm"
"""The group whose members may do everything, and the user of that name who is in it."""

EVERYBODY: Final = "nobody"
"""The group that every user is in. Source: IBM MQ, "Groups", default user class."""


def expanded(type_name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Return authorities for a type of object, in MQ's order, without the words for several.

    Words that MQ does not have come last, in their order.
    """
    given = dict.fromkeys(words)
    meant = set(given)
    for word in _GROUPS.keys() & meant:
        meant.update(each for each, types in _GROUPS[word].items() if type_name in types.split())
    others = (word for word in given if word not in AUTHORITIES)
    return (*(word for word in _ORDER if word in meant), *others)


def groups_by_user(user: str, texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the groups in texts `[USER=]G,...`, by user; `user` is whose they are by default."""
    found: dict[str, list[str]] = {}
    for text in texts:
        whose, named, groups = text.rpartition("=")
        found.setdefault(whose if named else user, []).extend(filter(None, groups.split(",")))
    return found


def matches(profile: str, name: str) -> bool:
    """Return whether a profile applies to a name.

    `?` is any one character and `*` any number of them, within one part of the name; the part `**`
    is any number of parts. Parts are divided by dots.
    """
    return _fit(profile.split("."), name.split("."))


def _fit(profile: list[str], parts: list[str]) -> bool:
    if not profile or not parts:
        return not parts and all(part == "**" for part in profile)
    if profile[0] == "**":
        return _fit(profile[1:], parts) or _fit(profile, parts[1:])
    return bool(_pattern(profile[0]).fullmatch(parts[0])) and _fit(profile[1:], parts[1:])


@cache
def _pattern(part: str) -> re.Pattern[str]:
    return re.compile(re.escape(part).replace(r"\*", ".*").replace(r"\?", "."))


_PLAIN: Final = 0
_END: Final = 1
_SPECIFIC: Final = {"?": 2, "*": 3, "**": 4}


def specificity(profile: str) -> tuple[list[int], str]:
    """Return a key by which the most specific of the profiles that match a name comes first.

    Where they differ first, a plain character is more specific than `?`, then `*`, then `**`.
    """
    tokens = re.findall(r"\*\*|.", profile)
    return [*(_SPECIFIC.get(token, _PLAIN) for token in tokens), _END], profile
