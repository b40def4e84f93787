"""What an import lacks if one file is missing: rows that depend on it, which are listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.app.scenes import LATER, SCRIPTS, START, make_twin
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR
from twin.questions.completeness import missing_names

QUEUES: Final = {
    "PR1": "DEFINE QLOCAL(ORD) CLUSTER(CA)\nDEFINE QREMOTE(FAR) RNAME(BILL) RQMNAME(PR2)\n",
    "PR2": "DEFINE QLOCAL(BILL) CLUSTER(CA)\nDEFINE QALIAS(MINE) TARGET(ORD)\n",
}
FILES: Final = {name: script + "\n" + QUEUES.get(name, "") for name, script in SCRIPTS.items()}
IDENTIFIES: Final = {
    "members": ("cluster", "qmgr", "qmtype", "suspend"),
    "beliefs": ("observer", "cluster", "kind", "name", "owner", "state"),
    "lifetimes": ("observer", "cluster", "kind", "name", "owner", "state"),
    "channels": ("on", "channel"),
}


def imported(folder: Path, without: str = "") -> Twin:
    """Import the files of all queue managers, or of all but one."""
    twin = make_twin(f"sqlite:///{folder / f'without-{without}.db'}", lambda: LATER)
    files = [FileText(text, name) for name, text in FILES.items() if name != without]
    twin.ingest_files(files, at=START)
    return twin


def rows(twin: Twin, question: str) -> set[tuple[Any, ...]]:
    """Return the rows of an answer, without dates and positions."""
    answer = twin.ask(question, as_of=START + DAY)
    return {tuple(row[key] for key in IDENTIFIES[question]) for row in answer.rows}


@pytest.mark.parametrize("missing", sorted(FILES))
def test_without_a_file_only_what_depends_on_it_is_missing(tmp_path: Path, missing: str) -> None:
    """The rest answers as before; what is missing is named where others name it."""
    with imported(tmp_path) as whole, imported(tmp_path, missing) as part:
        for question in IDENTIFIES:
            there, here = rows(whole, question), rows(part, question)
            assert here <= there, question
            if missing.startswith("PR"):  # the others are told by full repositories
                assert all(missing in " ".join(map(str, row)) for row in there - here), question
        listed = part.ask("ingest", as_of=START + DAY).rows
        lacking = [row for row in listed if row["kind"] in {"not-in-twin", "undefined"}]
        assert lacking
        assert all(row["weakens"] for row in lacking)
        assert not any(row["kind"] == "not-in-twin" for row in whole.ask("ingest").rows)


@pytest.mark.parametrize("missing", sorted(FILES))
def test_the_missing_file_imported_later_completes_the_answers(
    tmp_path: Path, missing: str
) -> None:
    """Imported at last, for the same instant, it gives the rows of an import of all files."""
    with imported(tmp_path) as whole, imported(tmp_path, missing) as part:
        part.ingest_files([FileText(FILES[missing], missing)], at=START)
        for question in IDENTIFIES:
            assert rows(part, question) == rows(whole, question)
        at = START + DAY + HOUR
        assert part.ask("ingest", as_of=at).rows == whole.ask("ingest", as_of=at).rows


@pytest.mark.parametrize("prefix", ["TO", "CA", "X.TO"])
@pytest.mark.parametrize("port", [1414, 1415, 2414])
@pytest.mark.parametrize("named", ["FR2", "PR2", "PR9"])
def test_a_wrong_address_makes_no_queue_manager_missing(
    tmp_path: Path, prefix: str, port: int, named: str
) -> None:
    """A channel that is named like an imported queue manager never says that it is missing."""
    wrong = f"DEFINE CHANNEL({prefix}.{named}) CHLTYPE(CLUSSDR) CONNAME('h({port})') CLUSTER(CA)\n"
    with make_twin(f"sqlite:///{tmp_path / 'wrong.db'}", lambda: LATER) as twin:
        texts = {**FILES, "PR1": FILES["PR1"] + wrong}
        twin.ingest_files([FileText(text, name) for name, text in texts.items()], at=START)
        answer = twin.ask("ingest", as_of=START + DAY)
        missing = {row["name"] for row in answer.rows if row["kind"] == "not-in-twin"}
        lacking = [row for row in answer.rows if row["name"] == f"{prefix}.{named}"]
        assert missing == (set() if named in FILES else {"PR9?"})
        assert set(missing_names(twin.view()[0])) == missing
        if named in FILES and prefix != "CA":
            (row,) = lacking
            assert f"{named.lower()}(1414)" in str(row["why"])
            assert f"h({port})" in str(row["why"])
