"""An error in a keyword or its value, as a value instead of an exception."""

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
    "unknown-cipherspec",
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
    "unknown-cipherspec",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """The first error in the parameters of a command.

    `text` is a sentence for people; `reason` is the reason code of MQ, if a source names one.
    """

    kind: ProblemKind
    keyword: str
    text: str
    reason: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """An error in a value, before its keyword is known."""

    kind: ProblemKind
    text: str
