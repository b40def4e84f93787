"""Narrow rows about objects by kind and name; leave out access records unless they are asked for.

A real queue manager has hundreds of authority and channel authentication records, and twin does not
model what they do: in a list of changes or events they hide everything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from twin.model.amounts import counted
from twin.model.names import generic

ACCESS_RECORDS: Final = ("AUTHREC", "CHLAUTH")
"""The kinds of records that say who may do what."""


class Narrowing(NamedTuple):
    """The kind and the name that rows must have.

    Attributes:
        kind: a kind of objects or records, in any case; `belief` is also `belief:queue`. None: any.
        name: a name, or a generic name that ends in an asterisk. None: any.
        everything: whether access records are shown even if neither is given.
    """

    kind: str | None = None
    name: str | None = None
    everything: bool = False

    def has(self, kind: str, names: Iterable[str]) -> bool:
        """Return whether a row about this kind, with one of these names, is asked for.

        The name of a record is also that of its object (`ORDERS@QM2 in SALES`) or of its profile
        (`ORDERS QUEUE app`).
        """
        wanted = self.kind and self.kind.lower()
        if wanted and kind.lower() != wanted and not kind.lower().startswith(f"{wanted}:"):
            return False
        return self.name is None or any(
            generic(self.name, part)
            for name in names
            for part in (name, name.partition("@")[0], name.partition(" ")[0])
        )

    def leaves_out(self, kind: str) -> bool:
        """Return whether a row about this kind is left out because nobody asked for it."""
        asked = self.everything or self.kind is not None or self.name is not None
        return not asked and kind.upper() in ACCESS_RECORDS


def note_of(left_out: int, unit: str) -> tuple[str, ...]:
    """Return the line that says how many rows were left out, if any were, and how to see them."""
    if not left_out:
        return ()
    kinds = " and ".join(ACCESS_RECORDS)
    return (f"{counted(left_out, unit)} about {kinds} left out; --all shows them",)
