"""The command line as a whole: global options, every group of commands, and errors in one line."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import Annotated, Final

from typer import Abort, Context, Exit, Option, Typer, TyperException

from twin.cli import (
    asking,
    branches,
    importing,
    mqsc,
    opening,
    queue_managers,
    record,
)
from twin.cli.output import complain, emit, help_alone
from twin.cli.place import DEFAULT_LOG, MAIN, Place, log_url
from twin.errors import TwinError

BAD_INPUT: Final = 20
"""The exit code for what cannot be done as it was asked."""

INTERRUPTED: Final = 130

app = Typer(
    help="A digital twin of IBM MQ clusters: what each queue manager believed, when, and why.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - Typer's own protocol
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            emit([f"twin {version('mq-cluster-twin')}"])
        except PackageNotFoundError:
            emit(["twin, from a checkout that is not installed"])
        raise Exit


@app.callback(invoke_without_command=True)
def everywhere(
    context: Context,
    *,
    log: Annotated[
        str,
        Option(
            "--log", envvar="TWIN_LOG", metavar="URL", help="The log: a SQLAlchemy URL, or a file"
        ),
    ] = DEFAULT_LOG,
    branch: Annotated[str, Option("--branch", metavar="NAME", help="The branch of the log")] = MAIN,
    version: Annotated[
        bool,
        Option("--version", is_eager=True, callback=_version, help="Show the version and exit."),
    ] = False,
) -> None:
    """Keep what every command needs to know."""
    del version
    context.obj = Place(log_url(log), branch)
    help_alone(context)


queue_managers.register(app)
mqsc.register(app)
importing.register(app)
opening.register(app)
asking.register(app)
app.add_typer(branches.app, name="branch")
app.add_typer(record.app, name="log")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit code.

    What is wrong with the input is one line on standard error and exit code 20.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(words)
    except TwinError as error:
        complain(str(error))
        code = BAD_INPUT
    except TyperException as error:
        complain(error.format_message())
        code = BAD_INPUT
    except (Abort, KeyboardInterrupt):
        code = INTERRUPTED
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    return code


def _run(words: list[str]) -> int:
    code = app(words, prog_name="twin", standalone_mode=False)
    return code if isinstance(code, int) else 0
