"""The picture of channels over time shows each outage where it was, and the worst channels."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from twin.model.instants import DAY, HOUR, SECOND
from twin.web.pages.heat import draw

BEGIN = 100 * DAY
END = BEGIN + 365 * DAY


@st.composite
def outages(draw_: st.DrawFn) -> dict[str, Any]:
    """Make an outage within a year."""
    began = BEGIN + draw_(st.integers(0, 364 * 24)) * HOUR
    ended = min(began + draw_(st.integers(1, 400)) * HOUR, END)
    return {
        "qmgr": draw_(st.sampled_from(["QM1", "QM2"])),
        "channel": draw_(st.sampled_from([f"TO.QM{n}" for n in range(9)])),
        "began": began,
        "ended": ended,
        "seconds": (ended - began) / SECOND,
        "planned": draw_(st.booleans()),
        "cause": draw_(st.sampled_from(["stopped", "unreachable", "lost"])),
    }


@given(st.lists(outages(), min_size=1, max_size=30))
def test_every_outage_is_in_the_cells_of_its_time(rows: list[dict[str, Any]]) -> None:
    """The cells add up to the seconds of all outages, and one without any has no letter."""
    picture = draw(rows, BEGIN, END)
    assert picture is not None
    cells = [cell for row in picture.rows for cell in row.cells]
    assert round(sum(cell.seconds for cell in cells)) == round(sum(row["seconds"] for row in rows))
    assert all((cell.state == "up") == (not cell.letter) == (not cell.seconds) for cell in cells)


@given(st.lists(outages(), min_size=1, max_size=30))
def test_the_worst_channels_come_first(rows: list[dict[str, Any]]) -> None:
    """Rows are sorted by unplanned time, and those that have no row are counted in the last one."""
    picture = draw(rows, BEGIN, END)
    assert picture is not None
    unplanned: dict[str, float] = {}
    for row in rows:
        name = f"{row['qmgr']} {row['channel']}"
        unplanned[name] = unplanned.get(name, 0) + (0 if row["planned"] else row["seconds"])
    shown = [row.name for row in picture.rows if row.name in unplanned]
    times = [unplanned[name] for name in shown]
    assert times == sorted(times, reverse=True)
    others = len(unplanned) - len(shown)
    assert [row.name for row in picture.rows[len(shown) :]] == (
        [f"{others} others"] if others else []
    )


def test_nothing_is_drawn_without_a_window_or_without_outages() -> None:
    """Without outages, or without a window, there is no picture."""
    assert draw([], BEGIN, END) is None
    assert draw([{}], None, END) is None
