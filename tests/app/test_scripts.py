"""Real scripts: compared line by line if their licence allows it, and checked otherwise."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.app.scenes import LATER, START, make_twin
from twin.app.twin import Twin

DATA = Path(__file__).parents[1] / "data"
SCRIPTS = sorted(path for path in (DATA / "scripts").iterdir() if path.name != "ORIGINS.md")
SAMPLES = Path(__file__).parents[3] / "shared" / "samples"

ANSWERED = re.compile(r"(AMQ\d{4}|TWN\d{4})[A-Z]?: ")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_public_script_is_answered_as_pinned(script: Path, twin: Twin) -> None:
    """Every line of a session is as stored; UPDATE_GOLDEN=1 stores it again."""
    twin.crtmqm("QM1", at=START)
    twin.strmqm("QM1", at=START)
    session = twin.runmqsc("QM1", script.read_text(encoding="utf-8"), at=START)
    printed = "\n".join([*session.lines, f"exit code {session.exit_code}", ""])
    golden = DATA / "golden" / f"{script.name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(printed, encoding="utf-8")
    assert printed == golden.read_text(encoding="utf-8")
    twin.log.verify()


def _sample_files() -> list[Path]:
    folders = [SAMPLES / "open" / "mqsc", SAMPLES / "reference"]
    return sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
        and path.parent.name in {"mqsc", "ALPHA", "dmpmqcfg", "six-queue-managers"}
    )


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_every_sample_runs_and_every_command_is_answered(tmp_path: Path) -> None:
    """A sample script causes no internal error, and each command gets a message of MQ."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        files = _sample_files()
        assert len(files) > 100
        for number, path in enumerate(files):
            name = f"QM{number}"
            twin.crtmqm(name, at=START)
            twin.strmqm(name, at=START)
            text = path.read_text(encoding="utf-8", errors="replace")
            session = twin.runmqsc(name, text, at=START)
            assert session.exit_code in (0, 10), path.name
            answers = sum(1 for line in session.lines if ANSWERED.match(line))
            counted = next(line for line in session.lines if line.endswith("read."))
            read = {"No": 0, "One": 1}.get(counted.split()[0]) or int(
                counted.split()[0].replace("No", "0").replace("One", "1")
            )
            assert answers >= read, path.name
        twin.log.verify()


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize("qmgr", ["QM4", "QM5"])
def test_a_real_dump_replays_without_a_complaint(qmgr: str, twin: Twin) -> None:
    """Every command of a real dmpmqcfg dump runs without error."""
    (path,) = (SAMPLES / "reference" / "dmpmqcfg").glob(f"*{qmgr}.txt")
    twin.crtmqm(qmgr, cmdlevel=930, at=START)
    twin.strmqm(qmgr, at=START)
    session = twin.runmqsc(qmgr, path.read_text(encoding="utf-8"), at=START)
    assert session.exit_code == 0
