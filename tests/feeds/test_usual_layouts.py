"""What is read with one search is what the readers of all layouts read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.errorlog.error_logs import FIRST, Said, flat, json_line, saids, text
from twin.feeds.captures.runmqsc import read_captures
from twin.feeds.captures.shapes import RowShapes
from twin.feeds.errorlog import flattened
from twin.feeds.errorlog.flattened import Run, UsualRecords
from twin.feeds.errorlog.json_lines import UsualLines, read_json
from twin.feeds.errorlog.record import LogRecord
from twin.feeds.errorlog.text import read_text
from twin.mqsc.layout import lay_out

Reader = Callable[[Iterable[str]], Iterator[Any]]

ODD = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            *(" - Process(1.2)", "03/22/2026 08:17:31 AM - Process(1.2) User(x)\n"),
            *(
                "\n-----\n",
                "----- amqx.c : 1 ---\n",
                "\nAMQ9999E: x\n",
                "AMQ9002I",
                "Time(",
                "EXPLANATION:",
            ),
            *(
                "CommentInsert1(x))\n",
                "ArithInsert1(1)",
                "Insert",
                "\nNo:\n",
                " ACTION : x",
                " ERKLÄRUNG: ",
                "\x1cWORD:\x1f",
                " - Process(",
                "\r\n",
                "\r",
                "\0",
                "\ufffd",
                "(",
                ")",
            ),
            *("password=abc", "pwd(x)", "https://a:b@c", "\\u0041", '"', "\\", '"a":1,', "007"),
            *(
                "AMQ8417I: Display Channel Status details.\n",
                "( )",
                "CONNAME(a(1),b(2))",
                "=",
                ":",
                "SUSPEND\n",
            ),
        ]
    ),
)


def slowly(read: Reader, written: Iterable[str]) -> list[Any]:
    """Read with the readers of all layouts alone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(UsualRecords, "run", lambda _, __, begin, *others: Run([], begin, *others))
        patched.setattr(flattened, "_USUAL", re.compile(r"\Zx"))
        patched.setattr(UsualLines, "read", lambda *_: None)
        patched.setattr(RowShapes, "read", lambda *_: None)
        return list(read(written))


@st.composite
def damaged(draw: st.DrawFn, whole: str) -> str:
    """Draw a text with pieces put in, taken out and repeated."""
    for _ in range(draw(st.integers(0, 4))):
        first = draw(st.integers(0, len(whole)))
        second = draw(st.integers(0, min(len(whole) - first, 200))) + first
        whole = whole[:first] + draw(ODD) + whole[draw(st.sampled_from([first, second])) :]
    return whole


def both_ways(read: Reader, written: str) -> None:
    """Compare the ways of reading a text, as a file and as lines."""
    expected = slowly(read, StringIO(written))
    assert list(read(StringIO(written))) == expected
    lines = StringIO(written).readlines()
    assert list(read(lines)) == slowly(read, lines)


@given(st.lists(saids(), max_size=6), st.booleans(), st.data())
def test_error_logs_are_read_alike(written: list[Said], old: bool, data: st.DataObject) -> None:  # noqa: FBT001
    """Any text that looks like an error log gives the same records both ways."""
    whole = "".join(
        flat(each, old=old) if data.draw(st.integers(0, 2)) == 0 else text(each, old=old)
        for each in written
    )
    both_ways(read_text, data.draw(damaged(whole)))


TRAILER = " ----- amqrmrsa.c : 930 -----"


@given(st.lists(saids(), max_size=6), st.sampled_from(["", TRAILER]), st.data())
def test_lines_of_shippers_are_read_alike(
    written: list[Said], trailer: str, data: st.DataObject
) -> None:
    """Any text that looks like records on one line each gives the same records both ways."""
    whole = "".join(flat(each).replace("\n", f"{trailer}\n") for each in written)
    both_ways(read_text, data.draw(damaged(whole)))


@given(st.lists(saids(), max_size=4), st.booleans(), st.data())
def test_json_logs_are_read_alike(written: list[Said], numbers: bool, data: st.DataObject) -> None:  # noqa: FBT001
    """Any text that looks like a JSON log gives the same records both ways."""
    both_ways(
        read_json,
        data.draw(damaged("".join(json_line(each, numbers=numbers) for each in written))),
    )


def captured(rows: int) -> str:
    """Write a capture of DISPLAY CHSTATUS."""
    lines = ["Starting MQSC for queue manager QM1.", "     1 : DISPLAY CHSTATUS(*) ALL"]
    for row in range(rows):
        lines.append("AMQ8417I: Display Channel Status details.")
        lines += lay_out(
            [
                ("CHANNEL", f"TO.QM{row}"),
                ("CHLTYPE", "CLUSSDR"),
                ("CONNAME", f"10.0.0.{row}(1414),backup(1414)"[: 40 if row % 2 else 14]),
                ("CURRENT", None),
                ("DESCR", ""),
                ("LSTMSGTI", f"08.00.0{row}"),
                ("STATUS", "RUNNING"),
            ]
        )
    return "\n".join([*lines, "One MQSC command read.", ""])


CAPTURES = captured(7)


@given(st.data())
def test_captures_are_read_alike(data: st.DataObject) -> None:
    """Any text that looks like output of runmqsc gives the same answers both ways."""
    both_ways(read_captures, data.draw(damaged(CAPTURES)))


def test_most_records_are_read_with_one_search() -> None:
    """The readers of all layouts see only the last record of a block."""
    said = [replace(FIRST, moment=FIRST.moment + timedelta(seconds=each)) for each in range(50)]
    for read, form in ((read_text, text), (read_json, json_line)):
        written = "".join(map(form, said))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("twin.feeds.errorlog.text._record", lambda piece, *_: piece)
            patched.setattr("twin.feeds.errorlog.json_lines._line", lambda *_: ())
            found = list(read(StringIO(written)))
        assert sum(isinstance(each, LogRecord) for each in found) >= len(said) - 1
