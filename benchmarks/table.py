"""The results of benchmarks, and the table in which they are printed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal, TypeAlias

Unit: TypeAlias = Literal["k/s", "ms", "MB", "x"]

ROUNDS: Final = 5
HEADINGS: Final = ("work", "ours", "peer", "unit", "ratio", "target", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One row of the table.

    Attributes:
        work: the work that was measured, in a few words.
        unit: for k/s (thousands per second) more is better; for all other units, less is better.
        ours: the figure of twin.
        peer: the peer's figure for the same work; None if the peer does not support it.
        target: how many times better than the peer twin should be; the figure itself if there is no
            peer or `absolute` is set; None without a target.
        absolute: whether the target is a figure although there is a peer.
        name: the peer's name.
    """

    work: str
    unit: Unit
    ours: float
    target: float | None
    peer: float | None = None
    name: str = ""
    absolute: bool = False

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer's figure twin's figure is."""
        if self.peer is None:
            return None
        return self.ours / self.peer if self.unit == "k/s" else self.peer / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the target was reached; None without a target."""
        if self.target is None:
            return None
        if self.ratio is not None and not self.absolute:
            return self.ratio >= self.target
        return self.ours >= self.target if self.unit == "k/s" else self.ours <= self.target


def seconds(work: Callable[[], object]) -> float:
    """Time one call, after collecting the garbage of earlier work."""
    gc.collect()
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def interleaved(
    rounds: int, ours: Callable[[], float], peer: Callable[[], float]
) -> tuple[float, float]:
    """Measure both in turns, alternate who is first, and return both medians."""
    figures: dict[Callable[[], float], list[float]] = {ours: [], peer: []}
    for number in range(rounds):
        for measure in (ours, peer) if number % 2 else (peer, ours):
            figures[measure].append(measure())
    return median(figures[ours]), median(figures[peer])


def table(results: Iterable[Result]) -> str:
    """Format results as text."""
    rows: list[Sequence[str]] = [HEADINGS, *map(_cells, results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.ljust(width) if column == 0 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()


def _cells(result: Result) -> Sequence[str]:
    ratio = result.ratio
    return (
        f"{result.work} ({result.name})" if result.name else result.work,
        _figure(result.ours),
        "–" if result.peer is None else _figure(result.peer),
        result.unit,
        "–" if ratio is None else f"{ratio:.2f}x",
        *_verdict(result),
    )


def _verdict(result: Result) -> Sequence[str]:
    """Return the target, and whether it was reached."""
    if result.target is None:
        return "–", ""
    relative = result.ratio is not None and not result.absolute
    bound = "≥" if relative or result.unit == "k/s" else "≤"
    shown = f"{result.target:.3g}x" if relative else _figure(result.target)
    return f"{bound} {shown}", "met" if result.met else "missed"


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
