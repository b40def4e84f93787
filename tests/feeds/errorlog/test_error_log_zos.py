"""CSQ messages of z/OS, from job logs, SYSLOG and consoles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.hostile import in_linear_time
from twin.feeds.errorlog.naming import names_in, numbers_in
from twin.feeds.errorlog.record import LogRecord, Skipped
from twin.feeds.errorlog.zos import OTHER, read_zos
from twin.feeds.reading.local_time import DateOrder
from twin.feeds.reading.not_understood import NotUnderstood

JOB_LOG = """\
 11.02.44 STC01234 ---- MONDAY,    23 NOV 2026 ----
 11.02.44 STC01234  IEF403I MQ1ACHIN - STARTED
 11.02.45 STC01234  CSQX500I +MQ1A CSQXRCTL Channel TO.QM2 started
 11.02.46 STC01234 +CSQX202E +MQ1A CSQXRCTL Connection or remote listener unavailable, 868
   868                channel TO.QM2,
   868                connection 10.20.4.6 (1414)
 11.02.47 STC01234  CSQX599E +MQ1A CSQXRCTL Channel TO.QM2 ended abnormally
"""
SYSLOG = """\
N 0000000 SYSA     26327 11:02:45.12 STC01234 00000090  CSQX500I +MQ1A CSQXRCTL Channel TO.QM2
S                                      started
MR0000000 SYSA     26327 11:02:46.12 STC01234 00000090  CSQX202E +MQ1A CSQXRCTL Connection or 868
MR0000000 SYSA     26327 11:02:46.13 STC01235 00000090  CSQX469E +MQ3A CSQXREPO Update not 869
DR                                         868 00000090  remote listener unavailable, channel
LR                                         869 00000090  received for CLUSRCVR channel TO.QM3
ER                                         868 00000090  TO.QM2, connection 10.20.4.6 (1414)
ER                                         869 00000090  hosted on MQ3A.CD8A3F in cluster DEMO
N 0000000 SYSA     26327 11:02:47.12 STC01234 00000090  CSQX599E +MQ1A CSQXRCTL Channel TO.QM2 ended abnormally
"""  # noqa: E501 - a line of SYSLOG


def records(text: str) -> list[LogRecord]:
    """Read the messages of a text."""
    return [each for each in read_zos(text.splitlines()) if isinstance(each, LogRecord)]


def test_a_job_log_gives_its_messages() -> None:
    """Id, queue manager, program, local date and text; lines with a number belong together."""
    started, failed, ended = records(JOB_LOG)
    assert (started.id, started.letter, started.qmgr) == ("CSQX500", "I", "MQ1A")
    assert (started.program, started.message) == ("CSQXRCTL", "Channel TO.QM2 started")
    assert started.local is not None
    assert started.local.written == "2026-11-23 11:02:45"
    assert started.local.orders == (DateOrder.YMD,)
    assert failed.message == (
        "Connection or remote listener unavailable, channel TO.QM2, connection 10.20.4.6 (1414)"
    )
    assert (failed.line, failed.last_line, ended.line) == (4, 6, 7)
    assert names_in(failed.message) == ("TO.QM2",)
    assert numbers_in(failed.message) == ("1414",)


def test_syslog_gives_the_same_messages() -> None:
    """The date is a day of the year; messages of two programs interleave."""
    found = records(SYSLOG)
    assert [each.id for each in found] == ["CSQX500", "CSQX202", "CSQX469", "CSQX599"]
    assert names_in(found[2].message) == ("TO.QM3", "MQ3A.CD8A3F", "DEMO")
    assert found[2].qmgr == "MQ3A"
    same = [found[0], found[1], found[3]]
    assert [each.digest for each in same] == [each.digest for each in records(JOB_LOG)]


def test_a_line_of_syslog_may_be_indented() -> None:
    """The numbers before its text are not part of the message, as in the job log."""
    indented = SYSLOG.replace("00000090  TO.QM2,", "00000090       TO.QM2,")
    assert records(indented)[1].message == records(SYSLOG)[1].message


def test_a_console_has_a_clock_only() -> None:
    """Without a date the clock is kept; any sign may stand before the queue manager."""
    shown = "09:36:19  +CSQX070I %CSQ9 CSQXGIP CHINIT parameters ...\n          of today\n"
    (record,) = records(shown)
    assert (record.id, record.qmgr, record.program) == ("CSQX070", "CSQ9", "CSQXGIP")
    assert record.message == "CHINIT parameters ... of today"
    assert record.local is not None
    assert (record.local.year, record.local.written) == (0, "09:36:19")


@pytest.mark.parametrize(
    ("line", "qmgr", "program"),
    [
        ("CSQX500I +MQ1A CSQXRCTL Channel A.B started", "MQ1A", "CSQXRCTL"),
        ("CSQX500I MQ1A CSQXRCTL Channel A.B started", "MQ1A", "CSQXRCTL"),
        ("CSQX500I CSQXRCTL Channel A.B started", "", "CSQXRCTL"),
        (
            "2026-11-23T11:02:45.120Z SYSA CSQX500I !MQ1A CSQXRCTL Channel A.B started",
            "MQ1A",
            "CSQXRCTL",
        ),
    ],
)
def test_the_sender_may_be_missing(line: str, qmgr: str, program: str) -> None:
    """A message has what it has of queue manager and program."""
    (record,) = records(line)
    assert (record.qmgr, record.program, record.message) == (qmgr, program, "Channel A.B started")
    assert (record.at is not None) is line.startswith("2026")


def test_lines_of_others_are_skipped() -> None:
    """Messages of other programs give no record."""
    found = list(read_zos(["$HASP373 MQ1ACHIN STARTED", "IEF403I CSQX", "A CSQXRCTL B"]))
    assert found == [Skipped(1, OTHER), Skipped(2, OTHER), Skipped(3, OTHER)]


@given(st.integers(0, len(JOB_LOG.splitlines())))
def test_a_file_may_be_joined_to_another(place: int) -> None:
    """Two files one after the other give the records of both."""
    lines = JOB_LOG.splitlines()
    assert [each.digest for each in records("\n".join([*lines[:place], *lines]))][-3:] == [
        each.digest for each in records(JOB_LOG)
    ]


@given(st.text(max_size=200), st.integers(0, 300))
def test_no_text_raises(anything: str, place: int) -> None:
    """Any text gives records and rows, and no error."""
    for whole in (JOB_LOG, SYSLOG):
        list(read_zos((whole[:place] + anything + whole[place:]).split("\n")))


@pytest.mark.parametrize(
    "line", ["CSQ" * 600_000, "CSQX500I " * 200_000, "1" * 2_000_000, " " * 2_000_000 + "x"]
)
def test_hostile_lines_take_linear_time(line: str) -> None:
    """Lines of megabytes are cut."""
    with in_linear_time():
        assert len(list(read_zos([line] * 3))) <= 6


def test_a_message_without_end_is_cut_and_reported() -> None:
    """Lines that go on for ever are counted, not kept."""
    lines = [" 11.02.46 STC01234  CSQX202E +MQ1A CSQXRCTL text 868", *["   868    more"] * 300_000]
    row, record = read_zos(lines)
    assert isinstance(row, NotUnderstood)
    assert isinstance(record, LogRecord)
    assert record.last_line == len(lines)


def test_passwords_are_hidden() -> None:
    """No password leaves the reader."""
    found = list(read_zos(["CSQM123I +MQ1A LDAPPWD('tops3cret')", " " * 8 + "pwd=tops3cret"]))
    assert "tops3cret" not in repr(found)
