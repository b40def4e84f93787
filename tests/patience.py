"""How long tests wait for something that must happen: so long that only a hang reaches it.

A test proves the order of events, and passes however slow and busy the machine is. It waits for
what must happen with `wait_until`, or gives `PATIENCE` as the limit of a wait. Where twin itself
waits only so long, `unhurried` sets its limits, and a test of such a limit sets its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import pytest

Found = TypeVar("Found")

PATIENCE: Final = 1200
"""The seconds that a test waits for something that must happen."""

LIMITS: Final = {
    "twin.app.writing.SECONDS": PATIENCE,
    "twin.log.database.BUSY_TIMEOUT": PATIENCE,
    "twin.log.postgresql.CONNECT_TIMEOUT": PATIENCE,
}
"""The limits of twin's own waits and of its transactions: where they stand, and what tests set."""

_LOOKS: Final = 0.02
"""The seconds between two looks."""


def wait_until(look: Callable[[], Found | None], what: str) -> Found:
    """Return what a function finds, as soon as it finds something.

    Args:
        look: returns what was found; None, or anything else that is false, if nothing was.
        what: what is waited for, in words.

    Raises:
        AssertionError: if it finds nothing in `PATIENCE` seconds.
    """
    ends = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < ends, f"waited {PATIENCE} seconds in vain: {what}"
        time.sleep(_LOOKS)
    return found


@contextmanager
def unhurried(limits: Mapping[str, Any] = LIMITS) -> Iterator[None]:
    """Set the limits of twin's own waits in this process, until the block ends."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(name, value)
        yield
