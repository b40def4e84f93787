"""Of healthy clusters that are known in part, nothing is said that makes somebody destroy them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Final

import pytest

from tests.app.test_laws import fresh
from tests.laws import seeds
from tests.truth.collecting import collect
from tests.truth.healthy_clusters import HealthyCluster, healthy_cluster
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant
from twin.review.doctor.examination import ExamRequest, examine
from twin.review.doctor.report import lines_of as report_of
from twin.review.plan.plan import Request, plan
from twin.review.plan.planned import PlannedScript
from twin.review.plan.text import text_of as plan_of
from twin.review.runbooks.refresh_text import text_of as decision_of
from twin.review.runbooks.refreshing import decide
from twin.review.runbooks.subjects import RunbookRequest

_DESTROYS: Final = re.compile(
    r"\b(RESET|REFRESH|CLEAR|PURGE|DELETE|FORCE|FORCEREMOVE|RESOLVE|endmqm|dltmqm|--lost)\b"
)
"""The words of commands that destroy something."""

_ENDED: Final = re.compile(r"\b(ended|deleted|gone|no longer|not run|dropped|unreachable)\b")
"""The words for a queue manager that does not run any more."""

_LATER: Final = (0, 2 * HOUR, 70 * DAY)
"""How long after the last collection questions are asked."""


def _of_doctor(twin: Twin, at: Instant) -> Iterator[str]:
    """Yield what doctor says of an instant."""
    yield from twin.ask("doctor", as_of=at).lines
    yield from report_of(examine(twin, ExamRequest(as_of=at)))


def _of_plan(built: HealthyCluster, twin: Twin, at: Instant, random: Random) -> Iterator[str]:
    """Yield what a plan says of a change that is harmless."""
    qmgr = random.choice([each for each in built.names if each != built.never])
    change = PlannedScript(qmgr, "DEFINE QLOCAL(HARMLESS) DESCR('new')")
    yield from plan_of(plan(twin, Request(changes=lambda _: (change,)), as_of=at))


def _wrong(built: HealthyCluster, twin: Twin, at: Instant, random: Random) -> Iterator[str]:
    """Yield the lines that would make somebody destroy something, or that call a member gone."""
    for line in (*_of_doctor(twin, at), *_of_plan(built, twin, at, random)):
        if _DESTROYS.search(line):
            yield line
        if built.never and built.never in line and _ENDED.search(line):
            yield line
    for name in built.names:
        if name != built.never:
            wanted = RunbookRequest(qmgr=name, cluster=built.cluster)
            decision = decide(twin, wanted, as_of=at)
            if decision.is_needed:
                yield from decision_of(decision)


def _check(seed: int) -> None:
    built, random = healthy_cluster(seed), Random(-seed)
    with fresh(1) as (twin,):
        at = collect(built, twin, random)
        for later in _LATER:
            assert not list(_wrong(built, twin, at + later, random))


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_destroyed_in_a_healthy_cluster_that_is_known_in_part(seed: int) -> None:
    """No fix, advice, plan or runbook destroys anything, and nobody who is not known has ended."""
    _check(seed)


@pytest.mark.parametrize("tens", seeds(-1, *range(1, 13))[1:])
def test_nothing_is_destroyed_in_many_healthy_clusters(tens: int) -> None:
    """The same holds for 120 more clusters."""
    for seed in range(tens * 10, tens * 10 + 10):
        _check(seed)
