"""The route of a message, hop by hop: over gateways and aliases, to the queue where it ends.

Every hop is found by the rules that put messages and take in those that arrive, on a private copy
of the estate. Nothing is put. Only routes that take turns are followed, not those that a rule
excluded.

Source: IBM MQ 9.4, "Queue manager aliases and clusters"; "Example of a cluster with more than one
instance of a queue".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from twin.errors import TwinError
from twin.events import PutEntered
from twin.fold.estate import Estate
from twin.fold.store.pages import private_copy
from twin.model.instants import AsOf, Instant
from twin.model.reasons import UNKNOWN_ALIAS_BASE
from twin.model.words import BINDS, PROFILES
from twin.questions.access import caller_in
from twin.questions.answer import Answer
from twin.questions.hops import Hop, hop_lines
from twin.questions.message_walk import MessageWalk
from twin.questions.name_words import loop_sentences
from twin.questions.paragraphs import WIDTH, paragraph
from twin.questions.sights import notes_of_age
from twin.rules.draft import Decided, Draft
from twin.rules.path.graph import PathGraph, loop_of
from twin.rules.reactions import REACTIONS

if TYPE_CHECKING:
    from twin.events.messages import Bind

MOST_TURNS: Final = 6
"""The largest number of routes that are followed from one queue manager."""


class NoPut(TwinError, ValueError):
    """The queue manager or the queue of a route is missing, or an option has an unknown value."""

    def __init__(self) -> None:
        binds, profiles = ", ".join(BINDS), ", ".join(PROFILES)
        super().__init__(
            "route needs on (a queue manager) and queue (the name to put to); bind is one of "
            f"{binds}; profile is one of {profiles}"
        )


def route(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    queue: str | None = None,
    to: str = "",
    bind: str = "asqdef",
    profile: str = "",
    **who: str,
) -> Answer:
    """Follow a message that is put at a queue manager to its ends.

    Raises:
        NoPut: if `on` or `queue` is missing, or an option has an unknown value.
        NoSuchQueueManager: if there is no queue manager `on`.
    """
    if not on or not queue or bind not in BINDS or profile not in ("", *PROFILES):
        raise NoPut
    estate = private_copy(estate)
    estate.position = max(estate.position, as_of.position)
    entered = PutEntered(
        qmgr=on,
        queue=queue,
        to=to,
        bind=cast("Bind", bind),
        profile=profile,
        caller=caller_in(who),
    )
    hops = followed(estate, entered, at=as_of.valid)
    answer = Answer.of("route", as_of, ((hop.row(), hop.evidence) for hop in hops))
    said = dict.fromkeys(_loops(estate, hops))
    wrapped = (line for each in said for line in paragraph(each, "", rest="  ", width=WIDTH))
    ages = notes_of_age(estate, (hop.on for hop in hops), as_of.valid)
    return replace(answer, lines=(*hop_lines(hops), *wrapped), notes=tuple(ages))


def _loops(estate: Estate, hops: Sequence[Hop]) -> Iterator[str]:
    """Say what becomes of messages in a loop that this one is in, for each way to bind them.

    It may end at an alias there only because it is bound.
    """
    graph = PathGraph(estate)
    for hop in hops:
        if hop.end == "loop" or (hop.came and hop.reason == UNKNOWN_ALIAS_BASE):
            loop = loop_of(graph, estate, hop.on, hop.queue)
            yield from loop_sentences(estate, loop) if loop is not None else ()


def followed(
    estate: Estate,
    entered: PutEntered,
    *,
    at: Instant,
    turns: int = MOST_TURNS,
    events: list[Decided] | None = None,
) -> Sequence[Hop]:
    """Follow a message that is put at an instant, and at most so many routes of each choice.

    Names are requested on the way, which changes the estate: it must be the caller's own. What
    happens then is added to `events`.

    Raises:
        NoSuchQueueManager: if there is no such queue manager.
    """
    happened: list[Decided] = [] if events is None else events
    draft = Draft(estate, at, estate.position + 1, events=happened, reactions=REACTIONS)
    walk = MessageWalk(draft, turns)
    walk.put(entered)
    return walk.hops
