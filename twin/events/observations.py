"""What feeds say of a running estate: statuses, depths, counters, and evidence."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Literal

from pydantic import Field

from twin.events.base import Observation, event, value
from twin.model.instants import Instant


@event
class QueueManagerStatusObserved(Observation):
    """A queue manager was observed to run, or to have ended.

    `status` is RUNNING or ENDED, or another word of DISPLAY QMSTATUS such as STARTING, from which
    nothing follows. `started` is the instant since which it runs; with
    `restarted`, that is the instant of the observation. `cells` are the columns of DISPLAY QMSTATUS
    as they were shown, '' for blank; in logs of earlier versions `initiator` and `command_server`
    stand for CHINIT and CMDSERV.
    """

    understood_since: ClassVar[str] = "0.2.0"

    status: str
    started: Instant | None = None
    restarted: bool | None = field(default=None, repr=False)
    initiator: str | None = field(default=None, repr=False)
    command_server: str | None = field(default=None, repr=False)
    cells: dict[str, str] | None = field(default=None, repr=False)


@event
class ZoneStated(Observation):
    """The local times of a queue manager are those of this zone, such as Europe/Berlin.

    It counts for what is read later. What was read before keeps its instants.
    """

    understood_since: ClassVar[str] = "0.2.0"

    zone: str


@event
class QueueManagerGone(Observation):
    """A queue manager no longer exists; its messages and its objects went with it.

    `renamed` is the name under which it was built again, '' if it was not.
    """

    understood_since: ClassVar[str] = "0.2.0"

    renamed: str = ""


@event
class ChannelsListed(Observation):
    """A complete answer listed the channels that have a status.

    All other channels that send, and whose names match the generic name `complete`, are INACTIVE.
    """

    understood_since: ClassVar[str] = "0.2.0"

    complete: str
    shown: tuple[str, ...] = ()


@event
class SuspensionObserved(Observation):
    """A queue manager was observed to be suspended from a cluster, or not."""

    understood_since: ClassVar[str] = "0.2.0"

    cluster: str
    suspended: bool


@event
class ClusterCommandObserved(Observation):
    """SUSPEND, RESUME, REFRESH or RESET was asked for, or `done`.

    A command that was only asked for may have failed; nothing follows from it. One of `cluster` and
    `namelist` may be empty, or both. `user` is who gave it.
    """

    understood_since: ClassVar[str] = "0.2.0"

    command: Literal["SUSPEND", "RESUME", "REFRESH", "RESET"]
    cluster: str = ""
    namelist: str = ""
    user: str = ""
    done: bool = False


@event
class TransmissionQueueObserved(Observation):
    """A cluster-sender channel was observed to use this transmission queue, or to switch to it."""

    understood_since: ClassVar[str] = "0.2.0"

    channel: str
    queue: str


@event
class ListenersObserved(Observation):
    """These listeners were observed to run.

    With `complete`, no other listener runs whose name matches this generic name. `cells` are the
    columns of DISPLAY LSSTATUS by listener as they were shown, '' for blank.
    """

    understood_since: ClassVar[str] = "0.2.0"

    running: tuple[str, ...] = ()
    complete: str | None = None
    cells: dict[str, dict[str, str]] | None = field(default=None, repr=False)


@event
class RepositoryManagerObserved(Observation):
    """The repository manager was observed to fail (AMQ9448), or to run again (AMQ9449).

    It runs the operation again after the time `after`, and the queue manager ends after the time
    `left`, in microseconds; None if the record does not say it, as on z/OS.
    """

    understood_since: ClassVar[str] = "0.2.0"

    running: bool
    after: int | None = field(default=None, repr=False)
    left: int | None = field(default=None, repr=False)


@event
class RenewalOverdueObserved(Observation):
    """An error log warned that a record was not republished; see `RenewalOverdue`.

    `id` is AMQ9469 or AMQ9456. `cluster`, `owner` (a QMID) and `name` (a channel, or an object of
    the cluster) are empty if the message does not name them. The republication was due `days` ago;
    the record is removed in `left` days.
    """

    understood_since: ClassVar[str] = "0.2.0"

    id: str
    cluster: str = ""
    owner: str = ""
    name: str = ""
    days: int | None = None
    left: int | None = None


@event
class QueueManagerReplaced(Observation):
    """A queue manager has replaced another one by reusing the name of its CLUSRCVR (AMQ9468).

    `owner` is the QMID of the one that was replaced, `by` that of the other.
    """

    understood_since: ClassVar[str] = "0.2.0"

    owner: str
    by: str
    channel: str = ""


@value
class QueueDepth:
    """A queue as it was observed; None means not observed.

    Attributes:
        queue: its name.
        depth: the messages on it.
        highest: its highest depth since the counters were reset.
        oldest: the age of its oldest message in seconds.
        cells: the columns of DISPLAY QSTATUS as they were shown, '' for blank.
    """

    queue: str
    depth: int | None = None
    highest: int | None = None
    oldest: int | None = None
    cells: dict[str, str] | None = field(default=None, repr=False)


@event
class DepthsObserved(Observation):
    """The depths of queues were observed at one instant."""

    understood_since: ClassVar[str] = "0.2.0"

    depths: tuple[QueueDepth, ...]


@event
class ConfigurationObserved(Observation):
    """The whole file qm.ini was read: the attributes of each stanza, with names in upper case.

    The file has no instant: it is true as of its import. Of stanzas of one name the last counts.
    """

    understood_since: ClassVar[str] = "0.2.0"

    stanzas: dict[str, dict[str, str]]


@event
class IntervalCounted(Observation):
    """Statistics or accounting counted this in an interval, which ended at its instant.

    Attributes:
        kind: `qmgr`, `queue` or `channel`; of accounting, `connection` or `connection queue`.
        name: the queue or channel; '' for the queue manager or a connection.
        begin: the begin of the interval; None if it is unknown.
        labels: other names: connection name, application, user.
        counters: the numbers by name; the parts of a list of numbers are `NAME.1`, `NAME.2`.
    """

    understood_since: ClassVar[str] = "0.2.0"

    kind: str
    name: str = ""
    begin: Instant | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    counters: dict[str, int] = Field(default_factory=dict)


@event
class EvidenceObserved(Observation):
    """A record of a feed from which nothing follows.

    `id` is that of a message of an error log, or the reason code of an event message. `channel` is
    the channel that the record names. `digest` is that of its text, which is kept apart.
    """

    understood_since: ClassVar[str] = "0.2.0"

    id: str
    channel: str = ""
    inserts: tuple[str, ...] = ()
    digest: str = ""
