"""Disks that become full: a small file system in memory, or a limit of the size of files."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.soak.bench import Bench
from tests.soak.kills import Room, by_full_disk

_KIB = 1024
_LARGE = 200 * _KIB * _KIB


def by_disk(bench: Bench, name: str) -> None:
    """Let a command run into a full disk."""
    base = bench.prepared.folder / f"{bench.prepared.victim(name).log}.db"
    size = base.stat().st_size if base.exists() else 0
    room = size + bench.chance.randrange(4 * _KIB, 400 * _KIB)
    if bench.chance.random() < 0.5 and _may_mount():
        with _small_disk(bench.folder, room) as place:
            by_full_disk(bench, name, place, "small file system")
    else:
        limit = size + bench.chance.randrange(4 * _KIB, 250 * _KIB)
        by_full_disk(bench, name, Room(bench.folder, largest=limit), "limit of file sizes")


def _may_mount() -> bool:
    return os.geteuid() == 0 and shutil.which("mount") is not None


@contextmanager
def _small_disk(folder: Path, size: int) -> Iterator[Room]:
    """Mount a file system for the block; it is large until it is told to have the size."""
    disk = folder / "disk"
    disk.mkdir()

    def mount(*options: str) -> bool:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", disk],
            check=False,
            capture_output=True,
        )
        return done.returncode == 0

    mounted = mount(f"size={_LARGE}")

    def resize(to: int) -> None:
        if mounted:
            subprocess.run(["mount", "-o", f"remount,size={to}", disk], check=True)

    try:
        yield Room(disk, shrink=lambda: resize(size), grow=lambda: resize(_LARGE))
    finally:
        if mounted:
            subprocess.run(["umount", "-l", disk], check=True)
