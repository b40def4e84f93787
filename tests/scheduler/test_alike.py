"""Laws: live and virtual time are the same time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from freezegun.api import FrozenDateTimeFactory
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import examples
from tests.scheduler.living import Life, lives, really, standing_still, virtually
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
