"""What fell due since the last record is played once and kept, and changes no answer."""

# ruff: noqa: S608 - tampering is done in SQL

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

import pytest

from tests.app.scenes import START, build, make_twin
from tests.log.database import behind_the_back
from twin.app import played_ahead
from twin.app.twin import Twin
from twin.events.catalogue import column_of
from twin.model.instants import DAY, HOUR, Instant
from twin.questions.explanation import ExplainRequest

NOW: Final = START + 200 * DAY
ASKED: Final = ("members", "beliefs", "divergence", "agenda", "lifetimes", "errorlog")


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every estate in which anything was played."""
    monkeypatch.setattr(played_ahead, "KEPT_FROM", 1)


@pytest.fixture
def quiet(log_url: str) -> str:
    """Record a cluster, and nothing after its second day; return the URL of its log."""
    with make_twin(log_url, lambda: START + 2 * DAY) as twin:
        build(twin)
        twin.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START + HOUR)
        twin.open_queue("PR1", "ORD", at=START + DAY)
        twin.endmqm("FR2", at=START + DAY + HOUR)
        twin.snapshot(every=20)
    return log_url


def reader(
    url: str,
    now: Instant = NOW,
    *,
    told: list[str] | None = None,
    keeps_caches: bool = True,
    branch: str = "main",
) -> Twin:
    """Open a log as the command line does for a question, at an instant."""
    return Twin.open(
        url,
        branch=branch,
        clock=lambda: now,
        read_only=True,
        keeps_caches=keeps_caches,
        tell=None if told is None else told.append,
    )


def answers(twin: Twin) -> list[Any]:
    """Ask about now, in several ways; each answer has its evidence and what is pending."""
    given: list[Any] = [twin.ask(name).as_json() for name in ASKED]
    given.append(twin.ask("changes", since=START + 3 * HOUR).as_json())
    given.append(twin.runmqsc("PR1", "DISPLAY QC(*)\nDISPLAY CLUSQMGR(*)").lines)
    explanation, point = twin.explain("PR1", ExplainRequest(queue="ORD"))
    given.append(explanation.answer(point).as_json())
    given.append(twin.dmpmqcfg("PR1"))
    return given


def rows(url: str) -> int:
    """Return how many estates are kept."""
    with behind_the_back(url, guarded=True) as connection:
        (number,) = connection.execute("SELECT count(*) FROM played").fetchone()
    return int(number)


def test_kept_estates_change_no_answer(quiet: str) -> None:
    """Every answer is the same when played, when kept, and when played on from what was kept."""
    with reader(quiet, keeps_caches=False) as alone:
        wanted = answers(alone)
    assert rows(quiet) == 0
    for _ in range(2):
        with reader(quiet) as twin:
            assert answers(twin) == wanted
        assert rows(quiet) == 1
    later = NOW + 60 * DAY
    with reader(quiet, later, keeps_caches=False) as alone:
        # an earlier process kept the estate of NOW, and this one plays on from it
        assert alone.views.played_ahead.saved(alone.as_of()) is not None
        played_on = answers(alone)
        alone.views.trust_nothing()
        assert alone.views.played_ahead.saved(alone.as_of()) is None
    with reader(quiet, later, keeps_caches=False) as alone:
        alone.views.trust_nothing()
        assert answers(alone) == played_on
    with reader(quiet, NOW - 60 * DAY) as early:
        assert early.views.played_ahead.saved(early.as_of()) is None


def test_only_the_first_question_plays(quiet: str) -> None:
    """The line that says that much was played comes once, and names the command that records it."""
    told: list[str] = []
    for _ in range(3):
        with reader(quiet, told=told) as twin:
            assert twin.ask("members").rows
    assert len(told) == 1
    assert told[0].startswith("played ")
    assert told[0].endswith("; twin advance --days 0 records them")


def test_an_append_makes_it_useless(quiet: str) -> None:
    """After a command the kept estate is not used, and the next question keeps another."""
    with reader(quiet) as twin:
        answers(twin)
    with make_twin(quiet, lambda: START + 3 * DAY) as other:
        other.runmqsc("PR2", "DEFINE QLOCAL(NEW) CLUSTER(CA)", at=START + 3 * DAY)
    with reader(quiet) as twin:
        assert twin.views.played_ahead.saved(twin.as_of()) is None
        seen = answers(twin)
        assert "NEW" in str(seen)
    with reader(quiet, keeps_caches=False) as alone:
        alone.views.trust_nothing()
        assert answers(alone) == seen
    assert rows(quiet) == 1


def test_recording_gives_what_was_pending(quiet: str) -> None:
    """What `tick` records from a kept log is what it records from one where nothing was kept."""
    with reader(quiet) as twin:
        pending = [event for _, event in twin.views.played(twin.as_of())[1]]
    with make_twin(quiet, lambda: NOW) as twin:
        first = twin.log.last().position + 1
        twin.tick(NOW)
        recorded = list(twin.log.events(after=first - 1))
    assert [each.type for each in recorded] == [column_of(type(event)) for event in pending]


def test_the_future_of_main_is_not_kept(quiet: str) -> None:
    """A question about a later instant than now does not replace that of now."""
    with reader(quiet) as twin:
        twin.ask("members")
        twin.ask("members", as_of=NOW + 90 * DAY)
        assert twin.views.played_ahead.saved(twin.as_of()) is not None


def test_the_furthest_estate_is_kept(quiet: str) -> None:
    """A question about an earlier instant that is not recorded does not replace that of now."""
    told: list[str] = []
    with reader(quiet, told=told) as twin:
        twin.ask("members")
        twin.ask("members", as_of=NOW - 60 * DAY)
        assert twin.views.played_ahead.saved(twin.as_of()) is not None
    assert [" kept them " in line for line in told] == [True, False]


def test_nothing_is_written_to_a_log_opened_for_reading(quiet: str) -> None:
    """The library writes no cache unless it is told to."""
    with closing(Twin.open(quiet, clock=lambda: NOW, read_only=True)) as twin:
        assert twin.ask("members").rows
    assert rows(quiet) == 0


DAMAGES: Final[dict[str, Callable[[bool], str]]] = {
    "the directory": lambda lite: (
        "UPDATE played SET directory = CAST(substr(directory, 1, 500) || x'00' AS BLOB)"
        if lite
        else "UPDATE played SET directory = substring(directory from 1 for 500)"
    ),
    "the digest": lambda lite: f"UPDATE played SET digest = {'x' if lite else ''}'00'",
    "the instant": lambda _: f"UPDATE played SET valid = valid - {DAY}",
    "the pages": lambda lite: f"UPDATE page SET content = {'x' if lite else ''}'7b'",
    "no pages": lambda _: "DELETE FROM page",
    "the rules": lambda _: "UPDATE played SET rules = rules + 1",
    "the position": lambda _: "UPDATE played SET position = position - 1",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_changes_no_answer(quiet: str, damage: str) -> None:
    """A kept estate that was altered is not used."""
    with reader(quiet) as twin:
        wanted = answers(twin)
    with behind_the_back(quiet, guarded=False) as connection:
        connection.execute(DAMAGES[damage](quiet.startswith("sqlite")))
    told: list[str] = []
    for keeps_caches in (False, True, True):
        with reader(quiet, told=told, keeps_caches=keeps_caches) as twin:
            assert answers(twin) == wanted
