"""The first line of a plan and of a runbook: what it is about, and the point in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from twin.questions.paragraphs import WIDTH

if TYPE_CHECKING:
    from twin.model.instants import AsOf

_KNOWN: Final = " known at "


def heading(title: str, point: AsOf | str) -> Iterator[str]:
    """Yield the line with a title and a point; two lines if one would be too wide."""
    line = f"{title} {point}"
    valid, known, rest = line.partition(_KNOWN)
    yield from [line] if len(line) <= WIDTH else [valid, f" {known}{rest}"]
