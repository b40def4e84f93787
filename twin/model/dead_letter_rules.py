"""The rules table of runmqdlq: control data, patterns and actions.

Decided here: values are taken as written. Patterns of what the twin does not know of a message are
refused, unless they fit every message ('*').

Source: IBM MQ 9.1 and 10.0, "Processing messages on a dead-letter queue", its control data, and its
rules (patterns and actions).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from twin.errors import TwinError
from twin.model.reasons import REASONS

DeadLetterAction: TypeAlias = Literal["DISCARD", "IGNORE", "RETRY", "FWD"]

_CONTROL: Final = frozenset({"INPUTQ", "INPUTQM", "RETRYINT", "WAIT"})
_UNKNOWN_OF_MESSAGES: Final = frozenset(
    "APPLIDAT APPLNAME APPLTYPE FEEDBACK FORMAT MSGTYPE REPLYQ REPLYQM USERID".split()
)
_PATTERNS: Final = frozenset({"DESTQ", "DESTQM", "PERSIST", "REASON"})
_ACTIONS: Final = frozenset({"DISCARD", "IGNORE", "RETRY", "FWD"})
_CODES: Final = {name: code for code, name in REASONS.items()}
_PERSISTENCE: Final = {
    "MQPER_PERSISTENT": True,
    "1": True,
    "MQPER_NOT_PERSISTENT": False,
    "0": False,
}
_NAMES: Final = {"FWDQ": ("&DESTQ",), "FWDQM": ("&DESTQM",)}
"""Keyword of an action -> the inserts that its value may be."""

_NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)
_CHOICES: Final[Mapping[str, Callable[[str], bool]]] = {
    "HEADER": lambda value: value in ("YES", "NO"),
    "PUTAUT": lambda value: value in ("DEF", "CTX"),
    "RETRY": lambda value: _NUMBER.fullmatch(value) is not None,
    "RETRYINT": lambda value: _NUMBER.fullmatch(value) is not None,
    "WAIT": lambda value: value in ("YES", "NO") or _NUMBER.fullmatch(value) is not None,
}
"""Keyword that has no effect in the twin -> whether it may have a value."""

_BLANKS: Final = " \t\r"
_GAP: Final = re.compile(r"[\s,]*")
_PARAMETER: Final = re.compile(r"([A-Za-z]+)\s*\(\s*(?:'((?:[^']|'')*)'|([^()']*?))\s*\)")


class BadRules(TwinError, ValueError, message="rules, line {}: {}"):
    """A rules table of runmqdlq that is malformed, or that needs what the twin does not model."""


class DeadLetter(NamedTuple):
    """What the patterns of a rule are compared with."""

    queue: str
    qmgr: str
    reason: int
    persistent: bool


@dataclass(frozen=True, slots=True)
class DeadLetterRule:
    """One rule; a pattern that is '' or None fits every message.

    `forward_to` and `forward_at` are FWDQ and FWDQM; `forward_at` is None without FWDQM.
    """

    line: int
    action: DeadLetterAction
    queue: str = ""
    qmgr: str = ""
    reason: int | None = None
    persistent: bool | None = None
    forward_to: str = ""
    forward_at: str | None = None

    def fits(self, message: DeadLetter) -> bool:
        """Return whether all patterns of the rule fit a message."""
        return (
            _fits(self.queue, message.queue)
            and _fits(self.qmgr, message.qmgr)
            and self.reason in (None, message.reason)
            and self.persistent in (None, message.persistent)
        )


@dataclass(frozen=True, slots=True)
class DeadLetterRules:
    """A rules table: the queue and the queue manager of its control data, and its rules."""

    rules: tuple[DeadLetterRule, ...]
    queue: str = ""
    qmgr: str = ""


def _fits(pattern: str, name: str) -> bool:
    """Return whether a name fits a pattern, in which * is any text and ? any character."""
    wanted = re.escape(pattern or "*").replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(wanted, name) is not None


def read_rules(text: str) -> DeadLetterRules:
    """Read a rules table.

    Raises:
        BadRules: if it is malformed, has no rule, or needs what the twin does not model.
    """
    entries = list(_entries(text))
    control: dict[str, str] = {}
    if entries and entries[0][1].keys() <= _CONTROL:
        control = entries.pop(0)[1]
    rules = tuple(_rule(line, values) for line, values in entries)
    if not rules:
        raise BadRules(max(1, text.count("\n")), "there is no rule")
    queue, qmgr = (control.get(key, "").strip() for key in ("INPUTQ", "INPUTQM"))
    return DeadLetterRules(rules, queue, qmgr)


def _entries(text: str) -> list[tuple[int, dict[str, str]]]:
    """Return the entries of a table, each with its first line; + and - continue a line."""
    entries: list[tuple[int, dict[str, str]]] = []
    start, joined = 0, ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.rstrip(_BLANKS)
        if not line.strip() or line.startswith("*"):
            continue
        start = start or number
        if line.endswith(("+", "-")):
            joined += line[:-1] if line.endswith("-") else line[:-1].lstrip(_BLANKS)
            continue
        entries.append((start, _parameters(start, joined + line)))
        start, joined = 0, ""
    if joined:
        entries.append((start, _parameters(start, joined)))
    return entries


def _parameters(line: int, text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    place = 0
    while place < len(text):
        gap = _GAP.match(text, place)
        place = gap.end() if gap is not None else place
        if place == len(text):
            break
        found = _PARAMETER.match(text, place)
        if found is None:
            raise BadRules(line, f"expected KEYWORD(value), not {text[place:][:40]!r}")
        keyword, quoted, bare = found[1].upper(), found[2], found[3]
        if keyword in values:
            raise BadRules(line, f"{keyword} is repeated")
        values[keyword] = bare if quoted is None else quoted.replace("''", "'")
        place = found.end()
    _check(line, values)
    return values


def _check(line: int, values: Mapping[str, str]) -> None:
    """Refuse keywords and values that no rules table has, or that the twin does not model."""
    known = _CONTROL | _PATTERNS | _UNKNOWN_OF_MESSAGES | _NAMES.keys() | _CHOICES.keys()
    for keyword, value in values.items():
        if keyword != "ACTION" and keyword not in known:
            raise BadRules(line, f"unknown keyword {keyword}")
        if keyword in _UNKNOWN_OF_MESSAGES and value.strip() != "*":
            raise BadRules(line, f"the pattern {keyword}({value}) is not modelled")
        if keyword in _CHOICES and not _CHOICES[keyword](value.upper()):
            raise BadRules(line, f"{keyword} cannot be {value!r}")


def _rule(line: int, values: Mapping[str, str]) -> DeadLetterRule:
    action = values.get("ACTION", "").upper()
    if action not in _ACTIONS:
        shown = f"unknown action {values['ACTION']!r}" if "ACTION" in values else "no ACTION"
        raise BadRules(line, f"{shown}; expected one of {', '.join(sorted(_ACTIONS))}")
    if misplaced := sorted(values.keys() & _CONTROL):
        raise BadRules(line, f"{misplaced[0]} belongs to the first entry, without ACTION")
    for keyword, inserts in _NAMES.items():
        if values.get(keyword, "").startswith("&") and values[keyword] not in inserts:
            raise BadRules(line, f"{keyword}({values[keyword]}) is not modelled")
    if action == "FWD" and not values.get("FWDQ", "").strip():
        raise BadRules(line, "ACTION(FWD) needs FWDQ")
    return DeadLetterRule(
        line,
        cast("DeadLetterAction", action),
        queue=values.get("DESTQ", "").strip(),
        qmgr=values.get("DESTQM", "").strip(),
        reason=_reason(line, values.get("REASON", "*").strip().upper()),
        persistent=_persistence(line, values.get("PERSIST", "*").strip().upper()),
        forward_to=values.get("FWDQ", "").strip(),
        forward_at=values["FWDQM"].strip() if "FWDQM" in values else None,
    )


def _reason(line: int, value: str) -> int | None:
    if value == "*":
        return None
    if _NUMBER.fullmatch(value):
        return int(value)
    if value not in _CODES:
        raise BadRules(line, f"unknown reason code {value}")
    return _CODES[value]


def _persistence(line: int, value: str) -> bool | None:
    if value == "*":
        return None
    if value not in _PERSISTENCE:
        raise BadRules(line, f"unknown persistence {value}")
    return _PERSISTENCE[value]
