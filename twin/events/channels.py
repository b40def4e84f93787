"""Channels, listeners and services: status, switches, and messages in doubt or at risk."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, Literal

from twin.events.base import (
    ChannelEvent,
    Event,
    Observation,
    PrimaryFact,
    TransmissionQueueEvent,
    event,
    value,
)
from twin.model.instants import Instant


def _never_disconnects(body: dict[str, Any]) -> dict[str, Any]:
    """Keep a channel running that was recorded before the disconnect interval had an effect."""
    return {**body, "discint": 0} if body["status"] == "RUNNING" else body


@event
class ChannelStatusChanged(ChannelEvent):
    """The status of a channel changed to `status` (a word of MQSC); `reason` is a message id.

    Attributes:
        retries: of a RETRYING channel: short count, short interval, long count, long interval, in
            microseconds; None for the defaults.
        gives_up: of a RETRYING channel: the instant of its last retry, if it has one.
        discint: of a RUNNING channel: the idle time in microseconds until it disconnects; 0 for
            never, None for the default.
        observed: of a RETRYING channel: whether its failure was observed, so that a hold keeps the
            channel down.
        requested: of an INACTIVE channel: whether STOP CHANNEL asked for its end.
        hbint: of a RUNNING channel: the heartbeat interval in microseconds that both ends agreed
            on; 0 for none, None for the default.
        hangs: of a RETRYING channel: how long a retry waits for an answer before it fails, in
            microseconds.
    """

    upcasts: ClassVar = (_never_disconnects,)

    status: str
    partner: str = ""
    reason: str = ""
    retries: tuple[int, int, int, int] | None = None
    gives_up: Instant | None = None
    discint: int | None = None
    observed: bool = False
    requested: bool | None = None
    hbint: int | None = None
    hangs: int = 0


@event
class ChannelRetryAwaited(ChannelEvent):
    """The retry of a channel at `at` will change something; without `at`, no retry will.

    It will reach its partner again, move waiting messages, or switch its transmission queue. A
    `reason` is the message that says why the retry now failed, if that has changed.
    """

    at: Instant | None = None
    reason: str = ""


@event
class MessageRetryAwaited(ChannelEvent):
    """The receiving end of a channel could not put a message, and tries again (MRRTY, MRTMR).

    `at` is the next attempt that may change something, and `last` the last one. Without `at`, the
    message was put, on its queue or on the dead-letter queue.
    """

    at: Instant | None = None
    last: Instant | None = None


@event
class ChannelEndSilent(ChannelEvent):
    """An end of a channel gets no answer from its partner, and has not noticed this yet.

    Attributes:
        partner: the queue manager at the other end.
        heard: when the partner was heard last.
        notices: when this end will give up; None for never.
        receiving: whether it is the receiving end.
        waits: whether it is a sending end that has sent something and waits for the answer.
        since: of a receiving end: when the channel started.
    """

    partner: str
    heard: Instant
    notices: Instant | None = None
    receiving: bool = False
    waits: bool = False
    since: Instant = 0


@event
class ChannelEndHeard(ChannelEvent):
    """An end of a channel that was silent hears its partner again, or its session is forgotten."""

    partner: str
    receiving: bool = False


@event
class ReceivingEndEnded(ChannelEvent):
    """A receiving end ended, and its partner was not told; `reason` is a message id.

    Without a reason it was stopped.
    """

    partner: str
    reason: str = ""


@event
class ListenerStarted(Event):
    """A listener was started."""

    listener: str


@event
class ListenerStopped(Event):
    """A listener was stopped."""

    listener: str


@event
class ServiceStarted(Event):
    """A service with SERVTYPE(SERVER) was started."""

    service: str


@event
class ServiceStopped(Event):
    """A service with SERVTYPE(SERVER) was stopped."""

    service: str


def _of_all_instances(body: dict[str, Any]) -> dict[str, Any]:
    """Keep an observation that was recorded before instances were told apart."""
    return body


@event
class ChannelObserved(Observation):
    """The state of a channel was observed; None means not observed.

    `status` is a word of MQSC. `indoubt` tells whether a batch of `curmsgs` messages waits for its
    confirmation. `sent` nonpersistent messages of the batch were sent outside syncpoint. Of a
    RETRYING channel `shortrts` short and `longrts` long retries were left.

    With `instance`, this was said of one instance of the channel: the one with a partner at this
    address, '' if it is unknown. A channel that sends has only one. A channel that receives has an
    instance for each partner: nothing follows from one of them, but STOPPED is the status of all.

    Attributes:
        kind: its CHLTYPE.
        partner: the queue manager at its other end (RQMNAME, or CLUSQMGR).
        began: when this status began, where the source says so (CHSTADA of a running channel).
        repeated: whether DISPLAY CLUSQMGR said it, which repeats CHSTATUS, and may lag behind it.
        saved: whether it is a SAVED row, which has no status.
        cells: the columns of DISPLAY CHSTATUS as they were shown, '' for blank.
        reason: the id of the message of an error log that said it.
    """

    upcasts: ClassVar = (_of_all_instances,)
    understood_since: ClassVar[str] = "0.2.0"

    channel: str
    status: str | None = None
    indoubt: bool | None = None
    curmsgs: int | None = None
    sent: int | None = None
    instance: str | None = None
    shortrts: int | None = None
    longrts: int | None = None
    kind: str | None = field(default=None, repr=False)
    partner: str | None = field(default=None, repr=False)
    began: Instant | None = field(default=None, repr=False)
    repeated: bool | None = field(default=None, repr=False)
    saved: bool | None = field(default=None, repr=False)
    cells: dict[str, str] | None = field(default=None, repr=False)
    reason: str | None = field(default=None, repr=False)


@event
class ChannelSequenceReset(ChannelEvent):
    """The ends of a channel agree again about the next sequence number."""

    understood_since: ClassVar[str] = "0.2.0"


@event
class ChannelHeld(PrimaryFact):
    """A running channel sends nothing; with `switch`, its switch does not finish."""

    channel: str
    switch: bool = False


@event
class ChannelReleased(PrimaryFact):
    """A held channel, or its held switch, continues."""

    channel: str
    switch: bool = False


@event
class ChannelBatchInDoubt(ChannelEvent):
    """The first `count` messages for a channel are in doubt; 0: none are in doubt any more."""

    count: int


@event
class MessagesAtRisk(ChannelEvent):
    """`count` nonpersistent messages were sent outside syncpoint and may be lost."""

    count: int


@event
class TransmissionQueueAssigned(TransmissionQueueEvent):
    """A cluster-sender channel got its first transmission queue."""


@event
class TransmissionQueueKept(TransmissionQueueEvent):
    """XMITQ of a running SDR or SVR channel was altered; it keeps this queue until it ends."""


@event
class TransmissionQueueInhibited(TransmissionQueueEvent):
    """A sender or server channel was STOPPED: MQ set its queue GET(DISABLED) and NOTRIGGER."""


@event
class TransmissionQueueRestored(TransmissionQueueEvent):
    """A sender or server channel started: MQ restored GET and TRIGGER of its queue."""


@event
class TransmissionQueueSwitchBegan(TransmissionQueueEvent):
    """A cluster-sender channel began, at its start, to switch to another transmission queue."""

    to: str


@event
class TransmissionQueueSwitchStopped(TransmissionQueueEvent):
    """A switch has stopped for a reason code about `queue`; `left` messages are on the old queue.

    It goes on when the channel starts again, or by runswchl.
    """

    reason: int
    left: int = 0


@value
class Portion:
    """The next portion of a switch, or of a reallocation pass.

    Attributes:
        at: the instant at which it is moved.
        done: how many messages were handled before: moved by a switch; looked at by a pass.
        left: how many were not, as far as is known now.
        kept: of a pass: how many of those that it looked at stayed.
        cause: of a pass: why it began.
        then: of a pass that keeps its channel STOPPING (z/OS): the status that follows.
    """

    at: Instant
    done: int = 0
    left: int = 0
    kept: int = 0
    cause: Literal["stop", "retry"] = "stop"
    then: str = ""


@event
class PortionAwaited(ChannelEvent):
    """A switch or a reallocation pass of a channel goes on with its next `portion`.

    Each portion is a unit of work of its own. Without one, the work is over, or goes on at a start.
    """

    understood_since: ClassVar[str] = "0.2.0"

    work: Literal["switch", "pass"]
    portion: Portion | None = None


@event
class TransmissionQueueSwitched(TransmissionQueueEvent):
    """A cluster-sender channel was switched to this transmission queue.

    `stranded` messages were left on the old queue (runswchl -n).
    """

    stranded: int = 0
