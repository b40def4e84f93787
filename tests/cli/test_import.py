"""`twin import`: files as observations."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import AT, Run
from twin.cli.files import MAX_BYTES
from twin.feeds.converters import CONVERTERS
from twin.feeds.detect import detect
from twin.feeds.observed_captures import CAPTURES

SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples"
SCRIPT = "DEFINE QLOCAL(A) MAXDEPTH(10)\nSTART LISTENER(L)\n"


def test_what_a_script_says_is_recorded_once(run: Run) -> None:
    """The first import of a file records its definitions, the second import nothing."""
    Path("a.mqsc").write_text(SCRIPT, encoding="utf-8")
    first = run("import", "a.mqsc", "--qmgr", "QM1", "--at", AT)
    again = run("import", "a.mqsc", "--qmgr", "QM1", "--at", AT)
    assert (first.code, again.code) == (0, 0)
    assert first.lines[0] == (
        "a.mqsc: mqsc-script of QM1: 2 commands, 1 taken, 1 passed over, 2 facts recorded"
    )
    assert again.lines[0].endswith("0 facts recorded")
    assert "MAXDEPTH(10)" in run("runmqsc", "QM1", typed="DISPLAY QL(A) MAXDEPTH").out


def test_a_late_file_is_fine_and_known_only_since_it_was_read(run: Run) -> None:
    """A file imported for a past instant is valid from then, but known only from its import."""
    run("import", "-", "--qmgr", "QM1", "--at", "2025-03-03T12:00", typed=SCRIPT)
    late = "DEFINE QLOCAL(B)\n"
    assert run("import", "-", "--qmgr", "QM1", "--at", AT, typed=late).code == 0
    display = ["runmqsc", "QM1", "--as-of", "2025-03-03T10:00"]
    assert "QUEUE(B)" in run(*display, typed="DISPLAY QL(B)").out
    assert run(*display, "--known-at", "2025-03-03T10:00", typed="DISPLAY QL(B)").code == 20


def test_what_was_not_understood_is_named_with_its_line(run: Run) -> None:
    """A malformed command is reported by file and line, and the exit code is 10."""
    Path("a.mqsc").write_text(SCRIPT + "DEFINE QLOCAL(B) NONSENSE(1)\n", encoding="utf-8")
    taken = run("import", "a.mqsc", "--qmgr", "QM1", "--at", AT)
    assert taken.code == 10
    (problem,) = [line for line in taken.lines if line.startswith("a.mqsc:3: ")]
    assert "NONSENSE" in problem


def test_a_folder_is_read_file_by_file(run: Run) -> None:
    """Every visible file of a folder is imported, in the order of names."""
    Path("dumps").mkdir()
    for name in ("b.mqsc", "a.mqsc", ".hidden"):
        Path("dumps", name).write_text(f"DEFINE QLOCAL('{name}')\n", encoding="utf-8")
    taken = run("import", "dumps", "--qmgr", "QM1", "--at", AT, "--format", "csv")
    assert [line.split(",")[0] for line in taken.lines] == ["file", "dumps/a.mqsc", "dumps/b.mqsc"]


def test_the_files_of_a_folder_are_of_whom_they_are_named_after(run: Run) -> None:
    """A script of a folder belongs to the queue manager in its file name, if the name is valid."""
    Path("all").mkdir()
    for name in ("QM1.mqsc", "QM2.mqsc", "not one.mqsc"):
        Path("all", name).write_text(SCRIPT, encoding="utf-8")
    taken = run("import", "all", "--at", AT)
    assert taken.code == 10
    assert taken.lines[0].startswith("all/QM1.mqsc: mqsc-script of QM1: ")
    assert "all/QM2.mqsc: mqsc-script of QM2: " in taken.out
    said = "names no queue manager; name it with --qmgr QM"
    assert f"all/not one.mqsc: nothing read: {said}" in taken.lines
    assert "QMNAME(QM2)" in run("dspmq").out


def test_several_files_are_of_whom_they_are_named_after(run: Run) -> None:
    """Each of several scripts belongs to the queue manager in its file name; a single one not."""
    for name in ("QM1.mqsc", "QM2.mqsc"):
        Path(name).write_text(SCRIPT, encoding="utf-8")
    alone = run("import", "QM1.mqsc", "--at", AT)
    assert alone.code == 20
    assert alone.err == "twin: QM1.mqsc names no queue manager; name it with --qmgr QM\n"
    assert run("import", "QM1.mqsc", "QM2.mqsc", "--at", AT).code == 0
    assert {"QMNAME(QM1)", "QMNAME(QM2)"} <= set(run("dspmq").out.split())


def test_an_import_ends_with_the_instant_it_recorded(run: Run) -> None:
    """The last line shows the given instant, or now if that is earlier."""
    Path("a.mqsc").write_text(SCRIPT, encoding="utf-8")
    words = ["import", "a.mqsc", "--qmgr", "QM1", "--at"]
    assert run(*words, AT).lines[-1].startswith("as of 2025-03-03T09:00:00Z known at ")
    assert "as of 2999" not in run(*words, "2999-01-01").lines[-1]


def test_commands_that_define_nothing_are_listed(run: Run) -> None:
    """Commands that define nothing are counted by verb, and listed in JSON."""
    script = SCRIPT + "DISPLAY QMGR\nSTART LISTENER(M)\nDEFINE QLOCAL(B) NONSENSE(1)\n"
    script += "SET LOG ROTATE\nSET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('nobody')\n"
    taken = run("import", "-", "--qmgr", "QM1", "--at", AT, typed=script)
    named = (
        "-: passed over, because it defines nothing that twin models: 2 START LISTENER,"
        " 1 DISPLAY QMGR, 1 SET LOG"
    )
    assert named in taken.lines
    rows = run("import", "-", "--qmgr", "QM1", "--format", "json", typed=script).json["rows"]
    counts = ("commands", "taken", "passed_over", "not_understood", "recorded")
    assert {tuple(row[count] for count in counts) for row in rows} == {(7, 3, 4, 0, 0)}
    ignored = [(row["line"], row["why"]) for row in rows if row["became"] == "not understood"]
    assert ignored == [(5, "NONSENSE is an unknown keyword")]
    passed = [(row["line"], row["text"]) for row in rows if row["became"] == "passed over"]
    assert passed == [
        (2, "START LISTENER(L)"),
        (3, "DISPLAY QMGR"),
        (4, "START LISTENER(M)"),
        (6, "SET LOG"),
    ]


def test_only_what_has_an_end_is_read(run: Run) -> None:
    """A device, a pipe that nobody writes to, and an endless input are refused at once."""
    os.mkfifo("pipe")
    with Path("big.mqsc").open("wb") as big:
        big.truncate(MAX_BYTES + 1)
    refused = run("import", "pipe", "/dev/zero", "big.mqsc", "--qmgr", "QM1")
    assert (refused.code, refused.out) == (20, "")
    assert refused.err.splitlines() == [
        "twin: pipe is not a regular file; use - for standard input",
        "twin: /dev/zero is not a regular file; use - for standard input",
        "twin: big.mqsc is longer than 64 MiB; nothing of it was read",
    ]
    endless = run("import", "-", "--qmgr", "QM1", typed=b" " * (MAX_BYTES + 1))
    assert endless.err == "twin: standard input is longer than 64 MiB; nothing of it was read\n"


def test_saved_answers_may_be_of_any_size(run: Run) -> None:
    """They are read line by line; what repeats is recorded once."""
    answer = (
        "Starting MQSC for queue manager QM1.\n     1 : DISPLAY CHSTATUS(*) ALL\n"
        "AMQ8417I: Display Channel Status details.\n   CHANNEL(TO.QM2)   CHLTYPE(CLUSSDR)\n"
        "   STATUS(RETRYING)\nOne MQSC command read.\n"
    )
    with Path("big.txt").open("w", encoding="utf-8") as big:
        big.write(answer)
        big.writelines(" " * 99_999 + "\n" for _ in range(MAX_BYTES // 100_000 + 1))
        big.write(answer)
    read = run("import", "big.txt", "--at", "mtime", "--format", "json")
    assert read.code == 0
    (row,) = read.json["rows"]
    assert (row["commands"], row["taken"], row["appended"]) == (2, 2, 2)
    again = run("import", "big.txt", "--at", "mtime", "--format", "json")
    assert again.json["rows"][0]["appended"] == 0


def test_a_file_whose_lines_end_with_cr_alone_is_read(run: Run) -> None:
    """So are its answers."""
    Path("answers.txt").write_bytes(
        b"Starting MQSC for queue manager QM1.\r     1 : DISPLAY QMSTATUS\r"
        b"AMQ8705I: Display Queue Manager Status Details.\r   QMNAME(QM1)   STATUS(RUNNING)\r"
        b"One MQSC command read.\r"
    )
    assert "1 taken" in run("import", "answers.txt").out


def test_the_nuls_that_a_crash_left_in_a_log_end_a_line(run: Run) -> None:
    """The records around them are read."""
    line = "2026-02-13T08:0{}:30.123Z AMQ9209E: Connection closed. [CommentInsert3(TO.QM2)]\n"
    lines = [line.format(minute) for minute in range(9)]
    torn = "".join([*lines, "\0" * 4096, line.format(9), "\0\0\n"])
    Path("console.log").write_text(torn, encoding="utf-8")
    read = run("import", "console.log", "--qmgr", "QM1")
    assert "10 facts" in read.out
    assert "Traceback" not in read.err


def test_an_empty_folder_is_said_to_be_empty(run: Run) -> None:
    """An empty folder is bad input in one line."""
    Path("empty").mkdir()
    assert run("import", "empty") == (20, "", "twin: empty contains no files\n")


def test_a_file_that_cannot_be_read_does_not_stop_the_others(run: Run) -> None:
    """A file that cannot be read is one line, the others are recorded, and the exit code is 10."""
    Path("a.mqsc").write_text(SCRIPT, encoding="utf-8")
    Path("binary").write_bytes(bytes(range(256)))
    taken = run("import", "none.mqsc", "binary", "a.mqsc", "--qmgr", "QM1")
    assert taken.code == 10
    assert taken.err.splitlines() == [
        "twin: cannot read none.mqsc: No such file or directory",
        "twin: binary is not text",
    ]
    assert "2 facts recorded" in taken.out


def test_nothing_readable_records_nothing_and_makes_no_log(run: Run) -> None:
    """If no file can be read, the exit code is 20 and no log is created."""
    Path("binary").write_bytes(bytes(range(256)))
    assert run("import", "none.mqsc", "binary", "--qmgr", "QM1").code == 20
    assert not Path("twin.db").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SCRIPT, "names no queue manager; name it with --qmgr QM"),
        ("", "contains no command"),
        ('{"a": 1}', "is JSON"),
        ("#!/bin/sh\ncrtmqm QM1\n", "is a shell script"),
        ("Dear all,\nthe queue is full.\nKind regards\n", "is neither MQSC nor a dump"),
    ],
)
def test_a_text_without_definitions_is_bad_input(run: Run, text: str, said: str) -> None:
    """A text without definitions exits 20 with one line about its format, and no output."""
    taken = run("import", "-", typed=text)
    assert (taken.code, taken.out, taken.err.count("\n")) == (20, "", 1)
    assert said in taken.err


def test_a_binary_message_is_named(run: Run) -> None:
    """A PCF message in binary is no text, and the line says what it is."""
    Path("stat.data").write_bytes(b"\x15\0\0\0$\0\0\0\x03\0\0\0")
    said = "twin: stat.data is a binary PCF message; amqsevt writes such messages as text\n"
    assert run("import", "stat.data", "--qmgr", "QM1") == (20, "", said)


def _is_read(path: Path) -> bool:
    if path.parent.name in {"mqsc", "dmpmqcfg"}:
        return True
    return detect(path.read_text(encoding="utf-8", errors="replace")) in {*CAPTURES, *CONVERTERS}


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_every_sample_that_is_not_read_is_explained_in_one_line(run: Run) -> None:
    """Each public file that cannot be imported has one line that says what it is."""
    paths = [
        path for path in sorted(SAMPLES.glob("*/*/*")) if path.is_file() and not _is_read(path)
    ]
    taken = run("import", *map(str, paths), "--qmgr", "QM1")
    assert (taken.code, taken.out) == (20, "")
    said = taken.err.splitlines()
    assert len(said) == len(paths) > 0
    for path in paths:
        explains = (f"twin: {path} is ", f"twin: {path} contains ")
        assert [line.startswith(explains) for line in said].count(True) == 1, path


def test_a_dump_says_itself_whose_it_is(cluster: Run) -> None:
    """A dump of the twin, imported into another log, creates the same queue manager there."""
    dump = cluster("dmpmqcfg", "QM2").out
    taken = cluster("--log", "other.db", "import", "-", "--at", AT, typed=dump)
    assert taken.code == 0
    assert taken.lines[0].startswith("-: dmpmqcfg of QM2: ")
    shown = cluster("--log", "other.db", "runmqsc", "QM2", typed="DISPLAY QL(ORDERS) CLUSTER").out
    assert "CLUSTER(CA)" in shown


def test_a_line_of_megabytes_is_reported(run: Run) -> None:
    """A line of three megabytes is reported, and the rest of the file is imported."""
    script = f"DEFINE QLOCAL(B) DESCR('{'x' * 3_000_000}')\n" + SCRIPT
    taken = run("import", "-", "--qmgr", "QM1", typed=script)
    assert taken.code == 10
    assert len(taken.out) < 10_000
    assert "2 facts recorded" in taken.out


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (("import", "-"), "DEFINE QLOCAL(A)\n"),
        (("import", "-", "--qmgr", "FR1"), "this is no MQSC\n"),
        (("import", "-", "--qmgr", "bad name"), "DEFINE QLOCAL(A)\n"),
        (("runmqdlq", "FR1", "-"), "REASON(*) ACTION(NOPE)\n"),
        (("runmqsc", "QM9"), "DEFINE QLOCAL(A)\n"),
        (("crtmqm", "-ic", "missing.mqsc", "QM9"), ""),
        (("put", "FR1", "bad name"), ""),
    ],
)
def test_what_is_refused_records_nothing(cluster: Run, words: tuple[str, ...], typed: str) -> None:
    """Not even what has fallen due since the last command."""
    before = cluster("log", "verify").lines[0]
    done = cluster(*words, typed=typed)
    assert done.code == 20
    assert cluster("log", "verify").lines[0] == before
    assert cluster("advance", "--days", "0").code == 0
    assert cluster("log", "verify").lines[0] != before
