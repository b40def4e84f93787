"""Turn files into observations to record: once each, and by reference if they say nothing new."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from twin import events
from twin.app.facts import Fact
from twin.events.catalogue import decode
from twin.feeds.observed import Observed
from twin.fold.replay import apply
from twin.fold.replay.one_instant import OBSERVED, content_of

if TYPE_CHECKING:
    from twin.fold.estate import Estate
    from twin.log import Log
    from twin.model.asof import AsOf
    from twin.model.instants import Instant


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file to import.

    Attributes:
        text: the text.
        qmgr: the queue manager that it belongs to; None if the file names it.
        otherwise: the queue manager that it belongs to if nothing else names one; '' for none.
        file: the path of the file as given, for the origin of the facts; None if it has none.
    """

    text: str
    qmgr: str | None = None
    otherwise: str = ""
    file: str | None = None


class Observing:
    """The files of one import, while they are compared with the estate of their instant."""

    def __init__(self, log: Log, estate: Estate, point: AsOf, *, claimed: Instant | None) -> None:
        """Begin with the estate of a point; files are folded into it.

        `claimed` is the instant that the files were dated, if that is later.
        """
        self._claimed = claimed
        self._log = log
        self._estate = estate
        self._at = point.valid
        self._last = {
            (name, kind): seen.position
            for name, qmgr in estate.qmgrs.items()
            for kind, seen in qmgr.confirmed.items()
        }
        rows = log.rows(
            branch=point.branch,
            valid=point.valid,
            since_valid=point.valid - 1,
            known=point.position,
            types=[OBSERVED],
        )
        self._contents = [content_of(_observation(column, body)) for _, _, column, body in rows]

    def take(self, file: FileText) -> tuple[Observed, list[Fact]]:
        """Compare a file with what is known after the files before it.

        Return the result, and the facts to record: what the branch has not observed of the instant.
        """
        observed = self._observed_in(file)
        facts = []
        for event in observed.events:
            content = content_of(event)
            if content not in self._contents:
                self._contents.append(content)
                apply(self._estate, event, self._at, self._estate.position)
                said = replace(self._referring(event), claimed=self._claimed)
                facts.append(Fact(said, f"observation:{observed.format}"))
        return observed, facts

    def _observed_in(self, file: FileText) -> Observed:
        from twin.feeds.definitions import observe  # noqa: PLC0415 - not every command asks

        observed = observe(file.text, qmgr=file.qmgr, estate=self._estate, file=file.file)
        if file.otherwise and observed.format.readable and not observed.qmgr:
            return observe(file.text, qmgr=file.otherwise, estate=self._estate, file=file.file)
        return observed

    def _referring(self, event: events.ObjectsObserved) -> events.ObjectsObserved:
        """Return an observation with a reference to the one before it, if that says the same."""
        position = self._last.get((event.qmgr, event.kind))
        if position is None:
            return event
        stored = self._log.whole(next(self._log.events(after=position - 1, limit=1)))
        earlier = _observation(stored.type, stored.body)
        if content_of(earlier) != content_of(event) or earlier.lines != event.lines:
            return event
        return replace(event, same_as=earlier.same_as or stored.event_id)


def _observation(column: str, body: str) -> events.ObjectsObserved:
    return cast("events.ObjectsObserved", decode(column, body))
