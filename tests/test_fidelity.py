"""docs/fidelity.md names stories and tests that exist, and its rows are in order."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

from tests.fidelity_page import PAGE, STATES, counted, rows
from tests.stories import switched_off, test_docs, test_fidelity, test_lifecycle, test_messages
from twin.model.messages import CATALOGUE

ROOT: Final = Path(__file__).parents[1]
TEXT: Final = PAGE.read_text(encoding="utf-8")
ROWS: Final = rows(TEXT)
TITLES: Final = [
    story.name
    for played in (test_docs, test_fidelity, test_lifecycle, test_messages)
    for story in played.STORIES
]
TEST: Final = re.compile(r"(tests/[\w/]*test_\w+\.py)::(test_\w+)")


@cache
def _functions(path: str) -> frozenset[str]:
    """Return the names of a module's functions; none if there is no such module."""
    file = ROOT / path
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return frozenset(
        node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)
    )


def _exists(proof: str) -> bool:
    """Return whether a proof is the title of a story that is played, or the name of a test."""
    test = TEST.fullmatch(proof)
    return test[2] in _functions(test[1]) if test else proof in TITLES


def test_every_proof_is_a_story_or_a_test() -> None:
    """Each proof is the title of a story that the tests play, or the name of a test."""
    missing = [(row.id, proof) for row in ROWS for proof in row.proofs if not _exists(proof)]
    assert missing == []


def test_a_title_is_that_of_one_story() -> None:
    """No two stories have the same title."""
    assert len(TITLES) == len(set(TITLES))


def test_every_row_is_read_and_has_a_state() -> None:
    """Each line of the features' tables is a row, with a statement, a source and a known state."""
    lines = re.findall(r"^\| *S\d[a-z]-.*$", TEXT, re.MULTILINE)
    assert len(lines) == len(ROWS)
    assert [row.id for row in ROWS if row.state not in STATES] == []
    assert [row.id for row in ROWS if not (row.statement and row.source)] == []


def test_ids_count_from_one_in_each_feature() -> None:
    """The ids of a feature are its name with 01, 02 and so on, in this order."""
    for feature in {row.feature for row in ROWS}:
        ids = [row.id for row in ROWS if row.feature == feature]
        assert ids == [f"{feature}-{number:02}" for number in range(1, len(ids) + 1)]


def test_the_rows_are_counted() -> None:
    """The tables that `python -m tests.fidelity_page` writes are as it would write them."""
    assert counted(TEXT) == TEXT


def test_the_rules_that_are_switched_off_are_listed() -> None:
    """The page lists exactly the rules that the tests switch off, one for a row, in their order."""
    listed = re.findall(r"^\| [^|]+ \| (S\d[a-z]-\d+) \| `([\w.]+)` \|$", TEXT, re.MULTILINE)
    assert listed == [(off.row, off.rule) for off in switched_off.TABLE]
    assert [row for row, _ in listed] == sorted({row for row, _ in listed})


def test_the_messages_of_ours_are_listed() -> None:
    """The page lists exactly the messages of the catalogue that no queue manager writes."""
    own = {f"{id_}{text.letter}" for id_, text in CATALOGUE.items() if id_.startswith("TWN")}
    assert set(re.findall(r"^\| (TWN\w+) \|", TEXT, re.MULTILINE)) == own


def test_all_statements_of_the_sources_are_proved() -> None:
    """The page lists 181 statements, those of a feature from 01 on, and each has a proved row."""
    listed = re.findall(r"^\| `(S\d[a-z]-\d+)` \| [^|]+ \| .+ \|$", TEXT, re.MULTILINE)
    assert len(listed) == len(set(listed)) == 181
    proved = {row.id for row in ROWS if row.state == "proved"}
    assert set(listed) <= proved
    for feature in {each[:3] for each in listed}:
        ids = [each for each in listed if each[:3] == feature]
        assert ids == [f"{feature}-{number:02}" for number in range(1, len(ids) + 1)]
