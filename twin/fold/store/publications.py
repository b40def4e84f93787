"""The publications of a queue manager as two pages: the instants, and the published records.

A renewal changes only the first page, which is small. Records and contents that several
publications share are written once. Raise `pages.VERSION` whenever the written form changes.
"""

from __future__ import annotations

from operator import is_
from typing import Any, Final

from pydantic_core import from_json, to_json

from twin.events import RecordPublished
from twin.fold.beliefs import Contents, Publication
from twin.fold.estate import QueueManager
from twin.fold.store.lazy_records import tupled

CONTENTS: Final = "contents"
"""The name of the page with the records that a queue manager published."""


def write_published(qmgr: QueueManager) -> bytes:
    """Write the publications of a queue manager: instants, and indexes into all contents."""
    place = {id(contents): number for number, contents in enumerate(contents_of(qmgr))}
    rows = [
        (*publication[:3], place[id(publication.records)], *publication[4:])
        for publication in qmgr.published.values()
    ]
    return to_json({"publications": rows})


def write_contents(qmgr: QueueManager) -> bytes:
    """Write the published records: every record once, then each content as indexes of records."""
    place: dict[int, int] = {}
    records: list[tuple[Any, ...]] = []
    all_contents = contents_of(qmgr)
    for contents in all_contents:
        for record in contents.values():
            if id(record) not in place:
                place[id(record)] = len(records)
                records.append((record.kind, record.name, record.values, record.deleted))
    places = [[place[id(record)] for record in contents.values()] for contents in all_contents]
    return to_json([records, places])


def contents_of(qmgr: QueueManager) -> list[Contents]:
    """Return the distinct contents of the publications of a queue manager."""
    return list({id(each.records): each.records for each in qmgr.published.values()}.values())


def contents_changed(qmgr: QueueManager) -> bool:
    """Return whether the contents differ from those that were written last."""
    now, written = contents_of(qmgr), qmgr.contents
    return len(now) != len(written) or not all(map(is_, now, written))


def read_published(stored: Any, qmgr: QueueManager) -> dict[int, Publication]:
    """Read the publications of a queue manager, and note their contents as written."""
    rows, places = from_json(stored[CONTENTS])
    records = [
        RecordPublished(kind=kind, name=name, values=tupled(values), deleted=deleted)
        for kind, name, values, deleted in rows
    ]
    qmgr.contents = [
        {(each.kind, each.name): each for each in map(records.__getitem__, which)}
        for which in places
    ]
    return {
        sequence: Publication(cluster, sequence, instant, qmgr.contents[which], position, rank)
        for cluster, sequence, instant, which, position, rank in stored["publications"]
    }
