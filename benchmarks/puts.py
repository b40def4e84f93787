"""Puts through the whole twin: a million messages in one call, and 200 messages in a call each.

In both cases the messages are routed, recorded durably, sent and received. Both must use the same
routes for the same messages.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from benchmarks.puts_cluster import QUEUE, READY, SENDER, set_up
from benchmarks.table import Result, interleaved, seconds
from twin.app.twin import Twin
from twin.model.instants import DAY

MANY: Final = 1_000_000
SINGLE: Final = 200
ALIKE: Final = 350
"""The number of messages that are put both ways, to check that they take the same routes."""


def measure(rounds: int) -> list[Result]:
    """Measure one put of a million messages, and puts of one message."""
    with _cluster() as twin:
        _same(twin)
        many, single = interleaved(rounds, lambda: _at_once(twin), lambda: _one_by_one(twin))
    return [
        Result(
            work=f"{MANY:,} messages put, sent and received, one put",
            unit="ms",
            ours=many,
            peer=single,
            target=1000,
            absolute=True,
            name=f"{SINGLE} messages, a put for each",
        )
    ]


@contextmanager
def _cluster() -> Iterator[Twin]:
    with (
        tempfile.TemporaryDirectory(prefix="twin-bench-") as folder,
        Twin.open(f"sqlite:///{folder}/twin.db", clock=lambda: READY + DAY) as twin,
    ):
        set_up(twin)
        assert not twin.put(SENDER, QUEUE).reason  # requests the queue's records
        yield twin


def _at_once(twin: Twin) -> float:
    """Time one put of a million messages in milliseconds."""

    def work() -> None:
        put = twin.put(SENDER, QUEUE, count=MANY)
        assert sum(share.count for share in put.shares) == MANY

    return 1000 * seconds(work)


def _one_by_one(twin: Twin) -> float:
    """Time puts of one message each in milliseconds."""

    def work() -> None:
        for _ in range(SINGLE):
            assert twin.put(SENDER, QUEUE).shares

    return 1000 * seconds(work)


def _same(twin: Twin) -> None:
    """Check that messages take the same routes in one put and in many."""
    found = []
    for name, calls in (("once", 1), ("single", ALIKE)):
        twin.create_branch(name)
        branch = twin.on_branch(name)
        to: Counter[str] = Counter()
        for _ in range(calls):
            for share in branch.put(SENDER, QUEUE, count=ALIKE // calls).shares:
                to[share.to] += share.count
        found.append(to)
    assert found[0] == found[1]
