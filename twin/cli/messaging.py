"""The options that the commands of applications share, and their workload exits."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from typer import Argument, Option

from twin.cli.errors import BadUsage
from twin.model.authorities import groups_by_user
from twin.model.instants import SECOND
from twin.model.reasons import reason_name

if TYPE_CHECKING:
    from twin.app.exits import WorkloadExit
    from twin.app.results import Opened, Put
    from twin.events import Caller, ExitSaid


class BindValue(StrEnum):
    """The bind option of an open: when the destination is chosen."""

    OPEN = "open"
    NOTFIXED = "notfixed"
    GROUP = "group"
    ASQDEF = "asqdef"


class ProfileValue(StrEnum):
    """The order of the rules of workload balancing."""

    V7 = "v7"
    V8 = "v8"


QmgrArgument: TypeAlias = Annotated[
    str, Argument(metavar="QM", help="Queue manager that the application is connected to")
]
BindOption: TypeAlias = Annotated[
    BindValue,
    Option(
        "--bind",
        metavar="open|notfixed|group|asqdef",
        help="When a destination is chosen: at the open, for each message, for each group, or as"
        " DEFBIND of the queue says",
    ),
]
ToOption: TypeAlias = Annotated[
    str, Option("--to", metavar="QMGR", help="ObjectQMgrName of the open")
]
ProfileOption: TypeAlias = Annotated[
    ProfileValue | None,
    Option(
        "--profile",
        metavar="v7|v8",
        help="Order of the rules: v7 up to MQ 7.5, v8 from MQ 8.0 [by the command level]",
    ),
]
Put1Option: TypeAlias = Annotated[
    bool, Option("--put1", help="Use MQPUT1, which opens the queue again for each message")
]
UserOption: TypeAlias = Annotated[
    str,
    Option("--as", metavar="USER", help="User that the application runs as: check its authority"),
]
GroupsOption: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--groups",
        metavar="[USER=]G,...",
        help="Groups of the user of --as, or of another user, such as MCAUSER; may be repeated",
    ),
]
ExitOption: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--exit",
        metavar="NAME=MODULE:FUNCTION",
        help="Python function to run as workload exit NAME of CLWLEXIT; may be repeated",
    ),
]


def caller_from(user: str, groups: Sequence[str] | None) -> Caller | None:
    """Return the user of --as with the groups of --groups; None without a user.

    Raises:
        GroupsAlone: if there are groups without a user.
    """
    if not user and not groups:
        return None
    from twin.events import Caller

    return Caller.of(user, groups_by_user(user, groups or ()))


def load_exits(command: str, options: Sequence[str] | None) -> dict[str, WorkloadExit]:
    """Import workload exits from the current folder or from Python's path.

    Raises:
        BadUsage: if an option is malformed, or its function cannot be imported.
    """
    return dict(_load_exit(command, text) for text in options or ())


def _load_exit(command: str, text: str) -> tuple[str, WorkloadExit]:
    from importlib import import_module

    name, _, path = text.partition("=")
    module, _, function = path.partition(":")
    if not (name and module and function):
        raise BadUsage(
            command=command, problem=f"malformed --exit {text}; expected NAME=MODULE:FUNCTION"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        function_of_exit: WorkloadExit = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise BadUsage(command=command, problem=f"cannot load --exit {text}: {error}") from None
    return name, function_of_exit


def pending_line(call: str, result: Opened | Put) -> Iterator[str]:
    """Yield a line if a call waits for full repositories; its outcome is then the expected one."""
    if result.pending:
        seconds = f"{result.waited / SECOND:g} s"
        yield f"pending: the {call} waits for full repositories and ends after {seconds}"


def exit_line(outcome: ExitSaid | None) -> str:
    """Return a line about what a workload exit did; '' if none was called."""
    if outcome is None:
        return ""
    if outcome.reason:
        why = f": {outcome.problem}" if outcome.problem else ""
        return f"workload exit {outcome.name}: {outcome.reason} {reason_name(outcome.reason)}{why}"
    return f"workload exit {outcome.name} chose {outcome.channel}" if outcome.channel else ""
