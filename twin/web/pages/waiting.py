"""Messages that wait, by channel: what for, whether they may be moved, and when a pass looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from twin.history.report.units import duration
from twin.model.instants import SECOND, Instant
from twin.questions.answer import Answer, Row
from twin.questions.doctor.diagnosis import unseen_depths
from twin.questions.waiting import words_of
from twin.web.pages.parameters import CHANNEL, QUEUE_MANAGER, TEXT
from twin.web.pages.rendering import UNKNOWN, rows_of
from twin.web.pages.view import PageContent, PageReading, PageTable, PageView

_OWN: Final = {"on": QUEUE_MANAGER, "queue": TEXT, "channel": CHANNEL}
_SYSTEM: Final = "system"
"""Why repository commands are not eligible, in the question `transmission`."""


class PassClock(NamedTuple):
    """The time between two passes over the messages of a channel.

    Attributes:
        last: the pass before; None if none is known.
        next: the next one.
        remains: how long until then, in words.
        part: how much of the time between them has passed, from 0 to 1.
    """

    last: Instant | None
    next: Instant
    remains: str
    part: float


class WaitingChannel(NamedTuple):
    """The messages at one queue manager that wait for one channel.

    Attributes:
        on: the queue manager where they wait.
        channel: the channel.
        status: its status.
        waits_for: what they wait for; '' if it sends them now.
        rows: the rows of the question `waiting`.
        messages: how many messages wait.
        eligible: how many of them may be moved.
        unknown: of how many nobody knows whether they may.
        commands: how many repository commands wait too.
        clock: the time to the next pass; None if none is known.
    """

    on: str
    channel: str
    status: str
    waits_for: str
    rows: Sequence[Row]
    messages: int
    eligible: int
    unknown: int
    commands: int
    clock: PassClock | None


def show(reading: PageReading) -> PageContent:
    """Show the messages that wait."""
    place = reading.place
    on, queue, channel = map(place.own.get, _OWN)
    waiting = reading.ask("waiting", on=on, queue=queue, channel=channel)
    sent = reading.ask("transmission", on=on, queue=queue, channel=channel)
    passes = reading.ask("passes", on=on, channel=channel)
    channels = list(_channels(waiting, sent, passes, reading.at.valid))
    unseen: frozenset[str] = reading.look(unseen_depths)
    filters = {"on": on, "queue": queue, "channel": channel}
    narrowed = {"on": on, "channel": channel}
    return PageContent(
        title="Waiting messages",
        values={
            "channels": channels,
            "total": sum(each.messages for each in channels),
            "eligible": sum(each.eligible for each in channels),
            "commands_alone": list(_commands_alone(sent, channels)),
            "passes": [row for row in passes.rows if row["moved"] is not None][-_PASSES:],
            "waiting": waiting,
            "unseen": sorted(unseen if on is None else unseen & {on}),
            "filters": filters,
            "words": words_of,
        },
        tables=tuple(map(PageTable.of, (waiting, sent, passes))),
        commands=(
            place.command("ask", "waiting", **filters),
            place.command("ask", "transmission", **filters),
            place.command("ask", "passes", **narrowed),
        ),
    )


_PASSES: Final = 5
"""How many passes are shown."""


def _channels(
    waiting: Answer, sent: Answer, passes: Answer, now: Instant
) -> Iterator[WaitingChannel]:
    def key(row: Row) -> tuple[str, str]:
        return str(row["on"]), str(row["channel"] or UNKNOWN)

    commands = _commands(sent)
    for (on, channel), group in groupby(sorted(rows_of(waiting), key=key), key=key):
        rows = list(group)
        of_channel = [row for row in passes.rows if key(row) == (on, channel)]
        yield WaitingChannel(
            on,
            channel,
            str(rows[0]["status"] or UNKNOWN),
            str(rows[0]["waits_for"] or ""),
            rows,
            _count(rows),
            _count([row for row in rows if row["why"] is None]),
            _count([row for row in rows if row["why"] == UNKNOWN]),
            commands.pop((on, channel), 0),
            _clock(of_channel, [row["next_pass"] for row in rows], now),
        )


def _count(rows: Sequence[Row]) -> int:
    return sum(row["count"] for row in rows if isinstance(row["count"], int))


def _commands(sent: Answer) -> dict[tuple[str, str], int]:
    """Return how many repository commands wait for each channel."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows_of(sent):
        if row["why"] == _SYSTEM and isinstance(row["count"], int):
            key = (str(row["on"]), str(row["channel"]))
            counts[key] = counts.get(key, 0) + row["count"]
    return counts


def _commands_alone(sent: Answer, channels: Sequence[WaitingChannel]) -> Iterator[Any]:
    """Yield the channels for which only repository commands wait, and how many."""
    shown = {(each.on, each.channel) for each in channels}
    for (on, channel), count in _commands(sent).items():
        if (on, channel) not in shown:
            rows = (r for r in rows_of(sent) if (r["on"], r["channel"]) == (on, channel))
            yield on, channel, count, next(rows)


def _clock(passes: Sequence[Row], nexts: Sequence[Any], now: Instant) -> PassClock | None:
    planned = [row["at"] for row in passes if row["moved"] is None]
    coming = [at for at in (*planned, *nexts) if isinstance(at, int) and at > now]
    if not coming:
        return None
    following = min(coming)
    before = [row["at"] for row in passes if isinstance(row["at"], int) and row["at"] <= now]
    last = max(before, default=None)
    part = 0.0 if last is None else (now - last) / max(following - last, 1)
    remains = duration(max(following - now, 0) / SECOND)
    return PassClock(last, following, remains, min(max(part, 0.0), 1.0))


WAITING: Final = PageView(name="waiting", title="Waiting", show=show, own=_OWN, typed=("on",))
