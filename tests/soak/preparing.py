"""Prepare what all trials copy: logs, references, and a PostgreSQL server with the same logs."""

from __future__ import annotations

import shutil
import subprocess
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import psycopg

from tests.editions.stored import put_back
from tests.postgres import NoPostgres, Server
from tests.soak.bench import SQLITE, Prepared
from tests.soak.children import Command
from tests.soak.contents import contents, copy_of, drop
from tests.soak.tampering import build_rich
from tests.soak.victims import build, now, reference_step, start_of, victims, write_files
from twin.model.instants import Instant


def _first_edition(url: str, start: Instant) -> None:
    """Put back a log that the first edition wrote."""
    del start
    put_back("branches", url)


_LOGS: Final = {
    "nothing": None,
    "cluster": build,
    "rich": build_rich,
    "first edition": _first_edition,
}


def start_server() -> Server | None:
    """Start a PostgreSQL server; None if there is none on this machine."""
    try:
        return Server()
    except (NoPostgres, OSError):
        return None


def prepare(folder: Path, seed: str, server: Server | None) -> None:
    """Build the logs, and run every victim once to its end.

    Only SQLite has references: PostgreSQL must record the same events.
    """
    folder.mkdir(parents=True, exist_ok=True)
    start = start_of(now())
    servers = {}
    for name, make in _LOGS.items():
        urls = [f"sqlite:///{folder / name}.db"]
        if server is not None:
            servers[name] = server.new_database()
            urls.append(servers[name])
        for url in urls:
            if make is not None:
                make(url, start)
    prepared = Prepared(folder, seed, start, servers)
    prepared.write()
    for name, victim in victims(seed, start).items():
        _refer(prepared, name, victim.log)


def _refer(prepared: Prepared, name: str, base: str) -> None:
    """Run a victim to its end, and note its events and the time that it took."""
    work = prepared.folder / "work"
    work.mkdir()
    write_files(work / "files", prepared.seed)
    step = reference_step(name, prepared.victim(name))
    url = copy_of(prepared.url(base, SQLITE), work, "unused")
    began = time.monotonic()
    words = ("--log", url, *step.words)
    ended = Command(words, work, typed=step.typed.encode()).run()
    assert ended.code == 0, (name, ended)
    (prepared.folder / f"{name}.seconds").write_text(str(time.monotonic() - began))
    contents(url).write(prepared.folder / f"{name}.reference")
    drop(url)
    shutil.rmtree(work)


def copy_cluster(folder: Path, server: Server) -> None:
    """Copy the files of an idle server after a checkpoint, for servers that are killed."""
    with closing(psycopg.connect(server._conninfo("postgres"), autocommit=True)) as connection:
        connection.execute("CHECKPOINT")
    target = folder / "cluster"
    target.mkdir()
    subprocess.run(["cp", "-a", server._folder / "data", target / "data"], check=True)
    (target / "data" / "postmaster.pid").unlink()
    replace(Prepared.read(folder), cluster=target).write()
