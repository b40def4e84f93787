"""`twin log`: shows the recorded events, verifies them, saves snapshots, copies the log."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from typer import Context, Option, Typer

from twin.app.event_text import NoSuchEventType, text_of
from twin.cli import log_files
from twin.cli.answers import show_lines
from twin.cli.errors import BadUsage
from twin.cli.output import DONE, FAILED, ProgressBar, emit, help_alone, save_snapshots
from twin.cli.table import dim, table, width_of
from twin.cli.target import AsOfOption, Format, FormatOption, KnownAt, instant, log_time, target_of
from twin.model.amounts import counted
from twin.model.instants import AsOf, format_instant
from twin.questions.narrowing import Narrowing

if TYPE_CHECKING:
    from twin.log import Log, StoredEvent

_PAGE: Final = 50
"""The default number of events that are shown at once."""

_INDENT: Final = "  "
_SHOWN: Final = ("position", "at", "qmgr", "event")

app = Typer(help="Show, verify, copy, move and upgrade the log.")
app.callback(invoke_without_command=True)(help_alone)


@app.command("show")
def show_log(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    *,
    qmgr: Annotated[
        str | None, Option(metavar="QM", help="Only events at this queue manager")
    ] = None,
    types: Annotated[
        list[str] | None,
        Option("--type", metavar="EVENT", help="Only events of this type; may be repeated"),
    ] = None,
    kind: Annotated[
        str | None,
        Option(metavar="KIND", help="Only events about objects or records of this kind"),
    ] = None,
    name: Annotated[
        str | None,
        Option(metavar="NAME", help="Only events about this object or channel; ORD* is generic"),
    ] = None,
    everything: Annotated[
        bool, Option("--all", help="Also events about AUTHREC and CHLAUTH records")
    ] = False,
    since: Annotated[
        str | None, Option(metavar="T", help="Only events at or after this instant")
    ] = None,
    until: Annotated[
        str | None, Option(metavar="T", help="Only events at or before this instant")
    ] = None,
    after: Annotated[int, Option(metavar="N", help="Only events after this position")] = 0,
    limit: Annotated[
        int, Option(metavar="N", min=0, help="Show at most N events; 0 shows all")
    ] = _PAGE,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Show the recorded events, one page at a time.

    Prints the position, the instant, the queue manager, and the event with its fields and its
    origin. Derived events are indented below their cause. An event that no longer counts is marked:
    (retracted) by twin retract, or (withdrawn) and derived again after a late fact or a retraction.
    A command or a call that failed is marked with its answer, computed again by today's rules.
    --as-of means the same as --until. Events about authority records (AUTHREC) and channel
    authentication records (CHLAUTH) are only counted, unless --kind, --name or --all asks for them.
    """
    from twin.app.event_page import EventsRequest, events_page

    narrowing = Narrowing(kind, name, everything=everything)
    with target_of(context).reader(since, until, as_of, known_at) as twin:
        request = EventsRequest(
            types=tuple(types or ()),
            qmgr=qmgr,
            narrowing=narrowing,
            since=instant(twin, since),
            until=instant(twin, until or as_of),
            known_at=log_time(twin, known_at),
            after=after,
            limit=limit,
        )
        try:
            page = events_page(twin, request)
        except NoSuchEventType as error:
            raise BadUsage(command="log show", problem=str(error)) from None
    events, answer = page.chosen.events, page.answer
    marks = {**page.hidden, **{each: f"failed: {why}" for each, why in page.failed.items()}}
    lines = _page(events, marks, answer.notes, more=page.chosen.more)
    show_lines(answer, lines, output)
    return DONE


def _page(
    events: Sequence[StoredEvent], marks: Mapping[int, str], notes: Sequence[str], *, more: bool
) -> Iterator[str]:
    cells = [
        (
            str(event.position),
            format_instant(event.occurred_at),
            event.qmgr,
            _text(event, marks.get(event.position)),
        )
        for event in events
    ]
    if cells:
        yield from table(_SHOWN, cells, width=width_of(sys.stdout), cut=True)
    else:
        yield "no events"
    yield from map(dim, notes)
    if more:
        yield dim(f"more: --after {events[-1].position}")


def _text(event: StoredEvent, mark: str | None) -> str:
    """Return an event in one line, with its mark, indented if it was derived from another."""
    marked = [f"({mark})"] if mark else []
    words = filter(None, (*marked, event.type, text_of(event)))
    return _INDENT * (event.cause is not None) + " ".join(words)


@app.command()
def verify(
    context: Context,
    *,
    expect: Annotated[
        str | None,
        Option(
            metavar="POSITION:DIGEST", help="A head printed earlier, which must still be in the log"
        ),
    ] = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Check that nobody altered or damaged the log.

    Checks the digest of every event, then the file of the log and the caches.

    Prints the head of the log: its last position and digest. Pass this head to --expect later, to
    detect that the end of the log was cut off, or that the whole log was rewritten. Damaged caches
    (snapshots and estates played ahead) change no answer; twin log snapshot --rebuild makes them
    again.

    Exit codes: 0 the log is intact; 10 it or a cache is damaged; 20 bad input.
    """
    from twin.app.clocks import system_clock
    from twin.log import FileDamaged, LogDamaged
    from twin.questions.answer import Answer

    columns = ("verified", "head", "damaged_at", "problem")
    target, now = target_of(context), system_clock()
    point = AsOf(now, now, target.branch)
    try:
        with target.reader() as twin:
            point = twin.as_of()
            with ProgressBar("events") as bar:
                last = twin.log.last().position
                verified = twin.log.verify(expect=expect, progress=partial(bar.show, total=last))
                bar.show(0, 0, "checking the file and the caches")
                problem, purged = _damage_beside(twin.log), twin.log.purged_evidence()
    except (LogDamaged, FileDamaged) as damage:
        line, code = str(damage), FAILED
        position = damage.position if isinstance(damage, LogDamaged) else None
        values: tuple[int | str | None, ...] = (None, None, position, line)
    else:
        head = f"{verified.position}:{verified.digest}"
        line, code = f"{verified.position} positions verified, head {head}", DONE
        line += f"; {counted(purged, 'text')} of evidence purged" if purged else ""
        values = (verified.position, head, None, None)
        if problem:
            line, code = f"{line}; {problem}", FAILED
            values = (verified.position, head, None, problem)
    answer = Answer("verify", point, columns, (dict(zip(columns, values, strict=True)),))
    show_lines(answer, [line], output)
    return code


@app.command()
def rederive(context: Context) -> int:
    """Derive main again under the rules of this version.

    A log of an older version of twin keeps what that version derived; answers say "derived under
    rules N". This command withdraws all of it and derives it again, from the same commands and
    observations, in one transaction. Nothing is deleted: --known-at with an earlier time still
    gives the old answers. If nothing was derived under older rules, nothing is recorded.

    Branches that were forked before keep what main was then. Fork a new one for the new rules.
    """
    with target_of(context).writer() as twin:
        done = twin.rederive()
        if done is None:
            emit(["nothing to do: no fact on main was derived under older rules"])
            return DONE
        before = " and ".join(map(str, done.older))
        counts = f"{counted(done.derived, 'event')} from {counted(done.facts, 'fact')}"
        emit([f"what was derived under rules {before} is derived again: {counts}"])
        names = [each.name for each in twin.log.branches() if each.name != twin.branch]
        emit(f"branch {name} keeps what main was at its fork" for name in names)
    return DONE


def _damage_beside(log: Log) -> str:
    """Return what is wrong with the file of a log whose events are intact, or with its caches."""
    if found := log.damaged_file():
        return f"but its file is damaged: {found[0]}{_and_more(found)}"
    caches = list(log.damaged_caches())
    if not caches:
        return ""
    return (
        f"but {caches[0]}{_and_more(caches)}: a cache, so every answer is right; "
        "twin log snapshot --rebuild makes it anew"
    )


def _and_more(found: Sequence[str]) -> str:
    return f" (and {len(found) - 1} more)" if len(found) > 1 else ""


@app.command()
def snapshot(
    context: Context,
    *,
    rebuild: Annotated[
        bool, Option("--rebuild", help="Drop all caches, and save snapshots of all branches")
    ] = False,
) -> int:
    """Save snapshots, which make questions faster.

    The snapshots are spread over the branch, so that earlier instants are rebuilt quickly.
    """
    with target_of(context).writer() as twin:
        branches = [twin.branch]
        if rebuild:
            twin.log.drop_snapshots()
            branches = [line.name for line in twin.log.branches()]
        saved = save_snapshots(twin, branches)
    emit(f"{counted(number, 'snapshot')} of branch {name} saved" for name, number in saved.items())
    return DONE


log_files.register(app)
