"""Writes docs/questions.md from the catalogue of questions: `python -m tests.questions_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from twin.model.instants import DAY
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import (
    BASIS,
    KEY,
    LABEL,
    NULL,
    UNKNOWN,
    VOLATILE,
    WIDE,
    Column,
    Filter,
    Question,
)

PAGE: Final = Path(__file__).parents[1] / "docs" / "questions.md"

_HEAD: Final = """\
# Questions

This page lists the questions of `twin ask QUESTION` and of `twin.ask("QUESTION")` in Python.
Names of questions and columns do not change. Every question takes `--as-of` and `--known-at`, and
prints text, JSON or CSV; `lifetimes` also prints SVG. In JSON every row also has `evidence`: the
positions of the events that the row is computed from. If a row depends on a timed event that is
not recorded yet, it has `"pending": true`. `twin ask QUESTION --schema` prints the JSON Schema.
The [glossary](glossary.md) explains the words. This page is made from the code by
`python -m tests.questions_page`, and a test compares the two.

Types: an instant is a string in ISO 8601, in Python an integer (microseconds since 1970 UTC). A
list is a list of strings. A value is a string or an integer. Commands are a list of objects with
the keys `on` (queue manager) and `mqsc`.

Traits: the **key** columns together identify a row. A **label** column follows from the key, and
names what it identifies. A **null** column may be null, because there is no value. An **unknown**
column may be null, because nobody knows its value: then `basis_of` has `unknown` for it, and
`settled_by` the queue manager and the command or file that would settle it. A table shows `?` for
it, and CSV nothing. A **volatile** column can change while time passes or messages flow. A
**basis** column names the source of the row. A table shows a **wide** column only with `--wide` or
`--columns`.

## Differences

`--against T` or `--against BRANCH` shows how the rows differ from those of a reference: another
instant of the branch, or another branch at the same instant. Rows are matched by their key columns.
`change` is `added` (only now), `removed` (only in the reference) or `changed`. Each other field
that differs has two columns, `FIELD_before` and `FIELD_after`; a table shows both in one column,
as `before -> after`. An added row has all fields as they are now, and a removed row as they were.
JSON has both points, `as_of` and `against`. `--ignore FIELD` leaves a field out of the comparison,
such as a count or a date, and `--exit-code` ends with 10 if rows differ. Rows of which only the
`basis` differs are counted in a note and not listed. A relative time, such as `-1d`, is relative to
`--as-of`:

```sh
twin ask members --against -1d
twin --branch lab ask lifetimes --against main --ignore days_to_removal --exit-code
```

In Python, `twin.ask("members", against=...)` takes an instant or the name of a branch, and
`ignore=["known_by"]`.
"""

_TRAITS: Final = {
    KEY: "key",
    LABEL: "label",
    NULL: "null",
    UNKNOWN: "unknown",
    VOLATILE: "volatile",
    BASIS: "basis",
    WIDE: "wide",
}

_REPEATS: Final = (
    "Several rows may have the same key. A comparison matches equal ones first, then the others in "
    "their order."
)


def page() -> str:
    """Return the page as it should be."""
    parts = (line for name, question in QUESTIONS.items() for line in _question(name, question))
    return "\n".join([_HEAD, *parts])


def _question(name: str, question: Question) -> Iterator[str]:
    yield f"## `{name}`\n"
    yield f"{question.summary} Without rows, `twin ask` prints `{question.empty}`.\n"
    yield from [f"{question.limits}\n"] * bool(question.limits)
    begin = f"{question.back // DAY} day before `--as-of`" if question.back else "the beginning"
    span = f"The answer covers the time from `--since` (default: {begin}) to `--as-of`."
    picture = (
        "`--format svg` draws a picture from `--since` (default: 30 days earlier) to `--as-of`."
    )
    yield from [f"{span}\n"] * question.has_span
    yield from [f"{picture}\n"] * bool(question.drawn_by)
    yield from [f"It takes no `--against`: {question.no_reference}.\n"] * bool(
        question.no_reference
    )
    yield from [f"{_REPEATS}\n"] * question.repeats
    yield "| column | type | what it is | traits |\n|---|---|---|---|"
    yield from map(_column, question.columns)
    yield "\n| filter | value | what it does |\n|---|---|---|"
    yield from map(_filter, question.narrowed_by)
    yield ""


def _column(column: Column) -> str:
    unit = f" ({column.unit})" if column.unit else ""
    choices = f" One of {', '.join(column.choices)}." if column.choices else ""
    traits = ", ".join(word for trait, word in _TRAITS.items() if trait in column.traits)
    return f"| `{column.name}` | {column.type}{unit} | {column.meaning}{choices} | {traits} |"


def _filter(filter_: Filter) -> str:
    value = ", ".join(filter_.choices) or filter_.metavar
    required = " Required." if filter_.required else ""
    return f"| `--{filter_.name}` | {value} | {filter_.meaning}{required} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
