"""`twin user`: who may use the service of `twin serve`."""

from __future__ import annotations

import getpass
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.files import secret_in
from twin.cli.output import DONE, emit, emit_json, help_alone
from twin.cli.table import table, width_of
from twin.cli.target import Format, FormatOption

if TYPE_CHECKING:
    from twin.web.access.users import Users

UsersOption: TypeAlias = Annotated[
    Path,
    Option(
        "--users", envvar="TWIN_USERS", metavar="FILE", help="File of users and hashed passwords"
    ),
]

DEFAULT: Final = Path("twin-users.json")
"""The file of users unless another one is given."""


class RoleName(StrEnum):
    """What a user may do, in short."""

    ADMIN = "admin"
    READER = "reader"
    USER = "user"


_Name: TypeAlias = Annotated[str, Argument(metavar="NAME", help="Name of the user")]

app = Typer(
    help="Add, list and remove the users of `twin serve`.\n\n"
    "The users file has hashed passwords, and only its owner may read it. A running service uses "
    "changes at once.",
    rich_markup_mode=None,
)
app.callback(invoke_without_command=True)(help_alone)


@app.command()
def add(
    context: Context,
    name: _Name,
    *,
    role: Annotated[
        list[RoleName] | None,
        Option(
            metavar="admin|reader|user",
            help="admin: everything (MQWebAdmin); reader: reads and rehearses (MQWebAdminRO); "
            "user: also puts and gets (MQWebUser); may be repeated [the present roles; reader]",
        ),
    ] = None,
    password_file: Annotated[
        str | None,
        Option(
            metavar="FILE", help="File with the password in its first line; - is standard input"
        ),
    ] = None,
    users: UsersOption = DEFAULT,
) -> int:
    """Add a user, or replace the password of one.

    `--role` also replaces the roles. Asks for the password twice, unless it comes from a file or
    from standard input. A password cannot be an option, because other users of the machine can see
    the options of a command.

    Exit codes: 0 done; 20 bad input.
    """
    from twin.web.access.users import Role

    roles = [Role[each.name] for each in role] if role else None
    file = _file(users)
    password = _typed(name) if password_file is None else secret_in(password_file)
    is_new = file.add(name, password, roles)
    verb = "added" if is_new else "changed"
    emit([f"user {name} {verb}: {', '.join(sorted(file.entries()[name].user.roles))}"])
    return DONE


@app.command("list")
def list_users(
    context: Context, *, users: UsersOption = DEFAULT, output: FormatOption = Format.TEXT
) -> int:
    """List the users and their roles.

    Exit codes: 0 done; 20 bad input.
    """
    rows = [
        (name, sorted(entry.user.roles)) for name, entry in sorted(_file(users).entries().items())
    ]
    if output is Format.JSON:
        emit_json([{"name": name, "roles": roles} for name, roles in rows])
    elif output is Format.CSV:
        emit(["name,roles", *(f"{name},{' '.join(roles)}" for name, roles in rows)])
    elif rows:
        cells = [(name, " ".join(roles)) for name, roles in rows]
        emit(table(("name", "roles"), cells, width=width_of(sys.stdout)))
    else:
        emit(["no users"])
    return DONE


@app.command()
def remove(context: Context, name: _Name, *, users: UsersOption = DEFAULT) -> int:
    """Remove a user; sessions of the user end at the next request.

    Exit codes: 0 done; 20 bad input.
    """
    _file(users).remove(name)
    emit([f"user {name} removed"])
    return DONE


def _file(path: Path) -> Users:
    from twin.web.access.users import Users

    return Users(path)


def _typed(name: str) -> str:
    """Ask for a password twice."""
    if sys.stdin is None or not sys.stdin.isatty():
        problem = "there is no terminal to ask for the password; use --password-file FILE or -"
        raise BadUsage(command="user add", problem=problem)
    password = getpass.getpass(f"Password of {name}: ")
    if getpass.getpass("Again: ") != password:
        raise BadUsage(command="user add", problem="the two passwords differ; nothing was changed")
    return password
