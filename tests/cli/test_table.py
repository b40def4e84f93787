"""Tables fit a terminal, and are not wrapped in a pipe."""

from __future__ import annotations

import io

import pytest

from twin.cli.table import coloured, folded, table, width_of

COLUMNS = ("qmgr", "known_by", "what")
ROWS = [("QM1", "QM1 QM2 QM3 QM4 QM5", "a name_that.is:rather-long"), ("QM2", "", "short")]


class Terminal(io.StringIO):
    """A stream that reports to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def test_a_pipe_gets_whole_lines() -> None:
    """Without a width, no cell is wrapped or cut, and no line ends in blanks."""
    lines = list(table(COLUMNS, ROWS, width=None))
    assert lines == [
        "qmgr  known_by             what",
        "QM1   QM1 QM2 QM3 QM4 QM5  a name_that.is:rather-long",
        "QM2                        short",
    ]


@pytest.mark.parametrize("width", [30, 40, 50, 80])
def test_a_terminal_gets_what_fits(width: int) -> None:
    """With a width, no line is wider than the terminal, and no text is lost."""
    lines = list(table(COLUMNS, ROWS, width=width))
    assert max(map(len, lines)) <= width
    told = "".join("".join(lines).split())
    for word in ("QM1", "QM5", "short"):
        assert word in told


def test_lists_give_way_before_names() -> None:
    """A column of lists is wrapped before a column of names."""
    lines = list(table(COLUMNS[:2], [("Q_LONG.NAME.THAT.STAYS", "QM1 QM2 QM3")], width=34))
    assert lines[1:] == ["Q_LONG.NAME.THAT.STAYS  QM1 QM2", "                        QM3"]


def test_an_instant_stays_in_one_piece() -> None:
    """An instant is never broken: other columns are wrapped, or rows become blocks."""
    instant = "2025-03-03T10:00:00.654321Z"
    lines = list(table(("at", "what"), [(instant, "a-rather-long-name")], width=40))
    assert lines[1:] == [f"{instant}  a-rather-", f"{' ' * 27}  long-name"]
    lines = list(table(("what", "n"), [(f"QM1 {instant} QM2", "1")], width=32))
    assert [line.split() for line in lines[1:]] == [["QM1", "1"], [instant], ["QM2"]]
    lines = list(table(("from", "to"), [(instant, instant)], width=50))
    assert lines == [f"from {instant}", f"  to {instant}"]


def test_rows_that_fit_in_no_way_become_blocks() -> None:
    """A table with too many columns becomes one block of pairs per row."""
    columns = [f"column{number}" for number in range(8)]
    lines = list(table(columns, [["v" * 12] * 8], width=60))
    assert lines[0] == "column0 vvvvvvvvvvvv  column1 vvvvvvvvvvvv"
    assert max(map(len, lines)) <= 60


def test_the_last_column_is_cut_where_it_is_asked_for() -> None:
    """With `cut`, only the last column is shortened, and this is marked."""
    lines = list(table(COLUMNS, ROWS, width=40, cut=True))
    assert lines[1] == "QM1   QM1 QM2 QM3 QM4 QM5  a name_that.…"


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe, NO_COLOR and a dumb terminal get no colours."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "132")
    assert coloured(Terminal())
    assert width_of(Terminal()) == 132
    assert not coloured(io.StringIO())
    assert width_of(io.StringIO()) is None
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not coloured(Terminal())


def test_names_break_after_dots_and_underscores() -> None:
    """A long name is broken after a dot or underscore, and shares the width with other columns."""
    queue, xmitq = "PAYMENTS.OF_THE_LAST.QUARTER", "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    lines = list(table(("queue", "xmitq"), [(queue, xmitq)], width=44))
    assert lines[1:] == [
        "PAYMENTS.OF_THE_LAST.  SYSTEM.CLUSTER.",
        "QUARTER                TRANSMIT.QUEUE",
    ]


@pytest.mark.parametrize("width", range(20, 90))
def test_no_width_breaks_a_qmid(width: int) -> None:
    """A QMID with its date stays whole at every width, also one that was made up."""
    qmid = "PAYMENTS.A_2026-03-02_10.00.00"
    rows = [("ORDERS", qmid, "2026-03-02T10:00:00Z"), ("ORDERS", f"{qmid}?", "-")]
    text = "\n".join(table(("cluster", "qmid", "last_seen"), rows, width=width))
    assert text.count(qmid) == 2
    assert f"{qmid}?" in text


def test_sentences_break_between_words_before_names_are_split() -> None:
    """A name in a sentence stays whole while the column is wide enough for it."""
    text = "Channel TO.PAYMENTS.A is not available."
    lines = list(table(("on", "text"), [("PAYMENTS.B", text)], width=30))
    assert [line[12:] for line in lines[1:]] == [
        "Channel",
        "TO.PAYMENTS.A is",
        "not available.",
    ]


def test_a_path_is_broken_before_a_sentence_becomes_very_narrow() -> None:
    """Beside a long path, a sentence keeps several words a line: the path is broken too."""
    row = ("/var/mqm/collected/2026-03-01/QM1.mqsc", "is not complete, so its records are kept")
    lines = list(table(("name", "why"), [row], width=52))
    assert [line[26:].strip() for line in lines[1:]] == [
        "is not complete, so its",
        "records are kept",
    ]


def test_lines_are_broken_between_words() -> None:
    """A line of more than 100 columns is broken after a comma, else between words."""
    name = 40 * "Q"
    lines = list(folded(["short", f"{name} {name} {name}", f"a {name}, b {name} {name}"]))
    assert lines == ["short", f"{name} {name}\n  {name}", f"a {name},\n  b {name} {name}"]
