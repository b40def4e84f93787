"""The fold: every event has its handler, and pages give back what they were made of."""

from __future__ import annotations

from tests.app.scenes import picture
from tests.sandbox import small_cluster
from twin import events
from twin.events.catalogue import EVENTS, column_of, encode
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.fold.replay.table import HANDLERS
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
    """The catalogue and the fold name the same events."""
    assert set(HANDLERS) == set(EVENTS.values())


def test_pages_give_back_the_estate_they_were_made_of() -> None:
    """An estate written as pages and loaded part by part is the same estate."""
    estate = _lively()
    pages = pages_of(estate)
    loaded = estate_from(pages["estate"], pages.__getitem__)
    assert picture(loaded) == picture(estate)
    assert loaded.departed.keys() == estate.departed.keys()
    assert set(all_page_names(estate)) == set(pages)


def test_a_page_is_loaded_only_when_it_is_touched() -> None:
    """Asking for one queue manager's objects loads that page and no other."""
    pages = pages_of(_lively())
    touched: list[str] = []

    def load(name: str) -> bytes:
        touched.append(name)
        return pages[name]

    loaded = estate_from(pages["estate"], load)
    assert loaded.qmgr("PR2").definitions
    assert loaded.qmgr("PR2").definitions
    assert touched == [f"definitions:{loaded.qmgr('PR2').qmid}"]


def test_folding_goes_on_from_loaded_pages() -> None:
    """What is folded into a loaded estate and into the original comes to the same."""
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


def test_evidence_is_the_position_of_the_last_fact() -> None:
    """A definition rests on the event that last changed it."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD)")
    first = sandbox.estate.qmgr("PR2").definitions["QUEUE", "ORD"].position
    sandbox.run("PR2", "ALTER QLOCAL(ORD) DESCR(X)")
    assert sandbox.estate.qmgr("PR2").definitions["QUEUE", "ORD"].position > first
