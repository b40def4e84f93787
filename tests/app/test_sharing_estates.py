"""Questions that share estates give the answers that they give alone."""

from __future__ import annotations

import tempfile
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START, build, make_twin
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant

QUESTIONS: Final = ("members", "channels", "lifetimes", "errorlog", "agenda", "changes")
INSTANTS: Final = st.integers(-1, 130).map(lambda days: START + days * DAY + HOUR)


def put_order(twin: Twin, at: Instant) -> None:
    """Record something at an instant."""
    twin.runmqsc("PR1", f"DEFINE QLOCAL(Q{at}) CLUSTER(CA)", at=at)


@given(st.lists(st.tuples(st.sampled_from(QUESTIONS), INSTANTS), min_size=2, max_size=8))
def test_shared_estates_give_the_same_answers(asked: list[tuple[str, Instant]]) -> None:
    """In any order of questions and instants, and after a new record, the answers are the same."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/twin.db"
        with make_twin(url, lambda: LATER) as twin, make_twin(url, lambda: LATER) as alone:
            build(twin)
            put_order(twin, START + 2 * HOUR)
            for number, (question, at) in enumerate(asked):
                with twin.sharing():
                    shared = twin.ask(question, as_of=at, known_at=LATER)
                    again = twin.ask(question, as_of=at, known_at=LATER)
                expected = alone.ask(question, as_of=at, known_at=LATER)
                assert shared == again == expected
                assert shared.pending == expected.pending
                if number == len(asked) // 2:
                    put_order(twin, START + 3 * HOUR)
