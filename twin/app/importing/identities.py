"""The ids of facts that are known by an identity of their own.

The id is made of the identity, so a fact is found again in a file that has grown, was rotated, or
has another form. A log has an id once. So a fact that was retracted, or that only another branch
has, is recorded with the next free one: ``ID~2``, ``ID~3``, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from itertools import count
from typing import Final

from twin.log import Log

_BYTES: Final = 16


def id_of(identity: str) -> str:
    """Return the id of the fact with an identity."""
    return f"seen-{blake2b(identity.encode(), digest_size=_BYTES).hexdigest()}"


def free_ids(identities: Iterable[str], log: Log, *, branch: str, known: int) -> dict[str, str]:
    """Return an id for each identity that a branch does not have up to a position."""
    first = {id_of(identity): identity for identity in identities}
    asked = {id_: id_ for id_ in first}
    free: dict[str, str] = {}
    for time in count(2):
        found = log.known_facts(list(asked), branch=branch, known=known)
        hidden: dict[str, str] = {}
        for id_, of in asked.items():
            if id_ not in found:
                free[first[of]] = id_
            elif not found[id_].seen:
                hidden[f"{of}~{time}"] = of
        if not hidden:
            return free
        asked = hidden
    raise AssertionError
