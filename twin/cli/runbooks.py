"""`twin runbook`: procedures for a queue manager, checked step by step and rehearsed."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.exit_codes import DONE, FAILED
from twin.cli.options import AsOfOption, KnownAt
from twin.cli.output import emit, emit_json, help_alone
from twin.cli.target import instant, log_time, target_of

if TYPE_CHECKING:
    from twin.review.runbooks.request import RunbookRequest


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
    help="Show a procedure for a queue manager step by step, and how far it is.\n\n"
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
    """Take a queue manager out of a cluster, until nobody holds a record of it.

    One that was deleted without leaving, or never comes back (--lost), is removed by force at a
    full repository.
    """
    from twin.review.runbooks.request import RunbookRequest

    request = RunbookRequest(
        qmgr=qmgr,
        qmid=qmid or "",
        cluster=cluster or "",
        lost=lost,
        confirmed=frozenset(confirmed or ()),
    )
    return _show(context, "leave", request, as_of, known_at, output)


def _show(
    context: Context,
    name: str,
    request: RunbookRequest,
    as_of: str | None,
    known_at: str | None,
    output: RunbookFormat,
) -> int:
    from twin.review.runbooks.runbook import work_out

    with target_of(context).reader(as_of, known_at) as twin:
        worked = work_out(
            twin, name, request, as_of=instant(twin, as_of), known_at=log_time(twin, known_at)
        )
    if output is RunbookFormat.JSON:
        from twin.review.runbooks.document import document_of

        emit_json(document_of(worked))
    else:
        from twin.review.runbooks.text import text_of

        emit(text_of(worked))
    return FAILED if worked.is_blocked else DONE


def register(app: Typer) -> None:
    """Add the commands."""
    app.add_typer(runbook, name="runbook")
