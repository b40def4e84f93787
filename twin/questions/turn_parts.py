"""How puts divide among routes that take turns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from twin.rules.workload.routes import Route


def parts_of(routes: Sequence[Route], *, even: bool) -> list[Fraction]:
    """Return the part of the puts that each of some routes takes in the long run.

    They divide by CLWLWGHT; evenly if every channel has the default (`even`). Source: IBM MQ 8.0,
    "CLWLWGHT channel attribute".
    """
    weights = [1 if even else route.weight for route in routes]
    total = sum(weights)
    if not total:
        return [Fraction(1, len(routes))] * len(routes)
    return [Fraction(weight, total) for weight in weights]
