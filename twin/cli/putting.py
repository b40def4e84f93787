"""`twin put`: puts messages, and says where they went and why not elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context, Option

from twin.cli.answers import show_lines
from twin.cli.messaging import (
    BindOption,
    BindValue,
    ExitOption,
    GroupsOption,
    ProfileOption,
    Put1Option,
    QmgrArgument,
    ToOption,
    UserOption,
    caller_from,
    exit_line,
    load_exits,
    pending_line,
)
from twin.cli.output import DONE, FAILED, emit
from twin.cli.table import WIDTH, dim, folded, table, width_of
from twin.cli.target import AtOption, Format, FormatOption, instant, target_of
from twin.model.amounts import counted
from twin.model.authorities import groups_by_user
from twin.model.reasons import reason_name

if TYPE_CHECKING:
    from twin.app.results import Put
    from twin.events import Share
    from twin.model.instants import AsOf
    from twin.questions.answer import Answer, Row
    from twin.questions.put_outcome import PutOutcome

_SHARE: Final = ("qmgr", "channel", "put_on", "count")
_LEAVING: Final = ("waits", "status", "next_retry")
_MOST_NAMES: Final = 6
"""The most queue managers that are named for one reason."""


def put_messages(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: QmgrArgument,
    queue: Annotated[str, Argument(metavar="QUEUE", help="Queue to put to")],
    *,
    count: Annotated[int, Option(min=1, metavar="N", help="Number of messages to put")] = 1,
    bind: BindOption = BindValue.ASQDEF,
    to: ToOption = "",
    put1: Put1Option = False,
    nonpersistent: Annotated[
        bool, Option("--nonpersistent", help="Put nonpersistent messages, which a failure may lose")
    ] = False,
    group: Annotated[str, Option(metavar="G", help="Group that the messages belong to")] = "",
    logical_order: Annotated[
        bool, Option("--logical-order", help="Let the queue manager manage the group")
    ] = False,
    explain: Annotated[
        bool, Option("--explain", help="Explain first how a destination is chosen")
    ] = False,
    profile: ProfileOption = None,
    exits: ExitOption = None,
    user: UserOption = "",
    groups: GroupsOption = None,
    at: AtOption = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Put messages on a queue as an application would.

    Each message is routed separately, unless --bind open, or DEFBIND(OPEN) of the queue, fixes one
    destination for all of them.

    Prints how many messages went where, which are still waiting, and why other queue managers were
    not chosen.

    A put that waits for full repositories is pending: the outcome is the expected one, and not
    recorded yet.

    Exit codes: 0 all messages were put; 10 the open or a put ended in a reason code; 20 bad input.
    """
    order = profile.value if profile else ""
    caller = caller_from(user, groups)
    with target_of(context).writer(at, exits=load_exits("put", exits)) as twin:
        when = instant(twin, at)
        if explain and output is Format.TEXT:
            from twin.questions.explanation import ExplainRequest

            request = ExplainRequest(
                queue=queue, to=to, bind=bind.value, put1=put1, profile=order, caller=caller
            )
            emit([*twin.explain(qmgr, request, as_of=when)[0].lines, ""])
        put = twin.put(
            qmgr,
            queue,
            at=when,
            count=count,
            bind=bind.value,
            to=to,
            put1=put1,
            persistent=not nonpersistent,
            group=group,
            logical_order=logical_order,
            profile=order,
            user=user,
            groups=groups_by_user(user, groups or ()),
        )
        point, names = twin.as_of(valid=when), twin.names()
        outcome = twin.whereabouts(qmgr, put, at=point.valid)
        answer = _answer(qmgr, put, point, names, outcome)
        may = twin.authority_lines(qmgr, queue, to, caller)
        answer = replace(answer, notes=(*may, *twin.notes_of_put(qmgr, queue, to)))
    lines = [*folded(_lines(qmgr, put, answer, outcome)), *map(dim, answer.notes)]
    show_lines(answer, lines, output)
    return FAILED if put.reason else DONE


def _answer(
    qmgr: str, put: Put, point: AsOf, names: Mapping[str, str], outcome: PutOutcome
) -> Answer:
    from twin.questions.answer import Answer

    common: Row = {
        "on": qmgr,
        "queue": put.queue,
        "bind": put.bind or None,
        "profile": put.profile or None,
        "reason": put.reason,
        "reason_name": reason_name(put.reason),
        "at": put.at or None,
        "delivered": outcome.delivered,
        "waiting": outcome.waiting,
    }
    further: Row = {
        "refused_by": put.refused_by or None,
        "position": put.positions[0] if put.positions else None,
        "redirected": sum(sent.messages for sent in outcome.redirected),
        "rerouted": sum(moved.messages for moved in outcome.rerouted),
        "dead_lettered": sum(dead.messages for dead in outcome.dead_lettered),
        "circulating": sum(each.messages for each in outcome.circulating),
        "lost": outcome.lost,
        "waited": put.waited,
        "pending": bool(put.pending),
    }
    nowhere: Row = {**dict.fromkeys(_SHARE + _LEAVING), "count": 0, "waits": 0}
    nowhere["put_on"] = put.refused_by or None
    shares: list[Row] = [
        {
            "qmgr": names[share.to] if share.to else share.named,
            "channel": share.channel or None,
            "put_on": share.lies_on,
            "count": share.count,
            **_leaving(qmgr, share, outcome),
        }
        for share in put.shares
    ]
    rows = tuple({**common, **share, **further} for share in shares or [nowhere])
    columns = (*common, *_SHARE, *_LEAVING, *further)
    return Answer("put", point, columns, rows, frozenset({"next_retry"}))


def _leaving(qmgr: str, share: Share, outcome: PutOutcome) -> Row:
    """Return how many of these messages still wait here, and the state of their channel."""
    waiting = [
        wait
        for wait in outcome.waits
        if wait.on == qmgr and wait.block.channel == share.channel and wait.to == share.to
    ]
    block = waiting[0].block if waiting else None
    return {
        "waits": sum(wait.messages for wait in waiting),
        "status": (block.status or None) if block else None,
        "next_retry": block.next_retry if block else None,
    }


def _lines(qmgr: str, put: Put, answer: Answer, outcome: PutOutcome) -> Iterator[str]:
    if put.reason:
        some = f", {put.count} of {put.wanted} were put" if put.count else ""
        by = f" (queue {put.refused_by} of {qmgr})" if put.refused_by else ""
        reason = f"{put.reason} {reason_name(put.reason)} from the {put.at}{by}"
        yield f"{put.queue} on {qmgr}: {reason}{some}"
    elif put.count:
        how = ", ".join(filter(None, (put.bind and f"bind {put.bind}", put.profile)))
        yield f"{counted(put.count)} put to {put.queue} on {qmgr}{f' ({how})' if how else ''}"
    if put.count:
        shown = [answer.shown(row) for row in answer.rows]
        cells = [[str(row[key] or "-") for key in _SHARE] for row in shown]
        heads = [key.replace("_", " ") for key in _SHARE]
        yield from table(heads, cells, width=width_of(sys.stdout) or WIDTH)
    yield from pending_line("put", put)
    yield from outcome.lines(at=qmgr)
    yield from _not_chosen(put)
    if line := exit_line(put.exit):
        yield line
    if len(put.positions) == 1:
        yield f"recorded at position {put.positions[0]}"
    elif put.positions:
        yield f"recorded at positions {put.positions[0]} to {put.positions[-1]}"


def _not_chosen(put: Put) -> Iterator[str]:
    """Return a line for each reason why queue managers got no message."""
    from twin.questions.put_outcome import not_chosen

    for reason, qmgrs in not_chosen(put).items():
        more = f" and {len(qmgrs) - _MOST_NAMES} more" if len(qmgrs) > _MOST_NAMES else ""
        yield f"{', '.join(qmgrs[:_MOST_NAMES])}{more} {reason}"
