"""`twin open`, `twin get` and `twin browse`: what applications do with a queue, except puts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context, Option

from twin.cli.answers import Layout, show, show_lines
from twin.cli.messaging import (
    BindOption,
    BindValue,
    ExitOption,
    GroupsOption,
    ProfileOption,
    QmgrArgument,
    ToOption,
    UserOption,
    caller_from,
    exit_line,
    load_exits,
    pending_line,
)
from twin.cli.output import DONE, FAILED
from twin.cli.table import WIDTH, dim, folded, table, width_of
from twin.cli.target import (
    AsOfOption,
    AtOption,
    ColumnsOption,
    Format,
    FormatOption,
    KnownAt,
    LimitOption,
    WideOption,
    instant,
    log_time,
    target_of,
)
from twin.model.amounts import counted
from twin.model.authorities import groups_by_user
from twin.model.reasons import reason_name

if TYPE_CHECKING:
    from twin.app.results import Got, Opened
    from twin.model.instants import AsOf
    from twin.questions.answer import Answer

_RESOLVED_TO: Final = {
    "local": "is a local queue of {qmgr}",
    "remote": "is a remote queue definition of {qmgr}",
    "model": "is a model queue of {qmgr}",
    "alias": "is an alias of {base}",
    "cluster": "is a cluster queue",
}
_INSTANCE: Final = ("cluster", "qmgr", "qmid", "source", "received")


def open_queue(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: QmgrArgument,
    queue: Annotated[str, Argument(metavar="QUEUE", help="Queue to open for output")],
    *,
    bind: BindOption = BindValue.ASQDEF,
    to: ToOption = "",
    profile: ProfileOption = None,
    exits: ExitOption = None,
    user: UserOption = "",
    groups: GroupsOption = None,
    at: AtOption = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Open a queue as an application would.

    The first open of a cluster queue makes a partial repository ask the full repositories for it.

    Prints what the name resolved to, the known instances, and the destination of the handle. If the
    open waits for an answer, its outcome is pending: it is the expected one, and not yet recorded.

    Exit codes: 0 the queue is open; 10 the open ended in a reason code; 20 bad input.
    """
    order = profile.value if profile else ""
    caller = caller_from(user, groups)
    with target_of(context).writer(at, exits=load_exits("open", exits)) as twin:
        when = instant(twin, at)
        opened = twin.open_queue(
            qmgr,
            queue,
            to=to,
            bind=bind.value,
            profile=order,
            user=user,
            groups=groups_by_user(user, groups or ()),
            at=when,
        )
        point = twin.as_of(valid=when)
        may = twin.authority_lines(qmgr, queue, to, caller)
    answer = replace(_answer(qmgr, opened, point), notes=may)
    show_lines(answer, [*folded(_lines(qmgr, opened, answer)), *map(dim, may)], output)
    return FAILED if opened.reason else DONE


def _answer(qmgr: str, opened: Opened, point: AsOf) -> Answer:
    from twin.questions.answer import Answer, Row

    common: Row = {
        "on": qmgr,
        "queue": opened.queue,
        "via": opened.via or None,
        "base": opened.base or None,
        "bind": opened.bind or None,
        "bound_to": opened.bound_to or None,
        "bound_by": (opened.bound.channel or None) if opened.bound else None,
        "reason": opened.reason,
        "reason_name": reason_name(opened.reason),
        "waited": opened.waited,
        "pending": bool(opened.pending),
    }
    nowhere: Row = dict.fromkeys(_INSTANCE)
    instances: list[Row] = [
        {
            "cluster": cluster,
            "qmgr": belief.owner_name,
            "qmid": belief.owner,
            "source": belief.source,
            "received": belief.received,
        }
        for cluster, belief in opened.instances
    ]
    rows = tuple({**common, **instance} for instance in instances or [nowhere])
    # What is expected is not in the log yet.
    seen = [] if opened.pending else [(belief.position,) for _, belief in opened.instances]
    evidence = tuple(seen) or ((),) * len(rows)
    return Answer("open", point, (*common, *_INSTANCE), rows, frozenset({"received"}), evidence)


def _lines(qmgr: str, opened: Opened, answer: Answer) -> Iterator[str]:
    if opened.reason:
        yield f"{opened.queue} on {qmgr}: {opened.reason} {reason_name(opened.reason)}"
        yield from pending_line("open", opened)
        return
    resolved_to = _RESOLVED_TO[opened.via].format(qmgr=qmgr, base=opened.base)
    instances = counted(len(opened.instances), "known instance")
    known = f" with {instances}" if opened.instances else ""
    yield f"{opened.queue} on {qmgr} {resolved_to}{known}"
    if opened.instances:
        shown = [answer.shown(row) for row in answer.rows]
        cells = [[str(row[column]) for column in _INSTANCE] for row in shown]
        yield from table(_INSTANCE, cells, width=width_of(sys.stdout) or WIDTH)
    yield from _bound(opened)
    yield from pending_line("open", opened)
    if line := exit_line(opened.exit):
        yield line


def _bound(opened: Opened) -> Iterator[str]:
    """Return where a handle is bound to, or when its destinations are chosen."""
    if opened.bound is not None:
        by = f" by {opened.bound.channel}" if opened.bound.channel else ""
        yield f"bound on open to {opened.bound_to}{by}"
    elif opened.bind:
        unit = "message" if opened.bind == "notfixed" else "group that the queue manager manages"
        yield f"bind {opened.bind}: chosen for each {unit}"


def get(
    context: Context,
    qmgr: QmgrArgument,
    queue: Annotated[str, Argument(metavar="QUEUE", help="Queue to get from")],
    *,
    count: Annotated[int, Option(min=1, metavar="N", help="Number of messages to get")] = 1,
    at: AtOption = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Get messages from a queue.

    Prints how many messages were got, and how many are left on the queue.

    Exit codes: 0 all messages were got; 10 the queue had fewer, or another reason code; 20 bad
    input.
    """
    from twin.questions.answer import Answer, Row

    with target_of(context).writer(at) as twin:
        when = instant(twin, at)
        got = twin.get(qmgr, queue, count=count, at=when)
        point = twin.as_of(valid=when)
    row: Row = {
        "on": qmgr,
        "queue": got.queue,
        "count": got.count,
        "left": got.left,
        "reason": got.reason,
        "reason_name": reason_name(got.reason),
    }
    show_lines(Answer("get", point, tuple(row), (row,)), _got_lines(qmgr, got), output)
    return FAILED if got.reason else DONE


def _got_lines(qmgr: str, got: Got) -> Iterator[str]:
    if got.count or not got.reason:
        yield f"{counted(got.count)} got from {got.queue} on {qmgr}, {got.left} left"
    if got.reason:
        yield f"{got.queue} on {qmgr}: {got.reason} {reason_name(got.reason)}"


def browse(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: Annotated[str, Argument(metavar="QM", help="Queue manager that has the queue")],
    queue: Annotated[str, Argument(metavar="QUEUE", help="Local queue to browse")],
    *,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
    columns: ColumnsOption = None,
    wide: WideOption = False,
    limit: LimitOption = None,
) -> int:
    """List the messages on a local queue and their descriptors.

    Each row stands for the identical messages of one put. The messages stay on the queue. This is
    the short form of `twin ask browse --on QM --queue QUEUE`, whose --help explains the columns.

    Exit codes: 0 listed, even if the queue is empty; 20 bad input.
    """
    layout = Layout.of("browse", columns, wide=wide, limit=limit)
    with target_of(context).reader(as_of, known_at) as twin:
        valid, known = instant(twin, as_of), log_time(twin, known_at)
        answer = twin.ask("browse", as_of=valid, known_at=known, on=qmgr, queue=queue)
    show(answer, output, layout)
    return DONE
