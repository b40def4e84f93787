"""When an object was created and last altered, as a dump or an answer to DISPLAY shows it.

Source: IBM MQ 9.4, DISPLAY QUEUE and DISPLAY QMGR: CRDATE, CRTIME, ALTDATE and ALTTIME are local
times of the queue manager.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import Final, TypedDict

from twin.feeds.reading.local_time import latest_instant
from twin.model.instants import Instant


class ObjectDates(TypedDict):
    """The instants of an object; None if they are not shown, or are no time."""

    altered: Instant | None
    created: Instant | None


UNDATED: Final[ObjectDates] = {"altered": None, "created": None}


def dates_shown(shown: Mapping[str, str], zone: tzinfo) -> ObjectDates:
    """Return the instants of an object; a local time that occurs twice is the later one."""
    return {"altered": _instant(shown, "ALT", zone), "created": _instant(shown, "CR", zone)}


def _instant(shown: Mapping[str, str], prefix: str, zone: tzinfo) -> Instant | None:
    date = shown.get(f"{prefix}DATE", "")
    return latest_instant(f"{date} {shown.get(f'{prefix}TIME', '')}", zone) if date else None
