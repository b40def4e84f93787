"""The service under load: 50 clients with one request a second each, and a writer beside them.

Of the requests, 70 % are DISPLAY commands by REST, 20 % questions, 9 % pages and 1 % scrapes. The
service runs in a process of its own, on the estate of the demo. The peer is the same DISPLAY alone,
one after another, with the writer beside it. Then one client asks a service of 1,000 queue
managers.

`python -m benchmarks.service` also prints the times of each kind of request, and how long the
threads of the service waited for a processor: if that is long, other programs kept the machine
busy, and the times say little.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import httpx

from benchmarks import explain_cluster
from benchmarks.table import Result, table
from tests.web.serving import CSRF, PASSWORD, make_users, served
from twin import demo

CLIENTS: Final = 50
SECONDS: Final = 60
ALONE: Final = 100
"""The calls that are made one after another."""

TIMES: Final = 10
"""How many times as long as alone a DISPLAY may take for 95 % of the calls under load."""

_WRITES_EACH_SECOND: Final = 2
_READY: Final = "ready "
_QMGRS: Final = ("FR1", "FR2", "PR1", "PR2", "PR3", "PR4")
_DISPLAYS: Final = (
    "DISPLAY CLUSQMGR(*) ALL",
    "DISPLAY QCLUSTER(*) ALL",
    "DISPLAY QLOCAL(*) CURDEPTH CLUSTER",
    "DISPLAY CHSTATUS(*)",
    "DISPLAY QMGR ALL",
)
_QUESTIONS: Final = ("members", "beliefs", "lifetimes", "channels", "transmission")
_PAGES: Final = (
    "/",
    "/map",
    "/qmgr?on=PR1",
    "/why?on=PR1&queue=CLUS.WL.TEST",
    "/waiting",
    "/log",
)
_PERIOD: Final = 1.0

_WRITE: Final = """\
import sys, time
from twin import Twin
url, each_second = sys.argv[1], float(sys.argv[2])
with Twin.open(url) as twin:
    number = 0
    while True:
        twin.put("PR1", "CLUS.WL.TEST", count=3)
        twin.runmqsc("PR1", f"DEFINE QLOCAL(LOAD) REPLACE DESCR('{number}')")
        number += 1
        time.sleep(2 / each_second)
"""


class Call(NamedTuple):
    """A request: its kind, its path, and the MQSC command in its body; '' for a GET."""

    kind: str
    path: str
    mqsc: str = ""


@dataclass(slots=True)
class Timings:
    """The milliseconds of answered requests by kind, and how many failed with what."""

    of: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: Counter[str] = field(default_factory=Counter)

    def p95(self, kind: str) -> float:
        """Return the time that 95 % of the requests of a kind do not exceed."""
        return quantiles(self.of[kind], n=20)[-1]


def _display(random: Random) -> Call:
    path = f"/ibmmq/rest/v3/admin/action/qmgr/{random.choice(_QMGRS)}/mqsc"
    return Call("display", path, random.choice(_DISPLAYS))


def _ask(random: Random) -> Call:
    return Call("ask", f"/twin/v1/ask/{random.choice(_QUESTIONS)}")


def _page(random: Random) -> Call:
    return Call("page", random.choice(_PAGES))


def _scrape(random: Random) -> Call:
    del random
    return Call("scrape", "/metrics")


_MIX: Final[Mapping[Callable[[Random], Call], int]] = {
    _display: 70,
    _ask: 20,
    _page: 9,
    _scrape: 1,
}


def measure(rounds: int) -> list[Result]:
    """Measure the service under load beside the same call alone, and on a large estate."""
    del rounds
    with TemporaryDirectory(prefix="twin-bench-") as name:
        folder = Path(name)
        users = make_users(folder / "users.json")
        return [*_under_load(folder, users), *_large(folder, users)]


def _under_load(folder: Path, users: Path) -> list[Result]:
    with redirect_stdout(StringIO()):
        demo.cluster(folder)
    log = folder / demo.LOG
    with _service(log, users) as (url, process), _writer(log):
        alone = _alone(url)
        before = _Used.by(process)
        loaded = asyncio.run(_load(url))
        used = _Used.by(process).since(before)
    _print(loaded, used)
    _demand_no_error(loaded)
    return [
        Result(
            work=f"processor time of the service for a request of {CLIENTS} clients",
            unit="ms",
            ours=used.processor * 1000 / (CLIENTS * SECONDS),
            target=None,
        ),
        Result(
            work=f"DISPLAY by REST beside {CLIENTS} clients, p95",
            unit="ms",
            ours=loaded.p95("display"),
            peer=median(alone),
            target=1 / TIMES,
            name="alone",
        ),
        *(
            Result(
                work=f"{kind} beside {CLIENTS} clients, p95",
                unit="ms",
                ours=loaded.p95(kind),
                target=None,
            )
            for kind in ("ask", "page", "scrape")
        ),
    ]


def _demand_no_error(timings: Timings) -> None:
    assert not timings.failed, timings.failed
    expected = CLIENTS * SECONDS
    answered = sum(map(len, timings.of.values()))
    assert answered == expected, f"{answered} of {expected} requests were answered"


def _large(folder: Path, users: Path) -> list[Result]:
    log = folder / "large.db"
    explain_cluster.set_up(f"sqlite:///{log}")
    calls = {
        "DISPLAY CLUSQMGR of one by REST": Call(
            "display",
            "/ibmmq/rest/v3/admin/action/qmgr/QM0500/mqsc",
            "DISPLAY CLUSQMGR(QM0000) ALL",
        ),
        "ask members": Call("ask", "/twin/v1/ask/members"),
        "page of the estate": Call("page", "/"),
        "scrape that is kept": Call("scrape", "/metrics"),
    }
    results = []
    with _service(log, users) as (url, _), _client(url) as client:
        first = _timed(client, calls["scrape that is kept"])
        results.append(_of_large("first scrape", first))
        for work, call in calls.items():
            _timed(client, call)
            times = [_timed(client, call) for _ in range(5)]
            results.append(_of_large(work, median(times)))
    return results


def _of_large(work: str, milliseconds: float) -> Result:
    qmgrs = f"{explain_cluster.QMGRS:,} queue managers"
    return Result(work=f"{work}, {qmgrs}", unit="ms", ours=milliseconds, target=None)


class _Used(NamedTuple):
    """The seconds that a process computed, and that its threads waited for a processor."""

    processor: float
    waited: float

    @classmethod
    def by(cls, process: int) -> _Used:
        """Read what the threads of a process have used so far."""
        lines = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/schedstat")]
        used = [tuple(map(int, line.split()[:2])) for line in lines]
        return cls(*(sum(column) / 1e9 for column in zip(*used, strict=True)))

    def since(self, before: _Used) -> _Used:
        """Return what was used after another reading."""
        return _Used(self.processor - before.processor, self.waited - before.waited)


@contextmanager
def _service(log: Path, users: Path) -> Iterator[tuple[str, int]]:
    """Run the service in a process of its own; yield its URL and the id of the process."""
    command = [sys.executable, "-m", "benchmarks.service", "serve", str(log), str(users)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(_READY), line
        try:
            yield line.removeprefix(_READY).strip(), process.pid
        finally:
            process.stdin.close()


def _serve(log: Path, users: Path) -> None:
    """Serve a log until standard input ends."""
    with served(log, users) as service:
        print(f"{_READY}{service.url}", flush=True)
        sys.stdin.read()


@contextmanager
def _writer(log: Path) -> Iterator[None]:
    """Let another process put messages and define a queue, again and again."""
    command = [sys.executable, "-c", _WRITE, f"sqlite:///{log}", str(_WRITES_EACH_SECOND)]
    with subprocess.Popen(command) as process:
        try:
            yield
            assert process.poll() is None, "the writer ended"
        finally:
            process.kill()


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, auth=("reader", PASSWORD), headers=CSRF, timeout=60)


def _request(call: Call) -> dict[str, object]:
    if not call.mqsc:
        return {"method": "GET", "url": call.path}
    body = {"type": "runCommand", "parameters": {"command": call.mqsc}}
    return {"method": "POST", "url": call.path, "json": body}


def _timed(client: httpx.Client, call: Call) -> float:
    began = time.perf_counter()
    answer = client.request(**_request(call))  # type: ignore[arg-type]  # one of two forms
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - began) * 1000


def _alone(url: str) -> list[float]:
    """Return the milliseconds of DISPLAY commands, one after another."""
    random = Random(1)
    with _client(url) as client:
        for _ in range(len(_DISPLAYS) * len(_QMGRS)):
            _timed(client, _display(random))
        return [_timed(client, _display(random)) for _ in range(ALONE)]


async def _load(url: str) -> Timings:
    """Let all clients make their requests at the same time."""
    timings = Timings()
    limits = httpx.Limits(max_connections=CLIENTS, max_keepalive_connections=CLIENTS)
    async with httpx.AsyncClient(
        base_url=url, auth=("reader", PASSWORD), headers=CSRF, timeout=60, limits=limits
    ) as client:
        begin = time.perf_counter()
        await asyncio.gather(
            *(_one_client(client, number, begin, timings) for number in range(CLIENTS))
        )
    return timings


async def _one_client(
    client: httpx.AsyncClient, number: int, begin: float, timings: Timings
) -> None:
    """Make one request a second; one that is late does not delay the next one's second."""
    random = Random(number)
    for second in range(SECONDS):
        due = begin + second * _PERIOD + number * _PERIOD / CLIENTS
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        (make,) = random.choices(list(_MIX), weights=list(_MIX.values()))
        call = make(random)
        began = time.perf_counter()
        answer = await client.request(**_request(call))  # type: ignore[arg-type]  # as above
        took = (time.perf_counter() - began) * 1000
        if answer.status_code == 200:
            timings.of[call.kind].append(took)
        else:
            timings.failed[f"{call.kind} {answer.status_code} {answer.text[:100]}"] += 1


def _print(timings: Timings, used: _Used) -> None:
    print(
        f"the service computed for {used.processor:.1f} s of {SECONDS} s; its threads waited "
        f"{used.waited:.1f} s for a processor",
        file=sys.stderr,
    )
    for kind, times in sorted(timings.of.items()):
        p50, p95 = median(times), timings.p95(kind)
        print(f"{kind}: {len(times)} requests, p50 {p50:.1f} ms, p95 {p95:.1f} ms", file=sys.stderr)
    for failure, count in timings.failed.items():
        print(f"{count} times {failure}", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        _serve(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        print(table(measure(1)))
