"""90 days in which channels retry without success while messages wait for them.

Failed retries are derived from the channel's state. The peer stores one event for each of them, and
does none of the other work of these days.
"""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.puts_cluster import OWNERS, QUEUE, READY, SENDER, cut_off, set_up
from benchmarks.table import Result, interleaved, seconds
from twin import events
from twin.app.twin import Twin
from twin.events.catalogue import column_of, encode
from twin.fold.estate import Estate
from twin.log import Log, NewEvent
from twin.model.instants import DAY, MINUTE
from twin.model.retries import Retries

ROUNDS: Final = 3
"""Each round takes half a minute, so there are fewer than usual."""

WAITING: Final = 1_000_000
END: Final = READY + 90 * DAY
NOW: Final = END + DAY
BASE: Final = "base.db"
BATCH: Final = 4096
WITHIN: Final = 5_000


def measure(rounds: int) -> list[Result]:
    """Measure 90 days of retries of 100 channels."""
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as name:
        folder = Path(name)
        _prepare(folder)
        ours, peer = interleaved(
            min(rounds, ROUNDS), lambda: _derived(folder), lambda: _stored(folder)
        )
    return [
        Result(
            work=f"90 days of retries, {len(OWNERS)} channels, {WAITING:,} messages",
            unit="ms",
            ours=ours,
            peer=peer,
            target=WITHIN,
            absolute=True,
            name="an event for each retry",
        )
    ]


def _prepare(folder: Path) -> None:
    """Let messages wait for channels to queue managers that cannot be reached."""
    with Twin.open(_url(folder, BASE), clock=lambda: NOW) as twin:
        set_up(twin)
        twin.put(SENDER, QUEUE, count=len(OWNERS), at=READY)  # so that all channels run
        cut_off(twin, READY + MINUTE)
        twin.put(SENDER, QUEUE, count=WAITING, at=READY + 2 * MINUTE)
        assert _waiting(twin.view(as_of=READY + 2 * MINUTE)[0]) == (len(OWNERS), WAITING)


def _derived(folder: Path) -> float:
    """Time the 90 days in milliseconds, including opening the log."""
    with Twin.open(_copy(folder, "ours.db"), clock=lambda: NOW) as twin:
        taken = seconds(lambda: twin.tick(END))
        assert _waiting(twin.view(as_of=END)[0]) == (len(OWNERS), WAITING)
        rows = twin.ask("channels", as_of=END, on=SENDER).rows
        tried = [row["attempts"] for row in rows if row["status"] == "RETRYING"]
        assert tried == [len(_instants())] * len(OWNERS), tried
    return 1000 * taken


def _stored(folder: Path) -> float:
    """Time storing an event for each failed retry in milliseconds."""
    with closing(Log.open(_copy(folder, "peer.db"))) as log:
        made = enumerate(_retries())

        def work() -> None:
            while batch := [_new(number, *each) for number, each in itertools.islice(made, BATCH)]:
                log.append(batch, recorded_at=NOW)

        before = log.last().position
        taken = seconds(work)
        print(f"  peer: {log.last().position - before:,} retries stored", file=sys.stderr)
    return 1000 * taken


def _retries() -> Iterator[tuple[int, events.Event]]:
    """Make an event for each failed retry, in the order of time."""
    for at in _instants():
        for name in OWNERS:
            channel = f"CA.{name}"
            yield (
                at,
                events.ChannelStatusChanged(
                    qmgr=SENDER, channel=channel, status="RETRYING", partner=name, reason="AMQ9202E"
                ),
            )


def _instants() -> list[int]:
    """List the instants of each channel's failed retries."""
    failed = READY + MINUTE
    return list(Retries().between(failed, failed, END))


def _new(number: int, at: int, made: events.Event) -> NewEvent:
    column = column_of(type(made))
    return NewEvent(at, column, made.qmgr, "tick-", "rules", f"{number:016x}", encode(made))


def _waiting(estate: Estate) -> tuple[int, int]:
    """Return the number of channels for which application messages wait, and of these messages."""
    messaging = estate.qmgr(SENDER).messaging
    parcels = [parcel for queue in messaging.waiting for parcel in messaging.on(queue)]
    return len({parcel.channel for parcel in parcels}), sum(parcel.count for parcel in parcels)


def _copy(folder: Path, name: str) -> str:
    for old in folder.glob(f"{name}*"):
        old.unlink()
    shutil.copy(folder / BASE, folder / name)
    return _url(folder, name)


def _url(folder: Path, name: str) -> str:
    return f"sqlite:///{folder / name}"
