"""The lines of a session that are neither commands nor answers: shell, banner, echo, prompts."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, NamedTuple

from twin.feeds.captures.asked import is_command
from twin.model.instants import Instant, instant_of, is_instant

BANNER: Final = "5724-H72"
"""The product number, in the first line of every session."""

_OWN: Final = "twin as of "
_STAMP_LENGTH: Final = 40
_CONSIDERED: Final = 2048
_STARTING: Final = re.compile(r"Starting MQSC for queue manager ([\w./%]+?)\.?\s*$", re.ASCII)
_NAMES: Final = re.compile(r"[\w./%]+", re.ASCII)
_AFTER: Final = frozenset({"wird"})
"""The words between the name and the end of the first line, in languages that have some [mem]."""

_SHELL: Final = re.compile(r"(?:^|[\s/\\\"'])runmqsc(?:\.exe)?(?=\s|$)([^|;&<>\n]*)(\s*\|)?")
_ECHOED: Final = re.compile(r"echo\s+(?:-e\s+)?(?:\"([^\"]*)\"|'([^']*)'|([^|\"']*))\s*\|")
_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?) \S+:(?: |$)")
_READ: Final = re.compile(r"(No|One|\d{1,9}) (?:MQSC )?commands? read\b", re.ASCII | re.IGNORECASE)
_DISPLAY: Final = re.compile(r"(?<![\w(])(?:DISPLAY|DISP?)\s", re.IGNORECASE)
_PROMPT_ENDS: Final = re.compile(r"[>$#\]]\s?")


class ShellLine(NamedTuple):
    """A line of a shell that starts runmqsc.

    Attributes:
        qmgr: the queue manager; '' if it is not named.
        command: the command that `echo` passes to it; '' if there is none.
        filtered: whether another program reads the output, and may leave out lines.
    """

    qmgr: str
    command: str
    filtered: bool


def is_banner(line: str) -> bool:
    """Return whether a line is the first of a session: the product's, or that of twin."""
    return BANNER in line or line.startswith(_OWN)


def own_instant(line: str) -> Instant | None:
    """Return the instant in the first line of a session of twin; None in other lines."""
    if not line.startswith(_OWN):
        return None
    return zoned_instant(line.removeprefix(_OWN)[:_STAMP_LENGTH].partition(" ")[0])


def started(line: str) -> str | None:
    """Return the queue manager of the first line of a session, in English; None for others."""
    if "MQSC" not in line:
        return None
    match = _STARTING.search(line[:_CONSIDERED])
    return str(match[1]) if match else None


def started_in_any_language(line: str) -> str:
    """Return the queue manager of the line after the banner; '' if it cannot be told.

    The name is the only word of a language with other letters, or the last word.
    """
    if name := started(line):
        return name
    text = line[:_CONSIDERED].rstrip(" .\u3002")
    names = [word.strip(".") for word in _NAMES.findall(text) if word != "MQSC"]
    if not text.isascii() and len(names) == 1:
        return str(names[0])
    words = text.split()
    for at, word in enumerate(words):
        if word in _AFTER and at:
            return words[at - 1]
    return words[-1] if words and words[-1].isascii() and words[-1] != "MQSC" else ""


def shell_line(line: str) -> ShellLine | None:
    """Read a line of a shell that starts runmqsc; return None for others."""
    if "runmqsc" not in line:
        return None
    line = line[:_CONSIDERED]
    match = _SHELL.search(line)
    if match is None:
        return None
    passed = _ECHOED.search(line)
    command = next(filter(None, passed.groups()), "") if passed else ""
    return ShellLine(_named(match[1].split()), command.strip(), bool(match[2]))


def echo(line: str) -> tuple[str, str] | None:
    """Read a line of the echo: its number, '' for a further line, and its text."""
    number, colon, text = line.strip().partition(":")
    number = number.rstrip() if number.endswith(" ") or not number else "x"
    if not colon or not (number.isdigit() or not number) or (text and not text.startswith(" ")):
        return None
    return (number, text[1:]) if number.isascii() else None


def commands_read(line: str) -> int | None:
    """Return how many commands a session read, as its first counter says; None for other lines.

    Only the English counter is read, because others cannot be told from those of errors.
    """
    match = _READ.match(line[:_CONSIDERED].strip())
    if match is None:
        return None
    return {"no": 0, "one": 1}.get(match[1].lower()) if match[1].isalpha() else int(match[1])


def stamped(line: str) -> tuple[str, Instant | None]:
    """Return a line without the time stamp and program before it, and its instant."""
    match = _STAMP.match(line)
    if match is None:
        return line, None
    return line[match.end() :], zoned_instant(match[1].replace(",", "."))


def zoned_instant(text: str) -> Instant | None:
    """Return an instant with a zone; None for other texts."""
    try:
        moment = datetime.fromisoformat(text)
        instant = instant_of(moment) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
    return instant if instant is None or is_instant(instant) else None


def typed_command(line: str) -> str:
    """Return the command in a line without echo, without its prompt; '' if there is none."""
    text = line[:_CONSIDERED].strip()
    ends = [match.end() for match, _ in zip(_PROMPT_ENDS.finditer(text), range(3), strict=False)]
    if displays := _DISPLAY.search(text):
        ends.append(displays.start())
    return next((text[at:] for at in [0, *ends] if is_command(text[at:])), "")


def _named(words: list[str]) -> str:
    """Return the first word that is neither an option nor its value."""
    at = 0
    while at < len(words):
        word = words[at].strip("\"'")
        if not word.startswith("-"):
            return word
        at += 1 if word in {"-c", "-e", "-n", "-v", "-x"} else 2
    return ""
