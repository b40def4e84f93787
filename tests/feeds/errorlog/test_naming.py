"""What the records of error logs name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.feeds.errorlog.error_logs import FIRST, text
from twin.feeds.errorlog.naming import named
from twin.feeds.errorlog.record import LogRecord
from twin.feeds.errorlog.text import read_text


def record(shown: str) -> LogRecord:
    """Read one record."""
    (found,) = read_text(shown.splitlines())
    assert isinstance(found, LogRecord)
    return found


def test_names_come_from_inserts() -> None:
    """A record with inserts names what its inserts say, whatever its text is."""
    said = replace(FIRST, message="Kanal 'X' beendet.")
    assert named(record(text(said))) == {
        "channel": "TO.B",
        "process": "4711",
        "host": "b.example (10.0.0.2)",
    }


def test_names_come_from_the_text_without_inserts() -> None:
    """Up to 8.0 the message names them, else the explanation."""
    assert named(record(text(FIRST, old=True))) == {
        "channel": "TO.B",
        "host": "b.example (10.0.0.2)",
    }
    said = replace(
        FIRST,
        id="AMQ9509E",
        message="Program cannot open queue manager object.",
        explanation="The attempt to open 'Q1' on queue manager 'QMA' failed with reason 2085.",
    )
    assert named(record(text(said, old=True))) == {"object": "Q1", "qmgr": "QMA"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            (
                "Update not received for CLUSRCVR channel DEMO.QM2 hosted on queue manager"
                " QM2_2026-01-14_17.42.01 in cluster DEMO."
            ),
            {"channel": "DEMO.QM2", "qmid": "QM2_2026-01-14_17.42.01", "cluster": "DEMO"},
        ),
        (
            (
                "Update not received for CLUSRCVR channel DEMO.QM2 hosted on queue manager"
                " QM2_2026-01-14_17.42.01 in cluster demo."
            ),
            {},
        ),
    ],
)
def test_names_without_quotes_count_only_if_all_are_found(
    message: str, expected: dict[str, str]
) -> None:
    """A name that looks like a word may be overlooked; then no place is sure."""
    said = replace(FIRST, id="AMQ9469W", message=message, explanation="")
    assert named(record(text(said, old=True))) == expected


def test_an_unknown_id_names_nothing() -> None:
    """An id that the table does not have gives no names."""
    assert named(record(text(replace(FIRST, id="AMQ6999E")))) == {}
