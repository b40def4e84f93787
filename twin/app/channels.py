"""Calls about channels: observations, holding them in a scenario, and `runswchl`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from twin import events
from twin.app.acting import Acting, Fact
from twin.app.open_branch import OpenBranch
from twin.app.repeating import sound
from twin.app.validation import check_batch, check_channel, check_status
from twin.fold.estate import Estate
from twin.fold.seen_retries import retries_of
from twin.model.instants import AsOf, Instant
from twin.model.retries import Retries

if TYPE_CHECKING:
    from twin.rules.channels.switching import Switching


class RetryingChannel(NamedTuple):
    """A RETRYING channel: the instant since which it retries, and its retry intervals."""

    since: Instant
    retries: Retries


class ChannelCalls(Acting):
    """The calls about channels other than MQSC."""

    def retrying(self) -> dict[tuple[str, str], RetryingChannel]:
        """Return the channels that are RETRYING at the head of the branch.

        Keys are queue manager and channel name.
        """

        def channels_of(estate: Estate) -> dict[tuple[str, str], RetryingChannel]:
            return {
                (qmgr.name, name): RetryingChannel(state.since, retries_of(qmgr, name, state))
                for qmgr in estate.qmgrs.values()
                if qmgr.running
                for name, state in qmgr.activity.channels.items()
                if state.status == "RETRYING"
            }

        return self.read(channels_of)

    def hold(
        self, qmgr: str, channel: str, *, switch: bool = False, at: Instant | None = None
    ) -> None:
        """Hold a channel: it runs but does not send. With `switch`, hold its switch instead.

        Raises:
            BadName: if MQ does not allow the channel name.
        """
        check_channel(channel)
        self._command(events.ChannelHeld(qmgr=qmgr, channel=channel, switch=switch), at)

    def release(
        self, qmgr: str, channel: str, *, switch: bool | None = False, at: Instant | None = None
    ) -> None:
        """Undo a `hold` of the same channel and kind; with None as `switch`, of both kinds.

        Raises:
            BadName: if MQ does not allow the channel name.
        """
        check_channel(channel)
        both = switch is None and self._holds_switch(qmgr, channel, at)
        self._command(events.ChannelReleased(qmgr=qmgr, channel=channel, switch=bool(switch)), at)
        if both:
            self._command(events.ChannelReleased(qmgr=qmgr, channel=channel, switch=True), at)

    @sound
    def _holds_switch(self, qmgr: str, channel: str, at: Instant | None) -> bool:
        owner = self.view(as_of=at)[0].qmgr(qmgr)
        return owner.has_messaging and channel in owner.messaging.held_switch

    def runswchl(
        self, qmgr: str, channel: str, *, move: bool = True, at: Instant | None = None
    ) -> tuple[Switching, ...]:
        """Switch channels that do not run to the transmission queue that the definitions select.

        `channel` is a name, a generic name ending in an asterisk, or an asterisk. Without `move`,
        messages stay on the old queue.

        Raises:
            ControlRefused: if the queue manager does not run, or it has no such cluster-sender
                channel.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        arguments = (f"c={channel}", *([] if move else ["n"]))
        event = events.ControlCommandEntered(qmgr=qmgr, command="runswchl", arguments=arguments)
        return self._command(event, at).switched

    @sound
    def pending_switches(
        self, qmgr: str, channel: str, *, as_of: Instant | None = None
    ) -> tuple[list[Switching], AsOf]:
        """Return the channels that will switch at their next start, and the point of the answer.

        `channel` is as for `runswchl`. Nothing is recorded.

        Raises:
            ControlRefused: if the queue manager has no such cluster-sender channel.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        from twin.questions.seen_messages import bounds_for  # noqa: PLC0415 - few commands need it
        from twin.rules.channels.switching import pending_switches  # noqa: PLC0415 - few commands need it
        from twin.rules.commands.control import demand_channels  # noqa: PLC0415

        estate, point = self.view(as_of=as_of)
        owner = estate.qmgr(qmgr)
        demand_channels(owner, channel)
        switches = pending_switches(owner, channel, point.valid)
        if owner.is_only_observed:
            for place, each in enumerate(switches):
                least, most = bounds_for(owner, each.channel, each.xmitq)
                switches[place] = each._replace(messages=least, at_most=most)
        return switches, point

    @sound
    def knows_channel(self, qmgr: str, channel: str, *, as_of: Instant | None = None) -> bool:
        """Return whether a queue manager has a channel, defined or auto-defined.

        Raises:
            NoSuchQueueManager: if the queue manager does not exist.
        """
        from twin.rules.channels.switching import cluster_senders  # noqa: PLC0415 - few commands need it

        owner = self.view(as_of=as_of)[0].qmgr(qmgr)
        return channel in owner.channels or channel in cluster_senders(owner)


CHANNEL_OBSERVATION: Final = "observation:channel"
"""The source of an observation of a single channel."""


class ChannelObservationCalls(OpenBranch):
    """The call that records what was seen of a channel."""

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
        """Record an observation of a channel; its instant may be late.

        Args:
            qmgr: the queue manager that has the channel.
            channel: its name.
            at: the instant of the observation.
            status: the status in MQSC, such as RETRYING.
            indoubt: whether a batch of `curmsgs` messages waits for its confirmation.
            curmsgs: messages in the current batch.
            sent: nonpersistent messages of the current batch sent outside syncpoint.

        Raises:
            BadName: if MQ does not allow the channel name.
            BadWord: if no channel can have this status.
            BadBatch: if a count is negative, or more than a queue can hold.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        check_channel(channel)
        check_status(status)
        check_batch(curmsgs)
        check_batch(sent)
        self._demand_qmgr(qmgr, at)
        observation = events.ChannelObserved(
            qmgr=qmgr,
            channel=channel,
            status=status,
            indoubt=indoubt,
            curmsgs=curmsgs,
            sent=sent,
        )
        self.record_observations([Fact(observation, CHANNEL_OBSERVATION)], at=at)

    @sound
    def _demand_qmgr(self, name: str, at: Instant) -> None:
        self.view(as_of=at)[0].qmgr(name)
