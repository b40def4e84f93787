"""Writes docs/events.md from the event classes: `python -m tests.events_page`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from twin.events import Event
from twin.events.catalogue import EVENTS, column_of

PAGE: Final = Path(__file__).parents[1] / "docs" / "events.md"

_HEAD: Final = """\
# Events

What can happen, by family. Each event names its queue manager in `qmgr`; the log adds the envelope:
`position`, `branch`, `occurred_at`, `recorded_at` (microseconds since 1970 UTC), `type` (below),
`cause` (the `event_id` of the primary fact an event was derived from, null for a primary fact),
`source` (`command`, `observation:FEED` or `rules`), `event_id`, `body` (the fields, as JSON) and
`digest`. Fields with a default may be absent from old events. This page is made from the code by
`python -m tests.events_page`, and a test compares the two.
"""


def page() -> str:
    """Return the page as the code would have it."""
    return "\n".join([_HEAD, *_families()])


def _families() -> Iterator[str]:
    by_home = sorted(EVENTS.values(), key=lambda cls: cls.__module__)
    for home, members in groupby(by_home, key=lambda cls: cls.__module__):
        yield f"## {home.rsplit('.', maxsplit=1)[-1].replace('_', ' ').capitalize()}\n"
        yield f"{sys.modules[home].__doc__}\n"
        yield "| type | what happened | fields |\n|---|---|---|"
        yield from (_row(cls) for cls in members)
        yield ""


def _row(cls: type[Event]) -> str:
    text = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
    own = [_field(each) for each in fields(cls) if each.name != "qmgr"]
    return f"| `{column_of(cls)}` | {text} | {', '.join(own) or '-'} |"


def _field(field: Field[Any]) -> str:
    optional = field.default is not MISSING or field.default_factory is not MISSING
    return f"`{field.name}`{' (optional)' if optional else ''}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
