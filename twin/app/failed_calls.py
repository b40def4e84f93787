"""Which recorded commands and calls failed: their answers, computed again from the log.

The log keeps what was entered and what followed, and not the answer. A call that led to all that it
asked for did not fail. Any other is decided again, by today's rules, on the estate just before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.app.event_text import columns_named
from twin.errors import TwinError
from twin.events.catalogue import decode
from twin.model.amounts import counted
from twin.model.instants import ANSWER_WITHIN
from twin.model.reasons import reason_name

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.log import StoredEvent
    from twin.rules.deriving import Outcome

MOST: Final = 40
"""How many calls of one page are decided again."""

_SEARCHED: Final = 1000
"""How many calls of one page are looked at."""

_FIRST: Final = 32
"""How many events after a call are looked at: its messages, or that it waits, are among them."""

_CALLS: Final = frozenset({"CommandEntered", "QueueOpened", "PutEntered", "GetEntered"})
"""The types of primary facts that may fail, without their schema; a control command that is refused
is not recorded."""


class FailedCalls(NamedTuple):
    """The calls of a page that failed.

    Attributes:
        why: position -> the answer: a message, or a reason code with its name.
        left: how many calls were not decided again, because they are too many.
    """

    why: Mapping[int, str]
    left: int

    @property
    def notes(self) -> tuple[str, ...]:
        """A line about calls of which it is not known whether they failed, if there are any."""
        if not self.left:
            return ()
        return (f"{counted(self.left, 'more call')} may have failed; show fewer events to know",)


def failed_calls(twin: Twin, events: Sequence[StoredEvent]) -> FailedCalls:
    """Return which of some events, in the order of the log, are calls that failed.

    Of too many calls that may have failed, the last ones are decided again.
    """
    calls = [each for each in events if each.cause is None and _type(each) in _CALLS]
    doubtful = [each for each in calls[-_SEARCHED:] if _is_doubtful(twin, each)]
    chosen = doubtful[-MOST:]
    why = {each.position: answer for each in chosen if (answer := _answer(twin, each))}
    return FailedCalls(why, max(len(calls) - _SEARCHED, 0) + len(doubtful) - len(chosen))


def _type(event: StoredEvent) -> str:
    return event.type.partition("@")[0]


def _is_doubtful(twin: Twin, call: StoredEvent) -> bool:
    """Return whether a call did not lead to all that it asked for.

    What followed from it was recorded right after it.
    """
    led_to = _led_to(twin, call)
    if _type(call) == "PutEntered":
        return _put(led_to) < int(json.loads(call.body)["count"])
    return not led_to or any(map(_is_wait, led_to))


def _led_to(twin: Twin, call: StoredEvent) -> list[StoredEvent]:
    after = twin.log.events(branch=twin.branch, after=call.position, limit=_FIRST)
    return [*takewhile(lambda each: each.cause == call.event_id, after)]


def _is_wait(event: StoredEvent) -> bool:
    return _type(event) == "AnswerAwaited"


def _after_wait(twin: Twin, call: StoredEvent, wait: StoredEvent) -> str:
    """Return the reason code of a call that waited for full repositories; '' if it has none yet.

    The end of the wait names the code if the name is still unknown then.
    """
    names = json.loads(wait.body)["names"]
    for end in twin.log.events(
        branch=twin.branch,
        after=wait.position,
        types=columns_named(["AnswerWaitEnded"]),
        qmgr=call.qmgr,
        until=call.occurred_at + ANSWER_WITHIN,
    ):
        said = json.loads(end.body)
        if said["names"] == names:
            reason = said.get("reason", 0)
            return f"{reason} {reason_name(reason)}" if reason else ""
    return ""


def _put(events: Iterable[StoredEvent]) -> int:
    """Return how many messages were put."""
    shares = (
        share
        for event in events
        if event.type.startswith("MessagesPut")
        for share in json.loads(event.body).get("shares", ())
    )
    return sum(int(share["count"]) for share in shares)


def _answer(twin: Twin, event: StoredEvent) -> str:
    """Decide a call again; return its answer if it fails, or else ''."""
    if wait := next(filter(_is_wait, _led_to(twin, event)), None):
        return _after_wait(twin, event, wait)
    from twin.rules.deriving import derive  # noqa: PLC0415 - few pages have such calls
    from twin.rules.draft import Draft  # noqa: PLC0415
    from twin.rules.reactions import REACTIONS  # noqa: PLC0415

    estate = twin.views.upto(
        branch=twin.branch, valid=event.occurred_at, position=event.position - 1
    )
    call = decode(event.type, event.body)
    level = estate.qmgrs[event.qmgr].cmdlevel if event.qmgr in estate.qmgrs else None
    draft = Draft(estate, event.occurred_at, event.position, reactions=REACTIONS)
    try:
        outcome = derive(draft, call)
    except TwinError as refused:
        return str(refused)
    return _text(outcome, level) if outcome.failed else ""


def _text(outcome: Outcome, level: int | None) -> str:
    """Return the answer to a call that failed, in one line."""
    if outcome.messages:
        return " ".join(
            each.render() if level is None else each.render(level) for each in outcome.messages
        )
    call = outcome.put or outcome.opened or outcome.got
    if call is None:
        return "refused"
    put = outcome.put
    some = f", {sum(each.count for each in put.shares)} of {put.wanted} were put" if put else ""
    return f"{call.reason} {reason_name(call.reason)}{some}"
