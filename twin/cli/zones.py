"""Time zones as options name them."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from twin.cli.errors import BadUsage


def zone_named(name: str, *, command: str) -> ZoneInfo:
    """Return a time zone.

    Raises:
        BadUsage: if there is no zone of this name.
    """
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        problem = f"unknown time zone {name!r}; expected one such as Europe/Berlin or UTC"
        raise BadUsage(command=command, problem=problem) from None
