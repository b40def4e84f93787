"""A log of the first version is read and gives its old answers."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.scenes import LATER, make_twin
from tests.app.stored_log import STORED, answers
from tests.editions.asking import as_before
from twin.log import NewEvent


def test_a_log_of_version_1_replays_to_the_same_answers(tmp_path: Path) -> None:
    """A log of version 1 has the same digests, and every question has its old answer.

    Only the default objects of an imported queue manager have no rows any more: nobody saw them.
    """
    *stored, pinned = [json.loads(line) for line in STORED.read_text("utf-8").splitlines()]
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER * 2) as twin:
        for event in stored:
            new = NewEvent(**{field: event[field] for field in NewEvent._fields})
            twin.log.append([new], recorded_at=event["recorded_at"])
        assert [event._asdict() for event in twin.log.events()] == stored
        assert str(twin.log.verify()) == pinned["head"]
        found = json.loads(json.dumps(answers(twin)))
        assert "QUEUE(S*) of OBS was never observed" in found[1].pop()[-1]
        assert pinned["answers"][1].pop()
        assert as_before(pinned["answers"], found) == pinned["answers"]
