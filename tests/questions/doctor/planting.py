"""How a fault is planted in the healthy estate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.sandbox import Sandbox
from twin import events
from twin.rules.deriving import derive


@dataclass(frozen=True)
class Planted:
    """A planted fault.

    Attributes:
        rule: the id of the rule that finds it.
        subject: the object of the finding.
        scripts: queue manager -> MQSC that makes the fault.
        also: the other rules above info that find something, for a reason.
        after: how long after the scripts it is found.
        make: what else makes it.
        create: queue managers that are created before, with their command levels.
    """

    rule: str
    subject: str
    scripts: dict[str, str] = field(default_factory=dict)
    also: frozenset[str] = frozenset()
    after: str = ""
    make: Callable[[Sandbox], object] | None = None
    create: dict[str, int] = field(default_factory=dict)

    def plant(self, estate: Sandbox) -> Sandbox:
        """Make the fault in an estate."""
        for name, level in self.create.items():
            estate.create(name, level=level)
        for name, script in self.scripts.items():
            estate.run(name, script)
        if self.make is not None:
            self.make(estate)
        return estate.at(self.after) if self.after else estate


def receiver(name: str, cluster: str = "SALES", host: str = "") -> str:
    """Return the MQSC of a CLUSRCVR and a dead-letter queue."""
    return (
        f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) CLUSTER({cluster}) "
        f"CONNAME('{host or name + '.example(1500)'}')\n"
        "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\n"
    )


def sender_to(name: str, conname: str, cluster: str = "SALES") -> str:
    """Return the MQSC of a manual CLUSSDR."""
    return f"DEFINE CHANNEL({name}) CHLTYPE(CLUSSDR) CONNAME('{conname}') CLUSTER({cluster})\n"


def tell(estate: Sandbox, event: events.Event) -> None:
    """Let a primary fact happen."""
    derive(estate.draft, event)
