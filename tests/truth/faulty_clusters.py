"""Random clusters in which something is wrong, as twin simulates them: the truth of an estate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from types import MappingProxyType
from typing import Final

from tests.app.scenes import START
from twin.app.twin import Twin
from twin.events import AutomaticConfiguration, ConfigurationFile
from twin.model.instants import DAY, HOUR, MINUTE, SECOND, Instant
from twin.model.platforms import ZOS

_NAMES: Final = ("DAIRY", "FARM", "SHOP", "MILL", "BARN", "DEPOT", "KIOSK", "SILO")
_LEVELS: Final = (920, 930, 930, 940)
_QUEUES: Final = ("CREAM", "BUTTER", "WHEY", "CURD")
_OPTIONS: Final = ("", "DEFBIND(NOTFIXED)", "CLWLPRTY(3)", "DESCR('cream, fresh')", "CLWLRANK(2)")
_ON_ZOS: Final = 0.4
_OTHER: Final = "OATS"

SETTINGS: Final = ("gateway", "z/OS", "qm.ini")
"""What an estate may be built with: a second cluster, members on z/OS, settings of qm.ini."""


@dataclass
class Truth:
    """A cluster whose every state is known.

    Attributes:
        twin: it is simulated there, on a log of its own.
        random: where its draws come from.
        cluster: its name.
        now: its latest instant.
        scripts: queue manager -> the commands that built it; deleted ones stay.
        full: its full repositories.
        faults: what is wrong in it, by the name of the fault, with the queue managers concerned.
        unreached: the queue managers that nobody can ask now.
        settings: which of `SETTINGS` it was built with.
        zos: its queue managers on z/OS.
        inis: queue manager -> its qm.ini, where it has a drawn one.
        outside: its queue managers that are members of the other cluster only.
    """

    twin: Twin
    random: Random
    cluster: str = "MILK"
    now: Instant = START
    scripts: dict[str, list[str]] = field(default_factory=dict)
    full: tuple[str, ...] = ()
    faults: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    unreached: set[str] = field(default_factory=set)
    settings: frozenset[str] = frozenset()
    zos: set[str] = field(default_factory=set)
    inis: dict[str, str] = field(default_factory=dict)
    outside: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[str, ...]:
        """The members of the cluster."""
        return tuple(each for each in self.scripts if each not in self.outside)

    @property
    def names(self) -> tuple[str, ...]:
        """The queue managers."""
        return tuple(self.scripts)

    def later(self, microseconds: int) -> None:
        """Let time pass."""
        self.now += microseconds
        self.twin.pass_time(self.now)

    def run(self, qmgr: str, command: str) -> None:
        """Run a command at a queue manager, and note it in its script."""
        self.scripts[qmgr].append(command)
        self.twin.runmqsc(qmgr, command, at=self.now)

    def create(self, name: str) -> None:
        """Create and start a queue manager, at a fix level of its own."""
        level, fix_pack = self.random.choice(_LEVELS), self.random.randrange(40)
        options, given = [f"cmdlevel={level}", f"fixpack={fix_pack}"], None
        if "z/OS" in self.settings and (name in self.zos or self.random.random() < _ON_ZOS):
            self.zos.add(name)
            options.append(f"platform={ZOS}")
        elif "qm.ini" in self.settings:
            self.inis[name] = _qm_ini(self.random)
            ini = ConfigurationFile(name="qm.ini", text=self.inis[name])
            given = AutomaticConfiguration(ini=(ini,))
        self.twin.control("crtmqm", name, *options, configuration=given, at=self.now)
        self.twin.strmqm(name, at=self.now)

    def join(self, name: str) -> None:
        """Define the channels of a queue manager, with one to three manual CLUSSDRs."""
        self.run(name, "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        if name not in self.zos:
            self.run(name, "DEFINE LISTENER(TCP) TRPTYPE(TCP) CONTROL(QMGR) PORT(1414)")
        if name in self.full:
            self.run(name, f"ALTER QMGR REPOS({self.cluster})")
        self.channel(name, name, "CLUSRCVR")
        others = [each for each in self.full if each != name]
        many = len(others) if name in self.full else self.random.randrange(1, len(others) + 1)
        for to in self.random.sample(others, many):
            self.channel(name, to, "CLUSSDR")

    def channel(self, on: str, to: str, kind: str, cluster: str = "") -> None:
        """Define a channel of a cluster; without a name of the cluster."""
        cluster = cluster or self.cluster
        address = f"CONNAME('{to.lower()}.example(1414)') CLUSTER({cluster})"
        self.run(on, f"DEFINE CHANNEL({cluster}.{to}) CHLTYPE({kind}) {address}")

    def partial(self) -> str:
        """Draw a partial repository that runs."""
        return self.random.choice(
            [each for each in self.members if each not in {*self.full, *self.unreached}]
        )

    def shared(self) -> Iterator[tuple[str, str]]:
        """Yield the instances of clustered queues: queue manager and queue."""
        for name, commands in self.scripts.items():
            for queue in _QUEUES:
                if any(each.startswith(f"DEFINE QLOCAL({queue}) CLUSTER") for each in commands):
                    yield name, queue


def cluster_of(twin: Twin, seed: int, settings: Iterable[str] = ()) -> Truth:
    """Build a random healthy cluster, whose members use its queues, and let it live for weeks."""
    random = Random(seed)
    names = [f"{each}{random.randrange(1, 9)}" for each in random.sample(_NAMES, 6)]
    names = names[: random.randrange(4, 7)]
    truth = Truth(twin, random, random.choice(["MILK", "HAY"]), full=tuple(names[:2]))
    truth.settings = frozenset(settings)
    if "gateway" in truth.settings:
        names = names[:4]
        truth.outside = ("HAVEN", "OUTPOST")
    for name in (*truth.outside, *names):
        truth.scripts[name] = []
        truth.create(name)
        truth.later(random.randrange(1, 4) * MINUTE)
    for name in names:
        truth.join(name)
    queues = _QUEUES[: random.randrange(1, len(_QUEUES) + 1)]
    for queue in queues:
        options = random.choice(_OPTIONS)
        for name in random.sample(names, random.randrange(1, 4)):
            truth.run(name, f"DEFINE QLOCAL({queue}) CLUSTER({truth.cluster}) {options}")
    if truth.outside:
        _join_clusters(truth, names[-1], queues[0])
    truth.later(random.choice([2 * HOUR, 3 * DAY, 40 * DAY]))
    owned = set(truth.shared())
    for name in names:
        queue = random.choice(queues)
        if (name, queue) not in owned:
            truth.run(name, f"DEFINE QALIAS({queue}.OUT) TARGET({queue}) DEFBIND(NOTFIXED)")
            twin.put(name, f"{queue}.OUT", count=random.randrange(1, 9), at=truth.now)
    if truth.outside:
        twin.put(truth.outside[-1], f"{queues[0]}.VIA", count=2, at=truth.now)
    truth.later(random.choice([2 * HOUR, 5 * DAY, 29 * DAY]))
    return truth


def _join_clusters(truth: Truth, gateway: str, queue: str) -> None:
    """Let a queue manager be a gateway to another cluster, of a full repository and one more."""
    haven = truth.outside[0]
    truth.run(haven, f"ALTER QMGR REPOS({_OTHER})")
    for name in (*truth.outside, gateway):
        truth.channel(name, name, "CLUSRCVR", _OTHER)
        if name != haven:
            truth.channel(name, haven, "CLUSSDR", _OTHER)
    via = f"DEFINE QALIAS({queue}.VIA) TARGET({queue}) CLUSTER({_OTHER}) DEFBIND(NOTFIXED)"
    truth.run(gateway, via)
    truth.run(truth.outside[-1], f"DEFINE QLOCAL(RYE) CLUSTER({_OTHER})")
    truth.run(gateway, f"DEFINE QALIAS(RYE) TARGET(RYE) CLUSTER({truth.cluster})")


def _qm_ini(random: Random) -> str:
    """Draw a qm.ini as crtmqm writes it, with settings of channels and of TCP."""
    channels = random.sample(["MaxChannels=12", "AdoptNewMCA=ALL", "MaxActiveChannels=11"], 2)
    tcp = random.sample(["KeepAlive=YES", "Connect_Timeout=20", "Port=1414"], 2)
    stanzas = {"Log": ["LogType=CIRCULAR"], "Channels": channels, "TCP": tcp}
    lines = ([f"{name}:", *(f"   {each}" for each in held)] for name, held in stanzas.items())
    return "\n".join([*chain.from_iterable(lines), ""])


def _down(truth: Truth) -> tuple[str, ...]:
    name = truth.partial()
    truth.twin.endmqm(name, at=truth.now)
    truth.unreached.add(name)
    truth.later(truth.random.choice([2 * DAY, 35 * DAY, 70 * DAY]))
    return (name,)


def _cut(truth: Truth) -> tuple[str, ...]:
    one, other = truth.partial(), truth.random.choice(truth.full)
    truth.twin.link("cut", one, other, at=truth.now)
    truth.later(truth.random.choice([HOUR, 3 * DAY]))
    return one, other


def _silent_cut(truth: Truth) -> tuple[str, ...]:
    one, other = truth.partial(), truth.random.choice(truth.full)
    truth.twin.link("cut", one, other, silent=True, at=truth.now)
    truth.later(truth.random.choice([SECOND, 3 * DAY]))
    return one, other


def _rebuilt(truth: Truth) -> tuple[str, ...]:
    name = truth.partial()
    truth.twin.endmqm(name, at=truth.now)
    truth.twin.dltmqm(name, at=truth.now)
    truth.later(HOUR)
    again = truth.scripts[name]
    truth.scripts[name] = []
    truth.create(name)
    for command in again:
        truth.run(name, command)
    truth.later(truth.random.choice([HOUR, 10 * DAY]))
    return (name,)


def _stopped(truth: Truth) -> tuple[str, ...]:
    name, to = truth.partial(), truth.random.choice(truth.full)
    truth.twin.runmqsc(name, f"STOP CHANNEL({truth.cluster}.{to})", at=truth.now)
    truth.later(truth.random.choice([HOUR, 3 * DAY]))
    return name, to


def _put_disabled(truth: Truth) -> tuple[str, ...]:
    name, queue = truth.random.choice(list(truth.shared()))
    truth.run(name, f"ALTER QLOCAL({queue}) PUT(DISABLED)")
    truth.later(truth.random.choice([MINUTE, 3 * DAY]))
    return (name,)


def _suspended(truth: Truth) -> tuple[str, ...]:
    name = truth.partial()
    truth.twin.runmqsc(name, f"SUSPEND QMGR CLUSTER({truth.cluster})", at=truth.now)
    truth.later(truth.random.choice([MINUTE, 3 * DAY]))
    return (name,)


def _waiting(truth: Truth) -> tuple[str, ...]:
    owned = list(truth.shared())
    owner, queue = truth.random.choice(owned)
    senders = [
        each
        for each in truth.members
        if (each, queue) not in owned and each not in truth.unreached and each != owner
    ]
    if not senders or owner in truth.unreached:
        return ()
    sender = truth.random.choice(senders)
    count = truth.random.choice([3, 40, 1200])
    truth.twin.link("cut", sender, owner, at=truth.now)
    truth.twin.put(sender, queue, to=owner, count=count, at=truth.now)
    truth.later(truth.random.choice([MINUTE, 2 * DAY]))
    return sender, owner


def _leaver(truth: Truth) -> tuple[str, ...]:
    name = truth.partial()
    for each in truth.full:
        truth.run(name, f"STOP CHANNEL({truth.cluster}.{each})")
    truth.run(name, f"ALTER CHANNEL({truth.cluster}.{name}) CHLTYPE(CLUSRCVR) CLUSTER(' ')")
    truth.later(truth.random.choice([HOUR, 20 * DAY]))
    return (name,)


def _demoted(truth: Truth) -> tuple[str, ...]:
    name = truth.full[-1]
    truth.run(name, "ALTER QMGR REPOS(' ')")
    truth.later(truth.random.choice([HOUR, 5 * DAY]))
    return (name,)


FAULTS: Final[Mapping[str, Callable[[Truth], tuple[str, ...]]]] = MappingProxyType(
    {
        "down": _down,
        "cut": _cut,
        "silent cut": _silent_cut,
        "rebuilt": _rebuilt,
        "stopped channel": _stopped,
        "put-disabled": _put_disabled,
        "suspended": _suspended,
        "messages wait": _waiting,
        "leaver": _leaver,
        "demoted repository": _demoted,
    }
)
"""The name of a fault -> what brings it about; it returns the queue managers concerned."""


def go_wrong(truth: Truth) -> None:
    """Let one to three faults happen, as long as a partial repository runs."""
    for name in truth.random.sample(list(FAULTS), truth.random.randrange(1, 4)):
        partial = {*truth.names} - {*truth.full} - truth.unreached
        if partial and (concerned := FAULTS[name](truth)):
            truth.faults.append((name, concerned))
