"""Error logs as text: every version, layout and language gives the same records."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.errorlog.error_logs import FIRST, HEADINGS, Said, flat, saids, text
from tests.feeds.hostile import in_linear_time
from twin.feeds.errorlog.naming import names_in, numbers_in
from twin.feeds.errorlog.record import LogRecord
from twin.feeds.errorlog.text import read_text
from twin.feeds.reading.local_time import DateOrder
from twin.feeds.reading.not_understood import LONGEST, NotUnderstood


def records(lines: Iterable[str]) -> list[LogRecord]:
    """Read lines that are understood completely."""
    found = list(read_text(lines))
    assert [each for each in found if isinstance(each, NotUnderstood)] == []
    return [each for each in found if isinstance(each, LogRecord)]


def one(written: str) -> LogRecord:
    """Read a text with one record."""
    (record,) = records(written.splitlines())
    return record


def test_a_record_of_today_is_read_with_its_inserts() -> None:
    """Version 9.1 and later: the instant, the inserts, the place; no explanation."""
    said = replace(FIRST, arith=("104", ""), remote_host="10.0.0.2")
    record = one(text(said))
    assert (record.id, record.letter, record.at) == ("AMQ9999", "E", said.at)
    assert record.comments == ("TO.B", "4711", "b.example (10.0.0.2)")
    assert record.arith == ("104", "")
    assert (record.qmgr, record.host, record.version) == ("QMA", "hosta", "9.3.0.21")
    assert (record.program, record.process, record.user) == ("amqrmppa", "4711.3", "mqm")
    assert (record.installation, record.remote_host) == ("Installation1", "10.0.0.2")
    assert (record.message, record.explanation) == (said.message, "")
    assert (record.source, record.complete) == ("amqxyz.c:12", True)
    assert (record.line, record.last_line) == (1, len(text(said).splitlines()))


def test_inserts_on_one_line_are_told_apart_in_every_record_of_a_log() -> None:
    """A record says the same whether another one follows it or not."""
    written = re.sub(r"\n *CommentInsert", " CommentInsert", text(FIRST))
    assert "CommentInsert1(TO.B) CommentInsert2(4711)" in written
    found = records((written * 2).splitlines())
    assert [each.comments for each in found] == [("TO.B", "4711", "b.example (10.0.0.2)")] * 2


def test_a_record_without_inserts_names_what_is_quoted() -> None:
    """Up to 8.0 the names are those in quotes, in the message and in the explanation."""
    record = one(text(FIRST, old=True))
    assert (record.id, record.letter, record.at) == ("AMQ9999", "", None)
    assert record.local is not None
    assert record.local.written == "03/22/2026 08:17:30 AM"
    assert record.local.orders == (DateOrder.MDY,)
    assert names_in(record.message) == ("TO.B", "b.example (10.0.0.2)")
    assert names_in(record.explanation) == ("TO.B", "b.example (10.0.0.2)")


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("headings", HEADINGS)
def test_layout_and_language_change_nothing(
    headings: tuple[str, str],
    old: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Width, indentation, blank lines, a missing trailer and headings give equal records."""
    said = replace(FIRST, headings=headings)
    expected = one(text(FIRST, old=old))
    for width in (30, 79, 200):
        for indent in (20, 22):
            for blank_lines in (True, False):
                shown = text(said, old=old, width=width, indent=indent, blank_lines=blank_lines)
                record = one(shown)
                assert record._replace(last_line=0) == expected._replace(last_line=0)
    cut = one(text(said, old=old, trailer=False))
    assert cut.digest == expected.digest
    assert not cut.complete


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("end", [" ", "  ", "\\n", "\\r\\n", "#012"])
def test_one_line_of_a_shipper_is_the_same_record(
    end: str,
    old: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """A record on one line, with blanks or written line ends, has the same digest and facts."""
    if "\\" in end or "#" in end:
        end += " " * 20
    expected = one(text(FIRST, old=old))
    for prefix in ("", "Mar 22 08:17:31 hosta mqlog[12]: "):
        record = one(prefix + flat(FIRST, old=old, end=end))
        assert record == expected._replace(line=1, last_line=1, source="", complete=True)
    many = [f"<13>Mar 22 hosta: {flat(FIRST, old=old)}" for _ in range(3)]
    assert [each.line for each in records(many)] == [1, 2, 3]


@given(st.lists(saids(), max_size=5), st.booleans(), st.data())
def test_lines_may_come_in_any_pieces(written: list[Said], old: bool, data: st.DataObject) -> None:  # noqa: FBT001
    """With or without line ends, joined with another file, whole or cut: the same records."""
    shown = "".join(text(each, old=old) for each in written)
    whole = records(shown.splitlines(keepends=True))
    assert [each.id + ("" if old else each.letter) for each in whole] == [
        each.id[:7] if old else each.id for each in written
    ]
    assert records(shown.splitlines()) == whole
    assert records(shown.replace("\n", "\r\n").splitlines(keepends=True)) == whole
    twice = records((shown + shown).splitlines())
    assert [each.digest for each in twice] == [each.digest for each in whole] * 2
    lines = shown.splitlines()
    cut = data.draw(st.integers(0, len(lines)))
    parts = [each for part in (lines[:cut], lines[cut:]) for each in read_text(part)]
    entire = [each for each in parts if isinstance(each, LogRecord) and each.complete]
    missing = len(whole) - len(entire)
    assert missing <= 1
    known = [each.digest for each in whole]
    assert all(each.digest in known for each in entire)


@given(st.lists(saids(), min_size=1, max_size=4))
def test_inserts_come_back_as_they_were_written(written: list[Said]) -> None:
    """Every insert is read, also with parentheses inside, from text and from one line."""
    for shown in ("".join(map(text, written)), "".join(map(flat, written))):
        for said, record in zip(written, records(shown.splitlines()), strict=True):
            assert (record.at, record.comments, record.arith) == (
                said.at,
                said.comments,
                said.arith,
            )
            assert (record.qmgr, record.process) == (said.qmgr, said.process)
            assert record.message == " ".join(said.message.split())


def test_a_value_may_have_an_unmatched_parenthesis() -> None:
    """An insert stands on a line of its own, so its value ends with the line."""
    said = replace(FIRST, comments=("TO.B)", "(send", " recv( )"))
    assert one(text(said)).comments == ("TO.B)", "(send", "recv( )")


def test_an_insert_that_looks_like_an_attribute_is_a_value() -> None:
    """A queue manager named inside an insert is not the one that wrote the record."""
    said = replace(FIRST, comments=("QMgr(OTHER)", "", ""), qmgr="QMA")
    assert one(text(said)).qmgr == "QMA"
    assert one(flat(said)).qmgr == "QMA"


def test_records_of_two_threads_stay_apart() -> None:
    """Each record keeps its process and thread, so that those of one thread can be put together."""
    other = replace(FIRST, process="4711.9", comments=("TO.C", "", ""))
    found = records((text(FIRST) + text(other) + text(FIRST)).splitlines())
    assert [each.process for each in found] == ["4711.3", "4711.9", "4711.3"]


def test_a_file_that_begins_in_mid_record_says_so_once() -> None:
    """What stands before the first header is one row; a trailer alone is not worth one."""
    lines = text(FIRST).splitlines()
    found = list(read_text([*lines[6:], *lines]))
    assert isinstance(found[0], NotUnderstood)
    assert found[0].why == "is the end of a record, or no record"
    assert [type(each) for each in found[1:]] == [LogRecord]
    assert [type(each) for each in read_text([lines[-1], *lines])] == [LogRecord]


def test_the_last_record_may_lack_its_trailer_and_its_end() -> None:
    """A torn last record keeps its digest and is marked as not complete."""
    lines = text(FIRST).splitlines()
    torn = one("\n".join(lines[:-3]))
    assert torn.digest == one(text(FIRST)).digest
    assert not torn.complete


def test_two_records_run_together_are_two() -> None:
    """A missing line end between two records loses neither."""
    together = text(FIRST).rstrip("\n") + text(FIRST)
    found = [each for each in read_text(together.splitlines()) if isinstance(each, LogRecord)]
    assert [each.id for each in found] == ["AMQ9999", "AMQ9999"]


def test_text_after_the_trailer_is_reported() -> None:
    """What stands between two records is neither lost nor part of one."""
    found = list(read_text([*text(FIRST).splitlines(), "a stack trace", *text(FIRST).splitlines()]))
    (row,) = (each for each in found if isinstance(each, NotUnderstood))
    assert (row.text, row.line) == ("a stack trace", len(text(FIRST).splitlines()) + 1)
    assert len(found) == 3


def test_a_header_without_a_message_is_reported() -> None:
    """A header without a message id gives one row."""
    lines = text(FIRST).splitlines()[:3]
    (row,) = read_text(lines)
    assert isinstance(row, NotUnderstood)
    assert row.why == "has no message id"


@pytest.mark.parametrize(
    ("date", "orders"),
    [
        ("%d.%m.%Y %H:%M:%S", "dmy"),
        ("%d/%m/%Y %H:%M:%S", "dmy"),
        ("%m/%d/%y %H:%M:%S", "mdy"),
        ("%Y-%m-%d %H:%M:%S", "ymd"),
        ("%Y/%m/%d  %H:%M:%S", "ymd"),
    ],
)
def test_dates_of_all_locales_are_dates(date: str, orders: str) -> None:
    """The date of a header may have the form of any locale."""
    record = one(text(FIRST, old=True, date=date))
    assert record.local is not None
    assert [str(each) for each in record.local.orders] == [orders]
    assert (record.local.hour, record.local.minute, record.local.second) == (8, 17, 30)


def test_a_date_of_an_unknown_locale_is_kept_as_written() -> None:
    """A header is known by its process; its date may have any form that begins with a digit."""
    record = one(text(FIRST, date="%Y-%m-%d %H h %M min %S s"))
    assert record.at == FIRST.at
    assert record.local is not None
    assert record.local.written == "2026-03-22 08 h 17 min 30 s"
    assert record.local.orders == ()


def test_a_prefix_on_every_line_is_passed_over() -> None:
    """Some shippers send each line as a message of its own: the facts are still there."""
    lines = [f"Mar 22 08:17:31 hosta mq[12]: {line}" for line in text(FIRST).splitlines()]
    record = one("\n".join(lines * 2).partition("\n" + lines[0])[0])
    expected = one(text(FIRST))
    assert (record.id, record.at, record.qmgr) == (expected.id, expected.at, expected.qmgr)
    assert record.comments == expected.comments


def test_passwords_are_hidden() -> None:
    """No password leaves the reader, neither in the message nor in an insert."""
    message = "Command ALTER AUTHINFO(A) LDAPPWD('tops3cret it''s') failed."
    said = replace(FIRST, message=message, comments=("http://u:tops3cret@h/", "", "pwd=tops3cret"))
    for shown in (text(said), text(said, old=True), flat(said)):
        assert "tops3cret" not in repr(one(shown))
    torn = [*text(said).splitlines()[:4], "CommentInsert1(LDAPPWD('tops3cret"]
    assert "tops3cret" not in repr(list(read_text(torn)))


@given(st.text(max_size=400))
def test_no_text_raises(anything: str) -> None:
    """Any text gives records and rows, and no error."""
    head = text(FIRST)
    list(read_text(anything.split("\n")))
    for place in range(0, len(head), 97):
        list(read_text((head[:place] + anything + head[place:]).split("\n")))


HOSTILE = {
    "one line": "x" * 3_000_000,
    "parentheses": "CommentInsert1(" * 100_000,
    "pairs": "A((x) " * 150_000,
    "apostrophes": "AMQ9999E: " + "'a " * 300_000,
    "colons": "AMQ9999E: " + "A: " * 300_000,
    "headings": "AMQ9999E: x\n" + "ABCDE:\n" * 100_000,
    "blank lines": "AMQ9999E: x\n" + " \n" * 300_000,
    "words": "AMQ9999E: " + "pass" * 300_000,
    "addresses": "AMQ9999E: " + "a:" * 300_000 + "@",
    "marks": "1 - Process(" * 100_000,
    "trailers": "\n-----" * 200_000,
    "NUL": "\0" * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_linear_time(name: str) -> None:
    """A record of megabytes is cut, reported and read in little time."""
    head = "\n".join(text(FIRST).splitlines()[:3])
    for glue in ("\n", " "):
        lines = [*(head + glue + HOSTILE[name]).split("\n"), *text(FIRST).split("\n")]
        with in_linear_time():
            found = list(read_text(lines))
        assert isinstance(found[-1], LogRecord)
        assert found[-1].comments == FIRST.comments
        assert all(len(repr(each)) < 3 * LONGEST for each in found)


def test_a_long_record_is_cut_and_reported() -> None:
    """A record longer than the limit is read as far as the limit, with a row."""
    long = text(replace(FIRST, explanation="word " * (LONGEST // 4)))
    row, record, last = read_text([*long.splitlines(), *text(FIRST).splitlines()])
    assert isinstance(row, NotUnderstood)
    assert "is longer than" in row.why
    assert isinstance(record, LogRecord)
    assert not record.complete
    assert isinstance(last, LogRecord)
    assert last.line == len(long.splitlines()) + 1


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("Kanal 'A.B' zu Host 'h (1.2.3.4)' beendet.", ("A.B", "h (1.2.3.4)")),
        ("L'objet 'X' n'est pas d'ici.", ("X",)),
        ("Le canal \u00ab A.B \u00bb est ferm\u00e9.", ("A.B",)),
        ("The host is '????'.", ()),
        ("Only one repository for cluster DEMO.", ("DEMO",)),
        (
            "Update not received for CLUSRCVR channel DEMO.QM2 hosted on QM2_2026-01-14_17.42.01.",
            ("DEMO.QM2", "QM2_2026-01-14_17.42.01"),
        ),
        ("CHANNEL TO.QM2 NO LONGER ACTIVE", ("TO.QM2",)),
    ],
)
def test_names_are_known_by_quotes_or_by_their_form(message: str, names: tuple[str, ...]) -> None:
    """Names are quoted, or words that can be nothing else; no word of a language is looked for."""
    assert names_in(message) == names


def test_numbers_are_whole_numbers() -> None:
    """Numbers in a text are found with marks around them."""
    assert numbers_in("expected 3 days ago, (60) days; 1.2 or AMQ9999") == ("3", "60")
