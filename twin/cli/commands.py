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
from twin.cli.flags import FLAGS, FREE_WORDS
from twin.cli.target import log_url, target_of
from twin.errors import did_you_mean

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{name: f"queue_managers.{name}" for name in ("crtmqm", "strmqm", "endmqm", "dltmqm")},
        "dspmq": "queue_managers.dspmq",
        "runswchl": "programs.runswchl",
        "runmqdlq": "programs.runmqdlq",
        "runmqsc": "programs.runmqsc",
        "dmpmqcfg": "programs.dmpmqcfg",
        "import": "importing.import_files",
        "watch": "watching.watch",
        "observe": "observing.observe",
        "decode": "decoding.decode",
        "collect-script": "collecting.collect_script",
        "open": "opening.open_queue",
        "put": "putting.put_messages",
        "explain": "explaining.explain",
        "browse": "opening.browse",
        "get": "opening.get",
        "restore": "network.restore",
        "exhaust": "network.exhaust",
        "ask": "asking.app",
        "plan": "planning.plan",
        "doctor": "doctor.doctor",
        "runbook": "runbooks.runbook",
        "advance": "advancing.advance",
        "serve": "serving.serve",
        "user": "users.app",
        "play": "playing.play",
        "link": "network.app",
        "reading": "assuming.reading",
        "assume": "assuming.assume",
        "retract": "assuming.retract",
        "branch": "branches.app",
        "log": "log.app",
        "history": "history.app",
    }
)
"""Every command in the order of the help: its module in `twin.cli`, and its function or group."""


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
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the module of a command and return the command; None if it is unknown."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            command = get_group(_alone(cmd_name)).commands[cmd_name]
            self.commands[cmd_name] = with_global_options(command, ctx.find_root().command)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the words begin with.

        Raises:
            UnknownCommand: when twin does not have it.
        """
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UnknownCommand(args[0], ", ".join(COMMANDS), did_you_mean(args[0], COMMANDS))
        ctx.obj = replace(target_of(ctx), words=tuple(args))
        return super().resolve_command(ctx, args)


def _alone(name: str) -> Typer:
    """Return an application with one command; a program of MQ takes the flags of MQ, too."""
    module, _, called = COMMANDS[name].partition(".")
    made = getattr(import_module(f"twin.cli.{module}"), called)
    app = Typer(rich_markup_mode=None)
    if isinstance(made, Typer):
        app.add_typer(made, name=name)
    elif name in FLAGS:
        app.command(name, context_settings=FREE_WORDS, epilog=FLAGS[name].help())(made)
    else:
        app.command(name)(made)
    return app


def with_global_options(command: Any, root: Any) -> Any:
    """Add the global options to a command and its subcommands; refuse options given twice."""
    command.make_parser = _refusing_repeats(command.make_parser)
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            parameter.get_usage_pieces = _usage_of(parameter)
    command.params += [
        _again(parameter) for parameter in root.params if parameter.name in _TARGET_OPTIONS
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


def _again(parameter: Any) -> Any:
    """Make a global option an option of a command: without a default, and it changes the target."""
    option = copy(parameter)
    option.default, option.envvar, option.show_default = None, None, False
    option.expose_value, option.callback = False, _change_target
    return option


def _change_target(context: Context, parameter: Any, value: Any) -> None:
    """Change the target of one command by an option that was given."""
    if value not in (None, False):
        field, read = _TARGET_OPTIONS[parameter.name]
        context.obj = replace(target_of(context), **{field: read(value)})


_TARGET_OPTIONS: Final[Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "log": ("url", log_url),
    "branch": ("branch", str),
    "trust_clock": ("trust_clock", bool),
    "simulate_on_main": ("simulate_on_main", bool),
}
"""The global options that every command has, too -> what they set of the target, and its reader."""
