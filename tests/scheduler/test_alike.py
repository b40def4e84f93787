"""Laws: live and virtual time are the same time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from freezegun.api import FrozenDateTimeFactory
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import examples
from tests.scheduler.living import Life, Step, lives, really, standing_still, virtually
from twin import events
from twin.model.instants import DAY, HOUR
from twin_scheduler.jobs import CHUNK

_LATENESS = st.sampled_from([timedelta(0), timedelta(seconds=1), timedelta(days=40)])


@pytest.mark.hypothesis
def test_live_and_virtual_give_the_same_events(tmp_path: Path) -> None:
    """A live scheduler makes the same events as virtual time.

    It may wake late, and virtual time may pass in one step or in many.
    """

    @examples(cost=2)
    @given(life=lives(), late=_LATENESS, chunk=st.sampled_from([1, 9]))
    def law(life: Life, late: timedelta, chunk: int, frozen: FrozenDateTimeFactory) -> None:
        live = really(life, tmp_path / "live", frozen, lateness=late)
        assert live == virtually(life, tmp_path / "virtual", chunk=chunk)
        assert live == virtually(life, tmp_path / "virtual", chunk=CHUNK)

    with standing_still() as frozen:
        law(frozen=frozen)


def test_a_switch_in_portions_is_the_same_in_live_and_virtual_time(tmp_path: Path) -> None:
    """Its portions are moved at their instants, however late a live scheduler wakes."""
    text = "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.FR1')"
    happens = [
        *(events.ReadingChosen(qmgr="", reading=each, value=value) for each, value in PACE),
        events.QueueOpened(qmgr="PR1", queue="Q1"),
        events.CommandEntered(qmgr="PR1", text="STOP CHANNEL(CA.FR1)"),
        events.PutEntered(qmgr="PR1", queue="Q1", count=10),
        events.CommandEntered(qmgr="PR1", text=text),
        events.CommandEntered(qmgr="PR1", text="START CHANNEL(CA.FR1)"),
    ]
    life = Life(("FR1", "PR1"), tuple(Step(HOUR, each) for each in happens), DAY)
    with standing_still() as frozen:
        live = really(life, tmp_path / "live", frozen, lateness=timedelta(hours=30))
    assert live == virtually(life, tmp_path / "virtual", chunk=1)
    assert live == virtually(life, tmp_path / "virtual", chunk=CHUNK)
    assert sum("MessagesSwitched" in str(each) for each in live) == 4


PACE = (("switch-portion", "3"), ("switch-wait", "1h"))
