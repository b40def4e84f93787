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

_COMMON: Final = {"qmgr", "origin"}
"""Fields that the head of the page describes."""

_HEAD: Final = """\
# Events

The events that the log can hold, by family. Fields with a default may be absent from old events.

- Each event names its queue manager in `qmgr`, which is empty if the event belongs to none.
- A primary fact may have an `origin`: `file` (as it was given), `line` and, in a story, `step`; or
  `user` and `address`.
- An observation may have `claimed`: the instant given by `--at`, if it was in the future when the
  observation was recorded.

The log adds the envelope:

- `position` and `branch`; `event_id`; `digest`.
- `occurred_at` and `recorded_at`: microseconds since 1970 UTC.
- `type`: as below. `body`: the fields, as JSON.
- `cause`: of a derived event, the `event_id` of the primary fact from which it follows, or `tick-`
  and an id if only time caused it. Null for a primary fact and for a withdrawal.
- `source`: of a primary fact `command`, `clock`, `observation:FEED` or `retraction`; of any other
  event `rules`, or `rules/2` and so on from version 2 of the rules.

This page is made from the code by `python -m tests.events_page`, and a test compares the two.
"""


def page() -> str:
    """Return the page as it should be."""
    return "\n".join([_HEAD, *_families()])


def _families() -> Iterator[str]:
    by_module = sorted(EVENTS.values(), key=lambda cls: (cls.__module__, cls.__name__))
    for module, members in groupby(by_module, key=lambda cls: cls.__module__):
        yield f"## {module.rsplit('.', maxsplit=1)[-1].replace('_', ' ').capitalize()}\n"
        yield f"{(sys.modules[module].__doc__ or '').strip()}\n"
        yield "| type | what happened | fields |\n|---|---|---|"
        yield from (_row(cls) for cls in members)
        yield ""


def _row(cls: type[Event]) -> str:
    text = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
    own = [_field(field) for field in fields(cls) if field.name not in _COMMON]
    return f"| `{column_of(cls)}` | {text} | {', '.join(own) or '-'} |"


def _field(field: Field[Any]) -> str:
    optional = field.default is not MISSING or field.default_factory is not MISSING
    return f"`{field.name}`{' (optional)' if optional else ''}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
