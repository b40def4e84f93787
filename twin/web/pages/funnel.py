"""The picture of a choice: candidates fall through rules, from a wide band to a narrow one.

The layout is pure: the same stages always give the same picture, in which no two texts overlap.

A workload choice as stages of a funnel: who is left after each rule, and why others are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from twin.app.results import Route, Trace

WIDTH: Final = 860
"""The width of the picture, in its own units; a page scales it."""

_WIDEST: Final = 500
NARROWEST: Final = 270
"""The width of the narrowest band."""
_LETTER: Final = 7.4
"""The width of a letter of a name; the names are in a font of fixed width."""

_GAP: Final = 18
_HEAD: Final = 24
_LINE: Final = 19
_FALL: Final = 36
_PADDING: Final = 14
_SPACE: Final = 6
_MOST_FALLS: Final = 4
_TEXT: Final = _WIDEST + 40
_MOST_LETTERS: Final = 40
"""The most letters of a name; longer ones are cut."""

_MOST_LETTERS_OF_WHY: Final = 50
"""The most letters of a reason, whose letters are narrower."""


class FunnelCandidate(NamedTuple):
    """A route in the picture.

    Attributes:
        key: what identifies it.
        name: its name.
        why: why a rule excludes it; '' as long as none does.
    """

    key: str
    name: str
    why: str = ""


class FunnelStage(NamedTuple):
    """A rule that was applied.

    Attributes:
        rule: its name; '' for that of all candidates.
        left: the candidates that it left.
        fallen: the candidates that it excluded.
        keeps: what a candidate needs to pass it, in words.
        takes_turns: whether it only says whose turn it is.
    """

    rule: str
    left: Sequence[FunnelCandidate]
    fallen: Sequence[FunnelCandidate] = ()
    keeps: str = ""
    takes_turns: bool = False


class FunnelLabel(NamedTuple):
    """A candidate at a place, `y` being the base line of its name."""

    candidate: FunnelCandidate
    x: float
    y: float
    name: str
    why: str


class FunnelBand(NamedTuple):
    """A band of the picture: a rule, and the candidates that are left after it.

    Attributes:
        rule: the rule; '' for the band of all candidates.
        keeps: what a candidate needs to pass it, in words.
        takes_turns: whether the rule only says whose turn it is.
        y, height: where it is.
        top, bottom: its widths above and below.
        names: the candidates that are shown in it.
        hidden: how many more are left.
        hidden_x, hidden_y: where their number begins.
        falls: the candidates that are shown beside it.
        more: how many more fell.
        more_y: the base line of the line that counts them.
    """

    rule: str
    keeps: str
    takes_turns: bool
    y: float
    height: float
    top: float
    bottom: float
    names: Sequence[FunnelLabel]
    hidden: int
    hidden_x: float
    hidden_y: float
    falls: Sequence[FunnelLabel]
    more: int
    more_y: float

    @property
    def middle(self) -> float:
        """The x of the middle of all bands."""
        return _WIDEST / 2

    @property
    def points(self) -> str:
        """The corners, as SVG writes them."""
        corners = (
            (self.middle - self.top / 2, self.y),
            (self.middle + self.top / 2, self.y),
            (self.middle + self.bottom / 2, self.y + self.height),
            (self.middle - self.bottom / 2, self.y + self.height),
        )
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)

    def edge(self, y: float) -> float:
        """Return the x of the right edge at a height."""
        part = (y - self.y) / self.height
        return self.middle + (self.top + (self.bottom - self.top) * part) / 2


class FunnelPicture(NamedTuple):
    """A picture of a choice.

    Attributes:
        bands: from top to bottom.
        height: the height of all bands; what is chosen stands below.
    """

    bands: Sequence[FunnelBand]
    height: float

    @property
    def middle(self) -> float:
        """The x of the middle of all bands."""
        return _WIDEST / 2

    @property
    def text(self) -> float:
        """The x at which texts beside the bands begin."""
        return _TEXT


def draw(stages: Sequence[FunnelStage]) -> FunnelPicture:
    """Lay out stages; the first one is that of all candidates, before any rule."""
    if not stages:
        return FunnelPicture((), 0)
    heights = [_height(stage) for stage in stages]
    tops = [0.0, *accumulate(height + _SPACE for height in heights)]
    counts = [len(stages[0].left), *(len(stage.left) for stage in stages)]
    widths = [_width(count, counts[0]) for count in counts]
    bands = [
        _band(stage, y, height, (top, bottom))
        for stage, y, height, top, bottom in zip(
            stages, tops, heights, widths, widths[1:], strict=False
        )
    ]
    return FunnelPicture(bands, tops[-1])


def _width(count: int, most: int) -> float:
    return NARROWEST + (_WIDEST - NARROWEST) * (count / most if most else 0)


def _height(stage: FunnelStage) -> float:
    falls = min(len(stage.fallen), _MOST_FALLS)
    more = _LINE if len(stage.fallen) > _MOST_FALLS else 0
    return max(_HEAD + _LINE + _PADDING, falls * _FALL + more + _PADDING)


def _band(stage: FunnelStage, y: float, height: float, widths: tuple[float, float]) -> FunnelBand:
    names = _names(stage.left, min(widths) - 2 * _GAP, y + _HEAD + _LINE)
    shown = stage.fallen[:_MOST_FALLS]
    falls = [
        FunnelLabel(
            each,
            _TEXT,
            y + 18 + number * _FALL,
            _cut(each.name),
            _cut(each.why, _MOST_LETTERS_OF_WHY),
        )
        for number, each in enumerate(shown)
    ]
    return FunnelBand(
        rule=stage.rule,
        keeps=stage.keeps,
        takes_turns=stage.takes_turns,
        y=y,
        height=height,
        top=widths[0],
        bottom=widths[1],
        names=names,
        hidden=len(stage.left) - len(names),
        hidden_x=_after(names),
        hidden_y=y + _HEAD + _LINE,
        falls=falls,
        more=len(stage.fallen) - len(shown),
        more_y=y + 18 + len(shown) * _FALL,
    )


def _names(left: Sequence[FunnelCandidate], room: float, y: float) -> list[FunnelLabel]:
    """Place as many names as fit beside each other; the last place is for the number of others."""
    ends = list(accumulate(len(_cut(each.name)) * _LETTER + _GAP for each in left))
    fitting = sum(end - _GAP <= room for end in ends)
    if fitting < len(left):
        others = len(f"+{len(left)}") * _LETTER + _GAP
        fitting = sum(end - _GAP + others <= room for end in ends)
    total = ends[fitting - 1] - _GAP if fitting else 0.0
    if fitting < len(left):
        total += _GAP + len(f"+{len(left) - fitting}") * _LETTER
    begin = _WIDEST / 2 - total / 2
    starts = [0.0, *ends]
    return [
        FunnelLabel(each, begin + start, y, _cut(each.name), "")
        for each, start in zip(left[:fitting], starts, strict=False)
    ]


def _after(names: Sequence[FunnelLabel]) -> float:
    """Return the x at which a text after names may begin."""
    if not names:
        return _WIDEST / 2 - _GAP
    return names[-1].x + len(names[-1].name) * _LETTER + _GAP


def _cut(text: str, most: int = _MOST_LETTERS) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


_FEW: Final = 4
"""Up to this number of candidates that one rule excludes stand by themselves."""

TURNS: Final = ("mruc", "weight")
"""The rules that only say whose turn it is."""

_RULES: Final = {
    "cluster": "in the queue's cluster",
    "channel-rank": "highest CLWLRANK",
    "queue-rank": "highest CLWLRANK",
    "put": "PUT(ENABLED)",
    "local": "the local instance",
    "suspended": "not suspended",
    "status": "best channel status",
    "netprty": "highest NETPRTY",
    "channel-priority": "highest CLWLPRTY",
    "queue-priority": "highest CLWLPRTY",
    "mruc": "most recently used",
    "weight": "next in turn",
    "exit": "the choice of the exit",
}
"""Rule -> what a route needs to pass it, in words. Rules have names everywhere, and no numbers."""


def key_of(route: Route) -> str:
    """Return what identifies a route in a URL."""
    return f"{route.qmgr}:{route.channel}"


def words_of(rule: str) -> str:
    """Return what a rule keeps, in words."""
    return _RULES.get(rule, rule)


def stages_of(trace: Trace) -> Iterator[FunnelStage]:
    """Yield all candidates, and then each rule that excluded one."""
    per_qmgr = Counter(route.qmgr for route in trace.routes)

    def candidate(route: Route, why: str = "") -> FunnelCandidate:
        several = per_qmgr[route.qmgr] > 1
        name = f"{route.qmgr} {route.channel}" if several else route.qmgr
        return FunnelCandidate(key_of(route), name, why)

    left = list(trace.routes)
    yield FunnelStage("", [candidate(route) for route in left])
    for step in trace.steps:
        if not step.falls:
            continue
        gone = {id(fall.route) for fall in step.falls}
        left = [route for route in left if id(route) not in gone]
        yield FunnelStage(
            step.rule.name,
            [candidate(route) for route in left],
            _together(
                [candidate(fall.route, trace.fell_by(step.rule, fall)) for fall in step.falls]
            ),
            keeps=words_of(step.rule.name),
            takes_turns=step.rule.name in TURNS,
        )


def _together(fallen: Sequence[FunnelCandidate]) -> Sequence[FunnelCandidate]:
    """Return candidates as they are if they are few; else those that fell for one reason as one."""
    if len(fallen) <= _FEW:
        return fallen
    groups: dict[str, list[FunnelCandidate]] = {}
    for each in fallen:
        groups.setdefault(each.why, []).append(each)
    return [_one(group) for group in groups.values()]


def _one(group: Sequence[FunnelCandidate]) -> FunnelCandidate:
    first, *others = group
    named = [first.name, *(each.name for each in others[:1])]
    rest = len(group) - len(named)
    return first._replace(name=", ".join(named) + (f" and {rest} more" if rest else ""))
