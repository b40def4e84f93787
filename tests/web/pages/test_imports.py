"""The view Import: files, what was not understood in them, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.browser import OpenPage, serious_violations
from tests.web.serving import Served, served
from twin.cli.start import main

HOSTILE = "DEFINE QLOCAL(ORDERS) CLUSTER(SALES) DESCR('<b>bold</b>')"
SCRIPT = f"""ALTER QMGR REPOS(SALES)
DEFINE CHANNEL(SALES.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(SALES)
DEFINE CHANNEL(SALES.FAR) CHLTYPE(CLUSSDR) CONNAME('far(1414)') CLUSTER(SALES)
{HOSTILE}
ALTER QLOCAL(ORDERS) COLOUR(RED)
PING QMGR
PING QMGR
DISPLAY QLOCAL(*)
"""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory, users_file: Path) -> Iterator[Served]:
    """Serve a log into which one script was imported that names a queue manager far away."""
    folder = tmp_path_factory.mktemp("imported")
    script = folder / "<i>QM1.mqsc"
    script.write_text(SCRIPT, encoding="utf-8")
    log = folder / "twin.db"
    assert main(["--log", f"sqlite:///{log}", "import", "--qmgr", "QM1", str(script)]) in (0, 10)
    with served(log, users_file, read_only=True) as service:
        yield service


def test_files_and_what_was_not_understood_are_shown(imported: Served, open_page: OpenPage) -> None:
    """Each file has its facts, each part that was left out its reason, what is missing its name."""
    page = open_page(f"{imported.url}/import")
    lost = page.get_by_role("region", name="Not understood")
    expect(lost).to_contain_text("COLOUR is an unknown keyword")
    missing = page.get_by_role("region", name="Queue managers that are not in the twin")
    expect(missing).to_contain_text("FAR")
    expect(page.get_by_role("region", name="Files")).to_contain_text("<i>QM1.mqsc")
    passed = page.get_by_role("region", name="Commands that were passed over")
    expect(passed).to_contain_text("no fact is taken: 2 PING QMGR, 1 DISPLAY QLOCAL")
    assert page.locator("main i").count() == 0
    assert serious_violations(page) == []


def test_what_is_counted_of_a_file_is_named(imported: Served) -> None:
    """A file is recorded as events, of which one holds many facts, and has a format."""
    text = imported.reader.get("/import?kind=file").text
    heads = re.findall(r'<th scope="col"[^>]*>([^<]+)</th>', text)
    assert heads[3:5] == ["format", "events"]


def test_nothing_imported_is_said_so(estate: Served) -> None:
    """An estate that is simulated alone has no files."""
    assert "Nothing was imported" in estate.reader.get("/import").text


def test_the_table_is_that_of_the_question(imported: Served) -> None:
    """A program gets the rows of `ask ingest`, and can narrow them."""
    document = imported.reader.get("/import.json?kind=not-understood").json()
    assert document["commands"] == ["twin ask ingest --kind not-understood"]
    assert [row["kind"] for row in document["tables"]["ingest"]["rows"]] == ["not-understood"]


def test_an_imported_queue_manager_was_not_created_or_started_by_the_import(
    imported: Served,
) -> None:
    """The instant of the import is when it was first seen; a script does not say that it runs."""
    page = imported.reader.get("/qmgr?on=QM1").text
    assert "It was never observed whether it runs" in page
    assert "<dt>first seen</dt>" in page
    assert "<dt>created</dt>" not in page
