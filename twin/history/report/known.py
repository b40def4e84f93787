"""How much of the history was observed: no data is never health."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from twin.history.metrics import METRICS
from twin.history.report.rows import total


class Known(NamedTuple):
    """How much was observed.

    Attributes:
        seconds: the time that was covered, of all queue managers.
        gaps: the time about which nothing is known.
        simulated: whether any queue manager was simulated.
        observed: whether any queue manager was only observed.
    """

    seconds: float = 1.0
    gaps: float = 0.0
    simulated: bool = True
    observed: bool = False

    @classmethod
    def of(cls, coverage: pa.Table) -> Known:
        """Read the rows of the metric `coverage`."""
        bases = set(coverage.column("basis").to_pylist())
        covered = coverage.filter(coverage.column("covered"))
        known = total(covered, "seconds")
        gaps = total(coverage, "seconds") - known
        return cls(known, gaps, "simulated" in bases, "observed" in bases)

    def nothing(self, words: str, metrics: Sequence[str]) -> str:
        """Say that nothing happened, if that was observed."""
        only_simulated = any(METRICS[name].simulated for name in metrics)
        if not (self.simulated if only_simulated else self.seconds):
            return "not observed"
        whole = not (self.observed if only_simulated else self.gaps)
        return words if whole else f"{words}, as far as observed"
