"""The page of a report, from small tables."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from itertools import combinations
from math import dist
from typing import Any, Final

import pyarrow as pa
import pytest

from tests.history.page import Page
from twin.history.history import Window
from twin.history.metrics import METRICS
from twin.history.report.charts import Axis, Chart, NumberScale, Series, Span, bars, lines, spans
from twin.history.report.overview import Overview
from twin.history.report.page import Section, page, shown, words_of
from twin.history.report.style import STYLE
from twin.history.report.views import VIEWS
from twin.model.instants import instant_of

SINCE, UNTIL = datetime(2025, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
AXIS = Axis(Window(instant_of(SINCE), instant_of(UNTIL)))
MARKUP = "<script>QM</script>"


def incident(**fields: Any) -> dict[str, Any]:
    """Make an incident that lasted a day: seven queue managers lost QM9."""
    return {
        "began": datetime(2025, 2, 1, 9, 4, tzinfo=UTC),
        "ended": datetime(2025, 2, 2, 9, 4, tzinfo=UTC),
        "ongoing": False,
        "planned": False,
        "cause": "lost",
        "partner": "QM9",
        "qmgr": None,
        "channel": None,
        "cluster": "SALES",
        "qmgrs": 7,
        "channels": 7,
        "outages": 7,
        "seconds": 86_400.0,
        "channel_hours": 168.0,
        "messages": 0,
        "reason": "AMQ9202",
        **fields,
    }


def coverage(qmgr: str, seconds: float, *, covered: bool = True) -> dict[str, Any]:
    """Make a stretch of time of a queue manager."""
    moments = {"began": SINCE, "ended": UNTIL}
    return {"qmgr": qmgr, "covered": covered, "seconds": seconds, **moments}


def overview(**tables: list[dict[str, Any]]) -> Overview:
    """Collect the head of a page from rows."""
    made = Overview()
    for name, rows in tables.items():
        made.add(name, pa.Table.from_pylist(rows))
    return made


def written(made: Overview, *charts: Chart, sections: list[Section] | None = None) -> str:
    """Write a page."""
    return page(
        title=f"History of {MARKUP}",
        about=["a year"],
        overview=made,
        axis=AXIS,
        charts=charts,
        lines=[f"outages: {MARKUP}"],
        sections=sections or [],
    )


def test_an_incident_that_has_not_ended_comes_first() -> None:
    """An ongoing incident stands above everything, even above a larger one that has ended."""
    text = written(
        overview(incidents=[incident(), incident(ongoing=True, ended=None, channel_hours=1.0)])
    )
    places = [
        text.index(each) for each in ("Not ended: QM9 lost", "What happened", "Incidents</h2>")
    ]
    assert places == sorted(places)
    rows = re.findall("<tr class.*?</tr>", text)
    assert ["not ended" in row for row in rows] == [True, False]


def test_an_incident_is_one_line_with_its_cause_and_its_cost() -> None:
    """A lost queue manager is one row that says who, how long and how much, in readable units."""
    text = written(overview(incidents=[incident(seconds=7_800.0, messages=1_412)]))
    (row,) = re.findall("<tr class.*?</tr>", text)
    words = re.sub("<[^>]+>", " ", row).split()
    assert " ".join(words) == (
        "2025-02-01 09:04 2025-02-02 09:04 2 h 10 m QM9 lost 7 queue managers could not reach it; "
        "AMQ9202 7 168.0 1,412"
    )


def test_the_paragraph_says_what_was_not_observed() -> None:
    """Without observations the page says so, and does not speak of health."""
    nobody = overview(coverage=[coverage("QM1", 10.0, covered=False)], incidents=[])
    assert nobody.paragraph().startswith("No queue manager was observed in this time")
    some = overview(coverage=[coverage("QM1", 99.0), coverage("QM1", 1.0, covered=False)])
    assert some.paragraph() == "99.00 % of the time was observed; 1 queue manager had gaps."
    assert overview(coverage=[coverage("QM1", 1.0)]).paragraph() == ""


def test_the_paragraph_leaves_out_the_largest_incident_in_a_second_figure() -> None:
    """One lost queue manager does not hide how available the others were."""
    month = {"month": date(2025, 2, 1), "qmgr": "QM1", "channel": "C", "running_s": 832 * 3600.0}
    month |= {"inactive_s": 0.0, "retrying_s": 168 * 3600.0, "stopped_s": 0.0, "other_s": 0.0}
    text = overview(channel_status_months=[month], incidents=[incident()]).paragraph()
    assert text.startswith(
        "1 cluster-sender: 83.20 % available, 100 % without the largest incident."
    )


def test_names_are_text_and_never_markup() -> None:
    """A name from the estate never becomes an element or an attribute of the page."""
    row = {"qmgr": MARKUP, "channel": '"><b onclick=x>', "day": date(2025, 1, 1)}
    row |= dict.fromkeys(set(METRICS["suspensions"].columns) - set(row), '"<i>')
    metric = METRICS["suspensions"]
    text = written(
        overview(incidents=[incident(partner=MARKUP, reason="<i onload=x>")]),
        spans(AXIS, MARKUP, [(MARKUP, [Span("", SINCE, UNTIL)])], [("out", MARKUP)]),
        sections=[Section(metric, list(metric.columns), [row], MARKUP, 1)],
    )
    made = Page.of(text)
    assert not made.tags & {"script"}
    assert made.handlers == []
    assert MARKUP not in text


def test_all_charts_have_the_axis_of_the_window() -> None:
    """A day is at the same place in every chart, whatever the rows of the chart are."""
    noon, day = datetime(2025, 7, 2, 12, tzinfo=UTC), date(2025, 7, 2)
    begin, end = datetime(2025, 7, 2, tzinfo=UTC), datetime(2025, 7, 3, tzinfo=UTC)
    left = AXIS.place(day)
    numbers = [Series("", [1.0])]
    assert f"M{left * 10:.1f} 100.0" in bars(AXIS, "", "day", [day], numbers).drawing
    middle = f"M{AXIS.place(noon) * 10:.1f} "
    assert middle in lines(AXIS, "", "day", [day], numbers, NumberScale(1)).drawing
    drawn = spans(AXIS, "", [("QM", [Span("", begin, end)])], []).drawing
    assert f'style="left:{left:.2f}%' in drawn
    labels = re.findall("<span.*?</span>", AXIS.drawn())
    assert len(labels) == 12
    assert labels[0] == '<span style="left:0.00%">Jan 2025</span>'


def test_no_label_of_the_axis_is_cut() -> None:
    """A label near the end of the axis is left out; on a narrow page, more of them are."""
    end = datetime(2026, 1, 20, tzinfo=UTC)
    drawn = Axis(Window(instant_of(SINCE), instant_of(end))).drawn()
    assert "Dec 2025" in drawn
    assert "Jan 2026" not in drawn
    late = re.findall(r'class="late" style="left:(\d+)', drawn)
    assert late
    assert all(78 <= int(place) <= 92 for place in late)
    assert ".axis .late { display: none; }" in STYLE


@pytest.mark.parametrize(
    ("until", "labels"),
    [
        ("2025-01-01T00:10:00", ["01 Jan 00:00", "01 Jan 00:01"]),
        ("2025-01-01T06:00:00", ["01 Jan 00:00", "01 Jan 01:00"]),
        ("2025-01-05T00:00:00", ["01 Jan", "02 Jan"]),
        ("2025-03-01T00:00:00", ["01 Jan", "08 Jan"]),
        ("2031-01-01T00:00:00", ["Jan 2025", "Jul 2025"]),
        ("2125-01-01T00:00:00", ["Jan 2030", "Jan 2040"]),
    ],
)
def test_an_axis_has_labels_for_any_window(until: str, labels: list[str]) -> None:
    """A window of minutes and one of a century have at most a dozen labels at round instants."""
    end = datetime.fromisoformat(until).replace(tzinfo=UTC)
    ticks = Axis(Window(instant_of(SINCE), instant_of(end))).ticks()
    assert [label for _, label in ticks][:2] == labels
    assert len(ticks) <= 14
    assert all(0 <= place <= 100 for place, _ in ticks)


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        ("retrying_s", 7_800.0, "2 h 10 m"),
        ("seconds", 45.0, "45 s"),
        ("availability", 0.98765, "98.77 %"),
        ("outages", 1_234, "1,234"),
        ("ended", None, "-"),
        ("began", datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC), "2025-01-02 03:04"),
        ("planned", True, "yes"),
    ],
)
def test_cells_have_units_that_people_read(column: str, value: object, text: str) -> None:
    """A cell shows a duration as 2 h 10 m, and a share in percent."""
    assert shown(value, column) == text


def test_columns_are_named_in_words() -> None:
    """A heading has no unit in its name, and no abbreviation that MQ does not use."""
    assert [words_of(each) for each in ("mttr_s", "retrying_s", "qmgr", "none_s")] == [
        "time to repair",
        "retrying",
        "queue manager",
        "without any",
    ]


SEEN: Final = {
    "protanopia": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopia": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritanopia": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
"""How colour-blind people see linear red, green and blue (Machado, Oliveira and Fernandes 2009)."""


def lab(colour: str, kind: str) -> tuple[float, float, float]:
    """Return a colour as somebody sees it, in CIE L*a*b*."""
    rgb = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [((each + 0.055) / 1.055) ** 2.4 if each > 0.04045 else each / 12.92 for each in rgb]
    red, green, blue = (
        max(sum(part * each for part, each in zip(row, linear, strict=True)), 0.0)
        for row in SEEN[kind]
    )
    x, y, z = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116
        for part in (
            (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
            0.2126 * red + 0.7152 * green + 0.0722 * blue,
            (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
        )
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("kind", SEEN)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colour_blind_people_can_tell_the_colours_apart(mode: str, kind: str) -> None:
    """Any two colours of charts, and an outage and a planned stop, differ clearly to everybody."""
    colours = dict(re.findall(r"--(\w+): (#\w{6});", STYLE.split("@media")[mode == "dark"]))
    for group in (["s0", "s1", "s2", "s3"], ["out", "plan"]):
        for one, other in combinations(group, 2):
            assert dist(lab(colours[one], kind), lab(colours[other], kind)) >= 20, (one, other)


def test_every_metric_has_a_view_of_columns_that_it_has() -> None:
    """The page knows how to show each metric, and names no column that is gone."""
    assert set(METRICS) <= set(VIEWS)
    for name, metric in METRICS.items():
        assert set(VIEWS[name].columns.split()) - {"unknown_s"} <= set(metric.columns)
