"""`twin runbook refresh` while command queues are disabled, or commands lie at their target."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from tests.review.runbooks.test_refreshing import NOW, asked, found
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR
from twin.review.runbooks import refresh_text

_QUEUE = "SYSTEM.CLUSTER.COMMAND.QUEUE"
_NEW = "ALTER QLOCAL(ORD) DEFPRTY(3)"


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster with ORD at PR1, and PR2 that uses it."""
    twin = build(make_twin(sqlite_url, lambda: NOW))
    twin.runmqsc("PR1", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
    twin.put("PR2", "ORD", count=2, at=START)
    return twin


def _alter(twin: Twin, attribute: str, *names: str, day: int = 1) -> None:
    for name in names:
        twin.runmqsc(name, f"ALTER QLOCAL({_QUEUE}) {attribute}", at=START + day * DAY)


def _enable(attribute: str, name: str) -> str:
    return f"enable the queue: ALTER QLOCAL({_QUEUE}) {attribute}(ENABLED) at {name}"


def test_commands_that_arrived_are_read_when_the_queue_is_enabled(twin: Twin) -> None:
    """What a queue manager with GET(DISABLED) lacks lies on its command queue."""
    _alter(twin, "GET(DISABLED)", "PR2")
    twin.runmqsc("PR1", _NEW, at=START + DAY)
    decision = asked(twin, "PR2")
    cure = _enable("GET", "PR2")
    assert found(decision) == {"wrong-records": cure, "stuck": cure, "repository-fails": cure}
    assert decision.blockers == (cure,)
    assert refresh_text.answer(decision).startswith("Answer: no. Something else fixes")
    seen = {each.reason.id: each.judgement.seen for each in decision.reasons}
    assert seen["stuck"].endswith(f"on {_QUEUE} of PR2")
    assert seen["repository-fails"].startswith(f"{_QUEUE} is GET(DISABLED)")
    _alter(twin, "GET(ENABLED)", "PR2", day=2)
    assert found(asked(twin, "PR2")) == {}


def test_full_repositories_that_read_nothing_call_for_no_refresh_of_others(twin: Twin) -> None:
    """What PR1 published lies on the command queues of the full repositories."""
    _alter(twin, "GET(DISABLED)", "FR1", "FR2")
    twin.runmqsc("PR1", _NEW, at=START + DAY)
    decision = asked(twin, "PR1")
    first, second = _enable("GET", "FR1"), _enable("GET", "FR2")
    assert found(decision) == {"not-heard": first, "stuck": f"{first}; {second}"}
    assert not decision.is_needed
    assert decision.blockers == (first, second)


def test_commands_that_a_repository_manager_keeps_are_sent_when_it_goes_on(twin: Twin) -> None:
    """A queue manager with GET(DISABLED) publishes nothing until then."""
    _alter(twin, "GET(DISABLED)", "PR1")
    twin.runmqsc("PR1", _NEW, at=START + DAY)
    decision, cure = asked(twin, "PR1"), _enable("GET", "PR1")
    assert found(decision) == {"not-heard": cure, "stuck": cure, "repository-fails": cure}
    assert not decision.is_needed


def test_a_command_queue_that_takes_no_puts_is_enabled(twin: Twin) -> None:
    """Without a dead-letter queue the commands wait for their channel."""
    for name in ("FR1", "FR2"):
        twin.runmqsc(name, "ALTER QMGR DEADQ(' ')", at=START)
    _alter(twin, "PUT(DISABLED)", "FR1", "FR2")
    twin.runmqsc("PR1", _NEW, at=START + DAY)
    decision, cure = asked(twin, "PR1", at=START + DAY + 2 * HOUR), _enable("PUT", "FR1")
    assert found(decision)["not-heard"] == cure
    assert found(decision)["stuck"].startswith(cure)
    assert not decision.is_needed


def test_dead_letters_are_put_again(twin: Twin) -> None:
    """A command on a dead-letter queue is delivered by its handler, also when puts work again."""
    dead = "SYSTEM.DEAD.LETTER.QUEUE"
    twin.runmqsc("PR2", f"ALTER QMGR DEADQ({dead})", at=START)
    _alter(twin, "PUT(DISABLED)", "PR2")
    twin.runmqsc("PR1", _NEW, at=START + DAY)
    retry = f"put the commands on {dead} of PR2 again: runmqdlq, with DESTQ({_QUEUE}) ACTION(RETRY)"
    both = f"{_enable('PUT', 'PR2')}; then {retry}"
    assert found(asked(twin, "PR2")) == {
        "wrong-records": both,
        "stuck": both,
        "repository-fails": _enable("PUT", "PR2"),
    }
    _alter(twin, "PUT(ENABLED)", "PR2", day=2)
    decision = asked(twin, "PR2")
    assert found(decision) == {"wrong-records": retry, "stuck": retry}
    assert not decision.is_needed
