"""What a map draws one by one, and what it draws together: everything is drawn or counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from twin.web.pages.backlog import Backlog
from twin.web.pages.map.choosing import ALL_UP_TO, select
from twin.web.pages.map.content import MapContent, MapEdge, MapNode

STATUSES = st.sampled_from(["RUNNING", "INACTIVE", "RETRYING", "STOPPED", "BINDING"])


@st.composite
def contents(draw: st.DrawFn) -> MapContent:
    """Draw an estate: some clusters, each with full repositories, and channels between members."""
    nodes: dict[str, MapNode] = {}
    edges = []
    for cluster in range(draw(st.integers(1, 9))):
        key = (f"C{cluster}",)
        names = [f"C{cluster}Q{number:03}" for number in range(draw(st.integers(1, 60)))]
        for name in names:
            full = key if name == names[0] else ()
            nodes[name] = MapNode(name=name, clusters=key, full=full, running=True)
        for name in names[1:]:
            status = draw(STATUSES) if draw(st.integers(0, 9)) == 0 else "RUNNING"
            edges.append(
                MapEdge(
                    name, names[0], f"TO.{name}", key, status, None, None, Backlog(), "derived", 1
                )
            )
    return MapContent(nodes, sorted(edges))


@given(contents(), st.booleans())
def test_every_node_is_drawn_once_or_counted_once(content: MapContent, every: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    """Each queue manager has a box of its own or stands in exactly one box with a count."""
    selection = select(content, every=every)
    alone = [node.name for node in selection.nodes]
    together = [name for group in selection.groups for name in group.names]
    assert sorted(alone + together) == sorted(content.nodes)
    if every or len(content.nodes) <= ALL_UP_TO:
        assert not selection.groups


@given(contents())
def test_no_channel_that_fails_is_left_out(content: MapContent) -> None:
    """A channel that does not deliver has a line, or is counted in its box."""
    selection = select(content)
    lines = {edge.key for line in selection.lines for edge in line.edges}
    counted = sum(count for group in selection.groups for _, count in group.trouble)
    failing = [edge for edge in content.edges if not edge.healthy]
    assert sum(edge.key not in lines for edge in failing) == counted
    assert len(lines) + counted + selection.undrawn == len(content.edges)


@given(contents(), st.data())
def test_a_chosen_queue_manager_has_all_its_lines(content: MapContent, data: st.DataObject) -> None:
    """A queue manager that is chosen is drawn with all its channels, however many there are."""
    name = data.draw(st.sampled_from(sorted(content.nodes)))
    selection = select(content, focus=[name])
    lines = {edge.key for line in selection.lines for edge in line.edges}
    own = {edge.key for edge in content.edges if name in (edge.on, edge.to)}
    assert own <= lines
