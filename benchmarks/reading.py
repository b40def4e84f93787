"""Read error logs and captures: `python -m benchmarks.reading [--records N] [--facts]`.

The peer reads the same bytes from a file and splits them into lines, and does nothing with them.
Each measurement runs in a process of its own, whose peak memory counts. With `--facts`, records of
error logs are also converted to facts with their identities, and answers to states.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC
from functools import partial
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final, NamedTuple, TypeAlias

from benchmarks.reading_logs import LAYOUTS, logged, statuses
from benchmarks.table import Result, table
from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.feeds.converting import error_logs
from twin.feeds.converting.display_answers import says_states, take_states
from twin.feeds.converting.measured_states import MeasuredStates
from twin.feeds.errorlog.json_lines import read_console, read_json
from twin.feeds.errorlog.text import read_text
from twin.feeds.observed import FeedSource
from twin.feeds.reading.local_time import DateOrder

RECORDS: Final = 50_000
TARGET: Final = 4.0
"""The most times that reading may take of what splitting into lines takes."""

CAPTURES: Final = "captures of DISPLAY CHSTATUS"
_BATCH: Final = 4096
_MIB: Final = 1024
_SOURCE: Final = FeedSource(qmgr="QM01", file="AMQERR01.LOG", zone=UTC, order=DateOrder.MDY)

Reader: TypeAlias = Callable[[Iterable[str]], Iterator[Any]]

READERS: Final[Mapping[str, Reader]] = {
    "text of 9.3": read_text,
    "text of 8.0": read_text,
    "one line": read_text,
    "JSON": read_json,
    "console": read_console,
    CAPTURES: read_captures,
}


class Figure(NamedTuple):
    """What reading took: processor seconds, and the peak memory in MiB."""

    seconds: float
    memory: float


def write(layout: str, records: int, path: Path) -> None:
    """Write a file with so many records; of captures, so many rows."""
    with path.open("w", encoding="utf-8") as file:
        if layout == CAPTURES:
            file.writelines(statuses(records))
            return
        lines = map(LAYOUTS[layout], logged(records))
        while batch := list(islice(lines, _BATCH)):
            file.write("".join(batch))


def _open(path: Path) -> TextIOWrapper:
    return path.open(encoding="utf-8", errors="replace", newline="")


def _drain(found: Iterable[object]) -> None:
    for _ in found:
        pass


def split(path: Path) -> None:
    """Split a file into lines."""
    with _open(path) as file:
        _drain(file)


def read_with(reader: Reader, path: Path) -> None:
    """Read a file and drop the records."""
    with _open(path) as file:
        _drain(reader(file))


def read_to_facts(reader: Reader, path: Path) -> None:
    """Read a file, convert its records to facts, and drop them."""
    with _open(path) as file:
        _drain(error_logs.converted(reader, file, _SOURCE))


def captures_to_facts(path: Path) -> None:
    """Read a file of captures, convert each answer to states, and drop them."""
    with _open(path) as file:
        for each in read_captures(file):
            if isinstance(each, Capture) and says_states(each):
                states = MeasuredStates(each.line)
                take_states(states, [each], qmgr=each.qmgr, zone=UTC)
                _drain(states.observations(each.qmgr))


def measured(work: Callable[[], None]) -> Figure:
    """Do some work in a fork of this process."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            started = process_time()
            work()
            os.write(writing, repr(process_time() - started).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    _, status, usage = os.wait4(pid, 0)
    with os.fdopen(reading) as result:
        assert os.waitstatus_to_exitcode(status) == 0
        return Figure(float(result.read()), usage.ru_maxrss / _MIB)


def compared(work: Callable[[], None], path: Path, rounds: int) -> tuple[Figure, Figure]:
    """Do some work and split the same file, in turns; return the medians and the largest memory."""
    pairs = [(measured(partial(split, path)), measured(work)) for _ in range(rounds)]
    peer, ours = (
        Figure(median(each.seconds for each in side), max(each.memory for each in side))
        for side in zip(*pairs, strict=True)
    )
    return ours, peer


def measure(rounds: int, records: int = RECORDS, *, facts: bool = False) -> list[Result]:
    """Measure every layout: how many times longer reading takes than splitting into lines."""
    results = []
    with TemporaryDirectory(prefix="twin-bench-") as folder:
        path = Path(folder) / "feed"
        for layout, reader in READERS.items():
            write(layout, records, path)
            works: dict[str, Callable[[], None]] = {
                f"read {layout}": partial(read_with, reader, path)
            }
            if facts:
                works[f"read {layout} into facts"] = (
                    partial(captures_to_facts, path)
                    if layout == CAPTURES
                    else partial(read_to_facts, reader, path)
                )
            for name, work in works.items():
                ours, peer = compared(work, path, rounds)
                results.append(
                    Result(
                        work=f"{name}, {records:,} records",
                        unit="x",
                        ours=ours.seconds / peer.seconds,
                        target=TARGET,
                    )
                )
                print(
                    f"  {name}: {records / ours.seconds / 1000:.0f} k/s, {ours.memory:.0f} MiB; "
                    f"lines: {records / peer.seconds / 1000:.0f} k/s, {peer.memory:.0f} MiB",
                    file=sys.stderr,
                )
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--facts", action="store_true")
    chosen = parser.parse_args()
    print(table(measure(chosen.rounds, chosen.records, facts=chosen.facts)))
