"""Readers: a few twins that requests borrow."""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.postgres import end_connections
from twin.app.twin import Twin
from twin.log import LogUnreachable
from twin.web.estates.opening import LogOpening
from twin.web.estates.readers import Readers


def test_one_request_alone_fails_when_a_server_was_started_again(postgres_url: str) -> None:
    """All connections are dead then; the first failure has the other readers opened again."""
    with Twin.open(postgres_url) as twin:
        twin.crtmqm("QM1")
    with closing(Readers(LogOpening(postgres_url), 3)) as readers:
        with readers.borrow() as first, readers.borrow() as second, readers.borrow() as third:
            expected = [each.log.last() for each in (first, second, third)]
        end_connections(postgres_url)
        with pytest.raises(LogUnreachable), readers.borrow() as twin:
            twin.log.last()
        with readers.borrow() as first, readers.borrow() as second, readers.borrow() as third:
            assert [each.log.last() for each in (first, second, third)] == expected
