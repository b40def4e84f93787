"""The first line of a plan and of a runbook: what it is about, and the point in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twin.questions.paragraphs import WIDTH


def heading(title: str, point: Sequence[str]) -> Iterator[str]:
    """Yield the line with a title and the lines of a point; as many if one would be too wide."""
    first, *others = point
    line = " ".join([title, *point])
    if len(line) <= WIDTH:
        yield line
    else:
        yield from (f"{title} {first}", *(f"  {each}" for each in others))
