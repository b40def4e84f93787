"""Pasted lines: mixed, torn, wrapped, quoted, or ids alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.errorlog.error_logs import (
    FIRST,
    Said,
    console_line,
    flat,
    json_line,
    saids,
    text,
)
from tests.feeds.hostile import HOSTILE, reads
from twin.feeds.errorlog.pasted import read_pasted
from twin.feeds.errorlog.record import LogRecord
from twin.feeds.errorlog.text import read_text
from twin.feeds.reading.not_understood import LONGEST, NotUnderstood


def records(shown: str) -> list[LogRecord]:
    """Read pasted text; only its records."""
    return [each for each in read_pasted(shown.split("\n")) if isinstance(each, LogRecord)]


def pretty(said: Said) -> str:
    """Write a message as JSON on several lines."""
    return json.dumps(json.loads(json_line(said)), indent=2) + "\n"


FORMS: list[Callable[[Said], str]] = [text, flat, json_line, pretty, console_line]


@given(st.lists(saids(), min_size=1, max_size=5))
def test_a_log_is_read_as_by_its_reader(said: list[Said]) -> None:
    """An untouched text log gives the records of the reader of text logs."""
    lines = "".join(map(text, said)).splitlines()
    assert list(read_pasted(lines)) == list(read_text(lines))


@given(st.lists(st.tuples(saids(), st.sampled_from(FORMS)), min_size=1, max_size=6))
def test_forms_may_be_mixed(parts: list[tuple[Said, Callable[[Said], str]]]) -> None:
    """Messages of several forms, one after the other, give the ids and instants of each."""
    found = records("".join(form(said) for said, form in parts))
    assert [(f"{each.id}{each.letter}", each.at) for each in found] == [
        (said.id, said.at) for said, _ in parts
    ]


@given(st.lists(saids(), min_size=2, max_size=4), st.data())
def test_a_log_that_is_torn_keeps_its_whole_records(said: list[Said], data: st.DataObject) -> None:
    """Lines lost at the start and at the end change no record that is whole."""
    texts = [text(each) for each in said]
    lines = "".join(texts).splitlines()
    begin = data.draw(st.integers(0, texts[0].count("\n")))
    end = data.draw(st.integers(0, texts[-1].count("\n")))
    kept = lines[begin : len(lines) - end]
    whole = records("".join(texts[1:-1]))
    found = {each.digest for each in records("\n".join(kept))}
    assert {each.digest for each in whole} <= found


@given(saids(), st.integers(30, 120))
def test_wrapping_changes_no_message(said: Said, width: int) -> None:
    """A message is the same however wide the log is, also without its header."""
    whole = text(said, width=width)
    (found,) = records(whole)
    (torn,) = records(whole[whole.index(said.id) :])
    assert (found.id, found.message) == (torn.id, torn.message)
    assert found.message == " ".join(said.message.split())


def test_the_rest_of_a_torn_header_counts() -> None:
    """Attributes above a message give its queue manager, its instant and its inserts."""
    whole = text(FIRST)
    (found,) = records(whole[whole.index("Host(") :])
    assert (found.qmgr, found.at, found.comments) == (FIRST.qmgr, FIRST.at, FIRST.comments)


def test_an_array_of_objects_is_read() -> None:
    """JSON objects may stand in an array, on lines of their own."""
    objects = [json.loads(json_line(FIRST)), json.loads(json_line(FIRST))]
    assert [each.at for each in records(json.dumps(objects, indent=2))] == [FIRST.at] * 2


def test_a_long_explanation_takes_no_message_away() -> None:
    """A message is read although too much text follows it; the cut is reported."""
    lines = ["AMQ9001I: x", "", "EXPLANATION:", *["y" * 1000] * 1100]
    first, second = read_pasted(lines)
    assert isinstance(first, LogRecord)
    assert isinstance(second, NotUnderstood)
    assert first.message == "x"


def test_a_quoted_mail_is_read() -> None:
    """The marks of a quoted mail are left out."""
    quoted = "".join(f"> {line}\n" for line in text(FIRST).splitlines())
    (found,) = records(f"Hi,\n{quoted}")
    assert found.message == FIRST.message


@pytest.mark.parametrize(
    ("shown", "ids"),
    [
        ("AMQ9469W", ["AMQ9469"]),
        ("amq9469w, csqx456i", ["AMQ9469", "CSQX456"]),
        ("we saw AMQ9469W and then AMQ9999E at FR1", ["AMQ9469", "AMQ9999"]),
        ("AMQ9469W\nAMQ9456W\n", ["AMQ9469", "AMQ9456"]),
        ("It is (AMQ9469W). See AMQ1494.0.FDC and AMQERR01.LOG.", ["AMQ9469"]),
        ("+CSQX469E +MQ1A CSQXREPO Update not received", ["CSQX469"]),
    ],
)
def test_ids_alone_are_read(shown: str, ids: list[str]) -> None:
    """Ids without a message are records without anything else."""
    assert [each.id for each in records(shown)] == ids


def test_a_line_with_a_prefix_gives_its_date_and_inserts() -> None:
    """Before a lone message a date may stand, and inserts in brackets after it."""
    shown = "28.09.2026 02:14:00 AMQ9558E: Channel 'A' is off. [CommentInsert1(A)]"
    (found,) = records(shown)
    assert (found.message, found.comments[0]) == ("Channel 'A' is off.", "A")
    assert found.local is not None
    assert found.local.written == "28.09.2026 02:14:00"


def test_an_explanation_names_ids_that_are_no_messages() -> None:
    """An id in the text of an explanation is no message of its own."""
    said = replace(FIRST, explanation="Look for AMQ9202E: it stands before.")
    (found,) = records("\n".join(text(said).splitlines()[6:]))
    assert found.id == "AMQ9999"


def test_a_job_log_keeps_its_date() -> None:
    """The line with the date counts for the messages below it, also after a blank line."""
    day = "17.00.00 STC01234 ---- MONDAY,    28 SEP 2026 ----"
    message = "17.03.21 STC01234  +CSQX500I +MQ1A CSQXRCTL Channel TO.B started"
    found = records(f"{day}\n{message}\n\n{message}")
    assert [each.local and each.local.written for each in found] == ["2026-09-28 17:03:21"] * 2
    assert [each.line for each in found] == [2, 4]


def test_lines_without_a_message_are_one_problem() -> None:
    """A run of lines that nothing can be made of is reported once, by its first line."""
    found = list(read_pasted(["AMQ9001I: x", "", "hello", "", "world"]))
    assert [each.line for each in found] == [1, 3]
    assert isinstance(found[1], NotUnderstood)


def test_a_gigantic_line_is_one_problem() -> None:
    """A line that is longer than a record is reported, and what follows is read."""
    found = list(read_pasted(["AMQ9001I: " * LONGEST, "AMQ9002I: x"]))
    assert [type(each) for each in found] == [NotUnderstood, LogRecord]
    assert isinstance(found[0], NotUnderstood)
    assert len(found[0].text) <= 80


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_fast(name: str) -> None:
    """Texts that readers may fail on are read in linear time."""
    reads(read_pasted, HOSTILE[name])


@given(
    st.lists(
        st.one_of(
            st.text(max_size=60),
            st.sampled_from(
                [
                    *text(FIRST).splitlines(),
                    *pretty(FIRST).splitlines(),
                    json_line(FIRST).strip(),
                    console_line(FIRST).strip(),
                    flat(FIRST).strip(),
                    "AMQ9469W",
                    "> AMQ9469W: x",
                    "",
                    "{",
                    "}",
                    "17.03.21 STC01234  +CSQX500I +MQ1A CSQXRCTL Channel TO.B 017",
                    "   017             started",
                ]
            ),
        ),
        max_size=30,
    )
)
def test_no_lines_are_too_hostile(lines: list[str]) -> None:
    """Any lines in any order are read without an error, in their order."""
    found = [each.line for each in read_pasted(lines)]
    assert all(1 <= line <= len(lines) for line in found)


@given(st.text(max_size=200), st.sampled_from(FORMS), st.integers(0, 400))
def test_damage_within_a_message_is_survived(
    junk: str, form: Callable[[Said], str], at: int
) -> None:
    """Text that is put into a message raises no error."""
    shown = form(FIRST)
    list(read_pasted(f"{shown[:at]}{junk}{shown[at:]}".split("\n")))
