"""A session's first lines, echo, answers, counters and exit code."""

import pytest

from tests.mqsc.captures import ECHO, lines_of, typed_in
from twin.model.messages import Message
from twin.mqsc.frame import CommandReply, Session
from twin.mqsc.reader import LINE_LIMIT, read
from twin.mqsc.statement import Malformed, Statement

CREATED = CommandReply.of(Message("AMQ8006"))
MISSING = CommandReply.of(Message("AMQ8147", "NOT.THERE"))
COUNTERS_OF_NONE = [
    "No MQSC commands read.",
    "No commands have a syntax error.",
    "All valid MQSC commands were processed.",
]


def create_or_miss(statement: Statement) -> CommandReply | Malformed:
    """Create queues, find no others, and know no keyword FROB."""
    for parameter in statement.parameters:
        if parameter.keyword == "FROB":
            return Malformed(statement.segment(parameter), statement.text)
    return CREATED if statement.verb == "DEFINE" else MISSING


def session(text: str, *, level: int = 940, echo: bool = True) -> tuple[list[str], int]:
    """Return a session's lines behind the frame's four, and its exit code."""
    one = Session("QM1", "twin", create_or_miss, level=level, echo=echo)
    lines = list(one.run(read(text)))
    assert lines[:4] == ["twin", "Starting MQSC for queue manager QM1.", "", ""]
    return lines[4:], one.exit_code


CANNED = {
    ("DEFINE", "QLOCAL"): "AMQ8006I",
    ("DEFINE", "CHANNEL"): "AMQ8014I",
    ("SET", "AUTHREC"): "AMQ8862I",
    ("REFRESH", "SECURITY"): "AMQ8560I",
}


@pytest.mark.parametrize("name", ["definitions-session.txt", "commented-session.txt"])
def test_a_captured_session_is_repeated_line_by_line(name: str) -> None:
    """Fed what was typed and answered alike, the session prints what runmqsc printed.

    Trailing blanks apart: the copy of the second one lost that of the echo of a blank line.
    """
    lines = lines_of(name)
    qmgr = lines[1].removeprefix("Starting MQSC for queue manager ").removesuffix(".")

    def answer(statement: Statement) -> CommandReply:
        return CommandReply.of(Message(CANNED[statement.verb, statement.object]))

    one = Session(qmgr, lines[0], answer)
    printed = one.run(read(typed_in(lines)))
    assert [line.rstrip() for line in printed] == [line.rstrip() for line in lines]
    assert one.exit_code == 0


def test_an_empty_input_has_three_counters() -> None:
    """An empty input has its three counters too."""
    assert session("") == (COUNTERS_OF_NONE, 0)


def test_failed_commands_are_valid_ones_and_end_in_10() -> None:
    """A command that is answered with a failure counts as not processed, not as syntax error."""
    lines, code = session("DEFINE QL(A)\nDIS QL(NOT.THERE)\nEND\n")
    assert lines == [
        "     1 : DEFINE QL(A)",
        "AMQ8006I: IBM MQ queue created.",
        "     2 : DIS QL(NOT.THERE)",
        "AMQ8147E: IBM MQ object NOT.THERE not found.",
        "     3 : END",
        "2 MQSC commands read.",
        "No commands have a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    assert code == 10


def test_syntax_errors_repeat_the_command_up_to_the_mistake() -> None:
    """Malformed commands and unknown keywords count alike and leave all valid ones processed."""
    lines, code = session("DEFIN QL(A)\nDEFINE QL(A) FROB(1) REPLACE\n")
    assert lines[1:3] == [
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "DEFIN",
    ]
    assert lines[5] == "DEFINE QL(A) FROB(1)"
    assert lines[6:] == [
        "2 MQSC commands read.",
        "2 commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]
    assert code == 10


def test_one_syntax_error_is_counted_in_the_singular() -> None:
    """One has, several have."""
    assert session("FROB")[0][-2] == "One command has a syntax error."


def test_ids_before_9_1_have_no_letter_and_the_old_product_name_before_9_0() -> None:
    """A queue manager answers as its command level did."""
    assert session("DEFINE QL(A)", level=900)[0][1] == "AMQ8006: IBM MQ queue created."
    assert session("DEFINE QL(A)", level=800)[0][1] == "AMQ8006: WebSphere MQ queue created."


def test_without_echo_only_answers_are_printed() -> None:
    """What runmqsc -e leaves out is the echo alone."""
    lines, _ = session("* note\nDEFINE QL(A)\n", echo=False)
    assert lines[0] == "AMQ8006I: IBM MQ queue created."
    assert not any(ECHO.match(line) for line in lines)


def test_a_command_that_is_too_long_is_a_syntax_error_without_megabytes() -> None:
    """Neither echo nor segment of an endless line is longer than a line may be."""
    lines, code = session("DEFINE QL(A) DESCR('" + "x" * 100_000 + "')\n")
    assert max(map(len, lines)) == LINE_LIMIT + 9
    assert lines[-2] == "One command has a syntax error."
    assert code == 10


def test_a_session_that_cannot_begin_ends_in_20() -> None:
    """A queue manager that is not there is said in the frame, and nothing is read."""
    one = Session("QM1", "twin", create_or_miss)
    lines = list(one.refuse(Message("AMQ8118")))
    assert lines[4:] == ["AMQ8118E: IBM MQ queue manager does not exist.", *COUNTERS_OF_NONE]
    assert one.exit_code == 20


def test_laid_out_lines_stand_in_the_answer_as_they_are() -> None:
    """An answer mixes messages and lines, and fails when one of its messages does."""
    answer = CommandReply.of(Message("AMQ8409I"), "   QUEUE(A)")
    assert not answer.failed
    assert CommandReply.of(Message("AMQ8149S"), Message("AMQ8409I")).failed
    one = Session("QM1", "twin", lambda _: answer)
    assert list(one.run(read("DIS Q(A)")))[5:7] == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A)",
    ]
