"""Where definitions came from: the file and line, or the user, behind the positions of evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from itertools import islice
from typing import Any, Final

from twin.events import Origin
from twin.log import Log
from twin.log.records import StoredEvent
from twin.questions.doctor.finding import Finding
from twin.review.doctor.setting_events import SetsWrong, setting_tests

_NAME: Final = re.compile(r"\(([^()]+)\)")
"""A name in the object of a finding, such as ORDERS in `QM1 QUEUE(ORDERS)`."""

_PLACE: Final = re.compile(r"(?P<file>.+):(?P<line>\d+)")


class Origins:
    """Finds the origins of events; remembers the events that it has read."""

    def __init__(self, log: Log) -> None:
        """Read from a log."""
        self._log = log
        self._primary: dict[int, StoredEvent | None] = {}

    def of(self, finding: Finding) -> tuple[str, ...]:
        """Return the origins of the evidence of a finding, in order and without repetitions.

        Those of the queue manager that the fix is for come first. An origin is `FILE:LINE` or
        `USER@ADDRESS`. If a file was imported as a whole, there is the line that last set what the
        finding is about, and then the first one of the object, or these for each definition that
        the finding is about.
        """
        named = {*finding.names}
        names = named or set(_NAME.findall(finding.object))
        fixed = {command.on for command in finding.fix}
        causes = [event for event in map(self._cause, finding.evidence) if event]
        causes.sort(key=lambda event: event.qmgr not in fixed)
        found = (
            origin
            for event in causes
            for origin in _written(event, names, setting_tests(finding), most=len(named) or 1)
        )
        return tuple(dict.fromkeys(found))

    def _cause(self, position: int) -> StoredEvent | None:
        """Return the primary fact that an event is, or follows from; None if it is pending."""
        if position not in self._primary:
            event = next(self._log.events(after=position - 1, upto=position, limit=1), None)
            while event is not None and event.cause is not None:
                event = self._log.find(event.cause)
            self._primary[position] = None if event is None else self._log.whole(event)
        return self._primary[position]


def file_and_line(origin: str) -> tuple[str, int] | None:
    """Return the file and line that an origin is; None if it is a user at an address, or a step."""
    place = _PLACE.fullmatch(origin)
    if place is None or _is_address(origin.rpartition("@")[2]):
        return None
    return place["file"], int(place["line"])


def _is_address(text: str) -> bool:
    """Return whether a text is an IP address: one of IPv6 ends as a place in a file does."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _written(
    event: StoredEvent, names: set[str], tests: Sequence[SetsWrong], *, most: int
) -> Iterator[str]:
    """Yield the origin of a primary fact as text, with the lines of at most so many objects."""
    body = json.loads(event.body)
    if origin := body.get("origin"):
        objects = islice(_lines(body, names, tests), most)
        lines = [line for each in objects for line in each]
        for line in lines or [origin.get("line")]:
            if text := str(Origin(**{**origin, "line": line})):
                yield text


def _says(said: Mapping[str, Any], names: set[str]) -> bool:
    """Return whether an object has an attribute with one of these values."""
    values = said.get("values", {}).values()
    return any(
        not names.isdisjoint(value) if isinstance(value, list) else value in names
        for value in values
    )


def _lines(
    body: Mapping[str, Any], names: set[str], tests: Sequence[SetsWrong]
) -> Iterator[tuple[int, int]]:
    """Yield for each object the line that last set one of the attributes, and its first line.

    If no object has one of the names, it is the first one with such a value, as a cluster is.
    """
    said, lines = body.get("said"), body.get("lines")
    if not isinstance(said, list) or not isinstance(lines, list):
        return
    if body.get("kind") == "QMGR":
        names = {""}
    entries: dict[str, list[tuple[Mapping[str, object], int]]] = {}
    for each, line in zip(said, lines, strict=False):
        name = each.get("name", "")
        if name in names and line:
            entries.setdefault(name, []).append((each.get("values", {}), line))
    if not entries:
        spoken = (line for each, line in zip(said, lines, strict=False) if _says(each, names))
        yield from ((line, line) for line in islice(filter(None, spoken), 1))
    for found in entries.values():
        setting = ([line for values, line in found if test(values)] for test in tests)
        first = found[0][1]
        yield next((each[-1] for each in setting if each), first), first
