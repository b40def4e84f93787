"""A cluster that changed since it was dumped: what is old leads to nothing that destroys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final

import pytest

from tests.app.importing.collected_cluster import clusqmgr, dump, qmid
from tests.app.test_laws import fresh
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, parse_instant
from twin.review.doctor.examination import ExamRequest, examine
from twin.review.doctor.report import lines_of as report_of
from twin.review.runbooks.refreshing import decide
from twin.review.runbooks.subjects import RunbookRequest

AT: Final = parse_instant("2026-01-01T07:00:00Z", now=0)
NAMES: Final = ("DAIRY1", "DAIRY2", "SHOP1", "FARM1")
FULL: Final = NAMES[:2]
MEMBERS: Final = [(name, qmid(name)) for name in NAMES]
DESTROYS: Final = re.compile(r"\b(RESET|REFRESH|CLEAR|PURGE|DELETE|FORCE|RESOLVE|endmqm|dltmqm)\b")
WARNING: Final = re.compile(r"before any REFRESH CLUSTER|source: .*")
"""What names a command without telling anybody to use it."""

ONE: Final = "One MQSC command read.\n"

QUEUE: Final = """     2 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(BUTTER)                           TYPE(QCLUSTER)
   ALTDATE({0})                     ALTTIME(10.00.00)
   CLUSDATE({0})                    CLUSTIME(10.00.00)
   CLUSQMGR(SHOP1)                         CLUSQT(QLOCAL)
   CLUSTER(MILK)                           CLWLPRTY({1})
   PUT({2})                            QMID({3})
"""

STATUS: Final = """     3 : DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(MILK.FARM1)                     CHLTYPE(CLUSSDR)
   CONNAME(farm1(1414))                    CURRENT
   INDOUBT(YES)                            RQMNAME(FARM1)
   STATUS(RETRYING)                        CURLUWID(0A0B)
   LSTLUWID(0A0A)                          XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)
"""


def _answers(change: Callable[[str], str] = str, more: str = "") -> dict[str, str]:
    """Return the answers of all, changed in the same way, with more answers at the end."""
    return {
        name: change(clusqmgr(name, MEMBERS, full=FULL)).replace(ONE, more + ONE) for name in NAMES
    }


def _queue(date: str = "2026-01-02", priority: int = 5, put: str = "ENABLED") -> str:
    return QUEUE.format(date, priority, put, qmid("SHOP1"))


def _dumps(**defined: str) -> dict[str, str]:
    """Return the dumps of all, with a local queue BUTTER of SHOP1 of some attributes."""
    dumps = {name: dump(name, FULL[name == FULL[0]], full=name in FULL) for name in NAMES}
    for name, text in defined.items():
        start = dumps[name].index("DEFINE CHANNEL")
        dumps[name] = dumps[name][:start] + text + dumps[name][start:]
    return dumps


def _demoted(text: str, name: str) -> str:
    """Return an answer in which a queue manager is a partial repository."""
    before, row = text.split(f"CLUSQMGR({name})")
    return f"{before}CLUSQMGR({name}){row.replace('QMTYPE(REPOS)', 'QMTYPE(NORMAL)', 1)}"


_SHARED: Final = "DEFINE QLOCAL(BUTTER) CLUSTER(MILK) CLWLPRTY(0)\n"

CHANGES: Final = {
    "nothing": (_dumps(), _answers()),
    "a queue is shared": (_dumps(), _answers(more=_queue())),
    "a queue is altered": (_dumps(SHOP1=_SHARED), _answers(more=_queue())),
    "one full repository knows": (
        _dumps(SHOP1=_SHARED),
        {**_answers(), "DAIRY1": _answers(more=_queue())["DAIRY1"]},
    ),
    "a full repository becomes a partial one": (
        _dumps(),
        _answers(lambda text: _demoted(text, "DAIRY2")),
    ),
    "a partial repository becomes a full one": (
        {**_dumps(), "DAIRY2": dump("DAIRY2", "DAIRY1")},
        _answers(),
    ),
    "a member joins": (
        {**_dumps(), "FARM1": dump("FARM1", "DAIRY1").replace("  CLUSTER(MILK)", "  CLUSTER(' ')")},
        _answers(),
    ),
    "a batch is in doubt": (_dumps(), _answers(more=STATUS)),
}
"""What changed since the dumps -> the dumps, and the answers a day later."""


@pytest.fixture(params=sorted(CHANGES))
def twin(request: pytest.FixtureRequest) -> Iterator[Twin]:
    """Return a twin of a cluster that was dumped, then changed, then asked."""
    dumps, answers = CHANGES[request.param]
    with ExitStack() as stack:
        twin = stack.enter_context(fresh(1))[0]
        twin.ingest_files([FileText(text) for text in dumps.values()], at=AT)
        twin.ingest_files([FileText(text) for text in answers.values()], at=AT + DAY + 6 * HOUR)
        yield twin


def test_an_older_dump_leads_to_nothing_that_destroys(twin: Twin) -> None:
    """Neither doctor nor runbook refresh takes the change for damage, then or a month later."""
    for at in (AT + DAY + 6 * HOUR, AT + DAY + 8 * HOUR, AT + 30 * DAY):
        report = report_of(examine(twin, ExamRequest(as_of=at)))
        assert not [line for line in report if DESTROYS.search(WARNING.sub("", line))]
        for name in NAMES:
            wanted = RunbookRequest(qmgr=name, cluster="MILK")
            assert not decide(twin, wanted, as_of=at).is_needed


@pytest.mark.parametrize("manual", ["", FULL[1]])
def test_a_manual_sender_counts_until_an_answer_shows_it_as_automatic(manual: str) -> None:
    """DEFTYPE(CLUSSDRA) after the dump: it is gone, also on a branch; CLUSSDRB: it is there."""
    answers = [
        _demoted(
            clusqmgr(name, MEMBERS, full=FULL, manual=manual if name == FULL[0] else ""), FULL[1]
        )
        for name in NAMES
    ]
    with ExitStack() as stack:
        twin = stack.enter_context(fresh(1))[0]
        twin.ingest_files([FileText(text) for text in _dumps().values()], at=AT)
        twin.ingest_files([FileText(text) for text in answers], at=AT + DAY)
        twin.create_branch("later", at=AT + DAY)
        for asked in (twin, twin.on_branch("later")):
            rules = [row["id"] for row in asked.ask("doctor", as_of=AT + DAY).rows]
            assert ("cluster-sender-to-partial" in rules) == bool(manual)
