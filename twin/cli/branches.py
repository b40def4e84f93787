"""`twin branch`: fork what was recorded, list the branches, compare two of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from typer import Argument, Context, Option, Typer

from twin.cli.answers import Layout, show
from twin.cli.errors import BadUsage
from twin.cli.output import emit, help_alone
from twin.cli.target import (
    AsOfOption,
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
from twin.model.instants import format_instant

DIFFERENT: Final = 10
"""The exit code if two branches differ and --exit-code is given."""

app = Typer(help="Create, list, compare and delete what-if branches.")
app.callback(invoke_without_command=True)(help_alone)


@app.command()
def create(
    context: Context,
    name: Annotated[str, Argument(metavar="NAME", help="Name of the new branch")],
    *,
    source: Annotated[
        str | None, Option("--from", metavar="BRANCH", help="Branch to fork from")
    ] = None,
    at: Annotated[
        str | None,
        Option("--at", metavar="T", help="Instant of the fork [latest instant of the branch]"),
    ] = None,
    assume_healed: Annotated[
        bool,
        Option("--assume-healed", help="Assume that the links of broken channels work again"),
    ] = False,
) -> int:
    """Fork a branch.

    Events on the new branch never change the branch it forks from. On it, all queue managers are
    simulated. What was broken stays broken: the link of an observed channel that was last seen
    RETRYING is assumed to be cut, unless --assume-healed is given, the link is healed, or the
    partner is started. A channel that was seen STOPPED stays STOPPED until it is started.
    """
    target = target_of(context)
    with replace(target, branch=source or target.branch).writer(at) as twin:
        made = twin.create_branch(name, at=instant(twin, at))
        seen = twin.log.head(made.name).position
        forked = twin.on_branch(made.name)
        if assume_healed:
            forked.assume_healed()
        assumed = forked.assumed_links()
    fork = format_instant(made.fork_occurred_at)
    where = f"position {seen}" if seen else "before the first event"
    emit([f"branch {made.name} forks from {made.parent} at {fork} {where}", *assumed])
    return 0


@app.command()
def delete(
    context: Context,
    name: Annotated[str, Argument(metavar="NAME", help="Name of the branch")],
) -> int:
    """Delete a branch, so that its name is free.

    Every command then hides or refuses it. Its events stay in the log, because the log is
    append-only. Branches that were forked from it stay as they are.
    """
    with replace(target_of(context), branch=name).writer() as twin:
        twin.delete_branch()
        above = [each.name for each in twin.log.branches() if each.parent == name]
    emit([f"branch {name} is deleted; its events stay in the log, and its name is free"])
    if above:
        emit([f"branches that were forked from it stay: {', '.join(above)}"])
    return 0


@app.command("list")
def list_branches(context: Context, *, output: FormatOption = Format.TEXT) -> int:
    """List the branches and where they fork.

    `fork_position` is the last position of the whole log when the branch was created. `position` is
    that of the last event that the branch sees, and `latest` its latest instant.
    """
    from twin.app.branch_list import list_branches as listed

    with target_of(context).reader() as twin:
        answer = listed(twin)
    show(answer, output)
    return 0


@app.command()
def diff(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    branches: Annotated[
        list[str],
        Argument(
            metavar="[BASE] BRANCH",
            help="Branch with the changes; BASE is the branch to compare with [parent of BRANCH]",
        ),
    ],
    *,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    exit_code: Annotated[
        bool, Option("--exit-code", help="Exit with 10 if there are differences")
    ] = False,
    output: FormatOption = Format.TEXT,
    columns: ColumnsOption = None,
    wide: WideOption = False,
    limit: LimitOption = None,
) -> int:
    """Show what a branch changed.

    `before` is the state of BASE, and `after` is the state of BRANCH, both at the same instant.
    This is --as-of, or by default the latest instant of BRANCH (for main, now).

    The command compares definitions, the status of queue managers, and the records that they hold,
    with their attributes. It does not compare messages, the status of channels and the expiry of
    records.

    Exit codes: 0 compared; 10 with --exit-code, if there are differences; 20 bad input.
    """
    target = target_of(context)
    layout = Layout.of("changes", columns, wide=wide, limit=limit, command="branch diff")
    *base, branch = branches
    if len(base) > 1:
        raise BadUsage(command="branch diff", problem="expected [BASE] BRANCH")
    from twin.app.branch_difference import branch_difference

    with replace(target, branch=branch).reader(as_of, known_at) as twin:
        before = base[0] if base else twin.log.branch(branch).parent
        if not before:
            problem = f"{branch} has no parent branch; name two branches"
            raise BadUsage(command="branch diff", problem=problem)
        end, known = instant(twin, as_of), log_time(twin, known_at)
        answer = branch_difference(twin, before, as_of=end, known_at=known)
    show(answer, output, layout)
    return DIFFERENT if exit_code and answer.rows else 0
