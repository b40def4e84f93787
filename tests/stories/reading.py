"""Shared helpers of the reader's tests: stories from a few lines of text."""

from __future__ import annotations

import textwrap

import pytest

from twin.stories.errors import MalformedStory
from twin.stories.read import read
from twin.stories.story import Step, Story

HEAD = "story: a\nqueue managers: {QM1: '', QM2: '', FR1: ''}\nsteps:\n"
"""The lines in front of the steps under test, which begin in line 4."""


def only(text: str) -> Story:
    """Read the one story of a text."""
    (story,) = read(textwrap.dedent(text), file="s.yaml")
    return story


def step(text: str) -> Step:
    """Read a story of one step and return it."""
    (found,) = only(f"{HEAD}  - {text}\n").steps
    return found


def refused(text: str) -> str:
    """Read a malformed text, and return the error message."""
    with pytest.raises(MalformedStory) as error:
        read(textwrap.dedent(text), file="s.yaml")
    said = str(error.value)
    assert "\n" not in said
    return said
