"""Explanations among 1,000 queue managers and 10,000 queues: in one process, and in new processes.

The peer keeps nothing: it replays the whole estate from the log, without snapshots, before it
applies the rules. Each cold command is a new process. Its modules are already compiled, as after an
installation.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from benchmarks.explain_cluster import ASKER, INSTANCES, QMGRS, SHARED, STRANGER, set_up, strangers
from benchmarks.table import Result, interleaved, seconds
from twin.app.twin import Twin
from twin.questions.explain import explained
from twin.questions.explanation import ExplainRequest

WARM: Final = 200
AGAIN: Final = 20
REPLAYED: Final = 5
WARM_WITHIN: Final = 50
COLD_WITHIN: Final = 1_000

KEPT: Final = "twin.db"
BARE: Final = "bare.db"
"""The same log without snapshots."""


def measure(rounds: int) -> list[Result]:
    """Measure explanations in one process, and the command as a new process."""
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as name:
        folder = Path(name)
        set_up(_url(folder, KEPT))
        shutil.copy(folder / KEPT, folder / BARE)
        with Twin.open(_url(folder, BARE)) as twin:
            twin.log.drop_snapshots()
        return [*_warm(folder), *_cold(folder, rounds)]


def _warm(folder: Path) -> list[Result]:
    """Measure explanations of a known name, and of one that full repositories must be asked for."""
    with Twin.open(_url(folder, BARE), read_only=True) as twin:
        replayed = [1000 * seconds(lambda: _replay(twin)) for _ in range(REPLAYED)]
    with Twin.open(_url(folder, KEPT), read_only=True) as twin:
        known = _each(twin, [(ASKER, SHARED)] * (WARM + 1))
        others = strangers(WARM + 1, random.Random(7))
        asking = _each(twin, others)
        again = _each(twin, [(STRANGER, queue) for _, queue in others[: AGAIN + 1]])
    return [
        *_rows(f"explain, {QMGRS:,} queue managers, {INSTANCES} instances, warm", known, replayed),
        *_rows("the same by one that must ask, another each time", asking, None),
        *_rows("the same by one that must ask, for another queue each time", again, None),
    ]


def _each(twin: Twin, asked: Sequence[tuple[str, str]]) -> list[float]:
    """Time explanations in milliseconds, all but the first."""
    return [1000 * seconds(partial(_explain, twin, *pair)) for pair in asked][1:]


def _explain(twin: Twin, qmgr: str, queue: str) -> None:
    explanation, point = twin.explain(qmgr, ExplainRequest(queue=queue))
    assert explanation.answer(point).rows


def _replay(twin: Twin) -> None:
    """Explain after replaying the whole log."""
    point = twin.as_of()
    estate = twin.views.at(point)
    asked = ExplainRequest(queue=SHARED)
    found = explained(estate, estate.qmgr(ASKER), asked, at=point.valid, asks=False)
    assert len(found.answer(point).rows) == INSTANCES


def _rows(work: str, ours: list[float], peer: list[float] | None) -> list[Result]:
    name = "all replayed, all rules" if peer else ""
    return [
        Result(
            work=f"{work}, {part}",
            unit="ms",
            ours=quantiles(ours, n=100)[cut],
            peer=median(peer) if peer else None,
            target=WARM_WITHIN,
            absolute=True,
            name=name,
        )
        for part, cut in (("p50", 49), ("p95", 94))
    ]


def _cold(folder: Path, rounds: int) -> list[Result]:
    """Measure the command: its time, the same without snapshots, and its processor time."""
    busy: dict[str, list[float]] = defaultdict(list)
    (stranger,) = strangers(1, random.Random(8))

    def command(file: str, *asked: str) -> float:
        before = _processor()
        taken = seconds(lambda: _run(folder, file, *asked))
        busy[" ".join((file, *asked))].append(1000 * (_processor() - before))
        return 1000 * taken

    command(BARE, ASKER, SHARED)  # compiles the modules
    known, bare = interleaved(
        rounds, lambda: command(KEPT, ASKER, SHARED), lambda: command(BARE, ASKER, SHARED)
    )
    asking = median(command(KEPT, *stranger) for _ in range(rounds))
    work = f"`twin explain`, {QMGRS:,} queue managers, a new process"
    return [
        Result(
            work=work,
            unit="ms",
            ours=known,
            peer=bare,
            target=COLD_WITHIN,
            absolute=True,
            name="without snapshots",
        ),
        *(
            Result(work=f"{work}, {what}", unit="ms", ours=ours, target=COLD_WITHIN)
            for what, ours in (
                ("of the processor", median(busy[f"{KEPT} {ASKER} {SHARED}"])),
                ("must ask", asking),
                ("must ask, of the processor", median(busy[" ".join((KEPT, *stranger))])),
            )
        ),
    ]


def _run(folder: Path, file: str, *asked: str) -> None:
    command = [str(Path(sys.executable).with_name("twin")), "explain", *asked]
    places = {"TWIN_LOG": _url(folder, file), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment = {**os.environ, **places, "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def _processor() -> float:
    """Return the processor time of all commands so far, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _url(folder: Path, file: str) -> str:
    return f"sqlite:///{folder / file}"
