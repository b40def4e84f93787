"""How processes that write to one log at the same time share it, on SQLite and on PostgreSQL.

`python -m benchmarks.sharing CHECKOUT` measures the code of another checkout beside this one, in
turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import inf
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks.table import Result, table
from tests.postgres import NoPostgres, Server

ROOT: Final = Path(__file__).parents[1]
SCRIPT: Final = 6000
"""The commands of the long script."""
SINGLES: Final = 50
"""The single commands beside it."""
IMPORTS: Final = 5
"""The late imports beside it."""
EACH: Final = 1000
"""The commands of each of several writers."""
PATIENCE: Final = 60.0
"""The seconds after which a command is given up, and counts as refused."""

_WRITE: Final = """\
import sys, time
from twin import Twin
url, qmgr, count = sys.argv[1:]
with Twin.open(url) as twin:
    twin.runmqsc(qmgr, "DISPLAY QMGR")
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.monotonic()
    code = twin.runmqsc(
        qmgr, "".join(f"DEFINE QLOCAL(R{number}) REPLACE\\n" for number in range(int(count)))
    ).exit_code
    print(began, time.monotonic(), flush=True)
    sys.exit(code)
"""
_MAKE: Final = """\
import sys
from twin import Twin
with Twin.open(sys.argv[1]) as twin:
    names = [f"QM{number}" for number in range(1, 41)]
    for name in names:
        twin.crtmqm(name)
        twin.strmqm(name)
    for name in names:
        receiver = f"DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}') CLUSTER(CA)"
        other = "ALTER QMGR REPOS(CA)" if name == "QM1" else (
            "DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSSDR) CONNAME('QM1') CLUSTER(CA)")
        queues = [f"DEFINE QLOCAL({name}.{each}) CLUSTER(CA)" for each in range(50)]
        twin.runmqsc(name, "\\n".join([other, receiver, *queues]))
    for name in names[1:]:
        for other in names[1:]:
            twin.open_queue(name, f"{other}.0")
"""


class Shared(NamedTuple):
    """How several processes shared a log.

    Attributes:
        alone: seconds of a single command without others, at the 95th percentile.
        beside: the same beside a long script.
        refused: how many of those were refused.
        serving: how many single commands were refused beside two `twin serve` and a script.
        imported: how many late imports were refused beside a script.
        one: commands per second of one writer.
        four: commands per second of four writers together.
    """

    alone: float
    beside: float
    refused: int
    serving: int
    imported: int
    one: float
    four: float


class Programs:
    """The programs of one checkout, on one log."""

    def __init__(self, checkout: Path, url: str, folder: Path) -> None:
        """Make a cluster of 40 queue managers and 2,000 queues in the log."""
        packages = os.pathsep.join([str(checkout), str(checkout / "scheduler")])
        self._environment = {**os.environ, "PYTHONPATH": packages}
        self._url = url
        self._folder = folder
        # Elsewhere than here: a program prefers what is in its own folder to the other checkout.
        subprocess.run(
            [sys.executable, "-c", _MAKE, url], env=self._environment, cwd=folder, check=True
        )
        script = "".join(f"DEFINE QLOCAL(L{number}) REPLACE\n" for number in range(SCRIPT))
        (folder / "long.mqsc").write_text(script, encoding="utf-8")
        (folder / "late.mqsc").write_text("DEFINE QLOCAL(LATE) DESCR('late')\n", encoding="utf-8")

    def _run(self, words: list[str], given: bytes) -> tuple[int, float]:
        """Run a program; return its exit code, 1 after `PATIENCE` seconds, and its seconds."""
        began = time.perf_counter()
        try:
            code = subprocess.run(
                [sys.executable, *words],
                input=given,
                capture_output=True,
                env=self._environment,
                cwd=self._folder,
                check=False,
                timeout=PATIENCE,
            ).returncode
        except subprocess.TimeoutExpired:
            code = 1
        return code, time.perf_counter() - began

    def _twin(self, *words: str, given: bytes = b"") -> tuple[int, float]:
        return self._run(["-m", "twin", "--log", self._url, *words], given)

    def singles(self, count: int) -> list[tuple[int, float]]:
        """Run single commands at QM2, one after the other."""
        return [
            self._twin("runmqsc", "QM2", given=f"DEFINE QLOCAL(S{number}) REPLACE\n".encode())
            for number in range(count)
        ]

    def imports(self, count: int) -> list[tuple[int, float]]:
        """Import observations of a minute ago."""
        return [
            self._twin("import", f"--qmgr=OBS{number}", "--at=-1m", "late.mqsc")
            for number in range(count)
        ]

    @contextmanager
    def beside(self, *words: str) -> Iterator[None]:
        """Run a command in the background, again and again, until the block ends."""
        command = [sys.executable, "-m", "twin", "--log", self._url, *words]
        ended = False

        def repeat() -> None:
            while not ended:
                process = subprocess.Popen(
                    command,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=self._environment,
                    cwd=self._folder,
                )
                while process.poll() is None and not ended:
                    time.sleep(0.05)
                process.terminate()
                process.wait()

        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(repeat)
            time.sleep(2.0)
            try:
                yield
            finally:
                ended = True
                running.result()

    def rate(self, writers: int) -> float:
        """Return the commands per second of some writers, each at its queue manager."""
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", _WRITE, self._url, f"QM{number + 1}", str(EACH)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
                cwd=self._folder,
                text=True,
            )
            for number in range(writers)
        ]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        said = list(
            ThreadPoolExecutor(writers).map(lambda each: each.communicate("\n")[0], processes)
        )
        spans = [[float(word) for word in each.split()] for each in said if each]
        if not spans:  # all were refused
            return 0.0
        seconds = max(span[1] for span in spans) - min(span[0] for span in spans)
        return EACH * [process.returncode for process in processes].count(0) / seconds


def _shared(programs: Programs) -> Shared:
    one, four = programs.rate(1), programs.rate(4)
    alone = programs.singles(20)
    with programs.beside("runmqsc", "QM1", "long.mqsc"):
        beside = programs.singles(SINGLES)
        with programs.beside("serve"), programs.beside("serve"):
            serving = programs.singles(10)
        imported = programs.imports(IMPORTS)
    return Shared(
        alone=_p95(alone),
        beside=_p95(beside),
        refused=_refused(beside),
        serving=_refused(serving),
        imported=_refused(imported),
        one=one,
        four=four,
    )


def _p95(runs: list[tuple[int, float]]) -> float:
    return quantiles([seconds for _, seconds in runs], n=20)[-1]


def _refused(runs: list[tuple[int, float]]) -> int:
    return sum(1 for code, _ in runs if code)


def measure(rounds: int, checkout: Path | None = None) -> list[Result]:
    """Measure this code on both databases, and that of another checkout if one is given."""
    del rounds
    results: list[Result] = []
    with TemporaryDirectory() as folder:
        for kind, urls in _databases(Path(folder)):
            checkouts = [ROOT, *([checkout] if checkout else [])]
            figures = []
            for number, each in enumerate(checkouts):
                place = Path(folder, f"{kind}-{number}")
                place.mkdir()
                figures.append(_shared(Programs(each, urls[number], place)))
                print(f"{kind} {each.name}: {figures[-1]}", file=sys.stderr)
            results += _results(kind, figures[0], figures[1] if checkout else None)
    return results


@contextmanager
def _server() -> Iterator[Server | None]:
    try:
        server = Server(durable=True)
    except NoPostgres:
        yield None
        return
    try:
        yield server
    finally:
        server.close()


def _databases(folder: Path) -> Iterator[tuple[str, list[str]]]:
    yield "SQLite", [f"sqlite:///{folder / name}.db" for name in ("ours", "theirs")]
    with _server() as server:
        if server is not None:
            yield "PostgreSQL", [server.new_database() for _ in range(2)]


def _results(kind: str, ours: Shared, theirs: Shared | None) -> Iterator[Result]:
    def row(work: str, limit: float, mine: float, other: float | None) -> Result:
        return Result(
            work=f"{kind}: {work}",
            unit="x",
            ours=mine,
            peer=other,
            target=limit,
            absolute=True,
            name="the other checkout" if theirs else "",
        )

    old = theirs
    yield row(
        "commands beside a script, p95 to alone",
        10,
        ours.beside / ours.alone,
        old and old.beside / old.alone,
    )
    yield row(f"refused of {SINGLES} of them", 0, ours.refused, old and old.refused)
    yield row(f"refused of {IMPORTS} late imports", 0, ours.imported, old and old.imported)
    yield row("refused of 10 beside two serve too", 0, ours.serving, old and old.serving)
    yield row("one writer's rate to that of four", 2, _times(ours), old and _times(old))


def _times(shared: Shared) -> float:
    """Return how many times the rate of four writers that of one is."""
    return shared.one / shared.four if shared.four else inf


if __name__ == "__main__":
    print(table(measure(1, Path(sys.argv[1]).resolve() if sys.argv[1:] else None)))
