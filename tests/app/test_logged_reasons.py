"""Why a channel fails is what its log said last since it began to fail, however long ago."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.app.test_standing import imported, observe, row
from tests.laws import examples
from twin import events
from twin.model.instants import MINUTE

REASONS: Final = st.sampled_from(["", "AMQ9202", "AMQ9259", "AMQ9999"])
SIGHT: Final = st.one_of(
    st.tuples(st.just("RETRYING"), REASONS),
    st.sampled_from([("RUNNING", "AMQ9002"), ("STOPPED", "AMQ9528"), ("INACTIVE", "AMQ9001")]),
)


@examples(cost=4)
@given(st.dictionaries(st.integers(1, 60), SIGHT, min_size=1, max_size=6))
def test_the_reason_of_a_channel_is_the_one_that_was_logged_since_it_fails(
    sights: dict[int, tuple[str, str]],
) -> None:
    """A reason of an earlier failure does not count, nor that a channel started or ended."""
    with fresh(1) as (twin,):
        imported(twin)
        said = ""
        for hour, (status, reason) in sorted(sights.items()):
            at = START + hour * 5 * MINUTE
            seen = events.ChannelObserved(
                qmgr="P1", channel="CA.F1", status=status, instance="", reason=reason or None
            )
            observe(twin, at, seen)
            said = (reason.replace("AMQ9999", "") or said) if status == "RETRYING" else ""
            assert (row(twin, at)["reason"] or "") == said  # what is not known is no reason
