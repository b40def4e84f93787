"""Stories that are played on an existing branch."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.scenes import START, build, make_twin
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR
from twin.stories.errors import MalformedStory
from twin.stories.play import Played, play
from twin.stories.read import read


@pytest.fixture
def branch(tmp_path: Path) -> Iterator[Twin]:
    """Make a what-if branch of an existing log."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: START + DAY) as main:
        build(main)
        main.create_branch("lab")
        yield main.on_branch("lab")


def on(twin: Twin, text: str, *, head: str = "story: a\n") -> list[Played]:
    """Play a story without queue managers on a branch."""
    (story,) = read(f"{head}steps:\n{textwrap.dedent(text)}", file="s.yaml")
    return list(play(story, twin=twin))


def test_a_story_plays_on_its_branch_from_its_latest_instant(branch: Twin) -> None:
    """Relative times count from the branch's latest instant, and actions stay on the branch."""
    played = on(
        branch,
        """
        - {ask: members, expect: {count: 4}}
        - {at: +1d, endmqm: PR1}
        - {at: +91d1s, ask: beliefs, with: {on: FR1, kind: qmgr}, expect: {count: 3}}
        """,
    )
    assert [each.held for each in played] == [True] * 3
    assert played[0].start == START
    assert branch.as_of().valid > START + DAY
    main = branch.on_branch("main")
    assert len(main.ask("members").rows) == 4
    assert main.view()[0].qmgr("PR1").running
    (again,) = on(branch, "- {at: +1h, strmqm: PR1}\n")
    assert again.start >= START + 90 * DAY


def test_the_time_of_a_story_passes_on_its_branch(branch: Twin) -> None:
    """The branch's now is the last step of a story, even if that step only waits or asks."""
    on(branch, "- {at: +2h}\n")
    assert branch.as_of().valid == START + 2 * HOUR
    (asked,) = on(branch, "- {at: +1h, ask: members}\n")
    assert (asked.start, branch.as_of().valid) == (START + 2 * HOUR, START + 3 * HOUR)
    head = branch.log.head("lab")
    on(branch, "- {ask: members}\n")
    assert branch.log.head("lab") == head


def test_a_story_does_not_start_before_its_branch(branch: Twin) -> None:
    """A story may start later than the branch's latest instant, but not earlier."""
    head = "story: a\nstart: 2025-01-01\n"
    with pytest.raises(MalformedStory, match=r"s\.yaml:1: start: a story cannot start before"):
        on(branch, "- ask: members\n", head=head)
    (played,) = on(branch, "- {at: +1d, ask: members}\n", head="story: a\nstart: 2026-02-01\n")
    assert played.at == START + 32 * DAY


def test_a_story_reads_main_and_never_acts_on_it(branch: Twin) -> None:
    """A story on main may only read; a step that would act is refused with a hint to branches."""
    main = branch.on_branch("main")
    before = main.log.head("main")
    played = on(
        main,
        """
        - {ask: members, expect: {count: 4}}
        - {on: FR1, runmqsc: DISPLAY CLUSQMGR(*), expect: {count: 4}}
        - {at: +40d, ask: lifetimes, with: {on: PR1, name: PR1}}
        """,
    )
    assert [each.held for each in played] == [True] * 3
    for text in ("- endmqm: PR1\n", "- {on: FR1, runmqsc: DEFINE QLOCAL(A)}\n"):
        with pytest.raises(MalformedStory, match="a story must not change main"):
            on(main, "- ask: members\n" + text)
    assert main.log.head("main") == before


def test_a_queue_manager_that_a_branch_does_not_have_fails_its_step(branch: Twin) -> None:
    """A step on a branch that names an unknown queue manager fails."""
    played = on(branch, "- endmqm: PR9\n- {ask: beliefs, with: {on: PR9}}\n")
    assert [each.held for each in played] == [False, False]
    assert "PR9" in played[0].differences[0].actual[0]
