"""The import of feeds: what its end says, also if it was killed and continued."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.app.scenes import START
from tests.app.test_laws import fresh
from twin.app.importing import dated
from twin.app.importing.feeds import FeedFile, FileChanged
from twin.app.twin import Twin
from twin.feeds.detect import FileFormat
from twin.model.instants import SECOND, format_instant


def log(records: int, name: str = "AMQERR01.json", first: int = 0) -> FeedFile:
    """Return a log with one record a second."""

    def lines() -> Iterator[str]:
        for number in range(first, first + records):
            record = {
                "ibm_messageId": "AMQ9999E",
                "ibm_datetime": format_instant(START + number * SECOND),
                "type": "mq_log",
                "ibm_serverName": "QM1",
                "ibm_commentInsert1": f"TO.{number}",
                "message": f"AMQ9999E: Channel 'TO.{number}' to host 'h' ended abnormally.",
            }
            yield f"{json.dumps(record)}\n"

    return FeedFile(name, lines, FileFormat.JSON_LOG, "QM1", name)


def counts(twin: Twin) -> list[tuple[Any, Any]]:
    """Return the names and the numbers of facts of the imports in a log."""
    return [(row["name"], row["count"]) for row in twin.ask("ingest", kind="file").rows]


@pytest.mark.parametrize("grown", [0, 3])
@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_the_end_counts_what_was_recorded_before_the_kill(
    monkeypatch: pytest.MonkeyPatch, pieces: int, grown: int
) -> None:
    """The number of facts is that of the whole import, also if its file has grown meanwhile."""
    monkeypatch.setattr(dated, "PIECE", 2)
    with fresh(1) as (twin,):
        act, done = twin.writer.act, [0]

        def killed(decide: Any) -> Any:
            if done[0] == pieces:
                raise KeyboardInterrupt
            done[0] += 1
            return act(decide)

        monkeypatch.setattr(twin.writer, "act", killed)
        with pytest.raises(KeyboardInterrupt):
            twin.ingest_feeds([log(9), log(2, "other.json")])
        monkeypatch.setattr(twin.writer, "act", act)
        twin.ingest_feeds([log(9 + grown)])
        assert counts(twin) == [("AMQERR01.json", 9 + grown)]
        twin.log.verify()


@pytest.mark.parametrize("piece", [2, 2000])
def test_an_import_of_a_file_that_is_rotated_meanwhile_has_no_end(
    monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    """Its end would say of the first content that the facts of the second are in it."""
    monkeypatch.setattr(dated, "PIECE", piece)
    old, new = log(9), log(9, first=20)
    readings = [old, new]
    rotated = replace(old, lines=lambda: readings.pop(0).lines())
    with fresh(1) as (twin,):
        with pytest.raises(FileChanged, match=r"^AMQERR01\.json changed while it was imported"):
            twin.ingest_feeds([rotated])
        assert "ImportEnded" not in {each.type for each in twin.log.events()}
        twin.ingest_feeds([new])
        assert counts(twin) == [("AMQERR01.json", 9)]
        twin.log.verify()
