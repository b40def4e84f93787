"""`twin crtmqm`, `strmqm`, `endmqm`, `dltmqm` and `dspmq`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import AT, Run


def test_a_queue_manager_lives_from_crtmqm_to_dltmqm(run: Run) -> None:
    """The four commands print what they did, and dspmq shows the state after each."""
    said, seen = [], []
    for command in ("crtmqm", "strmqm", "endmqm", "dltmqm"):
        said.append(run(command, "QM1").out)
        seen.append([line for line in run("dspmq").lines if line.startswith("QMNAME")])
    assert said == [
        "IBM MQ queue manager 'QM1' created.\n",
        "IBM MQ queue manager 'QM1' started.\n",
        "IBM MQ queue manager 'QM1' ended.\n",
        "IBM MQ queue manager 'QM1' deleted.\n",
    ]
    name = "QMNAME(QM1)                                               "
    assert seen == [
        [f"{name}STATUS(Ended immediately)"],
        [f"{name}STATUS(Running)"],
        [f"{name}STATUS(Ended normally)"],
        [],
    ]


def test_dspmq_tells_an_end_by_the_repository_manager_from_endmqm(run: Run) -> None:
    """A queue manager that MQ ended after five days has ended immediately, not normally."""
    run("crtmqm", "QM1", "--at", AT)
    run("strmqm", "QM1", "--at", AT)
    run("exhaust", "QM1", "--at", AT)
    script = "DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('q(1)') CLUSTER(CA)"
    run("runmqsc", "QM1", "--at", AT, typed=script)
    run("advance", "--to", "2025-03-09T09:00")
    assert "STATUS(Ended immediately)" in run("dspmq").lines[0]
    run("strmqm", "QM1")
    run("endmqm", "QM1")
    assert "STATUS(Ended normally)" in run("dspmq").lines[0]


def test_dspmq_is_asked_of_any_instant(run: Run) -> None:
    """With --as-of, dspmq shows the states of that instant, and the point in time at the end."""
    run("crtmqm", "QM1", "--at", AT)
    run("strmqm", "QM1", "--at", "2025-03-03T10:00")
    shown = run("dspmq", "-m", "QM1", "--as-of", "2025-03-03T09:30")
    assert "STATUS(Ended immediately)" in shown.lines[0]
    assert shown.err.startswith("as of 2025-03-03T09:30:00Z known at ")
    assert shown.err.endswith(" branch main\n")


def test_dspmq_knows_what_had_been_recorded_by_an_instant(run: Run) -> None:
    """With --known-at before the first recording, dspmq lists nothing."""
    run("crtmqm", "QM1", "--at", AT)
    assert run("dspmq", "--as-of", AT, "--known-at", AT, "--format", "json").json["rows"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("dspmq", "-m", "QM1"),
        ("explain", "QM1", "Q"),
        ("explain", "QM1", "Q", "--with", "DEFINE QLOCAL(Q)"),
        ("browse", "QM1", "Q"),
        ("dmpmqcfg", "QM1"),
        ("runmqsc", "QM1"),
    ],
)
def test_before_the_log_no_queue_manager_is_said_to_be_missing(
    run: Run, words: tuple[str, ...]
) -> None:
    """Commands that name one say in one line that the log begins later, and dspmq notes it."""
    run("crtmqm", "QM1", "--at", AT)
    begins = "the log begins at 2025-03-03T09:00:00Z: nothing is known of 2025-03-03T08:00:00Z"
    asked = run(*words, "--as-of", "2025-03-03T08:00", typed="DISPLAY QMGR")
    assert (asked.code, asked.err.splitlines()[-1]) == (20, f"twin: {begins}")
    assert run("dspmq", "--as-of", "2025-03-03T08:00").err.splitlines()[0] == begins


def test_dspmq_has_the_forms_of_every_answer(run: Run) -> None:
    """The JSON of dspmq has question and point; its CSV has a header and one line per row."""
    run("crtmqm", "QM1", "--at", AT)
    answer = run("dspmq", "--format", "json").json
    assert answer["question"] == "dspmq"
    assert answer["as_of"]["branch"] == "main"
    row: dict[str, object] = {"qmname": "QM1", "status": "Ended immediately", "default": "no"}
    row |= {"basis": "derived", "evidence": [2]}
    assert answer["rows"] == [row]
    assert run("dspmq", "--format", "csv").lines == [
        "qmname,status,default,basis",
        "QM1,Ended immediately,no,derived",
    ]


def test_dspmq_shows_the_cells_that_are_asked_for(run: Run) -> None:
    """The flag -o of dspmq selects status, default or all, as in MQ."""
    run("crtmqm", "QM1")
    assert run("dspmq", "-o", "all").lines[0].endswith("STATUS(Ended immediately) DEFAULT(no)")
    assert run("dspmq", "-o", "default").lines[0].endswith(" DEFAULT(no)")
    assert run("dspmq", "-o", "status").lines[0].endswith(" STATUS(Ended immediately)")


def test_flags_of_real_scripts_are_accepted_and_recorded(run: Run) -> None:
    """The flags of crtmqm are recorded with the command."""
    flags = "-q -lc -lf 4096 -lp 3 -ls2 -ld logs -md data -u DLQ -x 5000 -h 256 -p 1414".split()
    assert run("crtmqm", *flags, "-c", "my queue manager", "QM1", "--at", AT).code == 0
    event = run("log", "show", "--type", "ControlCommandEntered", "--format", "json").json
    body = event["rows"][0]["body"]
    for argument in ("lf=4096", "ls=2", "q", "deadq=DLQ", "descr=my queue manager"):
        assert f'"{argument}"' in body
    assert run("strmqm", "-x", "QM1", "--at", AT).code == 0
    assert run("endmqm", "-i", "-t", "60", "-r", "QM1").code == 0
    assert run("dltmqm", "-z", "QM1").code == 0


def test_crtmqm_sets_what_its_flags_say(run: Run) -> None:
    """The flags of crtmqm set dead-letter queue, description, transmission queue and limits."""
    flags = ["-u", "DLQ", "-c", "Mine", "-d", "XQ", "-h", "100", "-t", "5", "-x", "77"]
    assert run("crtmqm", *flags, "QM1", "--at", AT).code == 0
    run("strmqm", "QM1", "--at", AT)
    keywords = "DEADQ DESCR DEFXMITQ MAXHANDS TRIGINT MAXUMSGS"
    shown = run("runmqsc", "QM1", typed=f"DISPLAY QMGR {keywords}").out
    for cell in (
        *("DEADQ(DLQ)", "DESCR(Mine)", "DEFXMITQ(XQ)"),
        *("MAXHANDS(100)", "TRIGINT(5)", "MAXUMSGS(77)"),
    ):
        assert cell in shown


def test_the_help_tells_obeyed_flags_from_accepted_ones(run: Run) -> None:
    """The help separates flags with an effect from those without."""
    obeyed, accepted = " ".join(run("crtmqm", "--help").out.split()).split(
        "Accepted without effect: "
    )
    for flag in ("-u ", "-c ", "-d ", "-h ", "-t ", "-x ", "-p ", "-ii ", "-ic ", "-iv "):
        assert flag in obeyed
    for flag in ("-lf ", "-g ", "-z"):
        assert flag in accepted


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["crtmqm", "QM2", "-h", "many"], "crtmqm: -h: MAXHANDS 'many' is not a number"),
        (["crtmqm", "QM2", "-x", "0"], "crtmqm: -x: MAXUMSGS 0 is not between 1 and 999999999"),
        (["crtmqm", "QM2", "-u", "D Q"], "crtmqm: -u: DEADQ 'D Q' is not a legal name"),
        (["crtmqm", "QM1"], "AMQ8110S: IBM MQ queue manager QM1 already exists"),
        (["strmqm", "QM1"], "AMQ5019E: IBM MQ queue manager QM1 is already running"),
        (["dltmqm", "QM1"], "AMQ5003E: IBM MQ queue manager QM1 is running"),
        (["strmqm", "QM2"], "AMQ8118E: IBM MQ queue manager QM2 does not exist"),
        (["crtmqm", "Q M"], "AMQ7048E: "),
        (["crtmqm", "QM2", "--cmdlevel", "600"], "unknown --cmdlevel 600; expected 700 to 1099"),
        (
            ["crtmqm", "QM2", "--platform", "BEOS"],
            "unknown --platform BEOS; expected one of UNIX, ",
        ),
        (["crtmqm", "QM2", "-y"], "crtmqm: unknown flag -y (see twin crtmqm --help)"),
        (["crtmqm", "QM2", "-u"], "-u needs a value: -u DEAD-LETTER-QUEUE"),
        (["crtmqm", "-q"], "expected one queue manager, not none"),
        (["endmqm", "QM1", "QM2"], "expected one queue manager, not QM1 QM2"),
        (["dspmq", "QM1"], "unknown word QM1; expected -m QM1"),
        (["dspmq", "-o", "weather"], "unknown -o weather; expected one of status, default, all"),
        (["endmqm", "QM1", "--at", "2025-03-03T08:00"], "the past is fixed; try it on a branch"),
        (["endmqm", "QM1", "--at", "+1h"], "main never runs ahead of the clock"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_nothing_recorded(
    run: Run, words: list[str], said: str
) -> None:
    """A refused command is one line, exits 20 and leaves the log unchanged."""
    run("crtmqm", "QM1", "--at", AT)
    run("strmqm", "QM1", "--at", AT)
    before = run("log", "verify", "--format", "csv").out
    refused = run(*words)
    assert (refused.code, refused.out) == (20, "")
    assert refused.err.startswith("twin: ")
    assert refused.err.count("\n") == 1
    assert said in refused.err
    assert run("log", "verify", "--format", "csv").out == before


_CAPTURE = """5724-H72 (C) Copyright IBM Corp. 1994, 2023.
Starting MQSC for queue manager QMX.

     1 : DISPLAY CHSTATUS(*)
AMQ8417I: Display Channel Status details.
   CHANNEL(TO.Y)                           CHLTYPE(CLUSSDR)
   CONNAME(y(1414))                        CURRENT
   RQMNAME(QMY)                            STATUS(RUNNING)
   SUBSTATE(MQGET)                         XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)
One MQSC command read.
"""


def test_a_filter_on_what_nobody_saw_does_not_say_that_there_is_nothing(run: Run) -> None:
    """Without the cell there are neither rows nor AMQ8420I; of a cell that was seen there is it."""
    script = "DEFINE CHANNEL(TO.X) CHLTYPE(CLUSRCVR) CONNAME('x(1414)') CLUSTER(CA)\n"
    Path("QMX.mqsc").write_text(script, encoding="utf-8")
    Path("QMX.txt").write_text(_CAPTURE, encoding="utf-8")
    run("import", "QMX.mqsc", "QMX.txt", "--at", "2026-01-01T00:00:00Z", "--tz", "UTC")
    for keyword in ("XQMSGSA", "MSGS", "BYTSSENT"):
        shown = run("runmqsc", "QMX", typed=f"DISPLAY CHSTATUS(*) WHERE({keyword} GT 5)\n")
        assert "AMQ8420I" not in shown.out, keyword
        assert f"1 row is left out because {keyword} is not known" in shown.out
    seen = run("runmqsc", "QMX", typed="DISPLAY CHSTATUS(*) WHERE(STATUS EQ STOPPED)\n")
    assert "AMQ8420I" in seen.out


def test_dspmq_writes_nothing_of_ours_to_standard_output(run: Run) -> None:
    """Each line of standard output is MQ's; the instant is on standard error; 72 is MQ's code."""
    run("crtmqm", "QM1")
    shown = run("dspmq")
    assert [line[:11] for line in shown.out.splitlines()] == ["QMNAME(QM1)"]
    assert "as of" in shown.err
    assert run("dspmq", "-m", "NOPE").code == 72
