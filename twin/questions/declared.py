"""The declaration of a question: its columns, its filters, and its implementation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Flag, auto
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from twin.errors import did_you_mean
from twin.model.amounts import whole_number

if TYPE_CHECKING:
    from twin.events import Event
    from twin.model.instants import Instant

Type: TypeAlias = Literal["text", "integer", "boolean", "instant", "list", "value", "commands"]
"""The type of a column.

A list contains texts; a value is a text or an integer; commands are MQSC commands, each with the
queue manager to run it on.
"""


class Trait(Flag):
    """A further property of a column."""

    NONE = 0
    KEY = auto()
    """It identifies the row, together with the other key columns."""
    NULL = auto()
    """It may be null, because there is no value."""
    UNKNOWN = auto()
    """It may be null, because nobody knows the value; then `basis_of` says so."""
    WIDE = auto()
    """A table shows it only with --wide or --columns."""
    VOLATILE = auto()
    """It changes by itself as time passes or messages flow."""
    BASIS = auto()
    """It says where the knowledge in the row comes from."""
    LABEL = auto()
    """It follows from the key columns, and names for people what they identify."""


KEY: Final = Trait.KEY
NULL: Final = Trait.NULL
UNKNOWN: Final = Trait.UNKNOWN
WIDE: Final = Trait.WIDE
VOLATILE: Final = Trait.VOLATILE
BASIS: Final = Trait.BASIS
LABEL: Final = Trait.LABEL

CHANGE: Final = "change"
"""The column of a comparison that says how a row differs from the reference."""

ADDED: Final = "added"
REMOVED: Final = "removed"
CHANGED: Final = "changed"
CHANGES: Final = (ADDED, REMOVED, CHANGED)

BEFORE: Final = "_before"
AFTER: Final = "_after"
"""What follows the name of a field in a comparison: its value in the reference, and its value now.
"""


class Column(NamedTuple):
    """A column of an answer.

    Attributes:
        name: the key in the rows.
        type: the type of its values.
        meaning: what it is, in one line.
        traits: what else is true of it.
        unit: the unit of a number, '' where it has none.
        choices: the values of a text that has only these.
    """

    name: str
    type: Type
    meaning: str
    traits: Trait = Trait.NONE
    unit: str = ""
    choices: tuple[str, ...] = ()


def before_and_after(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the columns of a comparison that show fields."""
    return tuple(f"{name}{end}" for name in fields for end in (BEFORE, AFTER))


_SET: Final = frozenset({"yes", "True"})
"""The values of a filter that is given or not: the command line and Python give True."""


class Filter(NamedTuple):
    """An option that narrows a question.

    Attributes:
        name: the option and the keyword argument.
        metavar: the kind of value it takes: QM, NAME, N ...; '' if its option takes none.
        meaning: what it is, in one short sentence.
        choices: the values it takes, where it takes only these.
        required: whether the question cannot be asked without it.
        repeats: whether it takes several values; between them are blanks.
    """

    name: str
    metavar: str
    meaning: str
    choices: tuple[str, ...] = ()
    required: bool = False
    repeats: bool = False

    @property
    def is_flag(self) -> bool:
        """Whether it is only set or not: `yes`, or True in Python."""
        return not (self.metavar or self.choices)

    def expected(self, value: str) -> str:
        """Return what a value should have been; '' if the filter takes it."""
        if self.choices:
            listed = f"one of {', '.join(self.choices)}{did_you_mean(value, self.choices)}"
            return "" if value in self.choices else listed
        if self.is_flag:
            return "" if value in _SET else "True or False; yes in a URL"
        is_number = (whole_number(value) or 0) > 0
        return "a whole number from 1" if self.metavar == "N" and not is_number else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, declared: its implementation is imported when it is asked.

    Attributes:
        summary: what it answers, in one sentence.
        columns: the keys of its rows, in the order they are shown.
        narrowed_by: its filters.
        empty: what an answer without rows says.
        limits: what it does not cover, in sentences; '' if nothing needs to be said.
        home: the module and the function that answer it. The function takes an estate (two, the
            earlier first, if the question compares), the point in time, and the filters. '' for
            `explain`: `Twin` answers it, with an estate in which names may be requested.
        compares: whether it asks about the difference between two points.
        reads_facts: whether it reads events beside the estate. They are the classes in `READS` of
            its module, in fold order up to the point. If they begin at an instant (`since`), the
            function is given that and the estate just before it (`before`), too.
        needs_all: whether it misses something if a queue manager is not in the twin.
        reads_texts: whether it is given `text_of`, which finds the text of evidence by its digest.
        reads_log: whether it is about the log, so that it reads facts of all instants.
        back: for a question that replays a span of time: how long before the point the span begins
            unless an instant is given, in microseconds. The function is given the estate at the
            beginning as `before` and everything since then as `facts`.
        in_lines: whether its text is not a table, unless columns are asked for.
        comment: how a line of that text begins that is not part of it; '' if it has no such.
        beside_beliefs: whether it compares observed beliefs with what follows without them. The
            function is given pairs of the two as `beside`.
        repeats: whether several rows may have the same key, because what they are about can happen
            twice. Else the key identifies a row.
        no_reference: why it cannot be compared with another point, and what to do instead; '' if it
            can.
        rehearses: whether it tries what would happen. The function is given a `rehearsal`, which
            begins at the point, and which it may fork.
        drawn_by: the module that draws it as SVG, '' if it has no picture. The module has `draw`;
            `READS`, the events it is given as facts; and `BACK`, how long before the point, or
            before `since`, those facts begin.
    """

    summary: str
    columns: tuple[Column, ...]
    narrowed_by: tuple[Filter, ...]
    empty: str
    limits: str = ""
    home: str = ""
    compares: bool = False
    reads_facts: bool = False
    needs_all: bool = False
    reads_log: bool = False
    reads_texts: bool = False
    back: Instant | None = None
    in_lines: bool = False
    comment: str = ""
    beside_beliefs: bool = False
    repeats: bool = False
    no_reference: str = ""
    rehearses: bool = False
    drawn_by: str = ""

    @property
    def filters(self) -> tuple[str, ...]:
        """The names of its filters."""
        return tuple(filter_.name for filter_ in self.narrowed_by)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(column.name for column in self.columns)

    @property
    def main(self) -> tuple[str, ...]:
        """The names of the columns that a table shows by default."""
        return tuple(column.name for column in self.columns if WIDE not in column.traits)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the columns that together identify a row."""
        return self._with(KEY)

    @property
    def may_be_unknown(self) -> tuple[str, ...]:
        """The names of the columns that nobody may know."""
        return self._with(UNKNOWN)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the columns that name for people what the keys identify."""
        return self._with(LABEL)

    def fields(self, ignored: Collection[str] = ()) -> tuple[str, ...]:
        """Return the names of the columns that do not identify a row and are not ignored."""
        left_out = {*self.keys, *self.labels, *ignored}
        return tuple(name for name in self.names if name not in left_out)

    def _with(self, trait: Trait) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if trait in column.traits)

    @property
    def instants(self) -> frozenset[str]:
        """The names of the columns whose values are instants."""
        return frozenset(column.name for column in self.columns if column.type == "instant")

    @property
    def has_span(self) -> bool:
        """Whether it is about what happened since an earlier instant, not about one instant."""
        reads_span = self.reads_facts and not self.reads_log
        return self.compares or reads_span or self.back is not None

    @property
    def answer(self) -> Callable[..., Any]:
        """The function that answers it; it returns an `Answer`."""
        module, _, name = self.home.partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function

    @property
    def reads(self) -> frozenset[type[Event]]:
        """The events that it is given as facts."""
        module, _, _ = self.home.partition(":")
        return import_module(module).READS if self.reads_facts else frozenset()

    @property
    def picture(self) -> Any:
        """The module that draws it."""
        return import_module(self.drawn_by)

    def unknown_filters(self, options: Mapping[str, Any]) -> list[str]:
        """Return the names of the options, not None, that the question does not have."""
        return [
            name
            for name, value in options.items()
            if value is not None and name not in self.filters
        ]
