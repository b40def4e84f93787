"""Wrote tests/data/log-v1.jsonl, once: `python -m tests.app.stored_log`.

The file has a log as the first version stored it, and the answers of that version. It must never be
written again: later versions must read it and give the same answers.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.app.scenes import LATER, START, build, make_twin
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, SECOND

STORED: Final = Path(__file__).parents[1] / "data" / "log-v1.jsonl"
END: Final = START + 5 * DAY
ASKED: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("members", {}),
    ("beliefs", {}),
    ("beliefs", {"as_of": START + HOUR}),
    ("divergence", {}),
    ("changes", {"since": START + HOUR}),
)
DISPLAYED: Final = (
    ("PR1", "DISPLAY CLUSQMGR(*) ALL\nDISPLAY QUEUE(*) CLUSINFO WHERE(CLUSTER EQ CA)"),
    ("PR2", "DISPLAY QLOCAL(ORD)\nDISPLAY NAMELIST(NL)\nDISPLAY CHSTATUS(*)"),
    ("OBS", "DISPLAY QUEUE(S*)"),
)


def perform(twin: Twin) -> None:
    """Make every kind of event happen at least once."""
    build(twin)
    twin.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)\nDEFINE NL(NL) NAMES(A,B)", at=START + HOUR)
    twin.runmqsc("PR2", "DEFINE TOPIC(T) TOPICSTR(/t) CLUSTER(CA)\nSTART LISTENER", at=START + HOUR)
    twin.open_queue("PR1", "ORD", at=START + 2 * HOUR)
    twin.open_queue("PR1", "ORD", at=START + 3 * HOUR)
    twin.endmqm("PR1", at=START + DAY)
    twin.runmqsc("PR2", "ALTER QL(ORD) PUT(DISABLED)\nSTOP LISTENER", at=START + DAY + HOUR)
    twin.runmqsc("PR2", "DEFINE QL(GONE)\nDELETE QL(GONE)", at=START + DAY + HOUR)
    twin.strmqm("PR1", at=START + 2 * DAY)
    twin.ingest("DEFINE QLOCAL(SEEN)\nALTER QMGR DESCR('seen')", qmgr="OBS", at=START + 2 * DAY)
    twin.ingest("DELETE QLOCAL(SEEN)", qmgr="OBS", at=START + 3 * DAY)
    twin.ingest("DEFINE QLOCAL(LATE) CLUSTER(CA)", qmgr="PR2", at=START + 2 * HOUR + 1)
    twin.crtmqm("TMP", at=START + 4 * DAY)
    twin.dltmqm("TMP", at=START + 4 * DAY)


def answers(twin: Twin) -> list[Any]:
    """Ask every question whose answer is stored."""
    asked = [twin.ask(name, **{"as_of": END, **given}).as_json()["rows"] for name, given in ASKED]
    shown = [twin.runmqsc(name, text, as_of=END).lines[1:] for name, text in DISPLAYED]
    return [asked, shown]


def main() -> str | None:
    """Write the file unless it exists; return an error message."""
    if STORED.exists():
        return f"{STORED.name} is there, and is never written again"
    ticks = itertools.count(LATER, SECOND)
    with (
        TemporaryDirectory() as folder,
        make_twin(f"sqlite:///{folder}/twin.db", lambda: next(ticks)) as twin,
    ):
        perform(twin)
        lines = [json.dumps(event._asdict()) for event in twin.log.events()]
        lines.append(json.dumps({"answers": answers(twin), "head": str(twin.log.verify())}))
    STORED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return None


if __name__ == "__main__":
    sys.exit(main())
