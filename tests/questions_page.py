"""Writes docs/questions.md from the catalogue of questions: `python -m tests.questions_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import BASIS, KEY, NULL, VOLATILE, WIDE, Column, Filter, Question

PAGE: Final = Path(__file__).parents[1] / "docs" / "questions.md"

_HEAD: Final = """\
# Questions

What `twin ask QUESTION` and `twin.ask("QUESTION")` answer. Names of questions and columns are
stable. Every question takes `--as-of` and `--known-at`, and answers as text, JSON or CSV. In JSON
every row also has `evidence`, the positions of the events it rests on. A row that rests on what is
due and not recorded yet has `pending`. `twin ask --schema QUESTION` prints the JSON Schema.
This page is made from the code by `python -m tests.questions_page`, and a test compares the two.

Types: an instant is a text in ISO 8601, in Python an integer (microseconds since 1970 UTC). A list
is a list of texts. A value is a text or an integer.

Traits: the **key** columns together identify a row. A **null** column may be null. A **volatile**
column changes by itself as time passes or messages flow. A **basis** column says where the
knowledge in the row comes from. A table shows a **wide** column only with `--wide` or `--columns`.
"""

_TRAITS: Final = {
    KEY: "key",
    NULL: "null",
    VOLATILE: "volatile",
    BASIS: "basis",
    WIDE: "wide",
}


def page() -> str:
    """Return the page as the code would have it."""
    parts = (line for name, question in QUESTIONS.items() for line in _question(name, question))
    return "\n".join([_HEAD, *parts])


def _question(name: str, question: Question) -> Iterator[str]:
    yield f"## `{name}`\n"
    yield f"{question.summary} Without rows it says: {question.empty}.\n"
    span = "It is about the span from `--since` to `--as-of`."
    picture = "It can be drawn: `--format svg`, from `--since` on."
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
