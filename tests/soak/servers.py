"""A PostgreSQL server that is killed and started again, on the same files and port."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from tests import postgres
from tests.patience import PATIENCE, wait_until
from tests.soak.bench import POSTGRESQL, Bench, expect
from tests.soak.contents import contents, copy_of
from tests.soak.kills import QUIET, Interrupted, duration, moment

WAYS: Final = ("the server", "all its processes", "one connection", "immediate shutdown")


class MortalServer(postgres.Server):
    """A server on a copy of another one's files."""

    def __init__(self, cluster: Path) -> None:
        """Copy the files of a stopped server, and start."""
        self._binaries = postgres._binaries()
        self._as_user = postgres._unprivileged()
        self._settings = (*postgres._SETTINGS, *postgres._QUICK)
        self._folder = Path(tempfile.mkdtemp(prefix="twin-pg-"))
        self._names = itertools.count(1000)
        self._process = None
        subprocess.run(["cp", "-a", cluster / "data", self._folder / "data"], check=True)
        if self._as_user:
            os.chown(self._folder, self._as_user["user"], self._as_user["group"])
        self._start()

    def kill(self, way: str) -> None:
        """Kill the server, or a part of it, in one of the ways."""
        assert self._process is not None
        pid = self._process.pid
        backends = [each for each in _children(pid) if _is_connection(each)]
        match way:
            case "the server":
                self._process.kill()
                self._process.wait()
            case "all its processes":
                for each in (*_children(pid), pid):
                    _end(each)
                self._process.wait()
            case "one connection":
                for each in backends[:1]:
                    _end(each)
            case _:
                self._process.send_signal(signal.SIGQUIT)
                self._process.wait()

    def start_again(self) -> None:
        """Start the server again on its port, if it does not run, and wait until it answers."""
        assert self._process is not None
        while self._process.poll() is not None or not self._answers():
            self._process.wait(PATIENCE)
            _wait_for_the_end_of(self._folder)
            (self._folder / "data" / "postmaster.pid").unlink(missing_ok=True)
            self._start_on(self.port)

    def _start_on(self, port: int) -> None:
        settings = [*self._settings, f"port={port}", f"unix_socket_directories={self._folder}"]
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    self._binaries / "postgres",
                    *("-D", self._folder / "data"),
                    *(part for setting in settings for part in ("-c", setting)),
                ],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                **self._as_user,
            )


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def _is_connection(pid: int) -> bool:
    try:
        return b"127.0.0.1" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _wait_for_the_end_of(folder: Path) -> None:
    """Wait until no process works in a server's folder."""
    wait_until(lambda: not _works_in(folder), "all processes of the dead server end")


def _works_in(folder: Path) -> bool:
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink().is_relative_to(folder):
                return True
        except OSError:
            continue
    return False


def by_server(bench: Bench, name: str) -> None:
    """Kill the server under a command; what it acknowledged is there when the server is back."""
    assert bench.prepared.cluster is not None
    server = MortalServer(bench.prepared.cluster)
    try:
        elsewhere = bench.prepared.url(bench.prepared.victim(name).log, POSTGRESQL)
        there = elsewhere.rpartition("/")[2]
        ours = f"postgresql+psycopg://twin@127.0.0.1:{server.port}/{there}"
        url = copy_of(ours, bench.folder, "victim")
        _kill_under(bench, name, url, server)
    finally:
        server.close()
        shutil.rmtree(server._folder, ignore_errors=True)


def _kill_under(bench: Bench, name: str, url: str, server: MortalServer) -> None:
    trial = Interrupted(bench, name, url)
    for _ in range(bench.ends):
        step = trial.step()
        if step is None:
            break
        command = bench.command(url, step)
        wait = moment(bench.chance, duration(bench, name, whole=command.whole))
        way = bench.chance.choice(WAYS)
        child = command.start()
        wait(child)
        ran = child.running()
        server.kill(way)
        if trial.victim.waits:
            child.sleep(bench.chance.uniform(0, 1))
        else:
            child.sleep(0.3)
        server.start_again()
        if trial.victim.waits:
            child.sleep(bench.chance.uniform(0, 2) + QUIET)
            child.signal(signal.SIGTERM)
        ended = child.wait()
        expect(not ended.trouble, f"{way}: {ended.trouble}")
        lines = ended.err.count("\n")
        expect(ended.code in (0, 20, 130), f"{way}: exit code {ended.code}, {ended.err}")
        expect(ended.code in (0, 130) or lines >= 1, f"{way}: {lines} lines of {ended.err}")
        trial.check(ended)
        if ran:
            bench.tally.add("server", f"{way}, {name}")
        elif not trial.victim.waits and len(contents(url).events) == trial.number:
            continue
    trial.complete()
