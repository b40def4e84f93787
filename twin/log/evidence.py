"""Raw texts of logs: kept beside the chain under their digest, so that they can be purged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, func, insert, null, select, update

from twin.log.database import Database
from twin.log.errors import LogDamaged
from twin.log.reading import ReadableLog
from twin.log.schema import evidence, import_state

_TEXT: Final = select(evidence.c.text).where(evidence.c.digest == bindparam("of"))
_ADD: Final = insert(evidence).values(
    {column.name: bindparam(column.name) for column in evidence.c}
)
_DIGESTS: Final = select(evidence.c.digest)
_PURGE: Final = update(evidence).where(evidence.c.digest == bindparam("of")).values(text=null())
_PURGED: Final = select(func.count()).select_from(evidence).where(evidence.c.text.is_(None))
_PAGE: Final = 500
_TEXTS: Final = (
    select(evidence.c.digest, evidence.c.text)
    .where(evidence.c.text.is_not(None), evidence.c.digest > bindparam("after"))
    .order_by(evidence.c.digest)
    .limit(_PAGE)
)
_STATES: Final = select(
    import_state.c.digest,
    import_state.c.name,
    import_state.c.events,
    import_state.c.begun,
    import_state.c.done,
    import_state.c.ended,
)
_ANY_IMPORT: Final = select(import_state.c.begun).limit(1)
_KEPT: Final = (
    select(evidence.c.digest, evidence.c.text, evidence.c.first_seen)
    .where(evidence.c.text.is_not(None), evidence.c.digest > bindparam("after"))
    .order_by(evidence.c.digest)
    .limit(_PAGE)
)
_IMPORT: Final = _STATES.where(import_state.c.digest == bindparam("of"))


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

    def kept_evidence(self, *, before: int | None = None) -> Iterator[tuple[str, str]]:
        """Yield the texts that were not purged, each with its digest in hexadecimal.

        With `before`, only those that were first read before that instant.
        """
        after = b""
        while rows := self._database.fetch(_KEPT, after=after):
            for digest, text, first_seen in rows:
                after = bytes(digest)
                if before is None or first_seen < before:
                    yield after.hex(), text

    def purged_evidence(self) -> int:
        """Return how many texts were purged."""
        (count,) = self._database.one(_PURGED) or (0,)
        return int(count)

    def import_of(self, digest: str) -> ImportState | None:
        """Return the state of the last import of the content with a digest; None if none."""
        row = self._database.one(_IMPORT, of=bytes.fromhex(digest))
        return None if row is None else _state(row)

    def has_imports(self) -> bool:
        """Return whether an import was ever begun."""
        return self._database.one(_ANY_IMPORT) is not None

    def unfinished_imports(
        self, *, branch: str, known: int | None = None
    ) -> list[tuple[ImportState, int]]:
        """Return the imports without an end that a branch sees up to a position, oldest first.

        Each comes with the instant of its beginning. One does not count if a later import of the
        same name ended.
        """
        states = [_state(row) for row in self._database.fetch(_STATES)]
        ended = {state.name: 0 for state in states}
        for state in states:
            if state.ended is not None:
                ended[state.name] = max(ended[state.name], state.begun)
        found = []
        for state in sorted(states, key=lambda each: each.begun):
            if state.ended is None and state.begun > ended[state.name]:
                begun = self.events(after=state.begun - 1, limit=1, upto=known, branch=branch)
                found += [
                    (state, each.occurred_at) for each in begun if each.position == state.begun
                ]
        return found


def _state(row: tuple[Any, ...]) -> ImportState:
    digest, name, events, begun, done, ended = row
    return ImportState(
        bytes(digest).hex(), name, events, begun, None if done is None else bool(done), ended
    )


def keep_texts(database: Database, texts: Iterable[str], *, first_seen: int) -> None:
    """Keep texts under their digests, within `writing`; a purged text stays purged.

    What no database takes (NUL, half a surrogate pair) is replaced.
    """
    sound = (text.replace("\0", "\ufffd").encode("utf-8", "replace") for text in texts)
    encoded = {sha256(raw).digest(): raw for raw in sound}
    if not encoded:
        return
    for (digest,) in database.fetch_among(_DIGESTS, evidence.c.digest, list(encoded)):
        del encoded[bytes(digest)]
    database.run_many(
        _ADD,
        [
            {"digest": digest, "text": raw.decode(), "bytes": len(raw), "first_seen": first_seen}
            for digest, raw in encoded.items()
        ],
    )


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
