"""What a record is about: the names in it, the days it counts, and the command to type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from twin.events.logged import OVERDUE
from twin.feeds.errorlog.record import LogRecord
from twin.model.amounts import whole_number
from twin.model.instants import MINUTE, SECOND
from twin.model.messages import CATALOGUE
from twin.model.names import legal_name

RENEWED_EVERY: Final = 27
REMOVED_AFTER: Final = 90
"""Days after its publication at which a record is due again, and is removed. Source: IBM MQ 9.4,
How long do the queue manager repositories retain information?
"""

SUBJECTS: Final = ("channel", "queue", "object", "cluster", "qmid")
"""The roles of what a message is about."""

_SHOWN: Final = 300
_QMID: Final = re.compile(
    r"(?P<qmgr>[A-Za-z0-9._/%]{1,48}?)"
    r"(?:_\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d|\.[0-9A-F]{16})",
    re.ASCII,
)
_DIGITS: Final = re.compile(r"(?<![\w./%])\d+(?![\w./%])", re.ASCII)
"""A number that is no part of a name or an address."""
_ROLE: Final = re.compile(r"\{(\w+)\}")
_IN_SENTENCE: Final = re.compile(r" \{(\w+)\}")
_REASON: Final = re.compile(r"\breason(?: code)?(?: is|:)? \(?(\d{4})\b", re.IGNORECASE)
"""How texts of MQ write a reason code."""
_UPPER: Final = re.compile(r"[A-Z0-9._/%]+", re.ASCII)


def named(record: LogRecord) -> dict[str, str]:
    """Return what a record names, by role: from the inserts, else from the names in the text.

    Where the places of a message among the inserts are not known, the names in the text count.
    A role without a value is left out, and so is everything of an id that is not known. Names
    without quotes count only in the message, and only if there is one for each role: any of them
    may have been overlooked. The explanation counts if the message has no name.
    """
    row = CATALOGUE.get(record.id)
    if row is None:
        return {}
    if (row.comments or row.arith) and (any(record.comments) or any(record.arith)):
        return _values(row.comments, record.comments) | _values(row.arith, record.arith)
    roles = row.comments if row.names is None else row.names
    in_message = names_in(record.message)
    if in_message and "'" not in record.message and len(in_message) < len(roles.split()):
        return {}
    decided = numbers_in(record.explanation)[:1] if row.deciding else ()
    return _values(roles, in_message or tuple(quoted(record.explanation))) | _values(
        row.deciding, decided
    )


def _values(roles: str, values: tuple[str, ...]) -> dict[str, str]:
    places = zip(roles.split(), values, strict=False)
    return {role: value for role, value in places if value and role != "-"}


def names_of(record: LogRecord) -> dict[str, str]:
    """Return what a record names, by role, and what can be told by its form."""
    found = named(record) or named(record._replace(comments=("", "", ""), arith=("", "")))
    row = CATALOGUE.get(record.id)
    kept = _ROLES if row is None else _ROLES | {row.deciding}
    names = {role: name for role, name in found.items() if role in kept}
    if record.remote_host:
        names.setdefault("host", record.remote_host)
    if reason := reason_of(record):
        names["reason"] = str(reason)
    if "qmid" not in names and record.id in OVERDUE:
        qmid = next((each for each in others_of(record) if owner_of(each)), "")
        names |= {"qmid": qmid} if qmid else {}
    return names


def reason_of(record: LogRecord) -> int:
    """Return the reason code of a record, in its text or as its first number; 0 for none."""
    written = (record.message, record.explanation)
    found = next(filter(None, map(_REASON.search, written)), None)
    row = CATALOGUE.get(record.id)
    number = record.arith[0] if row and "{reason}" in row.text and record.arith else ""
    return whole_number(found[1] if found else number) or 0


_ROLES: Final = frozenset({*SUBJECTS, "host", "qmgr", "dn"})


def others_of(record: LogRecord) -> tuple[str, ...]:
    """Return everything that may be a name in a record, from its inserts and its message."""
    return tuple(dict.fromkeys((*filter(None, record.comments), *names_in(record.message))))


def key_of(record: LogRecord, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return what equal messages have in common: the id, who wrote it, what it is about."""
    row = CATALOGUE.get(record.id)
    if row is not None and row.noise:
        return (record.id, record.qmgr)
    deciding = [row.deciding] if row is not None and row.deciding in names else []
    roles = (*SUBJECTS, *deciding, "reason")
    subjects = tuple(f"{role} {names[role]}" for role in roles if role in names)
    if not {*names} & {*roles[:-1]}:
        subjects = (names.get("host") or _DIGITS.sub("0", record.message[:_SHOWN]),)
    return (record.id, record.qmgr, *subjects)


def days_of(record: LogRecord) -> tuple[int, int] | None:
    """Return the days overdue and the days left of a warning; None if it does not have both.

    The two add up to the days from the due renewal to the removal; a day more or less is rounding.
    """
    arith = [int(each or 0) for each in record.arith if not each or each.isdecimal()]
    in_message = [int(each) for each in numbers_in(record.message)[-2:] if len(each) <= _LONG]
    for numbers in (arith, in_message):
        if len(numbers) == 2 and abs(sum(numbers) - _WHOLE) <= 1:  # noqa: PLR2004 - the two
            return numbers[0], numbers[1]
    return None


def clock_of(record: LogRecord) -> tuple[int | None, int | None]:
    """Return how long until a failed repository manager tries again, and until the end.

    Both are in microseconds; None if a record does not say it. Multiplatforms count minutes, 10 and
    7200 at first, and the queue manager ends. z/OS counts seconds, and it does not end (IBM MQ 9.4,
    "Changes to cluster error recovery on servers on Multiplatforms"; the texts are from memory).
    """
    found = tuple(filter(str.isdecimal, record.arith)) or numbers_in(record.message)
    if len(found) > 2 or any(len(each) > _LONG for each in found):  # noqa: PLR2004 - after and left
        return None, None
    numbers = [int(each) for each in found]
    if len(numbers) == 1:
        return numbers[0] * SECOND, None
    return (numbers[0] * MINUTE, numbers[1] * MINUTE) if numbers else (None, None)


_WHOLE: Final = REMOVED_AFTER - RENEWED_EVERY
_LONG: Final = 6


def owner_of(qmid: str) -> str:
    """Return the name of the queue manager in a QMID; '' if the text is no QMID."""
    found = _QMID.fullmatch(qmid)
    return found["qmgr"] if found else ""


def told(template: str, names: Mapping[str, str]) -> str:
    """Return what a message means with the names in it; a name that is not known is left out."""
    legal = {role: f" {name}" for role, name in names.items() if legal_name(name)}
    return _IN_SENTENCE.sub(lambda found: legal.get(found[1], ""), template)


def filled(template: str, names: Mapping[str, str]) -> str:
    """Return what to do with the names in it, as MQSC takes them.

    For a name that MQ does not allow, and for one that is not known, its role stands in lower
    case: a log must not write commands.
    """
    return _ROLE.sub(lambda found: _as_mqsc(found[1], names.get(found[1], "")), template)


def _as_mqsc(role: str, name: str) -> str:
    if not name or not (legal_name(name) or owner_of(name)):
        return role
    return name if _UPPER.fullmatch(name) else f"'{name}'"


_MOST: Final = 16
_LONGEST: Final = 264
_QUOTED: Final = re.compile(r"(?<![\w'])'([^'\n]{1,264})'(?![\w'])")
_QUOTES: Final = dict.fromkeys(
    (*range(0x2018, 0x2020), 0xAB, 0xBB, *range(0x300C, 0x3010)), ord("'")
)
"""Quotation marks of other languages, each read as an apostrophe."""

_UNKNOWN: Final = "????"
_NAME: Final = re.compile(r"[A-Za-z0-9._/%]{1,64}(?:_\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d)?", re.ASCII)
"""The name of an object, or a QMID."""

_SURE: Final = frozenset("._%0123456789")
_SYNTAX: Final = frozenset(
    """CLUSTER CLUSQMGR CLUSRCVR CLUSSDR CLUSSDRA CLUSSDRB CHANNEL QMGR QUEUE TOPIC REFRESH RESET
    SUSPEND RESUME START STOP FORCEREMOVE QUEUES REPOS YES NO MODE FORCE MQGET MQPUT MQOPEN MQCLOSE
    MQINQ MQSET MQCONN MQCMIT MQBACK TCP TCP/IP IP LU62 TLS SSL CHLAUTH CONNAUTH RC MQRC SDR SVR
    RCVR RQSTR SVRCONN CLNTCONN XMITQ TRPTYPE IBM MQ AND OR NOT FFST FDC PID NPMSPEED BATCHSZ
    """.split()
)
"""Words of MQSC and of MQ that stand in messages of every language, and are never names there."""


def names_in(text: str) -> tuple[str, ...]:
    """Return the different names in a text in their order: the quoted ones, else sure ones.

    Texts are translated, so no word of a language is looked for.
    """
    found = quoted(text)
    if not found:
        capitals = text.isupper()
        words = (word.strip("(),;:'\"").rstrip(".") for word in text.split())
        found = [word for word in words if _is_sure(word, capitals=capitals)]
    return tuple(dict.fromkeys(found[:_MOST]))


def quoted(text: str) -> list[str]:
    """Return the texts in quotes that can be names, in their order."""
    if not text.isascii():
        text = text.translate(_QUOTES)
    parts = text.split("'")
    if len(parts) == 1:
        return []
    inside = parts[1::2]
    outside = parts[::2]
    if len(parts) % 2 == 0 or any(
        (before and before[-1].isalnum()) or (after and after[0].isalnum())
        for before, after in pairwise(outside)
    ):
        inside = _QUOTED.findall(text)
    return [
        name
        for each in inside
        if (name := " ".join(each.split())) and name != _UNKNOWN and len(name) <= _LONGEST
    ]


def numbers_in(text: str) -> tuple[str, ...]:
    """Return the whole numbers in a text, in their order."""
    words = (word.strip("(),;:.'\"") for word in text.split())
    return tuple([word for word in words if word.isdigit() and word.isascii()][:_MOST])


def _is_sure(word: str, *, capitals: bool) -> bool:
    """Tell whether a word is a name in every language: capitals, or with a mark in it.

    In a text of capitals alone, capitals say nothing.
    """
    if not _NAME.fullmatch(word) or word in _SYNTAX or word.replace(".", "").isdigit():
        return False
    if word.isupper() and (not capitals or not _SURE.isdisjoint(word)):
        return True
    return any(mark in word[1:-1] for mark in "._%") and not word.islower()
