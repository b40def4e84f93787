"""Decoded messages as text: a paragraph for each that matters, a line for each that is noise."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from twin.cli.table import WIDTH, bold, dim, table, width_of
from twin.model.amounts import counted
from twin.model.harmless import visible_line

if TYPE_CHECKING:
    from twin.app.decoding.explained import DecodedLog
    from twin.questions.answer import Row

_LABEL: Final = 11
_LEAST: Final = 40
_PROBLEMS: Final = 10
_LONGEST: Final = 600
"""The most characters of a message that are shown; JSON and CSV have the whole."""

_SENTENCE: Final = re.compile(r"(?<=[^.])\. (?=[A-Z])")
_OF_CAUSE: Final = frozenset({"message", "means", "partner", "source"})
"""What is left out of a message whose cause stands in another paragraph."""

_FRACTION: Final = re.compile(r"\.\d+Z$")
_NOISE: Final = ("id", "times", "at", "last", "means")
UNKNOWN_ID: Final = "not in twin's table of messages; its explanation stands in the error log"


def text_of(decoded: DecodedLog, rows: Sequence[Row]) -> Iterator[str]:
    """Lay out rows: those that matter first, each group in the order of the lines."""
    width = max(_LEAST, min(width_of(sys.stdout) or WIDTH, WIDTH))
    for row in rows:
        if not row["noise"]:
            yield from _paragraph(row, width)
            yield ""
    quiet = [row for row in rows if row["noise"]]
    if quiet:
        yield from _noise(quiet, width)
        yield ""
    yield from _problems(decoded, width)
    unknown = sum(row["means"] is None for row in rows)
    yield dim(_summary(decoded, len(rows), unknown))
    for note in decoded.notes[:_PROBLEMS]:
        yield from map(dim, wrap(visible_line(note), width))


def _summary(decoded: DecodedLog, kinds: int, unknown: int) -> str:
    parts = [f"{counted(decoded.records, 'record')}, {counted(kinds, 'different message')}"]
    if unknown:
        parts.append(f"{unknown} of unknown id")
    if decoded.skipped:
        parts.append(f"{counted(decoded.skipped, 'line')} of other programs")
    return "; ".join(parts)


def _paragraph(row: Row, width: int) -> Iterator[str]:
    """Write what one message means, what it is about, and what to do."""
    yield bold(visible_line(_heading(row)))
    message = str(row["message"] or "")
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST - 3]}..."
    removal = f", until {row['removal']}" if row["removal"] else ""
    twin = row["twin"] or ()
    used = [f"{row['in_use']}: {twin[0]}", *twin[1:]] if twin else []  # type: ignore[index]
    lines: tuple[tuple[str, Iterable[Any]], ...] = (
        ("message", [message]),
        ("means", [row["means"] or UNKNOWN_ID]),
        ("cause", [", ".join(row["cause"])] if row["cause"] else []),  # type: ignore[arg-type]
        ("object", [row["object"]]),
        ("owner", [row["owner"]]),
        ("partner", [", ".join(row["partners"])] if row["partners"] else []),  # type: ignore[arg-type]
        ("days left", [f"{row['days_left']}{removal}"] if row["days_left"] is not None else []),
        ("ends", [f"{_short(str(row['ends']))} unless repaired or put off"] if row["ends"] else []),
        ("in use", used),
        ("do", _SENTENCE.split(str(row["do"])) if row["do"] else []),
        ("source", [row["source"]]),
    )
    for label, texts in lines:
        if row["cause"] and label in _OF_CAUSE:
            continue
        shown = label
        for text in filter(None, texts):
            pieces = wrap(visible_line(str(text)), width - _LABEL - 2, break_on_hyphens=False) or [
                ""
            ]
            for piece in pieces:
                yield f"  {shown.ljust(_LABEL)}{piece}"
                shown = ""


def _heading(row: Row) -> str:
    """Return the id, how often and when it was logged, and where."""
    parts = [str(row["id"])]
    if row["number"] != 1:
        parts.append(f"{row['number']} times")
    first, last = _short(str(row["first"] or "")), _short(str(row["last"] or ""))
    if first:
        parts.append(f"{first} to {last}" if last and last != first else first)
    if row["on"]:
        parts.append(f"at {row['on']}")
    return "  ".join(parts)


def _noise(rows: Sequence[Row], width: int) -> Iterator[str]:
    """Write a line for the messages of one meaning about which nothing needs to be done."""
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        alike.setdefault((str(row["on"] or ""), str(row["means"])), []).append(row)
    yield bold("Noise: nothing to do")
    cells = [_noise_cells(on, means, group) for (on, means), group in alike.items()]
    filled = [n for n in range(len(_NOISE)) if any(line[n] for line in cells)]
    shown = [[line[n] for n in filled] for line in cells]
    for line in table([_NOISE[n] for n in filled], shown, width=width - 2):
        yield f"  {line}"


def _noise_cells(on: str, means: str, rows: Sequence[Row]) -> list[str]:
    more = f" +{len(rows) - 1}" if len(rows) > 1 else ""
    times = sum(int(str(row["number"])) for row in rows)
    last = max(str(row["last"] or "") for row in rows)
    cells = (f"{rows[0]['id']}{more}", str(times), on, _short(last), means.rstrip("."))
    return [visible_line(cell) for cell in cells]


def _short(time: str) -> str:
    """Return a time without the fraction of a second."""
    return _FRACTION.sub("Z", time)


def _problems(decoded: DecodedLog, width: int) -> Iterator[str]:
    """Write the lines that were not understood."""
    problems = decoded.problems
    if not problems:
        return
    yield bold("Not understood")
    for each in problems[:_PROBLEMS]:
        shown = visible_line(f"line {each.line} {each.why}: {each.text}")
        yield f"  {shown[: width - 2]}"
    more = len(problems) + decoded.more - _PROBLEMS
    if more > 0:
        yield f"  and {more} more"
    yield ""
