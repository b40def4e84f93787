"""What came of time passing is counted in MQ's words."""

from __future__ import annotations

from pathlib import Path

from scheduler.deeds import DEEDS, deeds
from scheduler.virtual import VirtualScheduler
from tests.app.scenes import LATER, START, make_twin
from tests.scheduler.living import build
from twin.model.instants import DAY


def test_every_word_counts_what_it_says(tmp_path: Path) -> None:
    """A quarter of a cluster that lost a member and asks for two queues, one of them in use."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        build(twin)
        twin.runmqsc(
            "PR2", "DEFINE QLOCAL(Q1) CLUSTER(CA)\nDEFINE QLOCAL(Q2) CLUSTER(CA)", at=START
        )
        for queue, day in (("Q1", 0), ("Q2", 0), ("Q1", 1)):
            twin.open_queue("PR1", queue, at=START + day * DAY)
        twin.endmqm("PR2", at=START + DAY)
        counted = []
        with VirtualScheduler(twin) as virtual:
            for days in (27, 30, 90):
                before = twin.log.head().position
                list(virtual.advance(START + days * DAY))
                counted.append(deeds(twin.log, "main", after=before, upto=twin.log.head().position))
    assert [each.pop("warned") > 0 for each in counted] == [False, True, True]
    nothing = dict.fromkeys(DEEDS.keys() - {"warned"}, 0)
    assert counted == [
        {**nothing, "resent": 3, "renewed": 1},  # by the three that are left; Q1
        {**nothing, "expired": 9, "lapsed": 1},  # three publications at three holders; Q2
        {**nothing, "resent": 6, "removed": 9, "lapsed": 1},  # after 54 and 81 days; Q1
    ]
