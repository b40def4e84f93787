"""A draft lets rules react to happenings, at once or later, by a table."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.sandbox import START
from twin.fold.estate import Estate
from twin.rules.draft import Draft


class Knocked(NamedTuple):
    """A happening for the test: somebody knocked, a number of times."""

    times: int


def _draft(reacted: list[int]) -> Draft:
    """Make a draft whose only rule notes each knock, and later knocks once less often."""

    def react(draft: Draft, knocked: Knocked) -> None:
        reacted.append(knocked.times)
        if knocked.times > 1:
            draft.react_later(Knocked(knocked.times - 1))
            draft.follow_up()  # the first call handles the rest
            reacted.append(-knocked.times)

    return Draft(Estate(), START, 1, reactions={Knocked: react})


def test_a_rule_reacts_before_the_reporting_rule_goes_on() -> None:
    """A happening that is reported at once is handled before the reporting rule continues."""
    reacted: list[int] = []
    _draft(reacted).react(Knocked(1))
    assert reacted == [1]


def test_later_reactions_come_in_order_and_one_after_the_other() -> None:
    """A later reaction ends before the next begins; its own happenings come after waiting ones."""
    reacted: list[int] = []
    draft = _draft(reacted)
    draft.react_later(Knocked(3))
    draft.react_later(Knocked(1))
    assert reacted == []
    draft.follow_up()
    assert reacted == [3, -3, 1, 2, -2, 1]
    assert not draft.follow_ups


def test_after_a_reaction_that_failed_the_next_follow_up_goes_on() -> None:
    """An error in a reaction is raised, and waiting reactions are not lost."""
    reacted: list[int] = []
    draft = _draft(reacted)
    draft.react_later("of this nobody knows")
    draft.react_later(Knocked(1))
    with pytest.raises(KeyError):
        draft.follow_up()
    draft.follow_up()
    assert reacted == [1]
