"""`twin plan`: says what a change would do before it is made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from twin.cli.errors import BadUsage
from twin.cli.files import STANDARD_INPUT, read_text
from twin.cli.folders import FromOption, folder_given
from twin.cli.output import DONE, FAILED, ProgressBar, emit
from twin.cli.target import FailOn, KnownAt, instant, log_time, target_of
from twin.errors import BadInstant
from twin.model.instants import parse_length
from twin.review.plan.document import document_of

if TYPE_CHECKING:
    from twin.review.plan.affected import PlannedPut
    from twin.review.plan.plan import Plan, Request
    from twin.review.plan.planned import PlannedScript


class PlanFormat(StrEnum):
    """How a plan is written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def plan(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    scripts: Annotated[
        list[str] | None,
        Argument(metavar="[FILE | QM=FILE]...", help="Scripts; - is standard input"),
    ] = None,
    *,
    on: Annotated[
        str | None, Option("--on", metavar="QM", help="Queue manager that FILE is for")
    ] = None,
    suspend: Annotated[
        list[str] | None,
        Option("--suspend", metavar="QM", help="Suspend it in all its clusters; repeatable"),
    ] = None,
    stop: Annotated[
        list[str] | None, Option("--stop", metavar="QM", help="End it with endmqm; repeatable")
    ] = None,
    refresh: Annotated[
        list[str] | None,
        Option("--refresh", metavar="QM:CLUSTER", help="REFRESH CLUSTER there; repeatable"),
    ] = None,
    moved: Annotated[
        list[str] | None,
        Option(
            "--moved",
            metavar="QM:ADDRESS",
            help="The old address, host(port), leads to it no longer; repeatable",
        ),
    ] = None,
    put: Annotated[
        list[str] | None,
        Option(
            "--put",
            metavar="QM:QUEUE[:BIND]",
            help="Compare this put too; BIND is open, notfixed, group or asqdef; repeatable",
        ),
    ] = None,
    at: Annotated[
        str | None,
        Option("--at", metavar="T", help="Instant of the change, also a later one [now]"),
    ] = None,
    known_at: KnownAt = None,
    folder: FromOption = None,
    to: Annotated[
        str | None,
        Option("--to", metavar="DIR", help="Folder as it is to be; the change is the difference"),
    ] = None,
    advance: Annotated[
        str | None, Option("--advance", metavar="TIME", help="Let time pass after it: 91d, 12h")
    ] = None,
    between: Annotated[
        bool | None,
        Option(
            "--between/--no-between",
            help="With --advance, compare also what differs for a time only "
            "[yes, up to 200 queue managers]",
        ),
    ] = None,
    output: Annotated[
        PlanFormat,
        Option("--format", metavar="text|json|markdown", help="Format of the plan"),
    ] = PlanFormat.TEXT,
    fail_on: Annotated[
        FailOn | None,
        Option(
            "--fail-on",
            metavar="error|warning|info",
            help="Exit with 10 if the change brings a finding this bad, or worse",
        ),
    ] = None,
    exit_code: Annotated[
        bool, Option("--exit-code", help="Exit with 10 if anything changes")
    ] = False,
) -> int:
    """Show what a change would do.

    Rehearses the change, and compares the result with what happens without it.

    Lets queue managers be --moved, runs the scripts in their order, then --suspend, --stop and
    --refresh. All this happens in memory: nothing is recorded, and others may write to the log
    meanwhile. Both sides are compared at the same instant: one minute after the change, or the time
    of --advance later. What happens in any case is not shown. An effect within that minute is "at
    once". With --advance, effects that begin and end before that instant are shown with their dates
    (see --between). A put is followed over gateways and aliases to where it ends, as by
    `twin explain --route`.

    With --from, the queue managers are as the files of a folder define them (see twin doctor), and
    no log is used. With --from and --to, the change is the difference of the two folders. It is
    shown as commands, each with its file and line in --to. New commands of scripts in --to that
    runmqsc would reject are refused.

    Exit codes: 0 planned; 10 a command was refused, or commands that only --to has cannot be
    used, or something changes with --exit-code, or a finding as bad as --fail-on is new or
    became worse; 20 bad input.
    """
    from twin.questions.doctor.finding import Severity
    from twin.review.plan.plan import Request
    from twin.review.plan.plan import plan as planned
    from twin.review.plan.planned import changing

    if between is not None and advance is None:
        problem = f"--{'' if between else 'no-'}between needs --advance"
        raise BadUsage(command="plan", problem=problem)
    read = _scripts(scripts or [], on)
    puts = tuple(map(_put, put or []))
    refreshed = [(on_, name) for on_, name in (_parts("--refresh", r, 2) for r in refresh or [])]

    left = [(on_, name.lower()) for on_, name in (_parts("--moved", m, 2) for m in moved or [])]
    lost = 0
    with ProgressBar("puts") as bar:
        request = Request(
            changes=changing(
                read, suspend=suspend or (), stop=stop or (), refreshes=refreshed, moved=left
            ),
            puts=puts,
            advance=_length(advance),
            between=between,
            progress=bar.show,
        )
        if folder is None and to is None:
            with target_of(context).reader(at, known_at) as twin:
                start, known = instant(twin, at), log_time(twin, known_at)
                result = planned(twin, request, as_of=start, known_at=known)
        else:
            _check_folders(folder, to, by_command=any((scripts, on, suspend, stop, refresh, moved)))
            needs_log = {"--at": at, "--known-at": known_at}
            result, lost = _planned_in(context, request, folder or "", to, needs_log)
    _write(result, output)
    fails = fail_on is not None and result.has_new_finding(Severity(fail_on.value))
    changes_any = exit_code and result.changes_anything
    return FAILED if result.refused or lost or changes_any or fails else DONE


def _check_folders(folder: str | None, to: str | None, *, by_command: bool) -> None:
    """Check that --to has a folder to compare with, and is the only change.

    Raises:
        BadUsage: if not.
    """
    if folder is None:
        raise BadUsage(command="plan", problem=f"--to {to} needs --from, the folder before it")
    if to is not None and by_command:
        problem = "--to is the whole change: leave out scripts, --on, --suspend, --stop, --refresh"
        raise BadUsage(command="plan", problem=problem)


def _planned_in(
    context: Context, request: Request, folder: str, to: str | None, needs_log: Mapping[str, object]
) -> tuple[Plan, int]:
    """Plan on a folder; return the plan, and how many commands --to lost that --from did not."""
    from twin.review.folders.planning import newly_lost, plan_difference, plan_in_folder

    with folder_given(context, "plan", folder, needs_log) as before:
        if to is None:
            return plan_in_folder(before, request), 0
        with folder_given(context, "plan", to, needs_log, option="--to") as after:
            return plan_difference(before, after, request), newly_lost(before, after)


def _write(result: Plan, output: PlanFormat) -> None:
    if output is PlanFormat.JSON:
        emit([json.dumps(document_of(result), indent=2)])
        return
    from twin.review.plan.text import markdown_of, text_of

    emit(text_of(result) if output is PlanFormat.TEXT else markdown_of(result))


def _scripts(given: Sequence[str], on: str | None) -> list[PlannedScript]:
    """Read the scripts.

    Raises:
        BadUsage: if it is not said which queue manager a script is for, or --on has no script.
    """
    from twin.review.plan.planned import PlannedScript

    read = []
    plain = False
    for each in given:
        qmgr, equals, file = each.partition("=")
        if not equals:
            qmgr, file, plain = on or "", each, True
        if not qmgr:
            problem = f"say which queue manager {each} is for: --on QM, or QM={each}"
            raise BadUsage(command="plan", problem=problem)
        read.append(PlannedScript(qmgr, read_text(file), file))
    if sum(script.file == STANDARD_INPUT for script in read) > 1:
        raise BadUsage(command="plan", problem="only one script can be standard input (-)")
    if on and not plain:
        raise BadUsage(command="plan", problem=f"--on {on} needs a script without QM=")
    return read


def _put(given: str) -> PlannedPut:
    from twin.review.plan.affected import PlannedPut

    return PlannedPut(*_parts("--put", given, 2, 3))


def _parts(option: str, given: str, *counts: int) -> list[str]:
    """Split the value of an option at its colons.

    Raises:
        BadUsage: if it has another number of parts, or an empty one.
    """
    parts = given.split(":")
    if len(parts) not in counts or not all(parts):
        wanted = {"--put": "QM:QUEUE[:BIND]", "--refresh": "QM:CLUSTER"}[option]
        raise BadUsage(command="plan", problem=f"{option} {given}: expected {wanted}")
    return parts


def _length(advance: str | None) -> int:
    """Return how long to let time pass, in microseconds.

    Raises:
        BadUsage: if it is malformed, or goes back.
    """
    if advance is None:
        return 0
    try:
        return parse_length(advance)
    except BadInstant:
        problem = f"--advance {advance}: write how long, such as 91d, 12h or 30m"
        raise BadUsage(command="plan", problem=problem) from None
