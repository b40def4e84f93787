"""The messages that wait for a channel, in pieces of the same state."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.questions.waiting_scene import put, scene, tell
from twin import events
from twin.questions.transmission import pieces
from twin.rules.queues import put_times, transmission_queues

_PUTS = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from(["", "bind-on-open"]), st.booleans()), max_size=6
)


@given(puts=_PUTS, doubtful=st.integers(0, 12), risky=st.integers(0, 12))
def test_pieces_are_all_that_waits_and_agree_with_the_rules(
    puts: Sequence[tuple[int, str, bool]], doubtful: int, risky: int
) -> None:
    """Each message is in exactly one piece, and a pass considers just the movable ones."""
    sandbox = scene()
    for count, fixed, persistent in puts:
        put(sandbox, count, fixed=fixed, persistent=persistent)
    tell(sandbox, events.ChannelBatchInDoubt, count=doubtful)
    tell(sandbox, events.MessagesAtRisk, count=risky)
    qmgr = sandbox.estate.qmgr("PR1")
    found = list(pieces(qmgr, "CA.PR2"))
    waiting = [parcel for _, parcel in transmission_queues.waiting(qmgr, "CA.PR2")]
    assert sum(piece.parcel.count for piece in found) == sum(each.count for each in waiting)
    assert list(dict.fromkeys(piece.parcel.put for piece in found)) == [
        each.put for each in waiting
    ]
    assert sum(piece.parcel.count for piece in found if piece.why == "in-doubt") == min(
        doubtful, sum(each.count for each in waiting)
    )
    movable = [(piece.queue, piece.parcel) for piece in found if piece.eligible]
    assert movable == [each[:2] for each in put_times.eligible(qmgr, "CA.PR2")]
