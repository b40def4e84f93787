"""The demo: `python -m twin.demo [--part PART] [FOLDER]`, which `make demo` runs.

Part `cluster`: six queue managers of a public script join a cluster, one of them opens a queue, and
the queue changes. Queries as of two instants show what that queue manager believed before and after
the change. Part `year`: a sample of a year with twelve other queue managers is created and analysed
on Spark. Part `service`: says how to serve the first log. All parts run by default; only the second
one needs Spark. The lines below a `$` are the real output of the command, limited to the rows that
matter.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import Final

from twin.app.clocks import system_clock
from twin.cli import main as twin
from twin.cli.output import BAD_INPUT, DONE, complain, demand_output, emit
from twin.cli.table import bold, cyan
from twin.errors import TwinError
from twin.model.instants import DAY, HOUR, Instant, format_instant

FOLDER: Final = Path("build/demo")
LOG: Final = "demo.db"
USERS: Final = "users.json"
SAMPLE: Final = "year.db"
SAMPLE_ENDS: Final = "2026-01-01"
EVENTS: Final = 60_000
SCRIPTS: Final = Path(__file__).parent / "data" / "six-queue-managers"
QUEUE_MANAGERS: Final = ("FR1", "FR2", "PR1", "PR2", "PR3", "PR4")
QUEUE: Final = "CLUS.WL.TEST"
_DAYS_AGO: Final = 5
_FILES: Final = ("", "-wal", "-shm")
"""The endings of the files of a SQLite database."""


class Failed(TwinError, message="the demo stopped: {} ended with exit code {}"):
    """A command of the demo failed."""


class Walk:
    """Runs commands on one log, and prints them with their output."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def say(self, text: str) -> None:
        """Print a sentence about the next commands."""
        emit([bold(text)])

    def show(self, *words: str, mqsc: str = "", keep: str = "", expect: int = 0) -> None:
        """Run a command; print it, and the lines of its output that match `keep`."""
        typed = shlex.join(["twin", *words])
        emit([cyan(f"$ echo {shlex.quote(mqsc)} | {typed}" if mqsc else f"$ {typed}")])
        lines = self.run(*words, mqsc=mqsc, expect=expect)
        emit(f"  {line.rstrip()}" for line in lines if re.search(keep, line))

    def run(self, *words: str, mqsc: str = "", expect: int = 0) -> list[str]:
        """Run a command and return the lines of its output."""
        answer = io.StringIO()
        with redirect_stdout(answer), _typed(mqsc):
            code = twin(["--log", str(self._log), *words])
        if code != expect:
            raise Failed(shlex.join(["twin", *words]), code)
        return answer.getvalue().splitlines()


@contextmanager
def _typed(text: str) -> Iterator[None]:
    """Use a text as standard input."""
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        yield
    finally:
        sys.stdin = before


def walk(log: Path, *, now: Instant) -> None:
    """Show a cluster on a new log; everything happens some days before `now`."""
    day = now // DAY * DAY - _DAYS_AGO * DAY
    nine, half_past, ten, eleven, noon = (
        format_instant(day + hour * HOUR // 2) for hour in (18, 19, 20, 22, 24)
    )
    demo = Walk(log)
    demo.say("Two full repositories and four members join cluster CLUSTEST:")
    _join(demo, at=nine)
    demo.show("ask", "members", "--as-of", half_past, keep="^cluster|^CLUSTEST")

    demo.say(f"PR1 does not know {QUEUE} until an application there opens it:")
    display = f"DISPLAY QCLUSTER({QUEUE}) CLUSQMGR PUT"
    demo.show("runmqsc", "PR1", "--as-of", half_past, mqsc=display, keep="^AMQ", expect=10)
    demo.show("open", "PR1", QUEUE, "--at", ten, keep="instances")

    demo.say("An administrator disables put at PR3. PR1 learns of it from a full repository:")
    alter = f"ALTER QLOCAL({QUEUE}) PUT(DISABLED)"
    demo.show("runmqsc", "PR3", "--at", eleven, mqsc=alter, keep="^AMQ")
    demo.show("ask", "changes", "--since", ten, "--as-of", noon, "--on", "PR1", keep="^at|PR1")

    demo.say("What PR1 believed before and after the change:")
    for instant in (ten, noon):
        demo.show("runmqsc", "PR1", "--as-of", instant, mqsc=display, keep="^ +CLUSQMGR")

    demo.say("Any change to the recorded events would be detected:")
    demo.show("log", "verify", keep="verified")


def analyse(log: Path) -> None:
    """Create a sample of a year, and the report on it."""
    demo = Walk(log)
    demo.say("A year of twelve queue managers with outages, analysed on Spark:")
    demo.show("history", "sample", "--qmgrs", "12", "--events", str(EVENTS), keep="events of")
    demo.show("history", "update")
    demo.show("history", "report", "--to", SAMPLE_ENDS, keep=": ")


def _join(demo: Walk, *, at: str) -> None:
    """Create, start and define the six queue managers; print a summary of the output."""
    names = " ".join(QUEUE_MANAGERS)
    emit([cyan(f"$ T={at}; for QM in {names}; do")])
    emit([cyan("> twin crtmqm $QM --at $T; twin strmqm $QM --at $T;")])
    emit([cyan("> twin runmqsc $QM $QM.mqsc --at $T; done")])
    answers = 0
    for name in QUEUE_MANAGERS:
        demo.run("crtmqm", name, "--at", at)
        demo.run("strmqm", name, "--at", at)
        lines = demo.run("runmqsc", name, str(SCRIPTS / f"{name}.mqsc"), "--at", at)
        answers += sum(line.startswith("AMQ") for line in lines)
    summary = f"{len(QUEUE_MANAGERS)} queue managers are running"
    emit([f"  {summary}, {answers} MQSC commands were processed"])


def clear(log: Path) -> None:
    """Create the folder of a log, and remove the log and the lake of an earlier demo."""
    log.parent.mkdir(parents=True, exist_ok=True)
    for suffix in _FILES:
        log.with_name(log.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(log.with_suffix(".lake"), ignore_errors=True)


def cluster(folder: Path) -> None:
    """Show the cluster of six queue managers on a new log."""
    clear(folder / LOG)
    walk(folder / LOG, now=system_clock())
    emit([f"Continue with: export TWIN_LOG={folder / LOG}; {_command()} ask beliefs --on PR1"])


def _command() -> str:
    """Return how the command is called here."""
    found = shutil.which("twin")
    return "twin" if found else os.path.relpath(Path(sys.executable).parent / "twin")


def year(folder: Path) -> None:
    """Show the analysis of a year on a new log."""
    clear(folder / SAMPLE)
    analyse(folder / SAMPLE)


def service(folder: Path) -> None:
    """Say how to serve the cluster to clients of REST, to Prometheus and to browsers."""
    paths = f"TWIN_LOG={folder / LOG} TWIN_USERS={folder / USERS}"
    command = _command()
    words = f"export {paths}; {command} user add admin --role admin && {command} serve"
    emit([f"Serve it on https://localhost:9444 with: {words}"])


PARTS: Final[Mapping[str, Callable[[Path], None]]] = MappingProxyType(
    {"cluster": cluster, "year": year, "service": service}
)
"""The parts of the demo, in order."""


def main(arguments: list[str]) -> int:
    """Run the demo or one part of it; its logs replace those of an earlier demo."""
    parser = argparse.ArgumentParser(
        prog="python -m twin.demo", description="Run the demo of twin."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="folder of the logs")
    parser.add_argument("--part", choices=PARTS, help="run this part only")
    options = parser.parse_args(arguments)
    try:
        demand_output()
        for name, show in PARTS.items():
            if options.part in (None, name):
                show(options.folder)
    except (TwinError, OSError) as error:
        complain(str(error))
        return BAD_INPUT
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
