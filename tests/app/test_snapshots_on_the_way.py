"""Snapshots that a writer saves between its actions are correct."""

from __future__ import annotations

import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START, build, make_twin, picture
from tests.laws import examples
from twin.app import recorded_estate
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.model.instants import DAY, HOUR

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["define", "same", "tick", "again", "restart", "restore", "late"]),
        st.sampled_from(["PR1", "PR2"]),
        st.integers(0, 20),
    ),
    min_size=3,
    max_size=14,
)


@given(STEPS)
@examples(cost=2)
def test_a_fresh_reader_sees_what_a_full_replay_gives(steps: list[tuple[str, str, int]]) -> None:
    """A new reader sees the estate of a full replay, after any sequence of actions."""
    with (
        pytest.MonkeyPatch.context() as patched,
        tempfile.TemporaryDirectory() as folder,
    ):
        patched.setattr(recorded_estate, "SNAPSHOT_EVERY", 5)
        url = f"sqlite:///{folder}/twin.db"
        with make_twin(url, lambda: LATER) as twin:
            build(twin)
            now = START + HOUR
            for number, (step, name, gap) in enumerate(steps):
                now += 0 if step == "same" else gap * DAY + HOUR
                if step in ("define", "same"):
                    twin.runmqsc(name, f"DEFINE QLOCAL(Q{number}) CLUSTER(CA)", at=now)
                elif step == "tick":
                    twin.tick(now)
                elif step == "again":
                    twin.ingest("DEFINE QLOCAL(SEEN) CLUSTER(CA)", qmgr=name, at=now)
                elif step == "restart":
                    twin.endmqm(name, at=now)
                    twin.strmqm(name, at=now + HOUR)
                    now += HOUR
                elif step == "restore":
                    twin.restore(name, to=START + HOUR, at=now)
                else:
                    twin.ingest(f"DEFINE QLOCAL(L{number}) CLUSTER(CA)", qmgr=name, at=START + 1)
        with make_twin(url, lambda: LATER) as fresh:
            head = fresh.log.head().occurred_at
            assert head is not None
            seen = fresh.views.upto(branch="main", valid=head, position=fresh.log.last().position)
            assert picture(seen) == picture(replay(Estate(), fresh.log.rows()))
            for name in ("FR1", "PR1", "PR2"):  # and each its own view, without an error
                assert fresh.runmqsc(name, "DISPLAY CLUSQMGR(*)\nDISPLAY QC(*)", as_of=head - 1)
