"""`twin link`: the network between queue managers; `twin restore`: one put back from a backup."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.options import At
from twin.cli.output import emit, help_alone
from twin.cli.place import instant, place_of

app = Typer(help="The network between queue managers: cut, heal, delay")
app.callback(invoke_without_command=True)(help_alone)

_One = Annotated[str, Argument(metavar="QM", help="A queue manager")]
_Other = Annotated[str, Argument(metavar="QM", help="Another one")]


@app.command()
def cut(context: Context, one: _One, other: _Other, *, at: At = None) -> int:
    """Cut the link between two queue managers.

    Channels that run over it fail at once, and retry.
    """
    return _change(context, "cut", one, other, at=at, said=f"{one} and {other} are cut off")


@app.command()
def heal(context: Context, one: _One, other: _Other, *, at: At = None) -> int:
    """Heal the link between two queue managers.

    Channels notice at their next retry.
    """
    return _change(context, "heal", one, other, at=at, said=f"{one} and {other} can connect")


@app.command()
def delay(
    context: Context,
    latency: Annotated[str, Argument(metavar="LATENCY", help="500ms, 5s, 2m")],
    one: Annotated[str, Argument(metavar="[QM", help="A queue manager")] = "",
    other: Annotated[str, Argument(metavar="QM]", help="Another one")] = "",
    *,
    at: At = None,
) -> int:
    """Let repository commands take their time over a link.

    Without queue managers that is the time of every link that has none of its own.
    """
    from twin.stories.moments import duration_of

    if bool(one) != bool(other):
        raise BadUsage(command="link delay", problem="a link has two ends: name both, or none")
    microseconds = duration_of(latency)
    if microseconds is None:
        order = "LATENCY comes first: twin link delay 5s NYC LON"
        problem = f"{latency} is no time such as 500ms, 5s or 2m; {order}"
        raise BadUsage(command="link delay", problem=problem)
    between = f"between {one} and {other}" if one else "on every link"
    said = f"repository commands take {latency} {between}"
    return _change(context, "delay", one, other, at=at, said=said, latency=microseconds)


def _change(
    context: Context,
    action: str,
    one: str,
    other: str,
    *,
    at: str | None,
    said: str,
    latency: int = 0,
) -> int:
    with place_of(context).writer(at) as twin:
        twin.link(action, one, other, latency=latency, at=instant(twin, at))
    emit([said])
    return 0


def restore(
    context: Context,
    qmgr: Annotated[str, Argument(metavar="QM", help="The queue manager")],
    *,
    to: Annotated[str, Option("--to", metavar="T", help="The instant of the backup")],
    at: At = None,
) -> int:
    """Put a queue manager back as it was, as from a backup.

    One that runs is ended for it and started again. Others keep what they believe of it, and
    discard what it says as old, until REFRESH CLUSTER there; what it has never heard of stays with
    them for up to 90 days.
    """
    from twin.model.instants import format_instant

    with place_of(context).writer(to, at) as twin:
        when = instant(twin, to)
        assert when is not None  # noqa: S101 - --to is required
        twin.restore(qmgr, to=when, at=instant(twin, at))
    emit([f"IBM MQ queue manager '{qmgr}' restored as of {format_instant(when)}."])
    return 0


def register(app_: Typer) -> None:
    """Add these commands to the command line."""
    app_.command()(restore)
    app_.add_typer(app, name="link")
