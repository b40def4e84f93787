"""Statements of IBM's documents that docs/fidelity.md proves with a story of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from twin.stories.play import play
from twin.stories.read import read
from twin.stories.report import step_lines
from twin.stories.story import Story

FILES: Final = sorted((Path(__file__).parent / "fidelity").glob("*.yaml"))
STORIES: Final = [
    story for file in FILES for story in read(file.read_text(encoding="utf-8"), file=file.name)
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: str(story.place))
def test_the_story_holds(story: Story) -> None:
    """Every step has its expected outcome."""
    failed = [step for step in play(story) if not step.held]
    lines = [line for step in failed for line in step_lines(step, width=None)]
    assert not lines, "\n".join([story.name, *lines])
