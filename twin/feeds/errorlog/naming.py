"""What a record is about: the names in it, the days it counts, and the command to type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from twin.events.logged import OVERDUE
from twin.feeds.errorlog.names import names_in, numbers_in, quoted
from twin.feeds.errorlog.record import LogRecord
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
_DIGITS: Final = re.compile(r"\d+")
_ROLE: Final = re.compile(r"\{(\w+)\}")
_UPPER: Final = re.compile(r"[A-Z0-9._/%]+", re.ASCII)


def named(record: LogRecord) -> dict[str, str]:
    """Return what a record names, by role: from the inserts, else from the names in the text.

    A role without a value is left out, and so is everything of an id that is not known. Names
    without quotes count only in the message, and only if there is one for each role: any of them
    may have been overlooked. The explanation counts if the message has no name.
    """
    row = CATALOGUE.get(record.id)
    if row is None:
        return {}
    if any(record.comments) or any(record.arith):
        return _values(row.comments, record.comments) | _values(row.arith, record.arith)
    roles = row.comments if row.names is None else row.names
    in_message = names_in(record.message)
    if in_message and "'" not in record.message and len(in_message) < len(roles.split()):
        return {}
    return _values(roles, in_message or tuple(quoted(record.explanation)))


def _values(roles: str, values: tuple[str, ...]) -> dict[str, str]:
    places = zip(roles.split(), values, strict=False)
    return {role: value for role, value in places if value and role != "-"}


def names_of(record: LogRecord) -> dict[str, str]:
    """Return what a record names, by role, and what can be told by its form."""
    found = named(record) or named(record._replace(comments=("", "", ""), arith=("", "")))
    names = {role: name for role, name in found.items() if role in _ROLES}
    if record.remote_host:
        names.setdefault("host", record.remote_host)
    if "qmid" not in names and record.id in OVERDUE:
        qmid = next((each for each in others_of(record) if owner_of(each)), "")
        names |= {"qmid": qmid} if qmid else {}
    return names


_ROLES: Final = frozenset({*SUBJECTS, "host", "qmgr", "dn"})


def others_of(record: LogRecord) -> tuple[str, ...]:
    """Return everything that may be a name in a record, from its inserts and its message."""
    found = (*filter(None, record.comments), *names_in(record.message))
    return tuple(dict.fromkeys(found))


def key_of(record: LogRecord, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return what equal messages have in common: the id, who wrote it, what it is about."""
    row = CATALOGUE.get(record.id)
    if row is not None and row.noise:
        return (record.id, record.qmgr)
    subjects = tuple(f"{role} {names[role]}" for role in SUBJECTS if role in names)
    if not subjects:
        text = names.get("host") or _DIGITS.sub("0", record.message[:_SHOWN])
        subjects = (text,)
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


_WHOLE: Final = REMOVED_AFTER - RENEWED_EVERY
_LONG: Final = 6


def owner_of(qmid: str) -> str:
    """Return the name of the queue manager in a QMID; '' if the text is no QMID."""
    found = _QMID.fullmatch(qmid)
    return found["qmgr"] if found else ""


def filled(template: str, names: Mapping[str, str]) -> str:
    """Return what to do with the names in it, as MQSC takes them.

    A name that MQ does not allow is left out: a log must not write commands.
    """
    return _ROLE.sub(lambda found: _as_mqsc(found[1], names.get(found[1], "")), template)


def _as_mqsc(role: str, name: str) -> str:
    allowed = legal_name(name) or owner_of(name)
    if not name or not allowed:
        return f"<{role}>"
    return name if _UPPER.fullmatch(name) else f"'{name}'"
