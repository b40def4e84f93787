"""What a plan takes as equal in both rehearsals is equal, however different their histories are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from tests.review.plan.test_plan import scripts_of
from twin import events
from twin.app.rehearsing import Rehearsal
from twin.fold.estate import PARTS
from twin.model.commands import Command
from twin.model.instants import DAY, HOUR
from twin.review.plan.histories import differing_histories
from twin.review.plan.pair import RehearsedPair
from twin.review.plan.planned import PlannedChange, PlannedScript, perform
from twin.rules.draft import Decided

NOW = START + HOUR

_NOT_COMPARED = {"position", "record_count", "held", "unread", "records_changed"}
"""Positions are those of each rehearsal; the others say how records are stored."""


@examples(cost=2)
@given(
    histories(least=2),
    histories(),
    st.sampled_from(["", "FR1", "PR1"]),
    st.sampled_from([0, 1, 28, 95]),
)
def test_parts_that_are_not_said_to_differ_are_equal(
    before: list[Act], then: list[Act], ended: str, days: int
) -> None:
    """Each part of a queue manager that a plan reads from one side is the same on the other one."""
    with fresh(1) as (twin,):
        build(twin)
        for act in before:
            act.perform(twin)
        changes: list[PlannedChange] = [*scripts_of(then)]
        changes += [Command.program(ended, "endmqm")] if ended else []
        pair = rehearsed(twin.rehearse(as_of=before[-1].at), changes, days)
        assert_alike(pair)


def test_only_queue_managers_that_a_change_concerns_have_other_histories() -> None:
    """After 91 days, and renewals of all records, a changed queue differs where it is known."""
    twin = build(make_twin("sqlite://", lambda: NOW))
    for name in ("PR1", "PR2"):
        twin.runmqsc(name, "DEFINE QLOCAL(Q) CLUSTER(CA)", at=START)
    change = PlannedScript("PR1", "ALTER QLOCAL(Q) DESCR(NEW)")
    pair = rehearsed(twin.rehearse(), [change], 91)
    found = differing_histories(pair.base, pair.changed, pair.first)
    assert set(found) == {"PR1", "FR1", "FR2"}
    assert {sides.name for sides in pair.touched("repository")} == {"PR1", "FR1", "FR2"}
    assert "PR2" in {pair.base.estate.names[qmid] for qmid, _ in pair.base.touched()}
    assert_alike(pair)


def test_who_is_named_in_an_event_of_one_side_may_differ() -> None:
    """The receipt of records also changes what is noted at their sender."""
    pair = unchanged()
    pair.changed.decided.append(Decided(NOW, received(pair, owner="PR1", sender="PR2")))
    found = differing_histories(pair.base, pair.changed, pair.first)
    assert set(found) == {"FR1", "PR1", "PR2"}


def test_who_receives_a_publication_with_other_contents_differs() -> None:
    """The event of the receipt is the same on both sides: it names the publication."""
    pair = unchanged()
    for rehearsal, text in ((pair.base, "OLD"), (pair.changed, "NEW")):
        published = events.InformationPublished(
            qmgr="PR1",
            cluster="CA",
            qmid=rehearsal.estate.qmgr("PR1").qmid,
            sequence=9,
            records=(events.RecordPublished(kind="queue", name="Q", values={"DESCR": text}),),
        )
        rehearsal.decided.append(Decided(NOW, published))
        rehearsal.decided.append(Decided(NOW, received(pair, owner="PR1", sender="PR1")))
        rehearsal.decided.append(Decided(NOW, received(pair, owner="PR2", sender="PR2", on="PR1")))
    found = differing_histories(pair.base, pair.changed, pair.first)
    assert set(found) == {"FR1", "PR1"}


def unchanged() -> RehearsedPair:
    """Return two rehearsals in which nothing happened."""
    return rehearsed(build(make_twin("sqlite://", lambda: NOW)).rehearse(), [], 0)


def received(
    pair: RehearsedPair, *, owner: str, sender: str, on: str = "FR1"
) -> events.InformationReceived:
    """Return the receipt of a publication."""
    item = events.Item(owner=pair.base.estate.qmgr(owner).qmid, sequence=9)
    return events.InformationReceived(qmgr=on, cluster="CA", sender=sender, items=(item,))


def rehearsed(begin: Rehearsal, changes: list[PlannedChange], days: int) -> RehearsedPair:
    """Rehearse changes beside doing nothing."""
    base, changed = begin.fork(), begin.fork()
    perform(changed, tuple(changes))
    until = begin.now() + days * DAY + HOUR
    base.advance(until)
    changed.advance(until)
    return RehearsedPair(begin, base, changed, begin.now())


def assert_alike(pair: RehearsedPair) -> None:
    """Check all parts that the pair does not call different."""
    for name, before, after in pair.qmgrs:
        if before is not None and after is not None and before.qmid == after.qmid:
            for part in PARTS:
                if (after.qmid, part) not in pair.parts:
                    one, other = (plain(getattr(each, part)) for each in (before, after))
                    assert one == other, (name, part)


def plain(value: Any) -> Any:
    """Return what a part says as dicts and lists, without positions."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        named = zip(value._fields, value, strict=True)
        return {key: plain(each) for key, each in named if key not in _NOT_COMPARED}
    if is_dataclass(value):
        names = [each.name for each in fields(value) if each.name not in _NOT_COMPARED]
        return {name: plain(getattr(value, name)) for name in names}
    return [plain(each) for each in value] if isinstance(value, list | tuple | set) else value
