"""What happens does not depend on how many commands let time pass."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hypothesis import given

from tests.app.scenes import LATER, START, make_twin
from tests.laws import examples
from tests.rules.retry_scenes import EXITS, SCRIPTS, STEPS, Step
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.instants import Instant
from twin.model.platforms import PLATFORMS
from twin.questions.catalogue import QUESTIONS


@contextmanager
def cluster(*, on: str = PLATFORMS[0]) -> Iterator[str]:
    """Build the estate in a new log, APP `on` a platform; yield the log's address."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'twin.db'}"
        with make_twin(url, lambda: LATER) as twin:
            for name in SCRIPTS:
                twin.crtmqm(name, platform=on if name == "APP" else PLATFORMS[0], at=START)
                twin.strmqm(name, at=START)
            for name, script in SCRIPTS.items():
                assert twin.runmqsc(name, script, at=START).exit_code == 0
            for queue in ("MAIL", "FREIGHT"):
                twin.open_queue("APP", queue, at=START)
        yield url


def live(url: str, branch: str, steps: Sequence[Step], *, cut: bool) -> dict[str, Any]:
    """Let steps happen on a new branch, and time pass in pieces or not; return what is told."""
    now = START
    with make_twin(url, lambda: LATER) as twin:
        twin.create_branch(branch, at=START)
    for step in steps:
        with Twin.open(url, clock=lambda: LATER, exits=EXITS[step.exit], branch=branch) as twin:
            for part in step.cuts if cut else ():
                pass_time(twin, now + int(part * step.lasts))
            now += step.lasts
            pass_time(twin, now)
            act(twin, step, now)
    with Twin.open(url, clock=lambda: LATER, branch=branch) as twin:
        return told(twin)


def pass_time(twin: Twin, upto: Instant) -> None:
    """Let time pass, as `twin advance` does."""
    twin.tick(upto)
    twin.pass_time(upto)


def act(twin: Twin, step: Step, now: Instant) -> None:
    """Perform the act of a step now, unless it cannot be done in this state."""
    running = twin.view(as_of=now)[0].qmgr(step.qmgr).running
    verb, _, queue = step.act.partition(" ")
    if verb in {"endmqm", "strmqm"}:
        if running == (verb == "endmqm"):
            getattr(twin, verb)(step.qmgr, at=now)
    elif running and verb == "put":
        twin.put(step.qmgr, queue, count=3, bind="notfixed", at=now)
    elif running:
        twin.runmqsc(step.qmgr, step.act, at=now)


def told(twin: Twin) -> dict[str, Any]:
    """Return the events of a branch and its answers, without ids, positions and pieces of time."""
    log = twin.log.events(branch=twin.branch)
    stored = [event for event in log if event.type != "TimePassed"]
    places = {event.position: place for place, event in enumerate(stored)}
    found: dict[str, Any] = {
        "events": [
            (event.occurred_at, event.type, event.qmgr, _placed(json.loads(event.body), places))
            for event in stored
        ]
    }
    for name in sorted(set(QUESTIONS) - {"changes"}):
        since: dict[str, Any] = {"since": START} if name == "passes" else {}
        try:
            answer = twin.ask(name, **since)
        except TwinError as error:
            found[name] = type(error).__name__
        else:
            found[name] = _placed(answer.as_json()["rows"], places)
    return found


def _placed(value: Any, places: Mapping[int, int]) -> Any:
    """Replace the positions in a value by the places of their events."""
    if isinstance(value, dict):
        return {
            key: places.get(each, each) if key in _POSITIONS else _placed(each, places)
            for key, each in value.items()
            if key != "evidence"
        }
    return [_placed(each, places) for each in value] if isinstance(value, list) else value


_POSITIONS: Final = ("put", "position")


@examples(cost=6)
@given(STEPS)
def test_a_log_that_was_advanced_in_pieces_equals_one_advanced_in_one_piece(
    steps: list[Step],
) -> None:
    """Events and answers are the same however often time was cut, with and without exits."""
    with cluster() as url:
        whole = live(url, "whole", steps, cut=False)
        pieces = live(url, "pieces", steps, cut=True)
        for name in whole:
            assert whole[name] == pieces[name], name
