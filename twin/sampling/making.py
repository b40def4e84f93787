"""Making: two cells are simulated side by side, and all cells are written into one log."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from math import isfinite
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from twin.log import Log, NoSuchLog
from twin.model.instants import DAY, MINUTE, Instant, parse_instant
from twin.sampling.blocks import Cut
from twin.sampling.cell import Cell, sizes
from twin.sampling.copying import Copy
from twin.sampling.cutting import cut
from twin.sampling.errors import LogExists, TooLong, TooShort
from twin.sampling.plan import Plan, planned
from twin.sampling.planted import Plant, Planted, in_order, planted_beside
from twin.sampling.simulating import simulate
from twin.sampling.snapshots import Snapshots
from twin.sampling.writing import Writer

UNTIL: Final = parse_instant("2026-01-01T00:00:00Z", now=0)
"""When a sample ends unless it is told otherwise: the same arguments make the same events."""

PER_QMGR_AND_YEAR: Final = 28_000
"""About how many events a queue manager makes in a year."""

LEAST_DAYS: Final = 28
MOST_YEARS: Final = 100
"""What a sample covers at least and at most."""

_YEAR: Final = 365
_WEEK: Final = 7 * DAY


class Progress(NamedTuple):
    """How far a sample is: what is done, how many days of it are, and of how many."""

    step: str
    done: int
    of: int


Told: TypeAlias = Callable[[Progress], None]


class _Job(NamedTuple):
    """A cell to be simulated: everything that another process must know of it."""

    folder: Path
    size: int
    since: Instant
    until: Instant
    a_day: float
    seed: int
    first: bool

    def plan(self) -> Plan:
        """Plan the cell."""
        return planned(Cell(self.size), self.since, self.until, seed=self.seed, first=self.first)


def make(
    url: str,
    *,
    qmgrs: int,
    years: float,
    seed: int,
    events: int | None = None,
    until: Instant = UNTIL,
    progress: Told | None = None,
) -> Planted:
    """Write a sample into a new log, and what was planted into a file beside it.

    The same arguments make the same events, ids and recording instants included.

    Args:
        url: where the log is to be, as an SQLAlchemy URL.
        qmgrs: how many queue managers there are to be, 6 at least.
        years: how many years of 365 days, 28 days at least; from 140 days on a queue manager is
            lost in them for 100.
        seed: what randomness begins with.
        events: about how many events there are to be; 28,000 for each queue manager and year where
            it is not said. Fewer mean less traffic; what is planted stays.
        until: the instant by which it ends, whose day is left out.
        progress: called now and then.

    Raises:
        LogExists: where there is a log already.
        BadSize, TooShort, TooLong: for a size that none can have.
        BadLogUrl, LogUnreachable, NotALog: when no log can be written there.
    """
    told = progress or _nobody
    if not isfinite(years) or years > MOST_YEARS:
        raise TooLong(years, most=MOST_YEARS)
    days = round(years * _YEAR)
    if days < LEAST_DAYS:
        raise TooShort(days, least=LEAST_DAYS)
    cells = sizes(qmgrs)
    until = until // DAY * DAY
    since = until - days * DAY
    shifts = [_shift(number, days) for number in range(len(cells))]
    wanted = qmgrs * years * PER_QMGR_AND_YEAR if events is None else events
    lived = sum(size * (until - since - shift) for size, shift in zip(cells, shifts, strict=True))
    with _new(url) as log, _room() as folder, _second(len(cells)) as second:
        jobs = [
            _Job(folder / f"{n}", size, since, until, wanted * size * DAY / lived, seed, not n)
            for n, size in enumerate(cells[:2])
        ]
        cuts = _simulated(jobs, second, told)
        copies = [Copy(cuts[min(n, 1)], n, shift) for n, shift in enumerate(shifts)]
        _write(log, copies, until, Snapshots(url, since, second), told)
        planted = Planted(
            qmgrs=qmgrs,
            years=years,
            seed=seed,
            clusters=len(cells),
            events=log.tail()[0],
            since=since,
            until=until,
            plants=in_order(_named(plant, copies[0]) for plant in jobs[0].plan().plants),
        )
        if (beside := planted_beside(url)) is not None:
            beside.write_text(planted.json(), encoding="utf-8")
    return planted


def _nobody(_: Progress) -> None:
    """Tell nobody."""


def _shift(number: int, days: int) -> int:
    """Say how much later a cell begins than the first: whole weeks, and some minutes."""
    weeks = max(1, days // 56)
    return number and number * 5 % weeks * _WEEK + (number * 37 % 89 + 3) * MINUTE


def _named(plant: Plant, copy: Copy) -> Plant:
    """Return what was planted in a simulated cell, with the names it has in the log."""
    where = {kind: copy.numbered(name) for kind, name in plant.where.items()}
    return Plant(plant.kind, where, plant.since, plant.until, plant.metrics, plant.says)


@contextmanager
def _new(url: str) -> Iterator[Log]:
    """Open a log that was not there; where writing it fails, its file goes again."""
    try:
        Log.open(url, mode="read").close()
    except NoSuchLog:
        pass
    else:
        raise LogExists(url)
    log = Log.open(url, synchronous="NORMAL")
    try:
        yield log
    except BaseException:
        log.close()
        beside = planted_beside(url)
        if beside is not None:
            file = beside.with_name(beside.name.removesuffix(".planted.json"))
            for each in (file, *(file.with_name(file.name + end) for end in ("-wal", "-shm"))):
                each.unlink(missing_ok=True)
        raise
    log.close()


@contextmanager
def _room() -> Iterator[Path]:
    """Make a folder for what is needed on the way."""
    with tempfile.TemporaryDirectory(prefix="twin-sample-") as name:
        yield Path(name)


@contextmanager
def _second(cells: int) -> Iterator[Executor | None]:
    """Make a second process, where there is enough to do for it."""
    if cells == 1:
        yield None
        return
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as second:
        try:
            yield second
        except BaseException:
            second.shutdown(wait=True, cancel_futures=True)
            raise


def _simulated(jobs: Sequence[_Job], second: Executor | None, told: Told) -> list[Cut]:
    """Simulate cells, the first here and the other in the second process."""
    if second is None:
        return [_simulate(jobs[0], told)]
    other: Future[Cut] = second.submit(_simulate, jobs[1], _nobody)
    return [_simulate(jobs[0], told), other.result()]


def _simulate(job: _Job, told: Told) -> Cut:
    plan = job.plan()
    file, folder = job.folder / "cell.db", job.folder / "blocks"
    folder.mkdir(parents=True)
    days = (job.until - job.since) // DAY
    simulate(
        plan,
        file,
        a_day=job.a_day,
        seed=job.seed,
        progress=lambda done: told(Progress("simulated", done, days)),
    )
    found = cut(plan, file, folder)
    file.unlink()
    return found


def _write(
    log: Log, copies: Sequence[Copy], until: Instant, snapshots: Snapshots, told: Told
) -> None:
    """Write all cells, and leave snapshots on the way."""
    since = copies[0].cut.since
    days = (until - since) // DAY

    def done(end: Instant) -> None:
        snapshots.reached(end)
        told(Progress("written", (end - since) // DAY, days))

    Writer(log, copies, until).write(done)
    snapshots.finish()
