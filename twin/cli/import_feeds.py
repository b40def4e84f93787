"""The import of feeds whose records have instants of their own: logs, events, scrapes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.cli.files import STANDARD_INPUT, lines_of, name_of
from twin.cli.source_files import LONGEST, SourceFile, beginning_of, manifest_of, modified_at
from twin.cli.target import instant
from twin.model.amounts import counted
from twin.model.instants import Instant, format_instant
from twin.model.names import legal_name

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from twin.app.importing.feeds import FeedFile, FeedRead
    from twin.app.twin import Twin
    from twin.questions.answer import Row

_QMGR: Final = re.compile(r"\bQMgr\(([^)\s]{1,48})\)")
_ERRORS: Final = "errors"
_INI: Final = "qm.ini"
_ORDERS: Final = {"dmy": "day/month", "mdy": "month/day"}
_SHOWN: Final = 20
"""How many kinds of what was not understood are shown in text."""


def divide(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Divide files into feeds, and those that are read as a whole, by their beginnings.

    What cannot be opened counts as the latter.
    """
    feeds = [path for path in paths if is_feed(beginning_of(path))]
    return feeds, [path for path in paths if path not in set(feeds)]


MODIFIED: Final = "mtime"
"""The value of --at that means the last modification of each file."""


class ImportOptions(NamedTuple):
    """How the files of an import are read.

    Attributes:
        qmgr: the queue manager that they belong to, unless they name another one.
        zone: the zone of their local times.
        order: the order of day and month in ambiguous dates.
        at: when they were true, `MODIFIED`, or None; also the time of records that have none.
        by_name: whether the name of a file may name its queue manager.
        together: whether files that were collected within minutes share one instant.
    """

    qmgr: str | None
    zone: ZoneInfo | None
    order: str | None
    at: str | None = MODIFIED
    by_name: bool = True
    together: bool = True

    def given(self, twin: Twin) -> Instant | None:
        """Return the instant that is given for all files."""
        return None if self.at in {None, MODIFIED} else instant(twin, self.at)


def feed_files(
    twin: Twin, paths: Iterable[str], read_already: Iterable[SourceFile], options: ImportOptions
) -> list[FeedFile]:
    """Return the feeds to import: from paths, and from what was read already."""
    from twin.app.dated_files import DatedBy, FileToDate, dates_of
    from twin.app.importing.feeds import DateOrder, FeedFile, FileFormat, feed_format

    now, zones, given = twin.now(), twin.zones(), options.given(twin)
    dates = None if options.order is None else DateOrder(options.order)
    files, beside = [], cache(_named_in_folder)
    opened = [
        (path, partial(lines_of, path, longest=LONGEST), beginning_of(path)) for path in paths
    ]
    opened += [(source.path, partial(_lines, source.text), source.text) for source in read_already]
    for path, lines, beginning in opened:
        form = feed_format(beginning)
        assert form is not None  # noqa: S101 - `divide` has found it
        manifest = manifest_of(path)
        name = options.qmgr or _folder_of(path, collected=manifest is not None)
        if not name and path != STANDARD_INPUT and form is not FileFormat.CHANNEL_TABLE:
            name = beside(str(Path(path).parent))
        kept = {zones.get(each) for each in _QMGR.findall(beginning) or [name]}
        in_zone = options.zone or (manifest.zone if manifest else None)
        in_zone = in_zone or (_zone(kept.pop()) if len(kept) == 1 else None)
        changed = modified_at(path) if options.at == MODIFIED else None
        described = FileToDate(path, name, modified=changed, manifest=manifest, zone=in_zone)
        (date,) = dates_of([described], now=now, given=given)
        files.append(
            FeedFile(
                name_of(path),
                lines,
                form,
                name,
                None if path == STANDARD_INPUT else path,
                in_zone,
                dates,
                date.at if form is FileFormat.INI or date.by is not DatedBy.NOW else None,
            )
        )
    return files


def is_feed(text: str) -> bool:
    """Return whether a text, or the beginning of one, is a feed."""
    from twin.app.importing.feeds import feed_format

    return feed_format(text) is not None


def _lines(text: str) -> Iterator[str]:
    return (f"{line}\n" for line in text.split("\n"))


def _zone(name: str | None) -> ZoneInfo | None:
    from zoneinfo import ZoneInfo

    return None if name is None else ZoneInfo(name)


def _folder_of(path: str, *, collected: bool) -> str:
    """Return the queue manager whose folder a file is in: ``qmgrs/NAME/errors/AMQERR01.LOG``.

    Its qm.ini is in ``qmgrs/NAME``, or its name begins with that of the queue manager:
    ``NAME.qm.ini``. Names of folders have `!` for a full stop and `&` for a slash. In a folder of
    collect-script, a file is in a folder with the name of its queue manager, with `&` for a slash.
    """
    *parents, file = Path(path).parts
    if collected and parents and legal_name(name := parents[-1].replace("&", "/")):
        return name
    if file.endswith(_INI) and (stem := file.removesuffix(_INI).rstrip("._-")):
        return stem if legal_name(stem) else ""
    if file == _INI and parents[-2:-1] == ["qmgrs"]:
        parents.append(_ERRORS)
    if len(parents) > 1 and parents[-1] == _ERRORS:
        name = parents[-2].replace("!", ".").replace("&", "/")
        return name if legal_name(name) else ""
    return ""


def _named_in_folder(folder: str) -> str:
    """Return the only queue manager that the dumps, answers and logs of a folder name; else ''."""
    from twin.app.dated_files import named_in

    found: set[str] = set()
    for each in sorted(Path(folder).iterdir()):
        text = beginning_of(str(each)) if each.is_file() else ""
        found |= {*_QMGR.findall(text), *named_in(text)}
    return found.pop() if len(found) == 1 and legal_name(*found) else ""


def line_of_ahead(name: str, ahead: Mapping[str, int]) -> str:
    """Return the line about records of queue managers that are after the present."""
    count, qmgrs = sum(ahead.values()), sorted(ahead)
    were = "record after the present was" if count == 1 else "records after the present were"
    of = ", ".join(qmgrs) if len(qmgrs) <= _SHOWN else f"{len(qmgrs)} queue managers"
    return f"{name}: {count} {were} passed over: the clock or the zone of {of} is wrong (--tz)"


def feed_lines(read: Sequence[FeedRead]) -> Iterator[str]:
    """Return lines about each feed."""
    from twin.app.importing.feeds import FileFormat

    for each in read:
        passed = ", ".join(starmap(_counted, each.passed_over.most_common()))
        if not each.facts:
            yield f"{each.name}: {each.format}: recognised, no fact taken{passed and f': {passed}'}"
        else:
            of = f" of {', '.join(each.qmgrs)}" if len(each.qmgrs) < _SHOWN else ""
            begin, end = format_instant(each.begin or 0), format_instant(each.end or 0)
            yield (
                f"{each.name}: {each.format}{of}: {counted(each.facts, 'fact')} from {begin} to "
                f"{end}, {each.recorded} recorded"
            )
            if passed:
                yield f"{each.name}: passed over: {passed}"
            if each.format == FileFormat.INI and manifest_of(each.name) is None:
                yield f"{each.name}: has no instant of its own, so it is true as of its import"
        if each.ahead:
            yield line_of_ahead(each.name, each.ahead)
        if each.order is not None:
            yield f"{each.name}: its dates are {_ORDERS[each.order]}: no other order fits them all"
        for (what, why), count in each.not_understood.most_common(_SHOWN):
            line = each.first[what, why]
            shown = f"{what} {why}" if what else why
            yield f"{each.name}:{line}: {count} not understood: {shown}{_hint(why)}"
        if (rest := len(each.not_understood) - _SHOWN) > 0:
            yield f"{each.name}: {rest} more kinds not understood; twin ask ingest lists them"


def _hint(why: str) -> str:
    """Return which option gives what a record lacks; '' if none does."""
    from twin.app.importing.feeds import NO_INSTANT, TWO_ORDERS

    if why == NO_INSTANT:
        return "; give --tz ZONE"
    return "; give --dates dmy or --dates mdy" if why == TWO_ORDERS else ""


_MANY: Final = {
    "line of another program": "lines of another program",
    "Liberty message": "Liberty messages",
    "container message": "container messages",
    "client channel": "client channels",
    "before change": "before changes",
}
"""Kinds of what is passed over that are words of ours -> the words for many."""


def _counted(what: str, count: int) -> str:
    """Write how many parts of a kind there are; a kind may be a keyword or name, or some words."""
    return f"{count} {what if count == 1 else _MANY.get(what, what)}"


def feed_rows(read: Sequence[FeedRead], columns: Sequence[str]) -> Iterator[Row]:
    """Return rows about each feed: one for each kind of what was not understood, or one alone."""
    for each in read:
        common: Row = dict.fromkeys(columns)
        passed_over = each.passed_over.total() + each.ahead.total()
        common |= {
            "file": each.name,
            "qmgr": ", ".join(each.qmgrs) or None,
            "format": each.format,
            "commands": each.facts + passed_over + each.not_understood.total(),
            "taken": each.facts,
            "passed_over": passed_over,
            "not_understood": each.not_understood.total(),
            "recorded": each.recorded,
            "appended": each.recorded,
            "at": None if each.begin is None else format_instant(each.begin),
        }
        for (what, why), count in each.not_understood.items():
            line = each.first[what, why]
            problem: Row = {"line": line, "became": "not understood", "text": what, "why": why}
            yield {**common, **problem, "count": count}
        if not each.not_understood:
            yield common
