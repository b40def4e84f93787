"""Random estates: answers that must agree, however their facts came into a log."""

from __future__ import annotations

import itertools
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from math import ceil
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.app.scenes import LATER, Act
from tests.rules.random_estates import ESTATES, EXITS, QUEUES, Estate, Members
from tests.rules.random_operations import OPERATIONS, Operation
from tests.soak.bench import POSTGRESQL, SQLITE, Bench, expect
from tests.soak.questions import NAMELESS, SHOWN, rows_of
from twin import events
from twin.app import played_ahead
from twin.app.acting import Fact
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.events.catalogue import columns_of
from twin.log import Log
from twin.model.instants import DAY, HOUR, SECOND, Instant, format_instant

ESTATES_IN_A_TRIAL: Final = 3
NAMED: Final = ("GW1", "QM1", "FR1")
"""The queue managers at which DISPLAY is run."""

_WITHOUT_EXITS: Final = 0.7

Answers = dict[tuple[str, Instant], Any]
Look = Callable[[Twin], Answers]


def histories(chance: random.Random, count: int) -> Iterator[tuple[list[Act], bool]]:
    """Yield random histories: the primary facts of random estates, and whether exits choose."""
    drawn: list[tuple[Members, list[Operation]]] = []

    @seed(chance.randrange(2**32))
    @settings(
        max_examples=count + 1,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(ESTATES, OPERATIONS)
    def draw(members: Members, operations: list[Operation]) -> None:
        drawn.append((members, operations))

    draw()
    for members, operations in drawn[1:]:  # the first is the simplest one
        if chance.random() < _WITHOUT_EXITS:
            _take_exits_away(members)
        estate = Estate(members)
        for operation in operations:
            estate.perform(*operation)
        exits = any("CLWLEXIT" in options["choice"] for options in estate.members.values())
        facts = [
            Act(each.at, each.event)
            for each in estate.sandbox.draft.events
            if isinstance(each.event, events.PrimaryFact)
        ]
        yield facts, exits


def _take_exits_away(members: Members) -> None:
    """Leave all choices to MQ: an exit is not asked again after a late fact."""
    for options in members[:-1]:
        if "CLWLEXIT" in options["choice"]:
            options["choice"] = ""


@contextmanager
def opened(url: str) -> Iterator[Twin]:
    """Open a twin whose clock advances a second with every reading."""
    ticks = itertools.count(LATER, SECOND)
    with Twin.open(url, synchronous="NORMAL", clock=lambda: next(ticks), exits=EXITS) as twin:
        yield twin


def perform(twin: Twin, history: Sequence[Act]) -> dict[int, Act]:
    """Record facts, without those that MQ refuses; return them by their positions."""
    recorded = {}
    for act in history:
        before = twin.log.last().position
        with suppress(TwinError):
            if isinstance(act.event, events.Observation):
                twin.record_observations([_fact(act)], at=act.at)
            else:
                twin.record([_fact(act)], at=act.at)
        columns = columns_of(type(act.event))
        own = (each for each in twin.log.events(after=before, types=columns) if not each.cause)
        if (stored := next(own, None)) is not None:
            recorded[stored.position] = act
    return recorded


def _fact(act: Act) -> Fact:
    seen = isinstance(act.event, events.Observation)
    return Fact(act.event, "observation:soak" if seen else "command")


def looks(instants: Sequence[Instant], known: Instant, *, located: bool) -> Look:
    """Return what asks all questions of some instants, as known at an instant."""

    def look(twin: Twin) -> Answers:
        found: Answers = {}
        for instant in instants:
            for name in NAMELESS:
                found[name, instant] = _answer(twin, name, instant, known, located=located)
            for name in NAMED if located else ():
                session = twin.runmqsc(name, SHOWN, as_of=instant, known_at=known)
                found[f"DISPLAY at {name}", instant] = session.lines[1:]
        return found

    return look


def _answer(twin: Twin, name: str, instant: Instant, known: Instant, *, located: bool) -> Any:
    try:
        return rows_of(twin, name, {"as_of": instant, "known_at": known}, located=located)
    except TwinError as error:
        return str(error)


class Comparing:
    """Compares answers, counts them, and says what differs."""

    def __init__(self, bench: Bench) -> None:
        """Count on this bench."""
        self._tally = bench.tally

    def same(self, what: str, one: Answers, other: Answers) -> None:
        """Demand that all answers agree."""
        for key, answer in one.items():
            if answer != other[key]:
                question, instant = key
                shown = "\n".join(map(str, _first_difference(answer, other[key])))
                expect(False, f"{what}: {question} of {format_instant(instant)}:\n{shown}")  # noqa: FBT003
        self._tally.add("answers", what, count=len(one))


def _first_difference(one: Any, other: Any) -> tuple[Any, Any]:
    """Return the first rows that differ, or the whole answers if these are no rows."""
    if isinstance(one, list) and isinstance(other, list):
        pairs = itertools.zip_longest(one, other)
        return next(pair for pair in pairs if pair[0] != pair[1])
    return one, other


def by_estates(bench: Bench) -> None:
    """Compare the answers about a few random estates."""
    for number, (history, exits) in enumerate(
        histories(bench.chance, ceil(ESTATES_IN_A_TRIAL * bench.share))
    ):
        if time.monotonic() > bench.deadline and number:
            return
        folder = bench.folder / f"estate{number}"
        folder.mkdir()
        (folder / "history").write_text("\n".join(map(repr, history)))
        _compare(bench, folder, history, exits=exits)
        shutil.rmtree(folder)


def _compare(bench: Bench, folder: Path, history: list[Act], *, exits: bool) -> None:
    compare, chance = Comparing(bench), bench.chance
    end = history[-1].at
    first = history[0].at
    halfway = (first + end) // 2
    instants = (halfway, end, end + 30 * DAY)
    url = f"sqlite:///{folder}/plain.db"
    look = looks(instants, LATER * 2, located=True)
    cut = len(history) // 2
    with opened(url) as twin:
        perform(twin, history[:cut])
        known = twin.as_of().known
        early = looks((first + DAY // 2, halfway), known, located=True)
        before = early(twin)
        perform(twin, history[cut:])
        compare.same("before and after later events", before, early(twin))
        plain = look(twin)
        twin.log.verify()
    _snapshots(compare, folder, look, plain, chance)
    if POSTGRESQL in bench.prepared.databases:
        base = bench.prepared.url("nothing", POSTGRESQL)
        with bench.copied(base) as elsewhere, opened(elsewhere) as twin:
            perform(twin, history)
            compare.same(f"{SQLITE} and {POSTGRESQL}", plain, look(twin))
            twin.log.verify()
    _played(compare, folder, end, chance)
    if not exits:
        spread = _apart(history)
        later = (halfway, spread[-1].at, spread[-1].at + 30 * DAY)
        _late(compare, folder, spread, later, chance)
        _retracted(compare, folder, spread, later, chance)


def _apart(history: list[Act]) -> list[Act]:
    """Give each fact an instant of its own.

    What is derived again from a command comes after a restore of the same instant, even if it came
    before it when it was derived first.
    """
    return [Act(act.at + number, act.event) for number, act in enumerate(history)]


def _snapshots(
    compare: Comparing, folder: Path, look: Look, plain: Answers, chance: random.Random
) -> None:
    """Compare with snapshots at random distances, and without any."""
    shutil.copyfile(folder / "plain.db", folder / "snapshots.db")
    url = f"sqlite:///{folder}/snapshots.db"
    with opened(url) as twin:
        twin.snapshot(every=chance.randrange(1, 300))
        compare.same("with snapshots and without", plain, look(twin))
    with closing(Log.open(url)) as log:
        log.drop_snapshots()
    with opened(url) as twin:
        compare.same("with snapshots and without", plain, look(twin))


def _played(compare: Comparing, folder: Path, end: Instant, chance: random.Random) -> None:
    """Compare estates that were played ahead and kept with those that are played every time."""
    url = f"sqlite:///{folder}/plain.db"
    later = sorted(end + chance.randrange(1, 60) * DAY for _ in range(3))
    look = looks(later, LATER * 2, located=True)
    with opened(url) as twin:
        twin.views.played_ahead.trusts = False
        plain = look(twin)
    kept_from = played_ahead.KEPT_FROM
    vars(played_ahead)["KEPT_FROM"] = 1
    try:
        for _ in range(2):
            with opened(url) as twin:
                compare.same("played ahead and kept, and not", plain, look(twin))
    finally:
        vars(played_ahead)["KEPT_FROM"] = kept_from


def _retracted(
    compare: Comparing,
    folder: Path,
    history: list[Act],
    instants: Sequence[Instant],
    chance: random.Random,
) -> None:
    """Compare facts that were retracted with facts that were never recorded, and undo it."""
    look = looks(instants, LATER * 2, located=False)
    with opened(f"sqlite:///{folder}/retracted.db") as twin:
        recorded = perform(twin, history)
        before = look(twin)
        chosen = chance.sample(sorted(recorded), chance.randint(1, 3))
        done = twin.retract(chosen)
        retracted = look(twin)
        twin.log.verify()
        twin.undo_retraction(done.position)
        compare.same("retracted and undone", before, look(twin))
        twin.log.verify()
    others = [act for position, act in recorded.items() if position not in chosen]
    with opened(f"sqlite:///{folder}/never.db") as twin:
        perform(twin, others)
        compare.same("retracted and never recorded", retracted, look(twin))


def _late(
    compare: Comparing,
    folder: Path,
    history: list[Act],
    instants: Sequence[Instant],
    chance: random.Random,
) -> None:
    """Compare observations that come late with the same ones that come on time.

    A command that was refused when it was entered, and would not have been had the observations
    been known, is not a fact: on time it is left out.
    """
    first, last = history[0].at, history[-1].at
    late = [_observation(chance, first, last) for _ in range(chance.randint(1, 3))]
    look = looks(instants, LATER * 2, located=False)
    with opened(f"sqlite:///{folder}/late.db") as twin:
        recorded = perform(twin, [*history, *late])
        found = look(twin)
        twin.log.verify()
    with opened(f"sqlite:///{folder}/on time.db") as twin:
        perform(twin, sorted(recorded.values(), key=lambda act: act.at))
        compare.same("late and on time", found, look(twin))
        twin.log.verify()


def _observation(chance: random.Random, first: Instant, last: Instant) -> Act:
    instant = first + chance.randrange(HOUR, max(2 * HOUR, last - first))
    event = events.ObjectObserved(
        qmgr=chance.choice(("GW1", "GW2", "QM1", "QM2", "FR1")),
        kind="QUEUE",
        name=chance.choice((*QUEUES, "SEEN")),
        type="QLOCAL",
        values={"CLUSTER": chance.choice(("CA", "CB", "")), "DESCR": chance.choice("ab")},
    )
    expect(instant <= LATER, "the history ends too late")
    return Act(instant, event)
