"""What a value that is computed for a page is kept under."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import pytest

from tests.web.serving import copy_log
from twin.app.twin import Twin
from twin.model.instants import SECOND, parse_instant
from twin.web.access.users import Role, User
from twin.web.pages.place import PagePlace
from twin.web.pages.view import PageReading, page_key
from twin.web.points import Point

NOON = parse_instant("2099-01-01T12:00:00Z", now=0)


def key(log: Path, seconds: int, as_of: str | None, branch: str = "main") -> tuple[Hashable, ...]:
    """Return the key of a page that is asked for so many seconds after noon."""
    url, now = f"sqlite:///{log}", NOON + seconds * SECOND
    place = PagePlace(view="estate", point=Point(as_of, None, branch), own={})
    with Twin.open(url, branch=branch, read_only=True, clock=lambda: now) as twin:
        valid, known = place.point.instants(twin)
        at = twin.as_of(valid=valid, known=known)
        user = User("reader", frozenset({Role.READER}))
        return page_key(PageReading(twin, at, place, user))


@pytest.mark.parametrize("as_of", [None, "now", "-1h", "+2d"])
def test_an_instant_that_moves_is_the_same_for_a_minute(scene_log: Path, as_of: str | None) -> None:
    """A page that shows an hour ago does not compute anew at each load."""
    assert key(scene_log, 1, as_of) == key(scene_log, 59, as_of)
    assert key(scene_log, 1, as_of) != key(scene_log, 61, as_of)


def test_a_fixed_instant_is_exact(scene_log: Path) -> None:
    """Two instants within one minute are two pages; when they are asked for does not matter."""
    fixed = "2026-11-20T23:30:00Z"
    assert key(scene_log, 1, fixed) == key(scene_log, 3600, fixed)
    assert key(scene_log, 1, fixed) != key(scene_log, 1, "2026-11-20T23:30:01Z")


def test_a_branch_that_is_made_again_is_another(scene_log: Path, tmp_path: Path) -> None:
    """What was computed for a deleted branch is not shown for the next one of its name."""
    log = copy_log(scene_log, tmp_path)
    fixed, keys = "2026-11-20T23:30:00Z", []
    for _ in range(2):
        with Twin.open(f"sqlite:///{log}") as twin:
            twin.create_branch("b")
        keys.append(key(log, 1, fixed, "b"))
        with Twin.open(f"sqlite:///{log}", branch="b") as twin:
            twin.delete_branch()
    assert keys[0] != keys[1]
