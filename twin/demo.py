"""A cluster to look at: `python -m twin.demo [--part PART] [FOLDER]`, which `make demo` runs.

Part `cluster`: six queue managers of a public script join a cluster, one of them uses a queue, the
queue changes, and time travel shows what that queue manager believed before and after. Part `year`:
a year of twelve other queue managers is made, and analysed on Spark. Both parts run by default;
only the second needs Spark. The lines below a `$` are the real answer of the command, cut to the
rows that matter.
"""

from __future__ import annotations

import argparse
import io
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import Final

from twin.cli import main as twin
from twin.cli.output import complain, demand_output, emit
from twin.cli.table import bold, cyan
from twin.errors import TwinError
from twin.model.instants import DAY, HOUR, Instant, format_instant

FOLDER: Final = Path("build/demo")
LOG: Final = "demo.db"
SAMPLE: Final = "year.db"
EVENTS: Final = 60_000
SCRIPTS: Final = Path(__file__).parent / "data" / "six-queue-managers"
QUEUE_MANAGERS: Final = ("FR1", "FR2", "PR1", "PR2", "PR3", "PR4")
QUEUE: Final = "CLUS.WL.TEST"
_DAYS_AGO: Final = 5
_FILES: Final = ("", "-wal", "-shm")
"""What SQLite adds to a database's name."""


class Failed(TwinError):
    """A command of the demo did not do what it was to do."""

    def __init__(self, command: str, code: int) -> None:
        super().__init__(f"the demo stops: {command} ended with exit code {code}")


class Walk:
    """Runs commands on one log and shows them as they would be typed, with their answers."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def say(self, text: str) -> None:
        """Say what comes next."""
        emit([bold(text)])

    def show(self, *words: str, mqsc: str = "", keep: str = "", expect: int = 0) -> None:
        """Run a command and show it, with the lines of its answer that match `keep`."""
        typed = shlex.join(["twin", *words])
        emit([cyan(f"$ echo {shlex.quote(mqsc)} | {typed}" if mqsc else f"$ {typed}")])
        lines = self.run(*words, mqsc=mqsc, expect=expect)
        emit(f"  {line.rstrip()}" for line in lines if re.search(keep, line))

    def run(self, *words: str, mqsc: str = "", expect: int = 0) -> list[str]:
        """Run a command and return the lines of its answer."""
        answer = io.StringIO()
        with redirect_stdout(answer), _typed(mqsc):
            code = twin(["--log", str(self._log), *words])
        if code != expect:
            raise Failed(shlex.join(["twin", *words]), code)
        return answer.getvalue().splitlines()


@contextmanager
def _typed(text: str) -> Iterator[None]:
    """Let a text be what standard input holds."""
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        yield
    finally:
        sys.stdin = before


def walk(log: Path, *, now: Instant) -> None:
    """Walk through a cluster on a fresh log; everything happens some days before `now`."""
    day = now // DAY * DAY - _DAYS_AGO * DAY
    nine, half_past, ten, eleven, noon = (
        format_instant(day + hour * HOUR // 2) for hour in (18, 19, 20, 22, 24)
    )
    demo = Walk(log)
    demo.say("Two full repositories and four members join cluster CLUSTEST:")
    _join(demo, at=nine)
    demo.show("ask", "members", "--as-of", half_past, keep="^cluster|FR1_|PR1_|PR3_")

    demo.say(f"PR1 knows nothing of {QUEUE} before an application there opens it:")
    display = f"DISPLAY QCLUSTER({QUEUE}) CLUSQMGR PUT"
    demo.show("runmqsc", "PR1", "--as-of", half_past, mqsc=display, keep="^AMQ", expect=10)
    demo.show("open", "PR1", QUEUE, "--at", ten, keep="instances")

    demo.say("Then somebody takes PR3 out of it, and that reaches PR1 through a repository:")
    alter = f"ALTER QLOCAL({QUEUE}) PUT(DISABLED)"
    demo.show("runmqsc", "PR3", "--at", eleven, mqsc=alter, keep="^AMQ")
    demo.show("ask", "changes", "--since", ten, "--as-of", noon, "--on", "PR1", keep="^at|PR1")

    demo.say("What PR1 believed before, and after:")
    for instant in (ten, noon):
        demo.show("runmqsc", "PR1", "--as-of", instant, mqsc=display, keep="^ +CLUSQMGR")

    demo.say("Nothing in the log can be changed unnoticed:")
    demo.show("log", "verify", keep="verified")


def analyse(log: Path) -> None:
    """Make a sample of a year, and the report on it."""
    demo = Walk(log)
    demo.say("A year of twelve queue managers that live through outages, analysed on Spark:")
    demo.show("history", "sample", "--qmgrs", "12", "--events", str(EVENTS), keep="events of")
    demo.show("history", "update")
    demo.show("history", "report", keep=": ")


def _join(demo: Walk, *, at: str) -> None:
    """Create, start and define the six; the long answers are counted instead of shown."""
    names = " ".join(QUEUE_MANAGERS)
    emit([cyan(f"$ T={at}; for QM in {names}; do")])
    emit([cyan("> twin crtmqm $QM --at $T; twin strmqm $QM --at $T;")])
    emit([cyan("> twin runmqsc $QM $QM.mqsc --at $T; done")])
    read = 0
    for name in QUEUE_MANAGERS:
        demo.run("crtmqm", name, "--at", at)
        demo.run("strmqm", name, "--at", at)
        answer = demo.run("runmqsc", name, str(SCRIPTS / f"{name}.mqsc"), "--at", at)
        read += sum(line.startswith("AMQ") for line in answer)
    emit([f"  {len(QUEUE_MANAGERS)} queue managers run, {read} MQSC commands were answered"])


def clear(log: Path) -> None:
    """Make the folder of a log, and remove a log and a lake that an earlier demo left there."""
    log.parent.mkdir(parents=True, exist_ok=True)
    for suffix in _FILES:
        log.with_name(log.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(log.with_suffix(".lake"), ignore_errors=True)


def cluster(folder: Path) -> None:
    """Show the cluster of six queue managers, on a fresh log."""
    clear(folder / LOG)
    walk(folder / LOG, now=time.time_ns() // 1000)
    emit([f"Continue with: export TWIN_LOG={folder / LOG}; twin ask beliefs --on PR1"])


def year(folder: Path) -> None:
    """Show the analysis of a year, on a fresh log."""
    clear(folder / SAMPLE)
    analyse(folder / SAMPLE)


PARTS: Final[Mapping[str, Callable[[Path], None]]] = MappingProxyType(
    {"cluster": cluster, "year": year}
)
"""The parts of the demo, in their order."""


def main(arguments: list[str]) -> int:
    """Show the demo or one part of it; its logs replace those of an earlier demo."""
    parser = argparse.ArgumentParser(prog="python -m twin.demo", description="Show what twin does.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where the logs go")
    parser.add_argument("--part", choices=PARTS, help="show one part only")
    options = parser.parse_args(arguments)
    try:
        demand_output()
        for name, show in PARTS.items():
            if options.part in (None, name):
                show(options.folder)
    except (TwinError, OSError) as error:
        complain(str(error))
        return 20
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
