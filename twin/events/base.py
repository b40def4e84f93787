"""What every event is: a frozen, checked value that names the queue manager it happened at."""

from __future__ import annotations

from typing import Annotated, TypeAlias, TypeVar, cast, dataclass_transform

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

Value: TypeAlias = Annotated[str | int | tuple[str, ...], Field(union_mode="left_to_right")]
"""The value of one MQ attribute: text, a number, or a list of names."""

Values: TypeAlias = dict[str, Value]
"""Attributes by MQSC keyword; what is not there has its product default."""

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def event(cls: type[_T]) -> type[_T]:
    """Make a class an event: frozen, keyword-only, slotted, checked by pydantic when decoded."""
    make = dataclass(config=ConfigDict(extra="forbid"), frozen=True, kw_only=True, slots=True)
    return cast("type[_T]", make(cls))


@event
class Event:
    """Something that happened at a queue manager; the envelope says when, and what caused it."""

    qmgr: str


@event
class Observation(Event):
    """Something that was seen.

    `claimed` is the instant it was said to be of, where that lies after its recording: then it
    stands at the instant of its recording instead.
    """

    claimed: int | None = None
