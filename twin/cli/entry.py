"""The whole command line: global options, every group of commands, and errors in one line."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Final

from typer import Abort, Context, Exit, Option, Typer, TyperException
from typer.main import get_command, get_group

from twin.app import DEFAULT_URL
from twin.cli.commands import LazyCommands
from twin.cli.errors import Unwritable
from twin.cli.output import (
    BAD_INPUT,
    DONE,
    INTERRUPTED,
    begin,
    complain,
    demand_output,
    discard,
    emit,
    flush,
    help_alone,
    was_said,
)
from twin.cli.target import Target, log_url, target_of
from twin.errors import TwinError, reason_of
from twin.model.instants import MAIN
from twin.model.versions import VERSION

EXIT_CODES: Final = (
    "Exit codes: 0 done; 10 done in part, or with a negative answer, such as a reason code or a"
    " failed command; 20 bad input, with one line on standard error."
)

_COMPLETION: Final = frozenset({"--help", "--install-completion", "--show-completion"})

_COLLECT_AFTER: Final = 300_000
"""How many new objects trigger a collection of the youngest garbage, in the process of a command.
"""

app = Typer(
    cls=LazyCommands,
    help="A digital twin of IBM MQ clusters: it shows what each queue manager knew, and when.",
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - Typer's own protocol
    if wanted:
        emit([f"twin {VERSION}"])
        raise Exit


@app.callback(invoke_without_command=True)
def everywhere(
    context: Context,
    *,
    log: Annotated[
        str,
        Option("--log", envvar="TWIN_LOG", metavar="URL", help="SQLAlchemy URL or file of the log"),
    ] = DEFAULT_URL,
    branch: Annotated[
        str, Option("--branch", metavar="NAME", help="Branch of the log to work on")
    ] = MAIN,
    trust_clock: Annotated[
        bool,
        Option("--trust-clock", help="Record on main although the clock may be wrong"),
    ] = False,
    simulate_on_main: Annotated[
        bool,
        Option("--simulate-on-main", help="Let commands on main change observed queue managers"),
    ] = False,
    version: Annotated[
        bool,
        Option("--version", is_eager=True, callback=_version, help="Show the version and exit."),
    ] = False,
) -> None:
    """Set the log and the branch for every command."""
    context.obj = Target(
        log_url(log), branch, trust_clock, simulate_on_main, target_of(context).words
    )
    help_alone(context)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit code.

    An error in the input is one line on standard error and exit code 20.
    """
    if arguments is not None:
        return _guarded(lambda: _run(arguments))
    # Most of a short command's time is importing. Imported objects are not worth collecting or
    # visiting again at the exit.
    gc.set_threshold(_COLLECT_AFTER)
    code = _guarded(lambda: _run(sys.argv[1:]))
    gc.freeze()
    return code


def _run(words: Sequence[str]) -> int:
    demand_output()
    # The options of completion cost time in every command: they exist only if they can be used.
    completes = "_TWIN_COMPLETE" in os.environ or not words or not _COMPLETION.isdisjoint(words)
    command = get_command(app) if completes else get_group(app)
    code = command(list(words), prog_name="twin", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _guarded(work: Callable[[], int]) -> int:
    """Do the work and flush its output; any failure is one line and an exit code."""
    begin()
    code, problem, values = _outcome(work)
    try:
        flush()
    except Unwritable as error:
        problem = problem or str(error)
    if not problem:
        return code
    if not was_said(problem):
        complain(problem, values)
    return BAD_INPUT


def _outcome(work: Callable[[], int]) -> tuple[int, str, tuple[str, ...]]:
    """Return the exit code, the problem or '', and the texts of others in the problem."""
    try:
        return work(), "", ()
    except (Abort, KeyboardInterrupt):
        return INTERRUPTED, "", ()
    except TyperException as error:
        problem = error.format_message().replace("Value error, ", "")
        return BAD_INPUT, problem, tuple(filter(None, [getattr(error, "option_name", "")]))
    except BrokenPipeError:
        discard()
        return DONE, "", ()
    except TwinError as error:
        return BAD_INPUT, str(error), error.values
    except OSError as error:
        # File errors are handled elsewhere: only Typer printing a help page gets here.
        return BAD_INPUT, str(Unwritable(reason_of(error) or str(error))), ()
