"""Durations and instants as people read them: `2 h 10 m`, `2025-02-01 09:04`."""

from __future__ import annotations

from datetime import date, datetime
from itertools import pairwise
from typing import Final

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def duration(seconds: float) -> str:
    """Write a duration in its two largest units: `100 d 2 h`, `2 h 10 m`, `45 s`, `0.4 s`."""
    if seconds and abs(seconds) < 1:
        return f"{seconds:.1g} s"
    if seconds < 0:
        return f"-{duration(-seconds)}"
    left = _rounded(seconds)
    parts: list[str] = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count:,} {unit}")
    return " ".join(parts) or "0 s"


def _rounded(seconds: float) -> int:
    """Round to the second of the two units that are shown."""
    whole = round(seconds)
    for (_, size), (_, smaller) in pairwise(_UNITS):
        if whole >= size:
            return round(seconds / smaller) * smaller
    return whole


def minute(instant: date) -> str:
    """Write an instant to the minute, or a day."""
    return f"{instant:%Y-%m-%d %H:%M}" if isinstance(instant, datetime) else f"{instant:%Y-%m-%d}"
