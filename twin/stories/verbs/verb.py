"""The declaration of a verb: how it is written, what it does, how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from twin.model.instants import Instant
from twin.stories import fields
from twin.stories.document import YamlNode
from twin.stories.fields import Moment
from twin.stories.stage import Stage
from twin.stories.story import Action, StepOutcome

Read: TypeAlias = Callable[[YamlNode], Any]
"""Reads a value of a story as its kind, or refuses it."""

ROWS: Final = frozenset({"rows", "exact", "count", "absent", "says"})
"""The keys that may be expected of a verb that answers with rows."""

ERRORS: Final = frozenset({"errors", "exact"})
"""The keys that may be expected of a verb that lets time pass or acts."""

ACTING: Final = ERRORS | {"messages", "says"}
"""The keys that may be expected of a verb that runs commands."""

READING: Final[Mapping[str, Read]] = {"as_of": fields.moment, "known_at": fields.moment}
"""The keys that may stand beside a verb that reads."""


def words_of(action: Action) -> str:
    """Write an action in one line: the verb, and its queue, handle or channel."""
    options = action.options
    about = next((options[key] for key in ("queue", "handle", "channel") if key in options), "")
    to = f"at {options['to']}" if options.get("to") else ""
    parts = (action.verb, options.get("count", ""), about, to)
    words = " ".join(str(part) for part in parts if part)
    return f"{action.on}: {words}" if action.on else words


def where(action: Action) -> Sequence[str]:
    """Return the queue manager of an action, if it names one."""
    return [action.on] if action.on else []


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the story format.

    Attributes:
        meaning: what it does, in a few words, for the documentation.
        perform: does it at an instant; returns the outcome.
        expects: what may be expected of it.
        beside: the keys that may stand beside the verb, besides `at` and `expect`.
        options: the keys of the mapping that the verb takes.
        required: the options that must be present.
        bare: the option that a single text gives, instead of a mapping of options; '' if none.
        whole: the option that the value of the verb gives, whatever it is; '' if none.
        on: whether it happens at a queue manager, named beside the verb or in its mapping.
        finish: checks the options together, and completes them.
        qmgrs: returns the queue managers that it names.
        title: writes it in one line.
        changes: says whether it could change anything.
        not_later: the key and the problem to report if one of its times lies in the future.
    """

    meaning: str
    perform: Callable[[Action, Stage, Instant], StepOutcome]
    expects: frozenset[str]
    beside: Mapping[str, Read] = field(default_factory=dict)
    options: Mapping[str, Read] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    bare: str = ""
    whole: str = ""
    on: bool = False
    finish: Callable[[YamlNode, Mapping[str, Any]], Mapping[str, Any]] = lambda _, options: options
    qmgrs: Callable[[Action], Sequence[str]] = where
    title: Callable[[Action], str] = words_of
    changes: Callable[[Action], bool] = lambda _: True
    not_later: tuple[str, str] = ("", "")

    def action(self, verb: str, step: Mapping[str, YamlNode]) -> Action:
        """Read a step of this verb.

        Raises:
            MalformedStory: if a key is unknown, missing, or does not fit the others.
        """
        node, inner = step[verb], None
        single = self.whole or ("" if isinstance(node.value, Mapping) else self.bare)
        if single:
            options = {single: self.options[single](node)}
        else:
            known = [*self.options, *(["on"] if self.on else [])]
            entries = fields.entries(node, known, required=self.required)
            options = {key: self.options[key](entries[key]) for key in entries if key != "on"}
            inner = entries.get("on")
        options |= {key: read(step[key]) for key, read in self.beside.items() if key in step}
        on = self._on(node, step.get("on"), inner, optional="handle" in options)
        return Action(node.place, verb, on, self.finish(node, options))

    def _on(
        self, node: YamlNode, beside: YamlNode | None, inner: YamlNode | None, *, optional: bool
    ) -> str:
        if beside is not None and inner is not None:
            inner.refuse("the queue manager is named twice")
        if (named := inner or beside) is not None:
            return fields.name(named)
        if self.on and not optional:
            node.refuse("on is missing: name the queue manager")
        return ""


def reads_only(_: Action) -> bool:
    """Return False: the verb changes nothing."""
    return False


def times_of(action: Action, stage: Stage, at: Instant) -> tuple[Instant | None, Instant | None]:
    """Return as_of and known_at of a reading step.

    If only `known_at` is given, `as_of` is the instant of the step.
    """
    as_of, known_at = (instant_of(action.options.get(key), stage) for key in READING)
    return (at if as_of is None and known_at is not None else as_of), known_at


def instant_of(moment: Moment | None, stage: Stage) -> Instant | None:
    """Return the instant of a moment in the time of a story; None stays None."""
    return None if moment is None else moment.at(stage.start)


def shown_times(action: Action) -> str:
    """Write as_of and known_at of a reading step, for the end of its title."""
    as_of, known_at = (action.options.get(key) for key in READING)
    return (f" as of {as_of.text}" if as_of else "") + (
        f" known at {known_at.text}" if known_at else ""
    )
