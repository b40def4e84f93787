"""`twin log show` prints where each primary fact came from."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import AT, Run

SCRIPT = """\
* queues of the back office
DEFINE QLOCAL(A)
DEFINE QLOCAL(B) +
  DESCR('two lines')
DISPLAY QLOCAL(A)
ALTER QLOCAL(A) DESCR('changed')
"""
STORY = """\
story: a queue is put to
steps:
  - {at: +1h, on: QM2, put: {queue: ORDERS}}
  - endmqm: QM1
"""


def _origins(run: Run, *words: str) -> dict[str, str]:
    """Return the origins of primary facts by the text of their body."""
    rows = run(*words, "log", "show", "--limit", "0", "--format", "json").json["rows"]
    return {row["body"]: row["origin"] for row in rows if row["origin"]}


def test_a_command_of_a_script_comes_from_the_line_it_starts_on(cluster: Run) -> None:
    """Every recorded command of runmqsc has the file as given, and its line, as origin."""
    Path("office.mqsc").write_text(SCRIPT, encoding="utf-8")
    cluster("runmqsc", "QM1", "office.mqsc", "--at", AT)
    assert list(_origins(cluster).values()) == [f"office.mqsc:{line}" for line in (2, 3, 6)]
    shown = [line for line in cluster("log", "show", "--limit", "0").lines if "from office" in line]
    assert len(shown) == 3
    assert shown[0].split("CommandEntered ")[1] == "text=DEFINE QLOCAL(A) from office.mqsc:2"


def test_what_is_typed_has_no_origin(cluster: Run) -> None:
    """A command from standard input has no origin, and the same body as in earlier versions."""
    cluster("runmqsc", "QM1", "--at", AT, typed="DEFINE QLOCAL(A)")
    assert _origins(cluster) == {}
    *_, row, _ = cluster("log", "show", "--limit", "0", "--format", "json").json["rows"]
    assert row["body"] == '{"qmgr":"QM1","text":"DEFINE QLOCAL(A)"}'


def test_an_imported_definition_comes_from_its_line(cluster: Run) -> None:
    """Every observation has the file and its first line as origin, and the line of each object."""
    Path("qm9.mqsc").write_text(SCRIPT + "ALTER QMGR DESCR('nine')\n", encoding="utf-8")
    assert cluster("import", "./qm9.mqsc", "--qmgr", "QM9", "--at", AT).code == 0
    assert list(_origins(cluster).values()) == ["./qm9.mqsc:7", "./qm9.mqsc:2"]
    shown = cluster("log", "show", "--limit", "0", "--type", "ObjectsObserved").out
    assert "define A (2) define B (3) alter A (6)" in " ".join(shown.split())


def test_a_step_of_a_story_comes_from_its_file_and_number(cluster: Run) -> None:
    """An action of a story on a branch has the story's file, its line and the step as origin."""
    cluster("branch", "create", "lab")
    Path("put.yaml").write_text(STORY, encoding="utf-8")
    assert cluster("--branch", "lab", "play", "put.yaml").code == 0
    assert list(_origins(cluster, "--branch", "lab").values()) == [
        "put.yaml:3 (step 1)",
        "put.yaml:4 (step 2)",
    ]


def test_an_origin_changes_no_answer(cluster: Run) -> None:
    """A script gives the same definitions whether its origin is known or not."""
    Path("office.mqsc").write_text(SCRIPT, encoding="utf-8")
    cluster("branch", "create", "file")
    cluster("branch", "create", "typed")
    from_file = cluster("--branch", "file", "runmqsc", "QM1", "office.mqsc")
    typed = cluster("--branch", "typed", "runmqsc", "QM1", typed=SCRIPT)
    assert from_file.lines[2:] == typed.lines[2:]
    compared = cluster("branch", "diff", "file", "typed", "--format", "json")
    assert (compared.code, compared.json["rows"]) == (0, [])
