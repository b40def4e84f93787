"""Estates made from single events, with the facts that questions read."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.sandbox import START, Sandbox
from twin import events
from twin.events import Event
from twin.fold.estate import Estate
from twin.fold.replay import apply
from twin.model.instants import AsOf, Instant, parse_instant
from twin.questions.answer import FoldedFact


def facts_of(sandbox: Sandbox, reads: frozenset[type[Event]]) -> list[FoldedFact]:
    """Return the events of a sandbox that have these types."""
    decided = enumerate(sandbox.draft.events, 1)
    return [
        FoldedFact(at, number, event) for number, (at, event) in decided if type(event) in reads
    ]


@dataclass
class Tale:
    """A list of events as facts, in the order of time."""

    estate: Estate = field(default_factory=Estate)
    facts: list[FoldedFact] = field(default_factory=list)
    now: Instant = START

    @property
    def as_of(self) -> AsOf:
        """The present."""
        return AsOf(self.now, self.now)

    def at(self, instant: str) -> Tale:
        """Move time; nothing happens by itself."""
        self.now = parse_instant(instant, now=START)
        return self

    def tell(self, *told: Event) -> Tale:
        """Add events that happen now."""
        for event in told:
            fact = FoldedFact(self.now, len(self.facts) + 1, event)
            apply(self.estate, event, fact.at, fact.position)
            self.facts.append(fact)
        return self

    def create(self, *names: str, platform: str = "UNIX", level: int = 940) -> Tale:
        """Create and start queue managers, whose QMID is their name and a number."""
        for name in names:
            self.tell(
                events.QueueManagerCreated(
                    qmgr=name, qmid=f"{name}_1", cmdlevel=level, platform=platform
                ),
                events.QueueManagerStarted(qmgr=name),
            )
        return self

    def publish(self, owner: str, *names: str, sequence: int = 1, cluster: str = "CA") -> Tale:
        """Let an owner publish its own record (`qmgr/CHANNEL`) or objects (`queue/NAME`)."""
        records = tuple(
            events.RecordPublished(kind=kind, name=name, values={})
            for kind, _, name in (each.partition("/") for each in names)
        )
        return self.tell(
            events.InformationPublished(
                qmgr=owner,
                qmid=f"{owner}_1",
                cluster=cluster,
                sequence=sequence,
                records=records,
            )
        )

    def receive(
        self, observer: str, sender: str, *, owner: str = "", sequence: int = 1, cluster: str = "CA"
    ) -> Tale:
        """Let an observer receive a publication, from its owner or from another queue manager."""
        item = events.Item(owner=f"{owner or sender}_1", sequence=sequence)
        return self.tell(
            events.InformationReceived(qmgr=observer, sender=sender, cluster=cluster, items=(item,))
        )
