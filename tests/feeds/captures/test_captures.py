"""Saved output of runmqsc as captures: what was asked, the rows, and whether they are all."""

from __future__ import annotations

from io import StringIO
from itertools import islice
from textwrap import indent
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.hostile import in_linear_time
from twin.feeds.captures.records import Capture, quickly, read_line
from twin.feeds.captures.runmqsc import read_captures
from twin.feeds.reading.not_understood import LONGEST, NotUnderstood

BANNER: Final = """5724-H72 (C) Copyright IBM Corp. 1994, 2024.
Starting MQSC for queue manager QM1.


"""
COUNTERS: Final = """One MQSC command read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""
CLUSQMGR: Final = """     1 : DISPLAY CLUSQMGR(*) QMTYPE
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(FR1)                           CHANNEL(TO.FR1)
   CLUSTER(C1)                             QMTYPE(REPOS)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM1)                           CHANNEL(TO.QM1)
   CLUSTER(C1)                             QMTYPE(NORMAL)
"""


def read(text: str) -> tuple[list[Capture], list[NotUnderstood]]:
    """Read a text; return the captures and what was not understood."""
    records = list(read_captures(StringIO(text)))
    captures = [record for record in records if isinstance(record, Capture)]
    return captures, [record for record in records if isinstance(record, NotUnderstood)]


def only(text: str) -> Capture:
    """Read a text of one capture in which everything is understood."""
    captures, left = read(text)
    assert not left
    (capture,) = captures
    return capture


def values(capture: Capture) -> list[dict[str, str]]:
    """Return the rows as plain dictionaries."""
    return [dict(row.values) for row in capture.rows]


def test_a_session_gives_the_answer_with_its_command() -> None:
    """The queue manager, the command, what it asks for, and the rows with their lines are known."""
    capture = only(BANNER + CLUSQMGR + COUNTERS)
    assert (capture.qmgr, capture.command) == ("QM1", "DISPLAY CLUSQMGR(*) QMTYPE")
    assert (capture.verb, capture.object, capture.name) == ("DISPLAY", "CLUSQMGR", "*")
    assert (capture.asked, capture.selected, capture.where) == (("QMTYPE",), (), "")
    assert (capture.line, capture.last_line) == (5, 11)
    assert [row.line for row in capture.rows] == [6, 9]
    first = {"CLUSQMGR": "FR1", "CHANNEL": "TO.FR1", "CLUSTER": "C1", "QMTYPE": "REPOS"}
    assert values(capture)[0] == first
    assert capture.complete
    assert (capture.lacking, capture.messages, capture.claimed) == ((), (), None)


@pytest.mark.parametrize(
    ("command", "lacking", "complete_for"),
    [
        ("DIS CLUSQMGR(*)", (), "*"),
        ("DIS CLUSQMGR(QM*)", (), "QM*"),
        ("DIS CLUSQMGR(QM1)", (), "QM1"),
        ("DIS CLUSQMGR(*) WHERE(QMTYPE EQ REPOS)", ("only WHERE(QMTYPE EQ REPOS)",), None),
        ("DIS CLUSQMGR(*) CLUSTER(C1)", ("only CLUSTER(C1)",), None),
        ("DIS CLUSQMGR(*) CLUSTER(*)", (), "*"),
        ("DIS QUEUE(*) CLUSINFO", (), "*"),
        ("DIS QS(*) TYPE(QUEUE)", (), "*"),
        ("DIS CHS(*) SAVED", (), "*"),
        ("DIS QMGR", (), "*"),
        ("DIS LSSTATUS(*) ALL", (), "*"),
        ("DIS CONN(*) TYPE(ALL)", (), "*"),
        ("DIS NOSUCH(*)", ("the command is not understood",), None),
    ],
)
def test_a_capture_is_complete_for_what_was_asked(
    command: str, lacking: tuple[str, ...], complete_for: str | None
) -> None:
    """A filter makes it incomplete; a generic name makes it complete for that name alone."""
    text = CLUSQMGR.replace("DISPLAY CLUSQMGR(*) QMTYPE", command)
    capture = only(BANNER + text + COUNTERS)
    assert tuple(why.removesuffix(" was asked for") for why in capture.lacking) == lacking
    assert capture.complete_for == complete_for


def test_an_answer_without_its_end_is_not_complete() -> None:
    """Counters, or the next command, show that no row is missing; the end of a file does not."""
    assert only(BANNER + CLUSQMGR).lacking == ("its end is missing",)
    first, second = read(BANNER + CLUSQMGR + CLUSQMGR.replace("     1 :", "     2 :"))[0]
    assert (first.complete, second.complete) == (True, False)


@pytest.mark.parametrize(
    ("message", "lacking"),
    [
        ("AMQ8147E: IBM MQ object * not found.", ()),
        ("AMQ8420I: Channel Status not found.", ()),
        ("AMQ8135E: Not authorized.", ("AMQ8135 was answered",)),
        ("AMQ8149S: IBM MQ object damaged.\n   [2016, Q]", ("AMQ8149 was answered",)),
        ("AMQ8405I: Syntax error.\nDIS CHS(*", ("AMQ8405 was answered",)),
    ],
)
def test_nothing_found_is_a_complete_capture_of_nothing(
    message: str, lacking: tuple[str, ...]
) -> None:
    """Other messages say that something may be missing."""
    capture = only(f"{BANNER}     1 : DIS CHS(*)\n{message}\n{COUNTERS}")
    assert (capture.rows, capture.lacking, capture.object) == ((), lacking, "CHSTATUS")
    assert capture.complete is not bool(lacking)
    assert len(capture.messages) == 1


def test_several_sessions_of_one_file_are_apart() -> None:
    """Each capture has the queue manager of its own session; a session cut off is not complete."""
    other = BANNER.replace("QM1", "QM2") + CLUSQMGR + COUNTERS
    captures, left = read(BANNER + CLUSQMGR + other)
    assert not left
    assert [(each.qmgr, each.complete) for each in captures] == [("QM1", False), ("QM2", True)]


def test_words_of_any_language_are_not_read() -> None:
    """Only the id, the name of the queue manager and the cells count."""
    text = """5724-H72 (C) Copyright IBM Corp. 1994, 2024.
\u30ad\u30e5\u30fc QM.5 \u306e MQSC \u3092\u59cb\u52d5\u4e2d\u3067\u3059\u3002
     1 : dis chs(*)
AMQ8417: \u30c1\u30e3\u30cd\u30eb\u72b6\u6cc1\u3067\u3059\u3002
   CHANNEL(A.B)                            CURRENT
MQSC \u30b3\u30de\u30f3\u30c9\u3092 1 \u3064\u8aad\u307f\u53d6\u308a\u307e\u3057\u305f\u3002
\u69cb\u6587\u30a8\u30e9\u30fc
\u6709\u52b9\u306a MQSC
"""
    capture = only(text)
    assert (capture.qmgr, capture.complete) == ("QM.5", True)
    assert values(capture) == [{"CHANNEL": "A.B", "CURRENT": ""}]


@pytest.mark.parametrize(
    ("line", "qmgr"),
    [
        ("MQSC f\u00fcr Warteschlangenmanager QM.5 wird gestartet.", "QM.5"),
        ("Iniciando MQSC para el gestor de colas QM.5.", "QM.5"),
        ("Starting MQSC for queue manager QM_5.", "QM_5"),
    ],
)
def test_the_first_line_names_the_queue_manager(line: str, qmgr: str) -> None:
    """The name stands at its place in the sentence of each language."""
    text = BANNER.replace("Starting MQSC for queue manager QM1.", line)
    assert only(text + CLUSQMGR + COUNTERS).qmgr == qmgr


def test_typed_lines_and_prompts_of_a_terminal_are_understood() -> None:
    """A typed line is the one that the echo repeats; other lines of a shell are reported."""
    text = """$ ls
$ runmqsc QM9
Starting MQSC for queue manager QM9.

DISPLAY QMGR QMNAME
     1 : DISPLAY QMGR QMNAME
AMQ8408I: Display Queue Manager details.
   QMNAME(QM9)
[a@b mq]$ DISPLAY CHS(*) +

     2 : DISPLAY CHS(*) +
SAVED
       : SAVED
AMQ8420I: Channel Status not found.
END
     3 : END
2 MQSC commands read.
No commands have a syntax error.
One valid MQSC command could not be processed.
"""
    captures, left = read(text)
    assert [each.text for each in left] == ["$ ls"]
    assert [(each.command, each.qmgr, each.complete) for each in captures] == [
        ("DISPLAY QMGR QMNAME", "QM9", True),
        ("DISPLAY CHS(*) SAVED", "QM9", True),
    ]


def test_commands_without_echo_come_from_the_shell_or_the_typed_line() -> None:
    """Without them the answer is kept, with its object word from the heading."""
    row = "AMQ8417I: Status.\n   CHANNEL(A)                              STATUS(RETRYING)\n"
    piped = only(f'echo "dis chs(*)" | runmqsc -w 30 -m GW QM9\n{row}')
    assert (piped.qmgr, piped.command, piped.object) == ("QM9", "dis chs(*)", "CHSTATUS")
    typed = only(f"$ runmqsc -e QM9\ndis chs(A)\n{row}")
    assert (typed.command, typed.name, typed.qmgr) == ("dis chs(A)", "A", "QM9")
    captures, _ = read(BANNER + row + row + "AMQ8450I: Status.\n   QUEUE(Q)\n" + COUNTERS)
    assert [(each.command, each.object, len(each.rows)) for each in captures] == [
        ("", "CHSTATUS", 2),
        ("", "QSTATUS", 1),
    ]
    assert captures[0].lacking == ("the command is unknown",)


def test_output_through_another_program_is_not_complete() -> None:
    """A grep keeps the echo and some cells; the row is kept, and what is lost is said."""
    text = """$ echo "DIS QL(Q) CURDEPTH" | runmqsc A | grep CURDEPTH
     1 : DIS QL(Q) CURDEPTH
   CURDEPTH(5)
"""
    (capture,), _ = read(text)
    assert values(capture) == [{"CURDEPTH": "5"}]
    assert capture.lacking[:2] == ("another program read the output", "a heading is missing")


@pytest.mark.parametrize(
    ("answers", "counter", "said"),
    [
        (2, "No MQSC commands read.", "counts no command, but 2 answers stand"),
        (2, "One MQSC command read.", "counts 1 command, but 2 answers stand"),
        (3, "2 MQSC commands read.", "counts 2 commands, but 3 answers stand"),
        (1, "No MQSC commands read.", "counts no command, but 1 answer stands"),
        (2, "2 MQSC commands read.", ""),
        (2, "3 MQSC commands read.", ""),
        (2, "MQSC コマンドを 1 つ読み取りました。", ""),
    ],
)
def test_a_counter_below_the_number_of_answers_is_reported(
    answers: int, counter: str, said: str
) -> None:
    """The capture at its end is then not complete; words of other languages are not counted."""
    row = "AMQ8450I: Status.\n   QUEUE(Q)\n"
    asked = "".join(f"     {number} : DIS QSTATUS(*)\n{row}" for number in range(1, answers + 1))
    captures, left = read(f"{BANNER}{asked}{counter}\n")
    why = f"{said} above it in the session: lines are missing or were moved"
    assert [(each.text, each.why) for each in left] == ([(counter, why)] if said else [])
    assert captures[-1].complete is not bool(said)


def test_a_row_whose_heading_is_lost_is_a_row() -> None:
    """The first keyword comes again: two rows, and the capture may lack others."""
    text = CLUSQMGR.replace("AMQ8441I: Display Cluster Queue Manager details.\n", "", 2).replace(
        "QMTYPE\n", "QMTYPE\nAMQ8441I: Details.\n", 1
    )
    captures, left = read(BANNER + text + COUNTERS)
    assert [row["CLUSQMGR"] for row in values(captures[0])] == ["FR1", "QM1"]
    assert captures[0].lacking == ("a heading is missing",)
    assert [each.why for each in left] == ["a heading is missing"]


def test_handles_of_a_connection_are_rows_with_its_keys() -> None:
    """The connection is a row, and so is each of its handles."""
    text = """     1 : DIS CONN(*) TYPE(ALL)
AMQ8276I: Display Connection details.
   CONN(A1)
   EXTCONN(414D)
   TYPE(CONN)
   PID(7)

   OBJNAME(Q)                              OBJTYPE(QUEUE)

   OBJNAME(R)                              OBJTYPE(QUEUE)
"""
    assert values(only(BANNER + text + COUNTERS)) == [
        {"CONN": "A1", "EXTCONN": "414D", "TYPE": "CONN", "PID": "7"},
        {"CONN": "A1", "EXTCONN": "414D", "TYPE": "CONN", "OBJNAME": "Q", "OBJTYPE": "QUEUE"},
        {"CONN": "A1", "EXTCONN": "414D", "TYPE": "CONN", "OBJNAME": "R", "OBJTYPE": "QUEUE"},
    ]


def test_names_and_wrapped_values_go_on_in_the_next_line() -> None:
    """The names of a namelist have a line each; a value cut at the edge of a terminal is joined."""
    text = """     1 : DIS NL(*) ALL
AMQ8550I: Display namelist details.
   NAMELIST(N)                             NAMCOUNT(3)
   NAMES(A
        ,B
        ,C)
   DESCR(a long text (of two line
s))                     ALTDATE(2025-01-01)
"""
    assert values(only(BANNER + text + COUNTERS)) == [
        {
            "NAMELIST": "N",
            "NAMCOUNT": "3",
            "NAMES": "A,B,C",
            "DESCR": "a long text (of two lines)",
            "ALTDATE": "2025-01-01",
        }
    ]


def test_brackets_that_do_not_match_are_read_by_columns() -> None:
    """Column 44 divides the cells; a value may begin or end with a bracket."""
    text = """     1 : DIS Q(*) DESCR
AMQ8409I: Display Queue details.
   DESCR(a) b( c)                          PUT(ENABLED)
   CUSTOM(x (y)
AMQ8409I: Display Queue details.
   DESCR(cut in the mid
"""
    captures, left = read(BANNER + text + COUNTERS)
    assert values(captures[0])[0] == {"DESCR": "a) b( c", "PUT": "ENABLED", "CUSTOM": "x (y"}
    assert captures[0].lacking == ("a value is cut", "a row has no attributes")
    assert {each.why for each in left} == {"a value is cut", "a row has no attributes"}


ZOS: Final = """CSQN205I   COUNT=       4, RETURN=00000000, REASON=00000000
CSQM441I +CSQ1 CLUSQMGR(CSQ1                    ) CLUSTER(C1     ) CLWLWGHT(        50)
CSQM441I +CSQ1 CLUSQMGR(CSQ2                    ) CLUSTER(C1     ) CLWLWGHT(        50)
CSQ9022I +CSQ1 CSQMDRTS ' DISPLAY CLUSQMGR' NORMAL COMPLETION
"""


def test_zos_answers_are_read_too() -> None:
    """Padding is dropped, the last message ends the answer and names its object."""
    capture = only(ZOS)
    assert values(capture)[1] == {"CLUSQMGR": "CSQ2", "CLUSTER": "C1", "CLWLWGHT": "50"}
    assert (capture.qmgr, capture.verb, capture.object) == ("CSQ1", "DISPLAY", "CLUSQMGR")
    assert capture.lacking == ("the command is unknown",)


def test_csqutil_prints_commands_over_several_lines() -> None:
    """The command stands before the answer; its rows may be wrapped; an error has no rows."""
    text = """CSQU121I  Connected to queue manager CSQ9
  DISPLAY CLUSQMGR(*) +
    ALL
CSQN205I   COUNT=       4, RETURN=00000000, REASON=00000000
CSQM441I %CSQ9 CLUSQMGR(CSQ9    ) DESCR(some
 text)
CSQM441I %CSQ9 CLUSQMGR(QM1     )
               QMTYPE(NORMAL)
CSQ9022I %CSQ9 CSQMDRTC ' DISPLAY CLUSQMGR' NORMAL COMPLETION
  DISPLAY QLOCAL(X) BAD
CSQN205I   COUNT=       2, RETURN=0000000C, REASON=00000008
CSQ9030E %CSQ9 ' DISPLAY QLOCAL' KEYWORD NOT FOUND
CSQ9023E %CSQ9 CSQMMSGP ' DISPLAY QLOCAL' ABNORMAL COMPLETION
CSQU057I  2 commands read
"""
    captures, left = read(text)
    assert not left
    assert values(captures[0]) == [
        {"CLUSQMGR": "CSQ9", "DESCR": "some text"},
        {"CLUSQMGR": "QM1", "QMTYPE": "NORMAL"},
    ]
    assert [(each.command, each.qmgr, each.complete) for each in captures] == [
        ("DISPLAY CLUSQMGR(*) ALL", "CSQ9", True),
        ("DISPLAY QLOCAL(X) BAD", "CSQ9", False),
    ]


def test_a_zos_console_shows_one_cell_on_a_line() -> None:
    """The command before it makes it complete; the number of rows is checked."""
    text = """10.15.02 STC00123  !MQ1 DISPLAY CHSTATUS(*) ALL
10.15.02 STC00123  CSQM293I !MQ1 CSQMDRTC {found} CHSTATUS FOUND MATCHING REQUEST CRITERIA
10.15.02 STC00123  CSQM201I !MQ1 CSQMDRTC DISPLAY CHSTATUS DETAILS 610
   610             CHSTATUS(TO.QM2)
   610             CURRENT
   610             STATUS(RUNNING)
   610              END CHSTATUS DETAILS
10.15.02 STC00123  CSQ9022I !MQ1 CSQMDRTC ' DISPLAY CHSTATUS' NORMAL COMPLETION
"""
    capture = only(text.format(found=1))
    assert values(capture) == [{"CHANNEL": "TO.QM2", "CURRENT": "", "STATUS": "RUNNING"}]
    assert (capture.complete, capture.command) == (True, "DISPLAY CHSTATUS(*) ALL")
    assert only(text.format(found=2)).lacking == ("2 were found, 1 are here",)


def test_nothing_found_on_zos_is_complete() -> None:
    """CSQM297I names the object that was not found."""
    text = """CSQN205I   COUNT=       3, RETURN=00000000, REASON=00000000
CSQM297I ]MQ2 CSQMDRTS NO CHSTATUS FOUND MATCHING REQUEST CRITERIA
CSQ9022I ]MQ2 CSQMDRTS ' DISPLAY CHSTATUS' NORMAL COMPLETION
"""
    capture = only(text)
    assert (capture.rows, capture.object, capture.messages) == ((), "CHSTATUS", ("CSQM297",))


def test_dspmq_and_time_stamps_are_kept() -> None:
    """The status of queue managers is a capture; a container's time stamps are instants."""
    dspmq = only("QMNAME(QM1)                STATUS(Ended normally)\n")
    assert (dspmq.object, values(dspmq)) == (
        "DSPMQ",
        [{"QMNAME": "QM1", "STATUS": "Ended normally"}],
    )
    stamped = "".join(
        f"2026-01-01T00:00:01.500Z /run/a.sh: {line}\n"
        for line in (BANNER + CLUSQMGR + COUNTERS).splitlines()
    )
    capture = only(stamped)
    assert (capture.qmgr, len(capture.rows), capture.complete) == ("QM1", 2, True)
    assert capture.claimed == 1_767_225_601_500_000


def test_no_password_leaves_the_reader() -> None:
    """Attributes, commands, URLs in values and lines that are not understood are masked."""
    text = """curl -u admin:geheim https://a:geheim@host/ password=geheim
     1 : ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD('geheim')
AMQ8016I: IBM MQ channel changed.
     2 : DIS CHL(*) ALL
AMQ8414I: Display Channel details.
   CHANNEL(A)                              PASSWORD(geheim)
   DESCR(see http://u:geheim@h/)           SSLCRYP(GSK_PKCS11=x;y;geheim;)
   CUSTOM( )
LDAPPWD geheim
$ export MYPASS=geheim
"""
    captures, left = read(BANNER + text + COUNTERS)
    assert "geheim" not in repr((captures, left))
    assert set(values(captures[1])[0].values()) >= {"********", "A"}


KEYWORDS: Final = ("CLUSTER", "CURDEPTH", "DESCR", "STATUS", "QMTYPE", "XMITQ", "CONNAME", "PUT")
CELLS: Final = st.dictionaries(
    st.sampled_from(KEYWORDS),
    st.one_of(
        st.none(),
        st.text("AZaz09._/% ", max_size=40).map(str.strip),
        st.sampled_from(["h(1414)", "h(1414),i(1415)", "", "a (b) c", "x"]),
    ),
    max_size=len(KEYWORDS),
)


def written(rows: list[dict[str, str | None]], each: int, gap: str, end: str) -> str:
    """Write rows with this number of cells on a line."""
    lines = ["     1 : DIS QUEUE(*)"]
    for at, row in enumerate(rows):
        lines.append("AMQ8409I: Display Queue details.")
        cells = [f"QUEUE(Q{at})"]
        cells += [key if text is None else f"{key}({text or ' '})" for key, text in row.items()]
        lines += ["   " + gap.join(cells[on : on + each]) for on in range(0, len(cells), each)]
    return end.join(BANNER.splitlines() + lines + COUNTERS.splitlines()) + end


@given(
    rows=st.lists(CELLS, max_size=4),
    each=st.integers(1, 5),
    gap=st.sampled_from(["   ", "\t", "        "]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_the_layout_changes_nothing(
    rows: list[dict[str, str | None]], each: int, gap: str, end: str
) -> None:
    """Cells on other lines, with other blanks and line ends, give the same rows and digest."""
    capture = only(written(rows, each, gap, end))
    assert values(capture) == [
        {"QUEUE": f"Q{at}", **{key: text or "" for key, text in row.items()}}
        for at, row in enumerate(rows)
    ]
    assert capture.complete is bool(rows)
    assert capture.digest == only(written(rows, 2, "   ", "\n")).digest


WORDS: Final = ("AA", "BB", "CONNAME", "(", ")", "x", " ", "  ", ",", "CURRENT", "( )", "AA(1)")


@given(lines=st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map("".join), max_size=3))
def test_counted_brackets_give_the_cells_of_matched_ones(lines: list[str]) -> None:
    """Where the quick way takes lines, the careful way reads the same cells."""
    for keyword in ("AA(1)", "BB(1)", "CONNAME(1)", "CURRENT"):
        assert read_line(keyword)
    quick = quickly(lines)
    if quick:
        parts = [read_line(line) for line in lines if line.strip()]
        assert all(part is not None and part.open < 0 for part in parts)
        assert quick == {key: cell for part in parts if part for key, cell in part.cells.items()}


@given(
    texts=st.lists(
        st.sampled_from([BANNER + CLUSQMGR + COUNTERS, ZOS, BANNER + COUNTERS, "x\n"]), max_size=4
    )
)
def test_joined_files_give_the_captures_of_each(texts: list[str]) -> None:
    """Complete answers do not depend on what stands before or after them."""
    joined = [capture.digest for capture in read("".join(texts))[0]]
    assert joined == [capture.digest for text in texts for capture in read(text)[0]]


def test_a_file_that_grew_gives_another_record() -> None:
    """An answer that was cut and is whole now is news, even with the same rows."""
    cut, whole = only(BANNER + CLUSQMGR), only(BANNER + CLUSQMGR + COUNTERS)
    assert cut.rows == whole.rows
    assert cut.digest != whole.digest


def test_a_mark_at_the_start_and_indented_headings_change_nothing() -> None:
    """A byte order mark, and lines that are all indented by a paste, are read as they are."""
    text = BANNER + CLUSQMGR + COUNTERS
    assert only("\ufeff" + CLUSQMGR + COUNTERS).digest == only(CLUSQMGR + COUNTERS).digest
    assert only(indent(text, "   ")).digest == only(text).digest


def test_another_content_has_another_digest() -> None:
    """The queue manager, the command, a value or a row more make another record."""
    text = BANNER + CLUSQMGR + COUNTERS
    others = [
        text.replace("QM1.", "QM2."),
        text.replace("QMTYPE\n", "ALL\n", 1),
        text.replace("REPOS", "NORMAL"),
        text.replace("CLUSQMGR(QM1)", "CLUSQMGR(QM2)"),
    ]
    assert len({only(each).digest for each in [text, *others]}) == 1 + len(others)


def test_long_answers_go_on_in_further_records() -> None:
    """No record is much longer than its limit; together they have every row."""
    row = "AMQ8409I: Display Queue details.\n   QUEUE(Q{0})                    DESCR({1})\n"
    rows = "".join(row.format(at, "x" * 60) for at in range(20_000))
    captures, left = read(BANNER + "     1 : DIS QUEUE(*)\n" + rows + COUNTERS)
    assert not left
    assert len(captures) > 1
    assert [each.part for each in captures] == list(range(len(captures)))
    assert [each.more for each in captures] == [True] * (len(captures) - 1) + [False]
    assert [each.complete for each in captures] == [False] * (len(captures) - 1) + [True]
    names = [row.values["QUEUE"] for each in captures for row in each.rows]
    assert names == [f"Q{at}" for at in range(20_000)]


HOSTILE: Final = {
    "nul bytes": "\0" * 5000 + "\nCLUSQMGR(\0)\n",
    "bad encoding": "\ufffd" * 300 + "\n   QUEUE(\ufffd)\n",
    "a line without end": "     1 : DIS QMGR\nAMQ8408I: D.\n   QMNAME(" + "x" * (2 * LONGEST),
    "many brackets": "AMQ8408I: D.\n" + "   A" + "(" * 400_000 + "\n",
    "many closing brackets": "AMQ8408I: D.\n   A(" + ")" * 400_000 + "\n",
    "many cells": "AMQ8408I: D.\n" + "   A(1)" * 200_000 + "\n",
    "many open values": "AMQ8408I: D.\n" + "   A(1\n" * 20_000,
    "one long row": "AMQ8408I: D.\n" + "   ABC(1)       DEF(2)\n" * 100_000,
    "many messages": "AMQ8408I: D." * 50_000,
    "many headings": BANNER + "AMQ8417I: D.\n" * 50_000,
    "many colons": " : " * 200_000 + "\n" + ":\n" * 1000,
    "endless command": "     1 : DIS Q(*) +\n" + "       : AAAAAAAAAAAAA +\n" * 50_000,
    "many prompts": ("$ # > ] " * 200 + "runmqsc \n") * 100,
    "torn": (BANNER + CLUSQMGR)[37:-20] + CLUSQMGR[100:],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_in_bounded_time_and_records(name: str) -> None:
    """No text raises, takes long, or gives records that are longer than their limit."""
    with in_linear_time():
        records = list(read_captures(StringIO(HOSTILE[name])))
    for record in records:
        if isinstance(record, NotUnderstood):
            assert len(record.text) <= 80
        else:
            text = sum(
                len(key) + len(value) for row in record.rows for key, value in row.values.items()
            )
            assert text <= 3 * LONGEST


@given(st.text(st.sampled_from("AMQ8409I:CSQM1() \n\t'*+-;,.$>\0\ufffd"), max_size=300))
def test_any_text_is_read(text: str) -> None:
    """Nothing raises, whatever is pasted."""
    for start in ("", BANNER + CLUSQMGR):
        assert list(islice(read_captures((start + text).split("\n")), 1000)) is not None


def test_a_password_within_an_address_is_hidden_however_often_a_row_is_read() -> None:
    """Once its keywords are known, a row is read the quick way, which leaves such a row alone."""
    line = "   CHANNEL(C) CONNAME(SSLKEYP(tops3cret))"
    first = read_line(line)
    assert first is not None
    assert first.cells["CONNAME"] == "SSLKEYP(********)"
    assert quickly([line]) is None
