"""What every trial works with: a folder, chance, prepared logs, and a place for counts."""

from __future__ import annotations

import itertools
import json
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.soak.children import Child, Command, Ended
from tests.soak.contents import Contents, copy_of, drop, wait_until_alone
from tests.soak.tally import Tally
from tests.soak.victims import Step, Victim, victims
from twin.model.instants import Instant

SQLITE: Final = "SQLite"
POSTGRESQL: Final = "PostgreSQL"

ENDS: Final = 6
SHORT_ENDS: Final = 2

WHOLE: Final = 0.15
"""The share of commands that are new programs, not forks."""


class Lost(Exception):
    """Something was lost, or differed."""


def expect(right: object, problem: str) -> None:
    """Check what a soak is about.

    Raises:
        Lost: if it is not so.
    """
    if not right:
        raise Lost(problem)


@dataclass(frozen=True)
class Prepared:
    """What is prepared once: a folder of logs and references, and a PostgreSQL server.

    Attributes:
        folder: the folder.
        seed: the seed of the soak.
        start: the instant at which its logs begin.
        servers: the URL of each log by name on the PostgreSQL server; none without a server.
        cluster: the folder of a stopped PostgreSQL server with the same logs; None without.
    """

    folder: Path
    seed: str
    start: Instant
    servers: dict[str, str] = field(default_factory=dict)
    cluster: Path | None = None

    def victim(self, name: str) -> Victim:
        """Return a victim by name."""
        return victims(self.seed, self.start)[name]

    def reference(self, name: str) -> Contents:
        """Return the events that a log has after a victim was not killed."""
        return Contents.read(self.folder / f"{name}.reference")

    def url(self, name: str, database: str) -> str:
        """Return the URL of a prepared log, which must only be copied."""
        if database == SQLITE:
            return f"sqlite:///{self.folder / name}.db"
        return self.servers[name]

    @property
    def databases(self) -> tuple[str, ...]:
        """The kinds of database there are."""
        return (SQLITE, POSTGRESQL) if self.servers else (SQLITE,)

    def write(self) -> None:
        """Write it into its folder."""
        about = {
            "seed": self.seed,
            "start": self.start,
            "servers": self.servers,
            "cluster": None if self.cluster is None else str(self.cluster),
        }
        (self.folder / "prepared.json").write_text(json.dumps(about))

    @classmethod
    def read(cls, folder: Path) -> Prepared:
        """Read what `write` wrote."""
        about = json.loads((folder / "prepared.json").read_text())
        cluster = about["cluster"] and Path(about["cluster"])
        return cls(folder, about["seed"], about["start"], about["servers"], cluster)


class Bench:
    """The bench of one trial.

    Attributes:
        chance: the randomness of the trial.
        folder: its folder; it is kept if the trial fails.
        tally: its counts.
        ends: how often a command is ended before it is left alone.
        share: how much of its parts a trial of many parts has.
        deadline: the instant of the monotonic clock after which a trial of many parts ends.
    """

    def __init__(
        self, prepared: Prepared, number: int, folder: Path, deadline: float, *, short: bool = False
    ) -> None:
        """Begin the trial of this number; a `short` one has fewer parts."""
        self.prepared = prepared
        self.chance = random.Random(f"{prepared.seed}.{number}")
        self.number = number
        self.folder = folder
        self.tally = Tally()
        self.deadline = deadline
        self.ends = SHORT_ENDS if short else ENDS
        self.share = 0.25 if short else 1.0
        self._copies = itertools.count(1)

    @contextmanager
    def copy(self, name: str, database: str, folder: Path | None = None) -> Iterator[str]:
        """Copy a prepared log for the block; yield its URL."""
        base = self.prepared.url(name, database)
        with self.copied(base, folder) as url:
            yield url

    @contextmanager
    def copied(self, base: str, folder: Path | None = None) -> Iterator[str]:
        """Copy a log for the block; yield its URL. It is dropped if nothing was raised."""
        url = copy_of(base, folder or self.folder, f"t{os.getpid()}_{next(self._copies)}")
        yield url
        drop(url)

    def command(
        self, url: str, step: Step, *, whole: bool | None = None, largest: int | None = None
    ) -> Command:
        """Make a command of a step on a log."""
        if whole is None:
            whole = self.chance.random() < WHOLE
        outputs = self.folder / "output"
        outputs.mkdir(exist_ok=True)
        return Command(
            ("--log", url, *step.words),
            self.folder,
            typed=step.typed.encode(),
            whole=whole,
            largest=largest,
            outputs=outputs,
        )

    def start(self, url: str, step: Step, *, largest: int | None = None) -> Child:
        """Start a step on a log, as a fork or as a new program."""
        return self.command(url, step, largest=largest).start()

    def run(self, url: str, *words: str, typed: str = "") -> Ended:
        """Run a command to its end in a fork."""
        ended = self.command(url, Step(words, typed), whole=False).run()
        expect(not ended.trouble, f"{' '.join(words)}: {ended.trouble}")
        return ended

    def verify(self, url: str) -> None:
        """Demand that `twin log verify` finds nothing."""
        wait_until_alone(url)
        verified = self.run(url, "log", "verify")
        expect(verified.code == 0, f"log verify: {verified.out} {verified.err}")
