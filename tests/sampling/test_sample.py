"""A sample is a log like any other: intact, readable, and reproducible."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import cast

import pytest

from twin import Twin
from twin.events.catalogue import decode
from twin.log import Log, LogUnreachable
from twin.model.instants import DAY, HOUR, format_instant
from twin.model.names import legal_name
from twin.sampling import LogExists, NoSuchSample, Planted, Progress, make

PUT = re.compile(r'"put":([0-9]+)')


def test_it_is_sound(log: Log, planted: Planted) -> None:
    """The digests of a sample verify from the first event to the last."""
    assert log.verify().position == planted.events
    assert 25_000 < planted.events < 60_000


def test_it_is_recorded_soon(log: Log, planted: Planted) -> None:
    """An event is recorded after it occurs, and within about an hour if it is not late."""
    lags = [each.recorded_at - each.occurred_at for each in log.events()]
    assert min(lags) > 0
    assert sorted(lags)[len(lags) * 9 // 10] < HOUR + 60_000_000
    instants = [each.occurred_at for each in log.events()]
    assert planted.since <= min(instants)
    assert max(instants) < planted.until


def test_every_event_can_be_read(log: Log) -> None:
    """Each body fits its type, and the queue manager of its envelope."""
    for each in log.events():
        assert decode(each.type, each.body).qmgr == each.qmgr


def test_positions_in_bodies_are_those_of_puts(log: Log) -> None:
    """A position in a parcel or move is that of a put at a known queue manager."""
    cells: dict[int, str] = {}
    named = 0
    for each in log.events():
        if each.type == "MessagesPut":
            cells[each.position] = each.qmgr[2:5]
        for found in PUT.findall(each.body):
            named += 1
            assert cells[int(found)] == each.qmgr[2:5]
    assert named > 1000


def test_causes_are_in_the_log(log: Log) -> None:
    """A derived event names an earlier fact, or a tick of its own instant."""
    known = set()
    for each in log.events():
        if each.cause is not None and not each.cause.startswith("tick-"):
            assert each.cause in known
        known.add(each.event_id)


def test_names_are_legal_and_tell_cells_apart(log: Log) -> None:
    """A queue manager has a valid name, and a QMID of its name and creation time."""
    created = {}
    for each in log.events(types=["QueueManagerCreated"]):
        event = decode(each.type, each.body)
        stamp = format_instant(each.occurred_at)[:19].replace("T", "_").replace(":", ".")
        assert event.qmid == f"{each.qmgr}_{stamp}"  # type: ignore[attr-defined]
        assert legal_name(each.qmgr)
        created[each.qmgr] = each.qmgr[2:5]
    assert len(created) == 25
    assert sorted(set(created.values())) == ["000", "001"]


def test_it_replays_like_any_log(url: str, planted: Planted) -> None:
    """An estate of any instant can be rebuilt, with all expected members."""
    with Twin.open(url, read_only=True) as twin:
        for day in (20, 60, 150, 218):
            at = planted.since + day * DAY
            estate, point = twin.view(as_of=at)
            assert point.valid == at
            assert len(estate.qmgrs) == 25
        members = twin.ask("members", as_of=planted.until - 1).rows
    known = defaultdict(set)
    for row in members:
        known[row["cluster"]].add(row["qmgr"])
        assert {qmgr[2:5] for qmgr in cast("tuple[str, ...]", row["known_by"])} == {
            str(row["cluster"])[2:]
        }
    assert {cluster: len(found) for cluster, found in known.items()} == {"CL000": 13, "CL001": 12}


def test_it_goes_on(url: str, planted: Planted, tmp_path: Path) -> None:
    """A branch of a sample accepts commands, and a message put there arrives."""
    copied = tmp_path / "copy.db"
    copied.write_bytes(Path(url.removeprefix("sqlite:///")).read_bytes())
    with Twin.open(f"sqlite:///{copied}", clock=lambda: planted.until) as twin:
        twin.create_branch("try")
        branch = twin.on_branch("try")
        put = branch.put("GW00103", "ORDERS", count=5)
        assert not put.reason
        assert not branch.ask("transmission").rows
        branch.tick(planted.until + 40 * DAY)


@pytest.mark.parametrize("number", [0, 1])
def test_the_same_arguments_make_the_same_events(tmp_path: Path, number: int) -> None:
    """The same arguments give the same events, ids, recording instants and faults."""
    size = ({"qmgrs": 6, "years": 0.1}, {"qmgrs": 37, "years": 0.08})[number]
    made = [
        make(f"sqlite:///{tmp_path}/{name}.db", **size, seed=5, events=2000)  # type: ignore[arg-type]
        for name in "ab"
    ]
    digests = []
    for name in "ab":
        log = Log.open(f"sqlite:///{tmp_path}/{name}.db", mode="read")
        digests.append(log.last())
        log.close()
    assert made[0] == made[1]
    assert digests[0] == digests[1]


def test_another_seed_makes_others(tmp_path: Path) -> None:
    """Another seed gives other outages."""
    one, other = (
        make(f"sqlite:///{tmp_path}/{seed}.db", qmgrs=6, years=0.1, seed=seed, events=1000)
        for seed in (1, 2)
    )
    assert one.of_kind("outage") != other.of_kind("outage")


def test_a_log_that_is_there_stays_as_it_is(url: str, log: Log) -> None:
    """A sample is refused if its log exists."""
    before = log.last()
    with pytest.raises(LogExists, match="a log exists at sqlite"):
        make(url, qmgrs=6, years=0.1, seed=1)
    assert log.last() == before


@pytest.mark.parametrize(
    ("qmgrs", "years", "says"),
    [
        (5, 1.0, "a sample has 6 to 11988 queue managers, not 5"),
        (20_000, 1.0, "a sample has 6 to 11988 queue managers, not 20000"),
        (12, 0.01, "a sample covers 28 days or more, not 4"),
        (12, -1.0, "a sample covers 28 days or more, not -365"),
        (12, 3000.0, "a sample covers 100 years at most, not 3000"),
        (12, float("nan"), "a sample covers 100 years at most, not nan"),
        (12, float("-inf"), "a sample covers 100 years at most, not -inf"),
    ],
)
def test_a_size_that_none_can_have_is_refused(
    tmp_path: Path, qmgrs: int, years: float, says: str
) -> None:
    """A sample that is too small, too large or too short is refused in one line, without a file."""
    with pytest.raises(NoSuchSample, match=says):
        make(f"sqlite:///{tmp_path}/none.db", qmgrs=qmgrs, years=years, seed=1)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    """A sample in a missing folder is refused with the error of any log."""
    with pytest.raises(LogUnreachable, match="there is no folder"):
        make(f"sqlite:///{tmp_path}/none/sample.db", qmgrs=6, years=0.1, seed=1)


def test_one_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    """If making a sample is interrupted, the file of its log is removed."""

    def stop(progress: Progress) -> None:
        if progress.step == "written":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(f"sqlite:///{tmp_path}/x.db", qmgrs=6, years=0.1, seed=1, events=1000, progress=stop)
    assert not list(tmp_path.iterdir())


def test_progress_ends_with_the_last_day(tmp_path: Path) -> None:
    """Progress counts simulated and then written days, up to the last one."""
    told: list[Progress] = []
    make(
        f"sqlite:///{tmp_path}/x.db",
        qmgrs=6,
        years=0.1,
        seed=1,
        events=1000,
        progress=told.append,
    )
    assert [each for each in told if each.done == each.of] == [
        Progress("simulated", 36, 36),
        Progress("written", 36, 36),
    ]


def test_what_was_planted_stands_beside_the_log(beside: Path, planted: Planted) -> None:
    """The file beside the log lists the planted faults, with instants in ISO 8601."""
    told = json.loads(beside.read_text(encoding="utf-8"))
    assert told == json.loads(planted.json())
    assert told["events"] == planted.events
    assert len(told["plants"]) == len(planted.faults)
    assert set(told["plants"][0]) == {"kind", "where", "from", "to", "metrics", "says"}
