"""The instants that a dump or an answer to DISPLAY shows as a local date and a local time.

Sources: IBM MQ 9.4, DISPLAY QUEUE, QMGR, CLUSQMGR, CHSTATUS, QSTATUS and QMSTATUS: all are local
times of the queue manager.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import Final, TypedDict

from twin.feeds.reading.local_time import latest_instant
from twin.model.instants import Instant, mq_date, mq_time
from twin.model.status_columns import DATED_CELLS


class ObjectDates(TypedDict):
    """The instants of an object; None if they are not shown, or are no time."""

    altered: Instant | None
    created: Instant | None


UNDATED: Final[ObjectDates] = {"altered": None, "created": None}


def dates_shown(shown: Mapping[str, str], zone: tzinfo) -> ObjectDates:
    """Return the instants of an object."""
    altered = instant_shown(shown, "ALTDATE", "ALTTIME", zone)
    return {"altered": altered, "created": instant_shown(shown, "CRDATE", "CRTIME", zone)}


def instant_shown(shown: Mapping[str, str], date: str, time: str, zone: tzinfo) -> Instant | None:
    """Return the instant of two cells; a local time that occurs twice is the later one."""
    day = shown.get(date, "")
    return latest_instant(f"{day} {shown.get(time, '')}", zone) if day else None


def in_utc(cells: Mapping[str, str], zone: tzinfo) -> dict[str, str]:
    """Return the cells of a status with its dates and times in UTC; what is no time stays."""
    said = dict(cells)
    for date, time in DATED_CELLS:
        if (instant := instant_shown(cells, date, time, zone)) is not None and time in cells:
            said |= {date: mq_date(instant), time: mq_time(instant)}
    return said
