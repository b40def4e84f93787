"""When observed owners published their records, by CLUSDATE of those who hold them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.questions.test_basis import imported, seen
from tests.sandbox import START, Sandbox
from twin.events import BeliefsObserved, InformationRepublished
from twin.fold.estate import Estate
from twin.fold.store.pages import ESTATE, estate_from, pages_of
from twin.model.instants import DAY, Instant
from twin.questions.lifetimes import lifetimes
from twin.rules.deriving import derive


def received(box: Sandbox, at: Instant, **values: str) -> BeliefsObserved:
    """Return what FR1 shows of the queue of QM2: since when it has it, with which values."""
    event = seen(box)
    (said,) = event.said
    said = replace(said, received=at, values={**said.values, **values})
    return replace(event, said=(said,), columns=(*event.columns, *values))


def published(box: Sandbox, estate: Estate | None = None) -> dict[str, object]:
    """Return when the queue was published, at each queue manager that holds it."""
    rows = lifetimes(estate or box.estate, box.as_of, kind="queue").rows
    return {str(row["observer"]): row["published"] for row in rows}


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
