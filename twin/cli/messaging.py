"""What the commands about messages share: their options, exits, and a reason code in words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from typer import Argument, Option

from twin.cli.errors import BadUsage

if TYPE_CHECKING:
    from twin.events import ExitSaid
    from twin.rules.workload.exits import WorkloadExit

FAILED: Final = 10
"""The exit code of a call that ended in a reason code."""


class Bind(StrEnum):
    """MQOO_BIND_*: when the destination is chosen."""

    OPEN = "open"
    NOTFIXED = "notfixed"
    GROUP = "group"
    ASQDEF = "asqdef"


class Profile(StrEnum):
    """The order of the rules of the workload choice."""

    V7 = "v7"
    V8 = "v8"


Where: TypeAlias = Annotated[str, Argument(metavar="QM", help="Where the application is connected")]
BindOption: TypeAlias = Annotated[
    Bind, Option("--bind", metavar="open|notfixed|group|asqdef", help="MQOO_BIND_*")
]
ToOption: TypeAlias = Annotated[
    str, Option("--to", metavar="QMGR", help="The object queue manager name")
]
ProfileOption: TypeAlias = Annotated[
    Profile | None,
    Option("--profile", metavar="v7|v8", help="The order of the rules [that of the level]"),
]
Put1Option: TypeAlias = Annotated[bool, Option("--put1", help="MQPUT1: every message is a choice")]
ExitOption: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--exit",
        metavar="NAME=MODULE:FUNCTION",
        help="The workload exit that CLWLEXIT(NAME) means; may be given again",
    ),
]


def loaded(command: str, given: Sequence[str] | None) -> dict[str, WorkloadExit]:
    """Import the workload exits that are named, from here or from where Python looks.

    Raises:
        BadUsage: for one that is not named so, or cannot be imported.
    """
    return dict(_loaded(command, text) for text in given or ())


def _loaded(command: str, text: str) -> tuple[str, WorkloadExit]:
    from importlib import import_module

    name, _, path = text.partition("=")
    module, _, function = path.partition(":")
    if not (name and module and function):
        raise BadUsage(command=command, problem=f"--exit {text} is not NAME=MODULE:FUNCTION")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: WorkloadExit = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise BadUsage(command=command, problem=f"--exit {text}: {error}") from None
    return name, found


def exit_line(said: ExitSaid | None) -> str:
    """Say in a line what a workload exit came to, '' where there is nothing to say."""
    from twin.model.reasons import reason_name

    if said is None:
        return ""
    if said.reason:
        why = f": {said.problem}" if said.problem else ""
        return f"workload exit {said.name}: {said.reason} {reason_name(said.reason)}{why}"
    return f"workload exit {said.name} chose {said.channel}" if said.channel else ""
