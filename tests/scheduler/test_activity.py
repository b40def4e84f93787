"""What came of time passing is counted in MQ's words."""

from __future__ import annotations

from pathlib import Path

from tests.app.scenes import LATER, START, make_twin
from tests.scheduler.living import build
from twin.model.instants import DAY, MINUTE, SECOND
from twin_scheduler.activity import DEEDS, MOVING, deeds, told
from twin_scheduler.virtual import VirtualScheduler


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
    counted = [{word: each[word] for word in DEEDS if word != "warned"} for each in counted]
    nothing = dict.fromkeys(DEEDS.keys() - {"warned"}, 0)
    assert counted == [
        {**nothing, "resent": 3, "renewed": 1},  # by the three that are left; Q1
        {**nothing, "expired": 9, "lapsed": 1},  # three publications at three holders; Q2
        {**nothing, "resent": 6, "removed": 9, "lapsed": 1},  # after 54 and 81 days; Q1
    ]


def test_channels_and_messages_are_told_where_there_is_anything_to_tell(tmp_path: Path) -> None:
    """At a retry two messages go another way; nothing is said of what did not happen."""
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
        counted = deeds(twin.log, "main", after=before, upto=twin.log.head().position)
    moving = {word: counted[word] for word in MOVING if counted[word]}
    assert moving == {"retried": 1, "moved": 2, "sent": 2, "arrived": 2}
    assert told(counted) == (
        "resent 0, expired 0, removed 0, renewed 0, lapsed 0, warned 0, "
        "retried 1, moved 2, sent 2, arrived 2"
    )
