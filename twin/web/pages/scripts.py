"""Scripts that do not belong in a URL: the service holds the last ones in memory."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

from twin.errors import TwinError
from twin.mqsc.masking import masked_text
from twin.web.service import Service

HELD: Final = "kept"
"""The parameter of a URL that names a held script."""

_MOST: Final = 50
_IN_URL: Final = 3000
"""The longest script that stands in a URL, in characters."""


class ScriptGone(TwinError, LookupError):
    """A script that the service no longer holds."""

    def __init__(self) -> None:
        super().__init__("the service no longer has this script: paste it again")


class HeldScripts:
    """The last scripts of one service, each under a key that cannot be guessed."""

    def __init__(self) -> None:
        """Begin without any."""
        self._scripts: dict[str, str] = {}
        self._lock = Lock()

    def add(self, script: str) -> str:
        """Hold a script; return its key. The oldest goes if there are too many."""
        key = secrets.token_urlsafe(12)
        with self._lock:
            self._scripts[key] = script
            while len(self._scripts) > _MOST:
                del self._scripts[next(iter(self._scripts))]
        return key

    def get(self, key: str) -> str | None:
        """Return the script of a key; None if it is not held."""
        with self._lock:
            return self._scripts.get(key)


_OF_SERVICES: Final[WeakKeyDictionary[Service, HeldScripts]] = WeakKeyDictionary()
_MAKING: Final = Lock()


def scripts_of(service: Service) -> HeldScripts:
    """Return the scripts that are held for a service."""
    with _MAKING:
        return _OF_SERVICES.setdefault(service, HeldScripts())


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
    return {**others, HELD: scripts_of(service).add(script)}


def script_in(service: Service, own: Mapping[str, str], name: str) -> str:
    """Return the script that a URL has or names; '' if it has none.

    Raises:
        ScriptGone: if it is no longer held.
    """
    if HELD not in own:
        return own.get(name, "")
    script = scripts_of(service).get(own[HELD])
    if script is None:
        raise ScriptGone
    return script
