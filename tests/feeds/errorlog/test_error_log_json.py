"""Error logs as JSON and as the console of a container, and their twins in text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.errorlog.error_logs import FIRST, Said, console_line, flat, json_line, saids, text
from tests.feeds.hostile import in_linear_time
from twin.feeds.errorlog.json_lines import read_console, read_json
from twin.feeds.errorlog.record import CONTAINER, LIBERTY, LogRecord, Skipped
from twin.feeds.errorlog.text import read_text
from twin.feeds.reading.not_understood import NotUnderstood


def apart_from_layout(found: Iterable[object]) -> list[LogRecord]:
    """Return records without what only one form has."""
    return [
        each._replace(line=0, last_line=0, local=None, qmid="", sequence="", complete=True)
        for each in found
        if isinstance(each, LogRecord)
    ]


@given(st.lists(saids(), max_size=5), st.booleans())
def test_text_and_json_of_one_run_give_equal_lists(written: list[Said], numbers: bool) -> None:  # noqa: FBT001
    """The two forms of one run are equal, record by record, and so are their digests."""
    in_text = list(read_text("".join(map(text, written)).splitlines()))
    in_json = list(read_json([json_line(each, numbers=numbers) for each in written]))
    assert apart_from_layout(in_json) == apart_from_layout(in_text)
    assert len(in_json) == len(in_text) == len(written)


@given(st.lists(saids(), max_size=5))
def test_the_console_gives_the_same_digests(written: list[Said]) -> None:
    """The console has neither queue manager nor process; what it has is equal."""
    in_json = list(read_json(map(json_line, written)))
    in_console = list(read_console(map(console_line, written)))
    for one, other in zip(in_json, in_console, strict=True):
        assert isinstance(one, LogRecord)
        assert isinstance(other, LogRecord)
        assert (one.digest, one.at, one.id, one.letter) == (
            other.digest,
            other.at,
            other.id,
            other.letter,
        )
        assert (one.arith, one.comments, one.message) == (
            other.arith,
            other.comments,
            other.message,
        )


@given(st.lists(saids(), max_size=5), st.randoms())
def test_a_line_is_read_as_if_it_were_alone(written: list[Said], random: Random) -> None:
    """Lines that differ only in their instant are read as each of them alone."""
    lines = [json_line(each) for each in written]
    lines += [
        json_line(replace(each, moment=FIRST.moment)).replace("123456789", f"{place}")
        for place, each in enumerate(written)
    ]
    lines += [line.replace('"ibm_datetime":"', '"ibm_datetime":"x') for line in lines[:1]]
    random.shuffle(lines)
    alone = [replace_line(each, n) for n, line in enumerate(lines, 1) for each in read_json([line])]
    assert list(read_json(lines)) == alone


def replace_line(record: object, line: int) -> object:
    """Return a record as if it stood on a line."""
    assert isinstance(record, LogRecord)
    return record._replace(line=line, last_line=line)


def test_json_says_who_wrote_it() -> None:
    """JSON has the QMID, and a number that orders the records of one instant."""
    (record,) = read_json([json_line(FIRST)])
    assert isinstance(record, LogRecord)
    assert record.qmid == "QMA_2026-01-01_00.00.00"
    assert record.sequence == "1774167450_123456789"


@pytest.mark.parametrize("form", ["syslog", "docker", "object", "text"])
def test_a_line_inside_the_object_of_a_shipper_is_read(form: str) -> None:
    """Prefixes and objects of shippers are removed; the digest stays."""
    line = json_line(FIRST).rstrip()
    shipped = {
        "syslog": f"Mar 22 08:17:31 hosta ibm-mq[12]: {line}",
        "docker": json.dumps({"log": line + "\n", "stream": "stdout", "time": FIRST.iso}),
        "object": json.dumps({"@timestamp": FIRST.iso, "json": json.loads(line)}),
        "text": json.dumps({"@timestamp": FIRST.iso, "message": text(FIRST)}),
    }[form]
    (expected,) = read_json([line])
    (record,) = read_json([shipped])
    assert apart_from_layout([record]) == apart_from_layout([expected])
    (flattened,) = read_json([json.dumps({"message": flat(FIRST)})])
    assert isinstance(flattened, LogRecord)
    assert isinstance(expected, LogRecord)
    assert flattened.digest == expected.digest


def test_messages_of_other_programs_are_skipped() -> None:
    """Lines of the web server and of the container are recognised and say nothing."""
    liberty = '{"type":"liberty_message","ibm_messageId":"CWWKE0001I","message":"x"}'
    container = '{"type":"mq_containerlog","message":"Creating queue manager QM1"}'
    assert list(read_json([liberty, container, "\n"])) == [
        Skipped(1, LIBERTY),
        Skipped(2, CONTAINER),
    ]
    lines = [
        "2026-05-16T22:20:21.287Z Creating queue manager QM1\n",
        "2026-05-16T22:20:24.265Z CWWKE0001I: The server mqweb has been launched.\n",
    ]
    assert list(read_console(lines)) == [Skipped(1, CONTAINER), Skipped(2, LIBERTY)]


def test_lines_that_are_not_understood_give_one_row_a_run() -> None:
    """Torn lines are reported once for each run, and the others are read."""
    line = json_line(FIRST)
    found = list(read_json([line[40:], line[50:], line, line[:90], "[1]", line]))
    assert [type(each) for each in found] == [NotUnderstood, LogRecord, NotUnderstood, LogRecord]
    found = list(read_console(["what", "ever", console_line(FIRST), "what"]))
    assert [type(each) for each in found] == [NotUnderstood, LogRecord, NotUnderstood]


def test_values_of_any_type_are_tolerated() -> None:
    """Values of a wrong type count as missing; what cannot be stored is replaced."""
    odd = {"ibm_messageId": "AMQ9002I", "message": ["x"], "ibm_serverName": {"a": 1}, "host": None}
    (record,) = read_json([json.dumps(odd)])
    assert isinstance(record, LogRecord)
    assert (record.id, record.at, record.message, record.qmgr) == ("AMQ9002", None, "", "")
    (record,) = read_json(['{"ibm_messageId":"AMQ9002I","message":"a\\u0000b\\ud800c"}'])
    assert isinstance(record, LogRecord)
    assert record.message == "a\ufffdb?c"


def test_a_message_may_contain_what_looks_like_inserts() -> None:
    """Only brackets that hold inserts up to the end of the line are inserts."""
    said = replace(FIRST, message="Odd [CommentInsert1(x), text", comments=("A]", "", ""))
    (record,) = read_console([console_line(said)])
    assert isinstance(record, LogRecord)
    assert (record.message, record.comments) == (said.message, ("A]", "", ""))


def test_an_exponent_is_a_number() -> None:
    """The console writes large numbers with an exponent; the digest is that of the JSON line."""
    said = replace(FIRST, arith=("1200000", ""))
    shown = console_line(said).replace("1200000", "1.2e+06")
    (one,) = read_console([shown])
    (other,) = read_json([json_line(said)])
    assert isinstance(one, LogRecord)
    assert isinstance(other, LogRecord)
    assert one.arith == other.arith == ("1200000", "")
    assert one.digest == other.digest


def test_passwords_are_hidden() -> None:
    """No password leaves the readers."""
    said = replace(FIRST, message="LDAPPWD(tops3cret)", comments=("pwd=tops3cret", "", ""))
    for found in (read_json([json_line(said)]), read_console([console_line(said)])):
        assert "tops3cret" not in repr(list(found))
    assert "tops3cret" not in repr(list(read_json(["LDAPPWD('tops3cret"])))


@given(st.text(max_size=300), st.integers(0, 600))
def test_no_text_raises(anything: str, place: int) -> None:
    """Any text gives records and rows, and no error."""
    for read, line in ((read_json, json_line(FIRST)), (read_console, console_line(FIRST))):
        list(read(anything.split("\n")))
        list(read((line[:place] + anything + line[place:]).split("\n")))


@pytest.mark.parametrize(
    "line",
    [
        "{" * 900_000,
        '{"a":' * 200_000,
        '{"message":"' + "[" * 900_000 + '"}',
        '{"ibm_messageId":"AMQ9002I","ibm_arithInsert1":' + "9" * 500_000 + "}",
        '{"ibm_messageId":"AMQ9002I","message":"' + "a:" * 200_000 + '@"}',
        "x" * 3_000_000,
        "2026-05-16T22:20:21.287Z AMQ9002I: " + " [CommentInsert1(x" * 50_000 + "]",
        "2026-05-16T22:20:21.287Z AMQ9002I: " + "(" * 900_000,
    ],
)
def test_hostile_lines_take_linear_time(line: str) -> None:
    """Nested bombs and lines of megabytes give at most one row, in little time."""
    for read in (read_json, read_console):
        with in_linear_time():
            found = list(read([line, json_line(FIRST), console_line(FIRST)]))
        assert sum(isinstance(each, LogRecord) for each in found) >= 1
