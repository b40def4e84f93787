"""What a rule reads is noted while it runs, and nothing is left out."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any, Final

import pytest

from tests.questions.doctor.healthy import healthy
from tests.questions.doctor.planted import ALL
from tests.questions.doctor.planting import Planted
from tests.questions.telling import facts_of
from twin.fold.estate import PARTS, Estate, QueueManager
from twin.questions.doctor.index import Cluster, Index, Site
from twin.questions.doctor.question import READS
from twin.questions.doctor.registry import RULES

_KEPT: Final = {"changed", "contents", "load", "name", "page", "position", "qmgr", "qmgrs"}
"""What is no fact: names, positions, and how parts are kept; and what leads to other objects."""


def _all_attributes(owner: type) -> set[str]:
    cached = {name for name, each in vars(owner).items() if isinstance(each, cached_property)}
    named = set() if owner is Index else {each.name for each in fields(owner)}
    parts = {*PARTS} if owner is QueueManager else set()
    return (cached | named | parts | ({"clusters", "facts"} if owner is Index else set())) - _KEPT


def _hide(index: Index, noted: frozenset[tuple[str, str]]) -> None:
    """Let everything of an index fail that is not among what was noted."""
    site = next(iter(index))
    for owner, base in (
        (type(index), Index),
        (type(index.estate), Estate),
        (type(site), Site),
        (type(site.qmgr), QueueManager),
        (type(index.cluster("")), Cluster),
    ):
        for name in sorted(_all_attributes(base)):
            if (base.__name__, name) not in noted:

                def fail(_: Any, asked: str = f"{base.__name__}.{name}") -> Any:
                    raise AssertionError(asked)

                setattr(owner, name, property(fail))


@pytest.mark.parametrize("planted", ALL, ids=lambda planted: planted.rule)
def test_a_rule_needs_nothing_but_what_was_noted(planted: Planted) -> None:
    """A rule finds the same where all that it was not noted to ask for is out of reach."""
    estate = planted.plant(healthy())
    facts, at = facts_of(estate, READS), estate.as_of.valid
    for rule in RULES.values():
        index = Index(estate.estate, at, facts)
        found = list(rule.check(index))
        _hide(index, index.asked())
        assert list(rule.check(index)) == found, rule.id


def test_what_was_asked_is_noted_for_each_rule() -> None:
    """A second rule that asks for the same is noted to ask for it, too."""
    index = Index(healthy().estate, healthy().as_of.valid)
    asked = []
    for _ in range(2):
        assert [site.receivers for site in index]
        assert [site.qmgr.values for site in index]
        assert index.cluster("SALES").members
        assert index.cluster("NONE").members == {}
        asked.append(index.asked())
    assert (
        asked[0]
        == asked[1]
        == {
            ("Site", "receivers"),
            ("QueueManager", "values"),
            ("Cluster", "members"),
        }
    )
