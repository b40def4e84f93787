"""Commands that end before they are complete, again and again, until all of their work is done.

After each end the log must hold a beginning of what it holds after a command that nothing stopped,
and everything that the command acknowledged; no batch may be there in part; `log verify` must hold;
and the same command, or the rest of it, must go on. When it is complete, the log must have the same
events as if nothing had happened.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.soak.bench import Bench, expect
from tests.soak.children import Child, Ended
from tests.soak.contents import CURRENT, contents, edition, wait_until_alone
from tests.soak.victims import Step, Victim, write_files

QUIET: Final = 0.3
"""The seconds after which a command that waits has nothing left to do."""

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE)


class Interrupted:
    """A command on a log that is ended in some way, and the log is compared after each end."""

    def __init__(self, bench: Bench, name: str, url: str) -> None:
        """Compare with the reference of this victim."""
        self.bench, self.name, self.url = bench, name, url
        self.victim: Victim = bench.prepared.victim(name)
        self.reference = bench.prepared.reference(name)
        self.base = len(contents(url).events)
        self.number = self.base
        write_files(bench.folder / "files", bench.prepared.seed)

    def step(self) -> Step | None:
        """Return the command that is to run next; None if everything is recorded."""
        if self.victim.waits:
            return self.victim.first
        if self.number == self.base:
            return self.victim.first
        return self.victim.go_on(self.reference, self.number)

    def check(self, ended: Ended) -> None:
        """Compare the log after an end."""
        wait_until_alone(self.url)
        before, self.number = self.number, self._compared()
        primary = self.reference.events[before : self.number]
        recorded = sum(self.victim.primary(event) for event in primary)
        said = self.victim.said(ended.lines())
        expect(recorded >= said, f"acknowledged {said}, but only {recorded} are in the log")
        expect(self.number >= before, f"{before} events were there, and now {self.number}")
        if self.number and edition(self.url) == CURRENT:
            self.bench.verify(self.url)

    def complete(self) -> None:
        """Let the command go on to its end, and compare everything."""
        step = self.victim.go_on(self.reference, self.number)
        if step is not None:  # nothing is left to do otherwise
            ended = self.bench.run(self.url, *step.words, typed=step.typed)
            expect(ended.code == 0, f"it does not go on: {ended.code} {ended.out} {ended.err}")
            self.check(ended)
        whole = len(self.reference.events)
        expect(self.number == whole, f"{self.number} events of {whole} in the end")

    def _compared(self) -> int:
        """Compare the events with the reference; return how many of it are there."""
        found = contents(self.url)
        events = found.events
        if self.victim.upto is not None:
            own = events[self.base :]
            events = events[: self.base] + [
                each for each in own if each.occurred_at <= self.victim.upto
            ]
        wanted = self.reference.events[: len(events)]
        for position, (one, other) in enumerate(zip(events, wanted, strict=False), start=1):
            expect(one == other, f"position {position} is {one}, not {other}")
        expect(len(events) == len(wanted), f"{len(events) - len(wanted)} events too many")
        self._demand_whole_batches(len(events))
        return len(events)

    def _demand_whole_batches(self, number: int) -> None:
        whole = self.reference.begins(number)
        if self.victim.one_by_one:
            whole = whole and not self.reference.one_batch(number)
        expect(whole, f"half a batch is recorded, up to position {number}")


def moment(chance: random.Random, lasts: float) -> Callable[[Child], None]:
    """Return a way to wait for a random moment in the life of a command."""
    if chance.random() < 0.3:
        lines = chance.randint(1, 60)
        return lambda child: child.sleep_until_it_said(lines, lasts)
    seconds = chance.uniform(0, lasts)
    return lambda child: child.sleep(seconds)


def duration(bench: Bench, name: str, *, whole: bool) -> float:
    """Return the seconds that a victim takes if it is left alone, about."""
    measured = float((bench.prepared.folder / f"{name}.seconds").read_text())
    return measured + 1.2 if whole else measured


def by_kill(bench: Bench, name: str, database: str) -> None:
    """Kill a command until it is complete, or was killed often enough."""
    with bench.copy(bench.prepared.victim(name).log, database) as url:
        trial = Interrupted(bench, name, url)
        for _ in range(bench.ends):
            step = trial.step()
            if step is None:
                break
            child = _started(bench, trial, step)
            killed = child.kill()
            trial.check(child.wait())
            outcome = "" if killed else "it was complete before"
            if killed:
                bench.tally.add("kill", f"{name}, {database}", outcome)
            elif trial.victim.waits or not _goes_on(trial):
                break
        trial.complete()


def _goes_on(trial: Interrupted) -> bool:
    return trial.victim.go_on(trial.reference, trial.number) is not None


def _started(bench: Bench, trial: Interrupted, step: Step) -> Child:
    """Start a command, and wait for a random moment."""
    command = bench.command(trial.url, step)
    wait = moment(bench.chance, duration(bench, trial.name, whole=command.whole))
    child = command.start()
    wait(child)
    return child


def by_signal(bench: Bench, name: str, database: str) -> None:
    """Send a command a signal; it may end, and must end cleanly."""
    with bench.copy(bench.prepared.victim(name).log, database) as url:
        trial = Interrupted(bench, name, url)
        for _ in range(bench.ends):
            step = trial.step()
            if step is None:
                break
            number = bench.chance.choice(_SIGNALS)
            child = _started(bench, trial, step)
            ran = child.running()
            child.signal(number)
            allowed = {0, 130, -number}
            if trial.victim.waits and number == signal.SIGPIPE:  # it goes on
                child.signal(signal.SIGTERM)
                allowed.add(-signal.SIGTERM)
            ended = child.wait()
            if ended.never_began:
                allowed.add(1)
            else:
                expect(not ended.trouble, f"{number.name}: {ended.trouble}")
            said = f"{number.name}: exit code {ended.code}, {ended.err}"
            expect(ended.code in allowed, said)
            trial.check(ended)
            if ran:
                bench.tally.add("signal", f"{number.name}, {name}, {database}")
            elif trial.victim.waits or not _goes_on(trial):
                break
        trial.complete()


@dataclass(frozen=True)
class Room:
    """A place for a log that can become full.

    Attributes:
        folder: the folder.
        shrink: leaves little room; reading the log before that needs some.
        grow: makes enough room.
        largest: the size in bytes that a file may have at most; None for any.
    """

    folder: Path
    shrink: Callable[[], None] = lambda: None
    grow: Callable[[], None] = lambda: None
    largest: int | None = None


def by_full_disk(bench: Bench, name: str, room: Room, how: str) -> None:
    """Let a command work on a disk that becomes full; once there is room, it must go on."""
    with bench.copy(bench.prepared.victim(name).log, "SQLite", room.folder) as url:
        trial = Interrupted(bench, name, url)
        step = trial.step()
        assert step is not None
        room.shrink()
        child = bench.start(url, step, largest=room.largest)
        if trial.victim.waits:
            child.sleep(duration(bench, name, whole=True) + QUIET)
            child.signal(signal.SIGTERM)
        ended = child.wait()
        expect(not ended.trouble, ended.trouble)
        full = "twin: " in ended.err
        expect(ended.code in (0, 10, 20, 130), f"exit code {ended.code}")
        expect(ended.code in (0, 130) or full, f"exit code {ended.code} without a message")
        room.grow()
        trial.check(ended)
        trial.complete()
        bench.tally.add("full disk", f"{name}, {how}", "" if full else "there was room enough")
