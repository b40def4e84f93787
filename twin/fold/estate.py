"""The estate: the state of every queue manager at one instant, computed from the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from twin.errors import SubjectError
from twin.events import AutomaticConfiguration, Portion, StatedObject
from twin.events.base import Values
from twin.fold.agenda import Agenda, TimerKind
from twin.fold.beliefs import AnswerWait, Contents, Names, Publication
from twin.fold.messaging import Messaging
from twin.fold.repository import Repository
from twin.fold.seen_before import SeenBefore, SeenQmids
from twin.fold.seen_states import SeenStates
from twin.model.instants import SECOND, Instant, format_instant
from twin.model.objects import Definition, ObjectKey, value_in
from twin.model.platforms import version_of
from twin.model.retries import Retries
from twin.model.silence import HBINT

Part: TypeAlias = Literal["definitions", "repository", "published", "activity", "messaging"]
"""A part of a queue manager: each is stored and loaded separately."""

_UNSURE: Final = attrgetter("unsure")

PARTS: Final[tuple[Part, ...]] = (
    "definitions",
    "repository",
    "published",
    "activity",
    "messaging",
)


class NoSuchQueueManager(
    SubjectError, LookupError, message="AMQ8118E: IBM MQ queue manager {} does not exist"
):
    """There is no queue manager of this name in the log at this instant."""


class OnlyStatesKnown(
    NoSuchQueueManager,
    message="of {0} only states or logs are known at this instant, no definitions "
    "(twin ask ingest)",
):
    """Something was observed of a queue manager, but none of its definitions by this instant."""


class OnlyRecordsKnown(
    NoSuchQueueManager,
    message="{0} was not imported: only the records that others hold of it are known, its "
    "definitions are not (twin ask ingest)",
):
    """Others were seen to hold records of a queue manager; nothing else is known of it."""


class QueueManagerIsGone(
    NoSuchQueueManager,
    message="AMQ8118E: IBM MQ queue manager {0} does not exist: {1}",
):
    """It was stated to be gone by this instant, and nothing was seen of it since."""


DISCINT: Final = 6000 * SECOND
"""The default of DISCINT, in microseconds: how long a channel stays connected without messages.

Source: a dump of the default objects of IBM MQ 9.3.
"""


class Silence(NamedTuple):
    """An end of a channel that gets no answer from its partner, and does not know yet.

    Attributes:
        heard: when the partner was heard last.
        notices: when this end will give up; None for never.
        waits: whether it has sent something and waits for the answer.
        since: of a receiving end: when the channel started.
        ended: whether it is a receiving end that has ended while the sending end does not know.
        position: the position of the event that said so.
    """

    heard: Instant
    notices: Instant | None
    waits: bool = False
    since: Instant = 0
    ended: bool = False
    position: int = 0


class Confirmation(NamedTuple):
    """The last observations of a kind of object, also if they changed nothing.

    Attributes:
        position: the latest position of one, also if that is not of the latest instant.
        complete: the position of the last one that names all objects of the kind; 0 if none does.
        at: the instant of that one.
        others: the instants of later ones that name some objects only: by name, or by `*` and the
            type if they named all of that type; by `+` and the name if a row of DISPLAY CLUSQMGR
            about the queue manager itself showed an object.
    """

    position: int
    complete: int = 0
    at: Instant = 0
    others: dict[str, Instant] | None = None

    def last_seen(self, name: str, type_name: str) -> Instant:
        """Return when an object was seen last, or seen to be missing; 0 if never."""
        others = self.others or {}
        return max(self.at, others.get(name, 0), others.get(f"*{type_name}", 0))


NEVER_CONFIRMED: Final = Confirmation(0)
"""What is known of a kind of object that was never observed."""


class Unsure(NamedTuple):
    """What an object may be instead of what it was last seen to be.

    Attributes:
        since: the instant from which it may be so.
        type: its type.
        values: its attributes, as in a definition; of the queue manager those that differ.
    """

    since: Instant
    type: str
    values: Values


class ChannelState(NamedTuple):
    """The status of a channel at a queue manager, as it was last recorded.

    Attributes:
        status, partner, reason: of the channel; `partner` is a queue manager name.
        since: when it got this status.
        position: the position of the event that gave it this status.
        retry: the instant of the next retry that will change something; None if none will.
        retries: the retry counts and intervals that apply since the channel failed.
        gives_up: the instant of the last retry, if there is one.
        discint: the disconnect interval in microseconds with which it started; 0 for none.
        used: when it last sent messages; None if it has sent none since it started.
        sent: how many messages it has sent.
        arrived: how many messages are known to have arrived at the partner.
        observed: whether it is RETRYING because a failure was observed.
        message_retry: while the partner retries to put a message: its next attempt that may change
            something, and the last one.
        hbint: the heartbeat interval in microseconds with which it started; 0 for none.
        silence: what it waits for while nothing comes from its partner; None if all is well.
    """

    status: str
    partner: str
    since: Instant
    reason: str
    position: int
    retry: Instant | None = None
    retries: Retries = Retries()
    gives_up: Instant | None = None
    discint: int = DISCINT
    used: Instant | None = None
    sent: int = 0
    arrived: int = 0
    observed: bool = False
    message_retry: tuple[Instant, Instant] | None = None
    hbint: int = HBINT
    silence: Silence | None = None

    @property
    def ends(self) -> Instant | None:
        """The instant at which a running channel disconnects if it sends nothing more, or None."""
        if self.status != "RUNNING" or not self.discint:
            return None
        return (self.since if self.used is None else self.used) + self.discint


class Assumption(NamedTuple):
    """What is assumed of an observed queue manager while nothing shows all that it holds.

    Attributes:
        used: whether it uses every queue that its definitions point to.
        queues: other queues that it uses.
        since: when that was chosen; None by default.
    """

    used: bool = True
    queues: tuple[str, ...] = ()
    since: Instant | None = None


class Link(NamedTuple):
    """The network between two queue managers.

    `latency` is in microseconds; None means the default latency of the estate. `silent`: the link
    is cut and packets vanish, so that nobody is told.
    """

    cut: bool = False
    latency: int | None = None
    silent: bool = False


@dataclass(slots=True)
class Running:
    """What runs at a queue manager.

    Attributes:
        channels: the status of each channel that has one, by name.
        listeners: when each running listener started.
        services: when each running service started.
        saved: when each channel last started to run; kept when the channel ends.
        tried: the channels that were started but never ran.
        waits: the calls that wait for an answer of full repositories, by the names they wait for.
        silent: (channel, partner) -> a receiving end that hears nothing from that partner.
        seen: what feeds last said.
        portions: (channel, `switch` or `pass`) -> the next portion of what moves its messages.
    """

    channels: dict[str, ChannelState] = field(default_factory=dict)
    listeners: dict[str, Instant] = field(default_factory=dict)
    saved: dict[str, Instant] = field(default_factory=dict)
    tried: dict[str, None] = field(default_factory=dict)
    services: dict[str, Instant] = field(default_factory=dict)
    waits: dict[Names, AnswerWait] = field(default_factory=dict)
    silent: dict[tuple[str, str], Silence] = field(default_factory=dict)
    seen: SeenStates = field(default_factory=SeenStates)
    portions: dict[tuple[str, str], Portion] = field(default_factory=dict)


@dataclass
class QueueManager:
    """One queue manager. Each part is loaded from its snapshot when it is first read.

    Attributes:
        observed: whether an observation named it first.
        simulated: whether the rules decide what happens to it although it is `observed`: so it is
            on a branch. It is not stored.
        definitions: every object by (kind, name).
        repository: its cluster repository.
        published: its own publications by sequence number.
        activity: what runs at it.
        messaging: its messages, handles and workload counters.
        channels: the type of every channel that was defined or altered, by name.
        suspended: the clusters in which it is suspended, with the mode.
        configuration: its automatic configuration, if crtmqm gave it one.
        confirmed: the last observations of each kind of object.
        unsure: kind -> name -> what an object may be instead: a later observation shows it. The
            kind `QMGR`, with the name '', is the queue manager itself; with another name, the QMID
            of the queue manager that was built again under its name.
        built: when it was created, as it says; None if nothing says it.
        made_qmid: whether nothing said its QMID, so that the twin made one.
        identified: whether its QMID was not in its first observation, and was seen elsewhere.
        dated: whether `altered` was shown, or a command did it.
        zone: the zone in which the dates of its objects were read last, '' for UTC.
        made_level: whether nothing said its command level, so that it has the default one.
        version: its VERSION, VVRRMMFF, as it was last seen or created; '' if nothing says it.
        failed: whether its repository manager ended it, when it last ended.
        deleted: when it was deleted, or stated to be gone; None if it may exist elsewhere.
        restored: whether it was ever restored to an earlier state.
        has_messaging: whether its `messaging` was ever changed; if not, that part has no page.
        cluster_queues_changed: whether its command queue or any transmission queue was ever
            defined or altered, or its repository ran out of storage; if not, they take every
            message.
        earliest_timers: the earliest instant of each kind of timer, noted when its parts were
            stored.
        changed: the parts that changed since the last snapshot.
        contents: the distinct contents of its publications, as in its page. The publications share
            these objects.
        load: reads a part from its pages, and enters the timers of the part in the agenda.
        page: returns a page by name, as it was last stored; None if it was never stored. In a copy
            it may return the page of the records as the repository that was copied.
    """

    name: str
    qmid: str
    created: Instant
    cmdlevel: int
    platform: str
    position: int
    observed: bool = False
    simulated: bool = field(default=False, compare=False)
    running: bool = False
    started: Instant | None = None
    failed: bool = False
    values: Values = field(default_factory=dict)
    altered: Instant | None = None
    channels: dict[str, str] = field(default_factory=dict)
    suspended: dict[str, str] = field(default_factory=dict)
    configuration: AutomaticConfiguration | None = None
    confirmed: dict[str, Confirmation] = field(default_factory=dict)
    unsure: dict[str, dict[str, Unsure]] = field(default_factory=dict)
    built: Instant | None = None
    made_qmid: bool = False
    identified: bool = False
    dated: bool = True
    zone: str = ""
    made_level: bool = False
    version: str = ""
    deleted: Instant | None = None
    restored: bool = False
    has_messaging: bool = False
    cluster_queues_changed: bool = False
    earliest_timers: dict[TimerKind, Instant] = field(default_factory=dict)
    changed: set[Part] = field(default_factory=set)
    contents: list[Contents] = field(default_factory=list, compare=False)
    load: Callable[[QueueManager, Part], Any] | None = None
    page: Callable[[str], Any] | None = None

    if TYPE_CHECKING:
        definitions: dict[ObjectKey, Definition] = field(init=False)
        repository: Repository = field(init=False)
        published: dict[int, Publication] = field(init=False)
        activity: Running = field(init=False)
        messaging: Messaging = field(init=False)
    else:

        def __getattr__(self, name: str) -> Any:
            """Load a part when it is first used; after that it is a normal attribute."""
            if name not in PARTS or self.load is None:
                raise AttributeError(name)
            part = self.load(self, name)
            setattr(self, name, part)
            return part

    def text(self, keyword: str) -> str:
        """Return one of its own attributes as a string; if it is not set, the default."""
        return str(value_in("QMGR", self.values, keyword))

    def number(self, keyword: str) -> int:
        """Return one of its own attributes as a number; if it is not set, the default."""
        return int(self.text(keyword))

    @property
    def known_start(self) -> Instant | None:
        """When it started last; None if it never did, or ran already when it was first observed.

        An observed queue manager may have said when it had started.
        """
        if not self.observed:
            return self.started
        seen = self.activity.seen.starts.get(self.name)
        known = [] if self.started in {None, self.created} else [self.started]
        return max([*known, *([seen.started] if seen else [])], default=None)

    @property
    def alter_date(self) -> Instant | None:
        """When its attributes were last altered; None if they never were, or nothing shows when."""
        return self.altered if self.dated else None

    @property
    def created_at(self) -> Instant | None:
        """When it was created; None if nothing says it, and it only became known at `created`."""
        return self.created if self.built is None and not self.observed else self.built

    @property
    def shows_all(self) -> bool:
        """Whether its own attributes are known: what was not set has its default.

        Logs of version 0.1 hold what a dump changed, and not how much it showed.
        """
        if not self.observed or not self.confirmed:
            return True
        return self.confirmed.get("QMGR", NEVER_CONFIRMED).complete > 0

    @property
    def may_be_rebuilt(self) -> bool:
        """Whether a later observation shows that another one may have its name now."""
        return any(self.unsure.get("QMGR", ()))

    @property
    def says_qmid(self) -> bool:
        """Whether its QMID was in its first observation, or made by crtmqm."""
        return not (self.made_qmid or self.identified)

    @property
    def known_version(self) -> str:
        """VERSION as far as it is known: VVRRMMFF, VVRRMM of a known level, or ''."""
        return self.version if self.version or self.made_level else version_of(self.cmdlevel)

    def was_seen(self, kind: str, name: str, type_name: str) -> bool:
        """Return whether an object was seen, or seen to be missing: a date says when it was so."""
        if self.confirmed.get(kind, NEVER_CONFIRMED).last_seen(name, type_name):
            return True
        known = self if kind == "QMGR" else self.definitions.get((kind, name))
        return known is not None and known.altered is not None

    def not_seen(self, kind: str, said: Iterable[StatedObject]) -> tuple[StatedObject, ...]:
        """Return what is said of objects that nobody saw, nor that they are missing."""
        return tuple(each for each in said if not self.was_seen(kind, each.name, each.type))

    def was_shown(self, definition: Definition) -> bool:
        """Return whether an object is a fact: not only what every new queue manager has.

        Of an observed queue manager nobody saw a default object that no observation named, unless
        an observation was complete for its kind.
        """
        if not self.observed or any((definition.position, definition.altered, definition.created)):
            return True
        return (
            self.confirmed.get(definition.kind, NEVER_CONFIRMED).complete > 0
            or definition.name in self.activity.seen.depths
        )

    def knows_by_rows(self, definition: Definition) -> bool:
        """Return whether nothing but its own rows of DISPLAY CLUSQMGR showed a CLUSRCVR.

        They may have only some of its columns; no dump, script or DISPLAY CHANNEL has any of it.
        """
        seen = self.confirmed.get(definition.kind, NEVER_CONFIRMED)
        is_shown = f"+{definition.name}" in (seen.others or {})
        return is_shown and seen.last_seen(definition.name, definition.type) < (
            definition.created or 0
        )

    def lacks_address(self, definition: Definition) -> bool:
        """Return whether a CLUSRCVR may have a CONNAME that nobody saw, as only rows showed it."""
        is_blank = definition.type == "CLUSRCVR" and not definition.values.get("CONNAME")
        return is_blank and self.knows_by_rows(definition)

    @property
    def is_only_observed(self) -> bool:
        """Whether nothing but observations changes what was seen of it."""
        return self.observed and not self.simulated


class Gone(NamedTuple):
    """When a queue manager was stated to be gone, and seen last; 0 if it never was."""

    since: Instant
    seen: Instant

    def __str__(self) -> str:
        """Say it in words that follow the queue manager."""
        seen = f"; it was seen last at {format_instant(self.seen)}" if self.seen else ""
        return f"it was stated to be gone at {format_instant(self.since)}{seen}"


class SignOfDeath(NamedTuple):
    """What a log says of a queue manager that may no longer exist.

    Attributes:
        at: the instant of the record.
        position: the position of the observation.
        by: the QMID of the queue manager that replaced it; '' if it only renews nothing.
        days: for how many days it has renewed nothing.
    """

    at: Instant
    position: int
    by: str = ""
    days: int = 0


@dataclass(slots=True, weakref_slot=True)
class Estate:
    """All queue managers at one instant.

    Attributes:
        qmgrs: the existing queue managers, by name.
        departed: the queue managers that were deleted, or replaced by one with a later QMID, by
            QMID; others may still hold their records.
        named: the queue managers of which only records that others hold are known, by QMID: whether
            they exist, and run, is not known.
        names: QMID -> name, of existing, deleted and only named queue managers.
        ends: (channel name, type) -> the queue managers that have such a channel.
        links: (name, name), sorted -> the network between two queue managers, where it differs from
            the default; ('', '') has the default latency.
        readings: the value of each reading that was chosen (`twin.model.readings`).
        seen_qmids: the QMIDs that were seen of each name.
        signs_of_death: what logs last said of queue managers that may no longer exist, by QMID.
        zones: the name of a queue manager, known or not -> the zone of its local times.
        assumptions: what was chosen to be assumed of queue managers, by name.
        undefined: the name of each queue manager of which only states or logs are known -> the
            position of the first of these observations.
        seen_before: what was observed of queue managers before they were known, by name.
        healed: (name, name), sorted -> when the link was last healed; ('', '') for all links.
        agenda: the timers.
        qmgrs_with_waiting_messages: the names of queue managers with messages on transmission
            queues.
        qmgrs_holding_channels: the names of queue managers with a held channel, or with messages in
            doubt or at risk.
        simulated: whether the rules decide what happens to observed queue managers too: on every
            branch but main. It is not stored.
        instant: the instant of the last event that was folded.
        position: the highest position that was folded.
    """

    qmgrs: dict[str, QueueManager] = field(default_factory=dict)
    departed: dict[str, QueueManager] = field(default_factory=dict)
    named: dict[str, QueueManager] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    ends: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    links: dict[tuple[str, str], Link] = field(default_factory=dict)
    readings: dict[str, str] = field(default_factory=dict)
    seen_qmids: SeenQmids = field(default_factory=dict)
    signs_of_death: dict[str, SignOfDeath] = field(default_factory=dict)
    zones: dict[str, str] = field(default_factory=dict)
    assumptions: dict[str, Assumption] = field(default_factory=dict)
    undefined: dict[str, int] = field(default_factory=dict)
    seen_before: dict[str, SeenBefore] = field(default_factory=dict)
    healed: dict[tuple[str, str], Instant] = field(default_factory=dict)
    agenda: Agenda = field(default_factory=Agenda)
    qmgrs_with_waiting_messages: dict[str, None] = field(default_factory=dict)
    qmgrs_holding_channels: dict[str, None] = field(default_factory=dict)
    simulated: bool = field(default=False, compare=False)
    instant: Instant = 0
    position: int = 0

    def qmgr(self, name: str) -> QueueManager:
        """Return a queue manager by name.

        Raises:
            NoSuchQueueManager: if there is no queue manager of this name.
            OnlyStatesKnown: if only states or logs of it are known.
            OnlyRecordsKnown: if only the records that others hold of it are known.
            QueueManagerIsGone: if it was stated to be gone.
        """
        try:
            return self.qmgrs[name]
        except KeyError:
            if gone := self.gone(name):
                raise QueueManagerIsGone(name, gone) from None
            error = OnlyStatesKnown if name in self.undefined else NoSuchQueueManager
            if error is NoSuchQueueManager and self.is_only_named(name):
                error = OnlyRecordsKnown
            raise error(name) from None

    def gone(self, name: str) -> Gone | None:
        """Return since when a queue manager is gone that was imported; None if it is not.

        It is gone if that was stated, and nothing was seen of it since; that a file lacks it says
        nothing.
        """
        if name in self.qmgrs or name in self.undefined:
            return None
        stated = [
            Gone(each.deleted, max((seen.at for seen in each.confirmed.values()), default=0))
            for each in self.departed.values()
            if each.name == name and each.observed and each.deleted is not None
        ]
        return max(stated, default=None)

    def is_only_named(self, name: str) -> bool:
        """Return whether of a queue manager only records that others hold are known."""
        return name not in self.qmgrs and any(each.name == name for each in self.named.values())

    @property
    def has_unsure_objects(self) -> bool:
        """Whether of some object two definitions are possible (`QueueManager.unsure`)."""
        return any(map(_UNSURE, self.qmgrs.values()))

    def simulate(self) -> None:
        """Let the rules decide what happens to observed queue managers, as on a branch."""
        self.simulated = True
        for qmgr in (*self.qmgrs.values(), *self.departed.values(), *self.named.values()):
            qmgr.simulated = True

    def changing(self, name: str, part: Part) -> QueueManager:
        """Return a queue manager by name, with a part of it marked as changed."""
        qmgr = self.qmgrs[name]
        qmgr.changed.add(part)
        return qmgr

    def messaging_to_change(self, name: str) -> Messaging:
        """Return the messaging of a queue manager, marked as changed."""
        qmgr = self.changing(name, "messaging")
        messaging = qmgr.messaging  # load it before the flag says that it has a page
        qmgr.has_messaging = True
        return messaging

    def note_waiting(self, name: str, messaging: Messaging) -> None:
        """Index a queue manager if it has messages waiting for channels; drop it if not."""
        if messaging.waiting:
            self.qmgrs_with_waiting_messages[name] = None
        else:
            self.qmgrs_with_waiting_messages.pop(name, None)

    def note_holding(self, name: str, messaging: Messaging) -> None:
        """Index a queue manager if it holds channels or has messages in doubt or at risk."""
        if messaging.held or messaging.held_switch or messaging.in_doubt or messaging.at_risk:
            self.qmgrs_holding_channels[name] = None
        else:
            self.qmgrs_holding_channels.pop(name, None)

    def owner(self, qmid: str) -> QueueManager:
        """Return the queue manager with this QMID, existing, departed or only named."""
        current = self.qmgrs.get(self.names[qmid])
        if current is not None and current.qmid == qmid:
            return current
        return self.named[qmid] if qmid in self.named else self.departed[qmid]

    def zone_of(self, owner: QueueManager) -> str | None:
        """Return the zone of the local times of a queue manager; None if it is not known."""
        return owner.zone or self.zones.get(owner.name) or (None if owner.observed else "")

    def link(self, one: str, other: str) -> Link:
        """Return the network between two queue managers."""
        usual = self.links.get(("", ""), Link())
        link = self.links.get((min(one, other), max(one, other)), usual)
        return link if link.latency is not None else link._replace(latency=usual.latency or 0)
