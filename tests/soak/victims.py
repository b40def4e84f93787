"""The commands that are killed: the logs they work on, and how each goes on after its death."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.soak.contents import Contents, Kept
from twin.app.clocks import system_clock
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, SECOND, Instant, format_instant

MEMBERS: Final = ("QM1", "QM2", "QM3", "QM4")
FULL: Final = ("FR1", "FR2")
QUEUES: Final = 12
COMMANDS: Final = 150
FILES: Final = 6
IDLE: Final = 200
"""The days before now at which the logs end, so that time has to be made up for."""

AHEAD: Final = 700
"""The days that a branch advances: enough for several transactions."""

_RECEIVER: Final = "DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(CA) {1}\n"
_SENDER: Final = "DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSSDR) CONNAME('{0}(1414)') CLUSTER(CA)\n"


def start_of(now: Instant) -> Instant:
    """Return the instant at which the logs of a soak begin."""
    return now // DAY * DAY - IDLE * DAY


def build(url: str, start: Instant) -> None:
    """Make a log: a cluster of six, and a branch."""
    with Twin.open(url, synchronous="NORMAL") as twin:
        for name in (*FULL, *MEMBERS):
            twin.crtmqm(name, at=start)
            twin.strmqm(name, at=start)
        for name, other in (FULL, FULL[::-1]):
            text = "ALTER QMGR REPOS(CA)\n" + _RECEIVER.format(name, "") + _SENDER.format(other)
            assert twin.runmqsc(name, text, at=start).exit_code == 0
        for number, name in enumerate(MEMBERS):
            queues = "".join(
                f"DEFINE QLOCAL(Q{name}.{each}) CLUSTER(CA) DEFBIND(NOTFIXED)\n"
                for each in range(QUEUES)
            )
            text = _RECEIVER.format(name, "") + _SENDER.format(FULL[number % 2]) + queues
            assert twin.runmqsc(name, text, at=start + number * HOUR).exit_code == 0
        twin.runmqsc("QM1", "DEFINE QLOCAL(LATER)", at=start + DAY)
        twin.create_branch("future")


def script(seed: str, name: str, count: int = COMMANDS) -> list[str]:
    """Return random commands for a queue manager, all of which succeed."""
    chance, made = random.Random(seed), list[str]()
    commands = []
    for number in range(count):
        kind = chance.choice("DDDAAX")
        if kind == "D" or not made:
            made.append(f"{name}.N{number}")
            clustered = chance.choice(("", "CLUSTER(CA)"))
            commands.append(f"DEFINE QLOCAL({made[-1]}) {clustered}")
        elif kind == "A":
            queue, depth = chance.choice(made), chance.randrange(1, 9999)
            commands.append(f"ALTER QLOCAL({queue}) MAXDEPTH({depth})")
        else:
            commands.append(f"DELETE QLOCAL({made.pop(chance.randrange(len(made)))})")
    return commands


def write_files(folder: Path, seed: str) -> None:
    """Write the files that an import reads: scripts of queue managers not known before."""
    folder.mkdir(exist_ok=True)
    for number in range(FILES):
        chance = random.Random(f"{seed}.{number}")
        lines = [
            f"DEFINE QLOCAL(S{each}) MAXDEPTH({chance.randrange(1, 9999)}) CLUSTER(CA)"
            for each in range(30)
        ]
        name = f"OB{number}"
        text = _RECEIVER.format(name, "") + _SENDER.format("FR1") + "\n".join(lines)
        (folder / f"{name}.mqsc").write_text(f"{text}\n")


@dataclass(frozen=True)
class Step:
    """A command line, and what is typed."""

    words: tuple[str, ...]
    typed: str = ""


@dataclass(frozen=True)
class Victim:
    """A command that is killed again and again until it is complete.

    Attributes:
        first: the command, before anything of it is recorded.
        go_on: the command that completes what a log has after so many events of the reference;
            None if nothing is left to do.
        said: how many of its primary facts it acknowledged with these lines of output.
        primary: whether an event is a primary fact that it acknowledges.
        log: the prepared log that it works on.
        waits: whether it runs until it is stopped.
        one_by_one: whether each of its transactions is recorded at an instant of its own, which
            the reference has, too.
        upto: the instant up to which its events are compared; None for all events.
    """

    first: Step
    go_on: Callable[[Contents, int], Step | None]
    said: Callable[[list[str]], int] = lambda _: 0
    primary: Callable[[Kept], bool] = lambda event: event.cause is None
    log: str = "cluster"
    waits: bool = False
    one_by_one: bool = False
    upto: Instant | None = None


def _replies(lines: list[str]) -> int:
    """Count the commands that runmqsc acknowledged."""
    return sum(line.startswith("AMQ") for line in lines)


def _runmqsc(seed: str, start: Instant) -> Victim:
    commands, when = script(seed, "QM1"), format_instant(start + 3 * DAY)
    words = ("runmqsc", "QM1", "--at", when)

    def rest(reference: Contents, base: int, number: int) -> Step | None:
        done = sum(event.cause is None for event in reference.events[base:number])
        return Step(words, "\n".join(commands[done:]) + "\n") if done < COMMANDS else None

    return Victim(
        Step(words, "\n".join(commands) + "\n"),
        go_on=lambda reference, number: rest(reference, _base(reference, start), number),
        said=_replies,
    )


def _base(reference: Contents, start: Instant) -> int:
    """Count the events of the log before the command."""
    return sum(event.occurred_at <= start + DAY for event in reference.events)


def _again(step: Step) -> Callable[[Contents, int], Step | None]:
    """Go on by the same command, unless everything is recorded."""

    def rest(reference: Contents, number: int) -> Step | None:
        return step if number < len(reference.events) else None

    return rest


_UPGRADE: Final = Step(("log", "upgrade"))
"""It records nothing, and may be run again at any time."""


def victims(seed: str, start: Instant) -> Mapping[str, Victim]:
    """Return the commands that are killed, by what the table calls them."""
    on_time = Step(("import", "files", "--at", format_instant(start + 3 * DAY)))
    late = Step(("import", "files", "--at", format_instant(start + HOUR + SECOND)))
    ahead = Step(("--branch", "future", "advance", "--days", str(AHEAD)))
    upto = start + (IDLE - 5) * DAY
    caught_up = Step(("advance", "--to", format_instant(upto)))
    create = Step(("crtmqm", "FIRST", "--at", format_instant(start)))
    return {
        "runmqsc": _runmqsc(seed, start),
        "import": Victim(on_time, _again(on_time), one_by_one=True),
        "late import": Victim(late, _again(late), one_by_one=True),
        "advance": Victim(
            ahead,
            _again(Step(("--branch", "future", "advance", "--to", format_instant(_end(start))))),
        ),
        "serve": Victim(Step(("serve", "--no-web")), _again(caught_up), waits=True, upto=upto),
        "first creation": Victim(create, _again(create), log="nothing", one_by_one=True),
        "upgrade": Victim(_UPGRADE, lambda _reference, _number: _UPGRADE, log="first edition"),
    }


def _end(start: Instant) -> Instant:
    return start + DAY + AHEAD * DAY


def reference_step(name: str, victim: Victim) -> Step:
    """Return the command whose events are the reference of a victim."""
    if victim.waits:
        step = victim.go_on(Contents([], []), -1)
        assert step is not None, name
        return step
    return victim.first


def now() -> Instant:
    """Return the instant of the wall clock."""
    return system_clock()
