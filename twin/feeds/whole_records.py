"""How much of a file that is still written can be read: its whole records.

A log grows at its end, so its last record may be there in part. Other files are written at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.feeds.detect import FileFormat

_LINE: Final = re.compile(r"\n")
_TRAILER: Final = re.compile(r"^-{5}.{0,200}-{10}-*[ \t\r]*\n", re.MULTILINE)
_HEADER: Final = re.compile(r"^(?!.{0,400}?AMQ\d{4}).{0,99}- Process\(\d", re.MULTILINE)
"""The first line of a record that has several."""

_OBJECT: Final = re.compile(r"^(?:\}|\{.*\})[ \t\r]*\n", re.MULTILINE)
_MESSAGE: Final = re.compile(r"^(?=\*{4} Message #)", re.MULTILINE)
_ZOS_MESSAGE: Final = re.compile(r"^(?=.{0,99}?[\s+]CSQ[A-Z0-9]\d{3}[A-Z] )", re.MULTILINE)

_ENDS: Final[Mapping[FileFormat, re.Pattern[str]]] = MappingProxyType(
    {
        FileFormat.ERROR_LOG: _TRAILER,
        FileFormat.JSON_LOG: _LINE,
        FileFormat.CONTAINER_LOG: _LINE,
        FileFormat.WEB_SERVER_LOG: _LINE,
        FileFormat.ZOS_LOG: _ZOS_MESSAGE,
        FileFormat.AMQSEVT_JSON: _OBJECT,
        FileFormat.AMQSEVT_TEXT: _MESSAGE,
    }
)
"""The formats of logs, and what ends a record."""


def is_log(form: FileFormat) -> bool:
    """Return whether files of a format are logs, which grow while they are used."""
    return form in _ENDS


def whole_records(text: str, form: FileFormat) -> int:
    """Return the length of the whole records at the begin of a text; of other formats, all of it.

    An error log of shippers has one line for each record, and no trailers.
    """
    end = _ENDS.get(form)
    if end is None:
        return len(text)
    length = _last_end(text, end)
    if form is FileFormat.ERROR_LOG and not length and not _HEADER.search(text):
        return _last_end(text, _LINE)
    return length


def _last_end(text: str, end: re.Pattern[str]) -> int:
    """Return where the last match ends: 0 without a match."""
    size = _NEAR
    while True:
        begin = max(0, len(text) - size)
        begin = text.rfind("\n", 0, begin) + 1 if begin else 0
        last = 0
        for found in end.finditer(text, begin):
            last = found.end()
        if last or not begin:
            return last
        size *= 8


_NEAR: Final = 1 << 14
"""The number of characters at the end in which the end of a record is looked for first."""
