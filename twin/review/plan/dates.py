"""The section of a plan about dates: records that expire or are removed at another time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from twin.questions.belief import shown_name
from twin.questions.lifetimes import state_of
from twin.rules.repository.lifetimes import expires

if TYPE_CHECKING:
    from twin.fold.beliefs import Belief
    from twin.model.instants import Instant
    from twin.review.plan.pair import RehearsedPair


class DateChange(NamedTuple):
    """A record that both rehearsals hold, sent at different instants.

    Attributes:
        observer: the queue manager that holds it.
        cluster, kind, name, owner: the record; the owner is a queue manager name.
        expires_before, expires_after: when it expires without the change and with it.
        state_before, state_after: active, overdue or expired.
        owner_qmid: the QMID of the owner.
    """

    observer: str
    cluster: str
    kind: str
    name: str
    owner: str
    expires_before: Instant
    expires_after: Instant
    state_before: str
    state_after: str
    owner_qmid: str


def date_changes(pair: RehearsedPair) -> Iterator[DateChange]:
    """Compare the dates of the records that queue managers hold of others in both rehearsals."""
    at = pair.changed.now()
    for sides, key, owner, was, now in pair.records:
        if was is None or now is None or sides.after is None or owner == sides.after.qmid:
            continue
        if was.published != now.published:
            name = shown_name(key, now.owner_name)
            yield _row((sides.name, key[0], key[1], name, now.owner_name), was, now, at)


def _row(
    record: tuple[str, str, str, str, str], was: Belief, now: Belief, at: Instant
) -> DateChange:
    return DateChange(
        *record,
        expires(was.published),
        expires(now.published),
        state_of(was.published, at=at),
        state_of(now.published, at=at),
        now.owner,
    )
