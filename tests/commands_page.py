"""Writes docs/commands.md from the command line: `python -m tests.commands_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from typer import Context
from typer.main import get_command

from twin.cli.entry import app

PAGE: Final = Path(__file__).parents[1] / "docs" / "commands.md"

_EVERYWHERE: Final = frozenset(
    {"--help", "--log", "--branch", "--trust-clock", "--simulate-on-main"}
)
"""Options that the head of the page describes."""

_HEAD: Final = """\
# Commands

Every command takes `--help`, `--log URL` (the log: a SQLAlchemy URL or a file; default `twin.db`,
or the variable `TWIN_LOG`), `--branch NAME` (default `main`), `--trust-clock` (record on main
although the machine's clock [may be wrong](using.md#if-the-machines-clock-is-wrong)) and
`--simulate-on-main` (let commands on main change queue managers that are
[observed](your-estate.md#5-what-each-answer-rests-on)).
`twin --version` prints the version. `twin --install-completion` installs completion for your shell.

A time T is ISO 8601 (`2026-01-31T02:13:00Z`), and UTC unless it names a zone. It may be relative to
now: `-2h`, `+27d`. A value in brackets at the end of a line is the default. The columns of answers
and the defaults of the filters of `twin ask` are in [questions.md](questions.md).

Exit codes: 0 done; 10 done in part, or with a negative answer; 20 bad input, with one line on
standard error and nothing recorded; 130 stopped by Ctrl-C. A command that would change an observed
queue manager on main ends with 20, and the line names the commands that do it on a branch.

This page is made from the code by `python -m tests.commands_page`, and a test compares the two.
"""


def commands(context: Context | None = None) -> Iterator[tuple[str, Any]]:
    """Go through every command that can be run, with its full name."""
    context = context or Context(get_command(app), info_name="twin")
    command: Any = context.command
    if not hasattr(command, "list_commands"):
        yield context.command_path, command
        return
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        if not child.hidden:
            yield from commands(Context(child, parent=context, info_name=name))


def page() -> str:
    """Return the page as it should be."""
    sections = (line for name, command in commands() for line in _section(name, command))
    return "\n".join([_HEAD, *sections])


def _section(name: str, command: Any) -> Iterator[str]:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join([name, *(_argument(param) for param in arguments)])
    yield f"## `{usage}`\n"
    yield from (f"{text}\n" for text in map(_text, command.help.split("\n\n")) if text)
    rows = [(f"`{param.metavar}`", _text(param.help)) for param in arguments if param.help]
    rows += [
        (_option(param), f"{_text(param.help)}{_default(param)}")
        for param in options
        if not param.hidden and not _EVERYWHERE & set(param.opts)
    ]
    if rows:
        yield "| argument or option | meaning |\n|---|---|"
        yield from (f"| {written} | {meaning} |" for written, meaning in rows)
        yield ""
    if command.epilog:
        yield f"{_text(command.epilog)}\n"


def _argument(param: Any) -> str:
    (piece,) = param.get_usage_pieces(None)
    return str(piece)


def _option(param: Any) -> str:
    value = "" if param.is_flag else f" {param.metavar or param.name.upper()}"
    words = [*param.opts, *param.secondary_opts]
    return ", ".join(f"`{word}{value}`".replace("|", "\\|") for word in words)


def _default(param: Any) -> str:
    """Return the default of an option, unless it is nothing or its help names it."""
    shown = param.show_default and param.default not in (None, False, "")
    return f" [{param.default}]" if shown and "[" not in param.help else ""


def _text(text: str | None) -> str:
    """Write a text in one line; a list of columns is on the page of questions."""
    return " ".join((text or "").partition("\b")[0].split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
