"""Unread records in a page answer and change as records in memory do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fold.test_indexes import demand_true_indexes
from tests.sandbox import Sandbox, small_cluster
from twin.fold.beliefs import Receipt
from twin.fold.estate import Estate
from twin.fold.repository import Repository
from twin.fold.store.pages import estate_from, pages_of
from twin.model.instants import DAY


def _cluster() -> Sandbox:
    """Make queues with one owner and with several, a topic, and records received one by one."""
    sandbox = small_cluster()
    for name in ("PR1", "PR2", "FR1"):
        sandbox.run(name, f"DEFINE QLOCAL(EVERYWHERE) CLUSTER(CA) DESCR({name})")
        sandbox.run(name, f"DEFINE QLOCAL(Q.{name}) CLUSTER(CA)")
    sandbox.run("PR2", "DEFINE TOPIC(NEWS) TOPICSTR('/news') CLUSTER(CA)")
    sandbox.run("PR1", "DEFINE QLOCAL(LATER) CLUSTER(CA)\nALTER QLOCAL(Q.PR1) PUT(DISABLED)")
    sandbox.run("PR1", "DELETE QLOCAL(LATER)")
    sandbox.open("PR2", "Q.PR1")
    return sandbox


def _stored(estate: Estate) -> Iterator[tuple[Repository, Repository]]:
    """Pair each repository with the same repository read from its pages."""
    pages = pages_of(estate)
    loaded = estate_from(pages["estate"], pages.__getitem__)
    for name, qmgr in estate.qmgrs.items():
        yield qmgr.repository, loaded.qmgr(name).repository


def _places(repository: Repository) -> list[tuple[object, ...]]:
    beliefs = repository.beliefs.items()
    return [(name, *owner) for name, owners in beliefs for owner in owners.items()]


def test_a_page_keeps_the_order_of_records() -> None:
    """Names and the owners of each come back in the order they had."""
    for held, stored in _stored(_cluster().estate):
        assert _places(stored) == _places(held)
        assert stored.by_publication == held.by_publication
        demand_true_indexes(stored)
        assert stored.ever_held == held.ever_held
        assert (stored.routes, stored.topics) == (held.routes, held.topics)


def test_unread_records_answer_queries_as_records_in_memory_do() -> None:
    """Kinds, names and publications are found; only a query for all queues reads the page."""
    for held, stored in _stored(_cluster().estate):
        for kind in ("qmgr", "topic"):
            assert list(stored.of_kind(kind)) == list(held.of_kind(kind))
        for cluster, kind, name in held.beliefs:
            if kind == "queue":
                called = sorted(stored.queues_called(name))
                assert called == sorted(held.queues_called(name)) != []
            else:
                assert stored.instances(cluster, kind, name) == held.instances(cluster, kind, name)
        assert sorted(stored.publications()) == sorted(held.publications())
        assert all(stored.holds(*key) for key in held.by_publication)
        assert not stored.holds("NOBODY", 1)
        assert stored.unread is not None
        assert list(stored.of_kind("queue")) == list(held.of_kind("queue"))
        assert stored.unread is None


@pytest.mark.parametrize("days", [0, 28])
def test_unread_records_are_renewed_as_records_in_memory_are(days: int) -> None:
    """A renewal of all records of an owner leaves them unread; one of other keys renews nothing."""
    sandbox = _cluster()
    sandbox.pass_time(days * DAY)
    for held, stored in _stored(sandbox.estate):
        groups = [(*key, [*names]) for key, names in held.by_publication.items()]
        for owner, was, names in groups:
            cluster, keys = names[0][0], [name[1:] for name in names]
            for repository in (stored, held):
                receipt = Receipt(was + 1000, 1, "FR1", 2, 3)
                assert repository.renew_whole(cluster, owner, was, keys, receipt)
        assert (stored.unread is not None) == bool(
            days
        )  # by day 28 each owner has sent all its records together
        for owner, was, names in groups:
            cluster, keys = names[0][0], [*(name[1:] for name in names), ("queue", "OTHER")]
            receipt = Receipt(was + 2000, 1, "FR1", 2, 3)
            assert not stored.renew_whole(cluster, owner, was + 1000, keys, receipt)
        assert _places(stored) == _places(held)
        assert stored.by_publication == held.by_publication
        demand_true_indexes(stored)
