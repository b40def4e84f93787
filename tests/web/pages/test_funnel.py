"""The picture of a choice keeps its texts apart, whatever the candidates are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from twin.rules.workload.choosing import RULES
from twin.web.pages.funnel import (
    NARROWEST,
    WIDTH,
    FunnelCandidate,
    FunnelLabel,
    FunnelStage,
    draw,
    words_of,
)

_NAMES = st.text("ABCdef.%_/0", min_size=1, max_size=48)
_LETTER = 7.4


@st.composite
def stages(draw_: st.DrawFn) -> Sequence[FunnelStage]:
    """Make stages in which each rule excludes some of the candidates that are left."""
    names = draw_(st.lists(_NAMES, min_size=1, max_size=60, unique=True))
    left = [FunnelCandidate(name, name) for name in names]
    made = [FunnelStage("", left)]
    while len(left) > 1 and draw_(st.booleans()):
        count = draw_(st.integers(1, len(left)))
        made.append(FunnelStage("rule", left[count:], left[:count]))
        left = left[count:]
    return made


def _end(label: FunnelLabel) -> float:
    return label.x + len(label.name) * _LETTER


@given(stages())
def test_names_stay_inside_their_band_and_apart(made: Sequence[FunnelStage]) -> None:
    """Names stand beside each other inside the band, and those left out are counted."""
    for stage, band in zip(made, draw(made).bands, strict=True):
        narrow = min(band.top, band.bottom) / 2
        for one, other in pairwise(band.names):
            assert _end(one) < other.x
        for label in band.names:
            assert band.middle - narrow < label.x < _end(label) < band.middle + narrow
            assert band.y < label.y < band.y + band.height
        assert len(band.names) + band.hidden == len(stage.left)


@given(stages())
def test_falls_stand_below_each_other_and_are_all_counted(made: Sequence[FunnelStage]) -> None:
    """What a rule excludes stands to the right of all bands, below each other, or is counted."""
    picture = draw(made)
    texts: list[float] = []
    for stage, band in zip(made, picture.bands, strict=True):
        assert len(band.falls) + band.more == len(stage.fallen)
        for label in band.falls:
            assert band.edge(label.y) < label.x < WIDTH
            texts += [label.y, label.y + 15]
        texts += [band.more_y] if band.more else []
    assert all(other - one >= 15 for one, other in pairwise(texts))


@given(stages())
def test_bands_only_become_narrower(made: Sequence[FunnelStage]) -> None:
    """Bands stand below each other, each as wide at the top as the one above is at the bottom."""
    bands = draw(made).bands
    assert all(band.top >= band.bottom for band in bands)
    for one, other in pairwise(bands):
        assert one.y + one.height < other.y
        assert one.bottom == other.top


def test_the_name_of_each_rule_and_what_it_keeps_fit_the_narrowest_band() -> None:
    """A rule is named as in `twin explain`, without a number, with what a route needs to pass."""
    for rule in RULES:
        assert words_of(rule) != rule
        assert len(f"{rule}: {words_of(rule)}") * _LETTER < NARROWEST
