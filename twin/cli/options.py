"""The options that many commands share: declared once, the same everywhere."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

from typer import Option


class Format(StrEnum):
    """How an answer is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


class PictureFormat(StrEnum):
    """How an answer is written that may be a picture as well."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    SVG = "svg"


class FailOn(StrEnum):
    """The mildest severity that gives exit code 10."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


_TIME = "T"

AtOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--at",
        metavar=_TIME,
        help="Time of the event: ISO 8601 or -3d; on main not in the future [now]",
    ),
]
AsOfOption: TypeAlias = Annotated[
    str | None, Option("--as-of", metavar=_TIME, help="Instant to ask about: ISO 8601 or -2h [now]")
]
KnownAt: TypeAlias = Annotated[
    str | None,
    Option("--known-at", metavar=_TIME, help="Use only what the log knew at this instant [now]"),
]
FormatOption: TypeAlias = Annotated[
    Format, Option("--format", metavar="text|json|csv", help="Format of the answer")
]
PictureFormatOption: TypeAlias = Annotated[
    PictureFormat,
    Option("--format", metavar="text|json|csv|svg", help="Format of the answer; svg is a picture"),
]
ColumnsOption: TypeAlias = Annotated[
    str | None, Option("--columns", metavar="A,B", help="Show these columns, in this order")
]
WideOption: TypeAlias = Annotated[
    bool, Option("--wide", help="Show all columns and full times; lines may be long")
]
LimitOption: TypeAlias = Annotated[
    int | None, Option("--limit", min=1, metavar="N", help="Show at most N rows")
]
StrictOption: TypeAlias = Annotated[
    bool,
    Option(
        "--strict",
        help="Exit with 10 if a queue manager or its definitions are missing, or an import's end",
    ),
]
