"""Answer questions: give a question the estate that it is about, and the other facts it needs.

What an answer may lack, because something was not imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import chain, starmap
from typing import TYPE_CHECKING, Any, Final

from twin.app.notes import other_rules
from twin.app.reading import Views
from twin.errors import SubjectError, TwinError, did_you_mean
from twin.events import Event
from twin.events.catalogue import columns_of_all
from twin.fold.estate import Estate
from twin.fold.replay import decode
from twin.log import Log
from twin.log.records import ALWAYS, LONG_AGO
from twin.model.instants import MAIN, AsOf, Instant
from twin.questions.answer import Answer, FoldedFact
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import Question

if TYPE_CHECKING:
    from twin.questions.change_index import ChangeIndex
    from twin.rules.draft import Decided

_SHOWN: Final = 5
"""How many names are shown."""

_MORE: Final = "twin ask ingest"


def incompleteness_of(log: Log, point: AsOf, estate: Callable[[], Estate]) -> tuple[str, ...]:
    """Return lines about what is missing at a point; none if nothing was ever imported.

    They name queue managers that something leads to and that are not in the twin, those of which
    only states or logs are, queues of queue-sharing groups, and imports that have not ended.
    `estate` returns the estate of the point.
    """
    if not log.has_imports():
        return ()
    from twin.questions.completeness import missing_names  # noqa: PLC0415 - few logs need it
    from twin.questions.not_modelled import notes_of_shared_queues  # noqa: PLC0415 - same

    lines = [*undefined_of(estate()), *notes_of_shared_queues(estate())]
    if names := missing_names(estate()):
        lines.append(f"not in the twin: {_shown(names)} ({_MORE})")
    unfinished = log.unfinished_imports(branch=point.branch, known=point.position)
    lines += [
        f"the import of {state.name} has not ended; the same import finishes it"
        for state, _ in unfinished[:_SHOWN]
    ]
    if len(unfinished) > _SHOWN:
        lines.append(f"{len(unfinished) - _SHOWN} more imports have not ended ({_MORE})")
    return tuple(lines)


def undefined_of(estate: Estate) -> tuple[str, ...]:
    """Return a line about the queue managers of which only states or logs are known, if any."""
    if not estate.undefined:
        return ()
    names = _shown(sorted(estate.undefined))
    return (f"not in the twin: {names}, of which only states or logs are known ({_MORE})",)


def _shown(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


_DIFFERENCES: Final = frozenset({"changes", "doctor", "ingest", "missing", "reconcile"})
"""The questions that say themselves what is not known of definitions between two sights."""


class NoSuchQuestion(TwinError, LookupError):
    """A question that is not in the catalogue."""

    def __init__(self, name: str) -> None:
        expected = f"expected one of {', '.join(sorted(QUESTIONS))}{did_you_mean(name, QUESTIONS)}"
        super().__init__(f"unknown question {name!r}; {expected}")


_DRAWN: Final = ", ".join(sorted(name for name in QUESTIONS if QUESTIONS[name].drawn_by))


class NoPicture(SubjectError, LookupError, message=f"{{}} cannot be drawn; only {_DRAWN} can"):
    """A question whose answer cannot be drawn."""


class BadFilter(TwinError, ValueError, message="{} has no filter {}; expected one of {}"):
    """A filter that a question does not have."""


class BadFilterValue(TwinError, ValueError, message="{}: bad {} {!r}; expected {}"):
    """A value that a filter does not take."""


def question_of(name: str, filters: Mapping[str, object]) -> tuple[Question, dict[str, str]]:
    """Return a question by name, and the given filters that are not None, as texts.

    Raises:
        NoSuchQuestion: if there is no question of that name.
        BadFilter: if the question does not have one of the filters.
        BadFilterValue: if one of them does not take its value.
    """
    if (question := QUESTIONS.get(name)) is None:
        raise NoSuchQuestion(name)
    if unknown_filters := question.unknown_filters(filters):
        raise BadFilter(name, ", ".join(unknown_filters), ", ".join(question.filters))
    flags = {each.name for each in question.narrowed_by if each.is_flag}
    given = {
        name: str(value)
        for name, value in filters.items()
        if value is not None and not (value is False and name in flags)
    }
    for each in question.narrowed_by:
        if each.name in given and (expected := each.expected(given[each.name])):
            raise BadFilterValue(name, each.name, given[each.name], expected)
    return question, given


def answer(
    views: Views,
    log: Log,
    question: Question,
    point: AsOf,
    since: Instant | None,
    filters: Mapping[str, str],
) -> Answer:
    """Answer a question at a point. If it is about a span of time, the span begins at `since`.

    An empty answer names the filters whose value is unknown.
    """
    estate, pending = views.shared(point)

    def ask(estate: Estate) -> Answer:
        answered: Answer = question.answer(
            *([views.at(_earlier(point, since))] if question.compares else ()),
            estate,
            point,
            **_rederived(views, log, question, point),
            **_beside(views, log, question, point, pending, since),
            **filters,
        )
        return answered

    answered = ask(estate)
    if answered.question not in _DIFFERENCES and estate.has_unsure_objects:
        from twin.questions.unsure import for_all  # noqa: PLC0415 - few answers need it

        keys = {*question.keys, "owner"} & {*question.names}  # a QMID has one owner
        answered = for_all(answered, estate, ask, tuple(keys))
    answered = answered.marking({each.qmid for each in estate.qmgrs.values() if each.made_qmid})
    return completed(answered, question, log, estate, point, filters)


def completed(
    answered: Answer,
    question: Question,
    log: Log,
    estate: Estate,
    point: AsOf,
    filters: Mapping[str, str],
) -> Answer:
    """Return an answer with notes about what is missing, assumed or unknown."""
    gaps = () if question.reads_log else undefined_of(estate)
    if question.needs_all:
        gaps = incompleteness_of(log, point, lambda: estate) or gaps
    answered = with_gaps(answered, gaps)
    if notes := _assumed(estate, point, answered):
        answered = replace(answered, notes=(*answered.notes, *notes))
    if answered.rows:
        return answered
    from twin.questions.unknown_names import unknown  # noqa: PLC0415 - only empty answers need it

    return replace(answered, unknown=unknown(estate, filters))


def with_gaps(answered: Answer, gaps: tuple[str, ...]) -> Answer:
    """Return an answer with notes about what is missing."""
    notes, before = (*answered.notes, *gaps), answered.gaps
    return replace(answered, notes=notes, gaps=(*before, *gaps)) if gaps else answered


def _assumed(estate: Estate, point: AsOf, answered: Answer) -> tuple[str, ...]:
    """Return lines that say what an answer assumes."""
    rests_on = any(row.get("basis") == "assumed" and "cluster" in row for row in answered.rows)
    if not rests_on and point.branch == MAIN:
        return ()
    from twin.questions import assumed  # noqa: PLC0415 - few answers need it

    return (
        *(assumed.notes_of_rows(estate, answered.rows) if rests_on else ()),
        *(assumed.notes_of_links(estate) if point.branch != MAIN else ()),
    )


def _earlier(point: AsOf, since: Instant | None) -> AsOf:
    return replace(point, valid=LONG_AGO if since is None else since)


def _rederived(views: Views, log: Log, question: Question, point: AsOf) -> dict[str, Any]:
    """Return what would follow without observed beliefs, for a question that compares the two."""
    if not question.beside_beliefs:
        return {}
    from twin.app.rederiving import beside_beliefs  # noqa: PLC0415 - one question needs it

    return {"beside": beside_beliefs(views, log, point)}


def _beside(
    views: Views,
    log: Log,
    question: Question,
    point: AsOf,
    pending: Collection[Decided],
    since: Instant | None,
) -> dict[str, Any]:
    """Return the other facts that a question needs besides the estate."""
    if question.compares:
        start = _earlier(point, since)
        return {
            "trail": _between(views, log, start, point, pending),
            "rules": other_rules(log, point, since=start.valid),
            "since": since,
        }
    if question.back is not None:
        begin = point.valid - question.back if since is None else min(since, point.valid)
        before, facts = _through(views, log, point, pending, max(begin - 1, LONG_AGO))
        return {"before": before, "facts": facts, "since": begin}
    if question.reads_log:
        reach = replace(point, valid=ALWAYS)
        return {"facts": facts_since(log, reach, pending, question.reads, LONG_AGO)}
    if question.reads:
        facts = facts_since(
            log, point, pending, question.reads, LONG_AGO if since is None else since
        )
        texts = of_logs(log, point) if question.reads_texts else {}
        if since is None:
            return {"facts": facts, **texts}
        before = views.upto(
            branch=point.branch, valid=max(since - 1, LONG_AGO), position=point.position
        )
        return {"facts": facts, "before": before, "since": since, **texts}
    return {}


def of_logs(log: Log, point: AsOf) -> dict[str, Any]:
    """Return what a question needs to tell error logs: their texts, and how far they reach."""
    from twin.questions.imported_records import (  # noqa: PLC0415 - one question needs it
        READS,
        LogExtents,
        log_extents,
    )

    def extents() -> LogExtents:
        return log_extents(facts_since(log, replace(point, valid=ALWAYS), (), READS, LONG_AGO))

    return {"text_of": log.evidence, "extents": extents}


def draw(
    views: Views,
    log: Log,
    question: Question,
    point: AsOf,
    since: Instant | None,
    filters: Mapping[str, str],
) -> str:
    """Draw an answer as SVG."""
    picture = question.picture
    estate, pending = views.shared(point)
    begin = (point.valid if since is None else since) - picture.BACK
    facts = facts_since(log, point, pending, picture.READS, begin)
    drawing: str = picture.draw(estate, point, facts=facts, since=since, **filters)
    return drawing


def facts_since(
    log: Log, point: AsOf, pending: Collection[Decided], reads: Collection[type[Event]], begin: int
) -> Iterator[FoldedFact]:
    """Iterate over the facts of some types from an instant up to a point, in fold order.

    Pending facts (due by the point, but not recorded) come last, with the positions that they would
    get.
    """
    recorded = _recorded(log, point, max(begin - 1, LONG_AGO), columns_of_all(reads))
    return chain(recorded, _pending(point, pending, lambda event: type(event) in reads, begin))


def _recorded(log: Log, point: AsOf, after: Instant, columns: list[str]) -> Iterator[FoldedFact]:
    rows = log.rows(
        branch=point.branch,
        valid=point.valid,
        known=point.position,
        since_valid=after,
        types=columns,
    )
    return starmap(FoldedFact, decode(rows))


def _pending(
    point: AsOf, pending: Collection[Decided], wanted: Callable[[Event], bool], begin: int
) -> Iterator[FoldedFact]:
    for position, (at, event) in enumerate(pending, start=point.position + 1):
        if wanted(event) and at >= begin:
            yield FoldedFact(at, position, event)


def _through(
    views: Views, log: Log, point: AsOf, pending: Collection[Decided], begin: Instant
) -> tuple[Estate, Iterator[FoldedFact]]:
    """Return the estate of an earlier instant, and all facts from there to a point."""
    before = views.upto(branch=point.branch, valid=begin, position=point.position)
    recorded = _recorded(log, point, begin, [])
    return before, chain(recorded, _pending(point, pending, lambda _: True, LONG_AGO))


def _between(
    views: Views, log: Log, start: AsOf, point: AsOf, pending: Collection[Decided]
) -> ChangeIndex | None:
    """Return the index of the changes between two points; None if the second is not later."""
    if start.valid > point.valid:
        return None
    from twin.questions.change_index import index_changes  # noqa: PLC0415 - few commands need it

    return index_changes(*_through(views, log, point, pending, start.valid))
