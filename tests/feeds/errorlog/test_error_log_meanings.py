"""The table of message ids: what each means, and what it names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.feeds.errorlog.error_logs import FIRST, text
from twin import events
from twin.feeds.errorlog.meanings import MEANINGS, Kind, named
from twin.feeds.errorlog.record import LogRecord, split_id
from twin.feeds.errorlog.text import read_text


def record(shown: str) -> LogRecord:
    """Read one record."""
    (found,) = read_text(shown.splitlines())
    assert isinstance(found, LogRecord)
    return found


def test_the_table_is_sound() -> None:
    """Ids have no letter; an act and an error name an event, a status names a status."""
    statuses = {"INACTIVE", "RETRYING", "STOPPED"}
    for id_, meaning in MEANINGS.items():
        assert split_id(id_) == (id_, "")
        assert meaning.source in {"log", "doc", "catalogue", "memory"}
        if meaning.kind in {Kind.ACT, Kind.ERROR}:
            assert hasattr(events, meaning.becomes)
        else:
            assert (meaning.becomes in statuses) is (meaning.kind is Kind.STATUS)


def test_the_kinds_are_those_of_the_contract() -> None:
    """A row of each kind."""
    kinds = {
        "AMQ9002": Kind.ATTEMPT,
        "AMQ9999": Kind.STATUS,
        "AMQ9209": Kind.EVIDENCE,
        "AMQ9420": Kind.ERROR,
        "AMQ9469": Kind.ACT,
        "AMQ5041": Kind.NONE,
        "CSQX500": Kind.ATTEMPT,
        "CSQX469": Kind.ACT,
        "CSQX442": Kind.ACT,
        "CSQX558": Kind.STATUS,
    }
    assert {id_: MEANINGS[id_].kind for id_ in kinds} == kinds


def test_every_message_about_clusters_and_channels_is_in_the_table() -> None:
    """The messages from which facts follow have a row, and so has the twin of each on z/OS."""
    numbers = [
        *(9001, 9002, 9202, 9206, 9208, 9209, 9213, 9259, 9271, 9410, 9411, 9418, 9419, 9420),
        *(9422, *range(9427, 9434), 9442, 9443, 9444, 9448, 9449, *range(9453, 9458), 9465, 9466),
        *(9469, 9487, 9488, 9489, 9490, 9496, 9506, 9507, 9509, 9510, 9511, 9513, 9514, 9519),
        *(9520, 9524, 9526, 9528, 9533, 9544, 9545, 9549, 9558, 9653, 9939, 9999),
        *(*range(9630, 9640), 7341, 8001, 8003, 8004, 5026, 5037, 5041, 5051, 5052, 7229, 7230),
    ]
    assert [number for number in numbers if f"AMQ{number}" not in MEANINGS] == []
    twins = [number for number in numbers if 9400 <= number < 9600]
    assert [number for number in twins if f"CSQX{number - 9000}" not in MEANINGS] == []


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
