"""Where messages go: worked examples from IBM's pages and other sources, as small stories."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
import yaml

from twin.stories.play import play
from twin.stories.read import read
from twin.stories.report import step_lines
from twin.stories.story import Story

FILES: Final = sorted((Path(__file__).parent / "messages").glob("*.yaml"))
STORIES: Final = [
    story for file in FILES for story in read(file.read_text(encoding="utf-8"), file=file.name)
]
ENOUGH: Final = 100

SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples" / "reference"
ALPHA: Final = SAMPLES / "mqsc" / "ALPHA"
CAPTURES: Final = SAMPLES / "runmqsc-output"


def _failures(story: Story) -> str:
    """Play a story and return the failed steps; '' if all held."""
    failed = [step for step in play(story) if not step.held]
    lines = [line for step in failed for line in step_lines(step, width=None)]
    return "\n".join([story.name, *lines]) if lines else ""


@pytest.mark.parametrize("story", STORIES, ids=lambda story: str(story.place))
def test_the_story_holds(story: Story) -> None:
    """Every step has its expected outcome."""
    assert not (failures := _failures(story)), failures


def test_there_are_enough_of_them_and_each_is_another() -> None:
    """The stories are as many as required, and each has its own name."""
    names = [story.name for story in STORIES]
    assert len(names) == len(set(names)) >= ENOUGH


@pytest.mark.skipif(not ALPHA.is_dir(), reason="the reference samples are not here")
def test_the_scripts_of_a_real_cluster_give_the_depths_and_the_order_that_were_seen() -> None:
    """The scripts of a real cluster give the depths and the order seen there after 20 puts."""
    (capture,) = CAPTURES.glob("*ALPHA_curdepth*")
    seen = capture.read_text(encoding="utf-8")
    depths = [int(depth) for depth in re.findall(r"CURDEPTH\((\d+)\)", seen)]
    kept = [int(number) for number in re.findall(r"^message <(\d+)>", seen, re.MULTILINE)]
    scripts = {file.stem: file.read_text(encoding="utf-8") for file in sorted(ALPHA.iterdir())}
    assert len(depths) == len(scripts)

    order = [list(scripts)[number % len(scripts)] for number in range(sum(depths))]
    assert kept == [number for number, qmgr in enumerate(order, start=1) if qmgr == "A"]
    put = {"on": "A", "put": {"queue": "Q1", "count": sum(depths)}}
    expected = {"to": dict(zip(scripts, depths, strict=True)), "order": order}
    shown = [
        {
            "on": qmgr,
            "runmqsc": "DISPLAY QLOCAL(Q1) CURDEPTH",
            "expect": {"rows": [{"queue": "Q1", "curdepth": depth}], "exact": True},
        }
        for qmgr, depth in zip(scripts, depths, strict=True)
    ]
    text = yaml.safe_dump(
        {
            "story": "ALPHA as it was",
            "queue managers": scripts,
            "steps": [{**put, "expect": expected}, *shown],
        },
        sort_keys=False,
    )
    (story,) = read(text, file="alpha.yaml")
    assert not (failures := _failures(story)), failures
