"""The facts of a picture: when records came and went, and outages."""

from __future__ import annotations

from tests.questions.telling import Tale
from tests.sandbox import START
from twin import events
from twin.model.instants import DAY
from twin.questions.belief import RecordFilters, records
from twin.questions.picture._history import OutagePeriod, history, outages
from twin.questions.picture._lines import HeldPeriod, Line, held, removed


def _tale() -> Tale:
    """Let FR1 hold the record and the queue of QM2 since the first day."""
    tale = Tale().create("FR1", "QM2")
    return tale.publish("QM2", "qmgr/CA.QM2", "queue/ORDERS").receive("FR1", "QM2")


def _held(tale: Tale, kind: str = "queue", on: str = "FR1") -> list[Line]:
    chosen = RecordFilters(on=on, kind=kind)
    return list(held(history(tale.estate, tale.facts), records(tale.estate, chosen)))


def _removed(tale: Tale, **chosen: str) -> list[Line]:
    return list(removed(history(tale.estate, tale.facts), RecordFilters(**chosen), since=START))


def _day(number: int) -> int:
    return START + number * DAY


_ITEM = events.Item(owner="QM2_1", sequence=1)


def test_what_is_sent_again_begins_a_new_period() -> None:
    """A period ends when the next publication is received, not when it was sent."""
    tale = _tale().at("+27d")
    names = (("qmgr", "CA.QM2"), ("queue", "ORDERS"))
    tale.tell(
        events.InformationRepublished(
            qmgr="QM2", qmid="QM2_1", cluster="CA", sequence=2, names=names
        )
    )
    tale.at("+29d").receive("FR1", "QM2", sequence=2)
    (line,) = _held(tale)
    assert line.periods == (
        HeldPeriod(START, _day(29), START),
        HeldPeriod(_day(29), None, _day(27)),
    )
    assert line.sent == (START, _day(27))


def test_a_removed_record_that_came_again_is_one_line() -> None:
    """A record that was removed and is held again is one line with two periods."""
    tale = _tale().at("+90d")
    tale.tell(events.InformationRemoved(qmgr="FR1", cluster="CA", items=(_ITEM,)))
    assert [line.removed for line in _removed(tale, on="FR1")] == [_day(90), _day(90)]
    tale.at("+95d").publish("QM2", "queue/ORDERS", sequence=2).receive("FR1", "QM2", sequence=2)
    (line,) = _held(tale)
    assert line.periods == (
        HeldPeriod(START, _day(90), START, removed=True),
        HeldPeriod(_day(95), None, _day(95)),
    )
    assert [each.name for each in _removed(tale)] == ["CA.QM2"]
    assert _removed(tale, name="QM2") == _removed(tale, kind="qmgr", owner="QM2")
    assert _removed(tale, on="QM2") == _removed(tale, owner="FR1") == []


def test_a_refresh_interrupts_a_life() -> None:
    """A record that a refresh dropped is not held until it comes again, and not removed by age."""
    tale = _tale().at("+3d")
    tale.tell(
        events.RepositoryRefreshed(
            qmgr="FR1", cluster="CA", repos="NO", dropped=(_ITEM,), refreshed=2, republished=0
        )
    )
    assert _held(tale) == _removed(tale) == []
    tale.at("+4d").receive("FR1", "QM2")
    (line,) = _held(tale)
    assert line.periods == (HeldPeriod(START, _day(3), START), HeldPeriod(_day(4), None, START))


def test_a_forced_removal_ends_a_life() -> None:
    """A forced removal without queues ends only the member's record, and not by age."""
    tale = _tale().at("+3d")
    tale.tell(
        events.MemberForceRemoved(
            qmgr="FR1", cluster="CA", member="QM2_1", queues=False, source="FR1"
        )
    )
    assert _held(tale, kind="qmgr") == _removed(tale) == []
    assert [line.periods for line in _held(tale)] == [(HeldPeriod(START, None, START),)]


def test_a_deletion_ends_a_life() -> None:
    """A record that its owner deleted ends, and begins again when it is sent again."""
    tale = _tale().at("+3d")
    gone = events.RecordPublished(kind="queue", name="ORDERS", values={}, deleted=True)
    tale.tell(
        events.InformationPublished(
            qmgr="QM2", qmid="QM2_1", cluster="CA", sequence=2, records=(gone,)
        )
    )
    assert _held(tale, on="QM2") == []
    tale.at("+5d").publish("QM2", "queue/ORDERS", sequence=3)
    (line,) = _held(tale, on="QM2")
    assert line.periods == (HeldPeriod(START, _day(3), START), HeldPeriod(_day(5), None, _day(5)))
    assert line.sent == (START, _day(5))


def test_outages_end_with_what_is_known() -> None:
    """An outage lasts from end to start, or up to the requested instant."""
    tale = _tale().at("+1d").tell(events.QueueManagerEnded(qmgr="QM2"))
    tale.at("+2d").tell(events.QueueManagerStarted(qmgr="QM2"))
    tale.at("+3d").tell(events.QueueManagerEnded(qmgr="QM2"))
    tale.tell(events.LinkChanged(qmgr="QM2", other="FR1", latency=5))
    tale.tell(events.LinkChanged(qmgr="QM2", other="FR1", cut=True))
    found = outages(tale.estate, tale.facts, until=_day(4))
    assert found.down == {
        "FR1_1": (),
        "QM2_1": (OutagePeriod(_day(1), _day(2)), OutagePeriod(_day(3), _day(4))),
    }
    assert found.cut == {("FR1", "QM2"): (OutagePeriod(_day(3), _day(4)),)}


def test_one_that_was_never_started_is_down() -> None:
    """A queue manager that was created and not started is down from then on."""
    tale = Tale().at("+1d")
    tale.tell(
        events.QueueManagerCreated(qmgr="QM2", qmid="QM2_1", cmdlevel=940, platform="UNIX"),
        events.QueueManagerFirstSeen(qmgr="QM3", qmid="QM3_1", cmdlevel=940, platform="UNIX"),
    )
    found = outages(tale.estate, tale.facts, until=_day(2))
    assert found.down == {"QM2_1": (OutagePeriod(_day(1), _day(2)),), "QM3_1": ()}
