"""The dates before the attributes of headers."""

from __future__ import annotations

from typing import Final

from twin.feeds.reading.local_time import LONGEST_DATE, LocalTime, read_local_time

MARK: Final = " - Process("
"""What stands between the date and the attributes of a header."""

_SIXTY: Final = {f"{number:02}": number for number in range(60)}
_MOST_DATES: Final = 1024


class Dates:
    """The dates that stand before marks; most headers of a file have one in the same hour."""

    def __init__(self) -> None:
        """Begin with no date read."""
        self._known: dict[str, tuple[int, LocalTime] | None] = {}
        self._hours: dict[str, LocalTime] = {}

    def before(self, block: str, begin: int, mark: int) -> tuple[int, LocalTime] | None:
        """Return where the date before a mark starts, and the date; None if there is none."""
        line_start = block.rfind("\n", begin, mark) + 1 or begin
        window = block[max(line_start, mark - LONGEST_DATE) : mark]
        if window in self._known:
            found = self._known[window]
        else:
            if len(self._known) > _MOST_DATES:
                self._known.clear()
                self._hours.clear()
            found = self._known[window] = self._read(window)
        return found and (mark - len(window) + found[0], found[1])

    def at_start(self, window: str) -> LocalTime | None:
        """Return the date that fills all of a text before a mark; None if none does."""
        if not window or len(window) > LONGEST_DATE or "\n" in window:
            return None
        found = self._known.get(window) or self.before(window, 0, len(window))
        return found[1] if found and not found[0] else None

    def _read(self, window: str) -> tuple[int, LocalTime] | None:
        """Read a date; of one in a known hour only the minute and the second."""
        colon = window.find(":")
        minute = _SIXTY.get(window[colon + 1 : colon + 3])
        second = _SIXTY.get(window[colon + 4 : colon + 6])
        if minute is None or second is None or window[colon + 3] != ":":
            return read_local_time(window) or _other_date(window)
        around = f"{window[: colon + 1]}{window[colon + 6 :]}"
        hour = self._hours.get(around)
        if hour is not None:
            _, year, numbers, hours, _, _, orders = hour
            written = (window, year, numbers, hours, minute, second, orders)
            return 0, tuple.__new__(LocalTime, written)
        found = read_local_time(window) or _other_date(window)
        if found is not None and found[1].orders and found[1].written == window:
            self._hours[around] = found[1]
        return found


def _other_date(window: str) -> tuple[int, LocalTime] | None:
    """Return a date in a form that is not known: a line that begins with a digit has one."""
    written = window.strip()
    if len(window) < LONGEST_DATE and written[:1].isdigit():
        return 0, LocalTime(written, 0, (0, 0), 0, 0, 0, ())
    return None
