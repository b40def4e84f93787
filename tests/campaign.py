"""Random estates with switches and passes that take time: `python -m tests.campaign 1-3000`.

A seed makes a sender, three hosts of its queues and what happens to them. Of each estate it is
checked:

- Every message that was put is on a queue, or was taken off by an event; none is doubled.
- Messages of a put keep their order, unless they were rerouted.
- A replay of the events gives the same estate.
- Time that passes in pieces gives the same events as in one piece.
- Once all is mended, nothing waits for a channel that is started, and nothing at all once each
  channel was started again.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any, Final

from tests.rules.ledger import Ledger
from tests.rules.random_estates import EXITS
from tests.sandbox import Sandbox
from twin import events
from twin.events.catalogue import column_of, encode
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.fold.store.pages import pages_of
from twin.model.instants import DAY, SECOND
from twin.model.reasons import GET_INHIBITED, PUT_INHIBITED
from twin.rules.channels import channel_status, switching
from twin.rules.commands.control import ControlRefused
from twin.rules.deriving import derive

HOSTS: Final = ("QM1", "QM2", "QM3")
DEFAULT: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
XMITQS: Final = ("XQ1", "XQ2")
QUEUES: Final = ("ORD", "PAY")
DISABLED: Final = (GET_INHIBITED, PUT_INHIBITED)

Step = tuple[str, Any]


def channel(host: str) -> str:
    """Return the channel to a host."""
    return f"CA.{host}"


class Plan:
    """What a seed decides: the estate, and the steps."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.platform = random.choice(("UNIX", "MVS"))
        self.readings = {
            "switch-portion": str(random.choice((1, 3, 10, 50))),
            "switch-wait": random.choice(("0s", "1s", "20s", "20s")),
            "pass-portion": str(random.choice((1, 3, 10))),
            "pass-wait": random.choice(("0s", "1s", "20s", "20s")),
            "equals": random.choice(("stay", "stay", "stay", "turn")),
        }
        self.exit = random.choice(("", "", "", "last", "nobody"))
        self.depths = [random.choice((0, 3, 10, 999)) for _ in XMITQS]
        self.discint = random.choice((0, 30, 6000))
        self.steps = [*self._steps(random.randint(12, 30))]

    def _steps(self, count: int) -> Iterator[Step]:
        random = self.random
        for _ in range(count):
            host = random.choice(HOSTS)
            named = channel(host)
            xmitq = random.choice((*XMITQS, *XMITQS, DEFAULT))
            pattern = random.choice(("' '", "'CA.*'", f"'{named}'", "'C*.QM2'"))
            if random.random() < 0.1:  # messages wait as a channel stops, and is started quickly
                yield "hold", {"channel": named, "switch": False}
                yield "put", {"queue": "ORD", "count": 40, "bind": "notfixed"}
                yield "run", f"STOP CHANNEL({named}){random.choice(('', *_HOW))}"
                yield "pass", random.choice((1, 5, 21))
                yield "run", random.choice((f"START CHANNEL({named})", f"STOP CHANNEL({named})"))
            yield random.choice(
                (
                    *[("put", self._put(host))] * 6,
                    ("run", f"STOP CHANNEL({named})"),
                    ("run", f"STOP CHANNEL({named}){random.choice(_HOW)}"),
                    ("run", f"START CHANNEL({named})"),
                    *[("run", f"STOP CHANNEL({named})\nSTART CHANNEL({named})")] * 2,
                    *[("run", f"ALTER QLOCAL({xmitq}) CLCHNAME({pattern})")] * 3,
                    ("run", f"ALTER QMGR DEFCLXQ({random.choice(('SCTQ', 'CHANNEL'))})"),
                    ("run", f"ALTER QLOCAL({xmitq}) MAXDEPTH({random.choice((2, 20, 999))})"),
                    ("run", f"ALTER QLOCAL({xmitq}) PUT({random.choice(_ABLE)})"),
                    ("run", f"ALTER QLOCAL({xmitq}) GET({random.choice(_ABLE)})"),
                    ("at", (host, f"ALTER QLOCAL(ORD) PUT({random.choice(_ABLE)})")),
                    ("hold", {"channel": named, "switch": random.random() < 0.3}),
                    ("release", {"channel": named, "switch": random.random() < 0.3}),
                    ("link", (host, {"cut": random.random() < 0.5})),
                    ("control", (random.choice(("endmqm", "strmqm")), host)),
                    ("control", (random.choice(("endmqm", "strmqm", "strmqm")), "QMS")),
                    ("runswchl", random.choice(("CA.*", named))),
                    ("get", {"queue": xmitq, "count": 2}),
                    *[("pass", random.choice((1, 5, 19, 20, 21, 61, 700, 7000)))] * 8,
                )
            )

    def _put(self, host: str) -> dict[str, Any]:
        random = self.random
        bound = {"to": host} if random.random() < 0.1 else {}
        return {
            "queue": random.choice(QUEUES),
            "count": random.choice((1, 5, 12, 40)),
            "bind": random.choice(("notfixed", "notfixed", "open")),
            "persistent": random.random() < 0.7,
            **bound,
        }


_HOW: Final = (" MODE(FORCE)", " MODE(TERMINATE)", " STATUS(INACTIVE)")
_ABLE: Final = ("ENABLED", "ENABLED", "DISABLED")


class Run:
    """An estate to which the steps of a plan happen; with `pieces`, time passes in pieces."""

    def __init__(self, plan: Plan, *, pieces: Random | None = None) -> None:
        self.plan, self.pieces = plan, pieces
        self.sandbox = sandbox = Sandbox()
        sandbox.draft.exits = EXITS
        for name, value in plan.readings.items():
            derive(sandbox.draft, events.ReadingChosen(qmgr="", reading=name, value=value))
        for name in ("QMS", *HOSTS):
            sandbox.control("crtmqm", name, f"platform={plan.platform}")
            sandbox.control("strmqm", name)
        sandbox.full("QMS")
        more = " INDXTYPE(CORRELID)" if plan.platform == "MVS" else ""
        for queue, depth in zip(XMITQS, plan.depths, strict=True):
            sandbox.run("QMS", f"DEFINE QLOCAL({queue}) USAGE(XMITQ) MAXDEPTH({depth}){more}")
        for host in HOSTS:
            sandbox.member(host, "QMS")
            sandbox.run(
                host,
                f"ALTER CHANNEL(CA.{host}) CHLTYPE(CLUSRCVR) DISCINT({plan.discint}) SHORTTMR(20)",
            )
            for queue in QUEUES:
                shared = "" if (host, queue) == ("QM3", "PAY") else "CLUSTER(CA)"
                sandbox.run(host, f"DEFINE QLOCAL({queue}) {shared}")
        sandbox.run("QMS", f"ALTER QMGR CLWLEXIT('{plan.exit}')" if plan.exit else "")

    def perform(self, kind: str, what: Any) -> None:
        """Perform one step, unless it is refused, or the sender has ended."""
        sandbox = self.sandbox
        match kind, what:
            case "pass", seconds:
                self.pass_time(seconds * SECOND)
            case "at", (host, text):
                sandbox.run(host, text)
            case "control", (command, name):
                with suppress(ControlRefused):
                    sandbox.control(command, name)
            case "link", (host, change):
                derive(sandbox.draft, events.LinkChanged(qmgr="QMS", other=host, **change))
            case _ if sandbox.estate.qmgr("QMS").running:
                self._at_sender(kind, what)

    def _at_sender(self, kind: str, what: Any) -> None:
        sandbox = self.sandbox
        if kind == "run":
            sandbox.run("QMS", what)
        elif kind == "runswchl":
            sandbox.control(kind, "QMS", f"c={what}")
        else:
            fact, options = {
                "put": (events.PutEntered, what),
                "hold": (events.ChannelHeld, what),
                "release": (events.ChannelReleased, what),
                "get": (events.GetEntered, what),
            }[kind]
            derive(sandbox.draft, fact(qmgr="QMS", **options))

    def pass_time(self, amount: int) -> None:
        """Let time pass, in one piece or in several."""
        for _ in range(self.pieces.randint(0, 4) if self.pieces else 0):
            assert self.pieces is not None
            piece = self.pieces.randint(0, amount)
            self.sandbox.pass_time(piece)
            amount -= piece
        self.sandbox.pass_time(amount)

    def mend(self) -> None:
        """Take everything away that keeps messages back, and start each channel."""
        sandbox = self.sandbox
        for name in ("QMS", *HOSTS):
            if not sandbox.estate.qmgr(name).running:
                sandbox.control("strmqm", name)
        sandbox.run("QMS", "ALTER QMGR CLWLEXIT(' ')" if self.plan.exit else "")
        for queue in (*XMITQS, DEFAULT):
            sandbox.run("QMS", f"ALTER QLOCAL({queue}) PUT(ENABLED) GET(ENABLED) MAXDEPTH(9999)")
        for host in HOSTS:
            sandbox.run(host, "ALTER QLOCAL(ORD) PUT(ENABLED)")
            derive(sandbox.draft, events.LinkChanged(qmgr="QMS", other=host, cut=False))
            for switch in (True, False):
                self.perform("release", {"channel": channel(host), "switch": switch})
        self.pass_time(DAY)
        self._check_started()
        for host in HOSTS:
            sandbox.run("QMS", f"START CHANNEL({channel(host)})")
        self.pass_time(DAY)

    def _check_started(self) -> None:
        """Check that no message waits for a started channel.

        A switch that met a disabled queue goes on at the next start only.
        """
        qmgr = self.sandbox.estate.qmgr("QMS")
        for name in qmgr.messaging.channels():
            state = channel_status.current_state(qmgr, name, self.sandbox.draft.at)
            started = state is not None and state.status in {"RUNNING", "RETRYING"}
            assert not started or switching.stopped(qmgr, name) in DISABLED


def check(seed: int, counts: Counter[str] | None = None) -> None:
    """Check the laws of one seed.

    Raises:
        AssertionError: if a law does not hold.
    """
    plan = Plan(seed)
    run, cut = Run(plan), Run(plan, pieces=Random(-seed))
    ledger = Ledger(run.sandbox)
    for kind, what in plan.steps:
        run.perform(kind, what)
        cut.perform(kind, what)
        ledger.check()
    for each in (run, cut):
        each.mend()
    ledger.check()
    ledger.check_order()
    told = run.sandbox.draft.events
    assert told == cut.sandbox.draft.events
    rows = [
        (at, position, column_of(type(event)), encode(event))
        for position, (at, event) in enumerate(told, start=1)
    ]
    assert pages_of(replay(Estate(), rows)) == pages_of(run.sandbox.estate)
    assert not run.sandbox.estate.qmgr("QMS").messaging.waiting
    if counts is not None:
        counts.update(_figures(run))


def _figures(run: Run) -> Iterator[str]:
    """Name what happened in an estate, once for each time."""
    for _, event in run.sandbox.draft.events:
        match event:
            case events.PortionAwaited(portion=None):
                pass
            case events.PortionAwaited(work=work):
                yield f"{work} that goes on"
            case events.TransmissionQueueSwitched():
                yield "switch that ends"
            case events.TransmissionQueueSwitchStopped():
                yield "switch that stops"
            case events.MessagesReallocated(moves=moves) if moves:
                yield "portion of a pass that moves messages"
            case events.ChannelStatusChanged(status="STOPPING"):
                yield "channel that is STOPPING"


def main(arguments: list[str]) -> int:
    """Check a range of seeds, such as 1-3000; print those that fail, and what happened."""

    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")

    first, _, last = (arguments[0] if arguments else "1-3000").partition("-")
    seeds, counts, failed = range(int(first), int(last or first) + 1), Counter[str](), 0
    for seed in seeds:
        try:
            check(seed, counts)
        except Exception as error:  # noqa: BLE001 - one seed says nothing of the others
            failed += 1
            say(f"seed {seed}: {type(error).__name__} {str(error)[:200]}")
    say(f"{len(seeds):,} estates, {failed:,} failed")
    for name, count in sorted(counts.items()):
        say(f"{count:10,} {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
