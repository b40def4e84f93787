"""`twin link`, `restore` and `exhaust`: the network, backups, and the storage of repositories."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.messaging import ExitOption, load_exits
from twin.cli.output import DONE, emit, help_alone
from twin.cli.target import AtOption, instant, length, target_of
from twin.model.instants import format_instant

app = Typer(help="Cut, heal or delay the network between queue managers.")
app.callback(invoke_without_command=True)(help_alone)

_One = Annotated[str, Argument(metavar="QM1", help="Queue manager at one end of the link")]
_Other = Annotated[str, Argument(metavar="QM2", help="Queue manager at the other end")]


@app.command()
def cut(
    context: Context,
    one: _One,
    other: _Other,
    *,
    silent: Annotated[
        bool, Option("--silent", help="Lose all packets without informing either end")
    ] = False,
    at: AtOption = None,
    exits: ExitOption = None,
) -> int:
    """Cut the link between two queue managers.

    Running channels between them fail at once and retry. With --silent they continue, until each
    end notices the cut after its HBINT (on z/OS also RCVTIME).
    """
    done = f"link between {one} and {other} cut{' silently' if silent else ''}"
    return _change(context, "cut", one, other, at=at, done=done, silent=silent, exits=exits)


@app.command()
def heal(context: Context, one: _One, other: _Other, *, at: AtOption = None) -> int:
    """Heal the link between two queue managers.

    Channels connect again at their next retry.
    """
    return _change(
        context, "heal", one, other, at=at, done=f"link between {one} and {other} healed"
    )


@app.command()
def delay(
    context: Context,
    latency: Annotated[
        str,
        Argument(
            metavar="LATENCY", help="Delay of each repository command, such as 500ms, 5s or 2m"
        ),
    ],
    one: _One = "",
    other: _Other = "",
    *,
    at: AtOption = None,
) -> int:
    """Delay repository commands on a link.

    Without QM1 and QM2, the delay applies to every link that has no delay of its own.
    """
    if bool(one) != bool(other):
        raise BadUsage(command="link delay", problem="name both ends of the link, or none")
    example = "such as 500ms, 5s or 2m (twin link delay 5s NYC LON)"
    microseconds = length("LATENCY", latency, example, command="link delay", least=0)
    between = f"between {one} and {other}" if one else "on every link"
    done = f"repository commands take {latency} {between}"
    return _change(context, "delay", one, other, at=at, done=done, latency=microseconds)


def _change(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    action: str,
    one: str,
    other: str,
    *,
    at: str | None,
    done: str,
    latency: int = 0,
    silent: bool = False,
    exits: list[str] | None = None,
) -> int:
    with target_of(context).writer(at, exits=load_exits(f"link {action}", exits)) as twin:
        twin.link(action, one, other, latency=latency, silent=silent, at=instant(twin, at))
    emit([done])
    return DONE


def restore(
    context: Context,
    qmgr: Annotated[str, Argument(metavar="QM", help="Queue manager to restore")],
    *,
    to: Annotated[str, Option("--to", metavar="T", help="Instant of the backup")],
    at: AtOption = None,
) -> int:
    """Restore a queue manager, as from a backup.

    A running queue manager is ended first and started afterwards.

    Other queue managers keep their beliefs about it. If they hold what it published after the
    backup, and its level is below 940, they discard its records as old until REFRESH CLUSTER is run
    at the restored queue manager. For up to 90 days, they keep records of objects that are not in
    the backup.
    """
    with target_of(context).writer(to, at) as twin:
        when = instant(twin, to)
        assert when is not None  # noqa: S101 - --to is required
        twin.restore(qmgr, to=when, at=instant(twin, at))
    emit([f"IBM MQ queue manager '{qmgr}' restored as of {format_instant(when)}."])
    return DONE


def exhaust(
    context: Context,
    qmgr: Annotated[str, Argument(metavar="QM", help="Queue manager of the repository")],
    *,
    stgclass: Annotated[
        str, Option("--stgclass", metavar="CLASS", help="Storage class of a page set of z/OS")
    ] = "",
    freed: Annotated[bool, Option("--freed", help="The page set has room again")] = False,
    at: AtOption = None,
) -> int:
    """Let a repository run out of storage, or a page set of z/OS.

    What it holds stays usable. The first repository command that needs storage fails (twin ask
    errorlog: TWN0011E, AMQ9448), and others wait on the command queue. endmqm and strmqm give the
    repository more storage.

    With --stgclass, on z/OS, the page set of a storage class is full, and not the repository: puts
    on the queues with that STGCLASS end with 2192, until it is --freed.

    Exit codes: 0 recorded; 20 the queue manager does not run, or other bad input.
    """
    with target_of(context).writer(at) as twin:
        twin.exhaust(qmgr, stgclass=stgclass, freed=freed, at=instant(twin, at))
    what = f"page set of {stgclass} at {qmgr}" if stgclass else f"repository of {qmgr}"
    emit([f"{what} {'has room again' if stgclass and freed else 'out of storage'}"])
    return DONE
