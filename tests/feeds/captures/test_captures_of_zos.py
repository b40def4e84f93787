"""Answers of z/OS as captures: what was typed is echoed, however it was spelled."""

from __future__ import annotations

from io import StringIO
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.mqsc.words import OBJECTS, VERBS

WORDS: Final = ("QUEUE", "QLOCAL", "QALIAS", "CHANNEL", "CLUSQMGR", "CHSTATUS", "TOPIC", "NAMELIST")

CASES: Final = (str.upper, str.lower, str.title)

ROWS: Final = st.lists(
    st.dictionaries(
        st.sampled_from(["CLUSTER", "PUT", "TYPE", "DESCR", "CONNAME"]),
        st.sampled_from(["MILK", "ENABLED", "a text", "h(1414)", ""]),
        min_size=1,
    ),
    min_size=1,
    max_size=4,
)


@st.composite
def spelled(draw: st.DrawFn, word: str, synonyms: tuple[str, ...]) -> str:
    """Draw a spelling of a word: itself or a synonym, in any case."""
    return draw(st.sampled_from(CASES))(draw(st.sampled_from((word, *synonyms))))


def read(text: str) -> list[tuple[object, ...]]:
    """Read a text as captures, without the lines and the digest, which depend on the layout."""
    return [
        (each.qmgr, each.verb, each.object, each.lacking, [dict(row.values) for row in each.rows])
        if isinstance(each, Capture)
        else tuple(each)
        for each in read_captures(StringIO(text))
    ]


def answer(verb: str, word: str, rows: list[dict[str, str]], *, gap: str, on_a_line: int) -> str:
    """Write an answer as the console of z/OS shows it, with some cells on a line."""
    lines = []
    for number, row in enumerate(rows):
        lines.append(f"CSQM201I !ZFARM CSQMDRTC {gap}{verb}{gap}{word}{gap}DETAILS")
        cells = [f"NAME(N{number})", *(f"{key}({value})" for key, value in row.items())]
        lines += [" ".join(cells[at : at + on_a_line]) for at in range(0, len(cells), on_a_line)]
        lines.append(f"{gap}END{gap}{word}{gap}DETAILS")
    lines.append(f"CSQ9022I !ZFARM CSQMDRTC '{gap}{verb}{gap}{word}' NORMAL COMPLETION")
    return "\n".join(lines) + "\n"


@given(st.data(), st.sampled_from(WORDS), ROWS)
def test_the_spelling_of_a_command_changes_nothing(
    data: st.DataObject, word: str, rows: list[dict[str, str]]
) -> None:
    """Short or long verb and object word, any case, blanks and cells on a line: equal answers."""
    usual = read(answer("DISPLAY", word, rows, gap=" ", on_a_line=1))
    shown = answer(
        data.draw(spelled("DISPLAY", VERBS["DISPLAY"])),
        data.draw(spelled(word, OBJECTS[word])),
        rows,
        gap=" " * data.draw(st.integers(1, 3)),
        on_a_line=data.draw(st.integers(1, 3)),
    )
    assert read(shown) == usual
    ((_, verb, read_as, _, found),) = usual
    assert (verb, read_as, len(found)) == ("DISPLAY", word, len(rows))  # type: ignore[arg-type]


@given(
    st.sampled_from(["COMMAND", "SCOPY", "LOAD", "EMPTY", "Format"]),
    st.sampled_from(["", " DDNAME(INPUT)", " QUEUE(A.B) DDNAME(OUT)", " PSID(1)"]),
    ROWS,
)
def test_what_csqutil_echoes_is_no_unknown_line(
    function: str, parameters: str, rows: list[dict[str, str]]
) -> None:
    """Control statements before the messages of CSQUTIL change nothing of its answers."""
    head = "CSQU000I CSQUTIL IBM MQ for z/OS V9.3.0\n"
    tail = "CSQU127I Executing COMMAND using input from CMD data set\nCSQU055I Target is FARM\n"
    shown = answer("DISPLAY", "QLOCAL", rows, gap=" ", on_a_line=2)
    plain = read(f"{head}{head}{tail}{shown}")
    assert read(f"{head}{function}{parameters}\n{tail}{shown}") == plain
