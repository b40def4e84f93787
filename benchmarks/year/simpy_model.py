"""The peer: the rules that matter in the year, written for SimPy, with the same events.

It is written as somebody would who knows SimPy and clusters: a process for everything that waits
(an owner that republishes, requests until their check, a held publication until it expires), plain
dicts for the records of each member, and plain calls for what takes no time. It supports only this
workload: every queue manager runs, nothing is altered or deleted, and there are no topics.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import simpy

from benchmarks.year.simpy_state import Key, Member, Publication, Request
from benchmarks.year.workload import CLUSTER, Use
from twin import events
from twin.events import Item
from twin.model.instants import DAY, Instant

RESEND_AFTER: Final = 27 * DAY
CHECK_AFTER: Final = 27 * DAY
LAPSE_AFTER: Final = 30 * DAY
WARN_DAY: Final = 28
EXPIRE_DAY: Final = 30
REMOVE_DAY: Final = 90
KEPT_FOR: Final = 120 * DAY

Process: TypeAlias = Generator[simpy.Event, Any, None]


class Model:
    """The cluster, running in an environment; its events are passed to `emit`, in order."""

    def __init__(
        self,
        members: dict[str, Member],
        begin: Instant,
        emit: Callable[[Instant, events.Event], None],
    ) -> None:
        """Begin at an instant, with members by QMID."""
        self.env = simpy.Environment(initial_time=begin)
        self.members = members
        self.by_name = {member.name: member for member in members.values()}
        self._emit = emit
        self._pending: deque[Callable[[], None]] = deque()
        self._settling = False
        for member in members.values():
            self.env.process(self._resend(member))
            for owner, sequence in member.groups:
                if owner != member.qmid:
                    self.env.process(self._age(member, owner, sequence))

    @property
    def now(self) -> Instant:
        """The present."""
        instant: Instant = self.env.now
        return instant

    def emit(self, event: events.Event) -> None:
        """Pass on an event that happens now."""
        self._emit(self.now, event)

    # Processes that wait for the clock

    def application(self, uses: Sequence[Use], done: Callable[[], None]) -> Process:
        """Open queues as an application does; call `done` after each batch."""
        for use in uses:
            yield self.env.timeout(use.at - self.now)
            for queue in use.queues:
                self.open(self.by_name[use.qmgr], queue)
            done()

    def _resend(self, owner: Member) -> Process:
        while True:
            due = owner.publications[owner.sequence].instant + RESEND_AFTER
            yield self.env.timeout(due - self.now)
            self._publish(owner, tuple(sorted(owner.groups[owner.qmid, owner.sequence])))

    def _check(self, member: Member, made: Instant) -> Process:
        yield self.env.timeout(CHECK_AFTER)
        if asks := _made_at(member, made, used=True):
            self.emit(events.SubscriptionsRenewed(qmgr=member.name, cluster=CLUSTER, asks=asks))
            self._ask(member, asks)
            for full in member.told_first:
                self._send(member, full, asks=asks)
        yield self.env.timeout(LAPSE_AFTER - CHECK_AFTER)
        if asks := _made_at(member, made, used=False):
            self.emit(events.SubscriptionsLapsed(qmgr=member.name, cluster=CLUSTER, asks=asks))
            for ask in asks:
                del member.requests[ask]

    def _age(self, member: Member, owner: str, sequence: int) -> Process:
        published = self.members[owner].publications[sequence].instant
        items = (Item(owner=owner, sequence=sequence),)
        yield self.env.timeout(published + WARN_DAY * DAY - self.now)
        for day in range(WARN_DAY, REMOVE_DAY):
            if (owner, sequence) not in member.groups:
                return
            if day == EXPIRE_DAY:
                expired = events.InformationExpired(qmgr=member.name, cluster=CLUSTER, items=items)
                self.emit(expired)
            self._warn(member, owner, sequence, day)
            yield self.env.timeout(DAY)
        if (owner, sequence) in member.groups:
            removed = events.InformationRemoved(qmgr=member.name, cluster=CLUSTER, items=items)
            self.emit(removed)
            member.drop(owner, sequence)

    # Actions that take no time

    def open(self, member: Member, queue: str) -> None:
        """Open a queue: the first use of a name makes a request for it, a later one keeps it."""
        self.emit(events.QueueOpened(qmgr=member.name, queue=queue, bind="notfixed"))
        request = member.requests.get(("queue", queue))
        if request is None or self.now >= request.made + CHECK_AFTER:
            made = events.SubscriptionMade
            self.emit(made(qmgr=member.name, cluster=CLUSTER, kind="queue", name=queue))
            asks = (("queue", queue),)
            self._ask(member, asks)
            for full in member.told_first:
                self._send(member, full, asks=asks)
        elif not request.used and self.now > request.made:
            request.used = True
            used = events.SubscriptionReferenced
            self.emit(used(qmgr=member.name, cluster=CLUSTER, kind="queue", name=queue))

    def _ask(self, member: Member, asks: Iterable[Key]) -> None:
        alike = any(request.made == self.now for request in member.requests.values())
        for ask in asks:
            member.requests[ask] = Request(self.now)
        if not alike:
            self.env.process(self._check(member, self.now))

    def _publish(self, owner: Member, keys: tuple[Key, ...]) -> None:
        sequence = owner.sequence + 1
        self.emit(
            events.InformationRepublished(
                qmgr=owner.name,
                qmid=owner.qmid,
                cluster=CLUSTER,
                sequence=sequence,
                names=keys,
                was=owner.sequence,
            )
        )
        owner.publications[sequence] = Publication(sequence, self.now, keys)
        for key in keys:
            owner.hold(owner.qmid, sequence, key)
        for old in list(owner.publications.values()):
            if old.instant < self.now - KEPT_FOR:
                del owner.publications[old.sequence]
        self._introduce(owner)
        if owner.full:
            self._spread(owner, [Item(owner=owner.qmid, sequence=sequence)], owner)
            self._settle()

    def _introduce(self, owner: Member) -> None:
        """Send each full repository the publications it lacks; both get them before one reacts."""
        for full in owner.told_first:
            told = owner.told.get(full.qmid, 0)
            items = [
                Item(owner=owner.qmid, sequence=sequence)
                for sequence in owner.publications
                if sequence > told
            ]
            if items:
                self._deliver(owner, full, items)
        self._settle()

    def _send(
        self, sender: Member, target: Member, items: Sequence[Item] = (), asks: Sequence[Key] = ()
    ) -> None:
        self._deliver(sender, target, items, asks)
        self._settle()

    def _settle(self) -> None:
        if self._settling:
            return
        self._settling = True
        while self._pending:
            self._pending.popleft()()
        self._settling = False

    def _deliver(
        self, sender: Member, target: Member, items: Sequence[Item], asks: Sequence[Key] = ()
    ) -> None:
        if target.name not in sender.running:
            sender.running.add(target.name)
            self.emit(
                events.ChannelStatusChanged(
                    qmgr=sender.name, channel=target.channel, status="RUNNING", partner=target.name
                )
            )
        if items:
            self._receive(target, sender, items)
        if asks:
            self._note(target, sender, asks)

    def _receive(self, target: Member, sender: Member, items: Sequence[Item]) -> None:
        fresh = self._news(target, items)
        if not fresh:
            return
        self.emit(
            events.InformationReceived(
                qmgr=target.name, sender=sender.name, cluster=CLUSTER, items=fresh
            )
        )
        for item in fresh:
            if (item.owner, item.sequence) not in target.groups:
                self.env.process(self._age(target, item.owner, item.sequence))
            for key in self._keys(item):
                target.hold(item.owner, item.sequence, key)
            if item.owner == sender.qmid:
                sender.told[target.qmid] = max(item.sequence, sender.told.get(target.qmid, 0))
        self._pending.append(partial(self._react, target, sender, fresh))

    def _react(self, target: Member, sender: Member, fresh: Sequence[Item]) -> None:
        if target.full:
            self._spread(target, fresh, sender)
        elif any(self._tells_of_full(item) for item in fresh):
            self._introduce(target)
            self._ask_anew(target)

    def _tells_of_full(self, item: Item) -> bool:
        owner = self.members[item.owner]
        return owner.full and ("qmgr", owner.channel) in self._keys(item)

    def _ask_anew(self, member: Member) -> None:
        """Send full repositories the requests that they do not have."""
        for full in member.told_first:
            asks = [ask for ask in member.requests if member.qmid not in self._askers(full, ask)]
            if asks:
                self._send(member, full, asks=asks)

    def _spread(self, full: Member, items: Sequence[Item], sender: Member) -> None:
        """Pass new records on: to the other full repository, and to members that asked for them."""
        owners = {item.owner for item in items}
        for other in full.told_first:
            news = self._news(other, items) if other is not sender else ()
            if news and owners != {other.qmid}:
                self._deliver(full, other, news)
        wanted: dict[str, dict[tuple[str, int], list[Key]]] = defaultdict(lambda: defaultdict(list))
        for item in items:
            for key in self._keys(item):
                for qmid in self._interested(full, item.owner, key):
                    if qmid != item.owner and not self.members[qmid].full:
                        wanted[qmid][item.owner, item.sequence].append(key)
        for qmid, found in wanted.items():
            self._tell(full, self.members[qmid], self._with_owners(full, found))

    def _interested(self, full: Member, owner: str, key: Key) -> Iterable[str]:
        """Return who gets a record: for a queue manager's, all who asked for one of its queues."""
        if key[0] == "queue":
            return self._askers(full, key)
        if self.members[owner].full:
            return full.members
        return dict.fromkeys(qmid for each in full.held[owner] for qmid in self._askers(full, each))

    def _askers(self, full: Member, key: Key) -> list[str]:
        latest = self.now - LAPSE_AFTER
        return [qmid for qmid, made in full.askers.get(key, {}).items() if made > latest]

    def _with_owners(self, full: Member, found: dict[tuple[str, int], list[Key]]) -> list[Item]:
        """Return records by publication, each with the record of its owner's queue manager."""
        for (owner, _), keys in list(found.items()):
            route = ("qmgr", self.members[owner].channel)
            if any(kind == "queue" for kind, _ in keys):
                there = found[owner, full.held[owner][route]]
                if route not in there:
                    there.append(route)
        return [
            Item(owner=owner, sequence=sequence, only=tuple(keys))
            for (owner, sequence), keys in found.items()
        ]

    def _tell(self, full: Member, member: Member, items: Sequence[Item]) -> None:
        news = self._news(member, items)
        if news:
            self._deliver(full, member, news)

    def _note(self, full: Member, asker: Member, asks: Sequence[Key]) -> None:
        """Store requests, and answer them with every record that has not expired."""
        made: dict[Instant, list[Key]] = defaultdict(list)
        for ask in asks:
            request = asker.requests[ask]
            if full.askers.get(ask, {}).get(asker.qmid, 0) < request.made:
                made[request.made].append(ask)
        for instant, alike in made.items():
            self.emit(
                events.SubscriptionReceived(
                    qmgr=full.name,
                    subscriber=asker.qmid,
                    cluster=CLUSTER,
                    asks=tuple(alike),
                    made=instant,
                )
            )
            for ask in alike:
                full.askers.setdefault(ask, {})[asker.qmid] = instant
        found: dict[tuple[str, int], list[Key]] = defaultdict(list)
        for ask in asks:
            owners = [owner for owner in full.hosts.get(ask, ()) if self._lives(full, owner, ask)]
            for owner in owners:
                found[owner, full.held[owner][ask]].append(ask)
            for owner in owners:
                route = ("qmgr", self.members[owner].channel)
                there = found[owner, full.held[owner][route]]
                if route not in there:
                    there.append(route)
        items = [
            Item(owner=key[0], sequence=key[1], only=tuple(only)) for key, only in found.items()
        ]
        self._tell(full, asker, items)

    def _lives(self, full: Member, owner: str, key: Key) -> bool:
        published = self.members[owner].publications[full.held[owner][key]].instant
        return self.now < published + EXPIRE_DAY * DAY

    def _keys(self, item: Item) -> tuple[Key, ...]:
        return item.only or self.members[item.owner].publications[item.sequence].keys

    def _news(self, target: Member, items: Iterable[Item]) -> tuple[Item, ...]:
        """Keep items that a member does not hold, or holds from an older publication."""
        news = []
        for item in items:
            if item.owner == target.qmid:
                continue
            held, sequence = target.held.get(item.owner, {}), item.sequence
            fresh = tuple(key for key in self._keys(item) if held.get(key, 0) < sequence)
            if len(fresh) == len(self.members[item.owner].publications[sequence].keys):
                news.append(Item(owner=item.owner, sequence=sequence))
            elif fresh:
                news.append(Item(owner=item.owner, sequence=sequence, only=fresh))
        return tuple(news)

    def _warn(self, member: Member, owner: str, sequence: int, day: int) -> None:
        """Write to the error log that records were not renewed."""
        keys = member.groups[owner, sequence]
        if member.full:
            names = [key for key in keys if key[0] == "qmgr"]
        else:
            wanted = self.members[owner].full or any(
                key in member.requests for key in member.held[owner]
            )
            names = [key for key in keys if key in member.requests or (key[0] == "qmgr" and wanted)]
        if names:
            self.emit(
                events.RenewalOverdue(
                    qmgr=member.name,
                    cluster=CLUSTER,
                    id="AMQ9469" if member.full else "AMQ9456",
                    owner=owner,
                    names=tuple(names),
                    days=day - 27,
                    left=REMOVE_DAY - day,
                )
            )


def _made_at(member: Member, made: Instant, *, used: bool) -> tuple[Key, ...]:
    found = (
        ask
        for ask, request in member.requests.items()
        if request.made == made and request.used == used
    )
    return tuple(sorted(found))
