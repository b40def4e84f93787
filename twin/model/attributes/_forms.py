"""The forms of values: each form reads the tokens in parentheses and checks their limits.

An error in a keyword or its value is a value instead of an exception.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from twin.model.names import NAME_LENGTH, legal_channel_pattern, legal_name
from twin.model.passwords import HIDDEN

ProblemKind: TypeAlias = Literal[
    "unknown-keyword",
    "keyword-not-for-type",
    "bad-value",
    "out-of-range",
    "too-long",
    "bad-name",
    "missing",
    "exclusive",
    "repeated",
    "not-alterable",
    "unknown-cipherspec",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """The first error in the parameters of a command.

    `text` is a sentence for people; `reason` is the reason code of MQ, if a source names one.
    """

    kind: ProblemKind
    keyword: str
    text: str
    reason: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """An error in a value, before its keyword is known."""

    kind: ProblemKind
    text: str


Value: TypeAlias = str | int | tuple[str, ...]
"""A number, a string ('' when blank), or a list of strings."""

_F = TypeVar("_F")

_HEX: Final = re.compile(r"[0-9A-F]*", re.ASCII)
_CIPHER_SPEC: Final = re.compile(
    r"ANY(_TLS1[23](_OR_HIGHER)?)?|(ECDHE_(ECDSA|RSA)|TLS_(RSA|AES|CHACHA20))_\w+"
    r"|(AES|DES|RC2|RC4|TRIPLE_DES|NULL|FIPS_WITH)_\w+|[0-9A-F]{4}",
    re.ASCII,
)
_NUMBER: Final = re.compile(r"[+-]?\d{1,18}", re.ASCII)


class ValueToken(Protocol):
    """One value in parentheses, as `twin.mqsc` reads it."""

    @property
    def text(self) -> str:
        """The value without its quotes; an unquoted one is folded to upper case."""

    @property
    def quoted(self) -> bool:
        """Whether it was in quotes."""


class Form(Protocol):
    """How the value of an attribute is read."""

    @property
    def quoted(self) -> bool:
        """Whether dmpmqcfg puts the value in quotes."""

    def read(self, tokens: Sequence[ValueToken]) -> Value | Fault:
        """Read the tokens in parentheses; return a `Fault` if they are not a valid value."""


def _one_value(
    read: Callable[[_F, str], Value | Fault],
) -> Callable[[_F, Sequence[ValueToken]], Value | Fault]:
    """Make a reader of one token from a reader of its text without trailing blanks."""

    def read_one(form: _F, tokens: Sequence[ValueToken]) -> Value | Fault:
        if len(tokens) != 1:
            return Fault("bad-value", f"takes one value, not {len(tokens)}")
        return read(form, tokens[0].text.rstrip())

    return read_one


def _too_long(limit: int) -> Fault:
    return Fault("too-long", f"takes at most {limit} characters")


class Text(NamedTuple):
    """Any string up to `limit` characters."""

    limit: int
    quoted: bool = True

    @_one_value
    def read(self, text: str) -> Value | Fault:
        """Read one string; blanks at its end are removed."""
        return _too_long(self.limit) if len(text) > self.limit else text


class Name(NamedTuple):
    """The name of an MQ object, or blank."""

    limit: int = NAME_LENGTH
    quoted: bool = True

    @_one_value
    def read(self, text: str) -> Value | Fault:
        """Read one name."""
        return _check_name(text.strip(), limit=self.limit)


def _check_name(name: str, *, limit: int) -> str | Fault:
    if len(name) > limit:
        return _too_long(limit)
    if name and not legal_name(name, limit=limit):
        return Fault("bad-name", f"{name!r} is not a legal name")
    return name


class ChannelPattern(NamedTuple):
    """A channel name with `*` anywhere (CLCHNAME), or blank."""

    quoted: bool = True

    @_one_value
    def read(self, text: str) -> Value | Fault:
        """Read one pattern."""
        if legal_channel_pattern(text):
            return text
        return Fault("bad-name", f"{text!r} is not a channel name pattern of up to 20 characters")


class Number(NamedTuple):
    """An integer from `low` to `high`, or one of a few words."""

    low: int
    high: int
    words: tuple[str, ...] = ()
    quoted: bool = False

    @_one_value
    def read(self, text: str) -> Value | Fault:
        """Read one number or word."""
        if text.upper() in self.words:
            return text.upper()
        if not _NUMBER.fullmatch(text):
            return Fault("bad-value", f"{text!r} is not a number")
        number = int(text)
        if not self.low <= number <= self.high:
            return Fault("out-of-range", f"{number} is not between {self.low} and {self.high}")
        return number


class Choice(NamedTuple):
    """One of a few words."""

    words: tuple[str, ...]
    quoted: bool = False

    @_one_value
    def read(self, text: str) -> Value | Fault:
        """Read one word."""
        if text.upper() in self.words:
            return text.upper()
        return Fault("bad-value", f"{text!r} is not one of {', '.join(self.words)}")


class CipherSpec(NamedTuple):
    """The name of a CipherSpec of TLS or SSL, or blank.

    The names of each release differ, also by platform, so a name is checked by its form: the names
    of IBM MQ, and the prefixes of the names of later releases [mem].
    """

    limit: int = 32
    quoted: bool = True

    @_one_value
    def read(self, text: str) -> Value | Fault:
        """Read one name, in either case."""
        if len(text) > self.limit:
            return _too_long(self.limit)
        if not text or _CIPHER_SPEC.fullmatch(text.upper()):
            return text
        return Fault("unknown-cipherspec", f"{text!r} is not a CipherSpec")


class Choices(NamedTuple):
    """A list of words, each one of a few."""

    words: tuple[str, ...]
    quoted: bool = False

    def read(self, tokens: Sequence[ValueToken]) -> Value | Fault:
        """Read the words in their order."""
        words = tuple(token.text.strip().upper() for token in tokens)
        for word in words:
            if word not in self.words:
                return Fault("bad-value", f"{word!r} is not one of {', '.join(self.words)}")
        return words


class Flag(NamedTuple):
    """Two keywords without values: the attribute's own for YES, `off` for NO."""

    off: str
    quoted: bool = False

    def read(self, tokens: Sequence[ValueToken]) -> Value | Fault:
        """Refuse a value in parentheses."""
        return Fault("bad-value", f"takes no value, not {len(tokens)}")


class NameList(NamedTuple):
    """A list of names; a blank is the empty list."""

    items: int
    limit: int = NAME_LENGTH
    quoted: bool = True

    def read(self, tokens: Sequence[ValueToken]) -> Value | Fault:
        """Read the names in their order."""
        texts = tuple(text for token in tokens if (text := token.text.strip()))
        if len(texts) > self.items:
            return Fault("too-long", f"takes at most {self.items} names")
        for name in texts:
            if isinstance(checked := _check_name(name, limit=self.limit), Fault):
                return checked
        return texts


class TextList(NamedTuple):
    """A list of strings, such as channel exits and their data; a blank is the empty list."""

    limit: int
    quoted: bool = True

    def read(self, tokens: Sequence[ValueToken]) -> Value | Fault:
        """Read the strings in their order."""
        texts = tuple(text for token in tokens if (text := token.text.strip()))
        return _too_long(self.limit) if any(len(text) > self.limit for text in texts) else texts


class Connection(NamedTuple):
    """A list of hosts with ports, stored as one string."""

    limit: int = 264
    quoted: bool = True

    def read(self, tokens: Sequence[ValueToken]) -> Value | Fault:
        """Read one string, or several joined with commas."""
        text = ",".join(token.text.strip() for token in tokens)
        return _too_long(self.limit) if len(text) > self.limit else text


class HexString(NamedTuple):
    """Hexadecimal digits, padded with zeros to `digits` digits."""

    digits: int
    quoted: bool = False

    @_one_value
    def read(self, text: str) -> Value | Fault:
        """Read one string of digits in either case."""
        digits = text.upper()
        if len(digits) > self.digits:
            return _too_long(self.digits)
        if not _HEX.fullmatch(digits):
            return Fault("bad-value", f"{digits!r} is not hexadecimal")
        return digits.ljust(self.digits, "0")


class Secret(NamedTuple):
    """A password; only its existence is stored."""

    limit: int
    quoted: bool = True

    @_one_value
    def read(self, text: str) -> Value | Fault:
        """Read one string, and return `HIDDEN` in its place."""
        if len(text) > self.limit:
            return _too_long(self.limit)
        return HIDDEN if text else text


class Given(NamedTuple):
    """Any value, stored unchanged: one string, or a list of several."""

    quoted: bool = True

    def read(self, tokens: Sequence[ValueToken]) -> Value | Fault:
        """Return one token as a string, several as a list."""
        texts = tuple(token.text.rstrip() for token in tokens)
        return texts if len(texts) > 1 else "".join(texts)
