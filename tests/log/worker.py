"""A process that appends to a log until it is stopped or killed."""

from __future__ import annotations

import random
import sys
from typing import Final

from tests.log import writing
from tests.patience import PATIENCE, unhurried
from twin.log import ConcurrentAppend, Log
from twin.log.postgresql import TURN

TURNS: Final = {
    "twin.log.sqlite_files.PATIENCE": PATIENCE,
    "twin.log.postgresql._TAKE_TURN": f"SELECT pg_advisory_lock({TURN})",
}
"""The limits of a wait for a turn. In other tests a process may go on without a turn."""


def say(what: object) -> None:
    """Print a line at once for the parent process."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def batches(url: str, worker: str, count: int) -> None:
    """Append batches of any size, and print the number of each one that was acknowledged."""
    log = Log.open(url)
    sizes = random.Random(worker)
    say("ready")
    for number in range(count):
        size = sizes.randint(1, 60)
        batch = [
            writing.new(number, event_id=f"{worker}.{number}.{place}", body=str(size), qmgr=worker)
            for place in range(size)
        ]
        log.append(batch, recorded_at=number)
        say(number)
    log.close()


def turns(url: str, worker: str, count: int) -> None:
    """Append events with the position they were decided at; decide again if it is outdated."""
    log = Log.open(url)
    for _ in range(count):
        while True:
            seen = log.head().position
            try:
                log.append(
                    [writing.new(seen, event_id=f"{worker}.{seen}", body=str(seen))],
                    recorded_at=0,
                    after=seen,
                )
            except ConcurrentAppend:
                continue
            break
    log.close()


def queue(url: str, worker: str, count: int) -> None:
    """Take a turn and say so; end it when told to, and then take `count` more, each with an event.

    Without `count`, keep the turn.
    """
    log = Log.open(url)
    with log.turn():
        log.append([writing.new(qmgr=worker, event_id=f"{worker}.first")], recorded_at=0)
        say("has a turn")
        sys.stdin.readline()
    for number in range(count):
        with log.turn():
            log.append([writing.new(qmgr=worker, event_id=f"{worker}.{number}")], recorded_at=0)
    log.close()


if __name__ == "__main__":
    work, url, worker, count = sys.argv[1:]
    with unhurried(), unhurried(TURNS):
        {"batches": batches, "turns": turns, "queue": queue}[work](url, worker, int(count))
