"""Colours, shapes and the legend: states differ in both, and the colours suit colour-blind readers.

The colours are from the palette of Okabe and Ito. The past is drawn full, the future pale.

SVG as text: content and attributes are escaped; equal input gives equal text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from types import MappingProxyType
from typing import Final, TypeAlias

from twin.model.basis import Basis
from twin.questions.belief import ACTIVE, EXPIRED, OVERDUE

SvgNode: TypeAlias = str
"""An element as text."""

Attributes: TypeAlias = dict[str, str | float]
"""Attributes of an element; in their names `_` stands for `-`."""

_TENTH: Final = 10


def element(tag: str, *content: SvgNode, **attributes: str | float) -> SvgNode:
    """Write an element; in the names of attributes `_` stands for `-`."""
    shown = "".join(
        f' {name.replace("_", "-")}="{_value(value)}"' for name, value in attributes.items()
    )
    return f"<{tag}{shown}>{''.join(content)}</{tag}>" if content else f"<{tag}{shown}/>"


def text(content: str, **attributes: str | float) -> SvgNode:
    """Write a text element: it can be selected and searched."""
    return element("text", cleaned(content), **attributes)


def title(content: str) -> SvgNode:
    """Write the tooltip of the enclosing element."""
    return element("title", cleaned(content))


def group(content: Iterable[SvgNode], **attributes: str | float) -> SvgNode:
    """Write elements as a group, one on each line; return '' if there are none."""
    inner = "\n".join(content)
    return element("g", f"\n{inner}\n", **attributes) if inner else ""


def cleaned(content: str) -> str:
    """Escape a text, and leave out characters that XML does not allow."""
    return escape("".join(char for char in content if char in "\t\n" or _allowed(char)))


def _allowed(char: str) -> bool:
    return " " <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd" or char >= "\U00010000"


def _value(value: str | float) -> str:
    """Write a number with one decimal at most, anything else as it is."""
    if isinstance(value, str):
        return cleaned(value)
    tenths = round(value * _TENTH)
    return str(tenths / _TENTH) if tenths % _TENTH else str(tenths // _TENTH)


SANS: Final = "Helvetica, Arial, 'Liberation Sans', sans-serif"
MONO: Final = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
MONO_WIDTH: Final = 6.7
"""The width of a letter of a label, in pixels."""
SANS_SIZE: Final = 12
MONO_SIZE: Final = 11
NOW: Final = "#b3002d"

INK: Final = "#1a1a1a"
SOFT: Final = "#5c6470"
GRID: Final = "#e4e7eb"
GRID_OF_MONTH: Final = "#b9c0ca"
PAPER: Final = "#ffffff"
BAND: Final = "#f5f6f8"

ROW: Final = 20
BAR: Final = 10
HEADING: Final = 24

LEGEND_HEIGHT: Final = 58

_LEGEND_LINE: Final = 18
_SIGN: Final = 22
_GAP: Final = 18
_LETTER: Final = 6.2
_BASE: Final = 4

AHEAD: Final = 0.35
"""The opacity of the future."""

_DOWN: Final = "twin-down"
_CUT: Final = "twin-cut"

_FILLS: Final[Mapping[str, Attributes]] = MappingProxyType(
    {
        ACTIVE: {"fill": "#0072b2", "stroke": "#0072b2"},
        OVERDUE: {"fill": "#e69f00", "stroke": "#8a5f00"},
        EXPIRED: {"fill": "#ffffff", "stroke": "#a8327e"},
    }
)


def piece(
    state: str,
    x: float,
    y: float,
    width: float,
    *,
    ahead: bool,
    basis: Basis = Basis.DERIVED,
) -> SvgNode:
    """Draw a part of a bar: active full, overdue full with a border, expired hollow.

    If its dates were observed, it has a strong frame; if they are assumed, it is thin and has a
    dashed one.
    """
    box: Attributes = {"x": x + 0.5, "y": y, "width": max(width - 1, 0.5), "height": BAR}
    box |= _FILLS[state]
    if basis is Basis.OBSERVED:
        box |= {"stroke": INK, "stroke_width": 2}
    if basis is Basis.ASSUMED:
        box |= {"y": y + BAR / 4, "height": BAR / 2, "stroke_dasharray": "3 2"}
    return element("rect", **box, **_pale(ahead=ahead))


def letter(basis: Basis) -> str:
    """Return the letter of a basis: O, D or A."""
    return basis.value[0].upper()


def cross(x: float, y: float, *, ahead: bool) -> SvgNode:
    """Draw the removal of a record, in the middle of its row."""
    arm = 4
    path = f"M{x - arm:.1f} {y - arm:.1f}l{2 * arm} {2 * arm}m0 {-2 * arm}l{-2 * arm} {2 * arm}"
    ink: Attributes = {"stroke": INK, "stroke_width": 1.8}
    return element("path", d=path, fill="none", **ink, **_pale(ahead=ahead))


def _pale(*, ahead: bool) -> Attributes:
    return {"opacity": AHEAD} if ahead else {}


def tick(x: float, y: float) -> SvgNode:
    """Draw a publication, around the middle of its row."""
    reach = BAR / 2 + 3
    return element(
        "path", d=f"M{x:.1f} {y - reach:.1f}v{2 * reach:.1f}", stroke=INK, stroke_width=2
    )


def down(x: float, y: float, width: float, height: float, *content: SvgNode) -> SvgNode:
    """Draw a time in which a queue manager was down."""
    return _hatched(_DOWN, x, y, width, height, *content)


def cut(x: float, y: float, width: float, height: float, *content: SvgNode) -> SvgNode:
    """Draw a time in which a link was cut."""
    return _hatched(_CUT, x, y, width, height, *content)


def _hatched(
    pattern: str, x: float, y: float, width: float, height: float, *content: SvgNode
) -> SvgNode:
    box = {"x": x, "y": y, "width": width, "height": height}
    return element("rect", *content, **box, fill=f"url(#{pattern})")


def patterns() -> SvgNode:
    """Define the hatchings: grey rising for a queue manager, red falling for a link."""
    rising = element("path", d="M-1 1l2 -2M0 6l6 -6M5 7l2 -2", stroke="#7a828e", stroke_width=1)
    falling = element("path", d="M-1 5l2 2M0 0l6 6M5 -1l2 2", stroke="#d55e00", stroke_width=1)
    tile: Attributes = {"width": 6, "height": 6, "patternUnits": "userSpaceOnUse"}
    return element(
        "defs",
        element("pattern", rising, id=_DOWN, **tile),
        element("pattern", falling, id=_CUT, **tile),
    )


def _part(
    state: str, *, ahead: bool = False, basis: Basis = Basis.DERIVED
) -> Callable[[float, float], SvgNode]:
    return lambda x, y: piece(state, x, y - BAR / 2, _SIGN, ahead=ahead, basis=basis)


_ENTRIES: Final[tuple[tuple[tuple[Callable[[float, float], SvgNode], str], ...], ...]] = (
    (
        (_part(ACTIVE), "active, 27 days"),
        (_part(OVERDUE), "overdue, until day 30"),
        (_part(EXPIRED), "expired, held until day 90"),
        (lambda x, y: cross(x + _SIGN / 2, y, ahead=False), "removed"),
        (_part(ACTIVE, ahead=True), "expected, unless republished"),
    ),
    (
        (lambda x, y: tick(x + _SIGN / 2, y), "sent by its owner"),
        (lambda x, y: down(x, y - 7, _SIGN, 14), "owner or observer down"),
        (lambda x, y: cut(x, y - 7, _SIGN, 14), "link of owner or observer cut"),
    ),
    (
        (_part(ACTIVE, basis=Basis.OBSERVED), "O: the dates were observed"),
        (_part(ACTIVE), "D: derived by the rules"),
        (_part(ACTIVE, basis=Basis.ASSUMED), "A: assumed"),
    ),
)


def legend(left: float, top: float) -> SvgNode:
    """Draw the legend in three lines: states, what happened, and what the dates rest on."""
    shown = []
    for number, entries in enumerate(_ENTRIES):
        x, y = left, top + _LEGEND_LINE / 2 + number * _LEGEND_LINE
        for sign, meaning in entries:
            shown += [sign(x, y), text(meaning, x=x + _SIGN + 6, y=y + _BASE)]
            x += _SIGN + 6 + len(meaning) * _LETTER + _GAP
    return group(shown, fill=INK)
