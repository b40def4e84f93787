"""MQ's own flags: single-dash words such as `-lf 4096`, told apart by tables.

Source: IBM MQ 9.2, "crtmqm", "strmqm", "endmqm", "dltmqm", "dspmq", "runmqsc", "runswchl",
"dmpmqcfg".
Flags that mean nothing here are accepted, because real scripts carry them; those of the commands
that are recorded are kept with them.
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
    """The flags of one command: those with a value, those without, and those that are obeyed."""

    valued: Mapping[str, str]
    bare: Mapping[str, str]
    obeyed: str = ""

    def help(self) -> str:
        """List the flags for the end of a help page."""
        every = {**self.valued, **self.bare}
        shown = {flag: f"-{flag} {what}".strip() for flag, what in every.items()}
        heeded = [text for flag, text in shown.items() if flag in self.obeyed.split()]
        rest = [text for flag, text in shown.items() if flag not in self.obeyed.split()]
        parts = {"Flags of IBM MQ: ": heeded, "Accepted, without effect: ": rest}
        return " ".join(f"{head}{', '.join(texts)}." for head, texts in parts.items() if texts)


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
            obeyed="u c d t x h",
        ),
        "strmqm": Flags({"d": "INFORMATION", "e": "MONITORING"}, _bare("a c f ns r si ss x z")),
        "endmqm": Flags({"t": "SECONDS", "tp": "SECONDS"}, _bare("c i p r s w x z")),
        "dltmqm": Flags({}, _bare("z")),
        "dspmq": Flags(
            {"m": "QM", "o": "all|status|default"}, _bare("a c f h i n s v w x"), obeyed="m o"
        ),
        "runmqsc": Flags(
            {"f": "FILE", "w": "SECONDS", "m": "QM", "u": "USER"},
            {"e": "(no echo)", "v": "(verify only)", **_bare("c n p x z")},
            obeyed="f e v",
        ),
        "runswchl": Flags(
            {"m": "QM", "c": "CHANNEL"},
            {"q": "(only say)", "n": "(leave messages behind)"},
            obeyed="m c q n",
        ),
        "dmpmqcfg": Flags(
            {"m": "QM", "n": "NAME", "o": "FORMAT", "t": "TYPE", "x": "TYPE"},
            _bare("a z"),
            obeyed="m",
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
