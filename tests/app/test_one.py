"""The view of one queue manager equals the same part of the whole view."""

from __future__ import annotations

import tempfile

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, SCRIPTS, START, Act, build, histories, make_twin
from tests.app.test_late_channels import ASKED, PUTS, dated, played
from tests.app.test_late_channels import SCRIPTS as SENDERS
from tests.laws import examples
from twin.model.instants import DAY, HOUR, MINUTE

SHOWN = """DISPLAY CLUSQMGR(*) ALL
DISPLAY QCLUSTER(Q1)
DISPLAY QUEUE(*) CLUSINFO ALL
DISPLAY CHSTATUS(*) ALL
DISPLAY QMGR ALL
"""


@given(histories(), st.integers(0, 40 * 24), st.sampled_from(sorted(SCRIPTS)))
@examples(cost=2)
def test_one_sees_in_its_own_view_what_it_sees_in_the_whole(
    history: list[Act], hours: int, name: str
) -> None:
    """DISPLAY gives the same answer from both views at every recorded instant."""
    with (
        tempfile.TemporaryDirectory() as folder,
        make_twin(f"sqlite:///{folder}/twin.db", lambda: LATER) as twin,
    ):
        build(twin)
        for act in history:
            act.perform(twin)
        later = max([START + 3 * HOUR, *(act.at for act in history)])
        twin.endmqm("PR2", at=later)
        twin.strmqm("PR2", at=later + HOUR)
        twin.snapshot(every=20)
        twin.tick(START + 60 * DAY)
        point = twin.as_of(valid=START + hours * HOUR)
        whole, one = twin.views.at(point), twin.views.of_one(point, name)
        assert whole.position >= one.position
        session = twin.mqsc(name, as_of=point.valid).run(SHOWN)
        twin.views.of_one = lambda as_of, _: twin.views.at(as_of)  # type: ignore[method-assign, assignment]
        assert session.lines[1:] == twin.mqsc(name, as_of=point.valid).run(SHOWN).lines[1:]


@given(
    dated(st.one_of(PUTS, PUTS, ASKED), 8),
    st.tuples(st.integers(0, 7), st.integers(0, 130)),
    st.sampled_from(sorted(SENDERS)),
)
@examples(cost=2)
def test_channels_disconnect_alike_in_both(
    asked: list[Act], when: tuple[int, int], name: str
) -> None:
    """A channel has the same status in both views, also after it disconnects.

    `when` chooses an act, and a number of minutes after it.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        make_twin(f"sqlite:///{folder}/twin.db", lambda: LATER) as twin,
    ):
        played(twin, asked)
        twin.endmqm("QM4", at=START + 50 * HOUR)
        twin.snapshot(every=15)
        point = twin.as_of(valid=asked[when[0] % len(asked)].at + when[1] * MINUTE)
        shown = "DISPLAY CHSTATUS(*) ALL\nDISPLAY CLUSQMGR(*) STATUS"
        session = twin.mqsc(name, as_of=point.valid).run(shown)
        twin.views.of_one = lambda as_of, _: twin.views.at(as_of)  # type: ignore[method-assign, assignment]
        assert session.lines[1:] == twin.mqsc(name, as_of=point.valid).run(shown).lines[1:]
