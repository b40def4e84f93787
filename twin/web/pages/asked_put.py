"""The put that the view Why asks about, as its URL says it."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from twin.mqsc.masking import masked_text
from twin.questions.explanation import ExplainRequest
from twin.web.errors import BadRequest
from twin.web.pages.parameters import POSITION, QUEUE_MANAGER, TEXT, one_of
from twin.web.pages.place import PagePlace

BINDS: Final = ("asqdef", "open", "notfixed", "group")
PROFILES: Final = ("", "v8", "v7")
PARAMETERS: Final = {
    "on": QUEUE_MANAGER,
    "queue": TEXT,
    "to": TEXT,
    "bind": one_of(BINDS),
    "profile": one_of(PROFILES[1:]),
    "put1": one_of(("yes",)),
    "with": TEXT,
    "position": POSITION,
}
"""The query parameters with a put."""


class PasswordInAddress(BadRequest):
    """Settings with a password: the address of a page stands in logs and histories."""

    def __init__(self) -> None:
        super().__init__(
            "the settings have a password, which would stand in the address of this page; leave "
            "it out: no choice depends on it"
        )


def demand_no_password(settings: str) -> str:
    """Return settings that may stand in the address of a page.

    Raises:
        PasswordInAddress: if they have a password.
    """
    if masked_text(settings) != settings:
        raise PasswordInAddress
    return settings


class AskedPut(NamedTuple):
    """The put that a URL asks about.

    Attributes:
        on: the queue manager that the application is connected to; '' if none is named yet.
        queue: the queue; '' if none is named yet.
        settings: commands that are rehearsed first, as `explain --with` takes them.
        position: the position of a recorded choice, instead of all others.
    """

    on: str
    queue: str
    to: str
    bind: str
    profile: str
    put1: bool
    settings: str
    position: str

    @classmethod
    def of(cls, place: PagePlace) -> Self:
        """Read the put from the parameters of a URL.

        Raises:
            PasswordInAddress: if its settings have a password.
        """
        own = place.own
        return cls(
            own.get("on", place.eyes or ""),
            own.get("queue", ""),
            own.get("to", ""),
            own.get("bind", BINDS[0]),
            own.get("profile", ""),
            own.get("put1", "") == "yes",
            demand_no_password(own.get("with", "")),
            own.get("position", ""),
        )

    @property
    def is_complete(self) -> bool:
        """Whether there is something to explain."""
        return bool(self.position or (self.on and self.queue))

    @property
    def request(self) -> ExplainRequest:
        """The put as the twin takes it."""
        return ExplainRequest(
            queue=self.queue, to=self.to, bind=self.bind, put1=self.put1, profile=self.profile
        )
