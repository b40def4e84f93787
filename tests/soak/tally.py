"""The counts of a soak, and its table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

SECTIONS: Final[Mapping[str, str]] = {
    "kill": "kill -9 of a command",
    "signal": "signal to a command",
    "full disk": "full disk",
    "server": "PostgreSQL server killed",
    "writers": "four writers and a reader",
    "lake": "kill -9 of history update",
    "tampering": "row tampered with",
    "flip": "bytes of the file flipped",
    "answers": "answers compared",
}
"""Each section of the table, in its order, and what it counts."""

_WIDTH: Final = 58


@dataclass
class Tally:
    """Counts by (section, what, outcome), and failures."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, section: str, what: str, outcome: str = "", count: int = 1) -> None:
        """Count something."""
        self.counts[section, what, outcome] += count

    def total(self, section: str) -> int:
        """Return the count of a whole section."""
        return sum(count for (each, _, _), count in self.counts.items() if each == section)

    def merge(self, other: Tally) -> None:
        """Add the counts and failures of another tally."""
        self.counts.update(other.counts)
        self.failures += other.failures

    def write(self, file: Path) -> None:
        """Write it for another process."""
        counts = [[*key, count] for key, count in self.counts.items()]
        file.write_text(json.dumps({"counts": counts, "failures": self.failures}))

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read what another process wrote."""
        found = json.loads(file.read_text())
        counts = Counter({(one, two, three): n for one, two, three, n in found["counts"]})
        return cls(counts, found["failures"])

    def table(self) -> Iterator[str]:
        """Yield the lines of the table."""
        for section, title in SECTIONS.items():
            rows = sorted(
                (what, outcome, count)
                for (each, what, outcome), count in self.counts.items()
                if each == section
            )
            yield f"{title:<{_WIDTH}} {self.total(section):>9,}"
            for what, outcome, count in rows:
                label = f"  {what}: {outcome}" if outcome else f"  {what}"
                yield f"{label:<{_WIDTH}} {count:>9,}"
