"""An answer to DISPLAY whose records come one after another: what of it is kept until its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.feeds.captures.beliefs import shows_beliefs
from twin.feeds.captures.records import Capture
from twin.feeds.converting.display_answers import AnswerStates
from twin.feeds.converting.measured_states import MeasuredStates
from twin.feeds.converting.shown_definitions import shows_all, shows_definitions
from twin.feeds.reading.not_understood import NotUnderstood

_READ_WHOLE: Final = frozenset({"DSPMQ", "QMGR"})
"""The object words of answers that are read as a whole, beside beliefs and definitions."""


class OpenAnswer:
    """An answer while its records are read.

    Attributes:
        first: its first record, with one row at most.
        parts: its records, if it is read as a whole; of others none is kept.
        rows: how many objects it has shown.
        has_beliefs: whether it shows records of clusters.
        has_definitions: whether it shows definitions with all their attributes.
        without_all: whether it shows definitions, but not all of their attributes.
        says_states: at its end, whether it says states.
    """

    def __init__(self, first: Capture, states: AnswerStates | None) -> None:
        """Begin with the first record; `states` takes what it says of states, if it may say any."""
        defines = shows_definitions(first)
        self.first = first._replace(rows=first.rows[:1])
        self.parts: list[Capture] = []
        self.rows = 0
        self.has_beliefs = shows_beliefs(first)
        self.has_definitions = defines and shows_all(first)
        self.without_all = defines and not self.has_definitions and not self.has_beliefs
        self.says_states = False
        self._keeps = self.has_beliefs or self.has_definitions or first.object in _READ_WHOLE
        self._answer_states = states
        self.take(first)

    def take(self, part: Capture) -> None:
        """Take a record."""
        self.rows += len(part.rows)
        if self._keeps:
            self.parts.append(part)
        if self._answer_states is not None:
            self._answer_states.take(part)
            if not part.more:
                self.says_states = self._answer_states.end(part)

    def left_out(self) -> list[NotUnderstood]:
        """Return what of its states is not understood, once each."""
        if self._answer_states is None:
            return []
        found, self._answer_states.left_out = self._answer_states.left_out, []
        return found

    @property
    def columns(self) -> Mapping[str, int]:
        """The columns of states that are read and not kept, with the number of their rows."""
        return {} if self._answer_states is None else self._answer_states.columns

    @property
    def states(self) -> MeasuredStates | None:
        """The states of its queue manager, with those that it says; None if it may say none."""
        return None if self._answer_states is None else self._answer_states.states
