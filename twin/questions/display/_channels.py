"""DISPLAY CHANNEL, the definitions, and DISPLAY CHSTATUS, the status of sending and receiving ends.

Sources: IBM MQ 9.2, DISPLAY CHSTATUS, for the columns; captures of 9.1 to 9.4 for the default row
(CHANNEL CHLTYPE, then in alphabetical order CONNAME CURRENT RQMNAME STATUS SUBSTATE XMITQ); IBM MQ
9.4, "Working with cluster transmission queues and cluster-sender channels" (XMITQ is the queue in
use; of a stopped channel it is the last one; during a switch it is the old one). SAVED has a row
for each channel that ran at least once; a channel that disconnected (DISCINT) has no other row.
MSGS and LSTMSGDA count messages of applications, not repository commands. Buffers, bytes, batches,
sequence numbers and key resets are not counted: those columns are blank. Of the definitions, client
connections come last, as in captures of 9.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.model import words as columns
from twin.model.attributes import TYPES
from twin.model.words import STATUSES
from twin.questions.display._channel_ends import current, saved
from twin.questions.display._definitions import (
    DisplaySource,
    DisplayView,
    FoundRow,
    bare,
    columns_of,
    defined,
    keywords,
    numbers,
    texts,
    words,
)

_COMMON: Final = (
    *texts(columns.BOTH_TEXTS),
    *numbers(columns.BOTH_NUMBERS),
    words("INDOUBT", "YES NO"),
)
_CURRENT: Final = (
    *_COMMON,
    bare("CURRENT"),
    *numbers(columns.CURRENT_NUMBERS),
    *texts(columns.CURRENT_TEXTS),
    words("MCASTAT", "RUNNING NOTRUNNING"),
    words("MONCHL", "OFF LOW MEDIUM HIGH"),
    words("STATCHL", "OFF LOW MEDIUM HIGH"),
    words("STATUS", " ".join(STATUSES)),
    words("STOPREQ", "YES NO"),
    *(TYPES["CLUSRCVR"].by_keyword[keyword] for keyword in columns.FROM_CHANNEL.split()),
)
_SAVED: Final = (*_COMMON, bare("SAVED"))


_COLUMNS: Final = tuple(
    tuple(sorted(kept, key=lambda column: column.keyword)) for kept in (_CURRENT, _SAVED)
)


def _find(source: DisplaySource) -> Iterator[FoundRow]:
    kind = "SAVED" if "SAVED" in source.request.words else "CURRENT"
    ends = saved(source) if kind == "SAVED" else current(source)
    kept = _COLUMNS[kind == "SAVED"]
    for end in sorted(ends, key=lambda end: end.order):
        yield FoundRow({**end.values, kind: "YES"}, (end.position,), kept)


CHANNEL_TYPES: Final = tuple(
    name for name, table in TYPES.items() if table.type_keyword == "CHLTYPE"
)
_CLIENTS_LAST: Final = (*(name for name in CHANNEL_TYPES if name != "CLNTCONN"), "CLNTCONN")

_CHANNEL: Final = DisplayView(
    message="AMQ8414",
    first=("CHANNEL", "CHLTYPE"),
    columns=columns_of(*_CLIENTS_LAST),
    find=defined(*_CLIENTS_LAST),
    selectors={"CHLTYPE": frozenset({*CHANNEL_TYPES, "ALL"})},
    unmodelled=frozenset({"CHLTYPE(MQTT)", "TYPE(MQTT)"}),
)
_CHSTATUS: Final = DisplayView(
    message="AMQ8417",
    first=("CHANNEL", "CHLTYPE"),
    columns=lambda _: _COLUMNS,
    find=_find,
    always=keywords("CONNAME CURRENT RQMNAME SAVED STATUS SUBSTATE XMITQ"),
    whole=False,
    unmodelled=frozenset({"CHLTYPE(AMQP)", "CHLTYPE(MQTT)", "CLIENTID"}),
    selectors={"CONNAME": frozenset(), "XMITQ": frozenset(), "RQMNAME": frozenset()},
    words=frozenset({"CURRENT", "SAVED", "MONITOR"}),
    missing="AMQ8420",
)

CHANNEL_VIEWS: Final = {"CHANNEL": _CHANNEL, "CHSTATUS": _CHSTATUS}
