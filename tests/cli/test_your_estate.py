"""docs/your-estate.md, tried as a new user would: collect, import, ask."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Run
from tests.patience import PATIENCE

ROOT: Final = Path(__file__).parents[2]
GUIDE: Final = (ROOT / "docs" / "your-estate.md").read_text(encoding="utf-8")
NOT_HERE: Final = ("twin collect-script", "twin import", "twin watch", "twin observe")
"""The commands of the guide that need an estate, or do not end."""

TWIN: Final = f"exec {shlex.quote(sys.executable)} -m twin"
REAL: Final = {
    "dspmq": f"{TWIN} dspmq",
    "runmqsc": f'{TWIN} runmqsc "$1"',
    "dmpmqcfg": f'{TWIN} dmpmqcfg "$2" -a',
    "dspmqinf": 'printf "QueueManager:\\n   DataPath=%s\\n" "$PWD/data"',
}
"""The programs of MQ on the host where the queue managers run: a twin plays them."""

MEMBER: Final = """DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('FR1(1414)') CLUSTER(CA)
"""


def commands() -> list[list[str]]:
    """Return the commands in the blocks of the guide, as words."""
    blocks = re.findall(r"^```sh\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


@pytest.fixture
def collected(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Collect from a host with FR1, QM1 and QM2, where QM1 uses ORDERS of QM2."""
    host = tmp_path / "host"
    (host / "data" / "errors").mkdir(parents=True)
    (host / "data" / "qm.ini").write_text("Log:\n   LogType=CIRCULAR\n", encoding="utf-8")
    monkeypatch.setenv("TWIN_LOG", str(host / "real.db"))
    for qmgr in ("FR1", "QM1", "QM2"):
        run("crtmqm", qmgr, "--at", "-20d")
        run("strmqm", qmgr, "--at", "-20d")
    full = MEMBER.format("FR1").partition("\n")[0]
    run("runmqsc", "FR1", "--at", "-20d", typed=f"ALTER QMGR REPOS(CA)\n{full}\n")
    run("runmqsc", "QM1", "--at", "-20d", typed=MEMBER.format("QM1"))
    orders = f"{MEMBER.format('QM2')}DEFINE QLOCAL(ORDERS) CLUSTER(CA)\n"
    run("runmqsc", "QM2", "--at", "-20d", typed=orders)
    run("open", "QM1", "ORDERS", "--at", "-10d")
    for name, body in REAL.items():
        (host / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (host / name).chmod(0o755)
    (host / "collect.sh").write_text(run("collect-script", "--unix").out, encoding="utf-8")
    path, python = f"{host}:{os.environ['PATH']}", f"{ROOT}:{ROOT / 'scheduler'}"
    done = subprocess.run(
        ["/bin/sh", "collect.sh", "-d", "collected"],
        cwd=host,
        env={**os.environ, "PATH": path, "PYTHONPATH": python, "TZ": "Europe/Berlin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    monkeypatch.delenv("TWIN_LOG")
    return host / "collected"


def test_the_guide_works_as_it_says(run: Run, collected: Path) -> None:
    """What was collected gives the estate back, and every command of the guide runs."""
    taken = run("import", str(collected))
    assert (taken.code, taken.err) == (0, "")
    assert taken.lines[0].startswith("6 files are dated 20")
    assert taken.lines[0].endswith("Z by the manifest beside it")
    assert taken.lines[1] == (
        "local times of FR1, QM1, QM2 are those of Europe/Berlin, at later imports, too"
    )
    assert "has no instant of its own" not in taken.out
    assert (
        sum(line.endswith(" 1 recorded") and "qm.ini: ini of" in line for line in taken.lines) == 3
    )
    members = run("ask", "members", "--format", "json").json["rows"]
    assert [(row["qmgr"], row["basis"]) for row in members] == [
        (name, "observed") for name in ("FR1", "QM1", "QM2")
    ]
    reconciled = run("ask", "reconcile", "--format", "json").json["rows"]
    assert "differs" not in {row["verdict"] for row in reconciled}
    assert "ORDERS at QM1 goes to QM2 by CA.QM2." in run("explain", "QM1", "ORDERS").lines
    recorded = run("log", "show", "--limit", "0").lines
    assert any("ORDERS of QM2 in CA" in line for line in recorded)
    assert run("import", str(collected)).code == 0
    assert len(run("log", "show", "--limit", "0").lines) == len(recorded)
    for words in commands():
        if " ".join(words[:2]) not in NOT_HERE:
            assert run(*words[1:]).code == 0, words


def test_every_command_and_option_of_the_guide_exists(run: Run) -> None:
    """A command that cannot be tried here is at least known, with all its options."""
    for words in commands():
        if " ".join(words[:2]) in NOT_HERE:
            shown = run(words[1], "--help").out
            for option in (word for word in words if word.startswith("--")):
                assert option in shown, words
