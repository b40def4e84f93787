"""An older dump of an owner takes nothing away from what others were seen to hold of it."""

from __future__ import annotations

from random import Random

import pytest

from tests.app.test_laws import fresh
from tests.laws import seeds
from tests.round_trip.written import dump_text, session_text
from tests.truth.test_requests import built
from twin.app.observing import FileText
from twin.fold.estate import Estate
from twin.model.instants import DAY, HOUR

_HELD = "DISPLAY QCLUSTER(*) PUT DESCR ALTDATE\nDISPLAY CLUSQMGR(*) CONNAME ALTDATE"


def _wrong(estate: Estate, truth: Estate, names: list[str]) -> list[object]:
    """Return what queue managers hold of others otherwise than in truth: PUT, DESCR, CONNAME."""
    return [
        (name, key, owner, field)
        for name in names
        for key, owners in truth.qmgrs[name].repository.beliefs.items()
        for owner, held in owners.items()
        for belief in [estate.qmgrs[name].repository.instances(*key).get(owner)]
        if belief is not None and owner != truth.qmgrs[name].qmid
        for field in ("PUT", "DESCR", "CONNAME")
        if (belief.values.get(field) or "") != (held.values.get(field) or "")
    ]


@pytest.mark.parametrize("seed", seeds(3, *range(1, 3), *range(4, 30)))
def test_a_stale_dump_of_an_owner_leaves_what_was_seen_of_it(seed: int) -> None:
    """Records say what a capture showed, in any order of imports, also 40 days ahead."""
    random = Random(seed)
    box, scripts, names = built(random)
    stale = {name: dump_text(box.estate, box.as_of, name) for name in names}
    dumped = box.as_of.valid
    box.pass_time(random.randrange(2, 20) * DAY)
    altered = [name for name in names if random.random() < 0.6]
    for name in altered:
        address = f"CONNAME('moved.{name}(1414)')"
        box.run(name, f"ALTER CHANNEL(WOOD.{name}) CHLTYPE(CLUSRCVR) {address}")
        for queue in ("HAY", "STRAW"):
            if any(f"QLOCAL({queue})" in each for each in scripts[name]):
                box.run(name, f"ALTER QLOCAL({queue}) PUT(DISABLED) DESCR('new')")
    box.pass_time(DAY)
    seen = box.as_of.valid
    shown = [name for name in names if random.random() < 0.7] or names[:1]
    files = [(dumped, FileText(text)) for name, text in stale.items() if random.random() < 0.8]
    files += [(seen, FileText(session_text(box.estate, box.as_of, name))) for name in shown]
    random.shuffle(files)
    with fresh(1) as (imported,):
        for at, file in files:
            imported.ingest_files([file], at=at)
        now = imported.rehearse(as_of=seen + HOUR)
        assert _wrong(now.estate, box.estate, shown) == []
        now.advance(seen + 40 * DAY)
        assert _wrong(now.estate, box.estate, shown) == []
