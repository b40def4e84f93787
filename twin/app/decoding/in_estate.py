"""What the twin knows of the names in a message: whether they are in use, and their dates.

What the twin says about names, as of one point. Each question is asked once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import starmap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from twin.events.logged import OVERDUE, OVERDUE_OBJECTS
from twin.feeds.errorlog.decoding import DecodedMessage
from twin.feeds.errorlog.naming import owner_of
from twin.model.amounts import counted, whole_number
from twin.model.instants import AsOf, Instant, format_instant
from twin.model.names import is_later_qmid, legal_name

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.questions.answer import Row, RowValue


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A row of an answer, and the positions of the events that it rests on."""

    row: Row
    evidence: tuple[int, ...]

    def __getitem__(self, column: str) -> RowValue:
        """Return the value of a column."""
        return self.row[column]


class Lookup:
    """Asks `Twin` about names: questions, and DISPLAY commands for definitions.

    Attributes:
        point: the point that everything is asked about.
    """

    def __init__(self, twin: Twin, *, as_of: Instant | None, known_at: Instant | None) -> None:
        """Fix the point: `as_of`, or now, with what the log knew at `known_at`, or now."""
        self._twin = twin
        self.point: AsOf = twin.as_of(valid=as_of, known=known_at)
        self._displayed: dict[tuple[str, str], Row | None] = {}
        self._lifetimes: dict[str, tuple[KnownRow, ...]] = {}

    def ask(self, question: str, /, **filters: str) -> tuple[KnownRow, ...]:
        """Return the rows of an answer."""
        valid, known = self.point.valid, self.point.known
        answer = self._twin.ask(question, filters, as_of=valid, known_at=known)
        return tuple(starmap(KnownRow, zip(answer.rows, answer.evidence, strict=True)))

    def displayed(self, qmgr: str, kind: str, name: str) -> Row | None:
        """Return what DISPLAY shows of an object at a queue manager; None if there is none.

        `kind` is QUEUE or CHANNEL. A name that MQ does not allow has no object.
        """
        if not legal_name(name):
            return None
        command = f"DISPLAY {kind}('{name}') ALL"
        if (qmgr, command) not in self._displayed:
            session = self._twin.runmqsc(
                qmgr, command, as_of=self.point.valid, known_at=self.point.known
            )
            self._displayed[qmgr, command] = next(iter(session.displayed), None)
        return self._displayed[qmgr, command]

    def lifetimes(self, owner: str) -> tuple[KnownRow, ...]:
        """Return the records of an owner that queue managers hold."""
        if owner not in self._lifetimes:
            self._lifetimes[owner] = self.ask("lifetimes", owner=owner)
        return self._lifetimes[owner]

    @cached_property
    def qmgrs(self) -> dict[str, KnownRow]:
        """The queue managers; the column `running` tells whether they run."""

        def look() -> dict[str, KnownRow]:
            estate, _ = self._twin.view(as_of=self.point.valid, known_at=self.point.known)
            return {
                qmgr.name: KnownRow(
                    {"running": qmgr.running, "qmid": None if qmgr.made_qmid else qmgr.qmid},
                    (qmgr.position,),
                )
                for qmgr in estate.qmgrs.values()
            }

        return self._twin.soundly(look)

    @cached_property
    def members(self) -> tuple[KnownRow, ...]:
        """The members of all clusters."""
        return self.ask("members")

    @cached_property
    def channels(self) -> tuple[KnownRow, ...]:
        """The cluster channels of all queue managers."""
        return self.ask("channels")

    @cached_property
    def waiting(self) -> tuple[KnownRow, ...]:
        """The messages on transmission queues."""
        return self.ask("transmission")

    @cached_property
    def names(self) -> dict[str, frozenset[str]]:
        """The known names by role: qmid, cluster, channel."""
        return {
            "qmid": frozenset(str(row["qmid"]) for row in self.members),
            "cluster": frozenset(str(row["cluster"]) for row in self.members),
            "channel": frozenset(str(row["channel"]) for row in self.channels),
        }


YES: Final = "yes"
NO: Final = "no"
UNKNOWN: Final = "unknown"

_MOST: Final = 3
"""The most channels or queue managers that are named one by one."""


class InEstate(NamedTuple):
    """What the twin knows of the names in a message.

    Attributes:
        names: what the message names, by role; the twin knows more of them than its form tells.
        in_use: yes, no, or unknown.
        owner: the queue manager that the object belongs to; '' if it is unknown.
        removal: for a record that was not renewed: when it is removed.
        days_left: for such a record: the days until then.
        sentences: what the twin knows, in words.
        evidence: the positions of the events that the sentences rest on.
    """

    names: Mapping[str, str]
    in_use: str
    owner: str
    removal: Instant | None
    days_left: int | None
    sentences: tuple[str, ...]
    evidence: tuple[int, ...]


@dataclass(slots=True)
class _Search:
    """The search for the names of one message, and what it found."""

    lookup: Lookup
    message: DecodedMessage
    names: Mapping[str, str]
    on: str
    owner: str
    removal: Instant | None = None
    days_left: int | None = None
    uses: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    evidence: set[int] = field(default_factory=set)

    def say(self, sentence: str, *rows: KnownRow) -> None:
        """Add a sentence, and the evidence of the rows that it rests on."""
        self.sentences.append(sentence)
        for row in rows:
            self.evidence.update(row.evidence)

    def here(self, rows: Iterable[KnownRow], **values: str) -> list[KnownRow]:
        """Return the rows with these values, at the queue manager of the message if known."""
        return [
            row
            for row in rows
            if self.on in {"", str(row["on"])}
            and all(row[key] == value for key, value in values.items())
        ]


def in_estate(lookup: Lookup, message: DecodedMessage) -> InEstate:
    """Return what the twin knows of the names in a message."""
    names = _roles(lookup, message)
    on = message.on if message.on in lookup.qmgrs else ""
    owner = owner_of(names.get("qmid", ""))
    search = _Search(lookup, message, names, on, owner)
    for role, find in _FINDERS.items():
        if role in names:
            find(search, names[role])
    if message.key in OVERDUE and search.owner:
        _find_lifetime(search)
    if on and not search.uses:
        runs = lookup.qmgrs[on]
        search.say(_running(on, runs), runs)
        search.uses.append(YES if runs["running"] else NO)
    if message.on and not on:
        search.say(f"{message.on} is not in the twin")
    return InEstate(
        names,
        search.uses[0] if search.uses else UNKNOWN,
        search.owner,
        search.removal,
        search.days_left,
        tuple(search.sentences),
        tuple(sorted(search.evidence)),
    )


def _roles(lookup: Lookup, message: DecodedMessage) -> Mapping[str, str]:
    """Return what a message names, by role: where its form does not tell, known names do."""
    names = dict(message.names)
    if message.key in OVERDUE or not names:
        for role, known in lookup.names.items():
            found = next((each for each in message.others if each in known), "")
            if found:
                names.setdefault(role, found)
    if message.key in OVERDUE_OBJECTS and "qmid" in names:
        rows = lookup.lifetimes(owner_of(names["qmid"]))
        queues = {row["name"] for row in rows if row["kind"] == "queue"}
        queue = next((each for each in message.others if each in queues), "")
        names |= {"queue": queue} if queue else {}
    return names


def _find_member(search: _Search, qmid: str) -> None:
    """Say whether the queue manager of a QMID is a member of a cluster."""
    lookup = search.lookup
    rows = [row for row in lookup.members if row["qmid"] == qmid]
    if rows:
        name = search.owner = str(rows[0]["qmgr"])
        for row in rows[:_MOST]:
            kind = "a full repository" if row["qmtype"] == "REPOS" else "a member"
            suspended = ", suspended" if row["suspend"] == "YES" else ""
            search.say(f"{name} is {kind} of {row['cluster']}{suspended}", row)
        others = sorted(
            {str(row["qmid"]) for row in lookup.members if row["qmgr"] == name} - {qmid}
        )
        if others:
            search.say(f"this is about QMID {qmid}; {name} is also the name of {_listed(others)}")
        if name in lookup.qmgrs and lookup.qmgrs[name]["qmid"] in {None, qmid}:
            search.say(_running(name, lookup.qmgrs[name]), lookup.qmgrs[name])
        search.uses.append(YES)
        return
    name = search.owner
    now = [row for row in lookup.members if row["qmgr"] == name]
    if now:
        known = sorted({str(row["qmid"]) for row in now})
        rebuilt = all(is_later_qmid(each, qmid) for each in known)
        why = (
            "it was rebuilt, and this is about the old one" if rebuilt else "this is about another"
        )
        search.say(f"{name} has the QMID {_listed(known)} now: {why}", *now)
    elif name in lookup.qmgrs:
        search.say(f"{name} is in the twin, but a member of no cluster")
    else:
        search.say(f"{name or qmid} is not in the twin")
    search.uses.append(NO if now or name in lookup.qmgrs else UNKNOWN)


def _find_channel(search: _Search, name: str) -> None:
    """Say what the status of a cluster channel is, and what waits for it."""
    lookup = search.lookup
    rows = search.here(lookup.channels, channel=name)
    if not rows:
        _find_other_channel(search, name)
        return
    rows.sort(key=lambda row: row["status"] == "INACTIVE")
    for row in rows[:_MOST]:
        since = f" since {_shown(row['since'])}" if row["since"] else ""
        retry = f", next retry {_shown(row['next_retry'])}" if row["next_retry"] else ""
        reason = f" ({row['reason']})" if row["reason"] else ""
        status = row["status"] or "in a status that nobody saw"
        search.say(f"{name} at {row['on']} is {status}{since}{reason}{retry}", row)
    if len(rows) > _MOST:
        search.say(f"{name} is known at {counted(len(rows) - _MOST, 'more queue manager')}")
    parcels = search.here(lookup.waiting, channel=name)
    waiting = sum(_number(row["count"]) for row in parcels)
    if waiting:
        search.say(f"{counted(waiting, 'message')} wait for {name}", *parcels)
    if not search.owner:
        partners = {str(row["partner"]) for row in lookup.ask("heartbeats", channel=name)}
        search.owner = partners.pop() if len(partners) == 1 else ""
    used = waiting or any(row["since"] or row["status"] not in {None, "INACTIVE"} for row in rows)
    search.uses.append(YES if used else NO)


def _find_other_channel(search: _Search, name: str) -> None:
    """Say what a channel is that is no channel of a cluster."""
    if not search.on:
        search.say(f"no cluster channel of the twin is named {name}")
        return
    row = search.lookup.displayed(search.on, "CHANNEL", name)
    if row is None:
        search.say(f"{search.on} has no channel {name}")
        search.uses.append(NO)
    else:
        search.say(f"{search.on} defines {name} as {row['chltype']}, in no cluster")
        search.uses.append(UNKNOWN)


def _find_queue(search: _Search, name: str) -> None:
    """Say where a queue is, and whether anybody uses it."""
    lookup, on = search.lookup, search.on
    own = lookup.displayed(on, "QUEUE", name) if on else None
    depth = _number(own.get("curdepth")) if own else 0
    if own:
        holds = f", with {counted(depth, 'message')}" if "curdepth" in own else ""
        search.say(f"{on} defines {name} as {own['type']}{holds}")
    beliefs = [row for row in lookup.ask("beliefs", name=name) if row["kind"] == "queue"]
    hosts = sorted({str(row["owner"]) for row in beliefs})
    if hosts:
        search.say(f"{name} is a cluster queue of {_listed(hosts)}", *beliefs)
    if not search.owner:
        search.owner = hosts[0] if len(hosts) == 1 else on if own else ""
    used = [row for row in lookup.ask("subscriptions", name=name) if row["referenced"]]
    for row in used[:_MOST]:
        search.say(f"{row['observer']} used it at {_shown(row['referenced'])}", row)
    if used or depth or any(name in {row["queue"], row["xmitq"]} for row in lookup.waiting):
        search.uses.append(YES)
    elif own or hosts:
        search.uses.append(NO)
    elif on:
        search.say(f"{on} knows no queue {name}")
        search.uses.append(NO)


def _find_cluster(search: _Search, name: str) -> None:
    """Say who is in a cluster."""
    rows = [row for row in search.lookup.members if row["cluster"] == name]
    if not rows:
        search.say(f"no cluster of the twin is named {name}")
        return
    full = [str(row["qmgr"]) for row in rows if row["qmtype"] == "REPOS"]
    repositories = f"full repositories: {_listed(full)}" if full else "no full repository"
    search.say(f"{name} has {counted(len(rows), 'member')}; {repositories}", *rows)
    search.uses.append(YES)


def _find_lifetime(search: _Search) -> None:
    """Say until when the record lives that a warning is about, if the twin holds it."""
    names = search.names
    rows = [
        row
        for row in search.lookup.lifetimes(search.owner)
        if row["kind"] == ("queue" if "queue" in names else "qmgr")
        and names.get("queue") in {None, row["name"]}
        and names.get("cluster") in {None, row["cluster"]}
        and names.get("qmid") in {None, row["qmid"]}
        and row["observer"] != search.owner
    ]
    rows = [row for row in rows if row["observer"] == search.message.on] or rows
    if not rows:
        if search.owner in search.lookup.qmgrs:
            search.say("no queue manager of the twin holds the record")
        return
    row = min(rows, key=lambda each: _number(each["removal"]))
    published = _number(row["published"])
    search.removal, search.days_left = _number(row["removal"]), _number(row["days_to_removal"])
    at = search.message.span.last_at
    if at is not None and published > at:
        said = f"{search.owner} renewed it at {_shown(published)}, after the message: it is over"
    else:
        said = (
            f"{row['observer']} holds the record: {row['state']}, published {_shown(published)}, "
            f"removed {_shown(search.removal)}"
        )
    search.say(said, row)


_FINDERS: Final[Mapping[str, Callable[[_Search, str], None]]] = MappingProxyType(
    {
        "qmid": _find_member,
        "queue": _find_queue,
        "object": _find_queue,
        "channel": _find_channel,
        "cluster": _find_cluster,
    }
)
"""Role -> what looks its name up. The first that knows decides whether it is in use."""


def _running(name: str, row: KnownRow) -> str:
    return f"{name} {'runs' if row['running'] else 'has ended'}"


def _shown(value: Any) -> str:
    return format_instant(value) if isinstance(value, int) else str(value)


def _number(value: Any) -> int:
    return whole_number(str(value or 0)) or 0


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(names[:_MOST]) + (f" and {more} more" if more > 0 else "")
