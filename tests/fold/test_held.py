"""What a stored repository answers before it is put together is what it answers afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fold.test_groups import demand_true_indexes
from tests.sandbox import Sandbox, small_cluster
from twin.fold.beliefs import Receipt
from twin.fold.estate import Estate
from twin.fold.repository import Repository
from twin.fold.store.pages import estate_from, pages_of
from twin.model.instants import DAY


def _cluster() -> Sandbox:
    """Make queues with one owner and with several, a topic, and records that came one by one."""
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
    """Pair each repository with itself as it comes from its pages."""
    pages = pages_of(estate)
    loaded = estate_from(pages["estate"], pages.__getitem__)
    for name, qmgr in estate.qmgrs.items():
        yield qmgr.repository, loaded.qmgr(name).repository


def _places(repository: Repository) -> list[tuple[object, ...]]:
    beliefs = repository.beliefs.items()
    return [(name, *owner) for name, owners in beliefs for owner in owners.items()]


def test_a_page_keeps_the_order_of_what_is_held() -> None:
    """Names, and the owners of each, come back as they were, however they are written."""
    for held, stored in _stored(_cluster().estate):
        assert _places(stored) == _places(held)
        assert stored.by_publication == held.by_publication
        demand_true_indexes(stored)
        assert stored.ever_held == held.ever_held
        assert (stored.routes, stored.topics) == (held.routes, held.topics)


def test_what_is_asked_of_a_page_is_answered_as_if_it_were_read() -> None:
    """Kinds, names and publications are found without reading what else is held."""
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
def test_what_comes_again_is_renewed_in_a_page_as_in_memory(days: int) -> None:
    """All that is held of an owner is, without a look at what it is; of anything else, nothing."""
    sandbox = _cluster()
    sandbox.pass_time(days * DAY)
    for held, stored in _stored(sandbox.estate):
        groups = [(*key, [*names]) for key, names in held.by_publication.items()]
        for owner, was, names in groups:
            cluster, keys = names[0][0], [name[1:] for name in names]
            for repository in (stored, held):
                receipt = Receipt(was + 1000, 1, "FR1", 2, 3)
                assert repository.renew_whole(cluster, owner, was, keys, receipt)
        assert (stored.unread is not None) == bool(days)  # by then each owner has sent all at once
        for owner, was, names in groups:
            cluster, keys = names[0][0], [*(name[1:] for name in names), ("queue", "OTHER")]
            receipt = Receipt(was + 2000, 1, "FR1", 2, 3)
            assert not stored.renew_whole(cluster, owner, was + 1000, keys, receipt)
        assert _places(stored) == _places(held)
        assert stored.by_publication == held.by_publication
        demand_true_indexes(stored)
