"""Wrote the logs in tests/data/edition-1, once: `python -m tests.editions.first`.

Each world is a log in an SQLite file and in a PostgreSQL database, written by the last version of
twin with the first edition, with the answers of that version. They must never be written again:
later versions must migrate them and give the same answers.
"""

from __future__ import annotations

import io
import itertools
import json
import lzma
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from tests.app.scenes import LATER, START, make_twin
from tests.app.stored_log import perform
from tests.editions.asking import answers
from tests.editions.stored import FOLDER
from tests.postgres import Server
from twin import demo
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, SECOND, parse_instant
from twin.stories.play import play
from twin.stories.read import read
from twin.stories.stage import OwnStage, _set_up

STORIES: Final = Path(__file__).parents[1] / "stories"
NOW: Final = parse_instant("2026-11-01T12:00:00Z", now=0)


def _demo(url: str) -> None:
    """Write the estate of the demo. Its scripts are at a relative path on every machine."""
    scripts = demo.SCRIPTS.relative_to(Path.cwd())
    with redirect_stdout(io.StringIO()), pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "SCRIPTS", scripts)
        demo.walk(url, now=NOW)  # type: ignore[arg-type]


def _story(file: str, number: int) -> Callable[[str], None]:
    def write(url: str) -> None:
        (story, *_) = read((STORIES / file).read_text("utf-8"), file=file)[number:]
        with pytest.MonkeyPatch.context() as patch:

            @contextmanager
            def stage_at(told: Any) -> Iterator[OwnStage]:
                stage = OwnStage(url, told.start or START)
                with stage.twin:
                    _set_up(stage.twin, told, stage.start)
                    yield stage

            patch.setattr("twin.stories.play.own_stage", stage_at)
            assert all(played.held for played in play(story))

    return write


def _branches(url: str) -> None:
    """Write branches of branches, messages, and facts that are late on each of them."""
    ticks = itertools.count(LATER, SECOND)
    with make_twin(url, lambda: next(ticks)) as twin:
        perform(twin)
        twin.put("PR1", "ORD", at=START + 5 * DAY, count=5)
        twin.create_branch("what-if")
        twin.create_branch("earlier", at=START + 2 * DAY)
        what_if = twin.on_branch("what-if")
        what_if.put("PR1", "LATE", at=START + 6 * DAY, count=3)
        what_if.endmqm("PR2", at=START + 6 * DAY + HOUR)
        what_if.put("PR1", "LATE", at=START + 6 * DAY + 2 * HOUR, count=7)
        what_if.ingest("DEFINE QLOCAL(AGAIN) CLUSTER(CA)", qmgr="PR1", at=START + 3 * DAY)
        what_if.tick(START + 40 * DAY)
        what_if.create_branch("further", at=START + 20 * DAY)
        further = what_if.on_branch("further")
        further.strmqm("PR2", at=START + 21 * DAY)
        further.observe_channel("PR1", "CA.PR2", at=START + 6 * DAY, status="RETRYING")
        twin.runmqsc("PR2", "ALTER QL(ORD) PUT(ENABLED)", at=START + 6 * DAY)
        twin.ingest("DEFINE QLOCAL(LATER) CLUSTER(CA)", qmgr="PR1", at=START + 2 * DAY)
        twin.put("FR1", "LATER", at=START + 7 * DAY, count=2)
        twin.on_branch("earlier").runmqsc(
            "FR1", "DEFINE QLOCAL(THEN) CLUSTER(CA)", at=START + 2 * DAY + HOUR
        )
        twin.tick(START + 95 * DAY)
        for name in ("main", "what-if", "further"):
            twin.on_branch(name).snapshot(every=100)


WORLDS: Final[dict[str, Callable[[str], None]]] = {
    "demo": _demo,
    "story": _story("messages/reallocation.yaml", 3),
    "late-story": _story("messages/channels.yaml", 15),
    "branches": _branches,
}


def _compressed(text: bytes) -> bytes:
    return lzma.compress(text, preset=9 | lzma.PRESET_EXTREME)


def _file_of(write: Callable[[str], None], folder: Path, name: str) -> tuple[bytes, Any]:
    file = folder / f"{name}.db"
    url = f"sqlite:///{file}"
    write(url)
    with Twin.open(url, clock=lambda: LATER * 2) as twin:
        found = answers(twin)
    assert [path.name for path in folder.glob(f"{name}.db*")] == [file.name]
    return _compressed(file.read_bytes()), found


def _dump_of(write: Callable[[str], None], server: Server) -> tuple[bytes, Any]:
    url = server.new_database()
    write(url)
    with Twin.open(url, clock=lambda: LATER * 2) as twin:
        found = answers(twin)
    options = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100"]
    dumped = subprocess.run(
        ["pg_dump", *options, url.replace("+psycopg", "")], capture_output=True, check=True
    ).stdout.decode()
    lines = [line for line in dumped.splitlines() if not line.startswith(("\\", "--", "SET "))]
    return "\n".join(line for line in lines if line).encode() + b"\n", found


def main() -> str | None:
    """Write the files unless they exist; return an error message."""
    if FOLDER.exists():
        return f"{FOLDER.name} is there, and is never written again"
    FOLDER.mkdir()
    server = Server()
    with TemporaryDirectory() as folder:
        for name, write in WORLDS.items():
            packed, found = _file_of(write, Path(folder), name)
            dumped, same = _dump_of(write, server)
            heads = {"sqlite": found.pop("head"), "postgresql": same.pop("head")}
            assert found == same, name
            (FOLDER / f"{name}.db.xz").write_bytes(packed)
            (FOLDER / f"{name}.sql").write_bytes(dumped)
            text = json.dumps({"heads": heads, **found}, indent=None)
            (FOLDER / f"{name}.answers.json.xz").write_bytes(_compressed(text.encode()))
    server.close()
    return None


if __name__ == "__main__":
    sys.exit(main())
