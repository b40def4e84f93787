"""Numbers of messages, and numbers with their noun.

Whole numbers in texts of others, which may be as long as a request.
"""

from __future__ import annotations

from typing import Final

from twin.model.attributes import LARGEST

MOST_AT_ONCE: Final = LARGEST
"""The largest number of messages of one put: the highest MAXDEPTH (IBM MQ 9.4, "DEFINE queues")."""


def verb(number: int, plural: str) -> str:
    """Return a verb that agrees with a number: 1 waits, 2 wait; 1 has, 2 have; 1 does, 2 do."""
    singular = {"are": "is", "have": "has", "do": "does"}.get(plural, f"{plural}s")
    return singular if number == 1 else plural


def between(least: int, most: int | None, noun: str = "message") -> str:
    """Write a number of which only bounds are known: at least 999 and at most 1,234 messages."""
    if most == least:
        return counted(least, noun, ",")
    if most is None:
        return f"at least {counted(least, noun, ',')}"
    return f"at least {least:,} and at most {counted(most, noun, ',')}"


def counted(number: object, noun: str = "message", form: str = "") -> str:
    """Write a number with its noun: 1 message, 2 messages. `form` is its format, such as ','."""
    return f"{format(number, form)} {noun}{'' if number == 1 else 's'}"


MOST_DIGITS: Final = 18
"""The digits that a number may have: each such number fits into 64 bits."""


def whole_number(text: str, *, signed: bool = False) -> int | None:
    """Return a whole number that is written with ASCII digits; None if the text is no such number.

    More than `MOST_DIGITS` digits are not read. With `signed`, it may begin with a minus.
    """
    digits = text.removeprefix("-") if signed else text
    if len(digits) > MOST_DIGITS or not (digits.isascii() and digits.isdecimal()):
        return None
    return int(text)
