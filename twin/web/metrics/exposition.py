"""Write metrics in the text format of Prometheus, 0.0.4.

The text is divided into parts: what stands until something changes, and lines whose value is a time
and is written at each scrape. So the text of an estate is made once, and its times are right.

Names stay as they are: the exporter's counters do not end with `_total`.

Source: Prometheus, Exposition formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from twin.model.instants import SECOND, Instant

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_ESCAPES: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})

_MILLISECOND: Final = 1000

Subject = TypeVar("Subject", bound=tuple[Any, ...])

SeriesType: TypeAlias = Literal["gauge", "counter"]


class Since(NamedTuple):
    """The whole seconds since an instant, at the time of the scrape; never less than 0."""

    at: Instant


class Until(NamedTuple):
    """The seconds until an instant, at the time of the scrape; negative after it."""

    at: Instant


SeriesValue: TypeAlias = int | float | Since | Until | None


class ExportedMetric(NamedTuple, Generic[Subject]):
    """One metric.

    Attributes:
        name: its name, without the prefix of its family.
        help: its HELP text.
        value: returns its value for a subject.
        type: its TYPE.
    """

    name: str
    help: str
    value: Callable[[Subject], SeriesValue]
    type: SeriesType = "gauge"


class Family(NamedTuple, Generic[Subject]):
    """Metrics that have the same labels, because they are about the same subjects.

    Attributes:
        prefix: how their names begin.
        labels: the names of the labels.
        values: returns the values of the labels for a subject; None for a label that it lacks.
        metrics: the metrics.
    """

    prefix: str
    labels: tuple[str, ...]
    values: Callable[[Subject], tuple[str | None, ...]]
    metrics: tuple[ExportedMetric[Subject], ...]

    def names(self) -> tuple[str, ...]:
        """Return the full names of the metrics."""
        return tuple(f"{self.prefix}{metric.name}" for metric in self.metrics)


class Timed(NamedTuple):
    """A line whose value is a time: its beginning, the instant, and whether it counts up to it."""

    series: str
    at: Instant
    until: bool


@dataclass(slots=True)
class Exposition:
    """A text with times in it.

    Attributes:
        parts: pieces of text, each followed by lines with times.
    """

    parts: list[tuple[str, list[Timed]]] = field(default_factory=list)

    def text(self, now: Instant) -> str:
        """Return the text as of an instant."""
        pieces: list[str] = []
        for text, lines in self.parts:
            pieces.append(text)
            pieces += [f"{line.series} {_time(line, now)}\n" for line in lines]
        return "".join(pieces)

    def add(
        self,
        family: Family[Any],
        subjects: Iterable[tuple[Any, ...]],
        labels: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Add the metrics of a family; each series gets `labels` after its own.

        A metric without a series is left out.
        """
        more = "".join(f',{name}="{_escaped(value)}"' for name, value in labels)
        labelled = [
            (subject, _labels(family.labels, family.values(subject), more)) for subject in subjects
        ]
        for metric, name in zip(family.metrics, family.names(), strict=True):
            lines = [f"# HELP {name} {metric.help}\n# TYPE {name} {metric.type}\n"]
            timed: list[Timed] = []
            for subject, text in labelled:
                value = metric.value(subject)
                if isinstance(value, Since | Until):
                    timed.append(Timed(f"{name}{text}", value.at, isinstance(value, Until)))
                elif value is not None:
                    lines.append(f"{name}{text} {value}\n")
            if timed or len(lines) > 1:
                self.parts.append(("".join(lines), timed))


def _labels(names: Sequence[str], values: Sequence[str | None], more: str) -> str:
    own = ",".join(
        f'{name}="{_escaped(value)}"'
        for name, value in zip(names, values, strict=True)
        if value is not None
    )
    inside = own + more if own else more[1:]
    return f"{{{inside}}}" if inside else ""


def _escaped(value: str) -> str:
    return value.translate(_ESCAPES)


def _time(line: Timed, now: Instant) -> float:
    """Return whole seconds since an instant, not below 0, or seconds until one."""
    if line.until:
        return (line.at - now) // _MILLISECOND / (SECOND // _MILLISECOND)
    return max(0, (now - line.at) // SECOND)
