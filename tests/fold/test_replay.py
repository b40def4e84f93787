"""Every event has a handler, and an estate read from pages equals the one written."""

from __future__ import annotations

import pytest

from tests.app.scenes import picture
from tests.sandbox import small_cluster
from twin import events
from twin.events.catalogue import EVENTS, column_of, encode
from twin.fold.estate import Estate
from twin.fold.replay import HANDLERS, UnfitEvent, replay
from twin.fold.store.pages import all_page_names, estate_from, pages_of


def _lively() -> Estate:
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)\nDEFINE NAMELIST(NL) NAMES(A,B)")
    sandbox.run("PR2", "DEFINE TOPIC(NEWS) TOPICSTR('/news') CLUSTER(CA)")
    sandbox.run("PR2", "START LISTENER\nDELETE CHANNEL(SYSTEM.DEF.SVRCONN)")
    sandbox.open("PR1", "ORD")
    sandbox.control("endmqm", "PR1")
    sandbox.run("PR2", "DEFINE QLOCAL(LATER) CLUSTER(CA)\nALTER QLOCAL(ORD) PUT(DISABLED)")
    sandbox.run("PR2", "DELETE QLOCAL(LATER)")
    sandbox.create("GONE")
    sandbox.member("GONE", "FR1")
    sandbox.control("endmqm", "GONE")
    sandbox.control("dltmqm", "GONE")
    return sandbox.estate


def test_every_event_has_exactly_one_handler() -> None:
    """The catalogue and the table of handlers have the same events."""
    assert set(HANDLERS) == set(EVENTS.values())


def test_an_estate_read_from_its_pages_is_the_same() -> None:
    """An estate written as pages and read part by part equals the original."""
    estate = _lively()
    pages = pages_of(estate)
    loaded = estate_from(pages["estate"], pages.__getitem__)
    assert picture(loaded) == picture(estate)
    assert loaded.departed.keys() == estate.departed.keys()
    assert set(all_page_names(estate)) == set(pages)


def test_a_page_is_read_when_its_part_is_first_used() -> None:
    """Reading the definitions of one queue manager reads that page once and no other page."""
    pages = pages_of(_lively())
    touched: list[str] = []

    def load(name: str) -> bytes:
        touched.append(name)
        return pages[name]

    loaded = estate_from(pages["estate"], load)
    assert loaded.qmgr("PR2").definitions
    assert loaded.qmgr("PR2").definitions
    assert touched == [f"definitions:{loaded.qmgr('PR2').qmid}"]


def test_an_estate_read_from_pages_folds_events_as_the_original_does() -> None:
    """The same rows folded into both give equal estates."""
    estate = _lively()
    pages = pages_of(estate)
    loaded = estate_from(pages["estate"], pages.__getitem__)
    more: list[events.Event] = [
        events.ObjectAltered(qmgr="PR2", kind="QUEUE", name="ORD", values={"DESCR": "x"}),
        events.ListenerStopped(qmgr="PR2", listener="SYSTEM.DEFAULT.LISTENER.TCP"),
        events.QueueManagerStarted(qmgr="PR1"),
    ]
    rows = [
        (estate.instant + number, 1000 + number, column_of(type(event)), encode(event))
        for number, event in enumerate(more)
    ]
    assert picture(replay(loaded, rows)) == picture(replay(estate, rows))


def test_a_definition_has_the_position_of_its_last_change() -> None:
    """ALTER moves the position of a definition forward."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD)")
    first = sandbox.estate.qmgr("PR2").definitions["QUEUE", "ORD"].position
    sandbox.run("PR2", "ALTER QLOCAL(ORD) DESCR(X)")
    assert sandbox.estate.qmgr("PR2").definitions["QUEUE", "ORD"].position > first


def test_an_event_that_does_not_fit_is_named() -> None:
    """An altered event, about what never was, is one line that names its position."""
    event = events.InformationReceived(
        qmgr="FR1", sender="PR1", cluster="CA", items=(events.Item(owner="NOBODY", sequence=1),)
    )
    row = (7, 3, column_of(type(event)), encode(event))
    with pytest.raises(UnfitEvent, match="event at position 3 does not fit"):
        replay(_lively(), [row])
