"""Calls of a workload exit: its parameters, and its answer.

An exit is called when a choice is made. Its answer is recorded; a replay uses the recorded answer
and does not call the exit. The caller limits the time of a call, because there is no clock here.

Sources: IBM MQ 9.2, "Writing and compiling cluster workload exits", "MQWXP"; "API reason codes",
2188, 2266 and 2268.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from twin.events import ExitSaid
from twin.fold.messaging import NEVER, Workload
from twin.model.reasons import EXIT_ERROR, NO_DESTINATIONS, STOPPED_BY_EXIT
from twin.rules.workload import exit_structures as mq
from twin.rules.workload.choosing import AppliedRule, Rule
from twin.rules.workload.exit_structures import MQWDR, MQWQR, MQWXP
from twin.rules.workload.filters import Fall, Filtered
from twin.rules.workload.routes import Context, Route
from twin.rules.workload.trace import Trace

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
        flags=mq.FLAG_PUT_BY_CLUSTER_CHANNEL if context.arrived else 0,
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
    if answer.exit_response == mq.RESPONSE_SUPPRESS_FUNCTION:
        return ExitOutcome(ExitSaid(name=name, reason=STOPPED_BY_EXIT))
    over = answer.exit_response == mq.RESPONSE_SUPPRESS_EXIT
    if not over and answer.exit_response != mq.RESPONSE_OK:
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
    is_known = route.status in mq.CHANNEL_STATES
    return MQWDR(
        q_mgr_flags=(0 if route.suspended else mq.AVAILABLE)
        | (0 if route.local else mq.CLUSSDR_AUTO_DEFINED),
        q_mgr_identifier=route.qmid,
        q_mgr_name=route.qmgr,
        cluster_name=route.cluster,
        channel_name=route.channel,
        channel_state=mq.CHANNEL_STATES.index(route.status if is_known else "STOPPED"),
        clwl_channel_rank=route.channel_rank,
        clwl_channel_priority=route.channel_priority,
        clwl_channel_weight=route.weight,
        network_priority=route.netprty,
        dest_seq_number=use.number,
        dest_seq_factor=use.factor,
    )


def _queue(route: Route, context: Context) -> MQWQR:
    flags = mq.LOCAL_QUEUE if route.local else 0
    if route.local and context.useq == "LOCAL":
        flags |= mq.USEQ_LOCAL
    elif route.local and context.useq == "ANY" and not context.arrived:
        flags |= mq.USEQ_ANY
    return MQWQR(
        q_flags=flags,
        q_name=route.queue,
        q_mgr_identifier=route.qmid,
        cluster_name=route.queue_cluster or route.cluster,
        q_type=mq.QMGR_ALIAS if route.alias else mq.QUEUE_TYPES.get(route.queue_type, 0),
        inhibit_put=0 if route.put_enabled else 1,
        clwl_queue_priority=route.queue_priority,
        clwl_queue_rank=route.queue_rank,
    )
