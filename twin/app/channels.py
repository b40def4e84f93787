"""Channels from outside: observed, held back in a scenario, and switched by hand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from twin import events
from twin.app.batch import COMMAND, Fact
from twin.app.counting import demand_seen
from twin.app.naming import demand_channel
from twin.app.wording import demand_status
from twin.app.writing import Writer
from twin.fold.estate import Estate
from twin.model.instants import Instant
from twin.model.retries import Retries
from twin.rules.channels.switching import Switching
from twin.rules.deriving import Outcome

SEEN = "observation:channel"
"""The source of what was seen of a channel by itself."""


class Retrying(NamedTuple):
    """A channel that retries: since when, in microseconds, and how often."""

    since: Instant
    retries: Retries


class Channels:
    """What is done to channels other than by MQSC, on one branch of a log."""

    branch: str
    _writer: Writer

    @abstractmethod
    def record(self, facts: Sequence[Fact], *, at: Instant | None = None) -> list[Outcome]:
        """Record what was asked at one instant, with all that follows from it, atomically."""

    @abstractmethod
    def record_observations(self, facts: Sequence[Fact], *, at: Instant) -> int:
        """Record what was observed of one instant, late or not; return how many facts."""

    def retrying(self) -> dict[tuple[str, str], Retrying]:
        """Return the channels that retry as the branch stands, by queue manager and name."""

        def question(estate: Estate) -> dict[tuple[str, str], Retrying]:
            return {
                (qmgr.name, name): Retrying(state.since, state.retries)
                for qmgr in estate.qmgrs.values()
                if qmgr.running
                for name, state in qmgr.activity.channels.items()
                if state.status == "RETRYING"
            }

        return self._writer.read(self.branch, question)

    def observe_channel(
        self,
        qmgr: str,
        channel: str,
        *,
        at: Instant,
        status: str | None = None,
        indoubt: bool | None = None,
        curmsgs: int | None = None,
        sent: int | None = None,
    ) -> None:
        """Record what was seen of a channel at an instant, late or not.

        `status` is MQSC's word; `indoubt` is whether a batch of `curmsgs` messages waits for its
        confirmation; `sent` non-persistent messages went outside syncpoint.

        Raises:
            BadName: when MQ allows no such channel name.
            BadWord: for a status that no channel has.
            BadBatch: for fewer messages than none, or more than any queue could hold.
            NoSuchQueueManager: when there is none of that name.
        """
        demand_channel(channel)
        demand_status(status)
        demand_seen(curmsgs)
        demand_seen(sent)
        seen = events.ChannelObserved(
            qmgr=qmgr,
            channel=channel,
            status=status,
            indoubt=indoubt,
            curmsgs=curmsgs,
            sent=sent,
        )
        self.record_observations([Fact(seen, SEEN)], at=at)

    def hold(
        self, qmgr: str, channel: str, *, switch: bool = False, at: Instant | None = None
    ) -> None:
        """Keep a channel from sending though it runs; or a switch from coming to its end.

        Raises:
            BadName: when MQ allows no such channel name.
        """
        demand_channel(channel)
        event = events.ChannelHeld(qmgr=qmgr, channel=channel, switch=switch)
        self.record([Fact(event, COMMAND)], at=at)

    def release(
        self, qmgr: str, channel: str, *, switch: bool = False, at: Instant | None = None
    ) -> None:
        """Let a channel go on with what it was held back from.

        Raises:
            BadName: when MQ allows no such channel name.
        """
        demand_channel(channel)
        event = events.ChannelReleased(qmgr=qmgr, channel=channel, switch=switch)
        self.record([Fact(event, COMMAND)], at=at)

    def runswchl(
        self, qmgr: str, channel: str, *, move: bool = True, at: Instant | None = None
    ) -> tuple[Switching, ...]:
        """Switch channels that do not run to the transmission queue that the definitions say.

        `channel` is a name, one with an asterisk at its end, or an asterisk; unless they `move`,
        messages stay behind.

        Raises:
            ControlRefused: when the queue manager does not run, `channel` is neither, or no
                cluster-sender channel of it is called so.
            NoSuchQueueManager: when there is none of that name.
        """
        arguments = (f"c={channel}", *([] if move else ["n"]))
        event = events.ControlCommandEntered(qmgr=qmgr, command="runswchl", arguments=arguments)
        (outcome,) = self.record([Fact(event, COMMAND)], at=at)
        return outcome.switched
