"""The sections of a plan about beliefs: who learns, forgets or sees what changed, and when.

A section of its own has the records that expire or are removed at another time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from twin import events
from twin.model.instants import Instant, format_instant
from twin.questions import field_differences
from twin.questions.belief import channel_of, shown_name, state_of
from twin.review.hearing import why_not_heard
from twin.rules import membership
from twin.rules.repository.lifetimes import expires, removal

if TYPE_CHECKING:
    from twin.fold.beliefs import Belief, RecordName
    from twin.review.plan.pair import RecordDifference, RehearsedPair

Effect: TypeAlias = Literal["learns", "forgets", "sees", "misses"]
"""`misses`: an observer holds another version of a record than its owner."""

AT_ONCE: Final = "at once"
WHEN_SENT: Final = "when the channel runs again"
LATER: Final = "later"
NOT_YET: Final = "not yet"


_Publication: TypeAlias = tuple[str, int]
"""The QMID of an owner and the number of its publication."""


class BeliefChange(NamedTuple):
    """An effect of the change on a record that a queue manager holds.

    Attributes:
        effect: what happens to the record.
        observer: the queue manager that holds it.
        cluster, kind, name, owner: the record; the owner is a queue manager name.
        channel: of a queue manager's record, the cluster-receiver that it is about; else ''.
        field: the attribute that differs; `record` for a whole record.
        before, after: its values without the change and with it; None where it has no record.
        when: when the observer has the later value; None if it does not know.
        how: at once, when a channel runs again, at a renewal, at its removal, later, or not yet.
        why: what keeps the observer from knowing; '' if nothing is known to.
        owner_qmid: the QMID of the owner.
    """

    effect: Effect
    observer: str
    cluster: str
    kind: str
    name: str
    owner: str
    channel: str
    field: str
    before: str | None
    after: str | None
    when: Instant | None
    how: str
    why: str = ""
    owner_qmid: str = ""


def belief_changes(pair: RehearsedPair) -> Iterator[BeliefChange]:
    """Compare the records that queue managers hold in the two rehearsals."""
    sources = _Sources(pair)
    own: list[RecordDifference] = []
    for each in pair.records:
        name, one, other = each.sides
        known = other or one
        if each.values_differ and known is not None and each.owner == known.qmid:
            own.append(each)
        elif each.values_differ and (held := each.after or each.before) is not None:
            effect: Effect = "sees" if each.before and each.after else "learns"
            when: tuple[Instant | None, str] = sources.of(held)
            if each.after is None:
                effect, when = "forgets", sources.of_loss(name, held, each.key)
            owner = (held.owner_name, held.owner)
            yield from _changes(effect, name, each.key, owner, (each.before, each.after), *when)
    for each in own:
        yield from _missed(pair, each.key, each.owner, each.after)


def _changes(
    effect: Effect,
    observer: str,
    key: RecordName,
    owner: tuple[str, str],
    sides: tuple[Belief | None, Belief | None],
    when: Instant | None,
    how: str,
    why: str = "",
) -> Iterator[BeliefChange]:
    """Yield the effects on the fields of one record; `owner` is its name and QMID."""
    name, qmid = owner
    before, after = (each and each.values for each in sides)
    record = (*key[:2], shown_name(key, name), name, channel_of(key) or "")
    for each in field_differences.of_records(key[1], before, after):
        yield BeliefChange(effect, observer, *record, *each, when, how, why, qmid)


def _missed(
    pair: RehearsedPair, key: RecordName, owner: str, content: Belief | None
) -> Iterator[BeliefChange]:
    """List the observers that still hold another version of a record that its owner changed."""
    estate = pair.changed.estate
    for name, observer in sorted(estate.qmgrs.items()):
        held = observer.repository.instances(*key).get(owner)
        lacks = held is None and (content is None or not membership.is_full(observer, key[0]))
        if observer.qmid == owner or lacks:
            continue
        for each in _changes(
            "misses",
            name,
            key,
            (estate.names.get(owner, owner), owner),
            (held, content),
            None,
            NOT_YET,
        ):
            why = why_not_heard(estate, observer, owner, at=pair.changed.now(), records=[key])
            yield each._replace(why=why or _until_when(held))


def _until_when(held: Belief | None) -> str:
    """Return how long an observer goes on with the version that it holds, if it hears nothing."""
    if held is None:
        return "no repository command about it is on its way"
    return (
        "no repository command about it is on its way; what it holds expires "
        f"{format_instant(expires(held.published))} and goes "
        f"{format_instant(removal(held.published))}"
    )


class _Sources:
    """When and how records came, from the events of the rehearsal with the change."""

    def __init__(self, pair: RehearsedPair) -> None:
        self._pair = pair
        self._renewals: set[_Publication] = set()
        self._publications: dict[tuple[RecordName, str], set[int]] = {}
        self._removals: dict[tuple[str, _Publication], Instant] = {}
        for at, event in pair.changed.decided[pair.first :]:
            self._note(at, event)

    def _note(self, at: Instant, event: events.Event) -> None:
        if isinstance(event, events.InformationPublished | events.InformationRepublished):
            names: Iterable[tuple[str, str]]
            if isinstance(event, events.InformationRepublished):
                names = event.names
                self._renewals.add((event.qmid, event.sequence))
            else:
                names = [(each.kind, each.name) for each in event.records]
            for kind, name in names:
                record = (event.cluster, kind, name), event.qmid
                self._publications.setdefault(record, set()).add(event.sequence)
        elif isinstance(event, events.InformationRemoved):
            for item in event.items:
                self._removals[event.qmgr, (item.owner, item.sequence)] = at

    def of(self, belief: Belief) -> tuple[Instant, str]:
        """Return when and how a record came as it is held now."""
        since = belief.since
        if since <= self._pair.settled:
            return since, AT_ONCE
        if belief.published <= self._pair.settled:
            return since, WHEN_SENT
        if (belief.owner, belief.sequence) in self._renewals:
            return since, "at a renewal"
        return since, LATER

    def of_loss(self, observer: str, belief: Belief, key: RecordName) -> tuple[Instant | None, str]:
        """Return when and how an observer lost a record."""
        qmgr = self._pair.changed.estate.qmgrs.get(observer)
        if qmgr is not None:
            deletion = qmgr.repository.deletions.get((*key, belief.owner))
            if deletion is not None and deletion[1] >= self._pair.start:
                at = deletion[1]
                return at, AT_ONCE if at <= self._pair.settled else WHEN_SENT
        removed = self._removal(observer, belief.owner, key)
        if removed is not None:
            return removed, "90 days after it was sent"
        settled = self._pair.changed.now() <= self._pair.settled
        return (self._pair.start, AT_ONCE) if settled else (None, LATER)

    def _removal(self, observer: str, owner: str, key: RecordName) -> Instant | None:
        """Return when an observer last removed a publication that had a record; None if never."""
        sequences = set(self._publications.get((key, owner), ()))
        begun = self._pair.begin.estate.qmgrs.get(observer)
        held = begun.repository.instances(*key).get(owner) if begun is not None else None
        if held is not None:
            sequences.add(held.sequence)
        found = (self._removals.get((observer, (owner, sequence))) for sequence in sequences)
        return max((at for at in found if at is not None), default=None)


class DateChange(NamedTuple):
    """A record that both rehearsals hold, sent at different instants.

    Attributes:
        observer: the queue manager that holds it.
        cluster, kind, name, owner: the record; the owner is a queue manager name.
        expires_before, expires_after: when it expires without the change and with it.
        state_before, state_after: active, overdue or expired.
        owner_qmid: the QMID of the owner.
    """

    observer: str
    cluster: str
    kind: str
    name: str
    owner: str
    expires_before: Instant
    expires_after: Instant
    state_before: str
    state_after: str
    owner_qmid: str


def date_changes(pair: RehearsedPair) -> Iterator[DateChange]:
    """Compare the dates of the records that queue managers hold of others in both rehearsals."""
    at = pair.changed.now()
    for sides, key, owner, was, now in pair.records:
        if was is None or now is None or sides.after is None or owner == sides.after.qmid:
            continue
        if was.published != now.published:
            name, dates = shown_name(key, now.owner_name), (was.published, now.published)
            first, last = (state_of(each, at=at) for each in dates)
            ends = (*map(expires, dates), first, last, now.owner)
            yield DateChange._make((sides.name, *key[:2], name, now.owner_name, *ends))
