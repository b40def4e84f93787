"""docs/stories.md and docs/procedures.md: their stories hold, and the pages are complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from twin.stories.checking import EXPECTATIONS
from twin.stories.play import play
from twin.stories.read import STORY_KEYS, read
from twin.stories.report import step_lines
from twin.stories.story import Story
from twin.stories.verbs import VERBS

DOCS: Final = Path(__file__).parents[2] / "docs"
PAGE: Final = (DOCS / "stories.md").read_text(encoding="utf-8")
PROCEDURES: Final = (DOCS / "procedures.md").read_text(encoding="utf-8")
BLOCK: Final = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
REFERENCE: Final = PAGE.partition("\n## Reference\n")[2]
STORIES: Final = [
    story
    for file, page in (("stories.md", PAGE), ("procedures.md", PROCEDURES))
    for number, block in enumerate(BLOCK.findall(page), start=1)
    for story in read(block, file=f"story {number} of docs/{file}")
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: str(story.place))
def test_the_story_holds(story: Story) -> None:
    """Each story on the pages holds."""
    failed = [step for step in play(story) if not step.held]
    lines = [line for step in failed for line in step_lines(step, width=None)]
    assert not lines, "\n".join([story.name, *lines])


def test_seven_stories_teach_the_format() -> None:
    """The page has seven stories, each under its own heading."""
    assert len(BLOCK.findall(PAGE)) == len(re.findall(r"^## \d\.", PAGE, re.MULTILINE)) == 7


@pytest.mark.parametrize("procedure", re.split(r"^## ", PROCEDURES, flags=re.MULTILINE)[1:])
def test_a_procedure_says_when_what_can_go_wrong_and_has_one_story(procedure: str) -> None:
    """Each procedure says when it is needed and what can go wrong, and one story plays it."""
    assert "**When.**" in procedure
    assert "**What can go wrong.**" in procedure
    assert len(BLOCK.findall(procedure)) == procedure.count("\nstory: ") == 1


@pytest.mark.parametrize("key", STORY_KEYS)
def test_every_key_of_a_story_is_in_the_reference(key: str) -> None:
    """The table of keys has a row for each key of a story."""
    assert f"\n| `{key}` | " in REFERENCE


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_in_the_reference_with_its_meaning(verb: str) -> None:
    """The table of verbs has a row for each verb, which begins with its meaning in the code."""
    meaning = VERBS[verb].meaning
    assert re.search(
        rf"^\| `{verb}: .*\| {meaning[0].upper()}{re.escape(meaning[1:])}\.",
        REFERENCE,
        re.MULTILINE,
    )


@pytest.mark.parametrize("key", sorted(EXPECTATIONS))
def test_every_expectation_is_in_the_reference(key: str) -> None:
    """The table of expectations has a row for each key of `expect`."""
    assert f"\n| `{key}: " in REFERENCE


def test_the_session_on_the_page_is_that_of_its_story() -> None:
    """The output shown for the first story is the output of playing it."""
    story = STORIES[0]
    (shown,) = re.findall(
        r"^```console\n\$ twin play.*?\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
    )
    played = [story.name]
    for step in play(story):
        played += step_lines(step, width=None, moments=len("+29d23h59m59s"))
    played.append(f"{len(story.steps)} steps held")
    lines = shown.splitlines()
    dots = lines.index("...")
    assert played[:dots] == lines[:dots]
    assert played[-1] == lines[-1]
