"""Writes docs/questions.md from the catalogue of questions: `python -m tests.questions_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from twin.model.instants import DAY
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import BASIS, KEY, NULL, VOLATILE, WIDE, Column, Filter, Question

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
list is a list of strings. A value is a string or an integer.

Traits: the **key** columns together identify a row. A **null** column may be null. A **volatile**
column can change while time passes or messages flow. A **basis** column names the source of the
row. A table shows a **wide** column only with `--wide` or `--columns`.
"""

_TRAITS: Final = {
    KEY: "key",
    NULL: "null",
    VOLATILE: "volatile",
    BASIS: "basis",
    WIDE: "wide",
}


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
