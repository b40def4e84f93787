"""The parts of a picture: the axis, a bar, a label, and text in XML."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox import START
from twin.model.instants import DAY, HOUR
from twin.questions.picture._axis import Scale, days, months, whole_days
from twin.questions.picture._lines import HeldPeriod
from twin.questions.picture._page import MOST_LETTERS, shortened, state_spans
from twin.questions.picture._style import cleaned

_SPANS = st.tuples(st.integers(0, 20_000 * 24), st.integers(0, 4_000 * 24)).map(
    lambda hours: whole_days(hours[0] * HOUR, (hours[0] + hours[1]) * HOUR)
)


@given(_SPANS)
def test_dates_have_room_on_any_axis(span: tuple[int, int]) -> None:
    """The dates on an axis of any length do not overlap."""
    scale = Scale(*span, left=100.0, width=680.0)
    for marks, room in ((days(scale), 12), (months(scale), 50)):
        places = [scale.x(mark.at) for mark in marks]
        assert all(after - before >= room for before, after in pairwise(places))
    assert days(scale) or months(scale) or scale.end - scale.start > 365 * DAY


_OFFSETS = st.integers(0, 100 * 24).map(lambda hours: hours * HOUR)


@given(_OFFSETS, st.none() | _OFFSETS, _OFFSETS)
def test_the_spans_of_a_period_follow_one_another(begin: int, held: int | None, now: int) -> None:
    """The spans of a period have no gaps, and none is both before and after the instant."""
    end = None if held is None else START + begin + held
    found = list(state_spans(HeldPeriod(START + begin, end, START), START + now))
    assert all(one.end == other.start for one, other in pairwise(found))
    assert all(span.start < span.end for span in found)
    assert all(
        span.start >= START + now if span.ahead else span.end <= START + now for span in found
    )
    last = START + 90 * DAY if end is None else min(end, START + 90 * DAY)
    assert sum(span.end - span.start for span in found) == max(0, last - START - begin)


@given(st.text("ABC.", max_size=60))
def test_a_long_label_loses_its_middle(label: str) -> None:
    """A long label keeps both ends and has a limited length."""
    short = shortened(label)
    assert len(short) <= MOST_LETTERS
    assert short == label or re.fullmatch(r"[ABC.]{18,19}…[ABC.]{18}", short)


@given(st.text())
def test_any_text_is_fit_for_xml(content: str) -> None:
    """Any text can be read back from the XML, except for line ends."""
    read = ET.fromstring(f"<a>{cleaned(content)}</a>").text or ""  # noqa: S314 - our own
    assert read == "".join(char for char in content if char in read)
