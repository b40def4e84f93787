"""`twin log purge-evidence`: raw texts go, digests and answers stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_import_feeds import log
from twin.log import Log


@pytest.fixture
def imported(run: Run) -> Run:
    """Import a log with two records whose texts are kept."""
    text = log("AMQ9206E", "AMQ9209E").replace("'TO.FR1'", "'TO.FR1' of ALICE", 1)
    Path("AMQERR01.LOG").write_text(text, encoding="utf-8")
    assert run("import", "AMQERR01.LOG").code == 0
    return run


def digests(run: Run) -> list[str]:
    """Return the digests that events name."""
    rows = json.loads(run("log", "show", "--format", "json").out)["rows"]
    return [json.loads(row["body"])["digest"] for row in rows if "Evidence" in row["type"]]


def test_a_text_is_kept_under_the_digest_that_its_event_names(imported: Run) -> None:
    """Events and texts have the same digest."""
    kept = Log.open("sqlite:///twin.db", mode="read")
    texts = [kept.evidence(digest) for digest in digests(imported)]
    kept.close()
    assert len(texts) == 2
    assert all(text and "TO.FR1" in text for text in texts)


def test_matching_texts_are_purged_and_stay_so(imported: Run) -> None:
    """Only matching texts go; verify holds; reading the file again brings none back."""
    assert imported("log", "purge-evidence", "--match", "ALICE").lines == ["1 text purged"]
    verified = imported("log", "verify")
    assert verified.code == 0
    assert "1 text of evidence purged" in verified.out
    imported("import", "AMQERR01.LOG")
    assert imported("log", "purge-evidence", "--match", "ALICE").lines == ["0 texts purged"]
    assert imported("log", "purge-evidence", "--before", "2999-01-01").lines == ["1 text purged"]
    assert imported("log", "verify").code == 0


@pytest.mark.parametrize("options", [[], ["--match", "("]])
def test_without_a_choice_nothing_is_purged(imported: Run, options: list[str]) -> None:
    """It must be said which texts are meant."""
    assert imported("log", "purge-evidence", *options).code == 20
    assert imported("log", "purge-evidence", "--before", "2020-01-01").lines == ["0 texts purged"]
