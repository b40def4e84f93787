"""Passwords, hashed with scrypt: the file of users never has a password itself."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Any, Final, NamedTuple, Self

_LONGEST: Final = 1024
"""The longest password, in bytes: a longer one is wrong without being hashed."""

_MEMORY: Final = 1 << 28
"""The most memory that a hash may take, in bytes, whatever a file of users asks for."""

_MOST_WORK: Final = 1 << 20
"""The largest cost of a hash that a file of users may ask for: n times p."""


class Cost(NamedTuple):
    """The cost of scrypt: memory is 128 n r bytes, work is n r p."""

    n: int = 2**14
    r: int = 8
    p: int = 5

    @property
    def is_usable(self) -> bool:
        """Whether scrypt takes it (RFC 7914), and it is no more than is sensible."""
        is_power = self.n > 1 and self.n & (self.n - 1) == 0
        if min(self) < 1 or not is_power or self.n.bit_length() > 16 * self.r:
            return False
        return 128 * self.r * (self.n + self.p + 2) <= _MEMORY and self.n * self.p <= _MOST_WORK


class HashedPassword(NamedTuple):
    """A password as the file has it."""

    cost: Cost
    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, password: str, cost: Cost = Cost()) -> Self:  # noqa: B008 - frozen
        """Hash a password with a new salt."""
        salt = secrets.token_bytes(16)
        return cls(cost, salt, _digest(password, salt, cost))

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read what `as_json` wrote.

        Raises:
            ValueError, TypeError, KeyError: if it is malformed, or costs more than is sensible.
        """
        cost = Cost(*(int(fields[name]) for name in Cost._fields))
        if not cost.is_usable:
            message = f"scrypt with {cost}"
            raise ValueError(message)
        return cls(cost, _decoded(fields["salt"]), _decoded(fields["digest"]))

    def as_json(self) -> dict[str, Any]:
        """Return the values of JSON that stand for it."""
        texts = {"salt": self.salt, "digest": self.digest}
        encoded = {name: base64.b64encode(raw).decode() for name, raw in texts.items()}
        return {**self.cost._asdict(), **encoded}

    def fits(self, password: str) -> bool:
        """Return whether a password is this one; this takes a while."""
        return hmac.compare_digest(_digest(password, self.salt, self.cost), self.digest)


def _decoded(text: str) -> bytes:
    raw = base64.b64decode(text, validate=True)
    if not raw:
        message = "nothing"
        raise ValueError(message)
    return raw


def _digest(password: str, salt: bytes, cost: Cost) -> bytes:
    raw = password.encode("utf-8", "surrogatepass")
    known = raw if len(raw) <= _LONGEST else b""
    made = hashlib.scrypt(known, salt=salt, maxmem=_MEMORY + (1 << 20), dklen=32, **cost._asdict())
    return made if len(raw) <= _LONGEST else bytes(len(made))
