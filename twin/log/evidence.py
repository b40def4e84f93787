"""Raw texts of logs: kept beside the chain under their digest, so that they can be purged."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final, NamedTuple

from sqlalchemy import bindparam, func, insert, null, select, update

from twin.log.database import Database
from twin.log.errors import LogDamaged
from twin.log.reading import ReadableLog
from twin.log.schema import evidence, import_state

_TEXT: Final = select(evidence.c.text).where(evidence.c.digest == bindparam("of"))
_ADD: Final = insert(evidence).values(
    {column.name: bindparam(column.name) for column in evidence.c}
)
_PURGE: Final = update(evidence).where(evidence.c.digest == bindparam("of")).values(text=null())
_PURGED: Final = select(func.count()).select_from(evidence).where(evidence.c.text.is_(None))
_PAGE: Final = 500
_TEXTS: Final = (
    select(evidence.c.digest, evidence.c.text)
    .where(evidence.c.text.is_not(None), evidence.c.digest > bindparam("after"))
    .order_by(evidence.c.digest)
    .limit(_PAGE)
)
_IMPORT: Final = select(
    import_state.c.name,
    import_state.c.events,
    import_state.c.begun,
    import_state.c.done,
    import_state.c.ended,
).where(import_state.c.digest == bindparam("of"))


class ImportState(NamedTuple):
    """The last import of a content: the positions of the events that began and ended it.

    `digest` is the SHA-256 of the content, in hexadecimal. `events` is how many events it recorded,
    and `done` whether that was all of it; both are None until it ended.
    """

    digest: str
    name: str
    events: int | None
    begun: int
    done: bool | None
    ended: int | None


class EvidencedLog(ReadableLog):
    """A log with raw texts beside the chain, and with an index of its imports."""

    def keep_evidence(self, text: str, *, first_seen: int) -> str:
        """Keep a text, and return its digest in hexadecimal; a purged text stays purged.

        `first_seen` is the instant at which it was read.
        """
        encoded = text.encode()
        digest = sha256(encoded).digest()
        with self._database.writing():
            if self._database.one(_TEXT, of=digest) is None:
                self._database.run(
                    _ADD, digest=digest, text=text, bytes=len(encoded), first_seen=first_seen
                )
        return digest.hex()

    def evidence(self, digest: str) -> str | None:
        """Return the text with a digest; None if it was purged or never kept."""
        row = self._database.one(_TEXT, of=bytes.fromhex(digest))
        return None if row is None else row[0]

    def purge_evidence(self, digests: Iterable[str]) -> int:
        """Remove the texts with these digests for ever; return how many there were."""
        purged = 0
        with self._database.writing():
            for digest in map(bytes.fromhex, digests):
                if (self._database.one(_TEXT, of=digest) or (None,))[0] is not None:
                    self._database.run(_PURGE, of=digest)
                    purged += 1
        return purged

    def purged_evidence(self) -> int:
        """Return how many texts were purged."""
        (count,) = self._database.one(_PURGED) or (0,)
        return int(count)

    def import_of(self, digest: str) -> ImportState | None:
        """Return the state of the last import of the content with a digest; None if none."""
        row = self._database.one(_IMPORT, of=bytes.fromhex(digest))
        if row is None:
            return None
        name, events, begun, done, ended = row
        return ImportState(digest, name, events, begun, None if done is None else bool(done), ended)


def verify_evidence(database: Database) -> None:
    """Check that every text that was not purged has its digest.

    Raises:
        LogDamaged: if one has not.
    """
    after = b""
    while rows := database.fetch(_TEXTS, after=after):
        for digest, text in rows:
            after = bytes(digest)
            if sha256(text.encode()).digest() != after:
                raise LogDamaged(0, f"the evidence {after.hex()} was altered")
