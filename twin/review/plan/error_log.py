"""The section of a plan about error logs: entries that come with the change, or no longer come.

The starts and ends of channels are left out: every change that is published brings some.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from twin.questions import errorlog
from twin.questions.remote_hosts import RemoteHosts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twin.app.rehearsing import Rehearsal
    from twin.model.instants import Instant
    from twin.review.plan.pair import RehearsedPair


class ErrorLogChange(NamedTuple):
    """Entries of one error log that only one of the two rehearsals has.

    Attributes:
        is_new: whether they come with the change; else they no longer come.
        on: the queue manager.
        id: the id of the message, as it writes it.
        text: the first of the entries. The others may differ in numbers, such as days.
        first, last: when the first and the last are written.
        entries: how many there are.
    """

    is_new: bool
    on: str
    id: str
    text: str
    first: Instant
    last: Instant
    entries: int


class _Entry(NamedTuple):
    at: Instant
    text: str


_About: TypeAlias = tuple[str, str, tuple[str, ...]]
"""The queue manager, the id, and the inserts that are no numbers."""


def error_log_changes(pair: RehearsedPair) -> Iterator[ErrorLogChange]:
    """Compare what queue managers write to their error logs: new entries first, by time.

    Entries that differ only in when they are written, or in numbers, are not compared: as many as
    there are more on one side belong to it.
    """
    before, after = (_entries(pair, each) for each in (pair.base, pair.changed))
    for is_new, these, others in ((True, after, before), (False, before, after)):
        changes = list(_more(these, others, is_new=is_new))
        yield from sorted(changes, key=lambda each: (each.first, each.on))


def _more(
    these: Mapping[_About, list[_Entry]],
    others: Mapping[_About, list[_Entry]],
    *,
    is_new: bool,
) -> Iterator[ErrorLogChange]:
    """Yield the entries that one side has more of than the other."""
    for about, entries in these.items():
        known = others.get(about, [])
        count = len(entries) - len(known)
        if count > 0:
            extra = list((Counter(entries) - Counter(known)).elements())[:count]
            on, id_, _ = about
            first, last = extra[0], extra[-1]
            yield ErrorLogChange(is_new, on, id_, first.text, first.at, last.at, count)


def _entries(pair: RehearsedPair, rehearsal: Rehearsal) -> dict[_About, list[_Entry]]:
    """Return the entries of a rehearsal since the change, in the order of time."""
    estate, hosts = rehearsal.estate, RemoteHosts(rehearsal.estate, pair.begin.estate)
    found: dict[_About, list[_Entry]] = defaultdict(list)
    for at, event in rehearsal.decided[pair.first :]:
        for message in errorlog.named_messages(hosts, at, event):
            id_, text = errorlog.shown(estate, event.qmgr, message, at)
            names = tuple(each for each in message.inserts if not each.isdecimal())
            found[event.qmgr, id_, names].append(_Entry(at, text))
    return found
