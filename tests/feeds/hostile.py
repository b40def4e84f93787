"""Texts that no reader of a feed may fail on, and ways to hand the same text to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from time import process_time
from typing import Any, Final

HOSTILE: Final = {
    "nothing": [],
    "blank lines": ["\n", "  \n", "\r\n", ""],
    "NUL bytes": ["\0" * 100 + "\n", "a\0b\n"],
    "a wrong encoding": ["\ufffd\ufffd{\ufffd\n", "\ud800\n"],
    "opening braces": ["{" * 100_000 + "\n"],
    "opening brackets": ['{"eventSource":' + "[" * 200_000 + "\n"],
    "nested objects, one a line": [*['{"eventSource":\n'] * 20_000, "}\n"],
    "nested channels": [*['{"name":'] * 20_000, "}\n"],
    "quotes": ['"' * 200_001 + "\n"],
    "backslashes": ["ibmmq_a{b=" + '"' + "\\" * 200_001 + "\n"],
    "escaped line ends": ["ibmmq_a{b=" + '"' + "\\n" * 100_000 + "\n"],
    "labels without an end": ["ibmmq_a{" + 'b="c",' * 100_000 + "\n"],
    "a line of 3 MiB": ["x" * (3 << 20) + "\n"],
    "a line of 3 MiB of blanks": [" " * (3 << 20) + "\n"],
    "an object of 3 MiB": ['{"eventSource" : "' + "x" * (3 << 20) + '"}\n'],
    "a number of 3 MiB": ['{"eventSource" : ' + "1" * (3 << 20) + "}\n"],
    "values of 3 MiB": ['"metric":{"__name__":"ibmmq_a"},"values":[' + "[" * (3 << 20)],
    "labels of 3 MiB": ['"metric":{"__name__":"' + "a" * (3 << 20)],
    "colons": [" : \n"] * 1000 + ["**** Message #1 (2 Bytes) on Queue Q ****\n"] + [" : \n"] * 10,
    "equals signs": ["=" * 100_000 + "\n", "=\n", "a:\n", "=b\n"],
    "blanks before a colon": ["a" + " " * 100_000 + "b\n", "A:\n", "a" + " " * 100_000 + "\n"],
}

MOST: Final = 1000
"""The most processor time for one of them, in times of counting to a million on this machine. It is
much less unless reading takes quadratic time."""


@cache
def _counting() -> float:
    """Return the seconds of processor time in which this machine counts to a million."""
    began = process_time()
    for _ in range(1_000_000):
        pass
    return process_time() - began


@contextmanager
def in_linear_time() -> Iterator[None]:
    """Demand that the block takes little processor time, by the speed of this machine."""
    began = process_time()
    yield
    assert process_time() - began < MOST * _counting()


def reads(reader: Callable[[Iterable[str]], Iterator[Any]], lines: Iterable[str]) -> list[Any]:
    """Return what a reader yields; it must be fast."""
    with in_linear_time():
        return list(reader(lines))


def without_lines(found: Iterable[Any]) -> list[Any]:
    """Return records without their places, and problems by their reasons only."""
    return [
        each._replace(line=0, last_line=0) if hasattr(each, "last_line") else each.why
        for each in found
    ]
