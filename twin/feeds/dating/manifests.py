"""The manifest that the scripts of `twin collect-script` write beside what they collect."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from twin.model.instants import Instant, instant_of

MANIFEST: Final = "manifest.txt"
"""The name of the file."""

OF_THE_SCRIPT: Final = frozenset({MANIFEST, "display.mqsc", "stderr.txt"})
"""The files beside a manifest that say nothing of queue managers."""

_FIRST: Final = "script: twin collect-script --"
_LINE: Final = re.compile(r"^(begin|end|TZ): *(\S+)\s*$", re.MULTILINE)
_FAILED: Final = re.compile(r"^(.{1,300}\bFAILED\b.{0,300})$", re.MULTILINE)
_HERE: Final = f"{_FIRST}unix"
"""The script that runs where the queue managers run; its zone is theirs."""


class CollectionManifest(NamedTuple):
    """When and where files were collected.

    Attributes:
        at: when the collection ended, or began if it has no end.
        zone: the zone of the queue managers; None if it is not known.
        ended: whether the collection has ended.
        missing: what was not collected, as the manifest says it.
    """

    at: Instant
    zone: tzinfo | None
    ended: bool = True
    missing: tuple[str, ...] = ()


def read_manifest(text: str) -> CollectionManifest | None:
    """Read a manifest; return None if the text is no manifest or has no instant."""
    if not text.startswith(_FIRST):
        return None
    said = {found[1]: found[2] for found in _LINE.finditer(text)}
    at = _instant(said.get("end") or said.get("begin", ""))
    if at is None:
        return None
    zone = _zone(said.get("TZ", "")) if text.startswith(_HERE) else None
    return CollectionManifest(at, zone, "end" in said, tuple(_FAILED.findall(text)))


def _instant(text: str) -> Instant | None:
    try:
        return instant_of(datetime.fromisoformat(text))
    except ValueError:
        return None


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name.removeprefix(":"))
    except (LookupError, ValueError, OSError):
        return None
