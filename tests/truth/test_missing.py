"""What `missing` asks for settles what it says, and it asks for nothing that settles nothing."""

from __future__ import annotations

import pytest

from tests.app.test_laws import fresh
from tests.laws import seeds
from tests.truth.collected_in_part import collect, logged, take
from tests.truth.faulty_clusters import Truth, cluster_of
from twin.app.importing.feeds import FeedFile
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.cli.collecting import script
from twin.feeds.detect import FileFormat
from twin.model.basis import Source, Unknown
from twin.model.instants import DAY, Instant
from twin.questions.answer import Answer

_MOST = 99
"""The most sources that an estate of a few queue managers can be asked for."""

Wanted = tuple[str, Source]
"""A queue manager, and what is to be collected of it."""

_INI = "Channels:\n   MaxChannels=200\n   AdoptNewMCA=ALL\n"
_ASKED = ("channels", "transmission", "heartbeats", "capacity")


def _wanted(twin: Twin, at: Instant) -> list[Wanted]:
    rows = twin.ask("missing", as_of=at).rows
    return [(str(row["on"]), Source(str(row["source"]))) for row in rows]


def _unknown(twin: Twin, at: Instant) -> list[Unknown]:
    answers: list[Answer] = [twin.ask(question, as_of=at) for question in _ASKED]
    return [each for answer in answers for row in answer.unknowns() for each in row.values()]


def _take(truth: Truth, twin: Twin, name: str, source: Source) -> None:
    """Collect at the real queue manager what is asked for, and import it."""
    if source is Source.LOG:
        for log in logged(truth, [name]):
            twin.ingest_feeds([log])
    elif source is Source.CONFIGURATION:
        file = f"{name}/qm.ini"
        lines = _INI.splitlines(keepends=True)
        form = FileFormat.INI
        twin.ingest_feeds([FeedFile(file, lambda: iter(lines), form, name, at=truth.now)])
    elif source is Source.DUMP:
        dump = truth.twin.dmpmqcfg(name, as_of=truth.now)
        twin.ingest_files([FileText("\n".join([*dump, ""]))], at=truth.now)
    else:
        shown = truth.twin.runmqsc(name, str(source), as_of=truth.now).lines
        twin.ingest_files([FileText("\n".join([*shown, ""]))], at=truth.now)


@pytest.mark.parametrize("seed", seeds(1, *range(2, 20)))
def test_what_is_missing_settles_what_it_names(seed: int) -> None:
    """Each source that is asked for is asked for no more once it was imported.

    No unknown value names a source that is not asked for, and in the end none is left that names
    one. So it is for what was never seen, and a week later for what has become old.
    """
    with fresh(2) as (simulated, imported):
        truth = cluster_of(simulated, seed)
        take(collect(truth), imported)
        truth.later(7 * DAY)
        down = {name for name in truth.names if name in truth.unreached}
        wanted = _wanted(imported, truth.now)
        for _ in range(_MOST):
            if not (left := [each for each in wanted if each[0] not in down]):
                break
            _take(truth, imported, *left[0])
            wanted = _wanted(imported, truth.now)
            assert left[0] not in wanted
        assert {name for name, _ in wanted} <= down
        open_ = [each for each in _unknown(imported, truth.now) if each.source]
        assert {each.on for each in open_} <= down


def test_all_that_is_asked_for_is_in_the_script_that_collects() -> None:
    """`twin collect-script` fetches every source that `missing` may ask for."""
    text = script("unix")
    for source in Source:
        assert source.value.replace("-a", "-m").removesuffix("01.LOG") in text, source
