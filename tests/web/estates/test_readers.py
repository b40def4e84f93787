"""Readers: which twin of which branch a request borrows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.postgres import end_connections
from twin.app.twin import Twin
from twin.log import LogUnreachable, NoSuchBranch, RetiredBranch
from twin.web.estates.readers import LogOpening, Reader, Readers


@pytest.fixture
def opening(tmp_path: Path) -> LogOpening:
    """Make a log with one queue manager."""
    url = f"sqlite:///{tmp_path}/twin.db"
    with Twin.open(url) as twin:
        twin.crtmqm("QM1")
    return LogOpening(url)


@pytest.fixture
def writer(opening: LogOpening) -> Iterator[Twin]:
    """Open the log once more, as the CLI does."""
    with Twin.open(opening.url) as twin:
        yield twin


def make_branch(writer: Twin, *qmgrs: str) -> Twin:
    """Make branch b, with more queue managers than main has."""
    writer.create_branch("b")
    branch = writer.on_branch("b")
    for name in qmgrs:
        branch.crtmqm(name)
    return branch


def names(readers: Readers) -> list[str]:
    """Return the queue managers that a reader finds on branch b."""
    with readers.borrow("b") as twin:
        return list(twin.view()[0].qmgrs)


def test_a_branch_that_another_process_deleted_is_refused(
    opening: LogOpening, writer: Twin
) -> None:
    """A reader that knew the branch learns of its deletion at the next request."""
    with closing(Readers(opening, 1)) as readers:
        made = make_branch(writer, "OLD")
        assert names(readers) == ["QM1", "OLD"]
        made.delete_branch()
        with pytest.raises(RetiredBranch):
            names(readers)


def test_a_branch_made_again_has_its_own_content(opening: LogOpening, writer: Twin) -> None:
    """A new branch under the name of a deleted one shows nothing of the deleted one."""
    with closing(Readers(opening, 1)) as readers:
        made = make_branch(writer, "OLD")
        assert names(readers) == ["QM1", "OLD"]
        made.delete_branch()
        make_branch(writer, "NEW")
        assert names(readers) == ["QM1", "NEW"]


def test_a_reader_keeps_no_deleted_branch(opening: LogOpening, writer: Twin) -> None:
    """However many branches come and go, a reader keeps only those that still exist."""
    with closing(Reader(opening)) as reader:
        for number in range(5):
            made = make_branch(writer)
            reader.on("b")
            assert len(reader.kept) == 1, number
            made.delete_branch()
        with pytest.raises(NoSuchBranch):
            reader.on("b")


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
