"""A message is identified by the position of its put, also while others append."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.app.scenes import LATER
from twin.app.twin import Twin
from twin.fold.estate import Estate
from twin.model.instants import SECOND

SCRIPTS = {
    "QMS": """ALTER QMGR REPOS(CA) CLWLEXIT('SLOW')
DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSRCVR) CONNAME('qms(1414)') CLUSTER(CA)""",
    **{
        name: f"""DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSSDR) CONNAME('qms(1414)') CLUSTER(CA)
DEFINE QLOCAL(ORD) CLUSTER(CA)"""
        for name in ("QM3", "QM4")
    },
}


def lying(estate: Estate) -> int:
    """Count all messages on queues."""
    return sum(
        qmgr.messaging.depth(queue)
        for qmgr in estate.qmgrs.values()
        for queue in {*qmgr.messaging.local, *qmgr.messaging.waiting}
    )


def test_messages_that_move_at_once_are_not_doubled_by_who_appends_to_another_branch(
    tmp_path: Path,
) -> None:
    """A put whose messages are rerouted at once is decided again if its position is taken."""
    url = f"sqlite:///{tmp_path / 'twin.db'}"
    others: list[Twin] = []

    def slow(block: Any, destinations: Any, queues: Any) -> Any:
        """Take so long that another process appends to its branch meanwhile."""
        del destinations, queues
        if others:
            other = others.pop()
            other.pass_time(other.present() + SECOND)
        return block

    with Twin.open(url, clock=lambda: LATER, exits={"SLOW": slow}) as twin:
        for name, script in SCRIPTS.items():
            twin.crtmqm(name)
            twin.strmqm(name)
            twin.runmqsc(name, script)
        twin.runmqsc("QMS", "STOP CHANNEL(CA.QM4) STATUS(INACTIVE)")
        twin.link("cut", "QMS", "QM4")
        twin.create_branch("b")
        with Twin.open(url, clock=lambda: LATER, branch="b") as other:
            others.append(other)
            assert twin.put("QMS", "ORD", count=4, bind="notfixed").count == 4
        assert not others
        stored = {event.type: event for event in twin.log.events(branch="main")}
        moves = json.loads(stored["MessagesReallocated"].body)["moves"]
        assert [move["put"] for move in moves] == [stored["MessagesPut"].position]
        assert lying(twin.view()[0]) == 4
