"""Four writers and a reader at once; some of them are killed."""

from __future__ import annotations

import json
import random
import signal
from typing import Final

from tests.app.scenes import picture
from tests.log.database import behind_the_back
from tests.soak.bench import Bench, expect
from tests.soak.children import Child
from tests.soak.contents import wait_until_alone
from tests.soak.victims import MEMBERS, Step, script
from twin.app.twin import Twin
from twin.fold.estate import Estate
from twin.fold.replay import replay

COMMANDS: Final = 60
_KILLED: Final = (0, 0, 1, 2, 4)

_ENTERED: Final = (
    "SELECT body FROM event WHERE type LIKE 'CommandEntered%' AND qmgr = '{}' ORDER BY position"
)


def by_writers(bench: Bench, database: str) -> None:
    """Let four processes write, and one read; kill some of the writers."""
    chance = bench.chance
    with bench.copy("cluster", database) as url:
        before = {name: _entered(url, name) for name in MEMBERS}
        scripts = {name: script(f"{bench.number}{name}", name, COMMANDS) for name in MEMBERS}
        writers = {
            name: bench.start(url, Step(("runmqsc", name), "\n".join(text) + "\n"))
            for name, text in scripts.items()
        }
        doomed = chance.sample(MEMBERS, chance.choice(_KILLED))
        reads = _read_meanwhile(bench, url, writers, doomed, chance)
        killed = 0
        said: dict[str, int] = {}
        for name, writer in writers.items():
            ended = writer.wait()
            expect(not ended.trouble, f"writer at {name}: {ended.trouble}")
            if ended.code == -signal.SIGKILL:
                killed += 1
            else:
                expect(ended.code == 0, f"writer at {name}: {ended.code} {ended.err} {ended.out}")
            said[name] = sum(line.startswith("AMQ") for line in ended.lines())
        wait_until_alone(url)
        for name, text in scripts.items():
            entered = _entered(url, name)[len(before[name]) :]
            expect(entered == text[: len(entered)], f"commands at {name} are out of order")
            expect(len(entered) >= said[name], f"{name}: {said[name]} said, {len(entered)} kept")
        bench.verify(url)
        _demand_equal_replay(url)
        bench.tally.add("writers", f"rounds, {database}")
        bench.tally.add("writers", f"writers killed, {database}", count=killed)
        bench.tally.add("writers", f"commands acknowledged, {database}", count=sum(said.values()))
        bench.tally.add("writers", f"answers to the reader, {database}", count=reads)


def _read_meanwhile(
    bench: Bench,
    url: str,
    writers: dict[str, Child],
    doomed: list[str],
    chance: random.Random,
) -> int:
    """Ask while they write: what a reader has seen once must be there for ever."""
    reads, seen = 0, set[str]()
    while any(writer.running() for writer in writers.values()):
        asked = bench.run(url, "log", "show", "--limit", "0", "--format", "json")
        expect(asked.code == 0, f"the reader: {asked.code} {asked.err}")
        ids = {row["event_id"] for row in json.loads(asked.out)["rows"]}
        expect(seen <= ids, f"the reader misses {len(seen - ids)} events that it saw before")
        seen = ids
        reads += 1
        if doomed:
            writer = writers[doomed.pop()]
            writer.sleep(chance.uniform(0, 0.5))
            writer.signal(signal.SIGKILL)
    return reads


def _entered(url: str, name: str) -> list[str]:
    """Return the commands that a log has of a queue manager, in their order."""
    with behind_the_back(url, guarded=True) as connection:
        rows = connection.execute(_ENTERED.format(name)).fetchall()
    return [json.loads(body)["text"] for (body,) in rows]


def _demand_equal_replay(url: str) -> None:
    """Demand that the estate from snapshots is that of a replay from the first event on."""
    with Twin.open(url, read_only=True) as twin:
        head = twin.log.head()
        assert head.occurred_at is not None
        seen = twin.views.upto(branch="main", valid=head.occurred_at, position=head.position)
        replayed = replay(Estate(), twin.log.rows())
        expect(picture(seen) == picture(replayed), "a replay differs from the snapshots")
