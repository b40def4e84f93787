"""The verbs of the story format. Each is declared once, in the module of its family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.stories.story import StepOutcome
from twin.stories.verbs import applications, channels, questions, queue_managers
from twin.stories.verbs.verb import ERRORS, Verb, reads_only

PAUSE: Final = ""
"""The verb of a step that only lets time pass."""

VERBS: Final[Mapping[str, Verb]] = {
    **queue_managers.VERBS,
    **applications.VERBS,
    **questions.VERBS,
    **channels.VERBS,
}
"""Every verb that a step may have."""

ALL: Final[Mapping[str, Verb]] = {
    PAUSE: Verb(
        meaning="lets time pass",
        perform=lambda *_: StepOutcome(),
        expects=ERRORS,
        title=lambda _: "time passes",
        changes=reads_only,
    ),
    **VERBS,
}
"""Every verb, and the pause."""
