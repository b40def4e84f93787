"""Observations in memory: files in, the estate of any instant out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from twin.events import Event
from twin.feeds.captures.records import Capture
from twin.feeds.definitions import observe
from twin.feeds.observed import Observed
from twin.fold.estate import Estate
from twin.fold.replay import apply
from twin.model.attributes import sparse
from twin.model.instants import Instant, parse_instant
from twin.model.objects import Definition, ObjectKey
from twin.model.platforms import DEFAULT_LEVEL
from twin.model.system_objects import initial_values, system_objects
from twin.rules.commands.observed_objects import differs

START: Instant = parse_instant("2026-01-01T00:00:00Z", now=0)


def instant(text: str) -> Instant:
    """Read an instant relative to the start of 2026."""
    return parse_instant(text, now=START)


@dataclass
class Record:
    """Observations, in the order in which they were recorded."""

    rows: list[tuple[Instant, Event]] = field(default_factory=list)
    news: dict[ObjectKey, Definition | None] = field(default_factory=dict)
    own_news: bool = False

    def estate(self, at: str = "+1000d") -> Estate:
        """Fold the events up to an instant, in the order of instants and then of positions."""
        estate = Estate()
        numbered = enumerate(self.rows, start=1)
        for position, (occurred, event) in sorted(numbered, key=lambda row: (row[1][0], row[0])):
            if occurred <= instant(at):
                apply(estate, event, occurred, position)
        return estate

    def take(self, text: str, *, qmgr: str | None = "QM1", at: str = "+0d") -> Observed:
        """Import a file as of an instant; `news` is what it changed then."""
        before = self.estate(at)
        seen = observe(text, qmgr=qmgr, estate=before)
        self.rows += [(instant(at), event) for event in seen.events]
        after = self.estate(at)
        self.news = _differences(before, after, seen.qmgr)
        known = before.qmgrs.get(seen.qmgr)
        values = known.values if known else {}
        now = after.qmgr(seen.qmgr).values if seen.events else values
        initial = initial_values(seen.qmgr, level=DEFAULT_LEVEL) if seen.qmgr else {}
        self.own_news = sparse("QMGR", {**initial, **now}) != sparse("QMGR", {**initial, **values})
        assert seen.counts["recorded"] == len(self.news) + self.own_news + (
            known is None and bool(seen.events)
        )
        return seen

    def known(self, kind: str, name: str, *, at: str = "+1000d", qmgr: str = "QM1") -> Definition:
        """Return one definition as of an instant."""
        return self.estate(at).qmgr(qmgr).definitions[kind, name]

    def has(self, kind: str, name: str, *, at: str = "+1000d", qmgr: str = "QM1") -> bool:
        """Return whether an object exists as of an instant."""
        return (kind, name) in self.estate(at).qmgr(qmgr).definitions


def _differences(before: Estate, after: Estate, name: str) -> dict[ObjectKey, Definition | None]:
    """Return the objects that differ between two estates, None for those that are gone.

    That a known object also says since when it is so is no difference.
    """
    if name not in after.qmgrs:
        return {}
    new = after.qmgr(name)
    old = before.qmgrs[name].definitions if name in before.qmgrs else system_objects(new.cmdlevel)
    keys = sorted({**old, **new.definitions})
    now = {key: new.definitions.get(key) for key in keys}
    return {
        key: definition
        for key, definition in now.items()
        if old.get(key) != definition and differs(old.get(key), definition)
    }


def reasons(seen: Observed) -> list[tuple[int, str]]:
    """Return the lines that were not understood, and why."""
    return [(each.line, each.why) for each in seen.not_understood]


def whole_answers(captures: Iterable[Capture]) -> Iterator[list[Capture]]:
    """Yield the records of one answer after the other."""
    parts: list[Capture] = []
    for capture in captures:
        parts.append(capture)
        if not capture.more:
            yield parts
            parts = []
    if parts:
        yield parts
