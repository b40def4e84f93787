"""ALTDATE, CRDATE and CLUSDATE that no file showed: DISPLAY leaves them blank, in any order."""

from __future__ import annotations

from datetime import UTC
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.feeds.test_dumps import dump
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant, mq_date, mq_time

_BARE = """ALTER QMGR DESCR('{text}') +
*  QMID(QM7_2025-12-31_23.59.58) +
   FORCE
DEFINE QLOCAL('CRATE') CLUSTER('PORT') DESCR('{text}') REPLACE
DEFINE CHANNEL('PORT.QM7') CHLTYPE(CLUSRCVR) CLUSTER('PORT') CONNAME('dock(1414)') REPLACE
"""
_DATED = """ALTER QMGR +
*  ALTDATE({date}) +
*  ALTTIME({time}) +
*  QMID(QM7_2025-12-31_23.59.58) +
   DESCR('{text}') +
   FORCE
DEFINE QLOCAL('CRATE') +
*  ALTDATE({date}) +
*  ALTTIME({time}) +
*  CRDATE({date}) +
*  CRTIME({time}) +
   CLUSTER('PORT') +
   DESCR('{text}') +
   REPLACE
DEFINE CHANNEL('PORT.QM7') CHLTYPE(CLUSRCVR) +
*  ALTDATE({date}) +
*  ALTTIME({time}) +
   CLUSTER('PORT') +
   CONNAME('dock(1414)') +
   REPLACE
"""
_ROWS = """Starting MQSC for queue manager CRANE.
     1 : DISPLAY QMGR QMID CMDLEVEL PLATFORM
AMQ8408I: Display Queue Manager details.
   QMNAME(CRANE)                           QMID(CRANE_2025-01-01_00.00.00)
   CMDLEVEL(930)                           PLATFORM(UNIX)
     2 : DISPLAY QCLUSTER(*) DESCR CLUSQMGR QMID
AMQ8409I: Display Queue details.
   QUEUE(CRATE)                            TYPE(QCLUSTER)
   CLUSQMGR(QM7)                           CLUSTER(PORT)
   DESCR(one)                              QMID(QM7_2025-12-31_23.59.58)
2 MQSC commands read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""
_DATES = ("ALTDATE", "ALTTIME", "CRDATE", "CRTIME", "CLUSDATE", "CLUSTIME")
_AT = START + 40 * DAY


def _dump(text: str, altered: Instant | None) -> FileText:
    cells = {"date": mq_date(altered), "time": mq_time(altered)} if altered else {}
    body = (_DATED if altered else _BARE).format(text=text, **cells)
    return FileText(dump(body), "QM7", zone=UTC)


def _dates(twin: Twin, qmgr: str, command: str) -> dict[str, str]:
    """Return the dates that a command shows, each with its text."""
    words = " ".join(twin.mqsc(qmgr, as_of=_AT).run(command).lines[3:]).split()
    found = (word.rstrip(")").partition("(") for word in words if "(" in word)
    return {name: value.strip() for name, _, value in found if name in _DATES}


@examples(cost=8)
@given(
    first=st.sampled_from((None, 30, 9)),
    last=st.sampled_from((None, 36)),
    text=st.sampled_from(("one", "two")),
)
def test_a_date_that_no_file_showed_is_blank(
    first: int | None, last: int | None, text: str
) -> None:
    """Of two dumps and an answer with named attributes, the dates are those written, or none.

    The instant of an import is never one of them, whatever the order of the imports.
    """
    dates = (first and _AT - first * DAY, last and _AT - last * HOUR)
    files = (
        (_dump("one", dates[0]), _AT - 2 * DAY),
        (FileText(_ROWS, None, zone=UTC), _AT - 30 * HOUR),
        (_dump(text, dates[1]), _AT - DAY),
    )
    told = []
    for order in permutations(files):
        with fresh(1) as (twin,):
            for file, at in order:
                twin.ingest_files([file], at=at)
            shown = [
                _dates(twin, "QM7", f"DISPLAY {each} ALL")
                for each in ("QMGR", "QL(CRATE)", "CHANNEL(PORT.QM7)")
            ]
            told.append((shown, _dates(twin, "CRANE", "DISPLAY QCLUSTER(CRATE) ALL")))
    assert all(each == told[0] for each in told)
    written = {""} | {word for date in dates if date for word in (mq_date(date), mq_time(date))}
    owned, record = told[0]
    for each in (*owned, record):
        assert set(each.values()) <= written
    assert not record["CLUSDATE"]
    changed = dates[1] or (dates[0] if text == "one" else None)
    for each, date in zip(owned, (changed, changed, dates[1] or dates[0]), strict=True):
        assert each["ALTDATE"] == (mq_date(date) if date else "")
