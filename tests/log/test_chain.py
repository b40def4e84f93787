"""The chain of digests is one formula with two implementations: for events and for batches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.log.database import behind_the_back
from tests.log.writing import new
from twin.log import Log, NewEvent, UnstorableEvent
from twin.log.chain import GENESIS, branch_digest_of, chained, digest_of

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)
events = st.builds(NewEvent, st.integers(), texts, texts, st.none() | texts, texts, texts, texts)


@given(batch=st.lists(events, max_size=4), branch=st.integers(1), recorded_at=st.integers())
def test_batches_are_chained_event_by_event(
    batch: list[NewEvent], branch: int, recorded_at: int
) -> None:
    """A batch has the same digests as its events one by one."""
    rows = chained(batch, before=GENESIS, after=6, branch=branch, recorded_at=recorded_at)
    before = GENESIS
    for position, (row, event) in enumerate(zip(rows, batch, strict=True), start=7):
        assert row[:-1] == (position, branch, event.occurred_at, recorded_at, *event[1:])
        before = digest_of(before, row[:-1])
        assert row[-1] == before


@given(one=events, other=events)
def test_events_that_differ_have_different_digests(one: NewEvent, other: NewEvent) -> None:
    """Events that differ in any column have different digests."""
    digests = {digest_of(GENESIS, (1, 1, event[0], 1, *event[1:])) for event in (one, other)}
    assert len(digests) == len({one, other})


def test_branches_are_chained(log: Log, log_url: str) -> None:
    """A branch has the digest of the formula, including main, which a migration wrote."""
    log.append([new(1), new(2)], recorded_at=0)
    log.create_branch("b", at_position=1)
    log.create_branch("c", parent="b", at_occurred=-5)
    with behind_the_back(log_url, guarded=True) as connection:
        rows = connection.execute("SELECT * FROM branch ORDER BY id").fetchall()
    before = GENESIS
    for *columns, digest in rows:
        before = branch_digest_of(before, columns)
        assert bytes(digest) == before
    assert [row[1] for row in rows] == ["main", "b", "c"]


@pytest.mark.parametrize("column", ["type", "qmgr", "cause", "source", "event_id", "body"])
@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_cannot_be_stored_is_refused(log: Log, column: str, text: str) -> None:
    """A NUL character or half of a surrogate pair is refused on every database."""
    with pytest.raises(UnstorableEvent):
        log.append([new(1), new(1)._replace(**{column: text})], recorded_at=0)  # type: ignore[arg-type]
    assert log.append([new(1)], recorded_at=0).last == 1
