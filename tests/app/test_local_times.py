"""Local dates and times of captures: DISPLAY shows them in UTC, but those of other owners as seen.

ALTDATE and ALTTIME of a record are a local time of its owner, which is not the one that answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_laws import fresh
from tests.laws import examples
from twin.model.instants import parse_instant
from twin.model.words import (
    CHANNEL_CELLS,
    DATED_CELLS,
    LISTENER_CELLS,
    OWN_CELLS,
    QUEUE_CELLS,
)

AT: Final = parse_instant("2026-03-05T12:00:00Z", now=0)
ZONES: Final = ("Asia/Kathmandu", "America/St_Johns", "Pacific/Auckland", "Europe/Lisbon")

TEXT: Final = """Starting MQSC for queue manager KILN.
     1 : DISPLAY QMGR ALL
AMQ8408I: Display Queue Manager details.
   QMNAME(KILN)                            QMID(KILN_2025-05-05_08.00.00)
   {ALTDATE ALTTIME}
   CMDLEVEL(930)                           PLATFORM(UNIX)
     2 : DISPLAY QMSTATUS ALL
AMQ8705I: Display Queue Manager Status Details.
   QMNAME(KILN)                            STATUS(RUNNING)
   {STARTDA STARTTI}
     3 : DISPLAY QUEUE(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(CLAY)                             TYPE(QLOCAL)
   {ALTDATE ALTTIME}
   {CRDATE CRTIME}
     4 : DISPLAY CHANNEL(*) ALL
AMQ8414I: Display Channel details.
   CHANNEL(ART.KILN)                       CHLTYPE(CLUSRCVR)
   {ALTDATE ALTTIME}
   CLUSTER(ART)                            CONNAME(kiln(1414))
     5 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(KILN)                          CHANNEL(ART.KILN)
   CLUSTER(ART)                            CONNAME(kiln(1414))
   {ALTDATE ALTTIME}
   {CLUSDATE CLUSTIME}
   DEFTYPE(CLUSRCVR)                       QMID(KILN_2025-05-05_08.00.00)
   QMTYPE(NORMAL)                          SUSPEND(NO)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(BARN)                          CHANNEL(ART.BARN)
   CLUSTER(ART)                            CONNAME(barn(1414))
   ALTDATE(2026-02-17)                     ALTTIME(03.04.05)
   {CLUSDATE CLUSTIME}
   DEFTYPE(CLUSSDRA)                       QMID(BARN_2025-05-05_08.00.00)
   QMTYPE(REPOS)                           STATUS(RUNNING)
     6 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(POTS)                             TYPE(QCLUSTER)
   ALTDATE(2026-02-18)                     ALTTIME(21.22.23)
   {CLUSDATE CLUSTIME}
   CLUSQMGR(BARN)                          CLUSQT(QLOCAL)
   CLUSTER(ART)                            QMID(BARN_2025-05-05_08.00.00)
     7 : DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(ART.BARN)                       CHLTYPE(CLUSSDR)
   {CHSTADA CHSTATI}
   {LSTMSGDA LSTMSGTI}
   {SSLKEYDA SSLKEYTI}
   CONNAME(barn(1414))                     CURRENT
   RQMNAME(BARN)                           STATUS(RUNNING)
AMQ8417I: Display Channel Status details.
   CHANNEL(ART.KILN)                       CHLTYPE(CLUSRCVR)
   {CHSTADA CHSTATI}
   {LSTMSGDA LSTMSGTI}
   CONNAME(barn)                           CURRENT
   RQMNAME(BARN)                           STATUS(RUNNING)
     8 : DISPLAY QSTATUS(*) ALL
AMQ8450I: Display queue status details.
   QUEUE(CLAY)                             TYPE(QUEUE)
   {LGETDATE LGETTIME}
   {LPUTDATE LPUTTIME}
   CURDEPTH(3)                             UNCOM(NO)
8 MQSC commands read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""
"""A capture; each pair in braces is the date and the time of one instant."""

_PAIR: Final = re.compile(r"\{(\w+) (\w+)\}")

COMMANDS: Final = """DISPLAY QMGR ALL
DISPLAY QMSTATUS ALL
DISPLAY QUEUE(*) ALL
DISPLAY CHANNEL(*) ALL
DISPLAY CLUSQMGR(*) ALL
DISPLAY QCLUSTER(*) ALL
DISPLAY CHSTATUS(*) ALL
DISPLAY QSTATUS(*) ALL
"""


def _written(instants: Mapping[str, datetime], zone: tzinfo) -> str:
    """Write the capture with one instant for each pair, in a zone."""

    def pair(found: re.Match[str]) -> str:
        local = instants[found[1]].astimezone(zone)
        return f"{found[1]}({local:%Y-%m-%d})                     {found[2]}({local:%H.%M.%S})"

    return _PAIR.sub(pair, TEXT)


def _shown(text: str, zone: tzinfo) -> list[str]:
    """Return what DISPLAY shows after an import."""
    with fresh(1) as (twin,):
        twin.ingest(text, qmgr=None, at=AT, zone=zone)
        return list(twin.mqsc("KILN", as_of=AT).run(COMMANDS).lines)


@examples(cost=4)
@given(data=st.data(), name=st.sampled_from(ZONES))
def test_a_capture_in_another_zone_is_shown_alike(data: st.DataObject, name: str) -> None:
    """What is written in a zone, and imported with it, is shown as if it were written in UTC.

    The dates of definitions of BARN are local times of BARN: they are shown as they are written.
    """
    earliest = st.integers(1, 20 * 86_400)
    noon = datetime.fromtimestamp(AT / 1_000_000, UTC)
    instants = {
        date: noon - timedelta(seconds=data.draw(earliest))
        for date, _ in sorted(set(_PAIR.findall(TEXT)))
    }
    zone = ZoneInfo(name)
    in_utc = _shown(_written(instants, UTC), UTC)
    assert _shown(_written(instants, zone), zone) == in_utc
    for written in ("2026-02-17", "03.04.05", "2026-02-18", "21.22.23"):
        assert any(f"({written})" in line for line in in_utc)
    for date, at in instants.items():
        assert any(f"{date}({at:%Y-%m-%d})" in line for line in in_utc), date


def test_every_kept_date_is_converted() -> None:
    """Each kept column of a status that is a date or a time of day belongs to a pair."""
    ends = re.compile(r"(DA|TI|DATE|TIME)$")
    others = {"COMPTIME", "EXITTIME", "NETTIME", "QTIME", "SSLCERTI", "XQTIME"}
    dated = {
        each
        for each in CHANNEL_CELLS | LISTENER_CELLS | OWN_CELLS | QUEUE_CELLS
        if ends.search(each)
    } - others
    assert dated == {each for pair in DATED_CELLS for each in pair}
