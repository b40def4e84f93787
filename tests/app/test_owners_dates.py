"""ALTDATE and ALTTIME of a record: a local time of its owner, whoever shows it."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import permutations
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, Instant, datetime_of, instant_of

_ZONES = ("Asia/Tokyo", "America/Denver", "Europe/Berlin", "Asia/Kathmandu", "UTC")
_SEEN = START + 20 * DAY

_DUMP = """* Script generated on {date}   at {time}
* Queue manager name: FARM
* Queue manager platform: UNIX
* Queue manager command level: (930)
* Queue manager QMID: FARM_2025-01-01_00.00.00
DEFINE QLOCAL('MILK') CLUSTER('VALLEY') CLWLPRTY(1) +
*  ALTDATE({date}) +
*  ALTTIME({time}) +
   REPLACE
*******
* All attributes
"""
_ROW = """Starting MQSC for queue manager SHOP.
     1 : DISPLAY QMGR ALL
AMQ8408I: Display Queue Manager details.
   QMNAME(SHOP)                            QMID(SHOP_2025-01-01_00.00.00)
   CMDLEVEL(930)                           PLATFORM(UNIX)
     2 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(MILK)                             TYPE(QCLUSTER)
   ALTDATE({date})                         ALTTIME({time})
   CLUSDATE(2026-01-02)                    CLUSTIME(11.22.33)
   CLUSQMGR(FARM)                          CLUSQT(QLOCAL)
   CLUSTER(VALLEY)                         CLWLPRTY(7)
   QMID(FARM_2025-01-01_00.00.00)
2 MQSC commands read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""


def _cells(local: datetime) -> dict[str, str]:
    return {"date": f"{local:%Y-%m-%d}", "time": f"{local:%H.%M.%S}"}


def _told(twin: Twin) -> tuple[list[str], list[tuple[object, object]]]:
    """Return the date of the record that DISPLAY shows, and the rows of `changes` about MILK."""
    lines = twin.mqsc("SHOP", as_of=_SEEN).run("DISPLAY QCLUSTER(MILK) ALTDATE ALTTIME").lines
    shown = [word for line in lines for word in line.split() if word[:3] == "ALT" and "(" in word]
    answer = twin.ask("changes", since=_SEEN - 9 * DAY, as_of=_SEEN, on="FARM", name="MILK")
    return shown, [(row["at"], row["basis"]) for row in answer.rows if row["field"] == "ALTDATE"]


@examples(cost=8)
@given(
    here=st.sampled_from(_ZONES),
    there=st.sampled_from(_ZONES),
    known=st.sampled_from(("with its zone", "")),
    since=st.integers(DAY // 1_000_000, 8 * 86_400),
)
def test_a_date_of_a_record_is_of_the_clock_of_its_owner(
    here: str, there: str, known: str, since: int
) -> None:
    """The zone of the observer moves nothing; that of the owner makes an instant, in any order.

    DISPLAY shows what was written. As long as no file has the zone of the owner, the instant of
    the change is assumed.
    """
    altered = datetime_of(_SEEN).replace(microsecond=0, tzinfo=None) - timedelta(seconds=since)
    cells = _cells(altered)
    row = FileText(_ROW.format(**cells), None, zone=ZoneInfo(here))
    dump = FileText(
        _DUMP.format(**_cells(altered - timedelta(days=10))),
        None,
        zone=ZoneInfo(there) if known else None,
    )
    told = []
    for order in permutations(((row, _SEEN), (dump, _SEEN - 9 * DAY))):
        with fresh(1) as (twin,):
            for file, seen in order:
                twin.ingest_files([file], at=seen)
            told.append(_told(twin))
    at: Instant = instant_of(altered.replace(tzinfo=ZoneInfo(there if known else "UTC")))
    assert told[0] == told[1]
    shown, changed = told[0]
    assert shown == [f"ALTDATE({cells['date']})", f"ALTTIME({cells['time']})"]
    assert changed == [(min(at, _SEEN), "observed" if known else "assumed")]
