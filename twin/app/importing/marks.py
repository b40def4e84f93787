"""The beginnings and ends of imports: what a log says of the files that were read into it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from pydantic_core import from_json

from twin import events
from twin.log import ImportState, Log, StoredEvent
from twin.model.instants import Instant

_MOST_KINDS: Final = 200
"""The most kinds of parts of one file that its end names; the others are one kind."""


class Marks(NamedTuple):
    """The events around the facts of an import, by the number of the file.

    Attributes:
        begin: the beginning of each file that has none yet, recorded with its first new fact.
        end: returns the end of a file for the number of facts that were recorded. All ends are
            recorded with the last piece.
        wanted: the files to record a beginning and an end of, even if there is no new fact.
        since: the instant before an earlier beginning without an end; everything after it is
            derived again, since the process that recorded it may have been killed before it was.
    """

    begin: Mapping[int, events.ImportBegun] = MappingProxyType({})
    end: Mapping[int, Callable[[int], events.ImportEnded]] = MappingProxyType({})
    wanted: frozenset[int] = frozenset()
    since: Instant | None = None


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One file of an import, as its end describes it.

    Attributes:
        name: its path as given.
        digest: the SHA-256 of its content, in hexadecimal.
        format: the name of its format.
        qmgrs: the queue managers that it is about.
        not_understood: (what, why) -> how many of its parts are not facts.
        passed_over: command -> how many of them there are from which no fact is taken.
    """

    name: str
    digest: str
    format: str
    qmgrs: tuple[str, ...] = ()
    not_understood: Mapping[tuple[str, str], int] = field(default_factory=dict)
    passed_over: Mapping[str, int] = field(default_factory=dict)


def marks_of(files: Sequence[ReadFile], log: Log, *, branch: str) -> Marks:
    """Return the marks of an import of files, by their numbers.

    If the log has an import of one of them without an end, everything since its beginning is
    derived again. Without new facts, a file is marked only if no import of its content has ended.
    """
    states = [log.import_of(file.digest) for file in files]
    since = unfinished_since(files, log, branch=branch)
    open_ = {
        number
        for number, state in enumerate(states)
        if since is not None and state is not None and state.ended is None
    }
    earlier = _recorded_earlier(files, log, branch=branch)
    return Marks(
        {number: _begin(file) for number, file in enumerate(files) if number not in open_},
        {number: partial(_end, file, earlier[number]) for number, file in enumerate(files)},
        frozenset(number for number, state in enumerate(states) if state is None or not state.done),
        since,
    )


def unfinished_since(files: Sequence[ReadFile], log: Log, *, branch: str) -> Instant | None:
    """Return the instant before the earliest beginning of these files that has no end."""
    instants = [begun for _, begun in _unfinished(files, log, branch=branch)]
    return min(instants) - 1 if instants else None


def _unfinished(
    files: Sequence[ReadFile], log: Log, *, branch: str
) -> list[tuple[ImportState, Instant]]:
    """Return the imports of these files that have no end, with the instants of their beginnings."""
    names, digests = {file.name for file in files}, {file.digest for file in files}
    return [
        (state, begun)
        for state, begun in log.unfinished_imports(branch=branch)
        if state.name in names or state.digest in digests
    ]


def _recorded_earlier(files: Sequence[ReadFile], log: Log, *, branch: str) -> list[int]:
    """Return for each file how many facts of it its imports without an end have recorded."""
    states = [state for state, _ in _unfinished(files, log, branch=branch)]
    if not states:
        return [0] * len(files)
    first = min(state.begun for state in states)
    counts = Counter(map(_file_of, log.events(after=first - 1, branch=branch)))
    return [
        sum(counts[name] for name in {state.name for state in states if _is_of(state, file)})
        for file in files
    ]


def _is_of(state: ImportState, file: ReadFile) -> bool:
    return state.name == file.name or state.digest == file.digest


def _file_of(stored: StoredEvent) -> str | None:
    """Return the file that an observation was read from; None if it names none."""
    if stored.cause is not None or not stored.source.startswith("observation:"):
        return None
    origin = from_json(stored.body).get("origin")
    return origin.get("file") if origin else None


def _begin(file: ReadFile) -> events.ImportBegun:
    return events.ImportBegun(qmgr="", digest=file.digest, name=file.name)


def _end(file: ReadFile, earlier: int, recorded: int) -> events.ImportEnded:
    kinds = Counter(file.not_understood).most_common()
    rest = sum(count for _, count in kinds[_MOST_KINDS:])
    listed = [(what, why, count) for (what, why), count in kinds[:_MOST_KINDS]]
    return events.ImportEnded(
        qmgr="",
        digest=file.digest,
        events=earlier + recorded,
        format=file.format,
        qmgrs=file.qmgrs,
        not_understood=(*listed, *([("", "others", rest)] if rest else [])),
        passed_over=_passed_over(file),
    )


def _passed_over(file: ReadFile) -> tuple[tuple[str, int], ...]:
    """Return the commands that were passed over, with their numbers; the rarest as one kind."""
    kinds = Counter(file.passed_over).most_common()
    rest = sum(count for _, count in kinds[_MOST_KINDS:])
    return (*kinds[:_MOST_KINDS], *([("others", rest)] if rest else []))
