"""Compare the answers to one question at two points."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from twin.errors import TwinError
from twin.model.instants import AsOf, Instant, format_instant
from twin.questions.answer import Answer
from twin.questions.declared import Question
from twin.questions.row_differences import check_ignored, compared


class NotCompared(TwinError, ValueError, message="{} cannot be compared with a reference: {}"):
    """A question, or an option of it, that makes no sense against a reference."""


class NoReference(
    TwinError, ValueError, message="ignore says which differences do not count: it needs against"
):
    """A field to ignore, without a reference to compare with."""


def check_comparison(
    name: str, question: Question, filters: Mapping[str, str], ignored: Collection[str]
) -> None:
    """Check that a question can be compared, with these filters and fields to ignore.

    Raises:
        NotCompared: if it cannot.
        BadIgnored: if it does not have a field to ignore, or the field identifies its rows.
    """
    if question.no_reference:
        raise NotCompared(name, question.no_reference)
    if name == "explain" and "position" in filters:
        raise NotCompared(name, "a recorded choice was made at one point only")
    check_ignored(name, ignored)


def span_of(
    name: str, question: Question, since: Instant | None, now: AsOf, reference: AsOf
) -> Instant | None:
    """Return the instant at which the span of both answers begins; None for the beginning.

    Raises:
        NotCompared: if it begins after one of the points.
    """
    earlier = min(now.valid, reference.valid)
    if since is None:
        return None if question.back is None else earlier - question.back
    if since > earlier:
        begin, end = format_instant(since), format_instant(earlier)
        raise NotCompared(name, f"the span begins at {begin}, and one of the two ends at {end}")
    return since


def difference(
    ask_now: Callable[[], Answer],
    ask_reference: Callable[[], Answer],
    points: tuple[AsOf, AsOf],
    ignored: Collection[str],
) -> Answer:
    """Return how the answer now differs from that of the reference.

    A queue manager or queue that a filter names may exist at one of the two points only: there is
    no row of it at the other.

    Raises:
        TwinError: if the question can be answered at neither point.
    """
    now, reference = _or_error(ask_now), _or_error(ask_reference)
    if isinstance(now, TwinError):
        if isinstance(reference, TwinError):
            raise now
        now = replace(_nothing(reference), as_of=points[0], notes=(str(now),))
    if isinstance(reference, TwinError):
        reference = replace(_nothing(now), as_of=points[1], notes=(str(reference),))
    return compared(now, reference, ignored=ignored)


def _or_error(ask: Callable[[], Answer]) -> Answer | TwinError:
    """Return an answer, or the error that something is unknown."""
    try:
        return ask()
    except TwinError as error:
        if isinstance(error, LookupError):
            return error
        raise


def _nothing(answer: Answer) -> Answer:
    return replace(answer, rows=(), evidence=(), basis_of=(), settled_by=(), gaps=(), lines=())
