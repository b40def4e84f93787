"""Signing in: by a password, or by a token that a password was given for."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from math import ceil
from typing import Final, NamedTuple

from twin.web.access.passwords import Cost, HashedPassword
from twin.web.access.users import User, UserEntry, Users, is_user_name
from twin.web.errors import NotSignedIn, SignedOut, TooManyAttempts

COOKIE: Final = "LtpaToken2"
"""What the name of the cookie with a token begins with, in mqweb and here."""

REMEMBERED: Final = 600.0
"""The seconds for which a verified password is not hashed again."""

_MOST_REMEMBERED: Final = 1000

_AT_ONCE: Final = 2
"""How many passwords are hashed at the same time: each takes 16 MiB and a processor."""

LIFETIME: Final = 120 * 60.0
"""The seconds after which a token expires, as in mqweb."""

OF_USER: Final = 100
"""The most tokens of one user; another one replaces the oldest."""

_MOST: Final = 10_000


class GivenToken(NamedTuple):
    """A token that was given.

    Attributes:
        name: the user it was given to.
        password: the digest of the password that the user had then.
        expires: when it expires, in seconds of the clock.
    """

    name: str
    password: bytes
    expires: float


class Tokens:
    """The tokens that were given and have not expired; only their digests are kept."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Use a clock in seconds that only grows."""
        self._clock = clock
        self._lock = threading.Lock()
        self._given: OrderedDict[bytes, GivenToken] = OrderedDict()

    def give(self, name: str, password: bytes) -> str:
        """Make a token for a user with this digest of the password."""
        text = secrets.token_urlsafe(48)
        with self._lock:
            self._drop_expired()
            own = [key for key, token in self._given.items() if token.name == name]
            for key in own[: max(0, len(own) - OF_USER + 1)]:
                del self._given[key]
            while len(self._given) >= _MOST:
                self._given.popitem(last=False)
            expires = self._clock() + LIFETIME
            self._given[_digest(text)] = GivenToken(name, password, expires)
        return text

    def find(self, text: str) -> GivenToken | None:
        """Return what is known of a token; None if it was never given, or has expired."""
        with self._lock:
            self._drop_expired()
            return self._given.get(_digest(text))

    def take_back(self, text: str) -> None:
        """Let a token expire now."""
        with self._lock:
            self._given.pop(_digest(text), None)

    def _drop_expired(self) -> None:
        now = self._clock()
        while self._given and next(iter(self._given.values())).expires <= now:
            self._given.popitem(last=False)


class SignedIn(NamedTuple):
    """A user who is signed in.

    Attributes:
        user: the user.
        credential: what identifies the credentials: no other user or session has the same.
    """

    user: User
    credential: str


class AccessControl:
    """Checks credentials.

    A verified password is remembered for ten minutes, as a digest with a key of this process, so
    that clients that send it with each request do not wait for scrypt each time.

    Attributes:
        users: the users.
        cookie: the name of the cookie with a token; it changes with each start of the service.
    """

    def __init__(self, users: Users, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Check the credentials of users by a clock in seconds that only grows."""
        self.users = users
        self.cookie = f"{COOKIE}_{secrets.randbelow(10**8):08}"
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._nobody = HashedPassword(Cost(), secrets.token_bytes(16), secrets.token_bytes(32))
        self._attempts = SignInAttempts(clock)
        self._tokens = Tokens(clock)
        self._remembered: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()
        self._hashing = threading.BoundedSemaphore(_AT_ONCE)

    def by_password(self, name: str, password: str, *, address: str) -> SignedIn:
        """Return the user of a password that came from an address.

        Raises:
            NotSignedIn: if there is no such user, or the password is wrong.
            TooManyAttempts: if there were too many wrong ones.
            UnusableUsers: if the file of users cannot be used.
        """
        return SignedIn(self._verified(name, password, address).user, f"password {name}")

    def _verified(self, name: str, password: str, address: str) -> UserEntry:
        if not is_user_name(name):  # nobody's; it may be long, and is not remembered
            raise NotSignedIn
        entry = self.users.entries().get(name)
        if entry is not None and self._remembers(entry, password):
            return entry
        self._attempts.begin(address, name)
        hashed = self._nobody if entry is None else entry.password
        with self._hashing:
            fits = hashed.fits(password)
        if entry is None or not fits:
            raise NotSignedIn
        self._attempts.succeeded(address, name)
        self._remember(entry, password)
        return entry

    def _remembers(self, entry: UserEntry, password: str) -> bool:
        with self._lock:
            until = self._remembered.get(self._digest_of(entry, password))
        return until is not None and until > self._clock()

    def _remember(self, entry: UserEntry, password: str) -> None:
        with self._lock:
            self._remembered[self._digest_of(entry, password)] = self._clock() + REMEMBERED
            while len(self._remembered) > _MOST_REMEMBERED:
                self._remembered.popitem(last=False)

    def _digest_of(self, entry: UserEntry, password: str) -> bytes:
        """Return what is remembered of a password; another one if the user's password changed."""
        return self._keyed("password", entry.user.name, entry.password.digest.hex(), password)

    def sign_in(self, name: str, password: str, *, address: str) -> str:
        """Return a new token for a user.

        Raises:
            NotSignedIn, TooManyAttempts, UnusableUsers: as `by_password`.
        """
        entry = self._verified(name, password, address)
        return self._tokens.give(name, entry.password.digest)

    def by_token(self, text: str) -> SignedIn:
        """Return the user of a token.

        Raises:
            SignedOut: if the token was never given, has expired, or its user was removed or has
                another password now.
            UnusableUsers: if the file of users cannot be used.
        """
        token = self._tokens.find(text)
        entry = self.users.entries().get(token.name) if token else None
        if token is None or entry is None or entry.password.digest != token.password:
            raise SignedOut
        return SignedIn(entry.user, f"token {text}")

    def sign_out(self, text: str) -> None:
        """Let a token expire now."""
        self._tokens.take_back(text)

    def form_token(self, signed_in: SignedIn) -> str:
        """Return what a form has that a page of this service showed to a user."""
        return self._keyed("form", signed_in.credential).hex()

    def is_form_token(self, signed_in: SignedIn, given: str) -> bool:
        """Return whether a form has the token of this user."""
        expected = self.form_token(signed_in)
        return hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))

    def _keyed(self, *words: str) -> bytes:
        text = "\0".join(words).encode("utf-8", "surrogatepass")
        return hmac.new(self._key, text, hashlib.sha256).digest()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


WINDOW: Final = 300.0
"""The seconds for which a failed attempt counts."""

OF_PAIR: Final = 5
"""The failed attempts that one address has for one name."""

OF_ADDRESS: Final = 30
"""The failed attempts that one address has for all names."""

OF_NAME: Final = 100
"""The failed attempts for one name from all addresses: fewer would let anybody lock a user out."""

MOST: Final = 10_000
"""The most addresses and names that are remembered."""

_Key = tuple[str, str]


class SignInAttempts:
    """The failed attempts of the last minutes. Each counts from its beginning."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Count by a clock in seconds that only grows."""
        self._clock = clock
        self._lock = threading.Lock()
        self._times: OrderedDict[_Key, deque[float]] = OrderedDict()

    def begin(self, address: str, name: str) -> None:
        """Count an attempt, until it succeeds.

        Raises:
            TooManyAttempts: if there were too many; then it does not count, and is forgotten.
        """
        now = self._clock()
        limits = _limits(address, name)
        with self._lock:
            waits = [
                times[0] + WINDOW - now
                for key, limit in limits.items()
                if (times := self._times.get(key))
                and len(times) == limit
                and times[0] + WINDOW > now
            ]
            if waits:
                raise TooManyAttempts(ceil(max(waits)))
            for key, limit in limits.items():
                self._times.setdefault(key, deque(maxlen=limit)).append(now)
                self._times.move_to_end(key)
            while len(self._times) > MOST:
                self._times.popitem(last=False)

    def succeeded(self, address: str, name: str) -> None:
        """Take the last attempt back, and all of this address for this name."""
        pair, *others = _limits(address, name)
        with self._lock:
            self._times.pop(pair, None)
            for key in others:
                if times := self._times.get(key):
                    times.pop()
                    if not times:
                        del self._times[key]

    def __len__(self) -> int:
        """Return how many addresses and names are remembered: `MOST` is the limit."""
        return len(self._times)


def _limits(address: str, name: str) -> dict[_Key, int]:
    """Return what an attempt counts for, and how many may fail; the pair is the first."""
    return {(address, name): OF_PAIR, (address, ""): OF_ADDRESS, ("", name): OF_NAME}
