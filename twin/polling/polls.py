"""One poll of a queue manager: what it answered, as the text of a file of saved answers.

A schedule says when polls are due, and which were missed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from twin.model.instants import Instant, format_instant
from twin.polling.connection import CALLS, CallDenied, CallFailed, CallMistaken, ReadingCall


class Poll(NamedTuple):
    """What a queue manager answered.

    Attributes:
        at: when it ended: all that was answered is of this instant.
        text: one JSON document for each answer, with what was asked.
        answered: the number of answers.
        unanswered: the calls without an answer, with the reason, for people.
    """

    at: Instant
    text: str
    answered: int
    unanswered: tuple[str, ...]


def poll(
    ask: Callable[[ReadingCall, str], dict[str, Any]],
    url: str,
    qmgr: str,
    *,
    clock: Callable[[], Instant],
    calls: Sequence[ReadingCall] = CALLS,
) -> Poll:
    """Ask all calls, one after the other.

    A call that the server answers with an error is left out. If the server cannot be reached, the
    rest is left out.

    Args:
        ask: returns the answer of a queue manager to a call, or raises `CallFailed`.
        url: the URL of the API, for the origin.
        qmgr: the queue manager.
        clock: the wall clock.
        calls: what is asked.

    Raises:
        CallFailed: if the server cannot be reached, or answers nothing.
        CallDenied: if it refuses the user.
    """
    answers: list[tuple[ReadingCall, dict[str, Any]]] = []
    unanswered: list[str] = []
    last: CallFailed | None = None
    for index, call in enumerate(calls):
        try:
            answer = ask(call, qmgr)
        except (CallDenied, CallMistaken):
            raise
        except CallFailed as error:
            last = error
            unanswered.append(f"{call.shown}: {error}")
            if not error.connected:
                unanswered += [f"{each.shown}: was not asked" for each in calls[index + 1 :]]
                break
        else:
            answers.append((call, answer))
    if not answers and last is not None:
        raise last
    at = clock()
    documents = [_document(call, url, qmgr, answer, at) for call, answer in answers]
    return Poll(at, "\n".join([*documents, ""]), len(answers), tuple(unanswered))


def _document(call: ReadingCall, url: str, qmgr: str, answer: dict[str, Any], at: Instant) -> str:
    """Return an answer with what was asked, as readers of saved answers take it."""
    request = {} if call.body is None else {"request": call.body}
    asked = {"url": url + call.path(qmgr), **request}
    return json.dumps({**asked, "response": answer, "at": format_instant(at)})


class DuePolls:
    """Polls at equal intervals from the first, whatever each of them takes.

    Seconds are those of a clock that only grows.
    """

    def __init__(self, every: float, now: float) -> None:
        """Begin with a poll that is due now."""
        self._every = every
        self._next = now

    def wait(self, now: float) -> float:
        """Return the seconds until the next poll; 0 if it is due."""
        return max(0.0, self._next - now)

    def done(self, now: float) -> int:
        """Plan the next poll after one that has ended; return how many are left out."""
        left_out = max(0, int((now - self._next) // self._every))
        self._next += (left_out + 1) * self._every
        return left_out


class MissedPolls(NamedTuple):
    """Polls of a queue manager that had no answer, one after the other.

    Attributes:
        since: the instant of the first.
        upto: the instant of the last.
        missed: their number.
        why: the reason of the last.
    """

    since: Instant
    upto: Instant
    missed: int
    why: str

    def goes_on(self, at: Instant, why: str) -> MissedPolls:
        """Return the outage after one more poll."""
        return MissedPolls(self.since, at, self.missed + 1, why)

    @property
    def shown(self) -> str:
        """What was missed, for people."""
        if self.missed == 1:
            return f"the poll at {format_instant(self.since)} was missed"
        since, upto = format_instant(self.since), format_instant(self.upto)
        return f"{self.missed} polls from {since} to {upto} were missed"
