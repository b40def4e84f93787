"""Laws: property tests, with few examples in every run and many in `make test-more`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

FEW: Final = 25
"""Examples of a law in every run: always the same ones, so that a failure repeats itself."""

MANY: Final = 500
"""Random examples of a law in `make test-more`."""

SLOW: Final = (HealthCheck.too_slow,)
"""A busy machine is not the fault of a law."""


def register_profiles() -> None:
    """Register the Hypothesis profiles `few` and `many` without deadlines, and load `few`."""
    settings.register_profile(
        "few",
        max_examples=FEW,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=SLOW,
    )
    settings.register_profile(
        "many",
        max_examples=MANY,
        derandomize=False,
        deadline=None,
        print_blob=True,
        suppress_health_check=SLOW,
    )
    settings.load_profile("few")


def examples(*, cost: int = 1, times: int = 1, tolerated: Sequence[HealthCheck] = ()) -> settings:
    """Return the settings of a law: its number of examples, and the tolerated health checks.

    Args:
        cost: divides the profile's number of examples; 2 or more if one example is expensive.
        times: multiplies it; 2 or more if one example is cheap and a law covers much.
        tolerated: health checks that this law may fail.
    """
    count = max(1, settings().max_examples * times // cost)
    return settings(max_examples=count, suppress_health_check=[*SLOW, *tolerated])


def seeds(first: int, *others: int) -> list[Any]:
    """Return the seeds of random histories: the first for every run, the others for test-more."""
    return [first, *(pytest.param(seed, marks=pytest.mark.more) for seed in others)]
