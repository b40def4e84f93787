"""`twin ask`: any question, of any instant, with what was known when."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.options import AsOfOption, Format, FormatOption, KnownAt
from twin.cli.output import show
from twin.cli.place import instant, place_of

KINDS: Final = ("qmgr", "queue", "topic")
"""The kinds of records that a repository holds."""


def ask(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    question: Annotated[
        str, Argument(metavar="QUESTION", help="members, beliefs, divergence or changes")
    ],
    *,
    on: Annotated[
        str | None,
        Option(metavar="QM", help="Only there; for beliefs, divergence, changes"),
    ] = None,
    cluster: Annotated[
        str | None,
        Option(metavar="NAME", help="Only of this cluster; for members, beliefs, divergence"),
    ] = None,
    kind: Annotated[
        str | None, Option(metavar="KIND", help="Only qmgr, queue or topic; for beliefs")
    ] = None,
    name: Annotated[
        str | None, Option(metavar="NAME", help="Only records of this name; for beliefs")
    ] = None,
    since: Annotated[
        str | None, Option(metavar="T", help="The earlier point; for changes [the beginning]")
    ] = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Ask a question of an instant."""
    given = {"on": on, "cluster": cluster, "kind": kind, "name": name}
    filters = {option: value for option, value in given.items() if value is not None}
    _demand_fitting(question, filters, compares=since is not None)
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


def _demand_fitting(question: str, filters: dict[str, str], *, compares: bool) -> None:
    """Check that a question has all the filters that are given.

    Raises:
        BadUsage: when it has not, or a kind is none.
    """
    from twin.questions.catalogue import QUESTIONS

    asked = QUESTIONS.get(question)
    if asked is not None:
        known = [*asked.filters, *(["since"] if asked.compares else [])]
        given = [*filters, *(["since"] if compares else [])]
        if wrong := [option for option in given if option not in known]:
            problem = f"{question} takes no {_options(wrong)}, only {_options(known)}"
            raise BadUsage(command="ask", problem=problem)
    if (kind := filters.get("kind")) is not None and kind not in KINDS:
        raise BadUsage(command="ask", problem=f"--kind {kind} is not one of {', '.join(KINDS)}")


def _options(names: Iterable[str]) -> str:
    return ", ".join(f"--{name}" for name in names)


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(ask)
