"""`twin open`: an MQOPEN alone, and what it resolved to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Context, Typer

from twin.cli.messaging import (
    FAILED,
    Bind,
    BindOption,
    ExitOption,
    ProfileOption,
    ToOption,
    Where,
    exit_line,
    loaded,
)
from twin.cli.options import At, Format, FormatOption
from twin.cli.output import show_lines
from twin.cli.place import instant, place_of
from twin.cli.table import table

if TYPE_CHECKING:
    from twin.model.asof import AsOf
    from twin.questions.answer import Answer, Row
    from twin.rules.messages.opening import Opened

_LED_TO: Final = {
    "local": "is a local queue of {qmgr}",
    "remote": "is a remote queue definition of {qmgr}",
    "model": "is a model queue of {qmgr}",
    "alias": "is an alias of {base}",
    "cluster": "is a cluster queue",
}
_INSTANCE: Final = ("cluster", "qmgr", "qmid", "source", "received")


def open_queue(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: Where,
    queue: Annotated[str, Argument(metavar="QUEUE", help="What it opens for output")],
    *,
    bind: BindOption = Bind.ASQDEF,
    to: ToOption = "",
    profile: ProfileOption = None,
    exits: ExitOption = None,
    at: At = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Open a queue as an application would.

    It is what makes a partial repository ask. Exit code 10 when it ends in a reason code.
    """
    order = profile.value if profile else ""
    with place_of(context).writer(at, exits=loaded("open", exits)) as twin:
        when = instant(twin, at)
        opened = twin.open_queue(qmgr, queue, to=to, bind=bind.value, profile=order, at=when)
        point = twin.as_of(valid=when)
    answer = _answer(qmgr, opened, point)
    show_lines(answer, _said(qmgr, opened, answer), output)
    return FAILED if opened.reason else 0


def _answer(qmgr: str, opened: Opened, point: AsOf) -> Answer:
    from twin.model.reasons import reason_name
    from twin.questions.answer import Answer

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
    rows = tuple({**common, **found} for found in instances or [nowhere])
    evidence = tuple((belief.position,) for _, belief in opened.instances) or ((),)
    return Answer("open", point, (*common, *_INSTANCE), rows, frozenset({"received"}), evidence)


def _said(qmgr: str, opened: Opened, answer: Answer) -> Iterator[str]:
    from twin.model.reasons import reason_name

    if opened.reason:
        yield f"{opened.queue} on {qmgr}: {opened.reason} {reason_name(opened.reason)}"
        return
    led = _LED_TO[opened.via].format(qmgr=qmgr, base=opened.base)
    yield f"{opened.queue} on {qmgr} {led}{_count(len(opened.instances))}"
    if opened.instances:
        shown = [answer.shown(row) for row in answer.rows]
        cells = [[str(row[column]) for column in _INSTANCE] for row in shown]
        yield from table(_INSTANCE, cells, width=None)
    yield from _bound(opened)
    if line := exit_line(opened.exit):
        yield line


def _bound(opened: Opened) -> Iterator[str]:
    """Say where a handle is bound to, or when that is decided."""
    if opened.bound is not None:
        by = f" by {opened.bound.channel}" if opened.bound.channel else ""
        yield f"bound on open to {opened.bound_to}{by}"
    elif opened.bind:
        yield f"bind {opened.bind}: chosen for each {_EACH[opened.bind]}"


_EACH: Final = {"notfixed": "message", "group": "group that the queue manager manages"}


def _count(instances: int) -> str:
    if not instances:
        return ""
    return f" with {instances} known instance{'' if instances == 1 else 's'}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command("open")(open_queue)
