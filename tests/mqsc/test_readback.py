"""The text of a session to records again."""

from hypothesis import given
from hypothesis import strategies as st

from tests.mqsc.captures import DATA
from twin.mqsc.layout import Cell, lay_out
from twin.mqsc.readback import ReadBack, StrangeLine, read_back, read_cells


def back(*lines: str) -> ReadBack:
    """Read lines back."""
    return read_back("\n".join(lines))


def test_a_captured_session_comes_back_whole() -> None:
    """Records know their queue manager, their command and their cells; nothing is left over."""
    result = read_back((DATA / "chstatus-two-instances.txt").read_text(encoding="utf-8"))
    assert result.not_understood == []
    first, second = result.records
    assert (first.id, first.qmgr, first.command, first.line) == (
        "AMQ8417",
        "QM6",
        "dis chstatus(*)",
        6,
    )
    assert first.cells == second.cells
    assert first.values["CURRENT"] is None
    assert first.values["CONNAME"] == "172.30.93.252"


def test_prompts_and_typed_lines_before_the_echo_are_understood() -> None:
    """An interactive session shows each command twice; only the shell around it is left over."""
    result = read_back((DATA / "interactive-session.txt").read_text(encoding="utf-8"))
    assert [record.id for record in result.records] == ["AMQ8408", "AMQ8006", "AMQ8409"]
    assert result.records[2].values == {
        "QUEUE": "TEST.QUEUE",
        "TYPE": "QLOCAL",
        "CURDEPTH": "0",
        "MAXDEPTH": "100",
    }
    assert [left.line for left in result.not_understood] == [1, 2, 3, 5, 6, 7, 8, 30]


def test_a_command_over_several_lines_is_kept_as_typed() -> None:
    """The echo of a continued command is joined without the comments inside it."""
    result = back(
        "     1 : def ql(A) +", "       : * note", "       :   replace", "AMQ8006I: Done."
    )
    assert result.records[0].command == "def ql(A) +\n  replace"


def test_columns_may_have_any_width() -> None:
    """Narrow columns, tabs, several cells on a line and no indent are all read."""
    result = back(
        "AMQ8417: Display.",
        "   CHANNEL(A)     CHLTYPE(SDR)",
        "\tCONNAME(h(1414),i(1415))\tCURRENT",
        "STATUS(RUNNING) SUBSTATE() XMITQ( )",
    )
    assert result.records[0].cells == [
        ("CHANNEL", "A"),
        ("CHLTYPE", "SDR"),
        ("CONNAME", "h(1414),i(1415)"),
        ("CURRENT", None),
        ("STATUS", "RUNNING"),
        ("SUBSTATE", ""),
        ("XMITQ", ""),
    ]


def test_message_texts_may_be_in_any_language() -> None:
    """Id, cells and counters are known without knowing the words."""
    result = back(
        "     1 : dis chl(A)",
        "AMQ8414: \u30c1\u30e3\u30cd\u30eb\u3092\u8868\u793a\u3057\u307e\u3059\u3002",
        "   CHANNEL(A)",
        "MQSC \u30b3\u30de\u30f3\u30c9\u3092 1 \u3064",
        "\u69cb\u6587\u30a8\u30e9\u30fc",
        "\u6709\u52b9\u306a MQSC",
    )
    assert [record.id for record in result.records] == ["AMQ8414"]
    assert result.not_understood == []


def test_log_stamps_in_front_are_dropped() -> None:
    """Sessions copied from a container's log are read behind their time stamps."""
    stamp = "2026-06-16T01:58:48.142Z /scripts/update.sh: "
    result = back(stamp + "1 : DEFINE QL(A)", stamp + "AMQ8006I: IBM MQ queue created.")
    assert result.records[0].command == "DEFINE QL(A)"


def test_zos_blocks_are_read() -> None:
    """A z/OS answer is a record with one cell on a line."""
    result = back(
        " CSQM201I ZQS1 CSQMDRTC  DISPLAY CHSTATUS DETAILS",
        " CHSTATUS(A)          ",
        " CURRENT",
        "  END CHSTATUS DETAILS",
    )
    assert result.records[0].id == "CSQM201"
    assert result.records[0].cells == [("CHSTATUS", "A"), ("CURRENT", None)]
    assert result.not_understood == []


def test_the_segment_of_a_syntax_error_is_no_cell() -> None:
    """What AMQ8405 repeats of a command does not become the values of a record."""
    result = back("AMQ8405I: Syntax error:-", "DEFINE QLOCAL(A) FROB(1)")
    assert result.records[0].cells == []
    assert result.not_understood == []


def test_what_is_not_understood_is_listed_with_its_line() -> None:
    """Prose and inserts without keyword are left over, with line numbers from 1."""
    result = back("AMQ8149: WebSphere MQ object damaged.", "   [2016, QL.A]", "", "EXPLANATION:")
    assert result.not_understood == [
        StrangeLine(2, "   [2016, QL.A]"),
        StrangeLine(4, "EXPLANATION:"),
    ]


def test_unpaired_brackets_fall_back_to_the_columns() -> None:
    """A description with half a bracket is cut at column 44 or at the end of its line."""
    assert read_cells("   DESCR(a :) b)                            DISTL(NO)") == [
        ("DESCR", "a :) b"),
        ("DISTL", "NO"),
    ]
    assert read_cells("   DESCR(a ( b)") == [("DESCR", "a ( b")]
    assert read_cells("   nothing of ours") is None


KEYWORDS = st.from_regex(r"[A-Z][A-Z0-9]{1,8}", fullmatch=True).filter(lambda word: word != "NAMES")
PLAIN = st.text(alphabet="aZ09.,:/= _'-", max_size=50)
BRACKETS = st.just("") | st.text(alphabet="A9 ,.", max_size=20).map(lambda text: f"({text})")
TEXTS = st.builds(str.__add__, PLAIN, BRACKETS).map(lambda text: text if text.strip() else "")
NAMES = st.lists(st.from_regex(r"[A-Z0-9._/%]{1,48}", fullmatch=True), max_size=5).map(tuple)
CELLS = st.tuples(KEYWORDS, st.none() | TEXTS) | st.tuples(st.just("NAMES"), NAMES)


@given(st.lists(st.lists(CELLS, max_size=12), max_size=4))
def test_what_is_laid_out_reads_back(rows: list[list[Cell]]) -> None:
    """Any rows whose brackets pair come back as they were, with nothing left over."""
    lines: list[str] = ["Starting MQSC for queue manager QM1.", "", "", "     1 : DIS Q(*)"]
    for row in rows:
        lines += ["AMQ8409I: Display Queue details.", *lay_out(row)]
    lines += ["One MQSC command read.", "No commands have a syntax error.", "All done."]
    result = read_back("\n".join(lines))
    assert [record.cells for record in result.records] == rows
    assert result.not_understood == []


@given(st.text(alphabet="AMQ8409I: ()\nBC,'\t", max_size=120) | st.text(max_size=80))
def test_reading_back_never_raises(text: str) -> None:
    """Any text is read, whatever it holds."""
    read_back(text)
