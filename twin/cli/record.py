"""`twin log`: what was recorded, whether it still is what was recorded, and its snapshots."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

from typer import Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.options import AsOfOption, Format, FormatOption, KnownAt
from twin.cli.output import emit, help_alone, show_lines
from twin.cli.place import instant, log_time, place_of
from twin.cli.table import dim, table, width_of

if TYPE_CHECKING:
    from twin.log import StoredEvent
    from twin.model.asof import AsOf
    from twin.questions.answer import Answer, Row

DAMAGED: Final = 10
PAGE: Final = 50
"""How many events are shown at once unless another limit is given."""

_STORED: Final = (
    *("position", "branch", "occurred_at", "recorded_at", "type", "qmgr", "cause", "source"),
    *("event_id", "body"),
)
_COLUMNS: Final = (*_STORED, "origin")
_INDENT: Final = "  "
_APART: Final = {"qmgr", "origin"}
"""Fields of events that are not shown among the others."""

_SHOWN: Final = ("position", "at", "qmgr", "event")

app = Typer(help="The record itself: show, verify, snapshot")
app.callback(invoke_without_command=True)(help_alone)


@app.command("show")
def show_log(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    *,
    qmgr: Annotated[str | None, Option(metavar="QM", help="Only what happened there")] = None,
    types: Annotated[
        list[str] | None, Option("--type", metavar="EVENT", help="Only this event; may be repeated")
    ] = None,
    since: Annotated[
        str | None, Option(metavar="T", help="Only what occurred from then on")
    ] = None,
    until: Annotated[str | None, Option(metavar="T", help="Only what occurred by then")] = None,
    after: Annotated[int, Option(metavar="N", help="Only what stands behind this position")] = 0,
    limit: Annotated[int, Option(metavar="N", min=0, help="How many at most; 0 for all")] = PAGE,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Show events, a page at a time.

    `--as-of` is another word for `--until` here.
    """
    columns = _columns_of(types or ())
    with place_of(context).reader(since, until, as_of, known_at) as twin:
        point = twin.as_of(valid=instant(twin, until or as_of), known=log_time(twin, known_at))
        found = list(
            twin.log.events(
                branch=twin.branch,
                after=after,
                upto=point.position,
                limit=limit + 1 if limit else None,
                types=columns,
                qmgr=qmgr,
                since=instant(twin, since),
                until=point.valid,
            )
        )
    page = found[:limit] if limit else found
    lines = _page(page, more=len(found) > len(page))
    show_lines(_answer(page, point), lines, output)
    return 0


def _columns_of(types: Sequence[str]) -> list[str]:
    """Say how events are called in the log: a name alone means every schema, `Name@2` that one.

    Raises:
        BadUsage: when there are no such events.
    """
    import difflib

    from twin.events.catalogue import EVENTS, columns_of

    found: list[str] = []
    for name in types:
        event = EVENTS.get(name.partition("@")[0])
        if event is None:
            plain = {each.lower(): each for each in EVENTS}
            near = [plain[each] for each in difflib.get_close_matches(name.lower(), plain, n=3)]
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            problem = f"--type {name} is no event: {hint}docs/events.md lists them all"
            raise BadUsage(command="log show", problem=problem)
        found += [name] if "@" in name else columns_of(event)
    return found


def _answer(events: Sequence[StoredEvent], point: AsOf) -> Answer:
    from twin.questions.answer import Answer

    rows: list[Row] = [
        {**{column: getattr(event, column) for column in _STORED}, "origin": _origin(event)}
        for event in events
    ]
    instants = frozenset({"occurred_at", "recorded_at"})
    evidence = tuple((event.position,) for event in events)
    return Answer("log", point, _COLUMNS, tuple(rows), instants, evidence)


def _page(events: Sequence[StoredEvent], *, more: bool) -> Iterator[str]:
    from twin.model.instants import format_instant

    cells = [
        (
            str(event.position),
            format_instant(event.occurred_at),
            event.qmgr,
            _what(event),
        )
        for event in events
    ]
    if cells:
        yield from table(_SHOWN, cells, width=width_of(sys.stdout), cut=True)
    else:
        yield "no events"
    if more:
        yield dim(f"more: --after {events[-1].position}")


def _what(event: StoredEvent) -> str:
    """Write an event in one line, indented where it was derived from one above."""
    fields: dict[str, object] = json.loads(event.body)
    own = [f"{name}={_value(value)}" for name, value in fields.items() if name not in _APART]
    source = [f"({event.source})"] if event.source.startswith("observation:") else []
    origin = [f"from {place}"] if (place := _origin(event)) else []
    return _INDENT * (event.cause is not None) + " ".join([event.type, *own, *source, *origin])


def _origin(event: StoredEvent) -> str | None:
    """Return where a primary fact came from, in one line; None if that is not known."""
    from twin.events import Origin

    stated = json.loads(event.body).get("origin")
    return str(Origin(**stated)) if stated else None


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())


@app.command()
def verify(
    context: Context,
    *,
    expect: Annotated[
        str | None, Option(metavar="POSITION:DIGEST", help="What must still be in the log")
    ] = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Check every digest from the first event on.

    Exit code 10 where the log is damaged.
    """
    from twin.log import LogDamaged
    from twin.questions.answer import Answer

    columns = ("verified", "head", "damaged_at", "problem")
    with place_of(context).reader() as twin:
        point = twin.as_of()
        try:
            head = twin.log.verify(expect=expect)
        except LogDamaged as damage:
            said = str(damage)
            values: tuple[int | str | None, ...] = (None, None, damage.position, said)
        else:
            said = f"{head.position} positions verified, head {head.position}:{head.digest}"
            values = (head.position, f"{head.position}:{head.digest}", None, None)
    answer = Answer("verify", point, columns, (dict(zip(columns, values, strict=True)),))
    show_lines(answer, [said], output)
    return 0 if values[0] is not None else DAMAGED


@app.command()
def snapshot(context: Context) -> int:
    """Leave snapshots along the branch.

    Any instant of it is rebuilt quickly then.
    """
    with place_of(context).writer() as twin:
        taken = twin.snapshot()
        branch = twin.branch
    emit([f"{taken} snapshot{'' if taken == 1 else 's'} of branch {branch} taken"])
    return 0


def register(app_: Typer) -> None:
    """Add these commands to the command line."""
    app_.add_typer(app, name="log")
