"""What is said beside an answer: the log begins later, or other rules derived facts of it.

An answer about an instant before the log begins would look like that of an estate with nothing in
it. A fact may have been derived, or derived again, by another version of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from twin.fold.estate import NoSuchQueueManager
from twin.log import Log
from twin.log.records import DerivedAgain
from twin.model.instants import MAIN, AsOf, Instant, format_instant
from twin.questions.answer import OtherRules
from twin.rules import version


class BeforeLog(NoSuchQueueManager, message="{}"):
    """A queue manager of which nothing is known, because the log begins after the instant."""


def beginning_of(log: Log, point: AsOf) -> tuple[str, ...]:
    """Return a line about the beginning of the log if a point lies before it; else none.

    A log without any event has no such line.
    """
    begins = log.begins_at(branch=point.branch, known=point.position)
    if begins is None:
        if not log.head(point.branch).position:
            return ()
        return (f"nothing had been recorded by {format_instant(point.known)}",)
    if begins <= point.valid:
        return ()
    valid = format_instant(point.valid)
    return (f"the log begins at {format_instant(begins)}: nothing is known of {valid}",)


@contextmanager
def not_before(log: Log, point: AsOf) -> Iterator[None]:
    """Say that the log begins later, in place of that a queue manager does not exist at a point.

    Raises:
        BeforeLog: if a queue manager is not found, and the point lies before the log.
    """
    try:
        yield
    except NoSuchQueueManager as error:
        if lines := beginning_of(log, point):
            raise BeforeLog(lines[0]) from error
        raise


def notes_of(log: Log, point: AsOf) -> tuple[str, ...]:
    """Say which older versions of the rules derived the facts of a point.

    One line is about those that count. Each other line names a version that derived facts of other
    versions again.
    """
    sources = log.sources_of_derived(point.position)
    if not _older_among(sources) and len(sources) < 2:  # noqa: PLR2004 - one derives nothing again
        return ()
    older = older_of(log, point)
    again = tuple(
        f"what followed {format_instant(each.occurred_at)} was derived again by version "
        f"{version.version_of(each.source)} of the rules"
        for each in sorted(_again(log, point), key=lambda each: each.source)
    )
    if not older:
        return again
    cure = "twin log rederive derives it again" if point.branch == MAIN else "as it was at its fork"
    return (f"derived under rules {' and '.join(map(str, older))}; {cure}", *again)


def older_of(log: Log, point: AsOf) -> list[int]:
    """Return the older versions of the rules under which visible facts were derived."""
    found = log.derived_by(branch=point.branch, valid=point.valid, known=point.position)
    return _older_among(found)


def _older_among(sources: Iterable[str]) -> list[int]:
    versions = filter(None, map(version.version_of, sources))
    return [each for each in versions if each < version.RULES_VERSION]


def other_rules(log: Log, point: AsOf, *, since: Instant) -> list[OtherRules]:
    """Return the versions of the rules that derived facts again after an instant of a span.

    The span begins at `since`, and ends at the point.
    """
    return [
        OtherRules(each.occurred_at, each.position, each.source, *_versions(each))
        for each in _again(log, point)
        if since <= each.occurred_at < point.valid
    ]


def _versions(again: DerivedAgain) -> tuple[str, str]:
    before, after = map(version.version_of, (again.before, again.source))
    return f"{before}", f"{after}"


def _again(log: Log, point: AsOf) -> list[DerivedAgain]:
    """Return where facts were derived again by another version."""
    return log.derived_again(branch=point.branch, valid=point.valid, known=point.position)
