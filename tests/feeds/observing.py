"""Observations in memory: files in, the estate of any instant out."""

from __future__ import annotations

from dataclasses import dataclass, field

from twin.events import Event
from twin.feeds.definitions import observe
from twin.feeds.observed import Observed
from twin.fold.estate import Estate
from twin.fold.replay import apply
from twin.model.instants import Instant, parse_instant
from twin.model.objects import Definition

START: Instant = parse_instant("2026-01-01T00:00:00Z", now=0)


def instant(text: str) -> Instant:
    """Read an instant relative to the start of 2026."""
    return parse_instant(text, now=START)


@dataclass
class Record:
    """Observations, in the order in which they were recorded."""

    rows: list[tuple[Instant, Event]] = field(default_factory=list)

    def estate(self, at: str = "+1000d") -> Estate:
        """Fold the events up to an instant, in the order of instants and then of positions."""
        estate = Estate()
        numbered = enumerate(self.rows, start=1)
        for position, (occurred, event) in sorted(numbered, key=lambda row: (row[1][0], row[0])):
            if occurred <= instant(at):
                apply(estate, event, occurred, position)
        return estate

    def take(self, text: str, *, qmgr: str | None = "QM1", at: str = "+0d") -> Observed:
        """Import a file as of an instant."""
        seen = observe(text, qmgr=qmgr, estate=self.estate(at), at=instant(at))
        self.rows += [(instant(at), event) for event in seen.events]
        return seen

    def known(self, kind: str, name: str, *, at: str = "+1000d", qmgr: str = "QM1") -> Definition:
        """Return one definition as of an instant."""
        return self.estate(at).qmgr(qmgr).definitions[kind, name]

    def has(self, kind: str, name: str, *, at: str = "+1000d", qmgr: str = "QM1") -> bool:
        """Return whether an object exists as of an instant."""
        return (kind, name) in self.estate(at).qmgr(qmgr).definitions


def kinds_of(seen: Observed) -> list[str]:
    """Return the event types of an import."""
    return [type(event).__name__ for event in seen.events]


def reasons(seen: Observed) -> list[tuple[int, str]]:
    """Return the lines that were not understood, and why."""
    return [(each.line, each.why) for each in seen.not_understood]
