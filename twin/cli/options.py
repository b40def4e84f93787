"""The options that many commands share: written once, the same everywhere."""

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


_TIME = "T"

At: TypeAlias = Annotated[
    str | None,
    Option(
        "--at",
        metavar=_TIME,
        help="When it happens: ISO 8601, or -3d from now; on main not after now [now]",
    ),
]
AsOfOption: TypeAlias = Annotated[
    str | None,
    Option("--as-of", metavar=_TIME, help="The instant asked about: ISO 8601, or -2h [now]"),
]
KnownAt: TypeAlias = Annotated[
    str | None,
    Option("--known-at", metavar=_TIME, help="With what the log knew at that instant [now]"),
]
FormatOption: TypeAlias = Annotated[
    Format, Option("--format", metavar="text|json|csv", help="How the answer is written")
]
PictureFormatOption: TypeAlias = Annotated[
    PictureFormat,
    Option("--format", metavar="text|json|csv|svg", help="How it is written; svg for lifetimes"),
]
