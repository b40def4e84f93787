"""Turn files into statements to record: once each, and by reference if they say nothing new.

Bytes that are no text are not read, and the result says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from hashlib import sha256
from io import StringIO
from itertools import repeat
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from twin import events
from twin.app.acting import Fact
from twin.app.seen_again import beyond, shortened
from twin.events.catalogue import columns_of_all, decode
from twin.feeds.definitions import observe
from twin.feeds.detect import WHY_NOT, FileFormat, detect, detect_bytes, is_log, whole_records
from twin.feeds.observed import NotRecorded, Observed
from twin.feeds.observed_captures import CAPTURES, CapturesObserved, observe_captures
from twin.fold.replay import apply
from twin.fold.replay.one_instant import STATEMENTS, content_of, digest_of

if TYPE_CHECKING:
    from hashlib import _Hash

    from twin.fold.estate import Estate
    from twin.log import Log
    from twin.model.instants import AsOf, Instant

_Statement: TypeAlias = events.ObjectsObserved | events.BeliefsObserved

_STATES: Final = frozenset(
    columns_of_all(
        (
            *(events.ChannelObserved, events.ChannelsListed, events.DepthsObserved),
            *(events.QueueManagerStatusObserved, events.SuspensionObserved),
            *(events.ListenersObserved, events.TransmissionQueueObserved),
        )
    )
)
"""The type columns of the states in saved answers."""

__all__ = [
    "CapturesObserved",
    "NotRecorded",
    "Observed",
    "grows",
    "has_answers",
    "has_json_answers",
    "whole_part",
    "why_not_text",
]


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file to import.

    Attributes:
        text: the text; of saved answers that are read line by line, its beginning.
        qmgr: the queue manager that it belongs to; None if the file names it.
        otherwise: the queue manager that it belongs to if nothing else names one; '' for none.
        file: the path of the file as given, for the origin of the facts; None if it has none.
        zone: the zone of its local times; None if it is unknown, and they are taken as UTC.
        lines: opens the file and yields its lines with their ends; None if `text` is all of it.
        undated: whether nothing dates it.
    """

    text: str
    qmgr: str | None = None
    otherwise: str = ""
    file: str | None = None
    zone: tzinfo | None = None
    lines: Callable[[], Iterator[str]] | None = None
    undated: bool = False

    def read(self) -> Iterator[str]:
        """Yield the lines of the file."""
        return iter(StringIO(self.text)) if self.lines is None else self.lines()


class Observing:
    """The files of one import, while they are compared with the estate of their instant."""

    def __init__(self, log: Log, estate: Estate, point: AsOf, *, claimed: Instant | None) -> None:
        """Begin with the estate of a point; files are folded into it.

        `claimed` is the instant that the files were dated, if that is later.
        """
        self._claimed = claimed
        self._log = log
        self._known = point.position
        self._estate = estate
        self._at = point.valid
        self._last = {
            (name, kind): seen.position
            for name, qmgr in estate.qmgrs.items()
            for kind, seen in qmgr.confirmed.items()
        }
        stated = [_statement(column, body) for column, body in self._rows(point, STATEMENTS)]
        self._contents = set(map(digest_of, stated))
        self._stated = [each for each in stated if isinstance(each, events.ObjectsObserved)]
        self._states = {
            _without_origin(decode(column, body)) for column, body in self._rows(point, _STATES)
        }

    def _rows(self, point: AsOf, types: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the types and bodies of what was recorded for the instant."""
        rows = self._log.rows(
            branch=point.branch,
            valid=point.valid,
            since_valid=point.valid - 1,
            known=point.position,
            types=sorted(types),
        )
        for _, _, column, body in rows:
            yield column, body

    def take_all(self, files: Sequence[FileText]) -> tuple[list[Observed], list[Fact]]:
        """Compare files with what is known: first definitions, then answers to DISPLAY.

        Return the result of each file, and the facts to record: what the branch has not observed of
        the instant.
        """
        taken: dict[int, tuple[Observed, list[Fact]]] = {}
        for index in sorted(range(len(files)), key=lambda each: has_answers(files[each].text)):
            taken[index] = self._take(files[index])
        facts = [fact for _, of_file in taken.values() for fact in of_file]
        facts.sort(key=lambda fact: not isinstance(fact.event, events.StatedObservation))
        return [taken[index][0] for index in range(len(files))], facts

    def _take(self, file: FileText) -> tuple[Observed, list[Fact]]:
        observed = self._with_sound_dates(self._observed_in(file))
        facts = []
        for event in observed.events:
            content = digest_of(event)
            if content not in self._contents:
                self._contents.add(content)
                for new in self._beyond(event):
                    apply(self._estate, new, self._at, self._estate.position)
                    said = replace(self._referring(new), claimed=self._claimed)
                    facts.append(Fact(said, f"observation:{observed.format}"))
        counts = dict(observed.counts)
        states = list(self._new_states(observed))
        if isinstance(observed, CapturesObserved):
            counts["recorded"] = len(facts) + len(states)
        elif not facts:
            counts["recorded"] = 0  # what it says of the instant is recorded, and later changed
        facts += shortened(states, self._estate, self._log, known=self._known)
        appended = sum(len(fact.said) for fact in facts)
        return replace(observed, counts={**counts, "appended": appended}), facts

    def _beyond(self, event: _Statement) -> tuple[_Statement, ...]:
        """Return what to record of a statement: what an older reader of its file had dropped.

        That is all of it, unless the file was imported before.
        """
        if isinstance(event, events.BeliefsObserved):
            return (event,)
        subject = (event.qmgr, event.kind)
        added = beyond([each for each in self._stated if (each.qmgr, each.kind) == subject], event)
        return (event,) if added is None else added

    def _with_sound_dates(self, observed: Observed) -> Observed:
        """Leave out the dates of a file in which an object was altered after the file's instant.

        Its zone is wrong, so none of them can be trusted. If no zone was named, they stay: they are
        known to be uncertain.
        """
        at = self._claimed or self._at
        late = [
            (one, line)
            for event in observed.events
            if isinstance(event, events.ObjectsObserved)
            for one, line in zip(event.said, event.lines or repeat(1), strict=False)
            if one.altered is not None and one.altered > at
        ]
        if not late:
            return observed
        one, line = late[0]
        why = (
            "ALTDATE and ALTTIME are after the instant of this file: the zone is wrong, so no such "
            "date in it counts; name the right one with --tz"
        )
        problem = NotRecorded(line, f"{one.type} {one.name}".strip(), why, number=len(late))
        return replace(
            observed,
            events=tuple(map(_without_dates, observed.events)),
            not_understood=(*observed.not_understood, problem),
        )

    def _new_states(self, observed: Observed) -> Iterator[Fact]:
        """Yield the states that the branch has not observed of the instant."""
        for state in observed.states:
            content = _without_origin(state)
            if content not in self._states:
                self._states.add(content)
                yield Fact(replace(state, claimed=self._claimed), f"observation:{observed.format}")

    def _observed_in(self, file: FileText) -> Observed:
        observed = self._read(file, file.qmgr)
        if file.otherwise and observed.format.readable and not observed.qmgr:
            return self._read(file, file.otherwise)
        return observed

    def _read(self, file: FileText, qmgr: str | None) -> Observed:
        form = detect(file.text)
        if form in CAPTURES:
            content = sha256()
            observed = observe_captures(
                _digested(file.read(), content),
                form,
                qmgr=qmgr,
                estate=self._estate,
                zone=file.zone,
                file=file.file,
            )
            return replace(observed, digest=content.hexdigest())
        return observe(
            file.text,
            qmgr=qmgr,
            estate=self._estate,
            file=file.file,
            zone=file.zone,
            undated=file.undated,
        )

    def _referring(self, event: _Statement) -> _Statement:
        """Return a statement with a reference to the one before it, if that says the same."""
        position = self._last.get((event.qmgr, event.kind))
        if position is None:
            return event
        stored = self._log.whole(next(self._log.events(after=position - 1, limit=1)))
        earlier = _statement(stored.type, stored.body)
        if content_of(earlier) != content_of(event) or earlier.lines != event.lines:
            return event
        return replace(event, same_as=earlier.same_as or stored.event_id)


def _without_dates(event: _Statement) -> _Statement:
    """Return a statement without the dates of its objects, unless their zone is unknown anyway."""
    if isinstance(event, events.BeliefsObserved) or event.assumes_utc:
        return event
    return replace(event, said=tuple(replace(each, altered=None) for each in event.said))


def _digested(lines: Iterable[str], content: _Hash) -> Iterator[str]:
    """Yield lines, and add them to the digest of their file."""
    for line in lines:
        content.update(line.encode("utf-8", "surrogatepass"))
        yield line


def _without_origin(event: events.Event) -> str:
    """Return what an observation says, and not where."""
    assert isinstance(event, events.Observation)  # noqa: S101 - only those are asked for
    return repr(replace(event, origin=None, claimed=None))


def _statement(column: str, body: str) -> events.StatedObservation:
    return cast("events.StatedObservation", decode(column, body))


def has_answers(text: str) -> bool:
    """Return whether a text has saved answers to DISPLAY."""
    return detect(text) in CAPTURES


def has_json_answers(text: str) -> bool:
    """Return whether a text has saved answers of mqweb, which may be one long line."""
    return detect(text) is FileFormat.MQWEB_ANSWERS


def grows(text: str) -> bool:
    """Return whether a text is that of a log, which grows while it is used."""
    return is_log(detect(text))


def whole_part(text: str) -> str:
    """Return the whole records of a log that is still written; of other files, all."""
    return text[: whole_records(text, detect(text))]


def why_not_text(raw: bytes) -> str:
    """Say what bytes are that cannot be read as text; what is said follows the name of a file."""
    return WHY_NOT[detect_bytes(raw)]
