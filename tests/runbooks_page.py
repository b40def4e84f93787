"""Runs the commands of docs/runbooks.md: `python -m tests.runbooks_page` writes their output."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import tempfile
from pathlib import Path
from typing import Final

from tests.doc_sessions import Step, rewritten, session, without_clock
from twin.app.twin import Twin
from twin.cli import main
from twin.model.instants import Instant, parse_instant

PAGE: Final = Path(__file__).parents[1] / "docs" / "runbooks.md"
BEGAN: Final[Instant] = parse_instant("2026-01-01T00:00:00Z", now=0)
USED: Final[Instant] = parse_instant("2026-01-02T00:00:00Z", now=0)

_MEMBER: Final = """DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.{1}) CHLTYPE(CLUSSDR) CONNAME('{1}(1414)') CLUSTER(CA)
"""
_SCRIPTS: Final = {
    "FR1": "ALTER QMGR REPOS(CA)\n" + _MEMBER.format("FR1", "FR2"),
    "FR2": "ALTER QMGR REPOS(CA)\n" + _MEMBER.format("FR2", "FR1"),
    "QM1": _MEMBER.format("QM1", "FR1")
    + "DEFINE QLOCAL(ORD) CLUSTER(CA)\nDEFINE QLOCAL(PAY) CLUSTER(CA)\n",
    "QM2": _MEMBER.format("QM2", "FR1") + "DEFINE QLOCAL(ORD) CLUSTER(CA)\n",
    "QMS": _MEMBER.format("QMS", "FR1"),
}


def build(url: str) -> None:
    """Make the cluster of the page: two full repositories, and QMS that puts to QM1 and QM2."""
    with Twin.open(url, clock=lambda: USED, synchronous="NORMAL") as twin:
        for name in _SCRIPTS:
            twin.crtmqm(name, at=BEGAN)
            twin.strmqm(name, at=BEGAN)
        for name, script in _SCRIPTS.items():
            assert twin.runmqsc(name, script, at=BEGAN).exit_code == 0
        twin.put("QMS", "ORD", count=2, bind="notfixed", at=USED)
        twin.put("QMS", "PAY", at=USED)


def run(steps: list[Step], folder: Path) -> list[Step]:
    """Run the commands on the cluster of the page; return them with their actual output."""
    url = f"sqlite:///{folder / 'runbooks.db'}"
    build(url)
    before = os.environ.get("TWIN_LOG")
    os.environ["TWIN_LOG"] = url
    try:
        return [Step(step.typed, _output(step.command)) for step in steps]
    finally:
        os.environ.pop("TWIN_LOG")
        if before is not None:
            os.environ["TWIN_LOG"] = before


def _output(command: str) -> str:
    words, out = shlex.split(command), io.StringIO()
    assert words[0] == "twin"
    with contextlib.redirect_stdout(out):
        main(words[1:])
    return without_clock(out.getvalue())


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        PAGE.write_text(rewritten(page, run(session(page), Path(scratch))), encoding="utf-8")
