"""What was collected of an estate gives the same answers in any order, twice and in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest
from freezegun import freeze_time

from tests.cli.conftest import Run
from tests.laws import seeds
from tests.round_trip.error_log_files import error_logs, written
from tests.round_trip.random_estates import Act, built, live
from tests.round_trip.written import files
from twin.model.instants import HOUR, format_instant

PARTS: Final[tuple[list[Act], ...]] = (
    [
        (1, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA) DEFBIND(NOTFIXED) REPLACE"),
        (2, "PR3", "DEFINE QLOCAL(B) CLUSTER(CA) CLWLPRTY(3) REPLACE"),
        (1, "PR2", "open A"),
    ],
    [
        (30, "PR1", "STOP CHANNEL(CA.FR1)"),
        (1, "PR3", "open A"),
        (30, "PR2", "SUSPEND QMGR CLUSTER(CA)"),
        (400, "PR1", "START CHANNEL(CA.FR1)"),
    ],
    [
        (1, "PR3", "endmqm"),
        (400, "PR2", "RESUME QMGR CLUSTER(CA)"),
        (30, "PR3", "strmqm"),
        (1, "PR1", "DELETE QLOCAL(A)"),
    ],
)
QUESTIONS: Final = ("members", "channels", "beliefs", "lifetimes", "errorlog", "reconcile")
LOG: Final = "AMQERR01.LOG"


class Import(NamedTuple):
    """A file, and the options to import it with."""

    file: Path
    options: tuple[str, ...] = ()


def collected(folder: Path) -> tuple[list[Import], str]:
    """Write all files of an estate, and return them with an instant after them."""
    source, imports = built(), []
    for number, acts in enumerate(PARTS):
        live(source, acts)
        at = format_instant(source.as_of.valid)
        for place, each in enumerate(files(source.estate, source.as_of)):
            file = folder / f"{number}-{place}.txt"
            file.write_text(each.text, encoding="utf-8")
            imports.append(Import(file, ("--at", at)))
    for qmgr, records in error_logs(source).items():
        for name, part in (("half", records[: len(records) // 2]), ("whole", records)):
            file = folder / name / qmgr / LOG
            file.parent.mkdir(parents=True)
            file.write_text(written(part, LOG), encoding="utf-8")
            imports.append(Import(file))
    return imports, format_instant(source.as_of.valid + HOUR)


def rows(run: Run, log: str, at: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of each answer, sorted, without the positions that they rest on."""
    for question in QUESTIONS:
        asked = run("--log", log, "ask", question, "--as-of", at, "--format", "json")
        found: list[dict[str, Any]] = json.loads(asked.out)["rows"]
        shown = ({key: row[key] for key in row if key != "evidence"} for row in found)
        yield question, sorted(json.dumps(row) for row in shown)


@pytest.mark.parametrize("seed", seeds(1, 1, 2, 3, 4, 5))
def test_a_random_order_gives_the_rows_of_the_order_of_time(
    run: Run, tmp_path: Path, seed: int
) -> None:
    """Whole collections give what their files give that come one by one, some of them twice."""
    imports, at = collected(tmp_path)
    chance = Random(seed)
    shuffled = [*imports, *chance.sample(imports, len(imports) // 4)]
    chance.shuffle(shuffled)
    with freeze_time(at):
        for options, whole in groupby(imports, attrgetter("options")):
            taken = [str(each.file) for each in whole]
            assert run("--log", "one.db", "import", *taken, *options).code == 0, options
        for each in shuffled:
            assert run("--log", "other.db", "import", str(each.file), *each.options).code == 0, each
        expected = dict(rows(run, "one.db", at))
        assert all(expected[each] for each in QUESTIONS)
        for question, found in rows(run, "other.db", at):
            assert found == expected[question], question
        assert run("--log", "other.db", "log", "verify").code == 0
