"""MQ's own flags: words with one dash, such as `-lf 4096`, read by tables.

Source: IBM MQ 9.2, "crtmqm", "strmqm", "endmqm", "dltmqm", "dspmq", "runmqsc", "runswchl",
"dmpmqcfg".
Real scripts contain flags that have no effect on the twin. They are accepted, and recorded with
their command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from twin.cli.errors import BadUsage


class Words(NamedTuple):
    """The words of a command: names in order, and flags with their values ('' for none)."""

    names: tuple[str, ...]
    flags: Mapping[str, str]


class Flags(NamedTuple):
    """The flags of one command.

    Attributes:
        valued: flags with a value, and what the value is.
        bare: flags without a value, and what they do.
        effective: the flags that have an effect, separated by blanks.
    """

    valued: dict[str, str]
    bare: dict[str, str]
    effective: str = ""

    def help(self) -> str:
        """Return the list of flags that ends the help of the command."""
        flags = self.valued | self.bare
        texts = {flag: f"-{flag} {what}".strip() for flag, what in flags.items()}
        effective = [texts.pop(flag) for flag in self.effective.split()]
        parts = {"Flags of IBM MQ": effective, "Accepted without effect": texts.values()}
        return " ".join(f"{head}: {', '.join(part)}." for head, part in parts.items() if part)


def _bare(flags: str) -> dict[str, str]:
    return dict.fromkeys(flags.split(), "")


FLAGS: Final[Mapping[str, Flags]] = MappingProxyType(
    {
        "crtmqm": Flags(
            {
                "u": "DEAD-LETTER-QUEUE",
                "c": "TEXT",
                "d": "DEFAULT-TRANSMISSION-QUEUE",
                "t": "TRIGGER-INTERVAL",
                "x": "MAX-UNCOMMITTED",
                "h": "MAX-HANDLES",
                "p": "PORT",
                "lf": "LOG-FILE-PAGES",
                "lp": "PRIMARY-LOGS",
                "ls": "SECONDARY-LOGS",
                "ld": "LOG-PATH",
                "md": "DATA-PATH",
                "g": "GROUP",
                "oa": "AUTHORITY",
                "a": "GROUP",
                "ic": "FILE|DIR (MQSC)",
                "ii": "FILE|DIR (ini)",
                "iv": "NAME=VALUE[;NAME=VALUE] (repeatable)",
                "lr": "INSTANCE",
            },
            _bare("q ll lc lla lln ss sa sax si z"),
            effective="u c d t x h p ii ic iv",
        ),
        "strmqm": Flags({"d": "INFORMATION", "e": "MONITORING"}, _bare("a c f ns r si ss x z")),
        "endmqm": Flags({"t": "SECONDS", "tp": "SECONDS"}, _bare("c i p r s w x z")),
        "dltmqm": Flags({}, _bare("z")),
        "dspmq": Flags(
            {"m": "QM", "o": "all|status|default"}, _bare("a c f h i n s v w x"), effective="m o"
        ),
        "runmqsc": Flags(
            {"f": "FILE", "w": "SECONDS", "m": "QM", "u": "USER"},
            {"e": "(no echo)", "v": "(verify only)", **_bare("c n p x z")},
            effective="f e v",
        ),
        "runswchl": Flags(
            {"m": "QM", "c": "CHANNEL"},
            {"q": "(list only)", "n": "(messages stay on the old queue)"},
            effective="m c q n",
        ),
        "dmpmqcfg": Flags(
            {"m": "QM", "n": "NAME", "o": "FORMAT", "t": "TYPE", "x": "TYPE"},
            _bare("a z"),
            effective="m",
        ),
    }
)
"""The flags of each command."""

_JOINED: Final = frozenset({"iv"})
"""Flags that may be repeated: a semicolon separates their values."""

FREE_WORDS: Final = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""Typer's settings for commands whose flags `read_words` reads: -h is a flag of some."""


def read_words(command: str, words: Sequence[str]) -> Words:
    """Read the names and the flags of a command.

    Raises:
        BadUsage: if a flag is unknown, or its value is missing.
    """
    known = FLAGS[command]
    names: list[str] = []
    flags: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if word == "-" or not word.startswith("-"):
            names.append(word)
            continue
        flag, value = _split(command, known, word)
        if flag in known.valued and not value:
            value = next(rest, "")
            if not value:
                problem = f"-{flag} needs a value: -{flag} {known.valued[flag]}"
                raise BadUsage(command=command, problem=problem, typed=f"-{flag}")
        before = flags.get(flag) if flag in _JOINED else None
        flags[flag] = value if before is None else f"{before};{value}"
    return Words(tuple(names), flags)


def _split(command: str, known: Flags, word: str) -> tuple[str, str]:
    """Split `-uDLQ` into `u` and `DLQ`, by the longest flag that fits."""
    text = word[1:]
    if text in known.bare or text in known.valued:
        return text, ""
    for flag in sorted(known.valued, key=len, reverse=True):
        if text.startswith(flag):
            return flag, text.removeprefix(flag)
    raise BadUsage(command=command, problem=f"unknown flag {word}", typed=word)


def only_name(command: str, words: Words) -> str:
    """Return the name of the queue manager.

    Raises:
        BadUsage: unless there is exactly one name.
    """
    if len(words.names) != 1:
        names = " ".join(words.names) or "none"
        raise BadUsage(command=command, problem=f"expected one queue manager, not {names}")
    return words.names[0]
