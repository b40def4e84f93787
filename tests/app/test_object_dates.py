"""When objects were created and altered: as their queue manager says, in UTC."""

from __future__ import annotations

from itertools import permutations
from zoneinfo import ZoneInfo

import pytest

from tests.feeds.test_dumps import OWN, dump
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.fold.store.pages import private_copy
from twin.model.instants import DAY, Instant, parse_instant

AT = parse_instant("2026-01-01T12:00:00Z", now=0)
LATER = AT + 9 * DAY
DATES = """*  ALTDATE({alt}) +
*  ALTTIME(10.00.00) +
*  CRDATE({cr}) +
*  CRTIME(09.00.00) +
"""


def queue(name: str, created: str, altered: str, attribute: str = "") -> str:
    """Return the definition of a queue in a dump, with its dates in comments."""
    dates = DATES.format(cr=created, alt=altered)
    return f"DEFINE QLOCAL('{name}') +\n{dates}{attribute}   REPLACE\n"


def shown(twin: Twin, name: str, at: Instant = LATER) -> str:
    """Return the dates that DISPLAY shows of a queue."""
    session = twin.runmqsc("QM7", f"DIS QL({name}) CRDATE CRTIME ALTDATE ALTTIME", as_of=at)
    (row,) = session.displayed
    return " ".join(str(row[each]) for each in ("crdate", "crtime", "altdate", "alttime"))


def load(twin: Twin, *bodies: str, at: Instant = AT, zone: str | None = None) -> None:
    """Import a dump of QM7."""
    named = ZoneInfo(zone) if zone else None
    twin.ingest_files([FileText(dump(OWN, *bodies), zone=named)], at=at)


def test_a_dump_says_when_its_objects_were_created_and_altered(twin: Twin) -> None:
    """Also objects of the product, which have no other values than usual.

    None is in the future: such a date is of a wrong zone, and not shown.
    """
    load(
        twin,
        queue("A", "2025-11-01", "2025-12-01"),
        queue("B", "2027-01-01", "2027-01-01"),
        queue("SYSTEM.DEFAULT.LOCAL.QUEUE", "2025-10-01", "2025-10-02"),
    )
    assert shown(twin, "A") == "2025-11-01 09.00.00 2025-12-01 10.00.00"
    assert shown(twin, "B") == "None None None None"
    assert shown(twin, "SYSTEM.DEFAULT.LOCAL.QUEUE") == "2025-10-01 09.00.00 2025-10-02 10.00.00"


def test_the_queue_manager_was_created_when_it_says_so(twin: Twin) -> None:
    """CRDATE of DISPLAY QMGR is not the date of the first dump; nor that of objects without one."""
    load(twin, queue("A", "2025-11-01", "2025-12-01"))
    (qmgr,) = twin.runmqsc("QM7", "DIS QMGR CRDATE CRTIME").displayed
    assert (qmgr["crdate"], qmgr["crtime"]) == ("2025-12-31", "23.59.58")
    assert "*  CRDATE(2025-12-31) +" in twin.dmpmqcfg("QM7")


def test_dates_are_local_times_of_the_zone(twin: Twin) -> None:
    """CRDATE and ALTDATE are in the zone of the queue manager, and DISPLAY shows UTC."""
    queue_of_product = queue("SYSTEM.DEFAULT.LOCAL.QUEUE", "2025-06-01", "2025-12-01")
    load(twin, queue_of_product, zone="Europe/Berlin")
    assert shown(twin, "SYSTEM.DEFAULT.LOCAL.QUEUE") == "2025-06-01 07.00.00 2025-12-01 09.00.00"


def test_a_queue_that_was_made_again_has_another_date(twin: Twin) -> None:
    """A later dump with a later CRDATE shows that it was deleted and defined again."""
    load(twin, queue("A", "2025-11-01", "2025-11-01"))
    load(twin, queue("A", "2026-01-02", "2026-01-02"), at=AT + 3 * DAY)
    assert shown(twin, "A", AT + DAY).startswith("2025-11-01 09.00.00")
    assert shown(twin, "A") == "2026-01-02 09.00.00 2026-01-02 10.00.00"


def test_dates_of_objects_of_the_product_are_no_change(twin: Twin) -> None:
    """Nothing changed between two dumps of which only the second has dates."""
    plain = "DEFINE QLOCAL('SYSTEM.DEFAULT.LOCAL.QUEUE') +\n   REPLACE\n"
    load(twin, plain)
    load(twin, queue("SYSTEM.DEFAULT.LOCAL.QUEUE", "2025-10-01", "2025-10-02"), at=AT + DAY)
    assert twin.ask("changes", since=AT, as_of=LATER).rows == ()
    assert shown(twin, "SYSTEM.DEFAULT.LOCAL.QUEUE").startswith("2025-10-01 09.00.00")


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_dumps_decides_no_date(twin: Twin, order: tuple[int, ...]) -> None:
    """Dumps of three days give the same dates, whatever comes in first.

    What was set without ALTER keeps the date that the dump shows.
    """
    bodies = [
        queue("A", "2025-11-01", "2025-11-01"),
        queue("A", "2025-11-01", "2025-11-01", "   MAXDEPTH(7) +\n"),
        queue("A", "2026-01-03", "2026-01-03"),
    ]
    for day in order:
        load(twin, bodies[day], at=AT + day * DAY)
    assert shown(twin, "A", AT + DAY) == "2025-11-01 09.00.00 2025-11-01 10.00.00"
    assert shown(twin, "A") == "2026-01-03 09.00.00 2026-01-03 10.00.00"


def test_dates_survive_a_snapshot(twin: Twin) -> None:
    """A saved estate has them."""
    load(twin, queue("SYSTEM.DEFAULT.LOCAL.QUEUE", "2025-10-01", "2025-10-02"))
    estate, _ = twin.view(as_of=LATER)
    copied = private_copy(estate).qmgrs["QM7"]
    assert copied.built == estate.qmgrs["QM7"].built is not None
    assert copied.definitions == estate.qmgrs["QM7"].definitions


def test_an_answer_to_display_has_the_dates(twin: Twin) -> None:
    """DISPLAY QMGR ALL and DISPLAY QUEUE ALL show CRDATE and CRTIME, too."""
    text = """Starting MQSC for queue manager QM7.

     1 : DISPLAY QMGR ALL
AMQ8408I: Display Queue Manager details.
   QMNAME(QM7)                             ALTDATE(2025-12-02)
   ALTTIME(08.00.00)                       CRDATE(2025-12-01)
   CRTIME(07.00.00)                        QMID(QM7_2025-12-01_07.00.00)
     2 : DISPLAY QLOCAL(A) ALL
AMQ8409I: Display Queue details.
   QUEUE(A)                                TYPE(QLOCAL)
   ALTDATE(2025-12-03)                     ALTTIME(08.00.00)
   CRDATE(2025-12-02)                      CRTIME(07.00.00)
2 MQSC commands read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""
    twin.ingest_files([FileText(text)], at=AT)
    assert shown(twin, "A").startswith("2025-12-02 07.00.00")
    (qmgr,) = twin.runmqsc("QM7", "DIS QMGR CRDATE CRTIME", as_of=LATER).displayed
    assert (qmgr["crdate"], qmgr["crtime"]) == ("2025-12-01", "07.00.00")
