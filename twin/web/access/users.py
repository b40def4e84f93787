"""The file of users: names, roles and hashed passwords."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

_COST: Final = {"n": 2**14, "r": 8, "p": 1}
"""The cost of scrypt: 16 MiB and some 50 ms for each password."""


class Role(StrEnum):
    """The roles of mqweb."""

    ADMIN = "MQWebAdmin"
    READER = "MQWebAdminRO"
    USER = "MQWebUser"


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who may use the service."""

    name: str
    roles: frozenset[Role]

    @property
    def writes(self) -> bool:
        """Whether this user may change queue managers."""
        return Role.ADMIN in self.roles


class Users:
    """The users of a file, which is read again when it changes."""

    def __init__(self, path: Path) -> None:
        """Read users from this JSON file; there are none if it does not exist."""
        self._path = path

    def _read(self) -> dict[str, dict[str, object]]:
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        found = json.loads(text)
        return found if isinstance(found, dict) else {}

    def add(self, name: str, password: str, roles: frozenset[Role]) -> None:
        """Add a user, or replace the password and the roles of one."""
        salt = secrets.token_bytes(16)
        users = self._read()
        users[name] = {
            "roles": sorted(roles),
            "salt": base64.b64encode(salt).decode(),
            "scrypt": base64.b64encode(_digest(password, salt)).decode(),
        }
        self._path.write_text(json.dumps(users, indent=2), encoding="utf-8")
        self._path.chmod(0o600)

    def verified(self, name: str, password: str) -> User | None:
        """Return the user if the password is right."""
        entry = self._read().get(name)
        if entry is None:
            return None
        salt = base64.b64decode(str(entry["salt"]))
        expected = base64.b64decode(str(entry["scrypt"]))
        if not hmac.compare_digest(_digest(password, salt), expected):
            return None
        roles = entry["roles"]
        return User(name, frozenset(map(Role, roles if isinstance(roles, list) else [])))


def _digest(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=_COST["n"], r=_COST["r"], p=_COST["p"])
