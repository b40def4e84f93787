"""Repository commands and their manager, when the queues that they need are in trouble."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.app.scenes import LATER, START, make_twin
from twin import events
from twin.app.twin import Twin
from twin.fold.estate import Estate
from twin.fold.replay import decode, replay
from twin.fold.store import pages
from twin.model.instants import DAY, HOUR, MINUTE, SECOND, Instant

COMMANDS = "SYSTEM.CLUSTER.COMMAND.QUEUE"
TRANSMIT = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
SCRIPTS = {
    "FR1": f"""ALTER QMGR REPOS(CA) DEADQ({DEAD})
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)
DEFINE QLOCAL(WORK) CLUSTER(CA)""",
    "PR1": """DEFINE CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME('pr1(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)""",
}

Make = Callable[[], Twin]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make small clusters, each on a log of its own."""
    with ExitStack() as stack:
        numbers = iter(range(99))

        def cluster() -> Twin:
            url = f"sqlite:///{tmp_path / str(next(numbers))}.db"
            made = stack.enter_context(make_twin(url, lambda: LATER))
            for name, script in SCRIPTS.items():
                made.crtmqm(name, at=START)
                made.strmqm(name, at=START)
                assert made.runmqsc(name, script, at=START).exit_code == 0
            return made

        yield cluster


def run(made: Twin, qmgr: str, script: str, after: int = 0) -> None:
    """Run MQSC commands that must succeed, some time after the start."""
    session = made.runmqsc(qmgr, script, at=START + after)
    assert session.exit_code == 0, session.lines


def estate(made: Twin, after: int) -> Estate:
    """Return the estate some time after the start."""
    return made.view(as_of=START + after)[0]


def depth(made: Twin, qmgr: str, queue: str, after: int) -> int:
    """Return how many messages are on a queue."""
    return estate(made, after).qmgr(qmgr).messaging.depth(queue)


def known(made: Twin, after: int) -> set[str]:
    """Return the queues that the full repository knows."""
    beliefs = estate(made, after).qmgr("FR1").repository.beliefs
    return {name for _, kind, name in beliefs if kind == "queue"}


def logged(made: Twin, until: Instant = LATER) -> list[tuple[Instant, events.Event]]:
    """Return all events of a log, in fold order."""
    rows = made.log.rows(branch=made.branch, valid=until, known=made.log.last().position)
    return [(at, event) for at, _, event in decode(rows)]


@pytest.mark.parametrize(
    "trouble",
    [
        ("FR1", f"ALTER QLOCAL({COMMANDS}) PUT(DISABLED)"),
        ("FR1", f"ALTER QMGR DEADQ(' ')\nALTER QLOCAL({COMMANDS}) MAXDEPTH(0)"),
        ("PR1", f"ALTER QLOCAL({TRANSMIT}) PUT(DISABLED)"),
        ("PR1", f"ALTER QLOCAL({TRANSMIT}) MAXDEPTH(0)"),
        ("FR1", ""),
        ("PR1", ""),
    ],
)
def test_one_step_or_many_give_the_same(make: Make, trouble: tuple[str, str]) -> None:
    """Time that passes at once or in parts gives the same events at the same instants."""
    one, many = make(), make()
    for made in (one, many):
        run(made, *trouble) if trouble[1] else made.exhaust(trouble[0], at=START)
        run(made, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA)\nDEFINE QLOCAL(B) CLUSTER(CA)")
    for after in (3 * SECOND, 10 * SECOND, 15 * SECOND, 61 * SECOND, HOUR, 2 * DAY, 5 * DAY):
        many.tick(START + after)
    one.tick(START + 6 * DAY)
    many.tick(START + 6 * DAY)
    assert logged(one) == logged(many)


@pytest.mark.parametrize("after", [5 * SECOND, 20 * SECOND, HOUR, 6 * DAY])
def test_a_replay_and_pages_give_the_live_estate(make: Make, after: int) -> None:
    """What is kept, held up or dead-lettered is the same after a replay and after a snapshot."""
    made = make()
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) MAXDEPTH(1) GET(DISABLED)")
    run(made, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA)\nDEFINE QLOCAL(B) CLUSTER(CA)")
    made.exhaust("PR1", at=START)
    run(made, "PR1", f"ALTER QLOCAL({TRANSMIT}) PUT(DISABLED)\nDEFINE QLOCAL(C) CLUSTER(CA)")
    made.tick(START + after)
    rows = made.log.rows(branch="main", valid=START + after, known=made.log.last().position)
    again = replay(Estate(), rows)
    stored = pages.pages_of(again)
    loaded = pages.estate_from(stored[pages.ESTATE], stored.__getitem__)
    for name in SCRIPTS:
        live = estate(made, after).qmgr(name)
        for other in (again.qmgr(name), loaded.qmgr(name)):
            assert other.repository.kept == live.repository.kept
            assert other.repository.trouble == live.repository.trouble
            assert other.repository.exhausted == live.repository.exhausted
            assert other.repository.waiting == live.repository.waiting
            assert other.activity == live.activity
            assert other.messaging.local == live.messaging.local


def test_each_command_has_its_own_retries(make: Make) -> None:
    """The first command is dead-lettered after ten seconds, the second after twenty."""
    made = make()
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) PUT(DISABLED)")
    run(made, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA)\nDEFINE QLOCAL(B) CLUSTER(CA)")
    made.tick(START + HOUR)
    assert [depth(made, "FR1", DEAD, second * SECOND) for second in (9, 10, 19, 20)] == [0, 1, 1, 2]


def test_without_retries_it_is_dead_lettered_at_once(make: Make) -> None:
    """With MRRTY(0) a command that cannot be put goes to the dead-letter queue immediately."""
    made = make()
    run(made, "FR1", "ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) MRRTY(0)")
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) PUT(DISABLED)")
    made.tick(START + MINUTE)
    before = depth(made, "FR1", DEAD, MINUTE)
    run(made, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA)", 2 * MINUTE)
    assert depth(made, "FR1", DEAD, 2 * MINUTE) == before + 1


def test_a_retry_that_succeeds_comes_at_its_interval(make: Make) -> None:
    """Once the queue is put-enabled, the next retry of the receiving channel puts the command."""
    made = make()
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) PUT(DISABLED)")
    run(made, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA)")
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) PUT(ENABLED)", 3 * SECOND + 1)
    made.tick(START + MINUTE)
    assert [known(made, second * SECOND) for second in (3, 4)] == [{"WORK"}, {"WORK", "A"}]


def test_messages_wait_after_a_command_that_is_held_up(make: Make) -> None:
    """A message is not sent before a command that the receiving channel tries to put."""
    made = make()
    assert made.put("PR1", "WORK", at=START).reason == 0
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) PUT(DISABLED)")
    run(made, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA)")
    made.put("PR1", "WORK", at=START)
    made.tick(START + MINUTE)
    assert [depth(made, "FR1", "WORK", second * SECOND) for second in (9, 10)] == [1, 2]


def test_the_repository_manager_discards_messages_of_applications(make: Make) -> None:
    """The repository manager discards an application's message, and goes on."""
    made = make()
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) GET(DISABLED)")
    made.put("FR1", COMMANDS, count=3, at=START)
    run(made, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA)")
    assert depth(made, "FR1", COMMANDS, 0) == 4
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) GET(ENABLED)")
    assert depth(made, "FR1", COMMANDS, 0) == 0
    assert known(made, 0) == {"WORK", "A"}
    assert any(isinstance(event, events.ErrorLogged) for _, event in logged(made))


def test_a_command_on_the_command_queue_expires_after_30_days(make: Make) -> None:
    """A command expires after 30 days, and is discarded when the queue is get-enabled."""
    made = make()
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) GET(DISABLED)")
    run(made, "PR1", "DEFINE QLOCAL(A) CLUSTER(CA)")
    made.endmqm("PR1", at=START + DAY)
    run(made, "FR1", f"ALTER QLOCAL({COMMANDS}) GET(ENABLED)", 31 * DAY)
    assert depth(made, "FR1", COMMANDS, 31 * DAY) == 0
    assert "A" not in known(made, 31 * DAY)


def test_nothing_clears_the_command_queue(make: Make) -> None:
    """CLEAR QLOCAL is refused, because the repository manager has the queue open."""
    made = make()
    assert "AMQ8148E" in "\n".join(made.runmqsc("FR1", f"CLEAR QLOCAL({COMMANDS})", at=START).lines)


def test_in_trouble_it_takes_nothing_in(make: Make) -> None:
    """While its own operation has failed, what arrives waits on its command queue."""
    made = make()
    assert made.put("PR1", "WORK", at=START).reason == 0
    run(made, "PR1", f"ALTER QLOCAL({TRANSMIT}) PUT(DISABLED)\nDEFINE QLOCAL(A) CLUSTER(CA)")
    run(made, "FR1", "ALTER QLOCAL(WORK) DESCR('new')")
    assert depth(made, "PR1", COMMANDS, 0) == 1
    run(made, "PR1", f"ALTER QLOCAL({TRANSMIT}) PUT(ENABLED)", MINUTE)
    made.tick(START + 10 * MINUTE)
    assert depth(made, "PR1", COMMANDS, 10 * MINUTE) == 0
    beliefs = estate(made, 10 * MINUTE).qmgr("PR1").repository.beliefs["CA", "queue", "WORK"]
    assert [belief.values["DESCR"] for belief in beliefs.values()] == ["new"]
    assert known(made, 10 * MINUTE) == {"WORK", "A"}
