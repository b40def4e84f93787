"""The attributes in the header of a record: words with a value in parentheses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_SIMPLE: Final = re.compile(r"\b([A-Za-z]\w*)\(([^()\n]*)\)", re.ASCII)
_WORD: Final = re.compile(r"\b[A-Z][A-Za-z]{3,14}\d?\(", re.ASCII)
_MOST: Final = 32
_LONGEST: Final = 8192
_START: Final = re.compile(r"[\s,]*([A-Za-z]\w{0,40})\(", re.ASCII)
_FOLLOWER: Final = re.compile(r"\)(?=\s*(?:\Z|[A-Z]\w{2,15}\(|AMQ[A-Z]{0,2}\d{4}))", re.ASCII)


SHARED_LINE: Final = re.compile(r"\)[^\S\n]*CommentInsert[123]\(")
"""A comment insert on the line of another one."""


def header_attributes(header: str) -> Mapping[str, str]:
    """Return the attributes of a header that has lines of its own.

    Values may contain parentheses. Inserts stand on a line of their own: their value ends with the
    last parenthesis of the line, unless another insert follows. A line may begin with a prefix of
    a shipper.
    """
    found = _SIMPLE.findall(header)
    attributes = dict(found)
    if len(attributes) == header.count("(") == header.count(")"):
        return attributes
    attributes = {}
    for line in header.split("\n"):
        begin = _WORD.search(line)
        text = line[begin.start() :].strip() if begin else ""
        word, _, value = text.partition("(")
        if (
            text.startswith("CommentInsert")
            and value.endswith(")")
            and word.isalnum()
            and not SHARED_LINE.search(text)
        ):
            attributes.setdefault(word, value[:-1])
        else:
            for name, each in leading_attributes(text, 0)[0].items():
                attributes.setdefault(name, each)
    return attributes


def leading_attributes(text: str, position: int) -> tuple[dict[str, str], int]:
    """Return the attributes that stand one after another in a text, and where they end.

    Args:
        text: the text; blanks and commas may separate the attributes.
        position: where the first may begin.
    """
    attributes: dict[str, str] = {}
    while len(attributes) < _MOST and (found := _START.match(text, position)):
        limit = found.end() + _LONGEST
        end = closing(text, found.end(), limit)
        if end < 0:
            follower = _FOLLOWER.search(text, found.end(), limit)
            end = follower.start() if follower else -1
        if end < 0:
            break
        attributes.setdefault(found[1], text[found.end() : end])
        position = end + 1
    return attributes, position


def closing(text: str, position: int, limit: int) -> int:
    """Return the position of the parenthesis that closes one opened before a position, or -1."""
    depth = 1
    while depth:
        close = text.find(")", position, limit)
        if close < 0:
            return -1
        depth += text.count("(", position, close) - 1
        position = close + 1
    return position - 1


def inserts(attributes: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the numeric and the text inserts among attributes, in their order."""
    get = attributes.get
    arith = (whole(get("ArithInsert1", "")), whole(get("ArithInsert2", "")))
    comments = (
        get("CommentInsert1", "").strip(),
        get("CommentInsert2", "").strip(),
        get("CommentInsert3", "").strip(),
    )
    return arith, comments


def whole(number: str) -> str:
    """Return a number as all forms write it: '' for 0, and no exponent."""
    text = number.strip()
    if text in {"0", "0.0"}:
        return ""
    if "e" in text and len(text) < 30:  # noqa: PLR2004 - a number of Go or JSON, as 1e+06
        try:
            value = float(text)
        except ValueError:
            return text
        return str(int(value)) if value.is_integer() and abs(value) < 1e18 else text  # noqa: PLR2004
    return text
