"""The place where a story plays: a temporary log of its own, or a given branch."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from twin.app.session import MqscSession
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.events import AutomaticConfiguration, ConfigurationFile
from twin.model.instants import MAIN, Instant
from twin.stories.errors import CannotPlay, MalformedStory
from twin.stories.story import DEFAULT_START, Script, Story
from twin_scheduler.clock import VirtualClock


class Stage(Protocol):
    """A twin, the start of the story there, and how time passes."""

    twin: Twin
    start: Instant

    def advance(self, to: Instant) -> None:
        """Let everything happen that falls due up to and including an instant."""
        ...

    def finish(self, at: Instant) -> None:
        """Record that the story ended at an instant."""
        ...


class OwnStage:
    """A temporary log for one story; its clock shows the time of the story."""

    def __init__(self, url: str, start: Instant) -> None:
        self.start = start
        self._clock = VirtualClock(start)
        self.twin = Twin.open(url, clock=self._clock, synchronous="NORMAL")

    def advance(self, to: Instant) -> None:
        """Go from one due instant to the next, so that each event is recorded when it is due."""
        while (due := self.twin.due()) is not None and due <= to:
            self._clock.set(max(due, self._clock()))
            self.twin.tick(due)
        self._clock.set(to)

    def finish(self, at: Instant) -> None:
        """Do nothing: the log ends with the story."""


class BranchStage:
    """An existing branch; the story starts at its latest instant."""

    def __init__(self, twin: Twin, story: Story) -> None:
        self.twin = twin
        latest = twin.as_of().valid
        if story.start is not None and story.start < latest:
            problem = "a story cannot start before the latest instant of the branch it plays on"
            raise MalformedStory(story.place, "start", problem)
        self.start = latest if story.start is None else story.start

    def advance(self, to: Instant) -> None:
        """Record everything that fell due."""
        self.twin.tick(to)

    def finish(self, at: Instant) -> None:
        """Make the instant of the last step the branch's now."""
        if at > self.twin.present():
            self.twin.pass_time(at)


class RecordStage(BranchStage):
    """Branch main, which stories only read; what falls due is played in memory."""

    def _latest(self, twin: Twin) -> Instant:
        latest = twin.log.head(MAIN).occurred_at
        return twin.clock() if latest is None else latest

    def advance(self, to: Instant) -> None:
        """Record nothing."""

    def finish(self, at: Instant) -> None:
        """Record nothing."""


@contextmanager
def own_stage(story: Story) -> Iterator[Stage]:
    """Set up a temporary log for a story.

    Raises:
        CannotPlay: if its queue managers cannot be created, or their MQSC is refused.
    """
    start = DEFAULT_START if story.start is None else story.start
    with tempfile.TemporaryDirectory(prefix="twin-story-") as folder:
        stage = OwnStage(f"sqlite:///{Path(folder) / 'story.db'}", start)
        with stage.twin:
            _set_up(stage.twin, story, start)
            yield stage


def _set_up(twin: Twin, story: Story, at: Instant) -> None:
    scripts = story.scripts or ()
    try:
        for name, value in story.readings.items():
            twin.choose_reading(name, value, at=at)
        for script in scripts:
            create(twin, script, at)
        if story.latency:
            twin.link("delay", "", "", latency=story.latency, at=at)
        for link in story.links:
            twin.link("delay", *link.between, latency=link.latency, at=at)
    except TwinError as error:
        raise CannotPlay(story.place, "", str(error)) from None
    for script in scripts:
        if problem := run_script(twin, script, at):
            raise CannotPlay(script.place, script.qmgr, problem)


def create(twin: Twin, script: Script, at: Instant) -> None:
    """Create and start a queue manager."""
    ini = (ConfigurationFile(name="qm.ini", text=script.ini),) if script.ini else ()
    twin.crtmqm(
        script.qmgr,
        cmdlevel=script.cmdlevel,
        platform=script.platform,
        configuration=AutomaticConfiguration(ini=ini) if ini else None,
        at=at,
    )
    twin.strmqm(script.qmgr, at=at)


def run_script(twin: Twin, script: Script, at: Instant) -> str:
    """Run the MQSC of a new queue manager; return the first refusal, or ''."""
    return failure_of(twin.runmqsc(script.qmgr, script.mqsc, at=at)) if script.mqsc else ""


def failure_of(session: MqscSession) -> str:
    """Return the first failed answer of a session, or '' if all commands were processed."""
    if not session.exit_code:
        return ""
    return session.problem or "its MQSC was not processed"
