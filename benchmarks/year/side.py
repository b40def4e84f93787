"""One side of the comparison, in its own process: `python -m benchmarks.year.side SIDE ...`.

It gets a log in which all queue managers have joined, plays the year on a branch, and prints its
costs. Both sides begin with the log, and the time includes what they read first.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from typing import Any, Final

from benchmarks.table import seconds
from benchmarks.year.travel import travel
from benchmarks.year.workload import BEGIN, BRANCH, NOW, Size, Use, drive, set_up, uses
from twin import events
from twin.app.acting import COMMAND, Fact
from twin.app.batch import Batch
from twin.app.twin import Twin
from twin.log import Log
from twin.model.instants import Instant
from twin.rules.draft import Decided


def ours(url: str, size: Size) -> Mapping[str, float]:
    """Play the year on a branch with twin."""
    given = uses(size)

    def work() -> None:
        twin.create_branch(BRANCH)
        drive(twin.on_branch(BRANCH), given, end=size.end)

    with closing(Twin.open(url, clock=lambda: NOW)) as twin:
        return _timed(work, twin.log)


def peer(url: str, size: Size) -> Mapping[str, float]:
    """Run the SimPy model through the year, and append its events to a branch."""
    from benchmarks.year.simpy_model import Model
    from benchmarks.year.simpy_state import members_of

    with closing(Twin.open(url, clock=lambda: NOW)) as twin:
        by_qmgr: dict[str, list[Use]] = defaultdict(list)
        for use in uses(size):
            by_qmgr[use.qmgr].append(use)
        recorder = Recorder(twin.log)

        def work() -> None:
            twin.create_branch(BRANCH)
            members = members_of(twin.view(as_of=BEGIN)[0])
            model = Model(members, BEGIN, recorder.emit)
            for own in by_qmgr.values():
                model.env.process(model.application(own, recorder.flush))
            model.env.run(until=size.end + 1)  # so that events due at the end happen
            recorder.flush()

        return _timed(work, twin.log)


class Recorder:
    """Appends the model's events as twin does: each use with the timed events due before it."""

    def __init__(self, log: Log) -> None:
        """Append to the branch of the year."""
        self._log = log
        self._batch = Batch()
        self._said: list[Decided] = []

    def emit(self, at: Instant, event: events.Event) -> None:
        """Take one event; an open begins a new primary fact."""
        if type(event) is events.QueueOpened:
            self._cut()
        self._said.append(Decided(at, event))

    def _cut(self) -> None:
        if self._said and type(self._said[0].event) is events.QueueOpened:
            self._batch.add(Fact(self._said[0].event, COMMAND), self._said)
        else:
            self._batch.add_due(self._said)
        self._said = []

    def flush(self) -> None:
        """Append the events taken so far."""
        self._cut()
        self._log.append(self._batch.events, recorded_at=NOW, branch=BRANCH)
        self._batch = Batch()


def prepare(url: str, size: Size) -> Mapping[str, float]:
    """Make the log that both sides begin with."""
    with closing(Twin.open(url, clock=lambda: NOW)) as twin:
        return _timed(lambda: set_up(twin, size), twin.log)


def _timed(work: Callable[[], None], log: Log) -> Mapping[str, float]:
    before = log.last().position
    busy = time.process_time()
    taken = seconds(work)
    return {
        "seconds": taken,
        "processor": time.process_time() - busy,
        "events": log.last().position - before,
        "megabytes": _peak(),
    }


def _peak() -> float:
    """Return the peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


SIDES: Final[Mapping[str, Callable[[str, Size], Mapping[str, float]]]] = {
    "ours": ours,
    "peer": peer,
    "prepare": prepare,
    "travel": lambda url, size: {**travel(url, size), "megabytes": _peak()},
}


def arguments(side: str, url: str, size: Size) -> list[str]:
    """Return the command that runs a side."""
    return [sys.executable, "-m", "benchmarks.year.side", side, url, json.dumps(asdict(size))]


def main(side: str, url: str, size: str) -> None:
    """Run a side and print its figures as JSON."""
    given: dict[str, Any] = json.loads(size)
    print(json.dumps(SIDES[side](url, Size(**given))))


if __name__ == "__main__":
    main(*sys.argv[1:])
