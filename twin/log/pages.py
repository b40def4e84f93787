"""Pages: the parts of saved estates. Each is stored once, and used only if it has its hash.

The directory of a saved estate has the number and the hash of each of its pages. The row with the
directory has a digest over all its other columns, so that neither can be altered unnoticed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b, sha256
from typing import Any, Final, NamedTuple

from sqlalchemy import Column, ColumnElement, LargeBinary, bindparam, cast, delete, insert, select

from twin.errors import UnusablePage
from twin.log.chain import BETWEEN
from twin.log.database import Database
from twin.log.records import PlayedAhead, Snapshot, StoredPage
from twin.log.schema import page


def as_bytes(column: Column[Any]) -> ColumnElement[Any]:
    """Return a column of bytes, also where SQLite was made to store something else there."""
    return cast(column, LargeBinary)


_WHOLE: Final = select(page.c.id, page.c.hash, as_bytes(page.c.content))
_HASHES: Final = select(page.c.id, page.c.hash)
_CONTENT: Final = select(page.c.id, as_bytes(page.c.content))
_ADD: Final = insert(page).values(hash=bindparam("hash"), content=bindparam("content"))
_DROP: Final = delete(page).where(page.c.id == bindparam("number"))

_AT_ONCE: Final = 500
"""The number of pages that are checked at once, so that few contents are in memory."""


class SavedRow(NamedTuple):
    """The directory of a saved estate, and the digest of its row."""

    directory: bytes
    digest: bytes


def hash_of(content: bytes) -> bytes:
    """Return the hash of the content of a page."""
    return blake2b(content, digest_size=16).digest()


def row_of(key: Mapping[str, int], pages: Mapping[str, StoredPage]) -> SavedRow:
    """Write the directory of a saved estate, with the digest of its row; `key` are its numbers."""
    listed = {name: [stored.number, stored.hash.hex()] for name, stored in pages.items()}
    directory = zlib.compress(json.dumps(listed, separators=(",", ":")).encode(), 1)
    return SavedRow(directory, _digest_of(key, directory))


def pages_in(key: Mapping[str, Any], row: SavedRow) -> dict[str, StoredPage] | None:
    """Read the directory of a saved estate; None if the row was altered."""
    try:
        if _digest_of(key, row.directory) != bytes(row.digest):
            return None
        listed = json.loads(zlib.decompress(row.directory))
        return {
            name: StoredPage(number, bytes.fromhex(hashed))
            for name, (number, hashed) in listed.items()
        }
    except (TypeError, ValueError, zlib.error):
        return None


def _digest_of(key: Mapping[str, Any], directory: bytes) -> bytes:
    text = BETWEEN.join(f"{name}={value!r}" for name, value in sorted(key.items()))
    return sha256(text.encode() + b"\0" + directory).digest()


def save(database: Database, pages: Mapping[str, bytes | StoredPage]) -> dict[str, StoredPage]:
    """Store pages, within `writing`; one with the same content as a stored page only by reference.

    Raises:
        UnusablePage: if a page that was given by reference no longer exists.
    """
    known = {name: each for name, each in pages.items() if isinstance(each, StoredPage)}
    fresh = {name: each for name, each in pages.items() if isinstance(each, bytes)}
    hashes = {name: hash_of(content) for name, content in fresh.items()}
    contents = {hashes[name]: content for name, content in fresh.items()}
    _demand(database, known)
    stored = _stored(database, contents)
    missing = [hashed for hashed in contents if hashed not in stored]
    if missing:
        added = [{"hash": hashed, "content": contents[hashed]} for hashed in missing]
        database.run_many(_ADD, added)
        stored |= _stored(database, missing)
    return {**known, **{name: stored[hashed] for name, hashed in hashes.items()}}


def _demand(database: Database, known: Mapping[str, StoredPage]) -> None:
    """Check that pages still exist; a number is never used again for another page."""
    numbers = sorted({stored.number for stored in known.values()})
    existing = set(database.fetch_among(_HASHES, page.c.id, numbers))
    for name, stored in known.items():
        if tuple(stored) not in existing:
            raise UnusablePage(name, "was dropped")


def _stored(database: Database, hashes: Iterable[bytes]) -> dict[bytes, StoredPage]:
    """Return the stored pages with these hashes; drop those that were altered."""
    found: dict[bytes, StoredPage] = {}
    for number, hashed, content in database.fetch_among(_WHOLE, page.c.hash, list(hashes)):
        if has_hash(content, hashed):
            found[bytes(hashed)] = StoredPage(number, bytes(hashed))
        else:
            drop(database, [number])
    return found


def load(
    database: Database, saved: Snapshot | PlayedAhead, names: Collection[str]
) -> dict[str, bytes]:
    """Return the contents of pages of a saved estate.

    Raises:
        UnusablePage: if a page is missing, or its content does not have its hash.
    """
    own = saved.own if isinstance(saved, PlayedAhead) else {}
    found = {name: zlib.decompress(own[name]) for name in names if name in own}
    wanted = {name: saved.pages[name] for name in names if name in saved.pages}
    numbers = list({stored.number for stored in wanted.values()})
    contents = dict(database.fetch_among(_CONTENT, page.c.id, numbers)) if numbers else {}
    for name in names:
        if name in found:
            continue
        stored = wanted.get(name)
        content = None if stored is None else contents.get(stored.number)
        if stored is None or content is None:
            raise UnusablePage(name, "is missing", saved)
        if not has_hash(content, stored.hash):
            raise UnusablePage(name, "was altered", saved)
        found[name] = bytes(content)
    return found


def has_hash(content: Any, hashed: Any) -> bool:
    """Return whether the content of a page is what was stored under this hash."""
    return not isinstance(content, str | int | float) and hash_of(content) == hashed


def unsound(database: Database, pages: Iterable[StoredPage]) -> set[int]:
    """Return the numbers of those pages that are missing or do not have their hash."""
    hashes = {stored.number: stored.hash for stored in pages}
    numbers, sound = sorted(hashes), set[int]()
    for start in range(0, len(numbers), _AT_ONCE):
        rows = database.fetch_among(_CONTENT, page.c.id, numbers[start : start + _AT_ONCE])
        sound |= {number for number, content in rows if has_hash(content, hashes[number])}
    return hashes.keys() - sound


def drop(database: Database, numbers: Iterable[int]) -> None:
    """Drop pages, within `writing`."""
    for number in sorted(numbers):
        database.run(_DROP, number=number)
