"""Scripts in URLs: those that do not belong there are held by the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.errors import TwinError
from twin.mqsc.masking import masked_text
from twin.web.service import Service

HELD: Final = "kept"
"""The parameter of a URL that names a held script."""

_IN_URL: Final = 3000
"""The longest script that stands in a URL, in characters."""


class ScriptGone(
    TwinError, LookupError, message="the service no longer has this script: paste it again"
):
    """A script that the service no longer holds."""


def without_script(service: Service, own: Mapping[str, str], name: str) -> dict[str, str]:
    """Return the parameters of a URL; the script under a name is held if it does not belong there.

    A script does not belong in a URL if it is long, or has a password: URLs stand in logs.
    """
    script = own.get(name, "").replace("\r\n", "\n").strip()
    if not script:
        return dict(own)
    others = {key: value for key, value in own.items() if key not in (name, HELD)}
    if len(script) <= _IN_URL and masked_text(script) == script:
        return {**others, name: script}
    return {**others, HELD: service.scripts.add(script)}


def script_in(service: Service, own: Mapping[str, str], name: str) -> str:
    """Return the script that a URL has or names; '' if it has none.

    Raises:
        ScriptGone: if it is no longer held.
    """
    if HELD not in own:
        return own.get(name, "")
    script = service.scripts.get(own[HELD])
    if script is None:
        raise ScriptGone
    return script
