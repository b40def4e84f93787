"""A cluster in memory: MQSC and control commands run the rules directly, without a log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from twin import events
from twin.fold.estate import Estate
from twin.model.instants import AsOf, Instant, parse_instant
from twin.mqsc.reader import CommandRead, read
from twin.rules import lifecycle
from twin.rules.deriving import Outcome, derive
from twin.rules.draft import Draft
from twin.rules.messages.getting import Got
from twin.rules.messages.putting import Put
from twin.rules.reactions import REACTIONS

START: Instant = parse_instant("2026-01-01T00:00:00Z", now=0)

FULL = """
ALTER QMGR REPOS({cluster})
DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) CONNAME('{host}(1414)') CLUSTER({cluster})
"""
MEMBER = """
DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) CONNAME('{host}(1414)') CLUSTER({cluster})
"""
SENDER = """
DEFINE CHANNEL({cluster}.{to}) CHLTYPE(CLUSSDR) CONNAME('{host}(1414)') CLUSTER({cluster})
"""


@dataclass
class Sandbox:
    """Queue managers under the rules, at an instant that `at` moves."""

    draft: Draft = field(default_factory=lambda: Draft(Estate(), START, 1, reactions=REACTIONS))

    @property
    def estate(self) -> Estate:
        """The estate after everything so far."""
        return self.draft.estate

    @property
    def as_of(self) -> AsOf:
        """The present."""
        return AsOf(self.draft.at, self.draft.at)

    def at(self, instant: str) -> Sandbox:
        """Move time; what falls due by then happens first."""
        return self.pass_time(parse_instant(instant, now=START) - self.draft.at)

    def pass_time(self, microseconds: int) -> Sandbox:
        """Let an amount of time pass."""
        upto = self.draft.at + microseconds
        lifecycle.play(self.draft, upto=upto)
        self.draft.at = upto
        return self

    def create(self, *names: str, level: int = 940) -> Sandbox:
        """Create and start queue managers."""
        for name in names:
            self.control("crtmqm", name, f"cmdlevel={level}")
            self.control("strmqm", name)
        return self

    def control(self, command: str, name: str, *arguments: str) -> None:
        """Run a control command."""
        event = events.ControlCommandEntered(qmgr=name, command=command, arguments=arguments)
        derive(self.draft, event)

    def run(self, name: str, text: str) -> list[str]:
        """Run MQSC and return the ids of the answers."""
        answers: list[str] = []
        for item in read(text):
            if isinstance(item, CommandRead):
                outcome = derive(self.draft, events.CommandEntered(qmgr=name, text=item.text))
                answers += [message.full_id for message in outcome.messages]
        return answers

    def open(self, name: str, queue: str, **options: Any) -> Outcome:
        """Open a queue for output."""
        return derive(self.draft, events.QueueOpened(qmgr=name, queue=queue, **options))

    def put(self, qmgr: str, queue: str = "", **options: Any) -> Put:
        """Put messages."""
        put = derive(self.draft, events.PutEntered(qmgr=qmgr, queue=queue, **options)).put
        assert put is not None
        return put

    def get(self, name: str, queue: str, count: int = 1) -> Got:
        """Get messages."""
        got = derive(self.draft, events.GetEntered(qmgr=name, queue=queue, count=count)).got
        assert got is not None
        return got

    def depth(self, name: str, queue: str) -> int:
        """Count the messages on a queue."""
        return self.estate.qmgr(name).messaging.depth(queue)

    def full(self, name: str, *others: str, cluster: str = "CA") -> Sandbox:
        """Make a full repository, with manual CLUSSDRs to others."""
        self.run(name, FULL.format(cluster=cluster, name=name, host=name.lower()))
        return self.sender(name, *others, cluster=cluster)

    def member(self, name: str, *to: str, cluster: str = "CA") -> Sandbox:
        """Make a member, with manual CLUSSDRs to full repositories."""
        self.run(name, MEMBER.format(cluster=cluster, name=name, host=name.lower()))
        return self.sender(name, *to, cluster=cluster)

    def sender(self, name: str, *others: str, cluster: str = "CA") -> Sandbox:
        """Define manual CLUSSDRs."""
        for other in others:
            self.run(name, SENDER.format(cluster=cluster, to=other, host=other.lower()))
        return self

    def knows(self, observer: str, kind: str, *, cluster: str = "CA") -> set[str]:
        """Return an observer's beliefs of a kind: queue managers, or queue@owner."""
        repository = self.estate.qmgr(observer).repository
        return {
            belief.owner_name if kind == "qmgr" else f"{name[2]}@{belief.owner_name}"
            for name, belief in repository.of_kind(kind, cluster=cluster)
        }


def small_cluster(level: int = 940) -> Sandbox:
    """Make two full repositories and two members, all joined in cluster CA."""
    sandbox = Sandbox().create("FR1", "FR2", "PR1", "PR2", level=level)
    sandbox.full("FR1", "FR2").full("FR2", "FR1")
    return sandbox.member("PR1", "FR1").member("PR2", "FR1")
