"""`twin put`: messages put as an application would, where they went, and why not elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, Context, Option, Typer

from twin.cli.messaging import (
    FAILED,
    Bind,
    BindOption,
    ExitOption,
    ProfileOption,
    Put1Option,
    ToOption,
    Where,
    exit_line,
    loaded,
)
from twin.cli.options import At, Format, FormatOption
from twin.cli.output import emit, show_lines
from twin.cli.place import instant, place_of
from twin.cli.table import table

if TYPE_CHECKING:
    from twin.events import Share
    from twin.model.asof import AsOf
    from twin.questions.answer import Answer, Row
    from twin.questions.put_outcome import PutOutcome
    from twin.rules.messages.putting import Put

_SHARE: Final = ("qmgr", "channel", "put_on", "count")
_LEAVING: Final = ("waits", "status", "next_retry")
_MOST: Final = 6
"""Queue managers that one rule is said to have removed by name."""

_TURNS: Final = "not chosen: not their turn"


def put(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: Where,
    queue: Annotated[str, Argument(metavar="QUEUE", help="What it puts to")],
    *,
    count: Annotated[int, Option(min=1, metavar="N", help="How many messages")] = 1,
    bind: BindOption = Bind.ASQDEF,
    to: ToOption = "",
    put1: Put1Option = False,
    nonpersistent: Annotated[
        bool, Option("--nonpersistent", help="Messages that a failure may lose")
    ] = False,
    group: Annotated[str, Option(metavar="G", help="The group that they belong to")] = "",
    logical_order: Annotated[
        bool, Option("--logical-order", help="The queue manager manages the group")
    ] = False,
    explain: Annotated[bool, Option("--explain", help="Say first how it is chosen")] = False,
    profile: ProfileOption = None,
    exits: ExitOption = None,
    at: At = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Put messages on a queue as an application would.

    Without bind open, or with it once for all, each is a choice. Exit code 10 when one ends in a
    reason code.
    """
    order = profile.value if profile else ""
    with place_of(context).writer(at, exits=loaded("put", exits)) as twin:
        when = instant(twin, at)
        if explain and output is Format.TEXT:
            from twin.questions.explain import ExplainRequest

            asked = ExplainRequest(queue=queue, to=to, bind=bind.value, put1=put1, profile=order)
            emit([*twin.explain(qmgr, asked, as_of=when)[0].lines, ""])
        done = twin.put(
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
        )
        point, names = twin.as_of(valid=when), twin.names()
        became = twin.whereabouts(qmgr, done, at=point.valid)
        answer = _answer(qmgr, done, point, names, became)
    show_lines(answer, _said(qmgr, done, answer, became), output)
    return FAILED if done.reason else 0


def _answer(
    qmgr: str, done: Put, point: AsOf, names: Mapping[str, str], became: PutOutcome
) -> Answer:
    from twin.model.reasons import reason_name
    from twin.questions.answer import Answer

    common: Row = {
        "on": qmgr,
        "queue": done.queue,
        "bind": done.bind or None,
        "profile": done.profile or None,
        "reason": done.reason,
        "reason_name": reason_name(done.reason),
        "at": done.at or None,
        "delivered": became.delivered,
        "waiting": became.waiting,
    }
    further: Row = {
        "refused_by": done.refused_by or None,
        "position": done.positions[0] if done.positions else None,
        "redirected": sum(each.messages for each in became.redirected),
        "dead_lettered": sum(each.messages for each in became.dead_lettered),
        "lost": became.lost,
    }
    nowhere: Row = {**dict.fromkeys(_SHARE + _LEAVING), "count": 0, "waits": 0}
    nowhere["put_on"] = done.refused_by or None
    shares: list[Row] = [
        {
            "qmgr": names[share.to] if share.to else share.named,
            "channel": share.channel or None,
            "put_on": share.lies_on,
            "count": share.count,
            **_leaving(qmgr, share, became),
        }
        for share in done.shares
    ]
    rows = tuple({**common, **share, **further} for share in shares or [nowhere])
    columns = (*common, *_SHARE, *_LEAVING, *further)
    return Answer("put", point, columns, rows, frozenset({"next_retry"}))


def _leaving(qmgr: str, share: Share, became: PutOutcome) -> Row:
    """Say how many of these messages wait here for a channel now, and how that is, if any do."""
    there = [
        each
        for each in became.waits
        if each.on == qmgr and each.block.channel == share.channel and each.to == share.to
    ]
    why = there[0].block if there else None
    return {
        "waits": sum(each.messages for each in there),
        "status": (why.status or None) if why else None,
        "next_retry": why.next_retry if why else None,
    }


def _said(qmgr: str, done: Put, answer: Answer, became: PutOutcome) -> Iterator[str]:
    from twin.model.reasons import reason_name

    if done.reason:
        some = f", {done.count} of {done.wanted} were put" if done.count else ""
        by = f" (queue {done.refused_by} of {qmgr})" if done.refused_by else ""
        said = f"{done.reason} {reason_name(done.reason)} from the {done.at}{by}"
        yield f"{done.queue} on {qmgr}: {said}{some}"
    elif done.count:
        how = ", ".join(filter(None, (done.bind and f"bind {done.bind}", done.profile)))
        messages = f"{done.count} message{'' if done.count == 1 else 's'}"
        yield f"{messages} put to {done.queue} on {qmgr}{f' ({how})' if how else ''}"
    if done.count:
        shown = [answer.shown(row) for row in answer.rows]
        cells = [[str(row[key] or "-") for key in _SHARE] for row in shown]
        heads = [key.replace("_", " ") for key in _SHARE]
        yield from table(heads, cells, width=None)
    yield from became.lines(at=qmgr)
    yield from _not_chosen(done)
    if line := exit_line(done.exit):
        yield line
    if done.positions:
        yield f"recorded at {_positions(done.positions)}"


def _not_chosen(done: Put) -> Iterator[str]:
    """Say of the instances that got no message which rule removed them."""
    found: Any = done.opened.candidates if done.opened is not None else None
    if found is None:
        return
    from twin.rules.workload.trace import Trace

    reached = {share.to for share in done.shares}
    removed: dict[str, list[str]] = defaultdict(list)
    trace = Trace.of(found.routes, found.context, done.counted)
    for route, rule, fall in trace.removals():
        if route.qmid in reached or rule is None or fall is None:
            continue
        if rule.name != "weight":
            by = trace.fell_by(rule, fall).partition(", best")[0]
            removed[f"excluded by rule {rule.name}: {by}"].append(route.qmgr)
        elif not done.reason:  # else it is not known whether their turn would have come
            removed[_TURNS].append(route.qmgr)
    for by, qmgrs in removed.items():
        names = list(dict.fromkeys(qmgrs))
        more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        yield f"{', '.join(names[:_MOST])}{more} {by}"


def _positions(positions: tuple[int, ...]) -> str:
    if len(positions) == 1:
        return f"position {positions[0]}"
    return f"positions {positions[0]} to {positions[-1]}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command("put")(put)
