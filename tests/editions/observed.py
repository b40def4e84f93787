"""Wrote tests/data/rules-1, once, with the first version of the rules: a small observed estate.

The log is a portable one, as `twin log export` writes it, packed. Its answers are those of that
version. They must never be written again: `python -m tests.editions.observed` did it.
"""

from __future__ import annotations

import itertools
import json
import lzma
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, MINUTE, SECOND, parse_instant

FOLDER: Final = Path(__file__).parents[1] / "data" / "rules-1"
LOG: Final = FOLDER / "observed.jsonl.xz"
ANSWERS: Final = FOLDER / "observed.answers.json.xz"
SEEN: Final = parse_instant("2026-09-10T06:00:00Z", now=0)
LATER: Final = SEEN + 2 * DAY
READ: Final = SEEN + 5 * DAY
CREATED: Final = "2025-03-04_09.00.00"
QUESTIONS: Final = ("members", "beliefs", "lifetimes", "channels", "subscriptions")

_STARS: Final = "*" * 79


def dump(name: str, to: str, *, full: bool = False, more: str = "") -> str:
    """Write a dump of a queue manager of the cluster TEA, with a CLUSSDR to another one."""
    return f"""{_STARS}
* Script generated on 2026-09-10   at 06.00.00
* Queue manager name: {name}
* Queue manager platform: UNIX
* Queue manager command level: (930/930)
* Command issued: dmpmqcfg -m {name} -a
{_STARS}
ALTER QMGR +
*  ALTDATE(2025-03-04) +
*  ALTTIME(09.00.00) +
*  QMID({name}_{CREATED}) +
   REPOS('{"TEA" if full else ""}') +
*  VERSION(09030015) +
   FORCE
DEFINE CHANNEL('TEA.{name}') +
*  ALTDATE(2025-03-04) +
*  ALTTIME(09.00.00) +
   CHLTYPE(CLUSRCVR) +
   CLUSTER('TEA') +
   CONNAME('{name.lower()}.tea.example(1414)') +
   REPLACE
DEFINE CHANNEL('TEA.{to}') +
   CHLTYPE(CLUSSDR) +
   CLUSTER('TEA') +
   CONNAME('{to.lower()}.tea.example(1414)') +
   REPLACE
{more}{_STARS}
* Script ended on 2026-09-10   at 06.00.00
{_STARS}
"""


QUEUE: Final = """DEFINE QLOCAL('LEAF') +
*  ALTDATE(2026-09-10) +
*  ALTTIME(05.00.00) +
   CLUSTER('TEA') +
   REPLACE
"""

CAPTURE: Final = f"""Starting MQSC for queue manager CUP1.

     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(POT1)                          CHANNEL(TEA.POT1)
   CLUSTER(TEA)                            CLUSDATE(2026-09-01)
   CLUSTIME(10.00.00)                      CONNAME(pot1.tea.example(1414))
   DEFTYPE(CLUSSDRB)                       QMID(POT1_{CREATED})
   QMTYPE(REPOS)                           SUSPEND(NO)
   VERSION(09030015)                       STATUS(RUNNING)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(CUP1)                          CHANNEL(TEA.CUP1)
   CLUSTER(TEA)                            CLUSDATE(2026-09-01)
   CLUSTIME(10.00.00)                      CONNAME(cup1.tea.example(1414))
   DEFTYPE(CLUSRCVR)                       QMID(CUP1_{CREATED})
   QMTYPE(NORMAL)                          SUSPEND(NO)
   VERSION(09030015)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(CUP2)                          CHANNEL(TEA.CUP2)
   CLUSTER(TEA)                            CLUSDATE(2026-09-02)
   CLUSTIME(10.00.00)                      CONNAME(cup2.tea.example(1414))
   DEFTYPE(CLUSSDRA)                       QMID(CUP2_{CREATED})
   QMTYPE(NORMAL)                          SUSPEND(NO)
   VERSION(09030015)                       STATUS(RETRYING)
     2 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(LEAF)                             TYPE(QCLUSTER)
   CLUSDATE(2026-09-10)                    CLUSTER(TEA)
   CLUSQMGR(CUP2)                          CLUSQMID(CUP2_{CREATED})
   CLUSQT(QLOCAL)                          CLUSTIME(05.00.01)
   DEFPRTY(0)                              PUT(ENABLED)
     3 : DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(TEA.POT1)                       CHLTYPE(CLUSSDR)
   CONNAME(10.1.1.1(1414))                 CURRENT
   RQMNAME(POT1)                           STATUS(RUNNING)
   SUBSTATE(MQGET)                         XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)
   MSGS(411)                               LSTMSGDA(2026-09-12)
   LSTMSGTI(05.50.00)                      XQMSGSA(0)
   INDOUBT(NO)
AMQ8417I: Display Channel Status details.
   CHANNEL(TEA.CUP2)                       CHLTYPE(CLUSSDR)
   CONNAME(10.1.1.3(1414))                 CURRENT
   RQMNAME(CUP2)                           STATUS(RETRYING)
   SUBSTATE( )                             XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)
   MSGS(0)                                 LONGRTS(999999996)
   SHORTRTS(0)                             XQMSGSA(7)
   INDOUBT(NO)
     4 : DISPLAY QSTATUS(SYSTEM.CLUSTER.TRANSMIT.QUEUE) ALL
AMQ8450I: Display queue status details.
   QUEUE(SYSTEM.CLUSTER.TRANSMIT.QUEUE)    TYPE(QUEUE)
   CURDEPTH(7)                             IPPROCS(1)
   OPPROCS(2)                              MSGAGE(900)
   UNCOM(NO)
4 MQSC commands read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""


def definitions() -> list[FileText]:
    """Return the dumps of three queue managers; CUP2 has a queue in the cluster."""
    texts = {
        "POT1": dump("POT1", "POT2", full=True),
        "CUP1": dump("CUP1", "POT1"),
        "CUP2": dump("CUP2", "POT1", more=QUEUE),
    }
    return [FileText(text, name, file=f"{name}.mqsc") for name, text in texts.items()]


def capture() -> list[FileText]:
    """Return what CUP1 displayed two days later."""
    return [FileText(CAPTURE, "CUP1", file="CUP1.txt")]


def write(url: str) -> None:
    """Import the dumps and the capture, and try something on a branch."""
    ticks = itertools.count(READ, SECOND)
    with Twin.open(url, clock=lambda: next(ticks)) as twin:
        twin.ingest_files(definitions(), at=SEEN, marked=True)
        twin.ingest_files(capture(), at=LATER, marked=True)
        twin.create_branch("try")
        branch = twin.on_branch("try")
        branch.runmqsc("CUP2", "ALTER QLOCAL(LEAF) PUT(DISABLED)", at=READ + HOUR)
        branch.pass_time(READ + HOUR + MINUTE)


def answers(twin: Twin, *, known_at: int | None = None) -> dict[str, Any]:
    """Ask about main when the capture was made, and about the branch at its end."""
    found: dict[str, Any] = {}
    for branch, at in (("main", LATER), ("try", READ + HOUR + MINUTE)):
        asked = twin.on_branch(branch)
        for question in QUESTIONS:
            answer = asked.ask(question, as_of=at, known_at=known_at)
            found[f"{branch} {question}"] = answer.as_json()["rows"]
        session = asked.runmqsc(
            "CUP1", "DISPLAY CLUSQMGR(*) ALL\nDISPLAY QCLUSTER(*) ALL", as_of=at, known_at=known_at
        )
        found[f"{branch} DISPLAY"] = [line.rstrip() for line in session.lines[1:]]
    values: dict[str, Any] = json.loads(json.dumps(found))
    return values


def stored_lines() -> list[bytes]:
    """Return the lines of the kept log."""
    return lzma.decompress(LOG.read_bytes()).splitlines(keepends=True)


def stored_answers() -> dict[str, Any]:
    """Return the answers that the first version of the rules gave, by what was asked."""
    values: dict[str, Any] = json.loads(lzma.decompress(ANSWERS.read_bytes()))
    return values


def _keep() -> None:
    FOLDER.mkdir()
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/twin.db"
        write(url)
        with Twin.open(url, clock=lambda: READ + 2 * HOUR) as twin:
            LOG.write_bytes(lzma.compress("\n".join([*twin.log.export(), ""]).encode()))
            ANSWERS.write_bytes(lzma.compress(json.dumps(answers(twin)).encode()))
            sys.stdout.write(f"{twin.log.verify()}\n")


if __name__ == "__main__":
    _keep()
