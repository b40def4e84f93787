"""Views, and the snapshots that writers save for them."""

from __future__ import annotations

import pytest

from tests.app.scenes import LATER, START, build, picture
from twin.app import recorded_estate
from twin.app.twin import Twin
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.fold.store.pages import VERSION
from twin.model.instants import HOUR


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make writers save a snapshot every forty events."""
    monkeypatch.setattr(recorded_estate, "SNAPSHOT_EVERY", 40)


@pytest.mark.usefixtures("often")
def test_short_sessions_leave_snapshots_behind_too(twin: Twin) -> None:
    """Commands in processes of their own save snapshots, too."""
    build(twin)
    for number in range(60):
        alone = Twin(twin.log, clock=twin.clock, branch="main")
        alone.runmqsc("PR1", f"DEFINE QLOCAL(Q{number}) CLUSTER(CA)", at=START + number * HOUR)
    head = twin.log.head()
    found = twin.log.find_snapshot(valid=LATER, known=head.position, version=VERSION)
    assert found is not None
    assert found.valid > START + 40 * HOUR
    view = twin.views.rebuild(branch="main", valid=LATER, position=head.position)
    assert view.replayed < 80
    assert picture(view.estate) == picture(replay(Estate(), twin.log.rows()))


@pytest.mark.usefixtures("often")
def test_a_snapshot_writes_only_the_pages_that_changed(twin: Twin) -> None:
    """A snapshot shares the pages of unchanged queue managers with the previous one."""
    build(twin)
    for number in range(60):
        twin.runmqsc("PR1", f"DEFINE QLOCAL(Q{number})", at=START + number * HOUR)
    assert twin.snapshot(every=10) > 3
    early = twin.log.find_snapshot(
        valid=START + 20 * HOUR, known=twin.log.head().position, version=VERSION
    )
    late = twin.log.find_snapshot(valid=LATER, known=twin.log.head().position, version=VERSION)
    assert early is not None
    assert late is not None
    differing = {name for name in late.pages if late.pages[name] != early.pages.get(name)}
    assert differing == {"estate", f"definitions:{twin.view()[0].qmgr('PR1').qmid}"}


def test_views_without_any_snapshot_are_the_same(twin: Twin) -> None:
    """A view is the same after all snapshots are dropped."""
    build(twin)
    twin.runmqsc("PR1", "DEFINE QLOCAL(A) CLUSTER(CA)", at=START + HOUR)
    twin.snapshot(every=5)
    before = picture(twin.view(as_of=START)[0])
    twin.log.drop_snapshots()
    assert picture(twin.view(as_of=START)[0]) == before
