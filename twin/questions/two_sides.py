"""What differs between two sides: values that have the same key on both are compared.

Whatever compares two estates, answers or rehearsals reads both sides in the same way, gives each
value a key, and compares key by key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Any)
Value = TypeVar("Value")


class KeyDifference(NamedTuple, Generic[Key, Value]):
    """A key whose value differs; None where a side has none."""

    key: Key
    before: Value | None
    after: Value | None


def differences(
    before: Mapping[Key, Value], after: Mapping[Key, Value]
) -> Iterator[KeyDifference[Key, Value]]:
    """Compare two sides key by key, in the order of the keys."""
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key), after.get(key)
        if was is not now and was != now:
            yield KeyDifference(key, was, now)
