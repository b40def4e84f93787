"""Scrapes of mq_prometheus, and answers of Prometheus to range queries."""

from __future__ import annotations

import json
import math
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.hostile import HOSTILE, reads, without_lines
from twin.feeds.prometheus.ranges import read_ranges
from twin.feeds.prometheus.scrapes import Sample, read_scrape
from twin.feeds.reading.not_understood import NotUnderstood

SECOND: Final = 1_000_000
NOW: Final = 1_800_000_000

SCRAPE: Final = """\
# HELP ibmmq_channel_status Channel Status
# TYPE ibmmq_channel_status gauge
ibmmq_channel_status{channel="TO.BREMEN",qmgr="HAMBURG",type="CLUSSDR",rqmname="BREMEN"} 5
ibmmq_channel_status{channel="TO.KIEL",qmgr="HAMBURG",type="SENDER",rqmname="KIEL"} 3 1800000000250
# TYPE ibmmq_channel_messages counter
ibmmq_channel_messages{channel="TO.KIEL",qmgr="HAMBURG",type="SENDER"} 1.5e+06
# TYPE go_goroutines gauge
go_goroutines 12

ibmmq_qmgr_exporter_publications 7
process_cpu_seconds_total 0.5
"""


def one(line: str) -> Sample:
    """Read one line."""
    (found,) = read_scrape([line])
    assert isinstance(found, Sample)
    return found


def read(text: str) -> list[Sample | NotUnderstood]:
    """Read a text."""
    return list(read_scrape(text.splitlines(keepends=True)))


def test_a_scrape_gives_a_row_a_series() -> None:
    """Rows have the line, the instant if there is one, metric, labels, value and type."""
    first, second, third, fourth = read(SCRAPE)
    assert isinstance(first, Sample)
    assert isinstance(second, Sample)
    labels = {"channel": "TO.BREMEN", "qmgr": "HAMBURG", "type": "CLUSSDR", "rqmname": "BREMEN"}
    assert first == Sample(3, 3, None, "channel_status", labels, 5.0, "gauge")
    assert (first.word, first.channel_type) == ("RETRYING", "CLUSSDR")
    assert (second.at, second.word, second.channel_type) == (
        NOW * SECOND + 250_000,
        "RUNNING",
        "SDR",
    )
    assert isinstance(third, Sample)
    assert (third.value, third.type, third.word) == (1_500_000.0, "counter", "")
    assert isinstance(fourth, Sample)
    assert (fourth.metric, fourth.labels) == ("qmgr_exporter_publications", {})
    assert fourth.channel_type == ""


@pytest.mark.parametrize(
    ("metric", "value", "word"),
    [
        ("channel_status", 0, "INACTIVE"),
        ("channel_status", 14, "SWITCHING"),
        ("channel_status", 12, ""),
        ("channel_status", 2.5, ""),
        ("channel_status", math.nan, ""),
        ("channel_status", math.inf, ""),
        ("channel_status_squash", 0, "STOPPED"),
        ("channel_type", 9, "CLUSSDR"),
        ("qmgr_status", 0, "ENDED"),
        ("qmgr_status", 2, "RUNNING"),
        ("qmgr_channel_initiator_status", 2, "RUNNING"),
        ("cluster_suspend", 1, "YES"),
        ("cluster_qmtype", 1, "REPOS"),
        ("queue_depth", 1, ""),
    ],
)
def test_numbers_of_statuses_are_words(metric: str, value: float, word: str) -> None:
    """The words are those of MQ; other metrics have none."""
    assert one(f'ibmmq_{metric}{{qmgr="A"}} {value}').word == word


@pytest.mark.parametrize(
    ("line", "labels", "value", "at"),
    [
        ('ibmmq_a{b="c"} 1', {"b": "c"}, 1, None),
        ('ibmmq_a{b="c",} 1\r\n', {"b": "c"}, 1, None),
        ('ibmmq_a{ b = "c" , d="e" } 1', {"b": "c", "d": "e"}, 1, None),
        ('  ibmmq_a {b="c"}   1   1800000000000  ', {"b": "c"}, 1, NOW * SECOND),
        ('ibmmq_a{b="c"}1', {"b": "c"}, 1, None),
        ('ibmmq_a{b="c"}\t1\t1800000000000', {"b": "c"}, 1, NOW * SECOND),
        ("ibmmq_a{} +Inf", {}, math.inf, None),
        ("ibmmq_a -4", {}, -4, None),
        ("ibmmq_a\t-4\n", {}, -4, None),
        ("ibmmq_a 4 1800000000.5", {}, 4, NOW * SECOND + 500_000),
        ("ibmmq_a 4 1800000000", {}, 4, NOW * SECOND),
        (r'ibmmq_a{b="c\"d\\e\nf\x"} 1', {"b": 'c"d\\e\nf\\x'}, 1, None),
        ('ibmmq_a{b="} 2",c="{"} 1', {"b": "} 2", "c": "{"}, 1, None),
        (r'ibmmq_a{b="\\} 2",c="#"} 1', {"b": "\\} 2", "c": "#"}, 1, None),
        ('ibmmq_a{b="c"} 1 # {trace="x"} 0.5 1800000000', {"b": "c"}, 1, None),
        ('ibmmq_a{b="#"} 1 1800000000000 # {} 2', {"b": "#"}, 1, NOW * SECOND),
        ('ibmmq_a 1 # {t="x"} 0.5', {}, 1, None),
        ('ibmmq_a{b=""} 1', {"b": ""}, 1, None),
    ],
)
def test_labels_values_and_instants_are_read(
    line: str, labels: dict[str, str], value: float, at: int | None
) -> None:
    """Escapes, blanks, exemplars and instants of both exposition formats are understood."""
    found = one(line)
    assert (found.metric, found.labels, found.value, found.at) == ("a", labels, value, at)


@pytest.mark.parametrize(
    "line",
    [
        "ibmmq_",
        "ibmmq_a",
        "ibmmq_a ",
        "ibmmq_a x",
        "ibmmq_a{",
        'ibmmq_a{b="c" 1',
        'ibmmq_a{b="c} 1',
        "ibmmq_a{b=c} 1",
        'ibmmq_a{b} 1, "',
        'ibmmq_a{b="c",b="d"} 1',
        'ibmmq_a{b="c",b="\\\\"} 1',
        'ibmmq_a{="\\\\"} 1',
        'ibmmq_a{b="c"} 1 2 3',
        'ibmmq_a{b="c"} 1 x',
        "ibmmq_a 1 99999999999999999",
        'ibmmq_a{b="c"x} 1',
        'ibmmq_a{b="\\n"x} 1',
        "{",
        "404 page not found",
    ],
)
def test_what_is_no_sample_is_reported(line: str) -> None:
    """A malformed line is one report and hides no other line."""
    found = list(read_scrape(["ibmmq_b 1\n", line + "\n", "ibmmq_c 1\n"]))
    assert [each.line for each in found] == [1, 2, 3]
    assert isinstance(found[1], NotUnderstood)
    assert found[1].why == "is not a sample"


def test_a_sample_that_is_too_long_is_reported() -> None:
    """A line of more than 1 MiB gives no labels."""
    lines = [f'ibmmq_a{{b="{mark}{"c" * (1 << 20)}"}} 1' for mark in ("", "#")]
    whys = [each.why for each in read_scrape(lines) if isinstance(each, NotUnderstood)]
    assert whys == ["is longer than 1 MiB"] * 2


def test_another_prefix_can_be_read() -> None:
    """The prefix is part of the configuration of mq_prometheus."""
    lines = ["# TYPE mine_qmgr_status gauge\n", 'mine_qmgr_status{qmgr="A"} 2\n', "ibmmq_a 1\n"]
    (found,) = read_scrape(lines, prefix="mine_")
    assert isinstance(found, Sample)
    assert (found.metric, found.word, found.type) == ("qmgr_status", "RUNNING", "gauge")


def test_the_order_of_labels_does_not_change_a_digest() -> None:
    """The digest is that of metric, labels, value and instant."""
    digests = {
        one(line).digest
        for line in (
            'ibmmq_a{b="c",d="e"} 1',
            'ibmmq_a{d="e",b="c"} 1.0',
            ' ibmmq_a{d="e",b="c"}  1',
        )
    }
    assert len(digests) == 1
    assert one('ibmmq_a{b="c",d="f"} 1').digest not in digests
    assert one('ibmmq_a{b="c",d="e"} 1 1800000000000').digest not in digests


def answer(series: list[dict[str, Any]], **layout: Any) -> str:
    """Return an answer to a range query."""
    data = {"resultType": "matrix", "result": series}
    return json.dumps({"status": "success", "data": data}, **layout)


STATUS: Final = {"__name__": "ibmmq_channel_status", "channel": 'TO."B"', "qmgr": "HAMBURG"}
SERIES: Final[list[dict[str, Any]]] = [
    {"metric": STATUS, "values": [[NOW, "3"], [NOW + 60.5, "5"]]},
    {"metric": {"__name__": "up"}, "values": [[NOW, "1"]]},
    {"metric": {"__name__": "ibmmq_qmgr_status"}, "values": [[NOW, "NaN"]], "histograms": []},
    {"metric": {"__name__": "ibmmq_queue_depth"}, "values": []},
]


@pytest.mark.parametrize("layout", [{}, {"indent": 1}, {"indent": 8}, {"separators": (",", ":")}])
def test_a_range_gives_a_row_a_value(layout: dict[str, Any]) -> None:
    """Instants are in seconds; series of other exporters are passed over."""
    found = list(read_ranges(answer(SERIES, **layout).splitlines(keepends=True)))
    assert all(isinstance(each, Sample) for each in found)
    rows = [(each.at, each.metric, each.word) for each in found if isinstance(each, Sample)]
    assert rows == [
        (NOW * SECOND, "channel_status", "RUNNING"),
        (NOW * SECOND + 60_500_000, "channel_status", "RETRYING"),
        (NOW * SECOND, "qmgr_status", ""),
    ]
    assert isinstance(found[0], Sample)
    assert found[0].labels == {"channel": 'TO."B"', "qmgr": "HAMBURG"}
    lines = answer(SERIES, **layout).split("\n")
    assert '"3"' in lines[found[0].line - 1]


def test_a_scrape_and_a_range_agree() -> None:
    """A value has the same digest in a scrape with instants and in a range."""
    (ranged,) = read_ranges([answer([{"metric": STATUS, "value": [NOW, "3"]}])])
    line = f'ibmmq_channel_status{{channel="TO.\\"B\\"",qmgr="HAMBURG"}} 3 {NOW}000'
    assert isinstance(ranged, Sample)
    assert one(line).digest == ranged.digest


@pytest.mark.parametrize(
    ("text", "whys"),
    [
        ('{"status":"error","error":"bad_data"}', ["is an error answer"]),
        (answer([{"metric": {}, "values": [[NOW, "3"]]}]), ["has no name: ask for the metric"]),
        (answer([{"metric": STATUS}]), ["has no values after its labels"]),
        (answer([{"values": [], "metric": STATUS}]), ["has no values after its labels"]),
        (answer([{"metric": {"a": 1}, "values": []}]), ["has labels that are not texts"]),
        (
            answer([{"metric": STATUS, "values": [["x", 3]]}]),
            ["is not an instant with a value"],
        ),
        (
            answer([{"metric": STATUS, "values": [[NOW, "x"], [1e20, "3"], [NOW, "3"]]}]),
            ["is not an instant with a value", "has an instant out of range", ""],
        ),
        (
            '"metric":{"a":}, "metric":' + answer(SERIES[:1]).partition('"metric":')[2],
            ["has labels that are not valid JSON", "", ""],
        ),
        (answer(SERIES[:1])[:-9], ["", "is not an instant with a value"]),
        (answer([{"metric": STATUS, "histograms": [[NOW, {}]]}]), []),
    ],
)
def test_what_is_no_series_is_reported(text: str, whys: list[str]) -> None:
    """Each report has a reason, and the values after it are read."""
    found = list(read_ranges([text]))
    assert [getattr(each, "why", "") for each in found] == whys


def test_long_ranges_are_read_piece_by_piece() -> None:
    """A line of megabytes gives every value; labels of megabytes are reported."""
    values = [[NOW + second, str(second % 7)] for second in range(20_000)]
    series = [{"metric": STATUS, "values": values}] * 2
    found = list(read_ranges([answer(series)]))
    assert [each.value for each in found if isinstance(each, Sample)] == [
        float(second % 7) for second in range(20_000)
    ] * 2
    long = {"metric": {"__name__": "ibmmq_a", "b": "c" * (2 << 20)}, "values": [[NOW, "1"]]}
    found = list(read_ranges([answer([long, *SERIES[:1]])]))
    assert [getattr(each, "why", "") for each in found] == ["is longer than 1 MiB", "", ""]


LABELS: Final = st.dictionaries(
    st.sampled_from(["channel", "qmgr", "type", "description", "connname"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6).filter(
        lambda text: not set(text) & set("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
    ),
)
ROWS: Final = st.lists(
    st.tuples(
        st.sampled_from(["channel_status", "queue_depth"]),
        LABELS,
        st.floats(allow_nan=False) | st.integers(-5, 20),
        st.none() | st.integers(10**11, 10**13),
    ),
    max_size=6,
)


def written(rows: list[tuple[str, dict[str, str], float, int | None]], *, blanks: str = "") -> str:
    """Write rows as the text exposition does."""
    lines = []
    for metric, labels, value, at in rows:
        texts = [
            (name, text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n"))
            for name, text in labels.items()
        ]
        inside = ",".join(f'{blanks}{name}="{text}"' for name, text in texts)
        stamp = "" if at is None else f" {at}"
        lines.append(f"ibmmq_{metric}{{{inside}}} {blanks}{value!r}{stamp}\n")
    return "".join(lines)


@given(ROWS, ROWS)
def test_what_is_written_is_read(
    first: list[tuple[str, dict[str, str], float, int | None]],
    second: list[tuple[str, dict[str, str], float, int | None]],
) -> None:
    """Any labels, values and instants come back; blanks and joined files change nothing."""
    found = read(written(first) + written(second))
    rows = [
        (each.metric, each.labels, each.value, each.at and each.at // 1000)
        for each in found
        if isinstance(each, Sample)
    ]
    assert rows == first + second
    assert without_lines(read(written(first + second, blanks=" "))) == without_lines(found)


@given(ROWS, st.integers(1, 99))
def test_ranges_can_be_cut_anywhere_outside_of_texts(
    rows: list[tuple[str, dict[str, str], float, int | None]], width: int
) -> None:
    """The same answers on many lines are the same values."""
    series: list[dict[str, Any]] = [
        {"metric": {"__name__": f"ibmmq_{metric}", **labels}, "values": [[NOW, repr(value)]] * 3}
        for metric, labels, value, _ in rows
    ]
    text = answer(series)
    expected = without_lines(read_ranges([text]))
    assert len(expected) == 3 * len(rows)
    assert without_lines(read_ranges(answer(series, indent=2).splitlines())) == expected
    twice = without_lines(read_ranges([text + "\n", text[:width], text[width:]]))
    assert twice[: len(expected)] == expected


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_texts_are_survived(name: str) -> None:
    """No text raises, takes long, or gives more than a few reports."""
    for reader in (read_scrape, read_ranges):
        found = reads(reader, HOSTILE[name])
        assert all(len(each.text) <= 80 for each in found if isinstance(each, NotUnderstood))
    assert isinstance(reads(read_scrape, [*HOSTILE[name], "\n", "ibmmq_a 1\n"])[-1], Sample)
