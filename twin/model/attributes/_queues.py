"""Queues, topics and namelists as tables.

Sources: order and defaults, dmpmqcfg -a of a 9.3.0.2 queue manager and DISPLAY captures of 7.0.1
and 7.5; keyword lists, IBM MQ 9.4 DEFINE queues; ranges, the same pages; CLWL attributes, IBM MQ,
Cluster workload balancing - queue attributes. CLUSTER with USAGE(XMITQ): reason code 3090.
No capture shows the place of CAPEXPRY, OTELPCTL and OTELTRAC: they are placed alphabetically.

Sources: order and defaults, dmpmqcfg -a of a 9.3.0.2 queue manager (SYSTEM.DEFAULT.TOPIC,
SYSTEM.DEFAULT.NAMELIST) and DISPLAY NAMELIST of 9.1; keywords, IBM MQ 9.4, DEFINE TOPIC. No
capture shows the place of CAPEXPRY in a topic: it is placed next to CUSTOM.
"""

from __future__ import annotations

from typing import Final

from twin.model.attributes._attribute import (
    ALTERED,
    CLUSTER_OR_NAMELIST,
    CREATED,
    DESCR,
    GIVEN,
    LARGEST,
    Attribute,
    Clash,
    ObjectType,
    choice,
    flag,
    name,
    number,
    pattern,
    shown,
    text,
)
from twin.model.attributes._forms import NameList

_ABLE: Final = "ENABLED DISABLED"
_YES_NO: Final = "YES NO"

_CAPPED: Final = number("CAPEXPRY", 1, LARGEST, "NOLIMIT", words="NOLIMIT", since=940)
_IN_CLUSTERS: Final = (name("CLUSNL"), name("CLUSTER"))
_WEIGHED: Final = (number("CLWLPRTY", 0, 9, 0), number("CLWLRANK", 0, 9, 0))
_CUSTOM: Final = text("CUSTOM", 128, since=710)
_DEFBIND: Final = choice("DEFBIND", "OPEN NOTFIXED GROUP", "OPEN")
_PUT_DEFAULTS: Final = (
    number("DEFPRTY", 0, 9, 0),
    choice("DEFPSIST", _YES_NO, "NO"),
    choice("DEFPRESP", "SYNC ASYNC", "SYNC"),
)
_DEFREADA: Final = choice("DEFREADA", "NO YES DISABLED", "NO")
_GET: Final = choice("GET", _ABLE, "ENABLED")
_PUT: Final = choice("PUT", _ABLE, "ENABLED")
_PROPCTL: Final = choice("PROPCTL", "COMPAT NONE ALL FORCE V6COMPAT", "COMPAT")
_SCOPE: Final = choice("SCOPE", "QMGR CELL", "QMGR")
_OTELPCTL: Final = choice("OTELPCTL", "QMGR MANUAL AUTO", "QMGR", since=943)
_OTELTRAC: Final = choice("OTELTRAC", "QMGR ON OFF", "QMGR", since=943)


def _stored(
    *,
    clustered: tuple[Attribute, ...],
    used: tuple[Attribute, ...],
    bound: tuple[Attribute, ...],
    shared: str,
    deftype: Attribute,
    live: tuple[Attribute, Attribute, Attribute] | None,
    scope: tuple[Attribute, ...],
) -> tuple[Attribute, ...]:
    """Return the attributes of a queue that holds messages, in the order of DISPLAY.

    `live` are its depth and its open handles.
    """
    depth, inputs, outputs = ((each,) for each in live) if live else ((), (), ())
    return (
        choice("ACCTQ", "QMGR ON OFF", "QMGR"),
        *ALTERED,
        name("BOQNAME"),
        number("BOTHRESH", 0, LARGEST, 0),
        _CAPPED,
        *clustered,
        pattern("CLCHNAME", since=750),
        *used,
        *CREATED,
        *depth,
        _CUSTOM,
        *bound,
        *_PUT_DEFAULTS,
        _DEFREADA,
        choice("DEFSOPT", "SHARED EXCL", "SHARED" if shared == "YES" else "EXCL"),
        deftype,
        DESCR,
        choice("DISTL", _YES_NO, "NO"),
        _GET,
        flag("HARDENBO", "NOHARDENBO", "YES"),
        choice("IMGRCOVQ", "QMGR YES NO", "QMGR", since=902),
        name("INITQ"),
        *inputs,
        number("MAXDEPTH", 0, LARGEST, 5000),
        number("MAXMSGL", 0, 104_857_600, 4_194_304),
        number("MAXFSIZE", 20, 267_386_880, "DEFAULT", words="DEFAULT MAX", since=915),
        choice("MONQ", "QMGR OFF LOW MEDIUM HIGH", "QMGR"),
        choice("MSGDLVSQ", "PRIORITY FIFO", "PRIORITY"),
        flag("TRIGGER", "NOTRIGGER", "NO"),
        choice("NPMCLASS", "NORMAL HIGH", "NORMAL"),
        *outputs,
        _OTELPCTL,
        _OTELTRAC,
        name("PROCESS"),
        _PUT,
        _PROPCTL,
        number("QDEPTHHI", 0, 100, 80),
        number("QDEPTHLO", 0, 100, 20),
        choice("QDPHIEV", _ABLE, "DISABLED"),
        choice("QDPLOEV", _ABLE, "DISABLED"),
        choice("QDPMAXEV", _ABLE, "ENABLED"),
        choice("QSVCIEV", "HIGH OK NONE", "NONE"),
        number("QSVCINT", 0, LARGEST, LARGEST),
        number("RETINTVL", 0, LARGEST, LARGEST),
        *scope,
        flag("SHARE", "NOSHARE", shared),
        choice("STATQ", "QMGR ON OFF", "QMGR"),
        name("STREAMQ", since=923),
        choice("STRMQOS", "BESTEF MUSTDUP", "BESTEF", since=923),
        text("TRIGDATA", 64),
        number("TRIGDPTH", 1, LARGEST, 1),
        number("TRIGMPRI", 0, 9, 0),
        choice("TRIGTYPE", "FIRST EVERY DEPTH NONE", "FIRST"),
        choice("USAGE", "NORMAL XMITQ", "NORMAL"),
    )


_QLOCAL: Final = _stored(
    clustered=_IN_CLUSTERS,
    used=(*_WEIGHED, choice("CLWLUSEQ", "QMGR ANY LOCAL", "QMGR")),
    bound=(_DEFBIND,),
    shared="YES",
    deftype=shown("DEFTYPE", "PREDEFINED"),
    live=(shown("CURDEPTH", 0), shown("IPPROCS", 0), shown("OPPROCS", 0)),
    scope=(_SCOPE,),
)

_QMODEL: Final = _stored(
    clustered=(),
    used=(),
    bound=(),
    shared="NO",
    deftype=choice("DEFTYPE", "TEMPDYN PERMDYN SHAREDYN", "TEMPDYN"),
    live=None,
    scope=(),
)

_QALIAS: Final = (
    *ALTERED,
    name("TARGET"),
    _CAPPED,
    *_IN_CLUSTERS,
    *_WEIGHED,
    _CUSTOM,
    _DEFBIND,
    *_PUT_DEFAULTS,
    _DEFREADA,
    DESCR,
    _GET,
    _PUT,
    _PROPCTL,
    _SCOPE,
    choice("TARGTYPE", "QUEUE TOPIC", "QUEUE"),
)

_QREMOTE: Final = (
    *ALTERED,
    _CAPPED,
    *_IN_CLUSTERS,
    *_WEIGHED,
    _CUSTOM,
    _DEFBIND,
    *_PUT_DEFAULTS,
    DESCR,
    _OTELPCTL,
    _OTELTRAC,
    _PUT,
    name("RQMNAME"),
    name("RNAME"),
    _SCOPE,
    name("XMITQ"),
)

_NO_CLUSTER_XMITQ: Final = tuple(
    Clash(
        ((keyword, GIVEN), ("USAGE", "XMITQ")),
        3090,
        "a cluster queue cannot be a transmission queue",
    )
    for keyword in ("CLUSTER", "CLUSNL")
)


def _queue(
    name: str,
    template: str,
    attributes: tuple[Attribute, ...],
    *,
    clashes: tuple[Clash, ...] = (),
    synonyms: dict[str, str] | None = None,
) -> ObjectType:
    return ObjectType(
        name=name,
        kind="QUEUE",
        word="QUEUE",
        type_keyword="TYPE",
        template=template,
        attributes=attributes,
        clashes=clashes,
        synonyms=synonyms or {},
    )


QUEUES: Final = (
    _queue(
        "QLOCAL",
        "SYSTEM.DEFAULT.LOCAL.QUEUE",
        _QLOCAL,
        clashes=(CLUSTER_OR_NAMELIST, *_NO_CLUSTER_XMITQ),
    ),
    _queue(
        "QALIAS",
        "SYSTEM.DEFAULT.ALIAS.QUEUE",
        _QALIAS,
        clashes=(CLUSTER_OR_NAMELIST,),
        synonyms={"TARGQ": "TARGET"},
    ),
    _queue(
        "QREMOTE",
        "SYSTEM.DEFAULT.REMOTE.QUEUE",
        _QREMOTE,
        clashes=(CLUSTER_OR_NAMELIST,),
    ),
    _queue("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE", _QMODEL),
)


_NAMES: Final = 256
_TOPIC_ABLE: Final = "ASPARENT ENABLED DISABLED"
_DELIVERY: Final = "ASPARENT ALL ALLDUR ALLAVAIL"
_TOPIC_SCOPE: Final = "ASPARENT ALL QMGR"

TOPIC: Final = ObjectType(
    name="TOPIC",
    kind="TOPIC",
    word="TOPIC",
    type_keyword="",
    template="SYSTEM.DEFAULT.TOPIC",
    attributes=(
        choice("TYPE", "LOCAL", "LOCAL"),
        text("TOPICSTR", 10_240, blank=""),
        DESCR,
        name("CLUSTER"),
        choice("CLROUTE", "DIRECT TOPICHOST NONE", "DIRECT", since=800),
        choice("DURSUB", "ASPARENT YES NO", "ASPARENT"),
        choice("PUB", _TOPIC_ABLE, "ASPARENT"),
        choice("SUB", _TOPIC_ABLE, "ASPARENT"),
        choice("DEFPSIST", "ASPARENT YES NO", "ASPARENT"),
        number("DEFPRTY", 0, 9, "ASPARENT", words="ASPARENT"),
        choice("DEFPRESP", "ASPARENT SYNC ASYNC", "ASPARENT"),
        *ALTERED,
        choice("PMSGDLV", _DELIVERY, "ASPARENT"),
        choice("NPMSGDLV", _DELIVERY, "ASPARENT"),
        choice("PUBSCOPE", _TOPIC_SCOPE, "ASPARENT"),
        choice("SUBSCOPE", _TOPIC_SCOPE, "ASPARENT"),
        choice("PROXYSUB", "FIRSTUSE FORCE", "FIRSTUSE"),
        choice("WILDCARD", "PASSTHRU BLOCK", "PASSTHRU"),
        name("MDURMDL"),
        name("MNDURMDL"),
        choice("MCAST", "ASPARENT ENABLED DISABLED ONLY", "ASPARENT", since=710),
        name("COMMINFO", since=710),
        choice("USEDLQ", "ASPARENT YES NO", "ASPARENT", since=710),
        text("CUSTOM", 128, since=710),
        number("CAPEXPRY", 1, LARGEST, "ASPARENT", words="ASPARENT NOLIMIT", since=940),
    ),
    mandatory=("TOPICSTR",),
)

NAMELIST: Final = ObjectType(
    name="NAMELIST",
    kind="NAMELIST",
    word="NAMELIST",
    type_keyword="",
    template="SYSTEM.DEFAULT.NAMELIST",
    attributes=(
        shown("NAMCOUNT", 0),
        Attribute("NAMES", NameList(_NAMES), ()),
        DESCR,
        *ALTERED,
    ),
)
