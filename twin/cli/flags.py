"""MQ's own flags: single-dash words such as `-lf 4096`, told apart by tables.

Source: IBM MQ 9.2, "crtmqm", "strmqm", "endmqm", "dltmqm", "dspmq", "runmqsc". Flags that mean
nothing here are accepted, because real scripts carry them, and kept with the command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from twin.cli.errors import BadUsage


class Words(NamedTuple):
    """A command line told apart: names in order, and flags with their values ('' for none)."""

    names: tuple[str, ...]
    flags: Mapping[str, str]


class Flags(NamedTuple):
    """The flags of one command: those with a value and those without."""

    valued: Mapping[str, str]
    bare: Mapping[str, str]

    def help(self) -> str:
        """List the flags for the end of a help page."""
        named = [f"-{flag} {what}" for flag, what in self.valued.items()]
        named += [f"-{flag}" + (f" {what}" if what else "") for flag, what in self.bare.items()]
        return "Flags of IBM MQ: " + ", ".join(named) + "."


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
                "ic": "FILE",
                "ii": "FILE",
                "iv": "NAME=VALUE",
                "lr": "INSTANCE",
            },
            _bare("q ll lc lla lln ss sa sax si z"),
        ),
        "strmqm": Flags({"d": "INFORMATION", "e": "MONITORING"}, _bare("a c f ns r si ss x z")),
        "endmqm": Flags({"t": "SECONDS", "tp": "SECONDS"}, _bare("c i p r s w x z")),
        "dltmqm": Flags({}, _bare("z")),
        "dspmq": Flags({"m": "QM", "o": "all|status|default"}, _bare("a c f h i n s v w x")),
        "runmqsc": Flags(
            {"f": "FILE", "w": "SECONDS", "m": "QM", "u": "USER"},
            {"e": "(no echo)", "v": "(verify only)", "c": "", "n": "", "p": "", "x": "", "z": ""},
        ),
    }
)
"""Command -> its flags."""


def told_apart(command: str, words: Sequence[str]) -> Words:
    """Tell the names from the flags in what was typed behind a command.

    Raises:
        BadUsage: for a flag that the command does not have, or one that lacks its value.
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
                raise BadUsage(
                    command=command, problem=f"-{flag} needs a value: -{flag} {known.valued[flag]}"
                )
        flags[flag] = value
    return Words(tuple(names), flags)


def _split(command: str, known: Flags, word: str) -> tuple[str, str]:
    """Split `-uDLQ` as `-u DLQ`: the longest flag that the word begins with."""
    text = word[1:]
    if text in known.bare or text in known.valued:
        return text, ""
    for flag in sorted(known.valued, key=len, reverse=True):
        if text.startswith(flag):
            return flag, text.removeprefix(flag)
    raise BadUsage(command=command, problem=f"there is no flag {word}")


def only_name(command: str, words: Words) -> str:
    """Return the queue manager that a command is about.

    Raises:
        BadUsage: unless there is exactly one name.
    """
    if len(words.names) != 1:
        found = " ".join(words.names) or "none"
        raise BadUsage(
            command=command, problem=f"one queue manager is expected, and there is {found}"
        )
    return words.names[0]
