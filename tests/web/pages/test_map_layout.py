"""Laws of the map's layout: places and lines are pure functions of the names."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from twin.web.pages.map.picture import LineRequest, crosses, routes
from twin.web.pages.map.rings import Box, BoxKey, place


def _overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes have a point in common."""
    return (
        abs(one.x - other.x) <= (one.width + other.width) / 2
        and abs(one.y - other.y) <= (one.height + other.height) / 2
    )


def names(prefix: str, count: int) -> list[BoxKey]:
    """Return names in order."""
    return [f"{prefix}{number:03}" for number in range(count)]


@given(st.integers(0, 12), st.integers(0, 320))
def test_no_two_boxes_overlap(inside: int, around: int) -> None:
    """However many boxes there are, each has its place in the picture, and no two overlap."""
    placed = place(names("FR", inside), names("QM", around))
    assert len(placed.boxes) == inside + around
    for one, other in combinations(placed.boxes.values(), 2):
        assert not _overlap(one, other)
    for box in placed.boxes.values():
        assert 0 <= box.left < box.left + box.width <= placed.width
        assert 0 <= box.top < box.top + box.height <= placed.height


@given(st.integers(1, 6), st.integers(1, 70), st.data())
def test_no_line_runs_through_a_third_box(inside: int, around: int, data: st.DataObject) -> None:
    """A line touches no box but those at its ends, and its letter stands on no box."""
    boxes = place(names("FR", inside), names("QM", around)).boxes
    pair = st.lists(st.sampled_from(sorted(boxes, key=repr)), min_size=2, max_size=2, unique=True)
    pairs = data.draw(st.lists(pair, min_size=1, max_size=8))
    wanted = [LineRequest(one, other, data.draw(st.booleans())) for one, other in pairs]
    for request, route in zip(wanted, routes(boxes, wanted), strict=True):
        others = [box for key, box in boxes.items() if key not in request[:2]]
        assert not crosses(route.points, others, 0)
        assert not crosses((route.sign, route.sign), list(boxes.values()), 0)


@given(st.integers(1, 4), st.integers(1, 40))
def test_the_same_names_give_the_same_picture(inside: int, around: int) -> None:
    """Places and lines depend on nothing but the names and the lines that are wanted."""
    full, others = names("FR", inside), names("QM", around)
    wanted = [LineRequest(full[0], other, aside=False) for other in others]
    first, again = place(full, others), place(full, others)
    assert first == again
    assert routes(first.boxes, wanted) == routes(dict(reversed(list(again.boxes.items()))), wanted)
