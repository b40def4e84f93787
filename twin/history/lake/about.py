"""What a lake says of itself in `lake.json`: what it covers, and its files."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

from twin.history.columns import VERSION
from twin.history.errors import NotALake, OldLake
from twin.history.lake.place import LOCK, Lake, Place, place_of
from twin.log.records import Branch
from twin.model.instants import Instant, format_instant

ABOUT: Final = "lake.json"
_OURS: Final = frozenset({LOCK, f"{ABOUT}.new", f".{ABOUT}.new"})
"""What a process leaves that was killed before it described the lake."""


@dataclass(frozen=True, slots=True)
class About:
    """A lake's description of itself, true after each batch of an update.

    Attributes:
        version: the version of its columns.
        origin: the digest of the log's first event; '' if there is none yet.
        position: the last position of the log that is in it.
        branches: the branches of the log.
        tip: the digest of the event at that position; '' if there is none yet.
        target: the position that the last update was to reach.
        recorded_at: when the event at `position` was recorded; 0 if there is none yet.
        files: its valid files, relative to the lake.
        run: a name of the last update: an update that finds another one stops.
        asked: when the log was last read to its end, by the wall clock; 0 if unknown.
    """

    version: int
    origin: str
    position: int
    branches: tuple[Branch, ...]
    tip: str = ""
    target: int = 0
    recorded_at: Instant = 0
    files: tuple[str, ...] = ()
    run: str = ""
    asked: Instant = 0

    @classmethod
    def read(cls, lake: Lake | Place) -> About | None:
        """Read the description of a lake; None if there is no lake.

        Raises:
            NotALake: if the folder has other content, or is not a folder.
        """
        place = lake if isinstance(lake, Place) else place_of(lake)
        text = place.read(ABOUT)
        if text is None:
            if place.names() - _OURS:
                raise NotALake(str(place), "contains something other than a lake")
            return None
        try:
            said: dict[str, Any] = json.loads(text)
            said["branches"] = tuple(Branch(*each) for each in said["branches"])
            said["files"] = tuple(said.get("files", ()))
            required = (said["version"], said["origin"], said["position"], said["branches"])
            known = {name: said[name] for name in cls.__slots__[len(required) :] if name in said}
            return cls(*required, **known)
        except (ValueError, KeyError, TypeError, AttributeError):
            reason = f"contains a {ABOUT} that is not that of a lake"
            raise NotALake(str(place), reason) from None

    def demand_readable(self, lake: object) -> None:
        """Refuse a lake that has other columns.

        Raises:
            OldLake: if it has.
        """
        if self.version != VERSION:
            raise OldLake(str(lake), self.version)

    @property
    def is_complete(self) -> bool:
        """Return whether the last update reached the end of the log."""
        return self.position >= self.target

    def covers(self) -> str:
        """Return what the lake covers, in one line."""
        if self.is_complete:
            return f"log up to position {self.position:,}"
        return (
            f"log up to position {self.position:,} of {self.target:,}: the last update was "
            f"interrupted after what was recorded at {format_instant(self.recorded_at)}"
        )

    def write(self, lake: Lake | Place) -> None:
        """Write the description: completely or not at all."""
        place = lake if isinstance(lake, Place) else place_of(lake)
        place.write(ABOUT, json.dumps(asdict(self) | {"branches": self.branches}, indent=0))
