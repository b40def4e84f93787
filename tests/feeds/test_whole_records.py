"""How much of a growing file is whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.feeds.detect import FileFormat, is_log, whole_records

BLOCK = """01/31/2026 02:13:05 AM - Process(1.2) User(mqm) Program(amqrmppa)
                    Host(h) QMgr(QM1)

AMQ9002I: Channel 'CA.FR1' is starting.

EXPLANATION:
It is.
ACTION:
None.
----- amqrmrsa.c : 961 --------------------------------------------------------
"""
LINE = '{"ibm_messageId":"AMQ9002I","ibm_datetime":"2026-01-31T02:13:05.000Z"}\n'
PRETTY = '{\n  "eventSource" : {\n    "objectName" : "Q"\n  }\n}\n'
MESSAGE = "**** Message #1 (120 Bytes) on Queue Q ****\nEvent Type : Queue Mgr Event\n"
JOB = "02.13.05 STC1  +CSQX500I !MQ1A CSQXRCTL Channel CA.FR1 started\n"
RECORDS = [
    (FileFormat.ERROR_LOG, BLOCK),
    (FileFormat.ERROR_LOG, "2026-01-31 h AMQ9002I: Channel is starting. - Process(1.2)\n"),
    (FileFormat.JSON_LOG, LINE),
    (FileFormat.CONTAINER_LOG, "2026-01-31T02:13:05.000Z AMQ9002I: Channel is starting.\n"),
    (FileFormat.AMQSEVT_JSON, PRETTY),
    (FileFormat.AMQSEVT_JSON, '{"eventSource":{"objectName":"Q"}}\n'),
]


@pytest.mark.parametrize(("form", "record"), RECORDS)
def test_a_torn_record_is_left_out(form: FileFormat, record: str) -> None:
    """Wherever the last record is torn, what is whole is what was written before it."""
    for cut in range(len(record)):
        text = record * 3 + record[:cut]
        assert whole_records(text, form) == 3 * len(record), record[:cut]
        assert whole_records(record[:cut], form) == 0
    assert whole_records(record * 4, form) == 4 * len(record)


@pytest.mark.parametrize(
    ("form", "record"), [(FileFormat.AMQSEVT_TEXT, MESSAGE), (FileFormat.ZOS_LOG, JOB)]
)
def test_a_record_without_an_end_is_whole_when_the_next_begins(
    form: FileFormat, record: str
) -> None:
    """Messages of these formats have no end of their own."""
    assert whole_records(record * 3, form) == 2 * len(record)
    assert whole_records(record * 3 + record[:3], form) == 2 * len(record)


def test_other_files_are_whole() -> None:
    """They do not grow: whoever reads them waits until they are written."""
    assert whole_records("DEFINE QL(A", FileFormat.MQSC_SCRIPT) == 11
    assert not is_log(FileFormat.MQSC_SCRIPT)
    assert all(is_log(form) for form, _ in RECORDS)


def test_a_long_record_at_the_end_hides_none_before_it() -> None:
    """The end of a record is found however far from the end of the file it is."""
    text = BLOCK * 2 + BLOCK.replace("It is.", "It is.\n" * 20_000)[:-90]
    assert whole_records(text, FileFormat.ERROR_LOG) == 2 * len(BLOCK)


@given(st.sampled_from(list(FileFormat)), st.text(alphabet='-\n{} }"a*CSQX500I+', max_size=200))
def test_what_is_whole_is_at_most_the_text(form: FileFormat, text: str) -> None:
    """Any text of any format has a whole part, and that is whole itself."""
    length = whole_records(text, form)
    assert 0 <= length <= len(text)
