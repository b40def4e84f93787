"""The sections of a record after its header: id, message, explanation.

Headings are translated: they are known by their form, one word in capitals with a colon.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final, NamedTuple

from twin.feeds.errorlog.record import split_id
from twin.mqsc.masking import masked_text

_HEADING_IN_LINE: Final = re.compile(r"(?<=\s)([^\s:\uff1a]{2,20})\s?[:\uff1a](?=\s)")
ASCII_HEADING: Final = re.compile(r"\s[A-Z]{4,20}\s?:(?=\s)")
"""A heading in a flattened text of ASCII, and the blank before it."""

_LOOSE_HEADING: Final = re.compile(r"\n[ \t]*\n([^\s:\uff1a]{2,20} ?[:\uff1a])[ \t]*\n")
"""A heading that is not recognised by its letters: a word with a colon after a blank line."""

_LONGEST_HEADING: Final = 24
_SHORTEST_HEADING: Final = 4
_LONGEST_ID: Final = 16
_WIDE: Final = "\u2e80"


class Sections(NamedTuple):
    """The sections of a record, each on one line and without passwords.

    Attributes:
        id: without severity letter.
        letter: the severity letter.
        message: the text after the id.
        explanation: the text after the first heading; '' if it was not asked for.
    """

    id: str
    letter: str
    message: str
    explanation: str


def sections_of(text: str, *, explained: bool) -> Sections | None:
    """Divide the text from the id on, in lines of its own; None if there is no id.

    Args:
        text: the text up to the trailer.
        explained: whether the explanation is wanted.
    """
    colon = text.find(":", 0, _LONGEST_ID)
    ids = split_id(text[:colon]) if colon > 0 else None
    if ids is None:
        return None
    end, after = _next_heading(text, colon + 1)
    explanation = text[after : _next_heading(text, after)[0]] if explained else ""
    return _made(ids, text[colon + 1 : end], explanation)


def flat_sections(text: str, *, explained: bool) -> Sections | None:
    """Divide the text from the id on where it is flattened; None if there is no id.

    Args:
        text: the text up to the trailer.
        explained: whether the explanation is wanted.
    """
    colon = text.find(":", 0, _LONGEST_ID)
    ids = split_id(text[:colon]) if colon > 0 else None
    if ids is None:
        return None
    found = (each for each in _HEADING_IN_LINE.finditer(text) if is_heading(each[1]))
    headings = list(islice(found, 1 + explained))
    if not headings:
        return _made(ids, text[colon + 1 :], "")
    if not explained:
        return _made(ids, text[colon + 1 : headings[0].start()], "")
    end = headings[1].start() if len(headings) > 1 else len(text)
    explanation = text[headings[0].end() : end]
    return _made(ids, text[colon + 1 : headings[0].start()], explanation)


def _made(ids: tuple[str, str], message: str, explanation: str) -> Sections:
    return Sections(*ids, masked_text(one_line(message)), masked_text(one_line(explanation)))


def heading_end(text: str, begin: int, end: int) -> int:
    """Return where the first heading in a part of a text ends; the end if there is none."""
    mark = text.find(":\n", begin, end)
    while mark >= 0:
        line = text.rfind("\n", begin, mark) + 1
        if line and mark - line <= _LONGEST_HEADING and is_heading(text[line:mark]):
            return mark + 2
        mark = text.find(":\n", mark + 2, end)
    return end


def _next_heading(text: str, position: int) -> tuple[int, int]:
    """Return where the next heading starts and ends; the end of the text if there is none."""
    begin = position
    while True:
        mark = text.find(":\n", begin)
        if mark < 0:
            break
        line = text.rfind("\n", position, mark) + 1
        if line and mark - line <= _LONGEST_HEADING and is_heading(text[line:mark]):
            return line, mark + 2
        begin = mark + 2
    found = _LOOSE_HEADING.search(text, position)
    return (found.start(1), found.end()) if found else (len(text), len(text))


@lru_cache(maxsize=1024)
def is_heading(text: str) -> bool:
    """Tell whether a text is a heading: capitals, or letters of a script that has none."""
    word = text.strip()
    if word.isascii() and len(word) < _SHORTEST_HEADING:
        return False
    letters = word.replace("\ufffd", "").replace(" ", "")
    return letters.isalpha() and letters == letters.upper()


def one_line(text: str) -> str:
    """Return a wrapped text on one line; between wide characters the wrapping left no blank."""
    if text.isascii():
        return " ".join(text.split())
    lines = [line.strip() for line in text.split("\n")]
    parts = lines[:1]
    for before, line in pairwise(lines):
        wide = before[-1:] >= _WIDE and line[:1] >= _WIDE
        parts.append(line if wide else f" {line}")
    return " ".join("".join(parts).split())
