"""`twin explain`: explains where a message would go, or where recorded messages went."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from twin.app.validation import check_opening
from twin.cli.answers import point_lines, show
from twin.cli.errors import BadUsage
from twin.cli.messaging import (
    BindOption,
    BindValue,
    GroupsOption,
    ProfileOption,
    Put1Option,
    ToOption,
    UserOption,
    caller_from,
)
from twin.cli.output import DONE, FAILED, emit
from twin.cli.table import WIDTH, dim, folded, table, width_of
from twin.cli.target import AsOfOption, Format, FormatOption, KnownAt, instant, log_time, target_of
from twin.questions.catalogue import QUESTIONS

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.app.twin import Twin
    from twin.questions.explanation import ExplainRequest
    from twin.review.settings import Setting

WithOption = Annotated[
    list[str] | None,
    Option(
        "--with",
        metavar="[QM:]MQSC",
        help="Also explain it after this; commands are separated by semicolons; repeatable",
    ),
]
MessageOption = Annotated[
    bool, Option("--message", help="Explain messages that wait, instead of one that is put")
]
RouteOption = Annotated[
    bool, Option("--route", help="Follow the message hop by hop to the queues where it ends")
]


def explain(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: Annotated[
        str, Argument(metavar="QM", help="Queue manager that the application is connected to")
    ] = "",
    queue: Annotated[str, Argument(metavar="QUEUE", help="Queue to put to")] = "",
    *,
    position: Annotated[
        int | None,
        Option(min=1, metavar="N", help="Position of a recorded choice to explain"),
    ] = None,
    bind: BindOption = BindValue.ASQDEF,
    to: ToOption = "",
    put1: Put1Option = False,
    profile: ProfileOption = None,
    user: UserOption = "",
    groups: GroupsOption = None,
    route: RouteOption = False,
    settings: WithOption = None,
    message: MessageOption = False,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Explain where a message goes, rule by rule.

    Prints each rule, the routes it excludes, and the smallest changes that select another queue
    manager. Nothing is put, and no counter changes. `twin ask explain` gives one row per route.

    With --route it follows the message hop by hop, over gateways and aliases, to its ends, as `twin
    ask route` does.

    With --with it shows side by side where the message goes now, and where it would go after MQSC
    commands at QM or another queue manager, also after a gateway. They are rehearsed in memory:
    nothing is recorded.

    With --message it explains messages that wait: those at QM for QUEUE, or for what an alias or a
    remote definition QUEUE leads to; all at QM; or those that were put at --position. It says what
    they wait for, and what a reallocation pass would do now, as `twin ask waiting` does.

    Exit codes: 0 explained; 10 the put would end in a reason code, or with --route or --with the
    message on one of its ways, or in a loop; 20 bad input.
    """
    from twin.questions.explanation import ExplainRequest

    named = bool(qmgr and (queue or message))
    if (position is None) != named or (position is not None and qmgr):
        problem = "name QM and QUEUE, or --position N alone"
        raise BadUsage(command="explain", problem=problem)
    if [position is not None and not message, route, bool(settings), message].count(True) > 1:
        problem = "--route, --with, --message and --position answer different questions; choose one"
        raise BadUsage(command="explain", problem=problem)
    puts = bind is not BindValue.ASQDEF or to or put1 or profile or user or groups
    if message and puts:
        problem = "--message is about messages that were put: leave out the options of a put"
        raise BadUsage(command="explain", problem=problem)
    if position is not None and not message and (puts or as_of or known_at):
        problem = "a recorded choice has its own options and instant: give --position alone"
        raise BadUsage(command="explain", problem=problem)
    order = profile.value if profile else ""
    caller = caller_from(user, groups)
    request = ExplainRequest(
        queue=queue, to=to, bind=bind.value, put1=put1, profile=order, caller=caller
    )
    with target_of(context).reader(as_of, known_at) as twin:
        if message:
            answer = twin.ask(
                "waiting",
                as_of=instant(twin, as_of),
                known_at=log_time(twin, known_at),
                on=qmgr or None,
                queue=queue or None,
                position=None if position is None else str(position),
            )
            show(answer, output)
            return DONE
        if route:
            return _route(twin, qmgr, request, as_of=as_of, known_at=known_at, output=output)
        if settings:
            return _beside(twin, qmgr, request, settings, as_of=as_of, known_at=known_at, to=output)
        if position is not None:
            explanation, point = twin.explain_past(position)
        else:
            valid, known = instant(twin, as_of), log_time(twin, known_at)
            explanation, point = twin.explain(qmgr, request, as_of=valid, known_at=known)
        missing = twin.incompleteness(point)
    answer = explanation.answer(point)
    show(replace(answer, notes=(*answer.notes, *missing), gaps=missing), output)
    return FAILED if explanation.reason else DONE


def _route(
    twin: Twin,
    qmgr: str,
    request: ExplainRequest,
    *,
    as_of: str | None,
    known_at: str | None,
    output: Format,
) -> int:
    """Follow a message to its ends."""
    from twin.questions.hops import FAILING_ENDS

    answer = twin.ask(
        "route",
        _user_of(request),
        as_of=instant(twin, as_of),
        known_at=log_time(twin, known_at),
        on=qmgr,
        queue=request.queue,
        to=request.to,
        bind="notfixed" if request.put1 else request.bind,
        profile=request.profile or None,
    )
    show(answer, output)
    return FAILED if any(row["end"] in FAILING_ENDS for row in answer.rows) else DONE


def _user_of(request: ExplainRequest) -> dict[str, str]:
    """Return the filters of a question for the user of a put and its groups."""
    if (caller := request.caller) is None:
        return {}
    groups = (f"{user}={','.join(groups)}" for user, groups in caller.groups)
    return {"as": caller.name, "groups": " ".join(groups)}


def _beside(
    twin: Twin,
    qmgr: str,
    request: ExplainRequest,
    settings: list[str],
    *,
    as_of: str | None,
    known_at: str | None,
    to: Format,
) -> int:
    """Show where a message goes under several settings, side by side."""
    from twin.app.notes import not_before
    from twin.questions.answer import Answer
    from twin.review.settings import explained_beside, rows_of, table_of

    check_opening(request.queue, request.to, request.bind, request.profile)
    times = {"as_of": instant(twin, as_of), "known_at": log_time(twin, known_at)}

    def rehearsed() -> tuple[list[Setting], Rehearsal]:
        base = twin.rehearse(**times)
        with not_before(twin.log, base.point):
            return explained_beside(base, qmgr, request, settings), base

    explained, base = twin.soundly(rehearsed)
    notes = tuple(
        dict.fromkeys(
            chain.from_iterable((*each.unheard, *each.explanation.notes) for each in explained)
        )
    )
    if to is Format.TEXT:
        emit(folded(f"set {n}: {each}" for n, each in enumerate(explained) if n))
        heads, rows = table_of(explained, base)
        emit(table(heads, rows, width=width_of(sys.stdout) or WIDTH))
        outcomes = (
            f"{head}: {each.outcome}" for head, each in zip(heads[2:], explained, strict=True)
        )
        emit(folded(outcomes))
        emit(map(dim, notes))
        emit(point_lines(base.point))
    else:
        columns = ("setting", "set", *QUESTIONS["explain"].names, "then")
        rows_ = tuple(rows_of(explained, base))
        instants = QUESTIONS["explain"].instants
        show(Answer("explain-with", base.point, columns, rows_, instants, notes=notes), to)
    return FAILED if any(each.fails for each in explained) else DONE
