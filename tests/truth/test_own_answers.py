"""What twin itself displays of an imported estate, imported again, changes nothing that follows."""

from __future__ import annotations

from random import Random

import pytest

from tests.app.test_laws import fresh
from tests.laws import seeds
from tests.round_trip.written import dump_text
from tests.truth.test_requests import built
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant

_DISPLAYED = "DISPLAY CLUSQMGR(*) ALL\nDISPLAY QCLUSTER(*) ALL\nDISPLAY TCLUSTER(*) ALL"


def _told(twin: Twin, names: list[str], at: Instant) -> list[object]:
    """Return who asked for what, who holds what, and where puts go."""
    asked = [
        (row["observer"], row["cluster"], row["name"], row["state"])
        for row in twin.ask("subscriptions", as_of=at).rows
    ]
    held = [
        (row["observer"], row["kind"], row["name"], row["owner"])
        for row in twin.ask("beliefs", as_of=at).rows
    ]
    puts = [
        (row["qmgr"], row["removed_by"])
        for name in names
        for queue in ("HAY", "STRAW", "HAY.TO", "STRAW.TO")
        for row in twin.ask("explain", on=name, queue=queue, as_of=at).rows
    ]
    return [sorted(asked), sorted(held), puts]


def _changed_ahead(twin: Twin, names: list[str], at: Instant) -> list[object]:
    """Return what is so 40 days later on a branch where all shared queues changed."""
    twin.create_branch("ahead", at=at)
    ahead = twin.on_branch("ahead")
    for name in names:
        for queue in ("HAY", "STRAW"):
            ahead.runmqsc(name, f"ALTER QLOCAL({queue}) DESCR('later')", at=at)
    told = _told(ahead, names, at + HOUR)
    ahead.pass_time(at + 40 * DAY)
    told += _told(ahead, names, at + 40 * DAY)
    shown = "DISPLAY QCLUSTER(*) DESCR PUT\nDISPLAY CLUSQMGR(*) QMTYPE SUSPEND DEFTYPE CONNAME"
    for name in names:
        lines = ahead.mqsc(name, as_of=at + 40 * DAY).run(shown).lines[1:]
        told.append([line for line in lines if not line.startswith("twin:")])
    return told


@pytest.mark.parametrize("seed", seeds(1, *range(2, 40)))
def test_its_own_answers_change_no_answer_about_the_future(seed: int) -> None:
    """Requests, records and puts are the same after DISPLAY of some or all queue managers."""
    random = Random(seed)
    box, _, names = built(random)
    files = [FileText(dump_text(box.estate, box.as_of, name)) for name in names]
    at = box.as_of.valid + HOUR
    with fresh(2) as twins:
        for twin in twins:
            twin.ingest_files(files, at=box.as_of.valid)
        displayed = [name for name in names if random.random() < 0.8]
        answers = [
            FileText("\n".join([*twins[0].mqsc(name, as_of=at).run(_DISPLAYED).lines, ""]))
            for name in displayed
        ]
        twins[1].ingest_files(answers, at=at)
        now = [_told(twin, names, at + HOUR) for twin in twins]
        assert now[0] == now[1]
        later = [_changed_ahead(twin, names, at + 2 * HOUR) for twin in twins]
        assert later[0] == later[1]
