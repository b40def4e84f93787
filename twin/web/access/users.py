"""The file of users: names, roles and hashed passwords.

{"version": 1, "users": {"anna": {"roles": ["MQWebAdmin"], "scrypt": {"n": 16384, ...}}}}
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self

from twin.errors import SubjectError, TwinError, reason_of
from twin.output_files import only_writer, write_whole
from twin.web.access.passwords import Cost, HashedPassword
from twin.web.errors import Unavailable


class Role(StrEnum):
    """The roles of mqweb."""

    ADMIN = "MQWebAdmin"
    READER = "MQWebAdminRO"
    USER = "MQWebUser"


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who may use the service: whoever has a role may read and rehearse."""

    name: str
    roles: frozenset[Role]

    @property
    def writes(self) -> bool:
        """Whether this user may change queue managers and branches."""
        return Role.ADMIN in self.roles

    @property
    def puts(self) -> bool:
        """Whether this user may put and get messages.

        In mqweb the messaging interface is for MQWebUser alone; an administrator of the twin may
        use it, too: the twin checks authorities only of calls that name a user of MQ.
        """
        return self.writes or Role.USER in self.roles


_VERSION: Final = 1
LONGEST: Final = 1 << 20
"""The size of the largest file of users, in bytes: room for some thousand."""

_NAME: Final = re.compile(r"[\w.@+-]{1,64}", re.ASCII)


def is_user_name(text: str) -> bool:
    """Return whether a user can have this name."""
    return _NAME.fullmatch(text) is not None


class BadUserName(
    SubjectError,
    ValueError,
    message="{!r} cannot be the name of a user; expected 1 to 64 of A-Z a-z 0-9 . _ @ + -",
):
    """A name with characters that the header of basic authentication, or a log, cannot have."""


class NoSuchUser(SubjectError, LookupError, message="there is no user {}"):
    """A user who is not in the file."""


class EmptyPassword(TwinError, ValueError, message="the password is empty"):
    """A password without a character."""


class UnusableUsers(Unavailable, message="the file of users {} cannot be used: {}"):
    """A file of users that cannot be read, or does not have the form of one."""


class UserEntry(NamedTuple):
    """A user as the file has it."""

    user: User
    password: HashedPassword

    @classmethod
    def read(cls, name: str, fields: Any) -> Self:
        """Read the value of a name in the file.

        Raises:
            ValueError, TypeError, KeyError: if it is malformed.
        """
        if not is_user_name(name) or not isinstance(fields["roles"], list):
            raise ValueError
        roles = frozenset(map(Role, fields["roles"]))
        return cls(User(name, roles), HashedPassword.read(fields["scrypt"]))

    def as_json(self) -> dict[str, Any]:
        """Return the value of the name in the file."""
        return {"roles": sorted(self.user.roles), "scrypt": self.password.as_json()}


class Users:
    """The users of a file, which is read again when it changes."""

    def __init__(self, path: Path) -> None:
        """Use this file; there are no users while it does not exist."""
        self.path = path
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._entries: Mapping[str, UserEntry] = MappingProxyType({})

    def entries(self) -> Mapping[str, UserEntry]:
        """Return the users by their names, sorted.

        Raises:
            UnusableUsers: if the file cannot be read, or does not have the form of one.
        """
        with self._lock:
            try:
                status = self.path.stat()
            except FileNotFoundError:
                self._seen, self._entries = None, MappingProxyType({})
                return self._entries
            except OSError as error:
                raise UnusableUsers(self.path, reason_of(error)) from None
            seen = (status.st_ino, status.st_mtime_ns, status.st_size)
            if seen != self._seen:
                self._entries = _read(self.path)
                self._seen = seen
            return self._entries

    def add(
        self,
        name: str,
        password: str,
        roles: Iterable[Role] | None = None,
        *,
        cost: Cost = Cost(),  # noqa: B008 - frozen
    ) -> bool:
        """Add a user, or replace the password and the roles of one; return whether it is new.

        Without roles, a user keeps them, and a new one reads.

        Raises:
            BadUserName, EmptyPassword: if the name or the password cannot be one.
            UnusableUsers: if the file cannot be read or written.
        """
        if not is_user_name(name):
            raise BadUserName(name)
        if not password:
            raise EmptyPassword
        self.entries()  # an unusable file is said before the hash is computed
        hashed = HashedPassword.of(password, cost)
        with self._changing() as entries:
            before = entries.get(name)
            if roles is None:
                roles = before.user.roles if before else (Role.READER,)
            entries[name] = UserEntry(User(name, frozenset(roles)), hashed)
        return before is None

    def remove(self, name: str) -> None:
        """Remove a user.

        Raises:
            NoSuchUser: if there is none of that name.
            UnusableUsers: if the file cannot be read or written.
        """
        if name not in self.entries():
            raise NoSuchUser(name)
        with self._changing() as entries:
            if entries.pop(name, None) is None:
                raise NoSuchUser(name)

    @contextmanager
    def _changing(self) -> Iterator[dict[str, UserEntry]]:
        """Yield the users for a change, and write them; another process waits meanwhile."""
        try:
            with only_writer(self.path):
                entries = dict(self.entries())
                yield entries
                self._write(entries)
        except OSError as error:
            raise UnusableUsers(self.path, reason_of(error)) from None

    def _write(self, entries: Mapping[str, UserEntry]) -> None:
        users = {name: entries[name].as_json() for name in sorted(entries)}
        text = json.dumps({"version": _VERSION, "users": users}, indent=2) + "\n"
        if len(text) > LONGEST:
            raise UnusableUsers(self.path, f"it would have more than {LONGEST} bytes")
        write_whole(self.path, text, mode=0o600)


def _read(path: Path) -> Mapping[str, UserEntry]:
    """Read a file of users.

    Raises:
        UnusableUsers: if it cannot be read, or does not have the form of one.
    """
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LONGEST + 1)
        if len(text) > LONGEST:
            raise UnusableUsers(path, f"it has more than {LONGEST} bytes")
        document = json.loads(text)
        if document["version"] != _VERSION:
            raise UnusableUsers(path, f"its version is not {_VERSION}")
        found = {name: UserEntry.read(name, document["users"][name]) for name in document["users"]}
    except OSError as error:
        raise UnusableUsers(path, reason_of(error)) from None
    except (ValueError, TypeError, KeyError, RecursionError):
        problem = "it does not have the form that twin user add writes"
        raise UnusableUsers(path, problem) from None
    return MappingProxyType(dict(sorted(found.items())))
