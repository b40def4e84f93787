"""What each message id means for an administrator: a table in families, beside `MEANINGS`.

`twin.feeds.errorlog.meanings` says which facts follow from a message; this says what people should
make of it. A row without a source of its own rests on what the row of `MEANINGS` rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.feeds.errorlog.advice._advice import Advice, noise
from twin.feeds.errorlog.advice._channels import CHANNELS, TLS
from twin.feeds.errorlog.advice._queue_managers import QUEUE_MANAGERS
from twin.feeds.errorlog.advice._replies import REPLIES
from twin.feeds.errorlog.advice._repository import REPOSITORY
from twin.feeds.errorlog.advice._zos import ZOS
from twin.feeds.errorlog.meanings import MEANINGS

__all__ = ["ADVICE", "Advice", "noise", "source_of"]


def _twins() -> dict[str, Advice]:
    """Return the rows of z/OS: messages 400 to 599 have the last digits of their AMQ twins."""
    return {
        f"CSQX{id_[4:]}": advice
        for id_, advice in (CHANNELS | REPOSITORY).items()
        if "AMQ9400" <= id_ < "AMQ9600"
    }


ADVICE: Final[Mapping[str, Advice]] = MappingProxyType(
    REPLIES | CHANNELS | TLS | REPOSITORY | QUEUE_MANAGERS | _twins() | ZOS
)
"""Advice by id without severity letter."""

_SOURCES: Final = {
    "log": "seen in a public error log",
    "doc": "IBM's message reference or an APAR",
    "catalogue": "a public catalogue of messages of older versions",
}
_UNCONFIRMED: Final = "not confirmed by a public source"


def source_of(id_: str) -> str:
    """Return the source of what the row of an id says; '' without a row."""
    advice, meaning = ADVICE.get(id_), MEANINGS.get(id_)
    if advice is None:
        return ""
    return advice.source or _SOURCES.get(meaning.source if meaning else "", _UNCONFIRMED)
