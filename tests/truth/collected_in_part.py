"""A cluster that goes wrong and is collected in part: dumps or scripts, answers, error logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final, NamedTuple

from tests.feeds.errorlog.error_logs import text
from tests.round_trip.written import COMMANDS
from tests.test_written_messages import said_of
from tests.truth.faulty_clusters import Truth, go_wrong
from twin.app.importing.feeds import FeedFile
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.feeds.detect import FileFormat
from twin.model.instants import DAY, HOUR, Instant, datetime_of
from twin.model.messages import Message
from twin.questions.answer import Row

CAPTURED: Final = (*COMMANDS, "DISPLAY QSTATUS(*) ALL")
"""What each queue manager is asked."""

_DISPLAYS: Final = 0.7
_SCRIPTED: Final = 0.25
_LOGGED: Final = 0.3
_UNDATED: Final = 0.1


class Collection(NamedTuple):
    """What was collected once.

    Attributes:
        at: when.
        dumped, displayed: the queue managers with a dump, and with answers to DISPLAY.
        files: definitions and answers.
        logs: error logs, by queue manager.
    """

    at: Instant
    dumped: frozenset[str]
    displayed: frozenset[str]
    files: tuple[FileText, ...]
    logs: tuple[tuple[str, str], ...] = ()


def collect(truth: Truth) -> list[Collection]:
    """Collect once to three times while the cluster goes wrong."""
    random, forms = truth.random, Random(truth.now)
    scripted = frozenset(name for name in truth.names if random.random() < _SCRIPTED)
    never = random.choice([*truth.names, ""])
    undated = frozenset(name for name in truth.names if forms.random() < _UNDATED)
    made: list[Collection] = []
    for number in range(random.randrange(1, 4)):
        if number:
            truth.later(random.choice([HOUR, 3 * DAY, 28 * DAY]))
        if not number or random.random() < _SCRIPTED:
            go_wrong(truth)
        reached = [each for each in truth.names if each not in truth.unreached and each != never]
        displayed = [each for each in reached if random.random() < _DISPLAYS]
        files = tuple(_files(truth, reached, scripted, undated, displayed))
        logs = tuple(_logs(truth, [each for each in reached if forms.random() < _LOGGED]))
        dumped = frozenset(reached) - scripted
        made.append(Collection(truth.now, dumped, frozenset(displayed), files, logs))
    return made


def take(
    collections: Iterable[Collection], twin: Twin, keep: Callable[[], bool] = lambda: True
) -> None:
    """Import what was collected, each collection at its instant; or the part that `keep` draws."""
    for each in collections:
        if kept := [file for file in each.files if keep()]:
            twin.ingest_files(kept, at=each.at)
        logs = [_feed(name, log) for name, log in each.logs if keep()]
        if logs:
            twin.ingest_feeds(logs)


def _feed(name: str, log: str) -> FeedFile:
    file = f"{name}/AMQERR01.LOG"
    return FeedFile(file, lambda: iter(log.splitlines(keepends=True)), FileFormat.ERROR_LOG, name)


def _files(
    truth: Truth,
    reached: Iterable[str],
    scripted: frozenset[str],
    undated: frozenset[str],
    displayed: Iterable[str],
) -> Iterator[FileText]:
    """Write dumps or scripts, and answers to DISPLAY; some dumps show no dates."""
    for name in reached:
        if name in scripted:
            yield FileText("\n".join([*truth.scripts[name], ""]), name)
        else:
            lines = truth.twin.dmpmqcfg(name, as_of=truth.now)
            if name in undated:
                lines = [each for each in lines if not each.startswith(_DATES)]
            yield FileText("\n".join([*lines, ""]))
        if name in displayed:
            lines = truth.twin.runmqsc(name, "\n".join(CAPTURED), as_of=truth.now).lines
            yield FileText("\n".join([*lines, ""]))


_DATES: Final = ("*  ALTDATE", "*  ALTTIME", "*  CRDATE", "*  CRTIME")


def logged(truth: Truth, names: Iterable[str]) -> list[FeedFile]:
    """Return the error logs of queue managers up to now as files to import."""
    return [_feed(name, log) for name, log in _logs(truth, names)]


def _logs(truth: Truth, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Write the error logs of queue managers up to now."""
    rows = truth.twin.ask("errorlog", as_of=truth.now).rows
    for name in names:
        written = [_record(row) for row in rows if row["on"] == name]
        if written:
            yield name, "".join(written)


def _record(row: Row) -> str:
    """Write a record; what is about one channel is written by one process."""
    values: Any = row
    said = said_of(Message(values["id"], *values["inserts"]))
    process = f"4711.{sum(map(ord, ''.join(values['inserts'][:1])))}"
    at = datetime_of(values["at"])
    return text(replace(said, moment=at, qmgr=values["on"], process=process))
