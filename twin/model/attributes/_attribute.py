"""Attributes and object types: the rows and tables that the reader uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from twin.model.attributes._forms import (
    ChannelPattern,
    Choice,
    Choices,
    Flag,
    Form,
    Name,
    Number,
    Secret,
    Text,
    TextList,
    Value,
)

Access: TypeAlias = Literal["set", "define", "show"]
"""Which commands set a value: DEFINE and ALTER, only DEFINE, or none (DISPLAY only shows it)."""

LARGEST: Final = 999_999_999
"""The highest value of most numeric attributes."""

GIVEN: Final = "*"
"""In a clash: any value that is not blank."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of an object type.

    Attributes:
        default: the default of MQ; None if the caller supplies the value (ALTDATE, QMID ...).
        since: the first command level with this attribute.
        blank: the text that DISPLAY shows for ''.
    """

    keyword: str
    form: Form
    default: Value | None
    access: Access = "set"
    since: int = 0
    blank: str = " "

    @property
    def settable(self) -> bool:
        """Whether DEFINE (or ALTER QMGR) accepts it."""
        return self.access != "show"

    @property
    def alterable(self) -> bool:
        """Whether ALTER accepts it."""
        return self.access == "set"

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords that set it: its own, and for a flag also the keyword for NO."""
        return (self.keyword, self.form.off) if isinstance(self.form, Flag) else (self.keyword,)


@dataclass(frozen=True, slots=True)
class Clash:
    """Values that exclude each other, with the reason code of MQ."""

    values: tuple[tuple[str, str], ...]
    reason: int
    text: str


@dataclass(frozen=True)
class Variants:
    """The variants of a type: which keywords and required keywords depend on a value.

    Attributes:
        keyword: the keyword whose value selects the variant (`TRPTYPE`, `AUTHTYPE`, `TYPE`).
        keywords: by that value, the keywords, separated by blanks, that not every variant has.
        key: by that value, the keyword that the command must have.
    """

    keyword: str
    keywords: Mapping[str, str]
    key: Mapping[str, str] = field(default_factory=dict)

    def strangers(self, values: Mapping[str, Value]) -> list[str]:
        """Return the keywords of these values that the selected variant does not have."""
        own = self.keywords.get(str(values.get(self.keyword, "")))
        if own is None:
            return []
        special = {each for words in self.keywords.values() for each in words.split()}
        return [each for each in values if each in special - set(own.split())]


@dataclass(frozen=True, eq=False)
class ObjectType:
    """An object type as a table; its attributes are in the order of DISPLAY.

    Args:
        name: the type (`QLOCAL`, `CLUSRCVR`).
        kind: the namespace of its names (`QUEUE`, `CHANNEL`).
        word: the keyword that names an object of it in a display (`QUEUE`, `CHANNEL`, `QMNAME`).
        type_keyword: the keyword that shows the type, '' if none does.
        template: the object whose values a DEFINE starts from (`template_of` fills in AUTHTYPE).
        attributes: every attribute of every command level.
        mandatory: the keywords that a DEFINE without LIKE must have, in the order of checking; `|`
            separates keywords of which one is enough.
        clashes: values that exclude each other.
        synonyms: the current keyword by older keyword.
        identity: the keywords that, with the profile, identify a record without a name of its own.
        kept: whether an import stores unknown keywords unchanged.
        variants: the keywords that depend on the value of another; None if none does.
        needs: returns the keywords that a command with these values must have too.
        profiles: by the value of `variants.keyword`, the only profile that a record may have.
        earlier: (level, keywords): before that level, these keywords were adjacent in this order.
    """

    name: str
    kind: str
    word: str
    type_keyword: str
    template: str
    attributes: tuple[Attribute, ...]
    mandatory: tuple[str, ...] = ()
    clashes: tuple[Clash, ...] = ()
    synonyms: Mapping[str, str] = field(default_factory=dict)
    identity: tuple[str, ...] = ()
    kept: bool = False
    variants: Variants | None = None
    needs: Callable[[Mapping[str, Value]], tuple[str, ...]] = lambda _values: ()
    profiles: Mapping[str, str] = field(default_factory=dict)
    earlier: tuple[int, tuple[str, ...]] = (0, ())

    def at(self, level: int) -> tuple[Attribute, ...]:
        """Return the attributes of a command level, in the order of that level."""
        return _at(self, level)

    def heading(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the first cells of a display: the name and, if it is shown, the type."""
        typed = ((self.type_keyword, self.name),) if self.type_keyword else ()
        return ((self.word, name), *typed)

    @cached_property
    def by_keyword(self) -> Mapping[str, Attribute]:
        """The attributes by every keyword that sets or shows them, of every command level."""
        table = {
            keyword: attribute for attribute in self.attributes for keyword in attribute.keywords
        }
        table.update({older: table[newer] for older, newer in self.synonyms.items()})
        return MappingProxyType(table)


@cache
def _at(table: ObjectType, level: int) -> tuple[Attribute, ...]:
    present = [attribute for attribute in table.attributes if attribute.since <= level]
    changed_at, run = table.earlier
    if level >= changed_at:
        return tuple(present)
    first = next(index for index, attribute in enumerate(present) if attribute.keyword in run)
    moved = [table.by_keyword[keyword] for keyword in run]
    rest = [attribute for attribute in present if attribute.keyword not in run]
    return (*rest[:first], *moved, *rest[first:])


def choice(keyword: str, words: str, default: str, *, since: int = 0) -> Attribute:
    """Make an attribute whose value is one of these words, which are separated by blanks."""
    return Attribute(keyword, Choice(tuple(words.split())), default, since=since)


def choices(keyword: str, words: str, default: str, *, since: int = 0) -> Attribute:
    """Make an attribute whose value is a list of these words, which are separated by blanks."""
    return Attribute(keyword, Choices(tuple(words.split())), (default,), since=since)


def number(
    keyword: str, low: int, high: int, default: int | str, *, words: str = "", since: int = 0
) -> Attribute:
    """Make an attribute whose value is a number from `low` to `high`, or one of a few words."""
    return Attribute(keyword, Number(low, high, tuple(words.split())), default, since=since)


def text(
    keyword: str, limit: int, default: str = "", *, since: int = 0, blank: str = " "
) -> Attribute:
    """Make an attribute whose value is a string of up to `limit` characters."""
    return Attribute(keyword, Text(limit), default, since=since, blank=blank)


def name(keyword: str, default: str = "", *, limit: int = 48, since: int = 0) -> Attribute:
    """Make an attribute whose value is the name of an object, or blank."""
    return Attribute(keyword, Name(limit), default, since=since)


def pattern(keyword: str, *, since: int = 0) -> Attribute:
    """Make an attribute whose value is a channel name pattern, or blank."""
    return Attribute(keyword, ChannelPattern(), "", since=since)


def flag(keyword: str, off: str, default: str) -> Attribute:
    """Make an attribute with two keywords without values; the default is YES or NO."""
    return Attribute(keyword, Flag(off), default)


def exits(keyword: str, limit: int) -> Attribute:
    """Make an attribute whose value is a list of exits or of their data."""
    return Attribute(keyword, TextList(limit), ())


def secret(keyword: str, limit: int, *, since: int = 0) -> Attribute:
    """Make an attribute whose value is a password."""
    return Attribute(keyword, Secret(limit), "", since=since)


def shown(keyword: str, default: Value | None = None, *, since: int = 0) -> Attribute:
    """Make an attribute that is only displayed; without a default, the caller supplies it."""
    form: Form = Number(0, LARGEST) if isinstance(default, int) else Text(256, quoted=False)
    return Attribute(keyword, form, default, access="show", since=since)


ALTERED: Final = (shown("ALTDATE"), shown("ALTTIME"))
"""When an object was last altered, or created if it was never altered."""

CREATED: Final = (shown("CRDATE"), shown("CRTIME"))
"""When an object was created."""

DESCR: Final = text("DESCR", 64)

CLUSTER_OR_NAMELIST: Final = Clash(
    (("CLUSTER", GIVEN), ("CLUSNL", GIVEN)), 3088, "CLUSTER and CLUSNL exclude each other"
)
