"""Where definitions came from: the file and line, or the user, behind the positions of evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from twin.events import Origin
from twin.log import Log
from twin.log.records import StoredEvent
from twin.questions.doctor.finding import Finding

_NAME: Final = re.compile(r"\(([^()]+)\)")
"""A name in the object of a finding, such as ORDERS in `QM1 QUEUE(ORDERS)`."""


class Origins:
    """Finds the origins of events; remembers the events that it has read."""

    def __init__(self, log: Log) -> None:
        """Read from a log."""
        self._log = log
        self._primary: dict[int, StoredEvent | None] = {}

    def of(self, finding: Finding) -> tuple[str, ...]:
        """Return the origins of the evidence of a finding, in order and without repetitions.

        An origin is `FILE:LINE` or `USER@ADDRESS`. If a file was imported as a whole, the line is
        that of the object, or there is one for each definition that the finding is about.
        """
        named = {*finding.names}
        names = named or set(_NAME.findall(finding.object))
        found = (
            origin
            for event in map(self._cause, finding.evidence)
            if event
            for origin in _written(event, names, most=len(named) or 1)
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


def _written(event: StoredEvent, names: set[str], *, most: int) -> Iterator[str]:
    """Yield the origin of a primary fact as text, with the lines of at most so many objects."""
    body = json.loads(event.body)
    if origin := body.get("origin"):
        for line in [*islice(_lines(body, names), most)] or [origin.get("line")]:
            if text := str(Origin(**{**origin, "line": line})):
                yield text


def _lines(body: dict[str, object], names: set[str]) -> Iterator[int]:
    said, lines = body.get("said"), body.get("lines")
    if isinstance(said, list) and isinstance(lines, list):
        for each, line in zip(said, lines, strict=False):
            if each.get("name") in names and line:
                yield line
