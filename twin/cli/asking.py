"""`twin ask`: any question, of any instant, with what was known when."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.options import AsOfOption, Format, FormatOption, KnownAt
from twin.cli.output import show
from twin.cli.place import instant, place_of


def ask(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    question: Annotated[
        str, Argument(metavar="QUESTION", help="members, beliefs, divergence or changes")
    ],
    *,
    on: Annotated[str | None, Option(metavar="QM", help="Only this observer")] = None,
    cluster: Annotated[str | None, Option(metavar="NAME", help="Only this cluster")] = None,
    kind: Annotated[
        str | None, Option(metavar="KIND", help="Only this kind: qmgr, queue or topic")
    ] = None,
    name: Annotated[str | None, Option(metavar="NAME", help="Only records of this name")] = None,
    since: Annotated[
        str | None, Option(metavar="T", help="The earlier point, for changes [the beginning]")
    ] = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Ask a question of an instant."""
    from twin.questions.catalogue import QUESTIONS

    if since is not None and question in QUESTIONS and not QUESTIONS[question].compares:
        raise BadUsage(command="ask", problem=f"{question} compares nothing, so leave --since out")
    given = {"on": on, "cluster": cluster, "kind": kind, "name": name}
    filters = {option: value for option, value in given.items() if value is not None}
    with place_of(context).reader(as_of, known_at, since) as twin:
        answer = twin.ask(
            question,
            as_of=instant(twin, as_of),
            known_at=instant(twin, known_at),
            since=instant(twin, since),
            **filters,
        )
    show(answer, output)
    return 0


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(ask)
