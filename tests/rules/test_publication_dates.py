"""When observed owners published their records, by CLUSDATE of those who hold them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.questions.test_basis import define, imported, seen
from tests.sandbox import START, Sandbox
from twin.events import (
    BeliefsObserved,
    ClusterCommandObserved,
    InformationRepublished,
    ObjectsObserved,
    QueueManagerStatusObserved,
    RecordSaid,
    SuspensionObserved,
)
from twin.fold.estate import Estate
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.model.instants import DAY, Instant
from twin.questions.belief import lifetimes
from twin.rules.deriving import derive, derive_together


def received(box: Sandbox, at: Instant, *, on: str = "FR1", **values: str) -> BeliefsObserved:
    """Return what one shows of the queue of QM2: since when it has it, with which values."""
    event = seen(box)
    (said,) = event.said
    said = replace(said, received=at, values={**said.values, **values})
    return replace(event, qmgr=on, said=(said,), columns=(*event.columns, *values))


def published(box: Sandbox, estate: Estate | None = None) -> dict[str, object]:
    """Return when the queue was published by the rules, at each queue manager that holds it.

    Where nobody saw a renewal that was due, that is the second reading of `lifetimes`.
    """
    rows = lifetimes(estate or box.estate, box.as_of, kind="queue").rows
    return {str(row["observer"]): row["or_published"] or row["published"] for row in rows}


@pytest.mark.parametrize(("days", "periods"), [(5, 0), (26, 0), (28, 1), (60, 2)])
def test_a_record_was_published_when_it_was_received_or_periods_later(
    days: int, periods: int
) -> None:
    """Owner and holder have the last of the instants that lie 27 days apart."""
    box = imported()
    assert published(box) == {"FR1": START, "QM2": START}
    derive(box.draft, received(box, START - days * DAY))
    at = START - days * DAY + periods * 27 * DAY
    assert published(box) == {"FR1": at, "QM2": at}


def test_its_owner_sends_it_again_27_days_later() -> None:
    """Only this record: the others were published at the import, as far as is known."""
    box = imported()
    derive(box.draft, received(box, START - 5 * DAY))
    box.pass_time(22 * DAY)
    sent = [event for _, event in box.draft.events if isinstance(event, InformationRepublished)]
    assert [event.names for event in sent] == [(("queue", "ORD"),)]
    assert published(box) == {"FR1": START + 22 * DAY, "QM2": START + 22 * DAY}


def test_what_was_sent_again_since_keeps_its_date() -> None:
    """An answer a month later shows the same CLUSDATE, or another one."""
    box = imported()
    box.pass_time(30 * DAY)
    for days in (5, 1):
        derive(box.draft, received(box, START - days * DAY))
        assert published(box) == {"FR1": START + 27 * DAY, "QM2": START + 27 * DAY}


def test_the_owner_knows_best() -> None:
    """What it shows moves a date that rests on another queue manager, earlier or later."""
    box = imported()
    derive(box.draft, received(box, START - 5 * DAY))
    box.pass_time(30 * DAY)
    assert published(box) == {"FR1": START + 22 * DAY, "QM2": START + 22 * DAY}
    for days in (-6, 8):
        derive(box.draft, received(box, START + days * DAY, on="QM2"))
        last = START + (21 if days < 0 else days) * DAY
        assert published(box)["QM2"] == last
        derive(box.draft, received(box, START + days * DAY))
        assert published(box) == {"FR1": last, "QM2": last}


def test_a_refresh_since_then_is_when_it_was_sent_last() -> None:
    """The owner shows since when it has the record; REFRESH CLUSTER sent it again."""
    box = imported()
    box.pass_time(5 * DAY)
    derive(
        box.draft, ClusterCommandObserved(qmgr="QM2", command="REFRESH", cluster="CA", done=True)
    )
    refreshed = box.draft.at
    box.pass_time(DAY)
    derive(box.draft, received(box, START - 5 * DAY, on="QM2"))
    assert published(box)["QM2"] == refreshed


def test_a_record_that_was_due_while_its_owner_was_down_was_sent_as_it_started() -> None:
    """The periods of 27 days begin again then."""
    box = imported()
    box.pass_time(20 * DAY)
    derive(box.draft, QueueManagerStatusObserved(qmgr="QM2", status="ENDED"))
    box.pass_time(8 * DAY)
    derive(box.draft, QueueManagerStatusObserved(qmgr="QM2", status="RUNNING"))
    started = box.draft.at
    box.pass_time(DAY)
    assert published(box)["QM2"] == started
    derive(box.draft, received(box, START, on="QM2"))
    assert published(box)["QM2"] == started


def test_a_full_repository_counts_more_than_one_that_missed_a_change() -> None:
    """The queue was disabled and enabled: QM3, which was not told, has it since before."""
    box = imported()
    channels = (
        define("CA.FR1", "CLUSSDR", {"CONNAME": "fr1(1414)", "CLUSTER": "CA"}),
        define("CA.QM3", "CLUSRCVR", {"CONNAME": "qm3(1414)", "CLUSTER": "CA"}),
    )
    derive(box.draft, ObjectsObserved(qmgr="QM3", kind="CHANNEL", said=channels, qmid="QM3_1"))
    shown = [
        received(box, START - 20 * DAY, on="QM3"),
        received(box, START - 5 * DAY),
    ]
    for follow in derive_together(box.draft, shown):
        follow()
    assert published(box)["QM2"] == START - 5 * DAY


def test_one_that_was_seen_suspended_did_not_become_so_then() -> None:
    """The answer that shows SUSPEND(YES) shows since when: the record was not sent again now."""
    box = imported()
    since = START - 3 * DAY
    said = RecordSaid(
        cluster="CA", name="CA.QM2", owner="QM2_1", owner_name="QM2", values={}, received=since
    )
    derive(
        box.draft,
        BeliefsObserved(qmgr="QM2", kind="qmgr", said=(said,), columns=(), complete="*"),
    )
    derive(box.draft, SuspensionObserved(qmgr="QM2", cluster="CA", suspended=True))
    rows = lifetimes(box.estate, box.as_of, kind="qmgr", owner="QM2").rows
    assert {row["published"] for row in rows if row["observer"] == "QM2"} == {since}


@pytest.mark.parametrize("is_told", [True, False])
def test_a_full_repository_that_was_not_told_of_a_suspension_has_an_older_record(
    *, is_told: bool
) -> None:
    """The answer of the owner has the date of its suspension; one that shows NO has its own."""
    box = imported()
    dates = {"QM2": START - 3 * DAY, "FR1": START - (3 if is_told else 20) * DAY}
    for name, since in dates.items():
        said = RecordSaid(
            cluster="CA",
            name="CA.QM2",
            owner="QM2_1",
            owner_name="QM2",
            values={"SUSPEND": "YES"} if is_told or name == "QM2" else {},
            received=since,
        )
        derive(
            box.draft,
            BeliefsObserved(qmgr=name, kind="qmgr", said=(said,), columns=("SUSPEND",)),
        )
    derive(box.draft, SuspensionObserved(qmgr="QM2", cluster="CA", suspended=True))
    rows = lifetimes(box.estate, box.as_of, kind="qmgr", owner="QM2").rows
    assert {row["observer"]: row["published"] for row in rows} == dates


def test_another_version_dates_nothing_at_its_owner() -> None:
    """FR1 shows the queue with other values than its owner defines."""
    box = imported()
    derive(box.draft, received(box, START - 5 * DAY, PUT="DISABLED"))
    assert published(box)["QM2"] == START


def test_the_dates_are_stored() -> None:
    """An estate that is read from its pages has them, and renews the record in time."""
    box = imported()
    derive(box.draft, received(box, START - 5 * DAY))
    pages = pages_of(box.estate)
    read = estate_from(pages[ESTATE], pages.__getitem__)
    assert published(box, read) == published(box)
