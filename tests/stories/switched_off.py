"""The rules of twin that the tests switch off, each with the row of docs/fidelity.md that needs it.

docs/fidelity.md lists the same rows and says what is different without each rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from twin.fold.agenda import TimerKind
from twin.model.instants import DAY
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE
from twin.model.readings import Pace
from twin.model.retries import Retries
from twin.rules.queues.local_queues import Refusal
from twin.rules.workload.counters import TurnsTaken
from twin.rules.workload.filters import Filtered

Instead: TypeAlias = Callable[[Any], Any]
"""Takes a rule and returns what is used instead of it."""

NOTHING: Final[Instead] = lambda _rule: lambda *_args, **_options: None  # noqa: E731
"""Instead of a function: one that does nothing."""

_ENOUGH: Final = 999_999_999


class SwitchedOff(NamedTuple):
    """A rule that is switched off.

    Attributes:
        row: the id of the row of docs/fidelity.md.
        rule: the dotted name of a function, a property, a constant or a table in `twin`.
        instead: what is used instead of it.
    """

    row: str
    rule: str
    instead: Instead = NOTHING


def returns(value: Any) -> Instead:
    """Use a function that always returns the same value."""
    return lambda _rule: lambda *_args, **_options: value


def always(value: Any) -> Instead:
    """Use a property that always has the same value."""
    return lambda _rule: property(lambda _self: value)


def constant(value: Any) -> Instead:
    """Use another constant."""
    return lambda _rule: value


def without(*names: str) -> Instead:
    """Leave rules out of both orders of the workload choice."""
    return lambda orders: {
        profile: tuple(name for name in order if name not in names)
        for profile, order in orders.items()
    }


def entries(**changed: Any) -> Instead:
    """Use a table in which some entries are different."""
    return lambda table: {**table, **changed}


def timers(kind: TimerKind) -> Instead:
    """Use a table by which nothing happens when a timer of one kind is due."""
    return lambda rules: {**rules, kind: lambda *_args: None}


def _only_one(eligible: Any) -> Any:
    """Let a pass find only the first of the messages that it may move."""
    return lambda qmgr, channel: islice(eligible(qmgr, channel), 1)


def _free(event: Any) -> Any:
    """Record every put as one of messages that passes may move."""
    return lambda self, plan, shares: event(self, plan._replace(fixed=""), shares)


def _not_under_way(_rule: Any) -> Any:
    """Count no message as in doubt or at risk."""
    return lambda _messaging, _channel, waiting: ((*each, 0, 0) for each in waiting)


def _without_batchhb(open_batch: Any) -> Any:
    """Ask no partner before a batch is confirmed."""

    def opened(*args: Any) -> None:
        attributes: Mapping[str, Any] = args[-1]
        open_batch(*args[:-1], {**attributes, "BATCHHB": 0})

    return opened


def _first_takes_all(_rule: Any) -> Any:
    """Let the first of several routes take every turn."""
    return lambda turns, last, count: [
        TurnsTaken(0 if index else count, turn.factor, last + count)
        for index, turn in enumerate(turns)
    ]


def _asked_once(use_name: Any) -> Any:
    """Make no new request for a name after the first one has lapsed."""

    def used(draft: Any, qmgr: Any, *name: str) -> bool:
        lapsed = any(asked == name for asked, _ in qmgr.repository.lapsed)
        return not lapsed and use_name(draft, qmgr, *name)

    return used


def _every_queue_manager(_rule: Any) -> Any:
    """Count every queue manager as a subscriber of every name."""
    return lambda draft, *_args: [qmgr.qmid for qmgr in draft.estate.qmgrs.values()]


def _as_resolved(_rule: Any) -> Any:
    """Refuse nobody: a name that is opened stays as it was resolved."""
    return lambda _qmgr, resolved, _caller: resolved


_NO: Final = returns(value=False)
_YES: Final = returns(value=True)

_ORDERS: Final = "twin.rules.workload.choosing.ORDERS"
_TIMERS: Final = "twin.rules.lifecycle._RULES"
_CHANNELS: Final = "twin.rules.channels"
_COMMANDS: Final = "twin.rules.commands"
_MESSAGES: Final = "twin.rules.messages"
_QUEUES: Final = "twin.rules.queues"
_REPOSITORY: Final = "twin.rules.repository"
_WORKLOAD: Final = "twin.rules.workload"
_SELECTION: Final = f"{_QUEUES}.transmission_queues"
_PATH: Final = "twin.rules.path"
_RESOLVER: Final = f"{_PATH}.resolution.Resolution"

TABLE: Final = (
    SwitchedOff("S0a-05", f"{_SELECTION}.own_queue", returns(CLUSTER_TRANSMISSION_QUEUE)),
    SwitchedOff("S0a-06", f"{_SELECTION}.MODEL_QUEUE", constant("SYSTEM.DEFAULT.LOCAL.QUEUE")),
    SwitchedOff("S0a-07", f"{_SELECTION}.Pattern.matches", _NO),
    SwitchedOff("S0a-08", f"{_SELECTION}.Pattern.rank", always(0)),
    SwitchedOff("S0a-10", f"{_SELECTION}.Selection.ambiguous", always(value=False)),
    SwitchedOff("S0a-12", f"{_COMMANDS}.definitions._conflict"),
    SwitchedOff("S0a-15", f"{_CHANNELS}.stopping.queue_holder", returns("")),
    SwitchedOff("S0a-17", f"{_COMMANDS}.mqsc_commands._is_disabled", returns(value=False)),
    SwitchedOff("S0a-19", f"{_MESSAGES}.authority.checked", _as_resolved),
    SwitchedOff("S0b-02", f"{_CHANNELS}.switching.check"),
    SwitchedOff("S0b-06", f"{_QUEUES}.transmission_queues.was_started", _NO),
    SwitchedOff("S0b-08", f"{_CHANNELS}.switching.go_on"),
    SwitchedOff("S0b-11", f"{_CHANNELS}.switching.resume"),
    SwitchedOff("S0b-12", f"{_CHANNELS}.switching.end"),
    SwitchedOff("S0b-14", f"{_CHANNELS}.switching.say"),
    SwitchedOff("S0b-15", f"{_CHANNELS}.switching._fitting", returns((_ENOUGH, Refusal()))),
    SwitchedOff("S0b-16", f"{_QUEUES}.local_queues.is_get_inhibited", _NO),
    SwitchedOff(
        "S0b-17",
        f"{_CHANNELS}.switching._SWITCHABLE",
        lambda states: states | {"RUNNING"},
    ),
    SwitchedOff("S0b-18", f"{_CHANNELS}.stopping.channel_altered"),
    SwitchedOff("S0b-19", f"{_QUEUES}.transmission_queues.is_triggered", _NO),
    SwitchedOff("S0c-02", f"{_CHANNELS}.switching.go_on"),
    SwitchedOff("S0c-03", f"{_MESSAGES}.reallocation.run"),
    SwitchedOff("S0c-05", f"{_MESSAGES}.reallocation.pace_of", returns(Pace(1, 0))),
    SwitchedOff("S0c-06", f"{_MESSAGES}.outbound.resume"),
    SwitchedOff("S1a-02", f"{_MESSAGES}.reallocation.run"),
    SwitchedOff(
        "S1a-03", "twin.model.retries.Retries.of", constant(classmethod(lambda *_args: Retries()))
    ),
    SwitchedOff("S1a-05", f"{_QUEUES}.put_times.eligible", _only_one),
    SwitchedOff("S1a-06", f"{_MESSAGES}.best_routes.BestRoutes.keeps", _YES),
    SwitchedOff("S1b-01", f"{_MESSAGES}.putting._Act.event", _free),
    SwitchedOff("S1b-02", f"{_MESSAGES}.putting._Act.event", _free),
    SwitchedOff("S1b-03", f"{_MESSAGES}.putting._Act.event", _free),
    SwitchedOff(
        "S1b-06",
        f"{_MESSAGES}.opening.target_of",
        lambda target_of: (
            lambda draft, qmgr, entered, **options: target_of(
                draft, qmgr, replace(entered, put1=False), **options
            )
        ),
    ),
    SwitchedOff(
        "S1c-01",
        f"{_QUEUES}.put_times.put_time",
        lambda _rule: lambda _qmgr, _channel, parcel, _at: parcel.at,
    ),
    SwitchedOff("S1c-03", _ORDERS, without("channel-rank")),
    SwitchedOff("S1c-04", _ORDERS, without("queue-rank")),
    SwitchedOff("S1c-05", _ORDERS, without("put")),
    SwitchedOff("S1c-06", _ORDERS, without("suspended")),
    SwitchedOff("S1c-07", f"{_WORKLOAD}.filters._GROUPS", lambda groups: dict.fromkeys(groups, 0)),
    SwitchedOff("S1c-08", _ORDERS, without("netprty")),
    SwitchedOff("S1c-09", _ORDERS, without("channel-priority")),
    SwitchedOff("S1c-10", _ORDERS, without("status")),
    SwitchedOff("S2a-02", _ORDERS, without("local")),
    SwitchedOff("S2a-03", f"{_WORKLOAD}.routes.Context.useq", always("LOCAL")),
    SwitchedOff(
        "S2a-04",
        f"{_RESOLVER}.resolve",
        lambda resolve: lambda self, queue, _to="": resolve(self, queue),
    ),
    SwitchedOff("S2a-05", f"{_MESSAGES}.opening.how_bound", returns("notfixed")),
    SwitchedOff("S2a-06", f"{_MESSAGES}.arrival.Arrival.is_free", _NO),
    SwitchedOff("S2a-07", f"{_MESSAGES}.arrival.Arrival.is_free", _NO),
    SwitchedOff(
        "S2a-08",
        f"{_RESOLVER}.arrived",
        lambda _rule: (
            lambda self, queue, *_named, **_bound: self.named(
                self._qmgr.definitions["QUEUE", queue]
            )
        ),
    ),
    SwitchedOff(
        "S2a-09",
        f"{_RESOLVER}.arrived",
        lambda _rule: (
            lambda self, queue, *_named, **_bound: self.local(
                self._qmgr.definitions["QUEUE", queue]
            )
        ),
    ),
    SwitchedOff(
        "S2a-10",
        f"{_PATH}.resolution._without_base",
        lambda without_base: lambda alias: without_base(alias)._replace(reason=0),
    ),
    SwitchedOff("S2a-11", f"{_REPOSITORY}.receiving.warn"),
    SwitchedOff("S2b-03", f"{_QUEUES}.put_times.under_way", _not_under_way),
    SwitchedOff("S2b-04", f"{_CHANNELS}.silence._open_batch"),
    SwitchedOff("S2b-05", f"{_MESSAGES}.reallocation._first_half", constant(int)),
    SwitchedOff("S2b-06", f"{_CHANNELS}.stopping.reroute_first", _NO),
    SwitchedOff("S3a-01", _ORDERS, without("suspended")),
    SwitchedOff("S3a-03", _ORDERS, without("local")),
    SwitchedOff("S3a-04", f"{_REPOSITORY}.recipients._askers", returns(())),
    SwitchedOff("S3a-07", f"{_CHANNELS}.channel_status.is_forced", _NO),
    SwitchedOff("S3a-08", "twin.rules.membership.namelist", returns(())),
    SwitchedOff("S3b-01", f"{_COMMANDS}.cluster_commands._dropped", returns(())),
    SwitchedOff("S3b-02", f"{_COMMANDS}.cluster_commands._keeps_channel", _YES),
    SwitchedOff("S3b-03", f"{_COMMANDS}.cluster_commands._keeps_channel", _NO),
    SwitchedOff("S3b-07", f"{_REPOSITORY}.publication.republish_all"),
    SwitchedOff("S3b-09", f"{_REPOSITORY}.lifetimes.REJOIN_AFTER", constant(0)),
    SwitchedOff("S3b-10", f"{_REPOSITORY}.answers.is_pushed_only", _NO),
    SwitchedOff("S3c-01", "twin.model.instants.EXPIRE_AFTER", constant(60 * DAY)),
    SwitchedOff("S3c-02", _TIMERS, timers(TimerKind.PUBLISHED)),
    SwitchedOff("S3c-04", _TIMERS, timers(TimerKind.EXPIRED)),
    SwitchedOff("S3c-05", "twin.rules.reachability.bring_up_to_date"),
    SwitchedOff("S3c-06", f"{_REPOSITORY}.lifetimes.has_expired", _NO),
    SwitchedOff("S3c-07", "twin.rules.lifecycle._warn"),
    SwitchedOff("S3c-08", _TIMERS, timers(TimerKind.PUBLISHED)),
    SwitchedOff("S3c-09", f"{_QUEUES}.left_clusters.left_cluster", returns("")),
    SwitchedOff("S3d-01", "twin.model.instants.LAPSE_AFTER", constant(60 * DAY)),
    SwitchedOff("S3d-02", _TIMERS, timers(TimerKind.REFERENCED)),
    SwitchedOff("S3d-03", f"{_REPOSITORY}.answers.use_name", _asked_once),
    SwitchedOff("S3d-04", f"{_REPOSITORY}.recipients._subscribers", _every_queue_manager),
    SwitchedOff("S3d-05", f"{_REPOSITORY}.answers.is_under_way", _NO),
    SwitchedOff("S3d-06", f"{_MESSAGES}.arrival.Arrival.asks_for", returns(())),
    SwitchedOff("S3e-01", f"{_MESSAGES}.outbound.resume"),
    SwitchedOff("S3e-02", f"{_CHANNELS}.stopping.lose_at_risk"),
    SwitchedOff("S3e-03", f"{_MESSAGES}.reallocation.run"),
    SwitchedOff("S3e-04", f"{_QUEUES}.put_times.under_way", _not_under_way),
    SwitchedOff("S3e-05", f"{_CHANNELS}.silence._open_batch"),
    SwitchedOff("S3e-06", "twin.rules.repository_manager.RESTARTED", constant("")),
    SwitchedOff("S3e-07", f"{_CHANNELS}.starting.refusal", returns("AMQ9202")),
    SwitchedOff("S3f-01", f"{_CHANNELS}.command_queue.is_waiting", _NO),
    SwitchedOff("S3f-02", f"{_CHANNELS}.command_queue.refusal_of_put", returns(0)),
    SwitchedOff(
        "S3f-03",
        f"{_COMMANDS}.dead_letters._put_again",
        lambda _rule: lambda _draft, _qmgr, _queue, _place, parcel, _rules: (parcel.count, 2051),
    ),
    SwitchedOff("S3f-04", "twin.rules.repository_manager.end"),
    SwitchedOff("S3f-05", f"{_CHANNELS}.command_queue.ZOS", constant("")),
    SwitchedOff("S3f-06", f"{_CHANNELS}.command_queue.demand_storage"),
    SwitchedOff("S3g-01", f"{_REPOSITORY}.recipients.wanted_by_members", returns([])),
    SwitchedOff("S3g-02", _ORDERS, without("put")),
    SwitchedOff("S3g-03", _ORDERS, without("put")),
    SwitchedOff("S3g-04", f"{_WORKLOAD}.routes.profile_of", returns("v8")),
    SwitchedOff("S3g-05", f"{_WORKLOAD}.filters.PUT_INHIBITED", constant(2268)),
    SwitchedOff(
        "S3g-06", f"{_WORKLOAD}.exits.applied", lambda _rule: lambda trace, _outcome: trace
    ),
    SwitchedOff("S3g-07", f"{_MESSAGES}.arrival.Arrival.is_free", _NO),
    SwitchedOff("S3g-08", f"{_MESSAGES}.arrival.Arrival.dead_letter_queue", always("")),
    SwitchedOff("S3g-09", f"{_MESSAGES}.inbound._dead_letter_or_discard", returns([])),
    SwitchedOff("S3h-01", f"{_CHANNELS}.command_queue.refusal_of_sending", returns(Refusal())),
    SwitchedOff("S3h-02", "twin.model.objects.Definition.is_put_inhibited", always(value=False)),
    SwitchedOff("S3h-03", f"{_CHANNELS}.starting.inhibited_queue", returns("")),
    SwitchedOff("S3h-04", f"{_CHANNELS}.starting.get_changed"),
    SwitchedOff("S3h-05", f"{_QUEUES}.local_queues.is_page_set_full", returns(value=False)),
    SwitchedOff("S3h-06", f"{_COMMANDS}.definitions._conflict"),
    SwitchedOff("S3i-01", "twin.model.silence.receive_timeout"),
    SwitchedOff("S3i-02", "twin.model.silence.TOO_SHORT", constant(0)),
    SwitchedOff("S3i-03", f"{_CHANNELS}.silence._open_batch", _without_batchhb),
    SwitchedOff("S3i-04", f"{_CHANNELS}.channel_status.is_refused", _NO),
    SwitchedOff("S3i-05", f"{_CHANNELS}.channel_status.adopts", _NO),
    SwitchedOff("S4a-01", f"{_WORKLOAD}.routes.profile_of", returns("v8")),
    SwitchedOff("S4a-02", _ORDERS, without("put")),
    SwitchedOff("S4a-03", f"{_WORKLOAD}.routes.profile_of", returns("v8")),
    SwitchedOff("S4a-04", _ORDERS, without("channel-rank")),
    SwitchedOff("S4a-05", _ORDERS, without("suspended")),
    SwitchedOff("S4a-06", _ORDERS, without("netprty")),
    SwitchedOff("S4a-07", _ORDERS, without("status")),
    SwitchedOff("S4a-08", _ORDERS, without("queue-priority")),
    SwitchedOff("S4b-01", f"{_WORKLOAD}.routes.Context.useq", always("LOCAL")),
    SwitchedOff("S4b-02", _ORDERS, without("channel-rank")),
    SwitchedOff("S4b-03", f"{_MESSAGES}.arrival._higher_ranked"),
    SwitchedOff("S4b-04", _ORDERS, without("queue-priority")),
    SwitchedOff(
        "S4b-05", f"{_WORKLOAD}.filters.mruc", lambda _rule: lambda left, *_: Filtered(left)
    ),
    SwitchedOff("S4b-06", f"{_WORKLOAD}.counters.step_of", returns(1)),
    SwitchedOff("S4b-07", f"{_WORKLOAD}.routes.is_even", _YES),
    SwitchedOff("S4b-08", f"{_WORKLOAD}.counters.split", _first_takes_all),
    SwitchedOff("S4c-01", f"{_MESSAGES}.opening._BINDS", entries(NOTFIXED="open")),
    SwitchedOff("S4c-02", f"{_MESSAGES}.opening.how_bound", returns("notfixed")),
    SwitchedOff("S4c-03", f"{_MESSAGES}.put_plan.ON_GROUP", constant("")),
    SwitchedOff("S4c-04", _ORDERS, without("queue-rank")),
    SwitchedOff(
        "S4c-05", f"{_RESOLVER}.named", lambda _rule: lambda self, local: self.local(local)
    ),
    SwitchedOff(
        "S4c-06",
        f"{_RESOLVER}._by_alias",
        lambda by_alias: (
            lambda self, local, resolved: by_alias(self, local, resolved)._replace(
                defbind=resolved.defbind
            )
        ),
    ),
    SwitchedOff(
        "S4c-07",
        f"{_RESOLVER}._at",
        lambda at: lambda self, queue, to, **_options: at(self, queue, to, aliased=True),
    ),
    SwitchedOff("S4c-09", _ORDERS, without("channel-rank")),
    SwitchedOff(
        "S4c-10", f"{_WORKLOAD}.exits.applied", lambda _rule: lambda trace, _outcome: trace
    ),
    SwitchedOff("S4c-11", f"{_MESSAGES}.workload_exits.note_failure"),
    SwitchedOff("S4c-12", f"{_MESSAGES}.workload_exits.exit_of", returns(("", None))),
)
