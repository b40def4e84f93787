"""`twin runbook`: procedures for a queue manager, checked step by step and rehearsed."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.files import read_text
from twin.cli.output import DONE, FAILED, emit, emit_json, help_alone
from twin.cli.target import AsOfOption, KnownAt, instant, log_time, target_of
from twin.errors import BadInstant
from twin.model.instants import parse_length

if TYPE_CHECKING:
    from twin.review.runbooks.subjects import RunbookRequest


class RunbookFormat(StrEnum):
    """How a runbook is written."""

    TEXT = "text"
    JSON = "json"


_Qmgr = Annotated[str, Argument(metavar="QM", help="Queue manager that it is about")]
_Cluster = Annotated[
    str | None, Option("--cluster", metavar="NAME", help="Cluster, if there are several")
]
_Qmid = Annotated[
    str | None,
    Option("--qmid", metavar="QMID", help="An earlier queue manager of this name [the present]"),
]
_Lost = Annotated[
    bool, Option("--lost", help="The queue manager never comes back: nothing is run at it")
]
_Confirmed = Annotated[
    list[str] | None,
    Option("--done", metavar="ID", help="Count this step as done; may be repeated"),
]
_FormatOption = Annotated[
    RunbookFormat, Option("--format", metavar="text|json", help="Format of the runbook")
]

runbook = Typer(
    help="Show a procedure step by step, and how far it is.\n\n"
    "Each step is checked against the estate, and the steps that remain are rehearsed in memory: "
    "their commands, what blocks them, and when they will be done. Nothing is recorded, and no "
    "command is run.\n\n"
    "Exit codes: 0 all steps are done, or nothing is in their way; 10 a step is blocked; 20 bad "
    "input.",
    rich_markup_mode=None,
)
runbook.callback(invoke_without_command=True)(help_alone)


@runbook.command()
def leave(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: _Qmgr,
    *,
    cluster: _Cluster = None,
    qmid: _Qmid = None,
    lost: _Lost = False,
    confirmed: _Confirmed = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: _FormatOption = RunbookFormat.TEXT,
) -> int:
    """Take a queue manager out of a cluster.

    The last step is done when no queue manager holds a record of it.

    One that was deleted without leaving, or never comes back (--lost), is removed by force at a
    full repository.
    """
    request = replace(
        _request(qmgr, cluster, confirmed),
        qmid=_given("--qmid", qmid),
        lost=lost,
    )
    return _show(context, "leave", request, as_of, known_at, output)


@runbook.command()
def rebuild(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: _Qmgr,
    *,
    script: Annotated[
        str | None,
        Option(
            "--script",
            metavar="FILE",
            help="Definitions of the new queue manager; - is standard input [those of now]",
        ),
    ] = None,
    cluster: _Cluster = None,
    qmid: _Qmid = None,
    lost: _Lost = False,
    confirmed: _Confirmed = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: _FormatOption = RunbookFormat.TEXT,
) -> int:
    """Delete a queue manager and make it again.

    It leaves its clusters first, so that no record of its old QMID stays. The new one runs the
    saved definitions: give them with --script once the old one has left, so that the rest can be
    rehearsed. While there is a deleted queue manager of the name it is about that one; --qmid names
    another one.
    """
    request = replace(
        _request(qmgr, cluster, confirmed),
        qmid=_given("--qmid", qmid),
        script=None if script is None else read_text(_given("--script", script)),
        script_file=script or "",
        lost=lost,
    )
    return _show(context, "rebuild", request, as_of, known_at, output)


@runbook.command()
def maintain(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: _Qmgr,
    *,
    cluster: _Cluster = None,
    since: Annotated[
        str | None,
        Option(
            "--since",
            metavar="T",
            help="When the maintenance began [when it was suspended, else it has not begun]",
        ),
    ] = None,
    lasts: Annotated[
        str, Option("--for", metavar="TIME", help="How long the queue manager is down: 30m, 2h")
    ] = "4h",
    confirmed: _Confirmed = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: _FormatOption = RunbookFormat.TEXT,
) -> int:
    """Suspend, maintain and resume a queue manager.

    Afterwards the estate looks as before. So name --since to see that all steps are done.
    """
    try:
        length = parse_length(lasts)
    except BadInstant:
        problem = f"--for {lasts}: name a time like 4h"
        raise BadUsage(command="runbook maintain", problem=problem) from None
    request = replace(
        _request(qmgr, cluster, confirmed),
        lasts=length,
    )
    return _show(context, "maintain", request, as_of, known_at, output, since=since)


@runbook.command("move-full-repository")
def move_full_repository(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    qmgr: _Qmgr,
    *,
    to: Annotated[str, Option("--to", metavar="QM", help="Queue manager that takes over")],
    cluster: _Cluster = None,
    lost: _Lost = False,
    confirmed: _Confirmed = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: _FormatOption = RunbookFormat.TEXT,
) -> int:
    """Move the role of a full repository.

    Another queue manager takes over. The new one is in place, and holds all records, before the old
    one gives up its role.
    """
    request = replace(
        _request(qmgr, cluster, confirmed),
        to=_given("--to", to),
        lost=lost,
    )
    return _show(context, "move-full-repository", request, as_of, known_at, output)


@runbook.command("dr-test")
def dr_test(
    context: Context,
    qmgr: _Qmgr,
    *,
    backup: Annotated[
        str | None,
        Option("--backup", metavar="T", help="Instant of the backup that the copy is made from"),
    ] = None,
    cluster: _Cluster = None,
    confirmed: _Confirmed = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: _FormatOption = RunbookFormat.TEXT,
) -> int:
    """Test a copy without harming production.

    Looks for signs that a copy published in production, and names the commands that remove them.
    With --backup it also rehearses what a copy that reaches production would do. twin cannot see
    the test network: confirm the steps there with --done.
    """
    request = _request(qmgr, cluster, confirmed)
    return _show(context, "dr-test", request, as_of, known_at, output, since=backup)


@runbook.command()
def refresh(
    context: Context,
    qmgr: _Qmgr,
    *,
    cluster: _Cluster = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: _FormatOption = RunbookFormat.TEXT,
) -> int:
    """Decide whether REFRESH CLUSTER is needed.

    Mostly it is not. Lists every reason that could call for it, with what was seen and what fixes
    it instead, and what the command would do, rehearsed and compared with doing nothing.

    Exit codes: 0 decided; 10 it is needed, and something has to be fixed first; 20 bad input.
    """
    from twin.review.runbooks import refresh_text
    from twin.review.runbooks.refreshing import decide

    request = _request(qmgr, cluster)
    with target_of(context).reader(as_of, known_at) as twin:
        decision = decide(
            twin, request, as_of=instant(twin, as_of), known_at=log_time(twin, known_at)
        )
    if output is RunbookFormat.JSON:
        emit_json(refresh_text.document_of(decision))
    else:
        emit(refresh_text.text_of(decision))
    return FAILED if decision.is_blocked else DONE


def _request(qmgr: str, cluster: str | None, confirmed: list[str] | None = None) -> RunbookRequest:
    """Return the part of a request that all runbooks have."""
    from twin.review.runbooks.subjects import RunbookRequest

    return RunbookRequest(
        qmgr=qmgr, cluster=_given("--cluster", cluster), confirmed=frozenset(confirmed or ())
    )


def _given(option: str, value: str | None) -> str:
    """Return the value of an option; '' if it was not given.

    Raises:
        BadUsage: if it was given empty.
    """
    if value == "":
        raise BadUsage(command="runbook", problem=f"{option} needs a value", typed=option)
    return value or ""


def _show(
    context: Context,
    name: str,
    request: RunbookRequest,
    as_of: str | None,
    known_at: str | None,
    output: RunbookFormat,
    *,
    since: str | None = None,
) -> int:
    from twin.review.runbooks.runbook import work_out

    with target_of(context).reader(as_of, known_at, since) as twin:
        worked = work_out(
            twin,
            name,
            replace(request, since=instant(twin, since)),
            as_of=instant(twin, as_of),
            known_at=log_time(twin, known_at),
        )
    if output is RunbookFormat.JSON:
        from twin.review.runbooks.text import document_of

        emit_json(document_of(worked))
    else:
        from twin.review.runbooks.text import text_of

        emit(text_of(worked))
    return FAILED if worked.is_blocked else DONE
