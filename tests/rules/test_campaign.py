"""A part of the random estates of `tests.campaign`."""

from __future__ import annotations

import pytest

from tests.campaign import check


@pytest.mark.parametrize("first", range(1, 81, 20))
def test_switches_and_passes_in_portions_keep_every_message(first: int) -> None:
    """No message is lost, doubled or stuck, and it does not matter how time is cut."""
    for seed in range(first, first + 20):
        check(seed)
