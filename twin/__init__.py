"""A digital twin of IBM MQ clusters: what each queue manager believed, and when.

The names below load on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.errors import TwinError
    from twin.model.instants import AsOf, Instant, format_instant, parse_instant
    from twin.questions.answer import Answer

__all__ = ["Answer", "AsOf", "Instant", "Twin", "TwinError", "format_instant", "parse_instant"]

_HOMES: Final = {
    "Answer": "twin.questions.answer",
    "AsOf": "twin.model.instants",
    "Instant": "twin.model.instants",
    "Twin": "twin.app.twin",
    "TwinError": "twin.errors",
    "format_instant": "twin.model.instants",
    "parse_instant": "twin.model.instants",
}


def __getattr__(name: str) -> object:
    """Load a public name from the room it lives in."""
    try:
        home = _HOMES[name]
    except KeyError:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message) from None
    found: object = getattr(import_module(home), name)
    return found


def __dir__() -> list[str]:
    """Name what is public."""
    return sorted(__all__)
