"""`twin reading`: how the model behaves where IBM's documents are silent."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Context, Typer

from twin.cli.errors import BadUsage
from twin.cli.output import DONE, emit
from twin.cli.target import AtOption, instant, target_of


def reading(
    context: Context,
    choice: Annotated[
        str, Argument(metavar="[NAME=VALUE]", help="Reading to choose, such as restart=republish")
    ] = "",
    *,
    at: AtOption = None,
) -> int:
    """Choose how to model what IBM's documents leave open.

    A reading says how the model behaves where these documents are silent or disagree. The choice
    applies to the whole branch from now on. Recorded events do not change. Without NAME=VALUE, the
    command prints all readings.

    restart=due: a queue manager that starts sends the records that fell due while it was down.
    restart=republish: it sends all its records again.

    refresh=forget: after REFRESH CLUSTER a partial repository asks for a name at its next use.
    refresh=rebuild: it asks at once for the names that it used.
    """
    if not choice:
        with target_of(context).reader(at, None) as twin:
            emit(
                [
                    f"{name}={value}"
                    for name, value in twin.readings(as_of=instant(twin, at)).items()
                ]
            )
        return DONE
    name, sign, value = choice.partition("=")
    if not sign:
        example = "such as restart=republish"
        raise BadUsage(command="reading", problem=f"expected NAME=VALUE, {example}, not {choice}")
    with target_of(context).writer(at) as twin:
        twin.choose_reading(name, value, at=instant(twin, at))
    emit([f"reading {name}={value} chosen"])
    return DONE


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(reading)
