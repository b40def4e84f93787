"""What an observed partial repository is assumed to know while nothing shows what it holds.

A dump says what is defined at a queue manager, not what its applications opened. In a real cluster
they have opened what is defined there for them: its aliases and remote definitions. So the queue
manager subscribed to the names that these lead to, and knows what the full repositories hold of
them. The full repositories answer an assumed subscription as they answer any other.

These names are assumed:

- the targets of aliases, and the queue managers of remote definitions, as MQOPEN looks them up;
- the destinations of subscriptions (DEST), and streaming queues (STREAMQ): the queue manager itself
  puts there;
- clustered queues with CLWLUSEQ(ANY): whoever puts to them here chooses among all instances. Other
  local clustered queues are not assumed: their messages are put here, or come from elsewhere.

Commands change nothing in what is assumed, only observations do: on a branch, everything is
simulated. A complete answer to DISPLAY QCLUSTER ends what it denies: names that it lacks, though
full repositories had them. What it shows was asked for: that request is no assumption, only that it
is renewed is one.

Sources: design decision 42; IBM MQ 7.5, "MQOPEN and clusters"; IBM MQ 9.4, "How long do the queue
manager repositories retain information?" (a partial repository holds the queues that it asked for,
and is told of changes; one that leaves a cluster keeps what it knew).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from twin.events import AssumptionEnded, AssumptionSet
from twin.fold.beliefs import Belief, Names, RecordName
from twin.fold.estate import NEVER_CONFIRMED, Assumption, Estate, QueueManager
from twin.model.attributes import Value
from twin.model.instants import Instant
from twin.model.objects import Definition, text_of
from twin.rules import membership, reachability
from twin.rules.channels import stopping
from twin.rules.draft import Draft
from twin.rules.messages.destinations import Resolver
from twin.rules.path.graph import lead_of
from twin.rules.repository import answers, outgoing_items, recipients, requests

NOTHING: Final = Assumption(used=False)
"""The policy for a queue manager of which nothing is assumed."""

_POINTERS: Final = ("TARGET", "RNAME", "RQMNAME", "DEST", "DESTQMGR", "STREAMQ", "XMITQ")


def policy_of(estate: Estate, qmgr: QueueManager) -> Assumption:
    """Return what is assumed of a queue manager at the instant of an estate."""
    return estate.assumptions.get(qmgr.name, Assumption()) if qmgr.observed else NOTHING


def pointed_to(values: Mapping[str, Value]) -> set[str]:
    """Return the names of objects and queue managers that a definition names."""
    return {str(values[each]) for each in _POINTERS if values.get(each)}


def names_in_use(draft: Draft, qmgr: QueueManager) -> dict[tuple[str, str], str]:
    """Return the names, as (kind, name), that a queue manager is assumed to have looked up.

    Each has the object that leads to it: its type and name, or '' if the policy names it itself.
    """
    found: dict[tuple[str, str], str] = {}
    if not answers.asked_clusters(qmgr):
        return found
    policy = policy_of(draft.estate, qmgr)
    if policy.used:
        for definition in qmgr.definitions.values():
            if not definition.name.startswith("SYSTEM."):
                for name in _names_of(draft, qmgr, definition):
                    found.setdefault(name, f"{definition.type} {definition.name}")
    for queue in policy.queues:
        resolver = _Names(draft, qmgr)
        resolver.resolve(queue)
        for name in resolver.looked_up:
            found.setdefault(name, "")
    denied = _denied(draft, qmgr, found, policy.since)
    return {name: found[name] for name in sorted(found.keys() - denied)}


def _denied(
    draft: Draft, qmgr: QueueManager, names: Iterable[tuple[str, str]], since: Instant | None
) -> set[tuple[str, str]]:
    """Return the names that a complete answer shows were not asked for.

    It lacks what a full repository had by then. Of a name that nobody had, it says nothing.
    """
    lacking: set[tuple[str, str]] = set()
    for ask in names:
        shown = qmgr.confirmed.get(ask[0], NEVER_CONFIRMED)
        if shown.complete and (since is None or since <= shown.at):
            had = {
                (name, belief.owner)
                for cluster in answers.asked_clusters(qmgr)
                for full, _ in recipients.full_repositories(draft, qmgr, cluster)
                for name, belief in requests.of_name(full, cluster, *ask)
                if belief.since <= shown.at and belief.owner != qmgr.qmid
            }
            if had and had.isdisjoint(qmgr.repository.shown):
                lacking.add(ask)
    return lacking


def seen_in_use(qmgr: QueueManager) -> set[RecordName]:
    """Return the queues that a queue manager must have asked for, as it was seen to hold records.

    Nothing of the kind follows at a full repository or a former one, which was sent everything, or
    in a cluster that it is not in; nor from the records of queue managers and of topics. If both
    the queue manager and its own record were altered since it got a record, it may have been one
    then.
    """
    repository = qmgr.repository
    clusters = {
        cluster
        for cluster in answers.asked_clusters(qmgr)
        if (cluster, qmgr.qmid) not in repository.known_full_repositories
    }
    changed = {
        name[0]: min(seen.received or 0, qmgr.altered or 0)
        for (name, owner), seen in (repository.shown.items() if clusters else ())
        if name[1] == "qmgr" and owner == qmgr.qmid
    }
    return {
        name
        for (name, owner), seen in (repository.shown.items() if clusters else ())
        if name[1] == "queue"
        and name[0] in clusters
        and owner != qmgr.qmid
        and changed.get(name[0], 0) <= (seen.received or seen.at)
    }


def _names_of(draft: Draft, qmgr: QueueManager, definition: Definition) -> Names:
    """Return the names that are looked up in clusters when a definition is used."""
    resolver = _Names(draft, qmgr)
    lead = lead_of(definition)
    if lead is not None and (lead.queue or lead.qmgr):
        resolver.beyond(definition)
    elif definition.type == "SUB" and (queue := text_of(definition, "DEST")):
        resolver.resolve(queue, text_of(definition, "DESTQMGR"))
    if stream := definition.values.get("STREAMQ"):
        resolver.resolve(str(stream))
    if definition.type in ("QLOCAL", "QALIAS") and _spreads(qmgr, definition):
        resolver.instances(definition.name)
    return resolver.looked_up


def _spreads(qmgr: QueueManager, definition: Definition) -> bool:
    """Return whether a clustered queue here is chosen like the instances elsewhere."""
    if not membership.clusters(qmgr, definition):
        return False
    use = text_of(definition, "CLWLUSEQ")
    return (qmgr.text("CLWLUSEQ") if use == "QMGR" else use) == "ANY"


class _Names(Resolver):
    """Resolve names without looking at records: collect the names that MQOPEN looks up."""

    def __init__(self, draft: Draft, qmgr: QueueManager) -> None:
        super().__init__(draft, qmgr, asks=False)

    def is_answered(self, queue: str) -> bool:
        """Say that every name is unknown."""
        del queue
        return True

    def _clusters(self, kind: str, name: str) -> tuple[str, ...]:
        self._looked_up[kind, name] = None
        return ()


def bring_up_to_date(draft: Draft, qmgr: QueueManager) -> None:
    """Make the assumed subscriptions that are missing, and end those that no longer hold.

    A queue manager that has ended makes none. It makes them when it starts.
    """
    if not qmgr.observed:
        return
    clusters = answers.asked_clusters(qmgr)
    subscriptions = qmgr.repository.subscriptions
    in_use = names_in_use(draft, qmgr)
    seen = seen_in_use(qmgr)
    wanted = {(cluster, *ask) for cluster in clusters for ask in in_use} | seen
    over = [name for name, made in subscriptions.items() if made.assumed and name not in wanted]
    for cluster, asks in _by_cluster(over):
        _end(draft, qmgr, cluster, asks)
    if qmgr.running:
        for cluster, asks in _by_cluster(seen.difference(subscriptions)):
            requests.assume(draft, qmgr, cluster, asks, answered=True)
        for cluster, asks in _by_cluster(wanted.difference(subscriptions)):
            requests.assume(draft, qmgr, cluster, asks)


def answer(draft: Draft, full: QueueManager) -> None:
    """Let a full repository answer what is assumed with what it was seen to hold now.

    It told the members that it holds of the full repositories, and whoever had asked of the queues,
    also of owners that were not imported. What was seen of those whose records were displayed
    is not assumed.
    """
    seen, subscribers = full.repository.shown, full.repository.subscribers
    for name, owner in [each for each, shown in seen.items() if shown.at == draft.at]:
        is_queue = name[1] == "queue"
        for qmid in subscribers.get(name, ()) if is_queue else (owner,):
            asker = recipients.live_qmgr(draft, qmid)
            if asker is not None and asker.observed and name[1] not in asker.confirmed:
                ask = name[1:] if is_queue else requests.EVERYONE
                requests.answer(draft, full, asker, name[0], (ask,))


def set_by(draft: Draft, primary: AssumptionSet) -> None:
    """Emit what is assumed from now on, and derive what follows from it.

    If all links are assumed to work again, the channels that were seen RETRYING try again.
    """
    draft.emit(primary)
    if primary.policy == "healed":
        for _, partner in sorted(draft.estate.qmgrs.items()):
            reachability.await_retries(draft, partner)
    elif (qmgr := draft.estate.qmgrs.get(primary.qmgr)) is not None:
        bring_up_to_date(draft, qmgr)


def still_assumed(
    draft: Draft, qmgr: QueueManager, cluster: str, asks: Names
) -> frozenset[tuple[str, str]]:
    """Return the assumed subscriptions among some of a cluster that are still assumed."""
    made = qmgr.repository.subscriptions
    assumed = frozenset(ask for ask in asks if made[cluster, *ask].assumed)
    if not assumed or cluster not in answers.asked_clusters(qmgr):
        return frozenset()
    seen = {name[1:] for name in seen_in_use(qmgr) if name[0] == cluster}
    return assumed.intersection({*names_in_use(draft, qmgr), *seen})


def _by_cluster(names: Iterable[RecordName]) -> Iterator[tuple[str, Names]]:
    by_cluster: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for cluster, *ask in sorted(names):
        by_cluster[cluster].append((ask[0], ask[1]))
    yield from ((cluster, tuple(asks)) for cluster, asks in by_cluster.items())


def _end(draft: Draft, qmgr: QueueManager, cluster: str, asks: Names) -> None:
    """End assumed subscriptions of one cluster, here and at the full repositories."""
    dropped = _only_assumed(draft, qmgr, cluster, asks)
    ended = AssumptionEnded(
        qmgr=qmgr.name,
        cluster=cluster,
        subscriber=qmgr.qmid,
        asks=asks,
        dropped=tuple(outgoing_items.items_of(dropped)),
    )
    draft.emit(ended)
    for (_, kind, channel), _ in dropped:
        if kind == "qmgr":
            stopping.drop_unused_status(draft, qmgr, channel)
    for full in _full_repositories(draft.estate, qmgr, cluster):
        subscribers = full.repository.subscribers
        noted = tuple(ask for ask in asks if qmgr.qmid in subscribers.get((cluster, *ask), ()))
        if noted:
            draft.emit(
                AssumptionEnded(qmgr=full.name, cluster=cluster, subscriber=qmgr.qmid, asks=noted)
            )


def _full_repositories(estate: Estate, qmgr: QueueManager, cluster: str) -> list[QueueManager]:
    """Return the current and former full repositories of a cluster that a queue manager knows."""
    qmids = {
        qmid
        for in_cluster, qmid in qmgr.repository.known_full_repositories
        if in_cluster == cluster and qmid != qmgr.qmid
    }
    existing = (each for _, each in sorted(estate.qmgrs.items()))
    return [each for each in existing if each.qmid in qmids]


def _only_assumed(
    draft: Draft, qmgr: QueueManager, cluster: str, asks: Names
) -> list[tuple[RecordName, Belief]]:
    """Return the records of others that are held only because of assumed subscriptions."""
    repository = qmgr.repository
    queues = [
        (name, belief)
        for name in ((cluster, *ask) for ask in asks if ask[0] == "queue")
        for belief in repository.beliefs.get(name, {}).values()
        if belief.owner != qmgr.qmid and not repository.was_seen(name, belief)
    ]
    gone = {(name, belief.owner) for name, belief in queues}
    needed = {
        belief.owner
        for name, owners in repository.beliefs.items()
        if name[0] == cluster and name[1] != "qmgr"
        for belief in owners.values()
        if (name, belief.owner) not in gone
    }
    ended = {(cluster, *ask) for ask in asks}
    asked = {
        name[2]
        for name in repository.subscriptions
        if name[:2] == (cluster, "qmgr") and name not in ended
    }
    members = [
        (name, belief)
        for name, belief in repository.of_kind("qmgr", cluster=cluster)
        if belief.owner not in {qmgr.qmid, *needed}
        and belief.owner_name not in asked
        and (cluster, belief.owner) not in repository.known_full_repositories
        and not repository.was_seen(name, belief)
        and ("CHANNEL", name[2]) not in qmgr.definitions
        and not (qmgr.has_messaging and qmgr.messaging.waits_for(name[2]))
    ]
    return [*queues, *members]
