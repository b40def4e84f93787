"""A message that cannot be put where it arrives ends in a route as it does when it is put."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.questions.two_clusters import member, two_clusters
from twin import Twin, events
from twin.app.rehearsing import Rehearsal

DISABLED: Final = ("QM3", "ALTER QLOCAL(STOCK) PUT(DISABLED)")
DEAD: Final = ("GW", "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
FULL_XMITQ: Final = (
    "GW",
    """DEFINE QLOCAL(FULL) USAGE(XMITQ) MAXDEPTH(0)
    DEFINE QREMOTE(FAR.CA) RNAME(FAR) RQMNAME(QM9) XMITQ(FULL) CLUSTER(CA) DEFBIND(NOTFIXED)""",
)


class Ending(NamedTuple):
    """Where a message ends, how, with which reason code; and where it waits, for which channel."""

    on: str
    end: str
    reason: int = 0
    waits_at: str = ""
    channel: str = ""


BACK: Final = Ending("GW", "returned", 2268, "QM1", "CA.GW")

ENDINGS: dict[str, tuple[str, tuple[tuple[str, str], ...], Ending]] = {
    "put-disabled": ("STOCK.CA", (DISABLED,), BACK),
    "dead-letter queue": ("STOCK.CA", (DISABLED, DEAD), Ending("GW", "dead-lettered", 2268)),
    "dead-letter queue put-disabled": (
        "STOCK.CA",
        (DISABLED, DEAD, ("GW", "ALTER QLOCAL(DLQ) PUT(DISABLED)")),
        BACK,
    ),
    "dead-letter queue full": (
        "STOCK.CA",
        (DISABLED, DEAD, ("GW", "ALTER QLOCAL(DLQ) MAXDEPTH(0)")),
        BACK,
    ),
    "USEDLQ(NO)": (
        "STOCK.CA",
        (DISABLED, DEAD, ("GW", "ALTER CHANNEL(CA.GW) CHLTYPE(CLUSRCVR) USEDLQ(NO)")),
        BACK,
    ),
    "one step further": (
        "STOCK.R",
        (DISABLED,),
        Ending("QM3", "returned", 2051, "GW", "CB.QM3"),
    ),
    "full instance of higher priority": (
        "STOCK.CA",
        (("QM3", "ALTER QLOCAL(STOCK) CLWLPRTY(9) MAXDEPTH(0)"),),
        Ending("QM3", "returned", 2053, "GW", "CB.QM3"),
    ),
    "full transmission queue": (
        "FAR.CA",
        (FULL_XMITQ,),
        Ending("GW", "returned", 2053, "QM1", "CA.GW"),
    ),
    "full transmission queue, USEDLQ(NO)": (
        "FAR.CA",
        (FULL_XMITQ, DEAD, ("GW", "ALTER CHANNEL(CA.GW) CHLTYPE(CLUSRCVR) USEDLQ(NO)")),
        Ending("GW", "returned", 2053, "QM1", "CA.GW"),
    ),
    "full transmission queue, dead-letter queue": (
        "FAR.CA",
        (FULL_XMITQ, DEAD),
        Ending("GW", "dead-lettered", 2053),
    ),
    "put-disabled transmission queue, another gateway": (
        "FAR.CA",
        (
            FULL_XMITQ,
            ("GW", "ALTER QLOCAL(FULL) MAXDEPTH(9) PUT(DISABLED)"),
            ("QM2", "DEFINE QALIAS(FAR.CA) TARGET(ORDERS) CLUSTER(CA) DEFBIND(NOTFIXED)"),
            ("GW", "ALTER QREMOTE(FAR.CA) CLWLPRTY(9)"),
        ),
        Ending("QM2", "delivered"),
    ),
}
"""What is put, after which commands, and where it ends."""


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Return two clusters with a gateway, and STOCK at QM5 too, with a lower rank than at QM3."""
    with two_clusters(tmp_path) as made:
        made.crtmqm("QM5")
        made.strmqm("QM5")
        script = f"{member('QM5', 'CB')}DEFINE QLOCAL(STOCK) CLUSTER(CB)"
        assert made.runmqsc("QM5", script).exit_code == 0
        assert made.runmqsc("QM3", "ALTER QLOCAL(STOCK) CLWLRANK(9)").exit_code == 0
        assert made.runmqsc("GW", "ALTER QALIAS(STOCK.CA) DEFBIND(NOTFIXED)").exit_code == 0
        yield made


def _asked(twin: Twin, queue: str) -> Ending:
    rows: Any = twin.ask("route", on="QM1", queue=queue).rows
    *_, before, last = rows
    back = (before["on"], before["channel"]) if last["end"] == "returned" else ("", "")
    return Ending(last["on"], last["end"], last["reason"], *back)


def _played(rehearsal: Rehearsal, queue: str) -> Ending:
    assert rehearsal.put("QM1", queue).reason == 0
    last = [
        event
        for _, event in rehearsal.decided
        if isinstance(event, events.MessagesArrived | events.MessagesReturned)
    ][-1]
    if isinstance(last, events.MessagesArrived):
        return Ending(last.qmgr, "dead-lettered" if last.reason else "delivered", last.reason)
    state = rehearsal.estate.qmgrs[last.qmgr].activity.channels[last.channel]
    assert state.status == "RETRYING"
    return Ending(state.partner, "returned", last.reason, last.qmgr, last.channel)


@pytest.mark.parametrize("case", ENDINGS)
def test_what_cannot_be_put_at_a_gateway_ends_in_a_route_as_in_a_put(twin: Twin, case: str) -> None:
    """It goes to another instance, the dead-letter queue, or waits for a channel in RETRYING."""
    queue, commands, ending = ENDINGS[case]
    for on, text in commands:
        assert twin.runmqsc(on, text).exit_code == 0
    assert _asked(twin, queue) == ending
    assert _played(twin.rehearse(), queue) == ending


@pytest.mark.parametrize("speed", ["FAST", "NORMAL"])
def test_a_fast_channel_discards_what_is_not_persistent(twin: Twin, speed: str) -> None:
    """A route says so of NPMSPEED(FAST) only, and a put that is not persistent is lost there."""
    assert twin.runmqsc(*DISABLED).exit_code == 0
    alter = f"ALTER CHANNEL(CA.GW) CHLTYPE(CLUSRCVR) NPMSPEED({speed})"
    assert twin.runmqsc("GW", alter).exit_code == 0
    says = " ".join(line.strip() for line in twin.ask("route", on="QM1", queue="STOCK.CA").lines)
    rehearsal = twin.rehearse()
    rehearsal.put("QM1", "STOCK.CA", persistent=False)
    lost = any(isinstance(event, events.MessagesLost) for _, event in rehearsal.decided)
    assert lost == ("if not persistent, it is discarded" in says) == (speed == "FAST")
