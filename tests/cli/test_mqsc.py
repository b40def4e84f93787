"""`twin runmqsc` and `twin dmpmqcfg`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import AT, Run

DISPLAY = "DISPLAY QCLUSTER(ORDERS) CLUSQMGR PUT"


@pytest.fixture
def one(run: Run) -> Run:
    """Make a running queue manager."""
    run("crtmqm", "QM1", "--at", AT)
    run("strmqm", "QM1", "--at", AT)
    return run


def test_a_session_is_framed_as_runmqsc_frames_it(one: Run) -> None:
    """The first line names twin and the point in time; echo, answers and counters are MQ's."""
    session = one("runmqsc", "QM1", "--at", AT, typed="DEFINE QLOCAL(A)\n")
    assert session.code == 0
    assert session.lines[0].startswith("twin as of 2025-03-03T09:00:00Z known at ")
    assert session.lines[1:] == [
        "Starting MQSC for queue manager QM1.",
        "",
        "",
        "     1 : DEFINE QLOCAL(A)",
        "AMQ8006I: IBM MQ queue created.",
        "One MQSC command read.",
        "No commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]


@pytest.mark.parametrize("words", [["script.mqsc"], ["-f", "script.mqsc"], ["-fscript.mqsc"], []])
def test_commands_come_from_a_file_or_from_standard_input(one: Run, words: list[str]) -> None:
    """Commands are read from a file (an argument, or -f), or else from standard input."""
    Path("script.mqsc").write_text("DEFINE QLOCAL(A)\n", encoding="utf-8")
    typed = "" if words else "DEFINE QLOCAL(A)\n"
    assert "AMQ8006I" in one("runmqsc", "QM1", *words, "--at", AT, typed=typed).out


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_scripts_of_any_usual_encoding_are_read(one: Run, encoding: str) -> None:
    """Scripts with byte order marks and accents are read."""
    script = "DEFINE QLOCAL(A) DESCR('Aufträge')\n".encode(encoding)
    one("runmqsc", "QM1", "--at", AT, typed=script)
    assert "DESCR(Aufträge)" in one("runmqsc", "QM1", typed="DISPLAY QL(A) DESCR").out


def test_a_bad_byte_fails_one_command(one: Run) -> None:
    """In UTF-8, a command with an invalid byte is a syntax error; the others are carried out."""
    script = "DEFINE QL(A) DESCR('ä')\nDEFINE QL(B) DESCR('x~')\nDEFINE QL(C)\n".encode()
    answer = one("runmqsc", "QM1", "--at", AT, typed=script.replace(b"~", b"\xe4"))
    assert "DEFINE QL(B) DESCR('x\n" in answer.out
    assert answer.out.count("AMQ8006I") == 2
    assert "One command has a syntax error." in answer.out


def test_lines_may_end_with_cr_alone(one: Run) -> None:
    """A script of two lines that end with CR has two commands."""
    answer = one("runmqsc", "QM1", "--at", AT, typed=b"DEFINE QL(A)\rDEFINE QL(B)\r")
    assert answer.out.count("AMQ8006I") == 2
    assert "2 MQSC commands read." in answer.out


def test_a_failed_command_makes_the_exit_code_ten(one: Run) -> None:
    """A malformed or refused command makes the exit code 10."""
    assert one("runmqsc", "QM1", typed="DELETE QLOCAL(NONE)\n").code == 10
    assert one("runmqsc", "QM1", typed="DEFIN QLOCAL(A)\n").code == 10


def test_an_unknown_queue_manager_is_answered_as_mq_answers(one: Run) -> None:
    """A session with an unknown queue manager prints AMQ8118E and exits 20."""
    session = one("runmqsc", "QM9", typed="DISPLAY QMGR\n")
    assert session.code == 20
    assert "AMQ8118E: " in session.out


def test_the_flag_e_leaves_the_echo_out(one: Run) -> None:
    """With -e, only the answers are printed."""
    assert not [
        line for line in one("runmqsc", "-e", "QM1", typed="PING QMGR\n").lines if " : " in line
    ]


def test_the_flag_v_verifies_and_does_nothing(one: Run) -> None:
    """With -v, malformed commands are reported and no command is run."""
    script = "DEFINE QL(A)\nDEF QL(B) NO(1) MAXDEPTH(1)\nDIS QL(*) GET\nDIS QL(*) FOO PUT\n"
    session = one("runmqsc", "-v", "QM1", typed=script)
    assert session.code == 10
    assert session.out.count("AMQ8405I") == 2
    assert {"DEF QL(B) NO(1)", "DIS QL(*) FOO"} <= set(session.lines)
    assert "AMQ8147E" in one("runmqsc", "QM1", typed="DISPLAY QLOCAL(A)\n").out


def test_flags_that_mean_nothing_here_are_accepted(one: Run) -> None:
    """The flags -w, -m, -c and -u of real scripts are accepted."""
    words = ["runmqsc", "-w", "30", "-m", "GATEWAY", "-u", "admin", "QM1"]
    assert one(*words, typed="PING QMGR").code == 0


def test_belief_is_displayed_as_of_any_instant(cluster: Run) -> None:
    """The same DISPLAY as of two instants shows the beliefs of each."""
    cluster("open", "QM1", "ORDERS", "--at", "2025-03-03T10:00")
    alter = "ALTER QLOCAL(ORDERS) PUT(DISABLED)"
    cluster("runmqsc", "QM2", "--at", "2025-03-03T11:00", typed=alter)
    shown = {
        hour: cluster("runmqsc", "QM1", "--as-of", f"2025-03-03T{hour}", typed=DISPLAY).out
        for hour in ("09:59", "10:59", "11:00")
    }
    assert "AMQ8147E" in shown["09:59"]
    assert "PUT(ENABLED)" in shown["10:59"]
    assert "PUT(DISABLED)" in shown["11:00"]


def test_a_look_at_the_past_changes_nothing(one: Run) -> None:
    """With --as-of, a command that would change something is refused and not recorded."""
    before = one("log", "verify", "--format", "csv").out
    assert one("runmqsc", "QM1", "--as-of", AT, typed="DEFINE QLOCAL(A)").code == 10
    assert one("log", "verify", "--format", "csv").out == before


def test_a_command_of_five_megabytes_is_echoed_cut(one: Run) -> None:
    """The echo of a command is cut where the command is too long, and the session continues."""
    script = "DEFINE QLOCAL(A) DESCR('" + 5_000 * ("x" * 1000 + "+\n") + "')\nPING QMGR\n"
    session = one("runmqsc", "QM1", typed=script)
    assert (session.code, "AMQ8405I" in session.out, "AMQ8415I" in session.out) == (10, True, True)
    assert len(session.out) < 50_000


@pytest.mark.parametrize("at", ["+1h", "2025-03-03T08:00"])
def test_an_instant_that_commands_may_not_have_is_refused_at_once(one: Run, at: str) -> None:
    """An instant that commands may not have is one line; nothing else is printed or recorded."""
    refused = one("runmqsc", "QM1", "--at", at, typed="DEFINE QLOCAL(A)\n")
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)


def test_a_session_without_a_name_suggests_the_only_one(one: Run) -> None:
    """A session without a queue manager suggests the only one; there is no default."""
    said = one("runmqsc", typed="PING QMGR").err
    assert said.startswith(
        "twin: runmqsc: name a queue manager; there is no default (did you mean twin "
    )
    assert "twin runmqsc QM1?" in said
    one("crtmqm", "QM2")
    assert "QM1" not in one("runmqsc", typed="PING QMGR").err


@pytest.mark.parametrize(
    "words", [["-m", "QM1"], ["-mQM1", "-a"], ["-a", "-t", "all", "-x", "all", "-n", "*", "QM1"]]
)
def test_dmpmqcfg_takes_the_flags_of_mq(one: Run, words: list[str]) -> None:
    """The queue manager is an argument or the value of -m; flags without any limit are accepted."""
    dumped = one("dmpmqcfg", *words, "-o", "mqsc")
    assert dumped.code == 0
    assert "* Queue manager name: QM1 " in dumped.lines


def test_a_line_of_ten_megabytes_is_a_syntax_error(one: Run) -> None:
    """A line of ten megabytes is answered with AMQ8405 and a short echo; the session continues."""
    script = f"DEFINE QLOCAL(A) DESCR('{'x' * 10_000_000}')\nPING QMGR\n"
    session = one("runmqsc", "QM1", typed=script)
    assert session.code == 10
    assert "AMQ8405I" in session.out
    assert "AMQ8415I" in session.out
    assert len(session.out) < 10_000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["runmqsc", "QM1", "none.mqsc"], "cannot read none.mqsc: No such file or directory"),
        (["runmqsc", "QM1", "."], "cannot read .: Is a directory"),
        (["runmqsc", "QM1", "binary"], "binary is not text"),
        (["runmqsc"], "name a queue manager; there is no default"),
        (["runmqsc", "-e"], "name a queue manager; there is no default"),
        (
            ["runmqsc", "QM1", "a", "b"],
            "expected one queue manager and one file at most, not files a b",
        ),
        (
            ["runmqsc", "QM1", "a", "-f", "b"],
            "expected one queue manager and one file at most, not files a b",
        ),
        (["runmqsc", "QM1", "--at", AT, "--as-of", AT], "--at records commands"),
        (["runmqsc", "-v", "QM9"], "AMQ8118E: IBM MQ queue manager QM9 does not exist"),
        (["dmpmqcfg"], "expected one queue manager, not none"),
        (["dmpmqcfg", "QM1", "-m", "QM2"], "expected one queue manager, not QM1 QM2"),
        (["dmpmqcfg", "QM1", "-t", "queue"], "-t queue is not supported; expected -t 'all'"),
        (["dmpmqcfg", "QM1", "-n", "A*"], "-n A* is not supported; expected -n '*'"),
        (["dmpmqcfg", "QM1", "-o", "1line"], "-o 1line is not supported; expected -o 'mqsc'"),
        (["dmpmqcfg", "QM9"], "AMQ8118E: IBM MQ queue manager QM9 does not exist"),
    ],
)
def test_bad_input_is_one_line_and_nothing_recorded(one: Run, words: list[str], said: str) -> None:
    """Unreadable or malformed input is one line on standard error and exit code 20."""
    Path("binary").write_bytes(bytes(range(256)))
    before = one("log", "verify", "--format", "csv").out
    refused = one(*words)
    assert (refused.code, refused.out) == (20, "")
    assert refused.err.startswith("twin: ")
    assert refused.err.count("\n") == 1
    assert said in refused.err
    assert one("log", "verify", "--format", "csv").out == before


def test_a_dump_can_be_replayed(cluster: Run) -> None:
    """The output of dmpmqcfg, run on another queue manager, makes the same definitions there."""
    dumped = cluster("dmpmqcfg", "QM2")
    assert dumped.code == 0
    cluster("crtmqm", "QM3")
    cluster("strmqm", "QM3")
    assert cluster("runmqsc", "QM3", typed=dumped.out).code == 0
    replayed = cluster("runmqsc", "QM3", typed="DISPLAY QLOCAL(ORDERS) CLUSTER").out
    assert "CLUSTER(CA)" in replayed


def test_a_dump_is_of_any_instant_and_in_any_form(cluster: Run) -> None:
    """A dump as of an instant leaves out later changes; JSON and CSV have one command per row."""
    cluster("runmqsc", "QM1", "--at", "2025-03-03T10:00", typed="DEFINE QLOCAL(LATER)")
    earlier = cluster("dmpmqcfg", "QM1", "--as-of", AT, "--format", "json").json
    later = cluster("dmpmqcfg", "QM1", "--format", "json").json
    new = {row["command"] for row in later["rows"]} - {row["command"] for row in earlier["rows"]}
    assert any(command.startswith("DEFINE QLOCAL(LATER)") for command in new) or any(
        "'LATER'" in command for command in new
    )
    assert cluster("dmpmqcfg", "QM1", "--format", "csv").lines[0] == "command"
