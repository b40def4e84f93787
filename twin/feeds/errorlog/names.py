"""The names in the text of a message: quoted ones, else words that can only be names.

Texts are translated, so no word of a language is looked for.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_MOST: Final = 16
_LONGEST: Final = 264
_QUOTED: Final = re.compile(r"(?<![\w'])'([^'\n]{1,264})'(?![\w'])")
_QUOTES: Final = dict.fromkeys(
    (*range(0x2018, 0x2020), 0xAB, 0xBB, *range(0x300C, 0x3010)), ord("'")
)
"""Quotation marks of other languages, each read as an apostrophe."""

_UNKNOWN: Final = "????"
_NAME: Final = re.compile(r"[A-Za-z0-9._/%]{1,64}(?:_\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d)?", re.ASCII)
"""The name of an object, or a QMID."""

_SURE: Final = frozenset("._%0123456789")
_SYNTAX: Final = frozenset(
    """CLUSTER CLUSQMGR CLUSRCVR CLUSSDR CLUSSDRA CLUSSDRB CHANNEL QMGR QUEUE TOPIC REFRESH RESET
    SUSPEND RESUME START STOP FORCEREMOVE QUEUES REPOS YES NO MODE FORCE MQGET MQPUT MQOPEN MQCLOSE
    MQINQ MQSET MQCONN MQCMIT MQBACK TCP TCP/IP IP LU62 TLS SSL CHLAUTH CONNAUTH RC MQRC SDR SVR
    RCVR RQSTR SVRCONN CLNTCONN XMITQ TRPTYPE IBM MQ AND OR NOT FFST FDC PID NPMSPEED BATCHSZ
    """.split()
)
"""Words of MQSC and of MQ that stand in messages of every language, and are never names there."""


def names_in(text: str) -> tuple[str, ...]:
    """Return the different names in a text in their order: the quoted ones, else sure ones."""
    found = quoted(text)
    if not found:
        capitals = text.isupper()
        found = [each for each in map(_stripped, text.split()) if _is_sure(each, capitals=capitals)]
    return tuple(dict.fromkeys(found[:_MOST]))


def quoted(text: str) -> list[str]:
    """Return the texts in quotes that can be names, in their order."""
    if not text.isascii():
        text = text.translate(_QUOTES)
    parts = text.split("'")
    if len(parts) == 1:
        return []
    inside = parts[1::2]
    outside = parts[::2]
    if len(parts) % 2 == 0 or any(
        (before and before[-1].isalnum()) or (after and after[0].isalnum())
        for before, after in pairwise(outside)
    ):
        inside = _QUOTED.findall(text)
    return [
        name
        for each in inside
        if (name := " ".join(each.split())) and name != _UNKNOWN and len(name) <= _LONGEST
    ]


def numbers_in(text: str) -> tuple[str, ...]:
    """Return the whole numbers in a text, in their order."""
    words = (word.strip("(),;:.'\"") for word in text.split())
    return tuple([word for word in words if word.isdigit() and word.isascii()][:_MOST])


def _stripped(word: str) -> str:
    return word.strip("(),;:'\"").rstrip(".")


def _is_sure(word: str, *, capitals: bool) -> bool:
    """Tell whether a word is a name in every language: capitals, or with a mark in it.

    In a text of capitals alone, capitals say nothing.
    """
    if not _NAME.fullmatch(word) or word in _SYNTAX or word.replace(".", "").isdigit():
        return False
    if word.isupper() and (not capitals or not _SURE.isdisjoint(word)):
        return True
    return any(mark in word[1:-1] for mark in "._%") and not word.islower()
