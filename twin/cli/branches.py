"""`twin branch`: fork what was recorded, list the branches, compare two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.options import AsOfOption, Format, FormatOption, KnownAt
from twin.cli.output import emit, help_alone, show
from twin.cli.place import MAIN, Place, instant, log_time, place_of

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.questions.answer import Answer

app = Typer(help="What-if: create, list and compare branches")
app.callback(invoke_without_command=True)(help_alone)


@app.command()
def create(
    context: Context,
    name: Annotated[str, Argument(metavar="NAME", help="What the new branch is called")],
    *,
    source: Annotated[
        str | None, Option("--from", metavar="BRANCH", help="The branch it forks from")
    ] = None,
    at: Annotated[
        str | None, Option("--at", metavar="T", help="Where it forks: the instant [the head]")
    ] = None,
) -> int:
    """Fork a branch.

    What happens on it never touches where it came from.
    """
    from twin.model.instants import format_instant

    place = place_of(context)
    with Place(place.url, source or place.branch).writer(at) as twin:
        made = twin.create_branch(name, at=instant(twin, at))
    fork = format_instant(made.fork_occurred_at)
    emit([f"branch {made.name} forks from {made.parent} at {fork} position {made.fork_position}"])
    return 0


@app.command("list")
def list_branches(context: Context, *, output: FormatOption = Format.TEXT) -> int:
    """List the branches and where they fork."""
    from twin.questions.answer import Answer, Row

    rows: list[Row] = []
    with place_of(context).reader() as twin:
        point = twin.as_of()
        for branch in twin.log.branches():
            head = twin.log.head(branch.name)
            rows.append(
                {
                    "branch": branch.name,
                    "parent": branch.parent,
                    "forked_at": branch.fork_occurred_at if branch.parent else None,
                    "fork_position": branch.fork_position if branch.parent else None,
                    "latest": max(head.occurred_at or 0, branch.fork_occurred_at) or None,
                    "position": head.position,
                }
            )
    columns = ("branch", "parent", "forked_at", "fork_position", "latest", "position")
    show(
        Answer("branches", point, columns, tuple(rows), frozenset({"forked_at", "latest"})), output
    )
    return 0


@app.command()
def diff(
    context: Context,
    branch: Annotated[str, Argument(metavar="A", help="The branch looked at")],
    other: Annotated[
        str | None, Argument(metavar="[B]", help="What it is compared with [where A forks from]")
    ] = None,
    *,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Show what branch A has different from B.

    Both are taken at one instant, the latest of A unless one is given; of main that is the present.
    """
    place = place_of(context)
    with Place(place.url, branch).reader(as_of, known_at) as twin:
        against = other or twin.log.branch(branch).parent or MAIN
        answer = _compared(twin, twin.on_branch(against), as_of=as_of, known_at=known_at)
    show(answer, output)
    return 0


def _compared(twin: Twin, other: Twin, *, as_of: str | None, known_at: str | None) -> Answer:
    from twin.questions.changes import changes

    known = log_time(twin, known_at)
    after, point = twin.view(as_of=instant(twin, as_of), known_at=known)
    before, _ = other.view(as_of=point.valid, known_at=known)
    return changes(before, after, point)
