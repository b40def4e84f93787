"""`twin ask`: one command for each question, made from what the question declares."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from typer import Context, Option, Typer, TyperException
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from twin.cli.answers import Layout, columns_of, show
from twin.cli.errors import BadUsage
from twin.cli.output import FAILED, emit
from twin.cli.target import (
    AsOfOption,
    ColumnsOption,
    Format,
    FormatOption,
    KnownAt,
    LimitOption,
    PictureFormat,
    PictureFormatOption,
    StrictOption,
    WideOption,
    branch_or_instant,
    instant,
    is_typed,
    log_time,
    target_of,
)
from twin.model.amounts import counted
from twin.model.instants import DAY, format_instant
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import Filter, Question
from twin.questions.schema import schema_of, schema_of_all, schema_of_comparison

if TYPE_CHECKING:
    from twin.questions.answer import Answer

_SINCE: Final = "Start of the time span: ISO 8601 or -2h"

_FORMATS: Final = {
    False: (FormatOption, Format.TEXT),
    True: (PictureFormatOption, PictureFormat.TEXT),
}
"""Whether a question can be drawn -> the option --format and its default."""

_EXITS: Final = (
    "Exit codes: 0 answered, even without rows; 10 something is missing, with --strict, or rows "
    "differ, with --exit-code; 20 bad input."
)

_AgainstOption = Annotated[
    str | None,
    Option(
        "--against",
        metavar="T|BRANCH",
        help="Show how the rows differ from those of a branch, or of another instant; -1h is an "
        "hour before --as-of",
    ),
]
_IgnoreOption = Annotated[
    list[str] | None,
    Option("--ignore", metavar="FIELD", help="Do not compare this field; may be repeated"),
]
_ExitCodeOption = Annotated[
    bool, Option("--exit-code", help="Exit with 10 if rows differ from those of --against")
]
_SchemaOption = Annotated[bool, Option("--schema", help="Print the JSON Schema of the answer")]


class Questions(TyperGroup):
    """The commands of `twin ask`: each is made when it is named."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all questions."""
        del ctx
        return list(QUESTIONS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Make the command of a question; None if the question is unknown."""
        from twin.cli.commands import with_global_options

        if cmd_name in QUESTIONS and cmd_name not in self.commands:
            command = _command(cmd_name, QUESTIONS[cmd_name])
            self.commands[cmd_name] = with_global_options(command, ctx.find_root().command)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the question that the words begin with.

        Raises:
            NoSuchQuestion: when it is not in the catalogue.
        """
        if args[0] not in QUESTIONS:
            from twin.app.asking import NoSuchQuestion

            raise NoSuchQuestion(args[0])
        return super().resolve_command(ctx, args)


class QuestionCommand(TyperCommand):
    """The command of a question: it names its options when one is unknown."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options.

        Raises:
            BadUsage: for an option that the question does not have.
        """
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            if type(error).__name__ != "NoSuchOption":
                raise
            option = getattr(error, "option_name", "")
            options = ", ".join(parameter.opts[0] for parameter in self.params)
            problem = f"unknown option {option}; expected one of {options}"
            raise BadUsage(command=f"ask {self.name}", problem=problem) from None


app = Typer(cls=Questions, help="Query the cluster as of an instant.", epilog=_EXITS)


@app.callback(invoke_without_command=True)
def _every(context: Context, *, schema: _SchemaOption = False) -> None:
    if context.invoked_subcommand is not None:
        return
    if not schema:
        raise BadUsage(command="ask", problem=f"name a question: {', '.join(QUESTIONS)}")
    emit([json.dumps(schema_of_all(), indent=2)])


def _command(name: str, question: Question) -> Any:
    """Make the command of one question."""
    group = Typer(rich_markup_mode=None)
    group.callback()(lambda: None)
    text = "\n\n".join(filter(None, (question.summary, question.limits)))
    if question.columns:
        text += "\n\n\b\nColumns:\n" + "\n".join(
            f"  {column.name:17}{column.meaning}" for column in question.columns
        )
    group.command(name, help=text, short_help=question.summary, epilog=_EXITS, cls=QuestionCommand)(
        _runner(name, question)
    )
    return get_group(group).commands[name]


def _runner(name: str, question: Question) -> Callable[..., int]:
    """Make the function that runs a command; its signature has the options of the question."""

    def run(context: Context, **options: Any) -> int:
        filters = {each: options.pop(_word(each)) for each in question.filters}
        return _ask(context, name, filters, options)

    parameters = [
        Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=Context),
        *(_option(filter_) for filter_ in question.narrowed_by),
        *_since(question),
        _keyword("as_of", AsOfOption, None),
        _keyword("known_at", KnownAt, None),
        _keyword("against", _AgainstOption, None),
        _keyword("ignore", _IgnoreOption, None),
        _keyword("exit_code", _ExitCodeOption, default=False),
        _keyword("output", *_FORMATS[bool(question.drawn_by)]),
        _keyword("columns", ColumnsOption, None),
        _keyword("wide", WideOption, default=False),
        _keyword("limit", LimitOption, None),
        _keyword("strict", StrictOption, default=False),
        _keyword("schema", _SchemaOption, default=False),
    ]
    run.__annotations__ = {}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def _since(question: Question) -> list[Parameter]:
    """Make the option of a question about a span, or of one that can be drawn."""
    if question.drawn_by:
        meaning = "Start of the picture: ISO 8601 or -2h [30 days before --as-of]"
    elif question.back is not None:
        meaning = f"{_SINCE} [{counted(question.back // DAY, 'day')} before --as-of]"
    else:
        meaning = f"{_SINCE} [the beginning]"
    shown = question.has_span or question.drawn_by
    return [_option(Filter("since", "T", meaning))] if shown else []


def _option(filter_: Filter) -> Parameter:
    """Make the parameter of a filter."""
    choices = filter_.choices
    bare = not (choices or filter_.metavar)
    type_: Any = (
        Literal[choices] if choices else int if filter_.metavar == "N" else bool if bare else str
    )
    option = Option(
        f"--{filter_.name}",
        metavar="|".join(choices) or filter_.metavar or None,
        help=filter_.meaning,
        min=1 if type_ is int else None,
    )
    type_ = list[type_] if filter_.repeats else type_
    return _keyword(_word(filter_.name), Annotated[type_ | None, option], None)


def _word(name: str) -> str:
    """Return the name of a parameter for a filter: `as` is a word of Python."""
    return f"{name}_" if iskeyword(name) else name


def _keyword(name: str, annotation: Any, default: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _ask(
    context: Context, question_name: str, filters: dict[str, Any], options: dict[str, Any]
) -> int:
    """Ask a question with the filters and the options that its command was given."""
    assert context.parent is not None  # noqa: S101 - it is a command of `ask`
    question, compares = QUESTIONS[question_name], options["against"] is not None
    if options["schema"] or context.parent.params.get("schema"):
        named = {*filters, *options} - {"schema", "against"}
        if any(is_typed(context, each) for each in named):
            problem = "--schema prints the JSON Schema; it takes no other option than --against"
            raise BadUsage(command=f"ask {question_name}", problem=problem)
        schema = schema_of_comparison if compares else schema_of
        emit([json.dumps(schema(question_name), indent=2)])
        return 0
    given = {name: _value(each) for name, each in filters.items() if each not in (None, False)}
    since, as_of, known_at = options.get("since"), options["as_of"], options["known_at"]
    drawn = options["output"] is PictureFormat.SVG
    _check_options(question_name, question, options)
    layout = Layout.of(
        question_name,
        options["columns"],
        wide=options["wide"],
        limit=options["limit"],
        known=columns_of(question_name, options["ignore"] or ()) if compares else (),
    )
    with target_of(context).reader(as_of, known_at, since) as twin:
        times: dict[str, Any] = {
            "as_of": instant(twin, as_of),
            "known_at": log_time(twin, known_at),
            "since": instant(twin, since),
        }
        if (begin := times["since"]) is not None:
            end = twin.as_of(valid=times["as_of"], known=times["known_at"]).valid
            if begin > end:
                problem = f"--since {format_instant(begin)} is later than {format_instant(end)}"
                raise BadUsage(command=f"ask {question_name}", problem=problem)
        if drawn:
            emit([twin.draw(question_name, given, **times)])
            return 0
        if compares:
            times["against"] = branch_or_instant(twin, options["against"], as_of=times["as_of"])
            times["ignore"] = options["ignore"] or ()
        answer = twin.ask(question_name, given, **times)
    if answer.rows and not question.in_lines:
        answer = replace(answer, lines=())
    show(answer, Format(options["output"]), layout)
    missing = options.get("strict") and (answer.gaps or _lists_gaps(answer))
    return FAILED if missing or (options["exit_code"] and answer.rows) else 0


def _value(given: object) -> str:
    return " ".join(map(str, given)) if isinstance(given, list) else str(given)


def _check_options(question_name: str, question: Question, options: dict[str, Any]) -> None:
    """Check that the options fit together.

    Raises:
        BadUsage: if one of them would have no effect.
    """
    compares, drawn = options["against"] is not None, options["output"] is PictureFormat.SVG
    problem = ""
    if not compares and (options["ignore"] or options["exit_code"]):
        problem = "--ignore and --exit-code need --against"
    elif compares and question_name == "ingest" and options.get("strict"):
        problem = "--strict is about one instant; leave out --against"
    elif options.get("since") is not None and not (question.has_span or drawn):
        problem = "--since is the start of a picture; add --format svg"
    elif drawn and (options["columns"] or options["wide"] or options["limit"] or compares):
        problem = "a picture has no --columns, --wide, --limit and --against"
    elif drawn and options["strict"]:
        problem = "--strict is about rows; leave out --format svg"
    if problem:
        raise BadUsage(command=f"ask {question_name}", problem=problem)


def _lists_gaps(answer: Answer) -> bool:
    """Return whether an answer of `ingest` has rows of what is missing or contradicts."""
    fine = {"file", "last-seen"}
    return answer.question == "ingest" and any(row["kind"] not in fine for row in answer.rows)
