"""The steps of a message on its way: as rows, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from textwrap import wrap
from typing import Final, NamedTuple

from twin.model.reasons import reason_name
from twin.questions.answer import Row
from twin.questions.catalogue import QUESTIONS
from twin.questions.paragraphs import WIDTH


class Hop(NamedTuple):
    """One step of a message: from a queue manager to the next one, or to its end.

    Attributes:
        step: its number, below that of the step before it: 1, then 1.1.
        on: the queue manager that resolves the name.
        queue: the name that it resolves.
        path: the steps in which it resolves the name.
        to: the next queue manager; '' if the message ends here.
        channel: the channel to it.
        turns: how many routes take turns here.
        share: the part of the puts that comes to this step if all routes take their turns.
        end: what becomes of the message here; '' if it goes on.
        reason: the reason code, 0 for none.
        waits: why it would wait for the channel; '' if it would not.
        evidence: the positions of the events that it rests on.
        home: whether an instance of this queue manager itself was chosen, and leads on.
        sender, came: the queue manager that it came from, and by which channel; '' where it is put.
        discards: whether the channel by which it came discards what cannot be put and is not
            persistent.
        fails: why the channel would fail, if the message is not bound and then goes elsewhere.
        then, then_channel: where it then goes, and by which channel; '' if it goes nowhere else, or
            stays at this queue manager.
        qmids: the names and QMIDs of the queue managers that share their name with another one.
    """

    step: str
    on: str
    queue: str
    path: tuple[str, ...] = ()
    to: str = ""
    channel: str = ""
    turns: int = 1
    share: Fraction = Fraction(1)
    end: str = ""
    reason: int = 0
    waits: str = ""
    evidence: tuple[int, ...] = ()
    home: bool = False
    sender: str = ""
    came: str = ""
    discards: bool = False
    fails: str = ""
    then: str = ""
    then_channel: str = ""
    qmids: tuple[tuple[str, str], ...] = ()

    @property
    def reaches(self) -> tuple[str, str]:
        """The queue manager that the message goes to in the end, and the channel to it."""
        return (self.then, self.then_channel) if self.then else (self.to, self.channel)

    @property
    def percent(self) -> int:
        """Its share of 100 puts."""
        return round(100 * self.share)

    def row(self) -> Row:
        """Return the step as a row."""
        values = (
            *(self.step, self.on, self.queue, self.path, self.to or None, self.channel or None),
            *(self.turns, self.percent, self.end or None, self.reason, self.waits or None),
            *(self.fails or None, self.then or None),
        )
        return dict(zip(QUESTIONS["route"].names, values, strict=True))

    def __str__(self) -> str:
        """Return the step in words."""
        path = "; ".join(self.path) or self.queue
        to = f"; to {self._named(self.to)} by {self.channel}" if self.to and self.channel else ""
        takes_turns = bool(to) and self.turns > 1
        turn = f", one of {self.turns} that take turns ({self.percent}%)" if takes_turns else ""
        says_end = self.end and not (self.end == "waits" and self.waits)
        end = f"; {end_text(self.end, self.reason)}" if says_end else ""
        if self.end == "loop":
            end = f"; the queue manager {self.on} was already passed for {self.queue}: a loop"
        if self.end == "returned":
            end += f": {returned_text(self.came, self.sender)}"
            end += "; if not persistent, it is discarded" if self.discards else ""
        waits = f"; it waits: {self.waits}" if self.waits else ""
        fails = f"; {rerouted_text(self.fails, self._named(self.then))}" if self.then else ""
        return f"{self._named(self.on)}: {path}{to}{turn}{fails}{waits}{end}"

    def _named(self, name: str) -> str:
        """Return a name, with the QMID if another queue manager has the same name."""
        qmid = dict(self.qmids).get(name)
        return f"{name} ({qmid})" if qmid else name


def way_to(hop: Hop, hops: Iterable[Hop]) -> list[Hop]:
    """Return the steps of a message up to one of them, this included."""
    return [each for each in hops if f"{hop.step}.".startswith(f"{each.step}.")]


ENDS: Final = {
    "delivered": "delivered",
    "fails": "the call fails",
    "dead-lettered": "dead-lettered",
    "returned": "cannot be put",
    "waits": "no channel takes it on",
    "loop": "a loop",
    "not-in-twin": "not in the twin: what follows is not known",
    "more": "more steps are not shown",
}
"""What becomes of a message -> its words."""


FAILING_ENDS: Final = frozenset({"fails", "dead-lettered", "returned", "loop"})
"""The ends of a message that does not come to a queue, though no channel keeps it waiting."""


def end_text(end: str, reason: int) -> str:
    """Return what becomes of a message, with the reason code if there is one."""
    return f"{ENDS[end]} with {reason} {reason_name(reason)}" if reason else ENDS[end]


def returned_text(channel: str, sender: str) -> str:
    """Return what follows at a sender when the other end of a channel cannot put a message.

    The channel ends, the message is backed out onto the transmission queue, and the channel is
    retried.
    """
    return f"{channel} ends and is retried; it waits at {sender}, as do the messages after it"


def rerouted_text(fails: str, then: str) -> str:
    """Return why a channel fails, and where a message that is not bound then goes."""
    return f"{fails}; a message then goes to {then}"


def hop_lines(hops: Iterable[Hop]) -> Iterator[str]:
    """Write steps in lines of at most 100 columns."""
    for hop in hops:
        indent = " " * (len(hop.step) + 2)
        yield from wrap(
            f"{hop.step}  {hop}", WIDTH, subsequent_indent=indent, break_on_hyphens=False
        )
