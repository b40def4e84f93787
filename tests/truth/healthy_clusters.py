"""Random healthy clusters, and what an administrator would collect of them: never all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from tests.round_trip.written import COMMANDS, dump_text
from tests.sandbox import Sandbox
from twin.app.observing import FileText
from twin.app.session import MqscSession
from twin.model.instants import DAY, HOUR, MINUTE

_NAMES: Final = ("DAIRY", "FARM", "SHOP", "MILL", "BARN", "DEPOT", "KIOSK", "SILO")
_LEVELS: Final = (920, 930, 940)
_OPTIONS: Final = ("", "DEFBIND(NOTFIXED)", "CLWLPRTY(3)", "DESCR('cream, fresh')", "CLWLRANK(2)")
_QUEUES: Final = ("CREAM", "BUTTER", "WHEY", "CURD")


@dataclass
class HealthyCluster:
    """A cluster in which nothing is wrong.

    Attributes:
        box: the simulated queue managers.
        cluster: its name.
        scripts: queue manager -> the commands that built it.
        full: its full repositories.
        never: a member of which nothing is collected; '' for none.
        scripted: the members of which a script is collected, and no dump.
        silent: the members of which no answers to DISPLAY are collected.
    """

    box: Sandbox
    cluster: str = "MILK"
    scripts: dict[str, list[str]] = field(default_factory=dict)
    full: tuple[str, ...] = ()
    never: str = ""
    scripted: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The queue managers."""
        return tuple(self.scripts)

    def run(self, qmgr: str, command: str) -> None:
        """Run a command at a queue manager, and note it in its script."""
        self.scripts[qmgr].append(command)
        self.box.run(qmgr, command)

    def files(self) -> Iterator[FileText]:
        """Write what is collected now."""
        estate, as_of = self.box.estate, self.box.as_of
        for name in self.names:
            if name == self.never:
                continue
            if name in self.scripted:
                yield FileText("\n".join([*self.scripts[name], ""]), name)
            else:
                yield FileText(dump_text(estate, as_of, name))
            if name not in self.silent:
                lines = MqscSession.reading(lambda ask: ask(estate, as_of), name)
                yield FileText("\n".join([*lines.run("\n".join(self.asked(name))).lines, ""]))

    def collecting(self, random: Random) -> HealthyCluster:
        """Choose of whom the next collection has answers to DISPLAY."""
        self.silent = frozenset(name for name in self.names if random.random() < 0.4)
        return self

    def live_on(self, random: Random) -> HealthyCluster:
        """Let days pass until the next collection, in which a queue may change."""
        self.box.pass_time(random.choice([20 * MINUTE, 7 * HOUR, 3 * DAY, 28 * DAY]))
        name = random.choice(self.names)
        held = self.box.estate.qmgr(name).definitions
        if shared := sorted(each for each in _QUEUES if ("QUEUE", each) in held):
            self.run(name, f"ALTER QLOCAL({random.choice(shared)}) DESCR('of {self.box.draft.at}')")
        self.box.pass_time(random.choice([MINUTE, 2 * HOUR, 2 * DAY]))
        return self.collecting(random)

    def asked(self, name: str) -> tuple[str, ...]:
        """Return the commands that are run at a queue manager; of a script's, DISPLAY QMGR seldom.

        So what is known of it is what others hold.
        """
        return COMMANDS[2:] if name in self.scripted and len(name) % 2 else COMMANDS


def healthy_cluster(seed: int) -> HealthyCluster:
    """Build a random cluster, and let it live for some days or weeks."""
    random = Random(seed)
    names = [f"{each}{random.randrange(1, 9)}" for each in random.sample(_NAMES, 6)]
    names = names[: random.randrange(4, 7)]
    cluster, full = random.choice(["MILK", "HAY"]), tuple(names[: random.randrange(2, 4)])
    built = HealthyCluster(Sandbox(), cluster, {name: [] for name in names}, full)
    for name in names:
        level, fix_pack = random.choice(_LEVELS), random.randrange(40)
        built.box.control("crtmqm", name, f"cmdlevel={level}", f"fixpack={fix_pack}")
        built.box.control("strmqm", name)
        built.box.pass_time(random.randrange(1, 4) * MINUTE)
    for name in names:
        _join(built, random, cluster, name)
    queues = _QUEUES[: random.randrange(1, len(_QUEUES) + 1)]
    for queue in queues:
        options = random.choice(_OPTIONS)
        for name in random.sample(names, random.randrange(1, 4)):
            built.run(name, f"DEFINE QLOCAL({queue}) CLUSTER({cluster}) {options}")
    built.box.pass_time(random.choice([2 * HOUR, 3 * DAY, 40 * DAY]))
    for name in names:
        queue = random.choice(queues)
        if (
            random.random() < 0.6
            and ("QUEUE", queue) not in built.box.estate.qmgr(name).definitions
        ):
            built.run(name, f"DEFINE QALIAS({queue}.OUT) TARGET({queue}) DEFBIND(NOTFIXED)")
            built.box.open(name, queue)
    built.box.pass_time(random.choice([2 * HOUR, 5 * DAY, 29 * DAY]))
    built.never = random.choice([*names, ""])
    built.scripted = frozenset(name for name in names if random.random() < 0.4)
    return built.collecting(random)


def _join(built: HealthyCluster, random: Random, cluster: str, name: str) -> None:
    """Define the channels of a queue manager, and what it needs besides."""
    built.run(name, "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    built.run(name, "DEFINE LISTENER(TCP) TRPTYPE(TCP) CONTROL(QMGR) PORT(1414)")
    if name in built.full:
        built.run(name, f"ALTER QMGR REPOS({cluster})")
    address = f"CONNAME('{name.lower()}.example(1414)') CLUSTER({cluster})"
    built.run(name, f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) {address}")
    others = [each for each in built.full if each != name]
    for to in others if name in built.full else random.sample(others, 1):
        address = f"CONNAME('{to.lower()}.example(1414)') CLUSTER({cluster})"
        built.run(name, f"DEFINE CHANNEL({cluster}.{to}) CHLTYPE(CLUSSDR) {address}")
