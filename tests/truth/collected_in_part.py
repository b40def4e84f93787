"""A cluster that goes wrong and is collected in part: dumps or scripts, and answers to DISPLAY."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from tests.round_trip.written import COMMANDS
from tests.truth.faulty_clusters import Truth, go_wrong
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant

_DISPLAYS: Final = 0.7
_SCRIPTED: Final = 0.25


class Collection(NamedTuple):
    """What was collected once.

    Attributes:
        at: when.
        dumped, displayed: the queue managers with a dump, and with answers to DISPLAY.
    """

    at: Instant
    dumped: frozenset[str]
    displayed: frozenset[str]


def collect(truth: Truth, twin: Twin) -> list[Collection]:
    """Collect once to three times while the cluster goes wrong."""
    random = truth.random
    scripted = frozenset(name for name in truth.names if random.random() < _SCRIPTED)
    never = random.choice([*truth.names, ""])
    made = []
    for number in range(random.randrange(1, 4)):
        if number:
            truth.later(random.choice([HOUR, 3 * DAY, 28 * DAY]))
        if not number or random.random() < _SCRIPTED:
            go_wrong(truth)
        reached = [each for each in truth.names if each not in truth.unreached and each != never]
        displayed = [each for each in reached if random.random() < _DISPLAYS]
        twin.ingest_files(list(_files(truth, reached, scripted, displayed)), at=truth.now)
        made.append(Collection(truth.now, frozenset(reached) - scripted, frozenset(displayed)))
    return made


def _files(
    truth: Truth, reached: Iterable[str], scripted: frozenset[str], displayed: Iterable[str]
) -> Iterator[FileText]:
    """Write dumps or scripts, and answers to DISPLAY."""
    for name in reached:
        if name in scripted:
            yield FileText("\n".join([*truth.scripts[name], ""]), name)
        else:
            yield FileText("\n".join([*truth.twin.dmpmqcfg(name, as_of=truth.now), ""]))
        if name in displayed:
            lines = truth.twin.runmqsc(name, "\n".join(COMMANDS), as_of=truth.now).lines
            yield FileText("\n".join([*lines, ""]))
