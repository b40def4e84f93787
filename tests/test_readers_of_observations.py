"""Nothing is recorded for nobody: each observation that an import can make is read."""

from __future__ import annotations

from typing import Final

import pytest

from twin import events
from twin.events.base import EVENTS, Observation
from twin.events.logged import BECOMES, EXPLAINING, FAILED_PUTS, KEPT, REFUSED_REFRESHES
from twin.fold.estate import Estate
from twin.fold.handlers import observations
from twin.fold.replay import HANDLERS
from twin.history.families import FAMILIES
from twin.model.messages import CATALOGUE
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import Question
from twin.rules import deriving
from twin.rules.draft import Draft

OBSERVATIONS: Final = sorted(
    (each for each in EVENTS.values() if issubclass(each, Observation)), key=str
)

READ_ELSEWHERE: Final = {
    events.SeenAgain: "the log is read with the rows that it stands for",
    events.IntervalCounted: "counters of statistics and accounting: the metrics of histories",
    events.RenewalOverdueObserved: "histories count it once with the warning of the rules",
}
"""What neither a rule, the fold nor a question reads -> what does."""


def _noted(kind: type[events.Event]) -> bool:
    """Return whether the fold keeps anything of an event but that its queue manager exists."""
    return HANDLERS[kind] not in {observations.note_unknown, HANDLERS[events.ErrorLogged]}


def _asked(kind: type[events.Event]) -> list[str]:
    """Return the questions that are given an event as a past fact."""
    questions: list[tuple[str, Question]] = [*QUESTIONS.items()]
    return [name for name, each in questions if each.reads_facts and kind in each.reads]


@pytest.mark.parametrize("kind", OBSERVATIONS, ids=lambda each: each.__name__)
def test_an_observation_has_a_reader(kind: type[events.Event]) -> None:
    """A rule derives something from it, the fold keeps it for questions, or a table says who."""
    derives = deriving._RULES[kind] is not Draft.emit
    assert derives or _noted(kind) or _asked(kind) or kind in READ_ELSEWHERE


def test_what_is_read_elsewhere_is_in_the_lake() -> None:
    """The table names no observation that nothing reads."""
    in_lake = {name for names in FAMILIES.values() for name in names}
    assert {each.__name__ for each in READ_ELSEWHERE} <= in_lake


def test_each_kept_record_of_a_log_has_a_reader() -> None:
    """The fold keeps records for the rules that name them, and each is a known message."""
    assert {*KEPT} == {*EXPLAINING, *FAILED_PUTS, *REFUSED_REFRESHES}
    assert CATALOGUE.keys() >= KEPT
    assert not KEPT & {id_ for id_, each in BECOMES.items() if each.event is None}


@pytest.mark.parametrize("id_", sorted(KEPT))
def test_the_last_record_of_a_kind_is_kept(id_: str) -> None:
    """Whatever else a log says, the latest record of each message and channel can be read."""
    estate = Estate()
    for at, channel in ((1, "A"), (3, "A"), (2, "A"), (2, "B")):
        event = events.EvidenceObserved(qmgr="QM1", id=id_, channel=channel)
        HANDLERS[events.EvidenceObserved](estate, event, at, at)
    kept = estate.seen_before["QM1"].seen.records.values()
    assert {(each.channel, each.at) for each in kept} == {("A", 3), ("B", 2)}
