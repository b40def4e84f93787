"""The legend of a picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twin.questions.lifetimes import ACTIVE, EXPIRED, OVERDUE
from twin.questions.picture import _style as style
from twin.questions.picture._svg import Node, group, text

HEIGHT: Final = 40

_LINE: Final = 18
_SIGN: Final = 22
_GAP: Final = 18
_LETTER: Final = 5.6
_BASE: Final = 4


def _part(state: str, *, ahead: bool = False) -> Callable[[float, float], Node]:
    return lambda x, y: style.piece(state, x, y - style.BAR / 2, _SIGN, ahead=ahead)


_ENTRIES: Final[tuple[tuple[tuple[Callable[[float, float], Node], str], ...], ...]] = (
    (
        (_part(ACTIVE), "active, 27 days"),
        (_part(OVERDUE), "overdue, until day 30"),
        (_part(EXPIRED), "expired, held until day 90"),
        (lambda x, y: style.cross(x + _SIGN / 2, y, ahead=False), "removed"),
        (_part(ACTIVE, ahead=True), "expected, if no renewal comes"),
    ),
    (
        (lambda x, y: style.tick(x + _SIGN / 2, y), "sent by its owner"),
        (lambda x, y: style.down(x, y - 7, _SIGN, 14), "owner or observer down"),
        (lambda x, y: style.cut(x, y - 7, _SIGN, 14), "link of owner or observer cut"),
    ),
)


def legend(left: float, top: float) -> Node:
    """Draw the legend in two lines."""
    shown = []
    for number, entries in enumerate(_ENTRIES):
        x, y = left, top + _LINE / 2 + number * _LINE
        for sign, meaning in entries:
            shown += [sign(x, y), text(meaning, x=x + _SIGN + 6, y=y + _BASE)]
            x += _SIGN + 6 + len(meaning) * _LETTER + _GAP
    return group(shown, fill=style.INK)
