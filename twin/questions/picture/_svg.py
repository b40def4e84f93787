"""SVG as text: content and attributes are escaped; equal input gives equal text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final, TypeAlias

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
