"""Reviews as whole processes: plan and doctor beside `ask members`, advancing, and resilience.

1,000 queue managers for plan and doctor, 100 for resilience. The peer is a plain question in the
same run: what a review may cost beside it is the target. Processor time counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks import explain_cluster
from benchmarks.table import Result, interleaved

_MEMBERS: Final = ("ask", "members")
_LATER: Final = ("ask", "members", "--as-of", "+91d")
_ROUNDS: Final = 3
_SMALL: Final = 100
_CHANGED: Final = "QM0950"
_SCRIPT: Final = f"ALTER QLOCAL({explain_cluster.SHARED}) PUT(DISABLED)\n"
_WITHIN: Final = 60_000
"""The most that the losses of 100 queue managers may take, in milliseconds."""

_ENVIRONMENT: Final = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
"""Modules are compiled once, as for every user, and not by every process."""

_BESIDE: Final = (
    ("plan of a script", ("plan", f"{_CHANGED}=change.mqsc"), _MEMBERS, 10.0),
    ("plan --suspend", ("plan", "--suspend", _CHANGED), _MEMBERS, 10.0),
    ("plan --stop of a full repository", ("plan", "--stop", "QM0000"), _MEMBERS, 10.0),
    (
        "plan --advance 91d",
        ("plan", f"{_CHANGED}=change.mqsc", "--advance", "91d"),
        _LATER,
        2.5,
    ),
    ("plan --stop --advance 91d", ("plan", "--stop", _CHANGED, "--advance", "91d"), _LATER, 2.5),
    (
        "plan --stop --advance 91d --between",
        ("plan", "--stop", _CHANGED, "--advance", "91d", "--between"),
        _LATER,
        None,
    ),
    ("doctor", ("doctor",), _MEMBERS, 30.0),
)
"""Work, its command, the peer's command, and how many times the peer's time it may take.

Comparing in between, which is asked for in a large estate, has no limit.
"""


def measure(rounds: int) -> list[Result]:
    """Measure reviews beside plain questions on the same log."""
    del rounds
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as name:
        folder = Path(name)
        (folder / "change.mqsc").write_text(_SCRIPT, encoding="utf-8")
        explain_cluster.set_up(f"sqlite:///{folder / 'large.db'}")
        explain_cluster.set_up(f"sqlite:///{folder / 'small.db'}", qmgrs=_SMALL)
        results = [_beside(folder, *row) for row in _BESIDE]
        lost = _processor_ms(folder, "small.db", ("ask", "resilience"))
        return [
            *results,
            Result(
                work=f"resilience, {_SMALL} queue managers, 30 days each",
                unit="ms",
                ours=lost,
                target=_WITHIN,
            ),
        ]


def _beside(
    folder: Path, work: str, ours: tuple[str, ...], peer: tuple[str, ...], limit: float | None
) -> Result:
    mine, other = interleaved(
        _ROUNDS,
        lambda: _processor_ms(folder, "large.db", ours),
        lambda: _processor_ms(folder, "large.db", peer),
    )
    return Result(
        work=f"{work}, {explain_cluster.QMGRS:,} queue managers",
        unit="ms",
        ours=mine,
        peer=other,
        target=1 / limit if limit is not None else None,
        name=" ".join(peer),
    )


def _processor_ms(folder: Path, log: str, words: tuple[str, ...]) -> float:
    """Run a command and return the processor time that it took, in milliseconds."""
    command = [sys.executable, "-m", "twin", "--log", f"sqlite:///{folder / log}", *words]
    before = os.times()
    done = subprocess.run(
        command, check=False, stdout=subprocess.DEVNULL, cwd=folder, env=_ENVIRONMENT
    )
    assert done.returncode in (0, 10), done
    after = os.times()
    return 1000 * (
        after.children_user - before.children_user + after.children_system - before.children_system
    )
