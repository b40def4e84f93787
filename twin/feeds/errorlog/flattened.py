"""Records that a shipper flattened to one line, with blanks for line ends.

A record of 9.1 or later with its attributes in the usual order is read with one search, any other
one attribute by attribute. Both ways give equal records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from twin.feeds.errorlog.attributes import leading_attributes, whole
from twin.feeds.errorlog.keeping import Kept
from twin.feeds.errorlog.parts import Inserts, LogWriter, inserts_of, place_of
from twin.feeds.errorlog.record import utc_instant
from twin.model.instants import Instant
from twin.mqsc.masking import masked_text, may_have_password

_SIMPLE: Final = r"[^()\n]*+"
_NESTED: Final = rf"({_SIMPLE}(?:\({_SIMPLE}\){_SIMPLE})*+)"
_USUAL: Final = re.compile(
    rf"Process\((\d{{1,10}}\.\d{{1,10}})\)((?: ++(?!Time\()[A-Z]\w{{2,15}}+\({_SIMPLE}\)){{0,8}}+)"
    rf" ++Time\(({_SIMPLE})\)(?: ++RemoteHost\(({_SIMPLE})\))?+"
    rf"(?: ++ArithInsert1\(({_SIMPLE})\))?+(?: ++ArithInsert2\(({_SIMPLE})\))?+"
    rf"((?: ++CommentInsert1\({_NESTED}\))?+(?: ++CommentInsert2\({_NESTED}\))?+"
    rf"(?: ++CommentInsert3\({_NESTED}\))?+) ++(?=AMQ\d{{4}}[A-Z]?:)",
    re.ASCII,
)


class FlatHeader(NamedTuple):
    """The attributes of a flattened record.

    Attributes:
        process: the process and the thread.
        place: where and by whom it was written.
        at: its instant.
        inserts: its inserts.
        end: where they end; where the id is at the earliest.
    """

    process: str
    place: LogWriter
    at: Instant | None
    inserts: Inserts
    end: int


def flat_header(text: str, begin: int) -> FlatHeader:
    """Read the attributes of a flattened record that begin at a place."""
    found = _USUAL.match(text, begin)
    if found is None:
        return header_of(*leading_attributes(text, begin))
    process, place, instant, remote_host, first, second, inserts, *comments = found.groups("")
    one, two, three = (each.strip() for each in comments)
    if may_have_password(inserts):
        one, two, three = masked_text(one), masked_text(two), masked_text(three)
    arith = (whole(first), whole(second)) if first or second else ("", "")
    read = Inserts(arith, (one, two, three), remote_host.strip())
    return FlatHeader(process, _PLACE(place), utc_instant(instant.strip()), read, found.end())


def header_of(attributes: Mapping[str, str], end: int) -> FlatHeader:
    """Return the header with the given attributes, which end at a place."""
    at = utc_instant(attributes.get("Time", "").strip())
    process = attributes.get("Process", "")
    return FlatHeader(process, place_of(attributes), at, inserts_of(attributes), end)


def _place(text: str) -> LogWriter:
    return place_of(leading_attributes(text, 0)[0])


_PLACE: Final = Kept(_place)
