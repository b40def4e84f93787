"""Observations of single channels, made by hand."""

from __future__ import annotations

from typing import Final

from twin import events
from twin.app.acting import Fact
from twin.app.open_branch import OpenBranch
from twin.app.repeating import sound
from twin.app.validation import check_batch, check_channel, check_status
from twin.model.instants import Instant

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
