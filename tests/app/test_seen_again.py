"""Laws of captures that repeat: what is shortened in the log changes no answer."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from tests.app.scenes import LATER, START, make_twin, picture
from tests.app.test_laws import brute_force, fresh
from tests.laws import seeds
from tests.truth.collected_in_part import CAPTURED
from tests.truth.faulty_clusters import Truth, cluster_of, go_wrong
from twin.app import observing
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.fold.estate import Estate
from twin.log import LogDamaged, NewEvent, StoredEvent
from twin.model.instants import DAY, HOUR, MINUTE, Instant
from twin.questions.catalogue import QUESTIONS

_POSITIONS: Final = frozenset({"evidence", "position", "positions", "event"})
"""The keys of rows that say where something is in the log."""


_REFERENCE: Final = re.compile('"same_as":"[^"]*",')


class Collected(NamedTuple):
    """What was collected once."""

    at: Instant
    files: tuple[FileText, ...]


@contextmanager
def nothing_shortened() -> Iterator[None]:
    """Let imports write each row that is said again as an event of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observing, "shortened", lambda facts, *_, **__: list(facts))
        yield


PAUSES: Final = (5 * MINUTE, 5 * MINUTE, 5 * MINUTE, HOUR, 2 * DAY)


def series(
    truth: Truth, random: Random, times: int, pauses: Sequence[int] = PAUSES
) -> list[Collected]:
    """Collect again and again: definitions sometimes, answers each time; little changes."""
    made = []
    for number in range(times):
        if number:
            truth.later(random.choice(pauses))
        if random.random() < 0.15:
            go_wrong(truth)
        made.append(Collected(truth.now, tuple(_files(truth, random, number))))
    return made


def _files(truth: Truth, random: Random, number: int) -> Iterator[FileText]:
    for name in truth.names:
        if name in truth.unreached or random.random() < 0.1:
            continue
        if not number or random.random() < 0.1:
            lines = truth.twin.dmpmqcfg(name, as_of=truth.now)
            yield FileText("\n".join([*lines, ""]), file=f"{number}/{name}.dump")
        commands = CAPTURED if random.random() < 0.7 else random.sample(CAPTURED, 3)
        lines = truth.twin.runmqsc(name, "\n".join(commands), as_of=truth.now).lines
        yield FileText("\n".join([*lines, ""]), file=f"{number}/{name}.txt")


def take(twin: Twin, collected: Sequence[Collected], random: Random | None = None) -> None:
    """Import what was collected: each collection in one go, or in pieces and any order."""
    for each in collected:
        if random is None:
            twin.ingest_files(each.files, at=each.at, marked=True)
            continue
        for files in _in_pieces(random.sample(each.files, len(each.files))):
            twin.ingest_files(files, at=each.at, marked=True)


def _in_pieces(files: Sequence[FileText]) -> Iterator[Sequence[FileText]]:
    return (files[start : start + 3] for start in range(0, len(files), 3))


def _without_positions(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_positions(each) for each in value]
    if isinstance(value, dict):
        kept = {key: value[key] for key in value.keys() - _POSITIONS}
        return {key: _without_positions(each) for key, each in kept.items()}
    return value


def told(twin: Twin, at: Instant, asked: Sequence[tuple[str, dict[str, str]]]) -> dict[str, Any]:
    """Return what questions answer at an instant, without positions of the log."""
    found: dict[str, Any] = {}
    for question, given in asked:
        try:
            rows = twin.ask(question, given, as_of=at).as_json()["rows"]
            answer = sorted(json.dumps(_without_positions(row), sort_keys=True) for row in rows)
        except TwinError as problem:
            answer = [f"{type(problem).__name__} {problem}"]
        found[f"{question} {given}"] = answer
    return found


def everything(truth: Truth, random: Random) -> list[tuple[str, dict[str, str]]]:
    """Return every question, with some filters for those that need them."""
    queues = sorted({queue for _, queue in truth.shared()})
    asked: list[tuple[str, dict[str, str]]] = []
    for name in QUESTIONS:
        if name in ("explain", "browse"):
            asked += [(name, {"on": on, "queue": random.choice(queues)}) for on in truth.names]
        elif name in ("changes", "passes"):
            asked.append((name, {"since": "2000-01-01"}))
        else:
            asked.append((name, {}))
    return asked


def demand_alike(one: Twin, other: Twin, truth: Truth, at: Sequence[Instant], seed: int) -> None:
    """Compare all answers of two twins at some instants, on main and on a branch."""
    asked = everything(truth, Random(seed))
    for instant in at:
        assert told(one, instant, asked) == told(other, instant, asked)
    last, branches = max(at), []
    for each in (one, other):
        name = f"ahead{len(each.log.branches())}"
        each.create_branch(name, at=at[0])
        branches.append(each.on_branch(name))
        branches[-1].pass_time(last + 3 * DAY)
    for instant in (last, last + 3 * DAY):
        assert told(branches[0], instant, asked) == told(branches[1], instant, asked)


def demand_folded_alike(twin: Twin) -> None:
    """Demand that the estate that imports left is the one that the log gives."""
    head = twin.log.head()
    kept = twin._recorded.of(head).estate
    read = brute_force(twin, valid=head.occurred_at or 0, known=head.position)
    assert _noted(kept) == _noted(read)


def _noted(estate: Estate) -> dict[str, Any]:
    seen = {name: qmgr.activity.seen for name, qmgr in estate.qmgrs.items()}
    return {"known": picture(estate), "seen": seen, "before": estate.seen_before}


def rows_of(twin: Twin) -> Counter[tuple[Instant, str, str]]:
    """Return what the log says, whatever its positions and ids."""
    rows = twin.log.rows(branch=twin.branch)
    return Counter((at, column, _REFERENCE.sub("", body)) for at, _, column, body in rows)


def _check(seed: int, times: int, instants: int) -> None:
    random = Random(-seed)
    with fresh(5) as (simulated, plain, short, plain_shuffled, shuffled):
        truth = cluster_of(simulated, seed)
        collected = series(truth, random, times)
        with nothing_shortened():
            take(plain, collected)
        for each in collected:
            take(short, [each])
            demand_folded_alike(short)
        assert rows_of(short) == rows_of(plain)
        assert short.log.last().position < plain.log.last().position
        begin, end = collected[0].at, collected[-1].at
        at = [random.randrange(begin, end + DAY) for _ in range(instants)]
        demand_alike(plain, short, truth, [*at, end], seed)
        order = [*random.sample(collected, len(collected)), random.choice(collected)]
        with nothing_shortened():
            take(plain_shuffled, order, Random(seed))
        take(shuffled, order, Random(seed))
        assert rows_of(shuffled) == rows_of(plain_shuffled)
        demand_alike(plain_shuffled, shuffled, truth, at[:1], seed)
        for twin in (short, shuffled):
            twin.log.verify()


@pytest.mark.parametrize("seed", seeds(1, *range(2, 9)))
def test_what_is_said_again_is_answered_like_what_is_said(seed: int) -> None:
    """With and without the shortening all questions answer alike, in any order of imports."""
    _check(seed, times=5, instants=1)


@pytest.mark.more
def test_a_month_of_captures_is_answered_alike() -> None:
    """Captures of thirty days answer alike at a hundred instants, shortened or not."""
    random = Random(30)
    with fresh(3) as (simulated, plain, short):
        truth = cluster_of(simulated, 30)
        collected = series(truth, random, 60, pauses=(6 * HOUR, 12 * HOUR, DAY))
        with nothing_shortened():
            take(plain, collected)
        take(short, collected)
        assert rows_of(short) == rows_of(plain)
        begin, end = collected[0].at, collected[-1].at
        at = [random.randrange(begin, end + DAY) for _ in range(100)]
        demand_alike(plain, short, truth, at, 30)


CHANNEL: Final = """AMQ8417I: Display Channel Status details.
   CHANNEL(LAKE.P{number:02})                CHLTYPE(CLUSSDR)
   CONNAME(10.0.0.{number}(1414))          CURRENT
   INDOUBT(NO)                             MSGS({msgs})
   RQMNAME(P{number})                      STATUS({status})
   STOPREQ(NO)                             XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)
"""


def capture(*statuses: str, shift: int = 0, msgs: int = 7, file: str = "a") -> FileText:
    """Write an answer of LAKE1 to DISPLAY CHSTATUS, `shift` lines further down."""
    rows = [
        CHANNEL.format(number=number, status=status, msgs=msgs)
        for number, status in enumerate(statuses)
    ]
    text = (
        "Starting MQSC for queue manager LAKE1.\n" + "\n" * shift + "     1 : DISPLAY CHSTATUS(*)"
        " ALL\n" + "".join(rows) + "One MQSC command read.\nNo commands have a syntax error.\n"
        "All valid MQSC commands were processed.\n"
    )
    return FileText(text, file=f"captures/{file}.txt")


def _taken(twin: Twin, file: FileText, at: Instant) -> list[StoredEvent]:
    """Import a file; return what it appended."""
    last = twin.log.last().position
    twin.ingest_files([file], at=at, marked=True)
    return list(twin.log.events(after=last))


THIRTY: Final = ("RUNNING",) * 30


def test_an_unchanged_capture_is_one_event_and_renews_every_row(twin: Twin) -> None:
    """Of thirty channels it costs three events, 1.5 kB of them, and each was seen again."""
    assert len(_taken(twin, capture(*THIRTY), START)) == 63
    for number, shift in enumerate((0, 0, 1), start=1):
        file = capture(*THIRTY, shift=shift, file=str(number))
        appended = _taken(twin, file, START + number * MINUTE)
        assert [each.type for each in appended] == ["SeenAgain", "ImportBegun", "ImportEnded"]
        assert sum(len("".join(map(str, each))) for each in appended) < 1_500
        seen = twin.view(as_of=START + number * MINUTE)[0].seen_before["LAKE1"].seen
        assert {each.at for each in seen.channels.values()} == {START + number * MINUTE}
        row = twin.log.rows(types=["ChannelObserved@2"])[-1]
        line = json.loads(row[3])["origin"]
        assert line == {"file": f"captures/{number}.txt", "line": 29 * 6 + 3 + shift}


def test_the_rows_that_differ_are_events_beside_the_one_for_the_others(twin: Twin) -> None:
    """A channel that retries is one event, and so is the list that lacks one."""
    _taken(twin, capture(*THIRTY), START)
    retrying = capture(*THIRTY[1:], "RETRYING", file="b")
    appended = [each.type for each in _taken(twin, retrying, START + MINUTE)]
    assert appended == ["SeenAgain", "ChannelObserved@2", "ImportBegun", "ImportEnded"]
    fewer = capture(*THIRTY[1:], file="c")
    appended = [each.type for each in _taken(twin, fewer, START + 2 * MINUTE)]
    assert appended == ["SeenAgain", "ChannelsListed", "ImportBegun", "ImportEnded"]
    again = [each.type for each in _taken(twin, retrying, START + 3 * MINUTE)]
    assert again[:2] == ["SeenAgain", "ImportBegun"]


def _statuses(twin: Twin, at: Instant) -> dict[str, str]:
    seen = twin.view(as_of=at)[0].seen_before["LAKE1"].seen
    return {name: each.status for name, each in sorted(seen.channels.items())}


def test_a_retracted_capture_takes_its_own_rows_along_and_no_others(log_url: str) -> None:
    """What later ones name by position stays said by them; a retracted one says nothing more."""
    with make_twin(log_url, lambda: LATER) as twin:
        _retract_captures(twin)


def _retract_captures(twin: Twin) -> None:
    up, down = {"LAKE.P00": "RUNNING"}, {"LAKE.P00": "STOPPED"}
    first = _taken(twin, capture("RUNNING"), START)
    _taken(twin, capture("STOPPED", file="b"), START + MINUTE)
    (again, *_) = _taken(twin, capture("RUNNING", file="c"), START + 2 * MINUTE)
    assert again.type == "SeenAgain"
    primary = [each.position for each in first if each.type not in ("ImportBegun", "ImportEnded")]
    twin.retract(primary)
    assert _statuses(twin, START + 2 * MINUTE) == up
    assert not twin.view(as_of=START)[0].seen_before
    retracted = twin.retract([again.position])
    assert retracted.facts == 3
    assert _statuses(twin, START + 2 * MINUTE) == down
    twin.undo_retraction(retracted.position)
    assert _statuses(twin, START + 2 * MINUTE) == up
    twin.log.verify()


@pytest.mark.parametrize(
    "changes", [{"again": [[1, 99]]}, {"qmgr": "LAKE2"}, {"lines": [1]}, {"again": [[4, 5]]}]
)
def test_verify_finds_an_event_that_names_what_it_may_not(
    twin: Twin, changes: dict[str, Any]
) -> None:
    """It stands for earlier rows of its queue manager, with a line for each."""
    _taken(twin, capture("RUNNING"), START)
    (again, *_) = _taken(twin, capture("RUNNING", file="b"), START + MINUTE)
    body = json.dumps({**json.loads(again.body), **changes}, separators=(",", ":"))
    wrong = NewEvent(again.occurred_at, again.type, again.qmgr, None, again.source, "wrong", body)
    twin.log.append([wrong], recorded_at=again.recorded_at)
    with pytest.raises(LogDamaged):
        twin.log.verify()
