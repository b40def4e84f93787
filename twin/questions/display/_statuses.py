"""Other status displays: queues, listeners, services, subscriptions, topics, connections.

Sources: captures of DISPLAY QSTATUS (7.5, 9.x) and LSSTATUS (7.5, 9.4.2); IBM MQ, the pages of the
commands. The twin has no processes and no connections. PID, CURFSIZE and PUBCOUNT are not modelled,
so they are blank unless a capture shows them. The default of a listener's BACKLOG is that of TCP,
100; the default of its PORT is 1414.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from twin.model.attributes import Value
from twin.model.instants import mq_date, mq_time
from twin.model.names import DEFAULT_PORT
from twin.model.words import LISTENER_NUMBERS, LISTENER_REST, LISTENER_TEXTS
from twin.questions.display._definitions import (
    SUBSCRIPTIONS,
    DisplaySource,
    DisplayView,
    FoundRow,
    as_shown,
    attributes_of,
    definitions,
    evidence_of,
    fixed,
    keywords,
    numbers,
    texts,
    words,
)
from twin.questions.display._depths import Depths

_TCP_BACKLOG: Final = 100

_QUEUE: Final = fixed(
    (
        *numbers("CURDEPTH"),
        *numbers("CURFSIZE CURMAXFS", since=915),
        *numbers("IPPROCS"),
        *texts("LGETDATE LGETTIME LPUTDATE LPUTTIME MEDIALOG"),
        words("MONQ", "OFF LOW MEDIUM HIGH"),
        *texts("MSGAGE"),
        *numbers("OPPROCS"),
        *texts("QTIME"),
        words("UNCOM", "YES NO"),
    ),
)
_NOT_KNOWN: Final = "LGETDATE LGETTIME LPUTDATE LPUTTIME MEDIALOG MSGAGE"
_ONLY_SIMULATED: Final = f"{_NOT_KNOWN} CURMAXFS MONQ QTIME UNCOM"
"""Columns that are not known of an imported queue manager, unless a capture shows them."""

_LARGEST_FILE: Final = 2_088_960
"""MB: the CURMAXFS of a queue with MAXFSIZE(DEFAULT), from captures of 9.2."""


def _queues(source: DisplaySource) -> Iterator[FoundRow]:
    """Go through the local queues; those that only captures show have no definition."""
    depths, unknown = Depths.of(source.qmgr, source.at), dict.fromkeys(_ONLY_SIMULATED.split())
    for definition in definitions(source, ("QLOCAL",)):
        values: dict[str, Value | None] = {
            **dict.fromkeys(_NOT_KNOWN.split(), ""),
            **depths.values(definition),
            "CURFSIZE": None,
            "CURMAXFS": _LARGEST_FILE,
            "MONQ": "OFF",
            "QTIME": " , ",
            "QUEUE": definition.name,
            "TYPE": "QUEUE",
            "UNCOM": "NO",
            **(unknown if source.qmgr.is_only_observed else {}),
            **depths.shown(definition.name),
        }
        evidence = (*evidence_of(source, definition), *depths.evidence(definition.name))
        yield FoundRow(values, evidence)
    for name in depths.only_seen(source.qmgr):
        if source.request.names(name):
            row = {**unknown, "QUEUE": name, "TYPE": "QUEUE", **depths.shown(name)}
            yield FoundRow(row, depths.evidence(name))


_LISTENER: Final = fixed(
    (
        *numbers("PID"),
        *texts(LISTENER_TEXTS),
        *numbers(LISTENER_NUMBERS),
        *texts(LISTENER_REST),
    ),
)


def _listeners(source: DisplaySource) -> Iterator[FoundRow]:
    """Go through the running listeners; those that only captures show have no definition."""
    qmgr, running = source.qmgr, source.qmgr.activity.listeners
    if qmgr.is_only_observed:
        cells = qmgr.activity.seen.servers
        for name in sorted(filter(source.request.names, running)):
            known = qmgr.definitions.get(("LISTENER", name))
            shown = cells.get(name)
            row: dict[str, Value | None] = {
                **(attributes_of(qmgr, known) if known is not None and not shown else {}),
                **dict.fromkeys(("PID", "STARTDA", "STARTTI")),
                **(as_shown(shown.cells, f"PID {LISTENER_NUMBERS}") if shown else {}),
                "LISTENER": name,
                "STATUS": "RUNNING",
            }
            evidence = evidence_of(source, known) if known is not None else ()
            yield FoundRow(row, (*evidence, *((shown.position,) if shown else ())))
        return
    for definition in definitions(source, ("LISTENER",)):
        if definition.name not in running:
            continue
        since = running[definition.name]
        defined = attributes_of(source.qmgr, definition)
        values: dict[str, Value | None] = {
            **defined,
            "STATUS": "RUNNING",
            "PID": None,
            "STARTDA": mq_date(since),
            "STARTTI": mq_time(since),
            "IPADDR": defined["IPADDR"] or "*",
            "PORT": defined["PORT"] or DEFAULT_PORT,
            "BACKLOG": defined["BACKLOG"] or _TCP_BACKLOG,
        }
        yield FoundRow(values, evidence_of(source, definition))


_SERVICE: Final = fixed(
    (
        *numbers("PID"),
        *texts("SERVTYPE STARTDA STARTTI CONTROL STARTCMD STARTARG STOPCMD STOPARG"),
        *texts("DESCR STDOUT STDERR"),
    ),
)


def _services(source: DisplaySource) -> Iterator[FoundRow]:
    """Go through the running services: only those of SERVTYPE(SERVER) are noted as running."""
    running = source.qmgr.activity.services
    for definition in definitions(source, ("SERVICE",)):
        if definition.name not in running:
            continue
        since = running[definition.name]
        values: dict[str, Value | None] = {
            **attributes_of(source.qmgr, definition),
            "STATUS": "RUNNING",
            "PID": None,
            "STARTDA": mq_date(since),
            "STARTTI": mq_time(since),
        }
        yield FoundRow(values, evidence_of(source, definition))


def _subscriptions(source: DisplaySource) -> Iterator[FoundRow]:
    for definition in definitions(source, ("SUB",)):
        yield FoundRow(attributes_of(source.qmgr, definition), evidence_of(source, definition))


_WILDCARDS: Final = {re.escape("+"): "[^/]*", re.escape("#"): ".*"}


def _topics(source: DisplaySource) -> Iterator[FoundRow]:
    """Go through the topic strings of topic objects that match; `+` and `#` are wildcards."""
    levels = map(re.escape, source.request.pattern.split("/"))
    written = "/".join(_WILDCARDS.get(level, level) for level in levels)
    wanted = re.compile(written.replace("/.*", "(/.*)?"))
    objects = source.qmgr.definitions.values()
    subscribed = [each.values.get("TOPICSTR") for each in objects if each.type == "SUB"]
    for definition in sorted(objects, key=lambda each: each.name):
        string = str(definition.values.get("TOPICSTR", ""))
        if definition.type != "TOPIC" or not wanted.fullmatch(string) or not string:
            continue
        values: dict[str, Value | None] = {
            "TOPICSTR": string,
            "ADMIN": definition.name,
            "CLUSTER": definition.values.get("CLUSTER", ""),
            "RETAINED": None if source.qmgr.is_only_observed else "NO",
            "PUBCOUNT": None,
            "SUBCOUNT": None if source.qmgr.is_only_observed else subscribed.count(string),
        }
        yield FoundRow(values, evidence_of(source, definition))


def _none(source: DisplaySource) -> Iterable[FoundRow]:
    """Return no rows: the twin has none of these."""
    return ()


QUEUE_HANDLES: Final = DisplayView(
    message="AMQ8450",
    first=("QUEUE", "TYPE"),
    columns=fixed(
        texts(
            "APPLDESC APPLTAG APPLTYPE ASID ASTATE BROWSE CHANNEL CONNAME EXTURID HSTATE INPUT"
            " INQUIRE OUTPUT PID PSBNAME PSTID QMURID SET TASKNO TID TRANSID URID URTYPE USERID"
        )
    ),
    find=_none,
    selectors={"TYPE": frozenset({"HANDLE"}), "OPENTYPE": keywords("ALL INPUT OUTPUT")},
    missing="AMQ8565",
)
"""DISPLAY QSTATUS TYPE(HANDLE)."""

STATUS_VIEWS: Final = {
    "QSTATUS": DisplayView(
        message="AMQ8450",
        first=("QUEUE", "TYPE"),
        columns=_QUEUE,
        find=_queues,
        always=frozenset({"CURDEPTH"}),
        selectors={"TYPE": frozenset({"QUEUE", "HANDLE"}), "OPENTYPE": frozenset()},
        words=frozenset({"MONITOR"}),
    ),
    "LSSTATUS": DisplayView(
        message="AMQ8631",
        first=("LISTENER", "STATUS"),
        columns=_LISTENER,
        find=_listeners,
        always=frozenset({"PID"}),
    ),
    "SVSTATUS": DisplayView(
        message="AMQ8632",
        first=("SERVICE", "STATUS"),
        columns=_SERVICE,
        find=_services,
        always=frozenset({"PID"}),
    ),
    "SBSTATUS": DisplayView(
        message="AMQ8099",
        first=("SUB",),
        columns=fixed(texts("DURABLE SUBTYPE SUBUSER")),
        find=_subscriptions,
        selectors=SUBSCRIPTIONS,
        unmodelled=keywords("ACTCONN LMSGDATE LMSGTIME MCASTREL NUMMSGS RESMDATE RESMTIME SUBID"),
    ),
    "TPSTATUS": DisplayView(
        message="AMQ8754",
        first=("TOPICSTR",),
        columns=fixed((*texts("ADMIN CLUSTER RETAINED"), *numbers("PUBCOUNT SUBCOUNT"))),
        find=_topics,
        selectors={"TYPE": frozenset({"TOPIC"})},
        unmodelled=keywords(
            "TYPE(SUB) TYPE(PUB) CAPEXPRY CLROUTE COMMINFO DEFPRESP DEFPRTY DEFPSIST DURSUB MCAST"
            " MDURMDL MNDURMDL NPMSGDLV PMSGDLV PUB PUBSCOPE SUB SUBSCOPE USEDLQ"
        ),
    ),
    "APSTATUS": DisplayView(
        message="AMQ8932",
        first=("APPLNAME",),
        columns=fixed(
            texts(
                "TYPE CLUSTER COUNT MOVCOUNT BALANCED APPLDESC BALOPTS BALSTATE BALTMOUT BALTYPE"
                " CONNS CONNTAG IMMCOUNT IMMDATE IMMREASN IMMTIME MOVABLE QMID QMNAME"
            )
        ),
        find=_none,
        selectors={"TYPE": frozenset({"APPL"}), "CLUSTER": frozenset()},
        unmodelled=frozenset({"TYPE(QMGR)", "TYPE(LOCAL)"}),
    ),
    "CONN": DisplayView(
        message="AMQ8276",
        first=("CONN",),
        columns=fixed(
            texts(
                "EXTCONN TYPE APPLDESC APPLTAG APPLTYPE ASID ASTATE CHANNEL CLIENTID CONNAME"
                " CONNOPTS CONNTAG DEST DESTQMGR EXTURID HSTATE OBJNAME OBJTYPE OPENOPTS PID"
                " PSBNAME PSTID QMURID READA SUBID SUBNAME TASKNO TID TOPICSTR TRANSID UOWLOG"
                " UOWLOGDA UOWLOGTI UOWSTATE UOWSTDA UOWSTTI URDISP URTYPE USERID"
            )
        ),
        find=_none,
        selectors={
            "TYPE": frozenset({"CONN", "HANDLE", "ALL"}),
            "EXTCONN": frozenset(),
            "URDISP": frozenset({"ALL", "GROUP", "QMGR"}),
        },
    ),
}
