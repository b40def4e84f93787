"""Every command by its name: a command imports its module when it is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from typer import Context, Typer
from typer.core import TyperGroup
from typer.main import get_group

from twin.cli.errors import EmptyPath, GivenTwice, UnknownCommand
from twin.cli.target import log_url, target_of

MODULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("crtmqm", "strmqm", "endmqm", "dltmqm", "dspmq"), "queue_managers"),
        "runswchl": "switching",
        "runmqdlq": "dead_letters",
        **dict.fromkeys(("runmqsc", "dmpmqcfg"), "mqsc"),
        "import": "importing",
        "watch": "watching",
        "observe": "observing",
        "decode": "decoding",
        "collect-script": "collecting",
        "open": "opening",
        "put": "putting",
        "explain": "explaining",
        "browse": "browsing",
        "get": "getting",
        **dict.fromkeys(("restore", "exhaust"), "network"),
        "ask": "asking",
        "plan": "planning",
        "doctor": "doctor",
        "runbook": "runbooks",
        "advance": "advancing",
        "serve": "serving",
        "user": "users",
        "play": "playing",
        "link": "network",
        "reading": "readings",
        "assume": "assuming",
        "retract": "retracting",
        "branch": "branches",
        "log": "log",
        "history": "history",
    }
)
"""Every command, and the module of `twin.cli` that registers it, in the order of the help."""


_PATHS: Final = ("FILE", "[FILE", "DIR", "PATH...", "STORY")
"""How the metavar of an option or an argument begins that takes the path of a file or a folder."""


class LazyCommands(TyperGroup):
    """The commands of `twin`. Each takes the global options, too."""

    def make_parser(self, ctx: Any) -> Any:
        """Make the parser of the global options, which refuses one that is given twice."""
        return _refusing_repeats(super().make_parser)(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        del ctx
        return list(MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the module of a command and return the command; None if it is unknown."""
        if cmd_name in MODULES and cmd_name not in self.commands:
            app = Typer(rich_markup_mode=None)
            import_module(f"twin.cli.{MODULES[cmd_name]}").register(app)
            for name, command in get_group(app).commands.items():
                self.commands[name] = with_global_options(command, ctx.find_root().command)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the words begin with.

        Raises:
            UnknownCommand: when twin does not have it.
        """
        if args[0] not in MODULES and not args[0].startswith("-"):
            raise UnknownCommand(args[0], MODULES)
        ctx.obj = replace(target_of(ctx), words=tuple(args))
        return super().resolve_command(ctx, args)


def with_global_options(command: Any, root: Any) -> Any:
    """Add the global options to a command and its subcommands; refuse options given twice."""
    command.make_parser = _refusing_repeats(command.make_parser)
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            parameter.get_usage_pieces = _usage_of(parameter)
    command.params += [
        _again(parameter, _TARGET_OPTIONS[parameter.name])
        for parameter in root.params
        if parameter.name in _TARGET_OPTIONS
    ]
    for inner in getattr(command, "commands", {}).values():
        with_global_options(inner, root)
    return command


def _refusing_repeats(make_parser: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a function that makes the parser of a command: it refuses an option given twice.

    Of an option that takes one value, the parser itself would ignore all values but the last. An
    empty path is refused, too.
    """

    def make(context: Any) -> Any:
        parser = make_parser(context)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            parsed = parse(args=args)
            values, _, given = parsed
            for number, each in enumerate(given):
                takes_one = each.param_type_name == "option" and not (each.multiple or each.is_flag)
                if takes_one and each in given[:number]:
                    raise GivenTwice(each.opts[0])
                _demand_path(each, values.get(each.name))
            return parsed

        parser.parse_args = parse_args
        return parser

    return make


def _demand_path(parameter: Any, given: object) -> None:
    """Refuse an empty path: a variable of a shell that is not set is no default."""
    values = given if isinstance(given, list | tuple) else [given]
    if "" in values and (parameter.metavar or "").startswith(_PATHS):
        name = parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar
        raise EmptyPath(name.strip("[].").partition(" ")[0])


def _usage_of(argument: Any) -> Callable[[Any], list[str]]:
    """Make the function that writes an argument in the usage line.

    A metavar that has brackets or dots is written unchanged; Typer would add more.
    """
    text = argument.metavar
    shown = text if argument.required or text.startswith("[") else f"[{text}]"
    return lambda _: [shown]


def _again(parameter: Any, callback: Any) -> Any:
    """Make a global option an option of a command: without a default, and it changes the target."""
    option = copy(parameter)
    option.default, option.envvar, option.show_default = None, None, False
    option.expose_value, option.callback = False, callback
    return option


def _log(context: Context, parameter: Any, value: str | None) -> None:
    del parameter
    if value is not None:
        context.obj = replace(target_of(context), url=log_url(value))


def _branch(context: Context, parameter: Any, value: str | None) -> None:
    del parameter
    if value is not None:
        context.obj = replace(target_of(context), branch=value)


def _trust_clock(context: Context, parameter: Any, value: bool | None) -> None:  # noqa: FBT001
    del parameter
    if value:
        context.obj = replace(target_of(context), trust_clock=True)


def _simulate_on_main(context: Context, parameter: Any, value: bool | None) -> None:  # noqa: FBT001
    del parameter
    if value:
        context.obj = replace(target_of(context), simulate_on_main=True)


_TARGET_OPTIONS: Final = {
    "log": _log,
    "branch": _branch,
    "trust_clock": _trust_clock,
    "simulate_on_main": _simulate_on_main,
}
"""The global options that every command has, too, and the functions that set them for one
command.
"""
