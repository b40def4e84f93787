"""Control commands, the network and the zones of queue managers, and restoring from a backup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from twin import events
from twin.app.acting import Acting, Fact
from twin.app.open_branch import OpenBranch
from twin.app.repeating import sound
from twin.app.validation import check_reading
from twin.errors import SubjectError, TwinError
from twin.events.catalogue import columns_of_all
from twin.fold.handlers.restoring import backup_of
from twin.model.instants import Instant, format_instant
from twin.model.names import connection
from twin.model.platforms import DEFAULT_LEVEL, PLATFORMS
from twin.model.readings import READINGS, reading_of

if TYPE_CHECKING:
    from twin.rules.commands.dead_letters import Handled

LINK_ACTIONS: Final = ("cut", "heal", "delay")


class NoBackupYet(
    TwinError,
    ValueError,
    message="cannot restore to {}: it lies after {}, so there is no backup of it",
):
    """A restore of a queue manager to a future instant."""


class UnknownLinkAction(
    SubjectError,
    ValueError,
    message=f"unknown link action {{!r}}; expected one of {', '.join(LINK_ACTIONS)}",
):
    """An unknown action on a link."""


class QueueManagerCalls(Acting):
    """The calls about queue managers and links other than MQSC."""

    def control(
        self,
        command: str,
        qmgr: str,
        *arguments: str,
        configuration: events.AutomaticConfiguration | None = None,
        at: Instant | None = None,
    ) -> None:
        """Run a control command (crtmqm, strmqm, endmqm, dltmqm) with `name=value` arguments.

        Only crtmqm has a `configuration`; strmqm applies it at every start.

        Raises:
            ControlRefused: if MQ would refuse the command.
            BadConfiguration: if an ini file of the configuration is malformed or incomplete.
        """
        event = events.ControlCommandEntered(
            qmgr=qmgr, command=command, arguments=arguments, configuration=configuration
        )
        self._command(event, at)

    def crtmqm(
        self,
        qmgr: str,
        *,
        cmdlevel: int = DEFAULT_LEVEL,
        platform: str = PLATFORMS[0],
        configuration: events.AutomaticConfiguration | None = None,
        at: Instant | None = None,
    ) -> None:
        """Create a queue manager with the default objects of its command level."""
        arguments = (f"cmdlevel={cmdlevel}", f"platform={platform}")
        self.control("crtmqm", qmgr, *arguments, configuration=configuration, at=at)

    def strmqm(self, qmgr: str, *, at: Instant | None = None) -> None:
        """Start a queue manager."""
        self.control("strmqm", qmgr, at=at)

    def endmqm(self, qmgr: str, *, at: Instant | None = None) -> None:
        """End a queue manager."""
        self.control("endmqm", qmgr, at=at)

    def dltmqm(self, qmgr: str, *, at: Instant | None = None) -> None:
        """Delete a queue manager that has ended."""
        self.control("dltmqm", qmgr, at=at)

    def runmqdlq(
        self, qmgr: str, rules: str, *, queue: str = "", at: Instant | None = None
    ) -> tuple[Handled, ...]:
        """Process the messages on a dead-letter queue by a rules table, once.

        The queue is `queue`, or else INPUTQ of the table, or else DEADQ of the queue manager.

        Raises:
            BadRules: if the table is malformed, or needs what the twin does not model.
            ControlRefused: if the queue manager does not run, or the queue cannot be read.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        arguments = (*([f"queue={queue}"] if queue else []), f"rules={rules}")
        event = events.ControlCommandEntered(qmgr=qmgr, command="runmqdlq", arguments=arguments)
        return self._command(event, at).handled

    def exhaust(
        self, qmgr: str, *, stgclass: str = "", freed: bool = False, at: Instant | None = None
    ) -> None:
        """Let the repository of a queue manager run out of storage, until it is started again.

        With `stgclass`, on z/OS, let the page set of that storage class be full: puts on its queues
        fail with 2192. With `freed` it has room again.

        Raises:
            ControlRefused: if the queue manager does not run, or has no page sets.
            NoSuchQueueManager: if the queue manager does not exist.
        """
        page_set = events.PageSetFilled(qmgr=qmgr, stgclass=stgclass, full=not freed)
        self._command(page_set if stgclass else events.RepositoryStorageExhausted(qmgr=qmgr), at)

    def link(
        self,
        action: str,
        one: str,
        other: str,
        *,
        latency: int = 0,
        silent: bool = False,
        at: Instant | None = None,
    ) -> None:
        """Cut, heal or delay the network between two queue managers.

        `other` may be an address, host(port) in lower case: with `cut` it leads no longer to `one`.
        With `silent`, a cut lets packets vanish, and no channel is told. `delay` sets the latency,
        in microseconds. With two empty names, it sets the latency of all links that have none of
        their own.

        Raises:
            NoSuchQueueManager: if one of them does not exist.
            UnknownLinkAction: if the action is not one of LINK_ACTIONS.
        """
        if action not in LINK_ACTIONS:
            raise UnknownLinkAction(action)
        event = events.LinkChanged(
            qmgr=one,
            other=other,
            cut=None if action == "delay" else action == "cut",
            latency=latency if action == "delay" else None,
            silent=silent and action == "cut",
        )
        self._command(event, at)

    def move(self, qmgr: str, *, old: str, new: str = "", at: Instant | None = None) -> None:
        """Let the addresses of a CONNAME lead no longer to a queue manager; others may do so again.

        Channels that hold no other address of it fail.

        Raises:
            NoSuchQueueManager: if it does not exist.
        """
        for action, addresses in (("heal", new), ("cut", old)):
            for host, port in connection(addresses):
                self.link(action, qmgr, f"{host}({port})", at=at)

    def choose_reading(self, name: str, value: str, *, at: Instant | None = None) -> None:
        """Choose how the model behaves where documents are silent (`twin.model.readings`).

        What is recorded already stays as it is.

        Raises:
            BadWord: if there is no such reading, or it has no such value.
        """
        check_reading(name, value)
        self._command(events.ReadingChosen(qmgr="", reading=name, value=value), at)

    def readings(self, *, as_of: Instant | None = None) -> dict[str, str]:
        """Return the value of every reading, chosen or by default."""
        chosen = self.view(as_of=as_of)[0].readings
        return {**{name: reading_of(chosen, name) for name in READINGS}, **chosen}

    @sound
    def restore(self, qmgr: str, *, to: Instant, at: Instant | None = None) -> None:
        """Restore a queue manager to an earlier instant, as from a backup.

        A running queue manager is ended first and started afterwards. Other queue managers keep
        their records of it; REFRESH CLUSTER at the restored one reconciles them.

        Raises:
            NoBackupYet: if the instant is in the future.
            NoSuchQueueManager: if the queue manager does not exist now, or did not exist then.
            ControlRefused: if the QMID of the queue manager has changed since then.
        """
        when = self.now() if at is None else at
        if to > when:
            raise NoBackupYet(format_instant(to), format_instant(when))
        then, _ = self.view(as_of=to)
        self._command(backup_of(then.qmgr(qmgr), to=to), at)


_OF_FILES: Final = sorted(
    columns_of_all(
        (
            *(events.ObjectsObserved, events.BeliefsObserved, events.ChannelObserved),
            *(events.QueueManagerStatusObserved, events.SuspensionObserved),
            *(events.ClusterCommandObserved, events.TransmissionQueueObserved),
            *(events.RepositoryManagerObserved, events.RenewalOverdueObserved),
            *(events.DepthsObserved, events.IntervalCounted, events.EvidenceObserved),
            *(events.ListenersObserved, events.ConfigurationObserved),
        )
    )
)
"""The type columns of facts that files say."""


class ZoneChanged(NamedTuple):
    """The zone of a queue manager, where a new one was stated.

    Attributes:
        qmgr: the queue manager.
        zone: its zone from now on.
        before: its zone until now; None if none was stated, and local times were read as UTC.
        read: the positions of the facts that were read from files before.
    """

    qmgr: str
    zone: str
    before: str | None
    read: tuple[int, ...]


class ZoneCalls(OpenBranch):
    """The calls about zones."""

    def zones(self) -> dict[str, str]:
        """Return the zones that are stated on this branch, by the name of the queue manager."""
        return self.read(lambda estate: dict(estate.zones))

    def state_zone(self, qmgr: str, zone: str, *, upto: int | None = None) -> ZoneChanged | None:
        """Record the zone of a queue manager, known or not; return None if it is known already.

        It is recorded at the latest instant of the branch and counts for what is read later. `upto`
        is the position up to which facts count as read before; None means now.
        """
        before = self.zones().get(qmgr)
        if before == zone:
            return None
        head = self.log.head(self.branch).position
        known = head if upto is None else upto
        rows = (
            self.log.rows(branch=self.branch, known=known, types=_OF_FILES, qmgrs=[qmgr])
            if known
            else []
        )
        fact = Fact(events.ZoneStated(qmgr=qmgr, zone=zone), "observation:zone")
        self.writer.observe(lambda _: [fact], at=self._clock_policy.present(self.branch))
        return ZoneChanged(qmgr, zone, before, tuple(sorted(row[1] for row in rows)))
