"""An explanation of a put, what it was asked for, and its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from twin.events import Caller
from twin.fold.messaging import RouteKey
from twin.model.basis import Basis
from twin.model.instants import AsOf
from twin.questions.answer import Answer, BasedRow, Row
from twin.questions.blocked import ChannelBlock
from twin.questions.catalogue import QUESTIONS
from twin.questions.name_words import path_texts
from twin.questions.route_basis import COUNTERS, OF_THE_WAY
from twin.rules.path.resolved import Resolved
from twin.rules.workload.choosing import Trace
from twin.rules.workload.counterfactuals import Alternative

_BY_RULES: Final[Mapping[str, Basis]] = {"qmgr": Basis.DERIVED}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a message to a name goes where it goes.

    Attributes:
        qmgr: the queue manager where it would be put.
        queue: the name.
        resolved: what the name resolves to.
        bind: how messages would be bound; '' if the name is not in a cluster.
        reason: the reason code with which the put would fail; 0 if it would succeed.
        refused_by: the local queue that would refuse it; '' if none would.
        notes: what else its reader should know, also what it assumes.
        assumptions: those of the notes that say what it assumes.
        alternatives: how other queue managers would be chosen.
        trace: the choice; None if there is none to make.
        alone: without a choice, its queue manager and its channel.
        block: what would keep the message on its transmission queue; None if nothing would.
        lines: the explanation in words.
        goes: the words that say where the message goes, and whether it would wait or fail; without
            them, all lines do.
        bound: the words that say how it is bound, and which option or DEFBIND says so; '' if no
            destination is bound.
        bases: what the columns of each route rest on; routes that are not in it rest on the rules.
        others: what happens if something else is so that is not known.
    """

    qmgr: str
    queue: str
    resolved: Resolved
    bind: str = ""
    reason: int = 0
    trace: Trace | None = None
    alone: tuple[str, str] = ("", "")
    block: ChannelBlock | None = None
    lines: Sequence[str] = ()
    goes: str = ""
    bound: str = ""
    refused_by: str = ""
    bases: Mapping[RouteKey, Mapping[str, Basis]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    others: tuple[Explanation, ...] = ()

    @property
    def outcome(self) -> str:
        """Where the message goes, and whether it would wait or fail, in one line."""
        return self.goes or " ".join(line.strip() for line in self.lines)

    @property
    def candidates(self) -> set[str]:
        """The queue managers to which the message may go, also those that a rule excludes."""
        routes = self.trace.routes if self.trace is not None else ()
        return {self.alone[0], *(route.qmgr for route in routes)}

    def answer(self, point: AsOf) -> Answer:
        """Return an answer with one row for each candidate route."""
        if self.trace is None:
            alone = any(self.alone) or not self.reason
            rows = [BasedRow(self._one(), (), _BY_RULES)] if alone else []
        else:
            resolved = self._resolving()
            rows = [
                BasedRow(
                    {
                        **row,
                        **resolved,
                        **self._leaving(None if route.local else route.status, row["chosen"]),
                    },
                    route.evidence,
                    self.bases.get(route.key, _BY_RULES),
                )
                for row, route in zip(self.trace.rows(), self.trace.routes, strict=True)
            ]
        notes = (*self._notes(), *self.notes)
        answer = Answer.based("explain", point, rows, notes=notes, apart=(*COUNTERS, *OF_THE_WAY))
        for other in self.others:
            answer = answer.agreed(other.answer(point), QUESTIONS["explain"].keys, self.qmgr)
        return replace(answer, lines=tuple(self.lines))

    def _notes(self) -> Iterator[str]:
        """Yield a line if the choice is assumed."""
        if any(bases["chosen"] is Basis.ASSUMED for bases in self.bases.values()):
            yield (
                f"which of the equal routes is next is assumed: what {self.qmgr} sent before is not"
                " known"
            )

    def _one(self) -> Row:
        qmgr, channel = self.alone
        row: Row = dict.fromkeys(QUESTIONS["explain"].names)
        status = self.block.status if self.block else None
        others = {**self._resolving(), **self._leaving(status, chosen=True)}
        return {**row, "qmgr": qmgr, "channel": channel or None, "chosen": True, **others}

    def _resolving(self) -> Row:
        """Return the columns about the name, which are the same for all routes."""
        return {"bind": self.bind or None, "path": path_texts(self.resolved)}

    def _leaving(self, status: str | None, chosen: object) -> Row:
        """Return the columns about the channel of a route; for the chosen one also the outcome."""
        waits = self.block is not None if chosen else None
        retry = self.block.next_retry if self.block and chosen else None
        return {
            "status": status,
            "waits": waits,
            "next_retry": retry,
            "reason": self.reason if chosen else None,
            "refused_by": (self.refused_by or None) if chosen else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest:
    """A put to explain.

    The fields have the same meaning as in `PutEntered`.
    """

    queue: str = ""
    handle: str = ""
    to: str = ""
    bind: str = "asqdef"
    put1: bool = False
    group: str = ""
    logical_order: bool = False
    profile: str = ""
    caller: Caller | None = None
