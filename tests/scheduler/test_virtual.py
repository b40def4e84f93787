"""The virtual scheduler records all timed events, instant by instant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.app.scenes import START, make_twin
from tests.scheduler.living import Stepped, build, happened
from twin.app.clocks import InTheFuture
from twin.app.ticking import OpenBatch, Ticked
from twin.app.twin import Twin
from twin.fold.agenda import TimerKind
from twin.model.instants import DAY, Instant
from twin.rules.version import version_of
from twin_scheduler.errors import ClockSetBack
from twin_scheduler.jobs import CHUNK, JOB_IDS
from twin_scheduler.live import WATCH
from twin_scheduler.virtual import VirtualScheduler


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Make the small cluster on a branch, where time may pass the wall clock."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: START + 50 * DAY) as made:
        build(made).create_branch("lab")
        yield made.on_branch("lab")


def advance(twin: Twin, upto: Instant, *, chunk: int = CHUNK) -> list[Ticked]:
    """Advance to an instant and return the result of each transaction."""
    with VirtualScheduler(twin, chunk=chunk) as virtual:
        return list(virtual.advance(upto))


def of_type(twin: Twin, name: str) -> list[Instant]:
    """Return when the events of a type occurred."""
    return [event.occurred_at for event in twin.log.events(branch=twin.branch, types=[name])]


def test_the_jobs_stand_in_the_order_of_the_rules(twin: Twin) -> None:
    """Each scheduler has one job per kind of timer, with ids in the order of the kinds."""
    assert list(JOB_IDS) == sorted(TimerKind)
    assert list(JOB_IDS.values()) == sorted(JOB_IDS.values())
    assert [job_id.partition("-")[2] for job_id in JOB_IDS.values()] == [
        "silence",
        *("commands-expire", "arrival", "retry", "giving-up", "resend", "renewal", "lapse"),
        *("expiry", "removal", "warning", "message-retry", "rerun", "answer", "portion"),
    ]
    for scheduler, others in ((VirtualScheduler(twin), set()), (Stepped(twin), {WATCH})):
        jobs = {job.id: job for job in scheduler.get_jobs()}
        assert set(jobs) == {*JOB_IDS.values(), *others}


def test_what_is_due_happens_when_it_is_due(twin: Twin) -> None:
    """An owner republishes after 27 days and again after 54, and the clock shows the end."""
    with VirtualScheduler(twin) as virtual:
        assert (virtual.clock(), virtual.next_due()) == (START, START + 27 * DAY)
        list(virtual.advance(START + 60 * DAY))
        assert (virtual.clock(), virtual.next_due()) == (START + 60 * DAY, START + 81 * DAY)
    resent = of_type(twin, "InformationRepublished")
    assert sorted(set(resent)) == [START + 27 * DAY, START + 54 * DAY]


def test_each_wake_decides_what_is_due_at_its_own_instant(twin: Twin) -> None:
    """The jobs wake at all due instants in order, and share one transaction."""
    twin.endmqm("PR2", at=START + DAY)
    with VirtualScheduler(twin) as virtual:
        (ticked,) = virtual.advance(START + 60 * DAY)
        wakes = virtual.wakes
    events = list(twin.log.events(branch=twin.branch, after=twin.log.head("main").position))
    decided = Counter(event.occurred_at for event in events if version_of(event.source))
    del decided[START + DAY]  # events of the command itself
    assert [wake.at for wake in wakes if wake.events] == sorted(decided)
    assert [wake.events for wake in wakes if wake.events] == [decided[at] for at in sorted(decided)]
    assert ticked.events == decided.total()
    by_kind = {wake.kind: wake.at for wake in reversed(wakes) if wake.events}
    assert by_kind == {
        TimerKind.PUBLISHED: START + 27 * DAY,
        TimerKind.OVERDUE: START + 28 * DAY,
        TimerKind.HELD: START + 30 * DAY,
        TimerKind.QUEUED: START + 57 * DAY,
    }


def test_a_batch_is_recorded_before_anybody_is_told_and_not_earlier(
    twin: Twin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch is appended when it is complete, before its result is yielded."""
    positions, decide = set[int](), OpenBatch.decide

    def look(batch: OpenBatch, upto: Instant) -> Ticked:
        positions.add(twin.log.last().position)
        return decide(batch, upto)

    monkeypatch.setattr(OpenBatch, "decide", look)
    before = twin.log.last().position
    (ticked,) = advance(twin, START + 100 * DAY)
    assert positions == {before}
    assert twin.log.last().position == before + ticked.events


def test_what_others_record_meanwhile_is_taken_into_account(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch is decided again if another process appends first, and no event occurs twice."""
    other, decide = twin.on_branch("main").create_branch("other"), OpenBatch.decide
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: START) as somebody:

        def interfere(batch: OpenBatch, upto: Instant) -> Ticked:
            if upto == START + 54 * DAY and not of_type(twin, "ControlCommandEntered")[8:]:
                somebody.on_branch("lab").endmqm("PR2", at=START + DAY)
            return decide(batch, upto)

        monkeypatch.setattr(OpenBatch, "decide", interfere)
        advance(twin, START + 100 * DAY)
    monkeypatch.setattr(OpenBatch, "decide", decide)
    undisturbed = twin.on_branch(other.name)
    undisturbed.endmqm("PR2", at=START + DAY)
    advance(undisturbed, START + 100 * DAY)
    assert _without_branch(twin) == _without_branch(undisturbed)


def test_the_next_runs_are_those_of_the_agenda(twin: Twin) -> None:
    """The next runs of the jobs are those of the agenda, before and after time passes."""
    with VirtualScheduler(twin) as virtual:
        for days in (0, 40, 70):
            list(virtual.advance(START + days * DAY))
            assert virtual.next_runs() == twin.agenda()
            assert min(virtual.next_runs().values()) == virtual.next_due()


def test_an_instant_is_part_of_what_passes_by_it(twin: Twin) -> None:
    """An event due after 27 days is recorded at that instant, not a microsecond earlier."""
    assert advance(twin, START + 27 * DAY - 1) == []
    assert of_type(twin, "InformationRepublished") == []
    (ticked,) = advance(twin, START + 27 * DAY)
    assert (ticked.reached, ticked.finished) == (START + 27 * DAY, True)
    assert len(of_type(twin, "InformationRepublished")) >= 4


def test_jumps_one_by_one_or_many_in_one_transaction_are_the_same(twin: Twin) -> None:
    """The events are the same for any size of transactions."""
    other = twin.on_branch("main").create_branch("other")
    one_by_one = advance(twin, START + 200 * DAY, chunk=1)
    at_once = advance(twin.on_branch(other.name), START + 200 * DAY)
    assert len(one_by_one) > len(at_once) == 1
    reached = [ticked.reached for ticked in one_by_one]
    assert reached == sorted(set(reached))
    assert sum(each.events for each in one_by_one) == sum(each.events for each in at_once)
    assert _without_branch(twin) == _without_branch(twin.on_branch(other.name))


def _without_branch(twin: Twin) -> list[tuple[object, ...]]:
    return [event[:-1] for event in happened(twin)]


def test_time_that_is_stopped_goes_on_later(twin: Twin) -> None:
    """A caller that stops iterating keeps the yielded part, and can continue to the same end."""
    other = twin.on_branch("main").create_branch("other")
    with VirtualScheduler(twin, chunk=1) as virtual:
        for ticked in virtual.advance(START + 100 * DAY):
            assert twin.log.head("lab").occurred_at == ticked.reached
            break
    advance(twin, START + 100 * DAY)
    advance(twin.on_branch(other.name), START + 100 * DAY)
    assert _without_branch(twin) == _without_branch(twin.on_branch(other.name))


def test_time_never_goes_back(twin: Twin) -> None:
    """An instant before the branch's latest is refused, and nothing is recorded."""
    advance(twin, START + 30 * DAY)
    before = twin.log.last()
    with pytest.raises(ClockSetBack):
        advance(twin, START)
    assert twin.log.last() == before


def test_main_never_runs_ahead_of_the_wall_clock(twin: Twin) -> None:
    """Time on main passes up to the present, and a later instant is refused."""
    main = twin.on_branch("main")
    before = main.log.last()
    for upto in (START + 50 * DAY + 1, START + 400 * DAY):
        with pytest.raises(InTheFuture):
            advance(main, upto)
    assert main.log.last() == before
    advance(main, START + 50 * DAY)
    with pytest.raises(InTheFuture):  # although nothing is due by then
        advance(main, START + 50 * DAY + 1)
    assert set(of_type(main, "InformationRepublished")) == {START + 27 * DAY}


def test_an_empty_branch_has_nothing_to_wait_for(tmp_path: Path) -> None:
    """Time on an empty branch passes without events."""
    with make_twin(f"sqlite:///{tmp_path / 'empty.db'}", lambda: START) as twin:
        twin.create_branch("lab")
        assert twin.present() == START
        assert advance(twin.on_branch("lab"), START + 400 * DAY) == []


@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError])
def test_what_goes_wrong_reaches_the_caller(
    twin: Twin,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    failure: type[BaseException],
) -> None:
    """An error in a job, or Ctrl-C, is raised by `advance`, and nothing is recorded."""

    def fail(*_: object, **__: object) -> Callable[[], None]:
        raise failure

    monkeypatch.setattr(OpenBatch, "decide", fail)
    before = twin.log.last()
    with pytest.raises(failure):
        advance(twin, START + 30 * DAY)
    assert twin.log.last() == before
    assert capfd.readouterr().err == ""
