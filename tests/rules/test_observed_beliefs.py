"""Beliefs that were observed: captures of DISPLAY, folded in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import picture
from tests.feeds.observing import whole_answers
from tests.sandbox import START, Sandbox
from twin.app.session import MqscSession
from twin.events import BeliefsObserved, RecordSaid
from twin.feeds.captures.beliefs import BeliefsSeen, beliefs_in, shows_beliefs
from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.fold.estate import Estate
from twin.fold.replay import apply
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.model.instants import DAY, HOUR, AsOf, Instant
from twin.rules.deriving import derive

COMMANDS = ("DISPLAY CLUSQMGR(*) ALL", "DISPLAY QCLUSTER(*) ALL", "DISPLAY TCLUSTER(*) ALL")


def alpha() -> Sandbox:
    """Return cluster ALPHA: full repositories A and B, partial ones C and D, three queues."""
    box = Sandbox().create("A", "B", "C", "D")
    box.full("A", "B", cluster="ALPHA").full("B", "A", cluster="ALPHA")
    box.member("C", "A", cluster="ALPHA").member("D", "B", cluster="ALPHA")
    box.pass_time(HOUR)
    box.run("C", "DEFINE QLOCAL(ORDERS) CLUSTER(ALPHA) DEFBIND(NOTFIXED) CLWLPRTY(3)")
    box.run("D", "DEFINE QALIAS(ORDERS) TARGET(X) CLUSTER(ALPHA) DESCR('of (D), and more')")
    box.run("D", "DEFINE TOPIC(NEWS) TOPICSTR('news') CLUSTER(ALPHA)")
    box.pass_time(HOUR)
    box.put("C", "NOSUCH")
    return box.pass_time(HOUR)


def seen(box: Sandbox, qmgr: str, *commands: str) -> list[BeliefsSeen]:
    """Return what a queue manager shows, as beliefs."""

    def look(question: Callable[[Estate, AsOf], Any]) -> Any:
        return question(box.estate, box.as_of)

    lines = MqscSession.reading(look, qmgr).run("\n".join(commands)).lines
    captures = [each for each in read_captures(lines) if isinstance(each, Capture)]
    return [beliefs_in(parts) for parts in whole_answers(captures) if shows_beliefs(parts[0])]


def shown(box: Sandbox, qmgr: str, *commands: str) -> list[BeliefsObserved]:
    """Return the observations of the three commands, or of others."""
    return [each.event for each in seen(box, qmgr, *(commands or COMMANDS))]


def held(estate: Estate, qmgr: str) -> dict[Any, Any]:
    """Return what a queue manager holds of others, without receipts."""
    observer = estate.qmgr(qmgr)
    return {
        (name, owner): (belief.owner_name, belief.values)
        for name, owners in observer.repository.beliefs.items()
        for owner, belief in owners.items()
        if owner != observer.qmid
    }


def take(estate: Estate, at: Instant, *events: BeliefsObserved) -> Estate:
    """Fold observations of one instant."""
    for event in events:
        apply(estate, event, at, estate.position + 1)
    return estate


@pytest.mark.parametrize("qmgr", ["A", "B", "C", "D"])
def test_what_is_shown_and_known_changes_nothing(qmgr: str) -> None:
    """A capture of what the twin knows already keeps all records and their receipts."""
    box = alpha()
    before = picture(box.estate)[qmgr]
    for event in shown(box, qmgr):
        derive(box.draft, event)
    assert picture(box.estate)[qmgr] == before
    shown_now = box.estate.qmgr(qmgr).repository.shown
    records = box.estate.qmgr(qmgr).repository.beliefs.items()
    assert {key: each.at for key, each in shown_now.items()} == dict.fromkeys(
        [(name, owner) for name, owners in records for owner in owners], box.draft.at
    )


@pytest.mark.parametrize("qmgr", ["A", "C"])
def test_captures_alone_give_the_beliefs_of_their_queue_manager(qmgr: str) -> None:
    """In an empty estate, captures give the same records, and owners are no queue managers."""
    box = alpha()
    estate = take(Estate(), box.draft.at, *shown(box, qmgr))
    expected = held(box.estate, qmgr)
    assert estate.qmgrs.keys() == {qmgr}
    assert estate.qmgr(qmgr).qmid == box.estate.qmgr(qmgr).qmid
    assert held(estate, qmgr).keys() == expected.keys()
    lacks = {
        "TARGET",
        "UNSHOWN",
    }  # DISPLAY QCLUSTER does not show TARGET; columns it lacks are noted
    assert {key: without(value, lacks) for key, value in held(estate, qmgr).items()} == {
        key: without(value, lacks) for key, value in expected.items()
    }


def without(record: tuple[str, dict[str, Any]], keywords: set[str]) -> Any:
    """Return a record without some attributes, and with its date in whole seconds."""
    name, values = record
    rest = {key: value for key, value in values.items() if key not in keywords}
    return name, {**rest, "ALTERED": rest["ALTERED"] // 1_000_000}


def test_a_complete_capture_lets_go_of_what_it_does_not_show() -> None:
    """A record missing from a complete capture is no longer held; from another, it is."""
    box = alpha()
    _, queues, _ = shown(box, "A")
    missing, rest = queues.said[0], queues.said[1:]
    key = (missing.cluster, "queue", missing.name)
    take(box.estate, box.draft.at, replace(queues, said=rest, complete=None))
    assert missing.owner in box.estate.qmgr("A").repository.beliefs[key]
    take(box.estate, box.draft.at + 1, replace(queues, said=rest, complete="X*"))
    assert missing.owner in box.estate.qmgr("A").repository.beliefs[key]
    take(box.estate, box.draft.at + 2, replace(queues, said=rest))
    assert missing.owner not in box.estate.qmgr("A").repository.beliefs.get(key, {})
    assert len(held(box.estate, "B")) == len(held(alpha().estate, "B"))


def test_a_complete_capture_of_queue_managers_removes_their_routes() -> None:
    """A queue manager that a complete capture does not show is no destination any more."""
    box = alpha()
    members, _, _ = shown(box, "A")
    gone = box.estate.qmgr("D").qmid
    said = tuple(each for each in members.said if each.owner != gone)
    derive(box.draft, replace(members, said=said))
    assert ("ALPHA", gone) not in box.estate.qmgr("A").repository.routes
    assert "ALPHA.D" not in box.estate.qmgr("A").activity.channels


def test_a_record_that_differs_is_held_as_it_was_seen_until_it_is_published_again() -> None:
    """A later publication of the owner replaces what was seen."""
    box = alpha()
    _, queues, _ = shown(box, "A")
    one = next(each for each in queues.said if each.owner_name == "C")
    key = (one.cluster, "queue", one.name)
    other = replace(one, values={**one.values, "PUT": "DISABLED"}, received=box.draft.at - HOUR)
    derive(box.draft, replace(queues, said=(other,), complete=None))
    belief = box.estate.qmgr("A").repository.beliefs[key][one.owner]
    assert (belief.values["PUT"], belief.published) == ("DISABLED", box.draft.at - HOUR)
    assert belief.sequence < 0
    box.pass_time(HOUR)
    box.run("C", "ALTER QLOCAL(ORDERS) DESCR('new')")
    belief = box.estate.qmgr("A").repository.beliefs[key][one.owner]
    assert belief.sequence > 0
    assert "PUT" not in belief.values


def record(number: int, *, received: Instant | None, **values: Any) -> RecordSaid:
    """Return the record of a queue manager that is not in the twin."""
    return RecordSaid(
        cluster="ALPHA",
        name=f"ALPHA.X{number}",
        owner=f"X{number}_2020-01-01_00.00.00",
        owner_name=f"X{number}",
        values={"CONNAME": f"x{number}(1414)", **values},
        received=received,
    )


def observation(*said: RecordSaid, complete: str | None = "*", qmgr: str = "A") -> BeliefsObserved:
    """Return an observation of queue managers at A."""
    return BeliefsObserved(
        qmgr=qmgr,
        kind="qmgr",
        said=said,
        columns=("CONNAME", "QMTYPE", "SUSPEND"),
        complete=complete,
        qmid=f"{qmgr}_2020-01-01_00.00.00",
        cmdlevel=930,
    )


def test_an_owner_that_is_not_in_the_twin_is_known_by_name_only() -> None:
    """Its name is known, its record is held, and it becomes a queue manager when it is seen."""
    estate = take(Estate(), START, observation(record(1, received=START - DAY)))
    assert estate.qmgrs.keys() == {"A"}
    assert estate.qmgr("A").cmdlevel == 930
    assert estate.names["X1_2020-01-01_00.00.00"] == "X1"
    assert estate.owner("X1_2020-01-01_00.00.00").name == "X1"
    take(estate, START + 1, replace(observation(qmgr="X1"), complete=None))
    assert estate.qmgrs.keys() == {"A", "X1"}
    assert estate.owner("X1_2020-01-01_00.00.00") is estate.qmgr("X1")
    assert held(estate, "A")


@pytest.mark.parametrize("qmgr", ["A", "C"])
def test_an_owner_without_qmid_is_found_by_its_name(qmgr: str) -> None:
    """A capture without ALL changes nothing that is known; an unknown name stands for a QMID."""
    box = alpha()
    (members,) = shown(box, qmgr, "DISPLAY CLUSQMGR(*) QMTYPE SUSPEND")
    assert {each.owner for each in members.said} == {""}
    before = held(box.estate, qmgr)
    assert held(take(box.estate, box.draft.at, members), qmgr) == before
    unknown = replace(record(1, received=START), owner="")
    estate = take(Estate(), START, observation(unknown))
    assert [owner for _, owner in held(estate, "A")] == ["X1"]


def test_an_observer_without_a_qmid_is_not_first_seen() -> None:
    """Beliefs of a queue manager that is unknown, and whose own row is missing, say nothing."""
    event = replace(observation(record(1, received=None)), qmid=None)
    assert picture(take(Estate(), START, event)) == {}


@pytest.mark.parametrize(("days", "published"), [(1, 1), (29, 29), (30, 3), (40, 13), (81, 0)])
def test_a_record_that_is_shown_has_not_expired(days: int, published: int) -> None:
    """A record whose date is too old was renewed since, every 27 days."""
    estate = take(Estate(), START, observation(record(1, received=START - days * DAY)))
    (belief,) = (each for _, each in estate.qmgr("A").repository.of_kind("qmgr"))
    assert (START - belief.published) // DAY == published
    assert belief.received == START - days * DAY


@pytest.mark.parametrize(("received", "moved"), [(None, 0), (START, 0), (START + HOUR, HOUR)])
def test_a_record_seen_again_keeps_its_receipt(received: Instant | None, moved: int) -> None:
    """It keeps the receipt unless a later one is shown; no date shows nothing."""
    estate = take(Estate(), START, observation(record(1, received=START)))
    take(estate, START + DAY, observation(record(1, received=received)))
    (belief,) = (each for _, each in estate.qmgr("A").repository.of_kind("qmgr"))
    assert (belief.received, belief.since) == (START + moved, START)


def test_a_record_that_is_shown_as_it_expires_was_renewed() -> None:
    """It is shown at the very instant at which it would expire."""
    box = Sandbox()
    derive(box.draft, observation(record(1, received=START)))
    box.pass_time(30 * DAY - 1)
    box.draft.at += 1
    derive(box.draft, observation(record(1, received=START)))
    (belief,) = (each for _, each in box.estate.qmgr("A").repository.of_kind("qmgr"))
    assert belief.published == START + 27 * DAY
    assert not box.estate.qmgr("A").repository.expired


def test_a_record_that_was_set_again_has_the_later_date() -> None:
    """Its object was altered to the same values, so its owner published it again."""
    first = record(1, received=START, ALTERED=START)
    again = record(1, received=START + HOUR, ALTERED=START + HOUR)
    estate = take(Estate(), START, replace(observation(first), columns=("CONNAME",)))
    for said in (again, first):
        take(estate, START + DAY, replace(observation(said), columns=("CONNAME",)))
    (belief,) = (each for _, each in estate.qmgr("A").repository.of_kind("qmgr"))
    assert belief.values["ALTERED"] == START + HOUR
    assert (belief.since, belief.received) == (START + HOUR, START + HOUR)


def test_what_has_expired_goes_when_a_complete_capture_does_not_show_it() -> None:
    """DISPLAY shows a record in its grace period, too; one that is shown again is held again."""
    box = Sandbox()
    derive(box.draft, observation(record(1, received=START)))
    box.pass_time(40 * DAY)
    assert box.estate.qmgr("A").repository.expired
    derive(box.draft, observation())
    assert not held(box.estate, "A")
    derive(box.draft, observation(record(1, received=START)))
    assert not box.estate.qmgr("A").repository.expired
    box.pass_time(100 * DAY)
    assert not held(box.estate, "A")


def test_a_full_repository_passes_on_what_it_was_seen_to_hold() -> None:
    """On a branch, a member that asks gets the records of an owner that is not in the twin."""
    box = alpha()
    owner = record(1, received=START)
    queue = replace(owner, name="Q9", values={"CLUSQT": "QLOCAL"})
    for kind, said in (("qmgr", owner), ("queue", queue)):
        for qmgr in "AB":
            event = replace(observation(said, complete=None, qmgr=qmgr), kind=kind)
            derive(box.draft, event)
    box.open("C", "Q9")
    box.pass_time(HOUR)
    assert "Q9@X1" in box.knows("C", "queue", cluster="ALPHA")
    assert "X1" in box.knows("C", "qmgr", cluster="ALPHA")


_RECORDS = st.builds(
    lambda number, hours, suspended: record(
        number, received=START - hours * HOUR, **({"SUSPEND": "YES"} if suspended else {})
    ),
    st.integers(1, 3),
    st.integers(0, 800),
    st.booleans(),
)
_OBSERVATIONS = st.builds(
    lambda said, complete: observation(
        *sorted({each.name: each for each in said}.values(), key=lambda each: each.name),
        complete=complete,
    ),
    st.lists(_RECORDS, max_size=3),
    st.sampled_from([None, "*", "X1"]),
)


@given(st.lists(_OBSERVATIONS, min_size=1, max_size=4).flatmap(
    lambda made: st.tuples(st.just(made), st.permutations(made))
))  # fmt: skip
def test_at_one_instant_the_order_decides_nothing(
    orders: tuple[Sequence[BeliefsObserved], Sequence[BeliefsObserved]],
) -> None:
    """Observations of one instant give the same estate in any order, and twice."""
    one, other = (take(Estate(), START, *events) for events in orders)
    assert picture(one) == picture(other) == picture(take(one, START, *orders[1]))


@given(st.lists(_OBSERVATIONS, max_size=4), st.lists(_OBSERVATIONS, max_size=3))
def test_an_estate_read_from_pages_is_the_same(
    before: list[BeliefsObserved], after: list[BeliefsObserved]
) -> None:
    """Stored beliefs and what was seen of them are read back, and go on alike."""
    estate = Estate()
    for number, event in enumerate(before):
        take(estate, START + number * DAY, event)
    pages = pages_of(estate)
    read = estate_from(pages[ESTATE], pages.__getitem__)
    for number, event in enumerate(after):
        for each in (estate, read):
            take(each, START + (10 + number) * DAY, event)
    assert picture(read) == picture(estate)
    assert pages_of(read) == pages_of(estate)
