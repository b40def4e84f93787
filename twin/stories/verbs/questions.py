"""The verb `ask`, and answers as tables to match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from twin.model.instants import Instant
from twin.questions.answer import Answer, Row
from twin.questions.catalogue import QUESTIONS
from twin.stories import fields
from twin.stories.document import YamlNode
from twin.stories.matching import Table
from twin.stories.stage import Stage
from twin.stories.story import Action, StepOutcome
from twin.stories.verbs.verb import (
    READING,
    ROWS,
    Verb,
    instant_of,
    reads_only,
    shown_times,
    times_of,
)

_PENDING: Final = "pending"
"""The key of rows that depend on timed events that are due but not recorded, as in JSON."""


def table_of(answer: Answer, start: Instant) -> Table:
    """Return the rows of an answer to match; rows that are not recorded yet are `pending`."""
    rows = [
        {**row, _PENDING: True} if 0 < answer.as_of.position < max(positions, default=0) else row
        for row, positions in _with_evidence(answer)
    ]
    columns = (*answer.columns, _PENDING)
    ids = frozenset({"id"}) if answer.question == "errorlog" else frozenset()
    return Table(rows, answer.instants, columns, start, ids)


def errors_between(stage: Stage, before: Instant, at: Instant, *, after: int) -> Table:
    """Return the error log entries after an instant, and those of that instant after a position."""
    answer = stage.twin.ask("errorlog", since=before, as_of=at)
    rows = [
        row
        for row, positions in _with_evidence(answer)
        if cast("Instant", row["at"]) > before or max(positions, default=0) > after
    ]
    return replace(table_of(answer, stage.start), rows=rows)


def _with_evidence(answer: Answer) -> Iterator[tuple[Row, tuple[int, ...]]]:
    return zip(answer.rows, answer.evidence or ((),) * len(answer.rows), strict=True)


def _lines_of(answer: Answer) -> list[str]:
    """Write an answer as text: its headings, and a line per row."""
    if answer.lines:
        return list(answer.lines)
    rows = (answer.shown(row).values() for row in answer.rows)
    return [" ".join(answer.columns), *(" ".join(map(_cell, row)) for row in rows)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _ask(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    as_of, known_at = times_of(action, stage, at)
    answer = stage.twin.ask(
        action.options["question"],
        action.options["filters"],
        as_of=at if as_of is None else as_of,
        known_at=known_at,
        since=instant_of(action.options["since"], stage),
    )
    return StepOutcome(lines=_lines_of(answer), table=table_of(answer, stage.start))


def _finish(node: YamlNode, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read the filters that the question has."""
    question, narrowed = options["question"], options.get("with")
    declared = QUESTIONS.get(question)
    if declared is None:
        known = ", ".join(sorted(QUESTIONS))
        node.refuse(f"unknown question {question!r}; expected one of {known}")
    known_filters = (*declared.filters, *(["since"] if declared.has_span else []))
    entries = dict(fields.entries(narrowed, known_filters)) if narrowed else {}
    since = entries.pop("since", None)
    filters = {key: fields.text(value) for key, value in entries.items()}
    times = {key: options[key] for key in READING if key in options}
    begin = fields.moment(since) if since else None
    return {"question": question, "filters": filters, "since": begin, **times}


def _title(action: Action) -> str:
    filters = (f"{key}={value}" for key, value in action.options["filters"].items())
    return f"ask {' '.join([action.options['question'], *filters])}{shown_times(action)}"


VERBS: Final[Mapping[str, Verb]] = {
    "ask": Verb(
        meaning="asks a question, with filters under `with`",
        perform=_ask,
        expects=ROWS,
        beside={**READING, "with": lambda node: node},
        options={"question": fields.text},
        whole="question",
        finish=_finish,
        title=_title,
        changes=reads_only,
    )
}
