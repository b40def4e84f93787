"""Counts of the events while time passed."""

from __future__ import annotations

from pathlib import Path

from tests.app.scenes import LATER, START, make_twin
from tests.scheduler.living import build
from twin.model.instants import DAY, MINUTE, SECOND
from twin_scheduler.activity import (
    CHANNEL_COUNTERS,
    REPOSITORY_COUNTERS,
    activity_text,
    count_activity,
)
from twin_scheduler.virtual import VirtualScheduler


def test_each_name_counts_its_events(tmp_path: Path) -> None:
    """Each counter has the number of its events in 90 days of a cluster that lost a member."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        build(twin)
        twin.runmqsc(
            "PR2", "DEFINE QLOCAL(Q1) CLUSTER(CA)\nDEFINE QLOCAL(Q2) CLUSTER(CA)", at=START
        )
        for queue, day in (("Q1", 0), ("Q2", 0), ("Q1", 1)):
            twin.open_queue("PR1", queue, at=START + day * DAY)
        twin.endmqm("PR2", at=START + DAY)
        counts = []
        with VirtualScheduler(twin) as virtual:
            for days in (27, 30, 90):
                before = twin.log.head().position
                list(virtual.advance(START + days * DAY))
                upto = twin.log.head().position
                counts.append(count_activity(twin.log, "main", after=before, upto=upto))
    assert [count.pop("warned") > 0 for count in counts] == [False, True, True]
    names = [name for name in REPOSITORY_COUNTERS if name != "warned"]
    nothing = dict.fromkeys(names, 0)
    assert [{name: count[name] for name in names} for count in counts] == [
        {**nothing, "resent": 3, "renewed": 1},  # by the three remaining ones; Q1
        {**nothing, "expired": 9, "lapsed": 1},  # three publications at three holders; Q2
        {**nothing, "resent": 6, "removed": 9, "lapsed": 1},  # after 54 and 81 days; Q1
    ]


def test_counts_of_channels_are_written_if_they_are_not_zero(tmp_path: Path) -> None:
    """A retry reroutes two messages; counts of 0 are left out."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        build(twin)
        for name in ("PR1", "PR2"):
            twin.runmqsc(name, "DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
        twin.put("FR1", "Q", count=2, at=START)
        twin.runmqsc("PR1", "ALTER QLOCAL(Q) PUT(DISABLED)", at=START)
        twin.endmqm("PR2", at=START + SECOND)
        twin.put("FR1", "Q", count=2, at=START + SECOND)
        twin.runmqsc("PR1", "ALTER QLOCAL(Q) PUT(ENABLED)", at=START + 2 * SECOND)
        before = twin.log.head().position
        with VirtualScheduler(twin) as virtual:
            list(virtual.advance(START + 10 * MINUTE))
        counts = count_activity(twin.log, "main", after=before, upto=twin.log.head().position)
    moving = {word: counts[word] for word in CHANNEL_COUNTERS if counts[word]}
    assert moving == {"retried": 1, "moved": 2, "sent": 2, "arrived": 2}
    assert activity_text(counts) == (
        "resent 0, expired 0, removed 0, renewed 0, lapsed 0, warned 0, "
        "retried 1, moved 2, sent 2, arrived 2"
    )
