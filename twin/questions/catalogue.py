"""Every question by name: what answers it, how it may be narrowed, and what else it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from twin.events import Event
from twin.model.instants import Instant
from twin.questions import (
    agenda,
    belief,
    changes,
    channels,
    errorlog,
    explain,
    lifetimes,
    passes,
    picture,
    subscriptions,
    transmission,
)
from twin.questions.answer import Answer


@dataclass(frozen=True, slots=True)
class Picture:
    """An answer that is drawn, as SVG.

    Attributes:
        draw: takes what the answer takes, with `facts` of what it reads, and `since`, the instant
            the picture begins at (None for where it finds best).
        reads: the events it is handed as facts.
        back: how long before the point, or before `since`, those facts begin.
    """

    draw: Callable[..., str]
    reads: frozenset[type[Event]]
    back: Instant


@dataclass(frozen=True, slots=True)
class Question:
    """A question.

    Attributes:
        answer: takes an estate (two, the earlier first, if it compares), the point, and filters.
        filters: the keywords that narrow it.
        compares: whether it asks about the difference between two points.
        reads: the events that it is handed as `facts`, in fold order up to the point, beside the
            estate; none where the estate is enough.
        back: of one that plays a span through, how long before the point that begins where no
            instant is given: it is handed the estate of its beginning as `before`, and all that
            happened since as `facts`. None of others.
        picture: how it is drawn, for those that can be.
    """

    answer: Callable[..., Answer]
    filters: tuple[str, ...]
    compares: bool = False
    reads: frozenset[type[Event]] = frozenset()
    back: Instant | None = None
    picture: Picture | None = None

    @property
    def summary(self) -> str:
        """What it asks, in one sentence."""
        return (self.answer.__doc__ or "").strip().splitlines()[0]

    @property
    def has_span(self) -> bool:
        """Whether it is about what happened since an earlier instant, not about one instant."""
        return self.compares or bool(self.reads) or self.back is not None

    def check(self, given: Mapping[str, Any]) -> list[str]:
        """Return the filters among those given that the question does not have."""
        return [
            name for name, value in given.items() if value is not None and name not in self.filters
        ]


_RECORDS: Final = ("on", "cluster", "kind", "name")
"""What narrows a question about records that repositories hold."""

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "members": Question(belief.members, ("cluster",)),
        "beliefs": Question(belief.beliefs, _RECORDS),
        "divergence": Question(belief.divergence, ("on", "cluster")),
        "lifetimes": Question(
            lifetimes.lifetimes,
            (*_RECORDS, "owner"),
            picture=Picture(picture.draw, picture.READS, picture.BACK),
        ),
        "subscriptions": Question(subscriptions.subscriptions, _RECORDS),
        "errorlog": Question(errorlog.errorlog, ("on", "id"), reads=errorlog.READS),
        "changes": Question(changes.changes, ("on",), compares=True),
        "explain": Question(explain.explain, ("on", "queue", "to", "bind", "profile", "position")),
        "transmission": Question(transmission.transmission, ("on", "channel", "queue", "xmitq")),
        "channels": Question(channels.channels, ("on", "channel")),
        "agenda": Question(agenda.agenda, ("on",)),
        "passes": Question(passes.passes, ("on", "channel"), back=passes.BACK),
    }
)
"""Every question by its name; names and row keys are stable."""
