"""`twin ask QUESTION --against`: how rows differ from those of another instant or branch."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_asking import OPTIONS
from tests.schemas import mismatches
from twin.questions.catalogue import QUESTIONS

BEFORE, LATER = "2025-03-03T09:30", "2025-03-03T10:00"
COMPARED = [name for name in QUESTIONS if not QUESTIONS[name].no_reference]
NAMED = [name for name in COMPARED if "name" in QUESTIONS[name].filters]


@pytest.fixture
def suspended(cluster: Run) -> Run:
    """Suspend QM2 at ten, and define a third queue manager."""
    cluster("runmqsc", "QM2", "--at", LATER, typed="SUSPEND QMGR CLUSTER(CA)")
    cluster("crtmqm", "QM3", "--at", LATER)
    cluster("strmqm", "QM3", "--at", LATER)
    script = """DEFINE CHANNEL(CA.QM3) CHLTYPE(CLUSRCVR) CONNAME(X) CLUSTER(CA)
    DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME(X) CLUSTER(CA)"""
    cluster("runmqsc", "QM3", "--at", LATER, typed=script)
    return cluster


def test_a_table_shows_each_field_before_and_after(suspended: Run) -> None:
    """A changed field is `before -> after`; the last lines count the rows and name both points."""
    asked = ("ask", "members", "--as-of", "2025-03-04", "--against", BEFORE)
    lines = suspended(*asked, "--ignore", "known_by").lines
    assert lines[:-2] == [
        "change   cluster  qmgr  qmid                     qmtype  suspend",
        "changed  CA       QM2   QM2_2025-03-03_09.00.00          NO -> YES",
        "added    CA       QM3   QM3_2025-03-03_10.00.00  NORMAL  NO",
        "1 added, 1 changed, 0 removed",
    ]
    assert lines[-2].startswith("as of 2025-03-04T00:00:00Z known at ")
    assert lines[-1].startswith("against as of 2025-03-03T09:30:00Z known at ")


def test_a_relative_time_is_relative_to_the_instant_that_is_asked_about(suspended: Run) -> None:
    """-1h is an hour before --as-of, however late it is now."""
    asked = ("ask", "members", "--as-of", "2025-03-03T10:30", "--format", "json")
    answer = suspended(*asked, "--against", "-1h").json
    assert answer["against"]["valid"] == "2025-03-03T09:30:00Z"
    assert {row["change"] for row in answer["rows"]} == {"added", "changed"}


def test_a_row_that_is_too_wide_shows_only_what_differs(suspended: Run) -> None:
    """If the table does not fit, each row is a block without the fields that do not differ."""
    asked = ("ask", "lifetimes", "--on", "FR1", "--owner", "QM2", "--kind", "qmgr")
    lines = suspended(*asked, "--as-of", "2025-03-04", "--against", BEFORE).lines
    assert lines[:-2] == [
        "change changed  observer FR1  cluster CA  kind qmgr  name QM2  owner QM2",
        "  published 2025-03-03T09:00:00Z -> 2025-03-03T10:00:00Z",
        "  republish_due 2025-03-30T09:00:00Z -> 2025-03-30T10:00:00Z",
        "  expires 2025-04-02T09:00:00Z -> 2025-04-02T10:00:00Z",
        "  removal 2025-06-01T09:00:00Z -> 2025-06-01T10:00:00Z",
        "0 added, 1 changed, 0 removed",
    ]


def test_json_names_only_the_fields_that_differ(suspended: Run) -> None:
    """JSON has both points, and in each row the change, the key and both sides of what differs."""
    asked = ("ask", "members", "--as-of", "2025-03-04", "--against", BEFORE, "--format", "json")
    answer = suspended(*asked, "--ignore", "known_by").json
    assert list(answer) == ["question", "as_of", "against", "rows"]
    assert answer["against"]["valid"] == "2025-03-03T09:30:00Z"
    changed, added = ({**row, "evidence": 0} for row in answer["rows"])
    key = {"cluster": "CA", "qmgr": "QM2", "qmid": "QM2_2025-03-03_09.00.00"}
    sides = {"suspend_before": "NO", "suspend_after": "YES"}
    assert changed == {"change": "changed", **key, **sides, "evidence": 0}
    assert [name for name in added if name.endswith(("_before", "_after"))] == [
        "qmtype_after",
        "suspend_after",
        "last_seen_after",
        "basis_after",
    ]


def test_csv_has_both_sides_of_every_field(suspended: Run) -> None:
    """CSV has the same columns for every row; `--columns` names fields of the question."""
    asked = ("ask", "members", "--as-of", "2025-03-04", "--against", BEFORE, "--format", "csv")
    rows = list(csv.DictReader(suspended(*asked).lines))
    fields = ("qmtype", "suspend", "known_by", "last_seen", "basis")
    sides = [f"{field}_{side}" for field in fields for side in ("before", "after")]
    assert list(rows[0]) == ["change", "cluster", "qmgr", "qmid", *sides]
    lines = suspended(*asked, "--columns", "qmgr,suspend", "--ignore", "known_by").lines
    assert lines == ["qmgr,suspend_before,suspend_after", "QM2,NO,YES", "QM3,,NO"]


def test_the_exit_code_says_whether_rows_differ(suspended: Run) -> None:
    """With --exit-code, 10 means that rows differ; fields that are ignored do not count."""
    asked = ("ask", "members", "--as-of", "2025-03-04", "--against")
    assert suspended(*asked, BEFORE).code == 0
    assert suspended(*asked, BEFORE, "--exit-code").code == 10
    same = suspended(*asked, LATER, "--exit-code")
    assert (same.code, same.lines[0]) == (0, "no row differs")
    suspended("branch", "create", "lab")
    ignored = ("--ignore", "suspend", "--ignore", "known_by", "--exit-code")
    suspended("--branch", "lab", "runmqsc", "QM2", typed="RESUME QMGR CLUSTER(CA)")
    lab = ("--branch", "lab", "ask", "members", "--against", "main")
    assert [suspended(*lab, "--exit-code").code, suspended(*lab, *ignored).code] == [10, 0]


@pytest.mark.parametrize("question", COMPARED)
def test_a_comparison_fits_its_schema(suspended: Run, question: str) -> None:
    """The JSON of each comparison matches `ask QUESTION --against T --schema`."""
    asked = ("ask", question, *OPTIONS.get(question, ()))
    times = ("--as-of", "2025-03-04", "--against", BEFORE)
    answer = suspended(*asked, *times, "--format", "json").json
    schema = suspended("ask", question, "--schema", "--against", BEFORE).json
    assert list(mismatches(answer, schema)) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["changes", "--against", BEFORE], "changes cannot be compared with a reference: "),
        (["members", "--exit-code"], "--ignore and --exit-code need --against"),
        (["members", "--ignore", "suspend"], "--ignore and --exit-code need --against"),
        (["members", "--against", "mian"], "did you mean main?"),
        (["members", "--against", "-9999999d"], "out of range"),
        (["members", "--against", "main", "--ignore", "qmid"], "qmid identifies the rows"),
        (["members", "--against", "main", "--columns", "evidence"], "unknown column 'evidence'"),
        (["members", "--against", "main", "--since", "-1d"], "unknown option --since"),
        (["ingest", "--against", "main", "--strict"], "--strict is about one instant"),
        (["lifetimes", "--against", "main", "--format", "svg"], "a picture has no --columns"),
    ],
)
def test_an_option_that_would_have_no_effect_is_refused(
    cluster: Run, words: list[str], said: str
) -> None:
    """What cannot be compared, or would be ignored, is one line and exit code 20."""
    refused = cluster("ask", *words)
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert said in refused.err


DUMP = """* Script generated on 2026-05-04   at {time}
* Queue manager name: {qmgr}
* Queue manager platform: UNIX
* Command issued: dmpmqcfg -m {qmgr} -a
DEFINE CHANNEL('SEA.{qmgr}') CHLTYPE(CLUSRCVR) CONNAME('{qmgr}') CLUSTER('SEA') REPLACE
{rest}* Script ended on 2026-05-04   at {time}
"""
PORT = "ALTER QMGR REPOS('SEA')\n"
SHIP = """DEFINE CHANNEL('SEA.PORT') CHLTYPE(CLUSSDR) CONNAME('PORT') CLUSTER('SEA') REPLACE
DEFINE QLOCAL('SALT') CLUSTER('SEA') DESCR('{descr}') REPLACE
DEFINE QLOCAL('ROPE') CLUSTER('SEA') DESCR('{descr}') REPLACE
"""


@pytest.fixture
def harbour(run: Run) -> Run:
    """Import dumps of two queue managers, and an hour later a dump in which queues were altered."""
    dumps = (
        ("PORT", "07.30.00", PORT),
        ("SHIP", "07.30.00", SHIP.format(descr="dry")),
        ("SHIP", "08.30.00", SHIP.format(descr="wet")),
    )
    for qmgr, time, rest in dumps:
        Path("dump.mqsc").write_text(DUMP.format(qmgr=qmgr, time=time, rest=rest), encoding="utf-8")
        assert run("import", "dump.mqsc", "--tz", "UTC").code == 0
    return run


@pytest.mark.parametrize("question", NAMED)
def test_a_comparison_of_imported_records_is_narrowed_by_name(harbour: Run, question: str) -> None:
    """--name and --against together show the rows of that name that differ, of each question."""
    asked = ("ask", question, "--against=-1h", "--as-of", "2026-05-04T09:00", "--format", "json")
    whole = harbour(*asked).json["rows"]
    narrowed = harbour(*asked, "--name", "SALT")
    assert (narrowed.code, narrowed.err) == (0, "")
    assert narrowed.json["rows"] == [row for row in whole if row["name"] == "SALT"]
    if question in ("beliefs", "lifetimes"):
        assert {(row["owner"], row["change"]) for row in narrowed.json["rows"]} == {
            ("SHIP", "changed")
        }
