"""How the error logs of a day come into an estate that has gone on since.

`python -m benchmarks.ingest [RECORDS]` prints the figures. The estate has
100 queue managers in one cluster, two of them full repositories, and 10 clustered queues each. Its
definitions were imported three days ago, and some again today, so every record of the logs, which
are of yesterday, is late. Each queue manager has a log of its own, written as text: channel
programs that start, fail and end, and other messages. Then the same logs are imported again, and
once more after each has grown by a tenth. Growth is that of the file of the twin's log.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks.table import Result
from twin import Twin
from twin.app.importing.feeds import FeedFile, FeedRead, feed_format
from twin.app.observing import FileText
from twin.model.instants import DAY, SECOND, Instant, format_instant, parse_instant

QMGRS: Final = 100
RECORDS: Final = 100_000
QUEUES: Final = 10
NOW: Final = parse_instant("2026-03-04T12:00:00Z", now=0)
DEFINED: Final = NOW - 3 * DAY
YESTERDAY: Final = NOW - DAY - 12 * 3600 * SECOND
MOST_EVENTS: Final = 1.2
"""Events that a record may append."""

_RECORD: Final = """\
{date} - Process({process}.{thread}) User(mqm) Program(amqrmppa)
                    Host({host}) Installation(Installation1)
                    VRMF(9.3.0.15) QMgr({qmgr})
                    Time({time})
                    CommentInsert1({channel})
                    CommentInsert2({host}(10.1.2.3))

{id}: {text}

EXPLANATION:
{text} The channel is '{channel}'; the host is '{host}'.
ACTION:
Look at the error logs of the remote host.
----- amqrmrsa.c : 961 --------------------------------------------------------
"""
_MESSAGES: Final = (
    ("AMQ9002I", "Channel program started."),
    ("AMQ9999E", "Channel to host ended abnormally."),
    ("AMQ9001I", "Channel ended normally."),
    ("AMQ9206E", "Error sending data to the remote host."),
    ("AMQ9208E", "Error on receive from the remote host."),
    ("AMQ9776E", "Channel was blocked by userid."),
    ("AMQ8077W", "Entity has insufficient authority to access an object."),
    ("AMQ9209E", "Connection to the remote host closed."),
)
_WEIGHTS: Final = (20, 3, 10, 15, 15, 12, 15, 10)


class Figures(NamedTuple):
    """What one import of all logs took and appended."""

    seconds: float
    recorded: int
    events: Counter[str]
    bytes: int


def definitions() -> list[FileText]:
    """Return a script for each queue manager."""
    files = []
    for number in range(QMGRS):
        name, full = _name(number), f"QM{(number + 1) % 2:03}"
        lines = ["ALTER QMGR REPOS(CA)"] if number < 2 else []
        lines.append(f"DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}') CLUSTER(CA)")
        lines.append(f"DEFINE CHANNEL(CA.{full}) CHLTYPE(CLUSSDR) CONNAME('{full}') CLUSTER(CA)")
        lines += [f"DEFINE QLOCAL(Q{number}.{queue}) CLUSTER(CA)" for queue in range(QUEUES)]
        files.append(FileText("\n".join(lines) + "\n", name, file=f"{name}.mqsc"))
    return files


def _name(number: int) -> str:
    return f"QM{number:03}"


def write_logs(folder: Path, records: int, share: float = 1.0) -> list[Path]:
    """Write a log for each queue manager; `share` of its records are there."""
    paths = []
    for number in range(QMGRS):
        chance = random.Random(number)
        name, each = _name(number), records // QMGRS
        channels = [f"CA.{_name((number + 1) % 2)}", f"CA.{_name(chance.randrange(QMGRS))}", "APP"]
        path = folder / f"{name}.LOG"
        with path.open("w", encoding="utf-8") as file:
            for place in range(int(each * share)):
                at = YESTERDAY + place * DAY // each + chance.randrange(SECOND) // 1000 * 1000
                id_, text = chance.choices(_MESSAGES, _WEIGHTS)[0]
                file.write(_record(name, at, id_, text, chance.choice(channels), chance))
        paths.append(path)
    return paths


def _record(
    name: str, at: Instant, id_: str, text: str, channel: str, chance: random.Random
) -> str:
    written = format_instant(at)
    return _RECORD.format(
        date=f"{written[5:7]}/{written[8:10]}/{written[:4]} {written[11:19]}",
        process=chance.randrange(9999),
        thread=chance.randrange(99),
        host=f"host-{name.lower()}",
        qmgr=name,
        time=f"{written[:19]}.{at % SECOND // 1000:03}Z",
        channel=channel,
        id=id_,
        text=text,
    )


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        yield from file


def bring_in(twin: Twin, paths: list[Path], log: Path) -> tuple[Figures, list[FeedRead]]:
    """Import logs, and count what that appends."""
    before, size = twin.log.last().position, _size(log)
    began = time.perf_counter()
    files = []
    for path in paths:
        form = feed_format(path.open(encoding="utf-8").read(1 << 16))
        assert form is not None
        files.append(FeedFile(path.name, partial(_lines, path), form, file=str(path)))
    read = twin.ingest_feeds(files)
    seconds = time.perf_counter() - began
    events = Counter(each.type.partition("@")[0] for each in twin.log.events(after=before))
    recorded = sum(each.recorded for each in read)
    return Figures(seconds, recorded, events, _size(log) - size), read


def _size(log: Path) -> int:
    return sum(path.stat().st_size for path in log.parent.glob(f"{log.name}*"))


def run(records: int = RECORDS) -> dict[str, Figures]:
    """Import the logs, then again, then when they have grown."""
    figures = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "twin.db"
        with Twin.open(f"sqlite:///{log}", clock=lambda: NOW) as twin:
            twin.ingest_files(definitions(), at=DEFINED, marked=True)
            twin.ingest_files(definitions()[:1], at=NOW, marked=True)
            twin.pass_time(NOW)
            paths = write_logs(folder, records)
            figures["first"], _ = bring_in(twin, paths, log)
            figures["again"], _ = bring_in(twin, paths, log)
            write_logs(folder, records, 1.1)
            figures["grown"], _ = bring_in(twin, paths, log)
            twin.log.verify()
    return figures


def measure(rounds: int) -> list[Result]:
    """Import the logs once, whatever the number of rounds."""
    del rounds
    first = run()["first"]
    return [
        Result(
            work="events that a record of a late log appends",
            unit="x",
            ours=first.events.total() / RECORDS,
            target=MOST_EVENTS,
        ),
        Result(
            work="records of a late log that are imported",
            unit="k/s",
            ours=RECORDS / first.seconds / 1000,
            target=None,
        ),
    ]


if __name__ == "__main__":
    records = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    for what, each in run(records).items():
        print(
            f"{what}: {each.seconds:.1f} s, {each.recorded} facts recorded, "
            f"{each.events.total()} events ({each.events.total() / records:.2f} a record), "
            f"{each.bytes / 1e6:.1f} MB, {each.bytes / QMGRS / 1e6:.2f} MB a queue manager",
        )
        print(f"  {dict(each.events.most_common())}")
