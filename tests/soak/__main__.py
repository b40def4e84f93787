"""`python -m tests.soak`: kills, tampering and comparisons for some minutes, and their table."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.postgres import Server
from tests.soak import preparing
from tests.soak.bench import Prepared
from tests.soak.running import Soak, possible

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of this process is made in it
_ENOUGH: Final = 2**31
_DIFFERENT: Final = 10


def main(words: Sequence[str]) -> int:
    """Run a soak; return 10 if anything was lost or different."""
    asked = _parsed(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    folder = Path(tempfile.mkdtemp(prefix="twin-soak-", dir=asked.folder or _fast_folder()))
    tempfile.tempdir = str(folder)
    print(f"seed {asked.seed}, {asked.workers} at a time, in {folder}", flush=True)  # noqa: T201
    folder.chmod(0o755)
    server = preparing.start_server()
    if server is None:
        print("PostgreSQL is missing: its trials are left out", flush=True)  # noqa: T201
    try:
        prepared = _prepared(folder, asked.seed, server)
        soak = Soak(prepared, folder, asked.workers, names_of(prepared, asked), short=asked.short)
        if asked.trial is not None:
            soak.one(asked.trial)
        elif asked.short:
            soak.each_once()
        else:
            soak.for_minutes(asked.minutes)
    finally:
        if server is not None:
            server.close()
    for line in soak.tally.table():
        print(line)  # noqa: T201
    if soak.tally.failures:
        print(f"{len(soak.tally.failures)} failures; their material is in {folder}")  # noqa: T201
        for failure in soak.tally.failures:
            print(failure[:5000])  # noqa: T201
        return _DIFFERENT
    print("nothing was lost, nothing was missed, nothing differed")  # noqa: T201
    shutil.rmtree(folder, ignore_errors=True)
    return 0


def names_of(prepared: Prepared, asked: argparse.Namespace) -> list[str]:
    """Return the names of the trials that are asked for and possible."""
    without = asked.without.split(",") if asked.without else []
    names = [
        name
        for name in possible(prepared, spark=not asked.short)
        if asked.only in name and not any(each in name for each in without)
    ]
    if not asked.short or asked.only:
        return names
    alike = [name for name in names if name.startswith(("signal", "server", "disk"))]
    omitted = random.Random(asked.seed).sample(alike, len(alike) // 2)
    return [name for name in names if name not in omitted]


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long [10]")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(10**6)))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("--only", default="", help="only trials whose names have this in them")
    parser.add_argument("--without", default="", help="no trials whose names have one of these")
    parser.add_argument("--trial", type=int, help="run this trial of the seed again, with --only")
    parser.add_argument("--short", action="store_true", help="about a minute, without Spark")
    parser.add_argument("--folder", help="where to work [in memory, if there is room]")
    return parser.parse_args(words)


def _fast_folder() -> str | None:
    """Return a folder in memory: commits need not wait for a disk, and no kill needs one."""
    if not os.access(_MEMORY, os.W_OK) or shutil.disk_usage(_MEMORY).free < _ENOUGH:
        return None
    return str(_MEMORY)


def _prepared(folder: Path, seed: str, server: Server | None) -> Prepared:
    """Prepare in a process of its own, so that this one never has a log open."""
    place = folder / "prepared"
    pid = os.fork()
    if not pid:
        code = 1
        try:
            preparing.prepare(place, seed, server)
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if status:
        sys.exit("the logs could not be prepared")
    if server is not None:
        preparing.copy_cluster(place, server)
    return Prepared.read(place)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
