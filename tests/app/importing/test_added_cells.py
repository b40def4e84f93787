"""A file that an older reader read in part is imported again: only what it dropped is recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from tests.app.importing.collected_cluster import dump
from tests.app.scenes import LATER, START, make_twin
from tests.laws import examples
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.events.catalogue import decode

MORE: Final = """DEFINE QLOCAL('EEL') +
*  ALTDATE(2025-11-02) +
*  ALTTIME(10.00.00) +
   CLUSTER('MILK') +
   DESCR('long') +
   MAXDEPTH(17) +
   REPLACE
DEFINE QLOCAL('ROE') +
   PUT(DISABLED) +
   REPLACE
"""
TEXT: Final = dump("FIR", "OAK", version="09030015").replace("*" * 79, MORE + "*" * 79, 3)
FILE: Final = FileText(TEXT.replace(MORE, "", 2), "FIR", file="FIR.mqsc")


def statements(twin: Twin) -> list[events.ObjectsObserved]:
    """Return the statements that a twin recorded."""
    stored = twin.log.events(types=["ObjectsObserved"])
    decoded = [decode(each.type, each.body) for each in stored]
    return [each for each in decoded if isinstance(each, events.ObjectsObserved)]


def answers(twin: Twin) -> Any:
    """Return what the twin shows and says of the queue manager."""
    session = twin.runmqsc("FIR", "DISPLAY QMGR ALL\nDISPLAY QUEUE(*) ALL\nDISPLAY CHANNEL(*) ALL")
    rows = {each: twin.ask(each).as_json()["rows"] for each in ("members", "lifetimes")}
    for each in (row for found in rows.values() for row in found):
        each.pop("evidence")
    return session.lines[1:], rows


@given(st.randoms(use_true_random=False))
@examples(cost=2)
def test_only_what_an_older_reader_dropped_is_recorded(random: Any) -> None:
    """The log then answers as if all had been read at once; nothing contradicts or repeats."""
    with TemporaryDirectory() as folder:
        urls = [f"sqlite:///{Path(folder) / name}.db" for name in ("old", "new")]
        with make_twin(urls[1], lambda: LATER) as twin:
            twin.ingest_files([FILE], at=START)
            whole, expected = statements(twin), answers(twin)
        dropped = 0
        older = []
        for each in whole:
            said = []
            for one in each.said:
                kept = {key: value for key, value in one.values.items() if random.random() < 0.6}
                dropped += kept != one.values
                said.append(replace(one, values=kept))
            version = each.version if random.random() < 0.5 else None
            dropped += version != each.version
            older.append(replace(each, said=tuple(said), version=version))
        with make_twin(urls[0], lambda: LATER) as twin:
            twin.record_observations(
                [Fact(each, "observation:dmpmqcfg") for each in older], at=START
            )
            twin.ingest_files([FILE], at=START)
            recorded = statements(twin)
            assert answers(twin) == expected
            rows = twin.ask("ingest").rows
            assert [row for row in rows if row["kind"] == "contradiction"] == []
            added = recorded[len(older) :]
            assert bool(added) is bool(dropped)
            assert all(each.complete is None for each in added)
            for before, now in ((one, new) for new in added for one in older):
                if before.kind == now.kind:
                    known = {one.name: one.values.keys() for one in before.said}
                    assert all(known[one.name].isdisjoint(one.values) for one in now.said)
            twin.ingest_files([FILE], at=START)
            assert statements(twin) == recorded
