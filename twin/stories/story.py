"""What a story says: queue managers, links, and steps with what is expected of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from twin.model.instants import Instant, parse_instant
from twin.stories.errors import Place
from twin.stories.moments import Moment

DEFAULT_START: Final[Instant] = parse_instant("2026-01-01T00:00:00Z", now=0)
"""When a story of its own queue managers starts that does not say so."""


@dataclass(frozen=True, slots=True)
class Script:
    """A queue manager to be created and started, and the MQSC that is then run there."""

    place: Place
    qmgr: str
    mqsc: str
    cmdlevel: int
    platform: str


@dataclass(frozen=True, slots=True)
class Link:
    """What becomes of a link; `between` of None means every link that has nothing of its own."""

    action: Literal["cut", "heal", "delay"]
    between: tuple[str, str] | None
    latency: int = 0


@dataclass(frozen=True, slots=True)
class Pass:
    """Nothing is done: time passes."""


@dataclass(frozen=True, slots=True)
class RunMqsc:
    """MQSC at a queue manager; with a time it only reads."""

    on: str
    text: str
    as_of: Moment | None = None
    known_at: Moment | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """An MQOPEN; `name` is the handle's."""

    on: str
    queue: str
    bind: str
    to: str
    name: str
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Control:
    """strmqm, endmqm or dltmqm of one or more queue managers."""

    command: Literal["strmqm", "endmqm", "dltmqm"]
    qmgrs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Create:
    """crtmqm in mid-story: made, started, and its MQSC run."""

    scripts: tuple[Script, ...]


@dataclass(frozen=True, slots=True)
class Restore:
    """Queue managers put back as from backups of earlier instants."""

    backups: tuple[tuple[str, Moment], ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, of now or of a time."""

    question: str
    filters: Mapping[str, str]
    since: Moment | None = None
    as_of: Moment | None = None
    known_at: Moment | None = None


@dataclass(frozen=True, slots=True)
class MessageStep:
    """A step about messages or the channels that carry them, with its options by their keys."""

    place: Place
    verb: str
    on: str
    options: Mapping[str, Any]


Action: TypeAlias = Pass | RunMqsc | Open | Control | Create | Link | Restore | Ask | MessageStep


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a step must come to.

    Attributes:
        values: what is expected, by its key, each read as its kind.
        written: the same as it stands in the story, for those who are shown it.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    written: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One step: when, what, and what must come of it.

    Attributes:
        number: from 1.
        at: when; None for the instant of the step before.
        verb: what it is called, '' where time just passes.
        title: what it does, in one line.
    """

    number: int
    place: Place
    at: Moment | None
    verb: str
    title: str
    action: Action
    expect: Expectation


@dataclass(frozen=True, slots=True)
class Story:
    """One scenario.

    Attributes:
        name: what it says, in a sentence.
        start: its first instant, None where it is not given.
        scripts: its queue managers; None where it plays on the branch it is given.
        latency: of every link that has none of its own, in microseconds.
        links: links with a latency of their own.
    """

    name: str
    place: Place
    start: Instant | None
    scripts: tuple[Script, ...] | None
    latency: int
    links: tuple[Link, ...]
    steps: tuple[Step, ...]
