"""What can be wrong with a keyword or its value: a value, never an exception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

ProblemKind: TypeAlias = Literal[
    "unknown-keyword",
    "keyword-not-for-type",
    "bad-value",
    "out-of-range",
    "too-long",
    "bad-name",
    "missing",
    "exclusive",
    "repeated",
    "not-alterable",
]

PROBLEM_KINDS: Final[tuple[ProblemKind, ...]] = (
    "unknown-keyword",
    "keyword-not-for-type",
    "bad-value",
    "out-of-range",
    "too-long",
    "bad-name",
    "missing",
    "exclusive",
    "repeated",
    "not-alterable",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing wrong with a command's parameters.

    `text` is a sentence for people; `reason` is MQ's reason code where a source names one.
    """

    kind: ProblemKind
    keyword: str
    text: str
    reason: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """What a form has against a value, before the keyword is known."""

    kind: ProblemKind
    text: str
