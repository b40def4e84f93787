"""All converters: no text stops them, and they hide passwords."""

from __future__ import annotations

import pytest

from tests.feeds.hostile import HOSTILE, reads
from twin.feeds.converters import CONVERTERS
from twin.feeds.detect import FileFormat
from twin.feeds.observed import DatedFact, FeedSource, NotRecorded, PassedOver
from twin.model.instants import DAY

SOURCE = FeedSource(qmgr="QMA", file="a.txt", at=DAY)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("format_", CONVERTERS)
def test_no_text_stops_a_converter(format_: FileFormat, text: str) -> None:
    """Whatever a file has, there are rows and no error."""
    for row in reads(lambda lines: CONVERTERS[format_](lines, SOURCE), HOSTILE[text]):
        assert isinstance(row, DatedFact | NotRecorded | PassedOver)
