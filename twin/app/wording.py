"""Words that callers choose from: one that is none of them is bad input."""

from __future__ import annotations

from collections.abc import Sequence

from twin.errors import TwinError
from twin.model.words import BINDS, PROFILES, STATUSES


class BadWord(TwinError, ValueError):
    """A word that is none of those there are to choose from."""

    def __init__(self, word: str, kind: str, words: Sequence[str]) -> None:
        super().__init__(f"{word!r} is no {kind}: {', '.join(words)}")


def demand_bind(word: str) -> None:
    """Check how something is to be bound.

    Raises:
        BadWord: when it is no way of binding.
    """
    _demand(word, "binding", BINDS)


def demand_profile(word: str) -> None:
    """Check the order of the rules, '' for that of the command level.

    Raises:
        BadWord: when there is none of that name.
    """
    if word:
        _demand(word, "order of the rules", PROFILES)


def demand_status(word: str | None) -> None:
    """Check the status that a channel was seen in, None where it was not looked at.

    Raises:
        BadWord: when no channel has it.
    """
    if word is not None:
        _demand(word, "channel status", STATUSES)


def _demand(word: str, kind: str, words: Sequence[str]) -> None:
    if word not in words:
        raise BadWord(word, kind, words)
