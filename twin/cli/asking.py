"""`twin ask`: any question, of any instant, with what was known when."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.messaging import Bind, Profile
from twin.cli.options import (
    AsOfOption,
    Format,
    KnownAt,
    PictureFormat,
    PictureFormatOption,
)
from twin.cli.output import emit, show
from twin.cli.place import instant, log_time, place_of

KINDS: Final = ("qmgr", "queue", "topic")
"""The kinds of records that a repository holds."""


def ask(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    question: Annotated[
        str,
        Argument(
            metavar="QUESTION",
            help="members, beliefs, divergence, lifetimes, subscriptions, errorlog, changes,"
            " transmission, channels, passes, agenda or explain",
        ),
    ],
    *,
    on: Annotated[
        str | None,
        Option(
            metavar="QM",
            help="Only there; for beliefs, divergence, lifetimes, subscriptions, errorlog, changes,"
            " transmission, channels, passes, agenda; where a message is put, for explain",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Only of this cluster; for members, beliefs, divergence, lifetimes, subscriptions",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        Option(
            metavar="KIND",
            help="Only qmgr, queue or topic; for beliefs, lifetimes, subscriptions",
        ),
    ] = None,
    name: Annotated[
        str | None,
        Option(
            metavar="NAME", help="Only records of this name; for beliefs, lifetimes, subscriptions"
        ),
    ] = None,
    owner: Annotated[
        str | None, Option(metavar="QM", help="Only records of this owner; for lifetimes")
    ] = None,
    channel: Annotated[
        str | None,
        Option(metavar="NAME", help="Only of this one; for transmission, channels, passes"),
    ] = None,
    queue: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Only messages for this queue; for transmission; what is put to, for explain",
        ),
    ] = None,
    to: Annotated[
        str | None, Option(metavar="QMGR", help="The object queue manager name; for explain")
    ] = None,
    bind: Annotated[
        Bind | None, Option(metavar="open|notfixed|group|asqdef", help="MQOO_BIND_*; for explain")
    ] = None,
    profile: Annotated[
        Profile | None, Option(metavar="v7|v8", help="The order of the rules; for explain")
    ] = None,
    position: Annotated[
        int | None, Option(min=1, metavar="N", help="The choice recorded there; for explain")
    ] = None,
    xmitq: Annotated[
        str | None,
        Option(metavar="NAME", help="Only messages on this queue; for transmission"),
    ] = None,
    message: Annotated[
        str | None,
        Option("--id", metavar="AMQnnnn", help="Only messages of this id; for errorlog"),
    ] = None,
    since: Annotated[
        str | None,
        Option(
            metavar="T",
            help="From when on; for errorlog, changes [the beginning], passes [a day], pictures",
        ),
    ] = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: PictureFormatOption = PictureFormat.TEXT,
) -> int:
    """Ask a question of an instant."""
    given = {
        "on": on,
        "cluster": cluster,
        "kind": kind,
        "name": name,
        "owner": owner,
        "channel": channel,
        "queue": queue,
        "xmitq": xmitq,
        "id": message,
        "to": to,
        "bind": bind,
        "profile": profile,
        "position": None if position is None else str(position),
    }
    filters = {option: value for option, value in given.items() if value is not None}
    drawn = output is PictureFormat.SVG
    _demand_fitting(question, filters, drawn=drawn, has_span=since is not None)
    with place_of(context).reader(as_of, known_at, since) as twin:
        valid, known = instant(twin, as_of), log_time(twin, known_at)
        begin = instant(twin, since)
        if drawn:
            emit([twin.draw(question, as_of=valid, known_at=known, since=begin, **filters)])
        else:
            answer = twin.ask(question, as_of=valid, known_at=known, since=begin, **filters)
            show(answer, Format(output))
    return 0


def _demand_fitting(question: str, filters: dict[str, str], *, drawn: bool, has_span: bool) -> None:
    """Check that a question has all the filters that are given, and the picture asked for.

    Raises:
        BadUsage: when it has not, or a kind is none.
    """
    from twin.questions.catalogue import QUESTIONS

    asked = QUESTIONS.get(question)
    if asked is not None:
        if drawn and asked.picture is None:
            able = ", ".join(name for name, each in QUESTIONS.items() if each.picture)
            problem = f"{question} has no picture: --format svg is for {able}"
            raise BadUsage(command="ask", problem=problem)
        known = [*asked.filters, *(["since"] if asked.has_span or drawn else [])]
        given = [*filters, *(["since"] if has_span else [])]
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
