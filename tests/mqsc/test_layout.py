"""Rows to runmqsc's lines, against what runmqsc wrote."""

import pytest

from tests.mqsc.captures import lines_of
from twin.mqsc.layout import Cell, cell_text, lay_out


def test_a_captured_channel_status_is_laid_out_exactly() -> None:
    """Two cells on a line, the second at column 44, bare keywords as they are."""
    cells: list[Cell] = [
        ("CHANNEL", "QM6CHL"),
        ("CHLTYPE", "SVRCONN"),
        ("CONNAME", "172.30.93.252"),
        ("CURRENT", None),
        ("STATUS", "RUNNING"),
        ("SUBSTATE", "RECEIVE"),
    ]
    assert lay_out(cells) == lines_of("chstatus-two-instances.txt")[6:9]


def test_a_captured_last_cell_is_padded_exactly() -> None:
    """A first cell that stays alone is padded to column 40."""
    lines = lines_of("interactive-session.txt")
    at = lines.index("AMQ8408I: Display Queue Manager details.")
    assert lay_out([("QMNAME", "QM1")]) == [lines[at + 1]]


@pytest.mark.parametrize("width", [36, 37])
def test_a_first_cell_of_up_to_37_shares_its_line(width: int) -> None:
    """SYSTEM.ADMIN.ACCOUNTING.QUEUE shares, with three blanks behind its padding."""
    first = ("QUEUE", "A" * (width - 7))
    assert lay_out([first, ("TYPE", "QLOCAL")]) == [
        f"   QUEUE({first[1]})".ljust(40) + "   TYPE(QLOCAL)"
    ]


def test_a_first_cell_of_38_stands_alone() -> None:
    """A wide first cell is not padded, and the next cell begins a line."""
    assert lay_out([("QUEUE", "A" * 31), ("TYPE", "QLOCAL")]) == [
        f"   QUEUE({'A' * 31})",
        "   TYPE(QLOCAL)".ljust(40),
    ]


def test_a_second_cell_of_36_fits_and_one_of_37_does_not() -> None:
    """What is too wide for the right has the next line for itself (capture of 7.0.1)."""
    assert lay_out([("A", "1"), ("B", "x" * 33)]) == ["   A(1)".ljust(43) + f"B({'x' * 33})"]
    assert lay_out([("A", "1"), ("B", "x" * 34), ("C", "3")]) == [
        "   A(1)".ljust(40),
        f"   B({'x' * 34})",
        "   C(3)".ljust(40),
    ]


def test_names_stand_one_on_a_line() -> None:
    """Every name of a namelist is padded like a first cell and commas lead (capture of 9.1)."""
    assert lay_out(
        [
            ("NAMELIST", "SYSTEM.QPUBSUB.QUEUE.NAMELIST"),
            ("NAMCOUNT", "2"),
            ("NAMES", ("SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM")),
            ("DESCR", "A list of queues for the queued Pub/Sub interface to monitor"),
            ("ALTDATE", "2022-09-06"),
            ("ALTTIME", "17.07.08"),
        ]
    ) == [
        "   NAMELIST(SYSTEM.QPUBSUB.QUEUE.NAMELIST)",
        "   NAMCOUNT(2)                          ",
        "   NAMES(SYSTEM.BROKER.DEFAULT.STREAM   ",
        "        ,SYSTEM.BROKER.ADMIN.STREAM)    ",
        "   DESCR(A list of queues for the queued Pub/Sub interface to monitor)",
        "   ALTDATE(2022-09-06)                     ALTTIME(17.07.08)",
    ]


def test_one_name_or_none_needs_no_line_of_its_own() -> None:
    """A namelist of one name and an empty one are cells like others."""
    assert lay_out([("NAMCOUNT", "1"), ("NAMES", ("CA",))]) == [
        "   NAMCOUNT(1)".ljust(43) + "NAMES(CA)"
    ]
    assert lay_out([("NAMES", ())]) == ["   NAMES( )".ljust(40)]


def test_other_lists_keep_their_line() -> None:
    """Lists of authorities or exits are separated by commas."""
    assert lay_out([("AUTHLIST", ("GET", "PUT"))]) == ["   AUTHLIST(GET,PUT)".ljust(40)]


def test_cells_show_blanks_and_brackets_as_runmqsc_does() -> None:
    """An empty value is one blank, brackets stay bare and BATCHLIM trails a blank."""
    assert cell_text("XMITQ", "") == "XMITQ( )"
    assert cell_text("CONNAME", "10.0.0.1(1414)") == "CONNAME(10.0.0.1(1414))"
    assert lay_out([("BATCHINT", "0"), ("BATCHLIM", "5000")]) == [
        "   BATCHINT(0)                             BATCHLIM(5000) "
    ]


def test_no_cells_are_no_lines() -> None:
    """A row of nothing takes no line."""
    assert lay_out([]) == []
