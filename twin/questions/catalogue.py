"""Every question by name: what answers it, how it may be narrowed, and whether it compares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from twin.questions import belief, changes
from twin.questions.answer import Answer


@dataclass(frozen=True, slots=True)
class Question:
    """A question.

    Attributes:
        answer: takes an estate (two, the earlier first, if it compares), the point, and filters.
        filters: the keywords that narrow it.
        compares: whether it asks about the difference between two points.
    """

    answer: Callable[..., Answer]
    filters: tuple[str, ...]
    compares: bool = False

    @property
    def summary(self) -> str:
        """What it asks, in one sentence."""
        return (self.answer.__doc__ or "").strip().splitlines()[0]

    def check(self, given: Mapping[str, Any]) -> list[str]:
        """Return the filters among those given that the question does not have."""
        return [
            name for name, value in given.items() if value is not None and name not in self.filters
        ]


QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "members": Question(belief.members, ("cluster",)),
        "beliefs": Question(belief.beliefs, ("on", "cluster", "kind", "name")),
        "divergence": Question(belief.divergence, ("on", "cluster")),
        "changes": Question(changes.changes, ("on",), compares=True),
    }
)
"""Every question by its name; names and row keys are stable."""
