"""When messages were logged: instants, or local times where no zone is known."""

from __future__ import annotations

from datetime import tzinfo
from typing import NamedTuple

from twin.feeds.errorlog.record import LogRecord
from twin.feeds.reading.local_time import DateOrder, local_to_instant
from twin.model.instants import Instant, format_instant


class TimesLogged(NamedTuple):
    """The first and the last time of a message, each as an instant, as local time, or ''."""

    first: str
    last: str
    last_at: Instant | None


class LogTimes:
    """Writes the times of messages, and notes which are not certain.

    Attributes:
        notes: the notes, each once.
    """

    def __init__(self, zone: tzinfo | None, order: DateOrder | None) -> None:
        """Take the zone of local times, and the order of dates that may be in two."""
        self._zone = zone
        self._order = order
        self.notes: dict[str, None] = {}

    def of(
        self, first: LogRecord, last: LogRecord, earliest: Instant | None, latest: Instant | None
    ) -> TimesLogged:
        """Return the first and the last time of equal messages.

        Args:
            first: the first record as it stands in the log.
            last: the last one, by its instant if it has one.
            earliest: the earliest of their instants.
            latest: the latest of their instants.
        """
        first_shown, first_at = self._shown(first)
        last_shown, last_at = self._shown(last)
        if earliest is not None and latest is not None:
            if first.at is not None or first_at is None:
                first_shown = format_instant(earliest)
            last_shown, last_at = format_instant(latest), latest
        elif first_at is not None and last_at is not None and first_at > last_at:
            first_shown, last_shown, last_at = last_shown, first_shown, first_at
        return TimesLogged(first_shown, last_shown, last_at)

    def _shown(self, record: LogRecord) -> tuple[str, Instant | None]:
        """Return the time of a record as it is shown, and its instant if that is known."""
        if record.at is not None:
            return format_instant(record.at), record.at
        local = record.local
        if local is None:
            return "", None
        if self._zone is not None:
            at = local_to_instant(local, self._zone, self._order)
            if isinstance(at, int):
                return format_instant(at), at
            self.notes[f"{local.written} {at.why}; it stays local"] = None
            return local.written, None
        self.notes["times without Z are local to the queue manager; --tz ZONE converts them"] = None
        order = self._order if self._order in local.orders else None
        orders = local.orders if order is None else (order,)
        moments = {local.moment(each) for each in orders}
        moment = moments.pop() if len(moments) == 1 else None
        return (moment.isoformat() if moment else local.written), None
