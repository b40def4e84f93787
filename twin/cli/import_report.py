"""What an import shows: each file, what of it was recorded, and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.cli.import_feeds import feed_rows
from twin.model.amounts import counted
from twin.model.instants import format_instant

if TYPE_CHECKING:
    from twin.app.dated_files import DatedFile
    from twin.app.importing.feeds import FeedRead
    from twin.app.observing import NotRecorded, Observed
    from twin.app.twin import Twin
    from twin.model.instants import Instant
    from twin.questions.answer import Answer, Row

_COUNTS: Final = ("commands", "taken", "passed over", "not understood", "recorded", "appended")
_NOT_TAKEN: Final = ("line", "became", "text", "why")
_PASSED_OVER: Final = "defines nothing that twin models"
_ALIKE: Final = 3
"""How many parts are shown that were not understood for the same reason."""

_NOT_YET_TAKEN: Final = "shows nothing that twin takes from answers yet"


class ImportedFile(NamedTuple):
    """One file that was imported, what it says, and when that was true."""

    path: str
    observed: Observed
    dated: DatedFile

    @property
    def is_read(self) -> bool:
        """Whether the file has any commands."""
        return bool(self.observed.counts["commands"])

    @property
    def is_useless(self) -> bool:
        """Whether nothing was taken of it, not even what was known."""
        return self.is_read and not self.observed.counts["taken"]


def import_answer(
    twin: Twin, imported: Sequence[ImportedFile], feeds: Sequence[FeedRead], now: Instant
) -> Answer:
    """Return the files and what of them was not taken, as rows."""
    from twin.questions.answer import Answer

    columns = ("file", "qmgr", "format", *map(_column, _COUNTS), *_NOT_TAKEN, "count", "at")
    rows: list[Row] = []
    for path, observed, file in imported:
        common: Row = {
            "file": path,
            "qmgr": observed.qmgr or None,
            "format": str(observed.format),
            **{_column(count): observed.counts.get(count, 0) for count in _COUNTS},
            "count": None,
            "at": format_instant(file.date.at),
        }
        nothing: Row = dict.fromkeys(_NOT_TAKEN)
        rows += [{**common, **row} for row in list(_not_taken(observed)) or [nothing]]
    rows += feed_rows(feeds, columns)
    instants = [file.dated.date.at for file in imported] + [each.end or 0 for each in feeds]
    latest = min(now, max(instants))
    return Answer("import", twin.as_of(valid=latest), columns, tuple(rows))


def _column(count: str) -> str:
    return count.replace(" ", "_")


def _not_taken(observed: Observed) -> Iterator[Row]:
    for each in observed.not_understood:
        yield _part(each.line, "not understood", each.text, each.why, each.number)
    for passed in observed.passed_over:
        text = f"{passed.command}({passed.name})" if passed.name else passed.command
        yield _part(passed.line, "passed over", text, _why_passed(observed), passed.number)


def _part(line: int, became: str, text: str, why: str, count: int) -> Row:
    """Return the row of a part that was not taken, or of several of a kind."""
    row: Row = dict(zip(_NOT_TAKEN, (line, became, text, why), strict=True))
    return {**row, "count": count} if count > 1 else row


def _why_passed(observed: Observed) -> str:
    from twin.app.observing import CapturesObserved

    return _NOT_YET_TAKEN if isinstance(observed, CapturesObserved) else _PASSED_OVER


def _notes(observed: Observed) -> Iterator[str]:
    from twin.app.observing import CapturesObserved

    if isinstance(observed, CapturesObserved):
        yield from observed.notes


def import_refusals(imported: Sequence[ImportedFile]) -> Iterator[str]:
    """Return one line for each file: why nothing of it was read."""
    yield from (f"{path} {_why_not_read(observed)}" for path, observed, _ in imported)


def line_of_nothing(file: ImportedFile) -> str:
    """Return why nothing was taken of a file that was read, in one line."""
    observed = file.observed
    why = dict.fromkeys(problem.why for problem in observed.not_understood)
    if observed.passed_over:
        why[_passed_over(observed)] = None
    return f"{file.path}: {observed.format}: nothing recorded: {'; '.join(why)}"


def import_lines(imported: Sequence[ImportedFile]) -> Iterator[str]:
    """Return lines about each file; of one that was not read, one line alone."""
    for file in imported:
        path, observed, counts = file.path, file.observed, file.observed.counts
        if not file.is_read:
            yield f"{path}: nothing read: {_why_not_read(observed)}"
            continue
        of = f" of {observed.qmgr}" if observed.qmgr else ""
        yield (
            f"{path}: {observed.format}{of}: {counted(counts['commands'], 'command')}, "
            f"{counts['taken']} taken, {counts['passed over']} passed over, "
            f"{counted(counts['recorded'], 'fact')} recorded"
            f"{_confirmations(counts)}"
        )
        yield from _problem_lines(path, observed.not_understood)
        if observed.passed_over:
            yield f"{path}: {_passed_over(observed)}"
        for note in _notes(observed):
            yield f"{path}: {note}"


def _passed_over(observed: Observed) -> str:
    """Return what was passed over; of answers, also how many objects they show."""
    from twin.app.observing import CapturesObserved

    tally: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for passed in observed.passed_over:
        tally[passed.command] += passed.number
        rows[passed.command] += passed.rows
    if isinstance(observed, CapturesObserved):
        shown = [f"{tally[each]} {each} ({counted(rows[each], 'row')})" for each in tally]
        return f"recognised, no fact taken: {', '.join(shown)}"
    shown = [f"{tally[each]} {each}" for each in tally]
    return f"passed over, because it {_PASSED_OVER}: {', '.join(shown)}"


def _confirmations(counts: Mapping[str, int]) -> str:
    """Return what was appended although it says nothing new: what is known, of another instant."""
    appended = counts.get("appended", 0)
    if counts["recorded"] or not appended:
        return ""
    confirm = "confirms" if appended == 1 else "confirm"
    return f"; {counted(appended, 'statement')} appended that {confirm} what is known"


def _why_not_read(observed: Observed) -> str:
    if observed.format.readable and not observed.qmgr:
        return "names no queue manager; name it with --qmgr QM"
    return "; ".join(dict.fromkeys(problem.why for problem in observed.not_understood))


def _problem_lines(path: str, problems: Sequence[NotRecorded]) -> Iterator[str]:
    """Yield a line for each problem; of many for one reason, the first ones and how many follow."""
    alike: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for problem in problems:
        alike[problem.why] += problem.number
        if problem.number > 1:
            continue
        shown[problem.why] += 1
        if shown[problem.why] <= _ALIKE:
            text = f": {problem.text}" if problem.text else ""
            yield f"{path}:{problem.line}: {problem.why}{text}"
    for why, number in alike.items():
        if number > _ALIKE:
            yield f"{path}: {number - _ALIKE} more: {why}"
