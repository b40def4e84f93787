"""Calls of a workload exit: its parameters, its answer, and their structures.

An exit is called when a choice is made. Its answer is recorded; a replay uses the recorded answer
and does not call the exit. The caller limits the time of a call, because there is no clock here.

The structures are MQWXP, and the arrays of MQWDR and MQWQR.

Sources: IBM MQ 9.2, "Writing and compiling cluster workload exits", "MQWXP"; "API reason codes",
2188, 2266 and 2268.

Sources: IBM MQ 9.2, "MQWXP", "Fields in MQWDR", "Fields in MQWQR"; values from cmqc.h and cmqxc.h.
Fields have MQ's names in snake case. Structure ids, lengths and offsets are left out, because
arrays are tuples here. ClusterName of MQWCR is a field of the destination.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from twin.events import ExitSaid
from twin.fold.messaging import NEVER, Workload
from twin.model.reasons import EXIT_ERROR, NO_DESTINATIONS, STOPPED_BY_EXIT
from twin.rules.workload.choosing import AppliedRule, Rule, Trace
from twin.rules.workload.filters import Fall, Filtered
from twin.rules.workload.routes import Context, Route

EXIT_ID: Final = 20
"""MQXT_CLUSTER_WORKLOAD_EXIT."""

REASON_OPEN: Final = 20
"""MQXR_CLWL_OPEN: MQOPEN chooses."""

REASON_PUT: Final = 21
"""MQXR_CLWL_PUT: MQPUT or MQPUT1 chooses."""

REASON_MOVE: Final = 22
"""MQXR_CLWL_MOVE: a message on a transmission queue may be moved, as its channel changed state."""

RESPONSE_OK: Final = 0
"""MQXCC_OK: the chosen destination is used."""

RESPONSE_SUPPRESS_FUNCTION: Final = -1
"""MQXCC_SUPPRESS_FUNCTION: the call fails with 2188; a message to be rerouted stays."""

RESPONSE_SUPPRESS_EXIT: Final = -5
"""MQXCC_SUPPRESS_EXIT: the chosen destination is used, and the exit is not called again."""

FLAG_PUT_BY_CLUSTER_CHANNEL: Final = 2
"""MQWXP_PUT_BY_CLUSTER_CHL: the message arrived over a cluster channel."""

CLUSSDR_AUTO_DEFINED: Final = 0x10
"""MQQMF_CLUSSDR_AUTO_DEFINED."""

AVAILABLE: Final = 0x20
"""MQQMF_AVAILABLE: the queue manager is not suspended [memory, unverified]."""

LOCAL_QUEUE: Final = 0x1
"""MQQF_LOCAL_Q."""

USEQ_ANY: Final = 0x40
"""MQQF_CLWL_USEQ_ANY; not set if the message arrived over a cluster channel."""

USEQ_LOCAL: Final = 0x80
"""MQQF_CLWL_USEQ_LOCAL."""

CHANNEL_STATES: Final = (
    "INACTIVE BINDING STARTING RUNNING STOPPING RETRYING STOPPED REQUESTING PAUSED"
    " DISCONNECTED . . . INITIALIZING SWITCHING"
).split()
"""MQSC's channel statuses; the index is the value of MQCHS_*."""

QUEUE_TYPES: Final = {"QLOCAL": 1, "QALIAS": 2, "QREMOTE": 3}
"""MQCQT_LOCAL_Q, MQCQT_ALIAS_Q, MQCQT_REMOTE_Q."""

QMGR_ALIAS: Final = 4
"""MQCQT_Q_MGR_ALIAS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MQWDR:
    """A destination (MQWDR).

    Attributes:
        q_mgr_flags: QMgrFlags, bits MQQMF_*.
        q_mgr_identifier: QMgrIdentifier, the QMID.
        q_mgr_name: QMgrName.
        cluster_name: ClusterName of its MQWCR: the cluster of the channel.
        channel_name: ChannelName of its MQCD (ChannelDefOffset).
        channel_state: ChannelState, MQCHS_*.
        clwl_channel_rank: CLWLChannelRank of its MQCD.
        clwl_channel_priority: CLWLChannelPriority of its MQCD.
        clwl_channel_weight: CLWLChannelWeight of its MQCD.
        network_priority: NetworkPriority of its MQCD.
        dest_seq_number: DestSeqNumber, when it was used last.
        dest_seq_factor: DestSeqFactor, which grows with every use.
    """

    q_mgr_flags: int
    q_mgr_identifier: str
    q_mgr_name: str
    cluster_name: str
    channel_name: str
    channel_state: int
    clwl_channel_rank: int
    clwl_channel_priority: int
    clwl_channel_weight: int
    network_priority: int
    dest_seq_number: int
    dest_seq_factor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MQWQR:
    """The queue at a destination (MQWQR); it has the same index as its destination.

    Attributes:
        q_flags: QFlags, bits MQQF_*.
        q_name: QName.
        q_mgr_identifier: QMgrIdentifier, the QMID.
        cluster_name: ClusterName of its MQWCR: the cluster that the queue is shared in.
        q_type: QType, MQCQT_*; 0 if only a queue manager was named.
        inhibit_put: InhibitPut: 0 enabled, 1 disabled (MQQA_PUT_*).
        clwl_queue_priority: CLWLQueuePriority.
        clwl_queue_rank: CLWLQueueRank.
    """

    q_flags: int
    q_name: str
    q_mgr_identifier: str
    cluster_name: str
    q_type: int
    inhibit_put: int
    clwl_queue_priority: int
    clwl_queue_rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MQWXP:
    """The parameters of a call (MQWXP).

    An exit returns them with its answer in `destination_chosen` and `exit_response`.

    Attributes:
        exit_reason: ExitReason, MQXR_CLWL_*.
        exit_data: ExitData, the queue manager's CLWLDATA.
        flags: Flags, bits MQWXP_*.
        q_name: QName, the queue that messages are put to.
        q_mgr_name: QMgrName, the queue manager that chooses.
        destination_count: DestinationCount.
        destination_chosen: DestinationChosen: the number of the chosen destination, from 1; 0 for
            none. When the exit is called, it is the choice of the rules.
        clwl_mru_channels: CLWLMRUChannels, the queue manager's CLWLMRUC.
        exit_response: ExitResponse, MQXCC_*: what the queue manager does next.
        exit_id: ExitId.
    """

    exit_reason: int
    exit_data: str
    flags: int
    q_name: str
    q_mgr_name: str
    destination_count: int
    destination_chosen: int
    clwl_mru_channels: int
    exit_response: int = RESPONSE_OK
    exit_id: int = EXIT_ID


WorkloadExit: TypeAlias = Callable[[MQWXP, tuple[MQWDR, ...], tuple[MQWQR, ...]], MQWXP]
"""An exit. It returns its parameters with its answer in ExitResponse and DestinationChosen."""

RULE: Final = Rule(
    name="exit",
    attribute="CLWLEXIT",
    source="IBM MQ 9.2, Writing and compiling cluster workload exits",
    apply=lambda left, _context, _uses: Filtered(left),
)
"""The rule that represents the decision of an exit in a trace; it filters nothing itself."""


class ExitOutcome(NamedTuple):
    """The outcome of a call of an exit.

    Attributes:
        said: the record of the outcome. `to` and `channel` are the QMID and the channel that the
            exit chose; '' if the choice of the rules is kept or nothing was chosen. `reason` is
            2188 if it refused, 2270 if it chose no destination although there was one [inferred],
            2266 if it failed, else 0. `problem` is a short description of a failure.
        over: whether the exit is not called again for this handle, because it asked for that or
            failed.
    """

    said: ExitSaid
    over: bool = False


class Parameters(NamedTuple):
    """The parameters of an exit, and the routes that its arrays were made from."""

    block: MQWXP
    destinations: tuple[MQWDR, ...]
    queues: tuple[MQWQR, ...]
    routes: tuple[Route, ...]


def parameters(
    trace: Trace, workload: Workload, *, exit_reason: int, exit_data: str = ""
) -> Parameters:
    """Return the parameters of an exit: the routes in the queue's cluster, and the rules' choice.

    Source: IBM MQ 9.2, "The cluster workload management algorithm", rule 2: the exit gets the
    routes that are left after this rule, including put-disabled instances.
    """
    context = trace.context
    foreign = {
        fall.route.key for step in trace.steps if step.rule.name == "cluster" for fall in step.falls
    }
    routes = tuple(route for route in trace.routes if route.key not in foreign)
    chosen = routes.index(trace.chosen) + 1 if trace.chosen else 0
    block = MQWXP(
        exit_reason=exit_reason,
        exit_data=exit_data,
        flags=FLAG_PUT_BY_CLUSTER_CHANNEL if context.arrived else 0,
        q_name=context.queue,
        q_mgr_name=context.qmgr,
        destination_count=len(routes),
        destination_chosen=chosen,
        clwl_mru_channels=context.mruc,
    )
    return Parameters(
        block,
        tuple(_destination(route, workload) for route in routes),
        tuple(_queue(route, context) for route in routes),
        routes,
    )


def consult(
    exit_: WorkloadExit,
    name: str,
    trace: Trace,
    workload: Workload,
    *,
    exit_reason: int,
    exit_data: str = "",
) -> ExitOutcome:
    """Call an exit for a choice, and check its answer.

    If it raises, or its answer is out of range, the reason is 2266.
    """
    call = parameters(trace, workload, exit_reason=exit_reason, exit_data=exit_data)
    try:
        answer: object = exit_(call.block, call.destinations, call.queues)
    except Exception as problem:  # noqa: BLE001 - an exit is foreign code and may fail in any way
        return _failed(name, f"{type(problem).__name__}: {problem}")
    if not isinstance(answer, MQWXP):
        return _failed(name, f"returned {type(answer).__name__}, not MQWXP")
    return _outcome(name, call, answer)


def applied(trace: Trace, outcome: ExitSaid) -> Trace:
    """Return a trace with the answer of an exit: its choice, or its refusal.

    The exit is not called. An answer that names a destination outside the candidates is ignored,
    and so is a failure: older versions recorded one and used the choice of the rules.
    """
    if outcome.reason in (STOPPED_BY_EXIT, NO_DESTINATIONS):
        return _decided(trace, None, outcome.reason, name=outcome.name)
    wanted = next(
        (route for route in trace.routes if route.key == (outcome.to, outcome.channel)), None
    )
    if wanted is None or wanted is trace.chosen:
        return trace
    return _decided(trace, wanted, 0, name=outcome.name)


def _decided(trace: Trace, chosen: Route | None, reason: int, *, name: str) -> Trace:
    before = trace.chosen
    falls: Sequence[Fall] = [Fall(before, name, None)] if before else ()
    steps = [
        step._replace(falls=[fall for fall in step.falls if fall.route is not chosen])
        for step in trace.steps
    ]
    return replace(
        trace,
        steps=(*steps, AppliedRule(RULE, 1 if before else 0, 1 if chosen else 0, falls)),
        finalists=(chosen,) if chosen else (),
        chosen=chosen,
        outright=False,
        reason=reason,
        bound=None,
    )


def _outcome(name: str, call: Parameters, answer: MQWXP) -> ExitOutcome:
    if answer.exit_response == RESPONSE_SUPPRESS_FUNCTION:
        return ExitOutcome(ExitSaid(name=name, reason=STOPPED_BY_EXIT))
    over = answer.exit_response == RESPONSE_SUPPRESS_EXIT
    if not over and answer.exit_response != RESPONSE_OK:
        return _failed(name, f"unknown ExitResponse {answer.exit_response}")
    number = answer.destination_chosen
    if number == call.block.destination_chosen:
        return ExitOutcome(ExitSaid(name=name), over)
    if number == 0:
        return ExitOutcome(ExitSaid(name=name, reason=NO_DESTINATIONS), over)
    if not 1 <= number <= len(call.routes):
        return _failed(name, f"DestinationChosen {number}; expected 0 to {len(call.routes)}")
    route = call.routes[number - 1]
    return ExitOutcome(ExitSaid(name=name, to=route.qmid, channel=route.channel), over)


def _failed(name: str, problem: str) -> ExitOutcome:
    return ExitOutcome(ExitSaid(name=name, reason=EXIT_ERROR, problem=problem), over=True)


def _destination(route: Route, workload: Workload) -> MQWDR:
    use = workload.uses.get(route.key, NEVER)
    is_known = route.status in CHANNEL_STATES
    return MQWDR(
        q_mgr_flags=(0 if route.suspended else AVAILABLE)
        | (0 if route.local else CLUSSDR_AUTO_DEFINED),
        q_mgr_identifier=route.qmid,
        q_mgr_name=route.qmgr,
        cluster_name=route.cluster,
        channel_name=route.channel,
        channel_state=CHANNEL_STATES.index(route.status if is_known else "STOPPED"),
        clwl_channel_rank=route.channel_rank,
        clwl_channel_priority=route.channel_priority,
        clwl_channel_weight=route.weight,
        network_priority=route.netprty,
        dest_seq_number=use.number,
        dest_seq_factor=use.factor,
    )


def _queue(route: Route, context: Context) -> MQWQR:
    flags = LOCAL_QUEUE if route.local else 0
    if route.local and context.useq == "LOCAL":
        flags |= USEQ_LOCAL
    elif route.local and context.useq == "ANY" and not context.arrived:
        flags |= USEQ_ANY
    return MQWQR(
        q_flags=flags,
        q_name=route.queue,
        q_mgr_identifier=route.qmid,
        cluster_name=route.queue_cluster or route.cluster,
        q_type=QMGR_ALIAS if route.alias else QUEUE_TYPES.get(route.queue_type, 0),
        inhibit_put=0 if route.put_enabled else 1,
        clwl_queue_priority=route.queue_priority,
        clwl_queue_rank=route.queue_rank,
    )
