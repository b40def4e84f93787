"""DISPLAY QMGR, QMSTATUS and PUBSUB: the queue manager itself.

Sources: IBM MQ 9.3, DISPLAY QMGR, for the groups SYSTEM and EVENT; ALTER QMGR for CLUSTER; CHINIT
and PUBSUB are unverified. DISPLAY QMSTATUS: captures of 9.1 and 9.4.2; its
columns are those of 9.4 [mem: ARCHLOG, ARCHSZ, CURRLOG, MEDIALOG, MEDIASZ, RECLOG, RECSZ], and what
twin does not model is blank. PUBSUB: IBM MQ, DISPLAY PUBSUB; PSMODE decides the status.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.model.attributes import TYPES, ZOS_ONLY, Value, full
from twin.model.instants import mq_date, mq_time
from twin.model.platforms import shown_version
from twin.model.system_objects import initial_values
from twin.questions.display._definitions import columns_of, dated
from twin.questions.display._view import DisplaySource, DisplayView, FoundRow, fixed, numbers, texts

_GROUPS: Final = {
    "SYSTEM": """ACCTCONO ACCTINT ACCTMQI ACCTQ ACTIVREC ACTVCONO ACTVTRC ADVCAP ALTDATE AMQPCAP
        ALTTIME CCSID CMDLEVEL COMMANDQ CONNAUTH CRDATE CRTIME CUSTOM DEADQ DESCR DISTL IMGINTVL
        IMGLOGLN IMGRCOVO IMGRCOVQ IMGSCHED INITKEY MARKINT MAXHANDS MAXMSGL MAXPROPL MAXPRTY
        MAXUMSGS MONQ PLATFORM ROUTEREC SCMDSERV SPLCAP STATINT STATMQI STATQ SYNCPT TRIGINT
        VERSION XRCAP""",
    "EVENT": """AUTHOREV CHLEV CMDEV CONFIGEV INHIBTEV LOCALEV LOGGEREV PERFMEV REMOTEEV SSLEV
        STRSTPEV""",
    "CLUSTER": """CLWLDATA CLWLEXIT CLWLLEN CLWLMRUC CLWLUSEQ DEFCLXQ MONACLS PSCLUS QMID REPOS
        REPOSNL STATACLS""",
    "CHINIT": """CERTLABL CERTVPOL CHAD CHADEV CHADEXIT CHLAUTH CHLEV DEADQ DEFXMITQ IPADDRV
        MONACLS MONCHL QMID REVDNS SCHINIT SSLCRLNL SSLCRYP SSLEV SSLFIPS SSLKEYR SSLRKEYC
        STATACLS STATCHL SUITEB""",
    "PUBSUB": "PARENT PSCLUS PSMODE PSNPMSG PSNPRES PSRTYCNT PSSYNCPT TREELIFE",
}

_STATUS_TEXTS: Final = "TYPE STATUS ARCHLOG ARCHSZ AUTOCLUS CHINIT"
_STATUS_NUMBERS: Final = "CHKPTCNT CHKPTOPS CHKPTSZ"
_STATUS_REST: Final = """CMDSERV CONNS CURRLOG DATFSSZ DATFSUSE DATPATH DISKLSN GRPLSN GRPNAME
    GRPROLE HOSTNAME INSTANCE INSTDESC INSTNAME INSTPATH LDAPCONN LOGEXTSZ LOGFSSZ LOGFSUSE
    LOGINUSE LOGPATH LOGPRIM LOGSEC LOGSTRDA LOGSTRL LOGSTRTI LOGTYPE LOGUTIL MEDIALOG MEDIASZ
    QMFSSZ QMFSUSE QUORUM RECLOG RECSZ REUSESZ STANDBY STARTDA STARTTI UNICLUS"""
_PUBSUB_STATUS: Final = {"ENABLED": "ACTIVE", "COMPAT": "COMPAT", "DISABLED": "INACTIVE"}


def attributes(source: DisplaySource) -> dict[str, Value]:
    """Return all attributes of the queue manager itself."""
    qmgr = source.qmgr
    altered = qmgr.creation if qmgr.altered is None else qmgr.altered
    values: dict[str, Value] = {
        **initial_values(qmgr.name, level=qmgr.cmdlevel),
        **qmgr.values,
        **dated("ALT", altered),
        **dated("CR", qmgr.creation),
        "CMDLEVEL": qmgr.cmdlevel,
        "PLATFORM": qmgr.platform,
        "QMID": "" if qmgr.made_qmid else qmgr.qmid,
        "VERSION": shown_version(qmgr.known_version),
    }
    return {**full("QMGR", values, level=qmgr.cmdlevel), "QMNAME": qmgr.name}


def _itself(source: DisplaySource) -> Iterator[FoundRow]:
    values = attributes(source)
    columns = TYPES["QMGR"].at(source.level)
    given = sorted(values.keys() & ZOS_ONLY)
    yield FoundRow(values, (source.qmgr.position,), (*columns, *texts(" ".join(given))))


def _status(source: DisplaySource) -> Iterator[FoundRow]:
    qmgr = source.qmgr
    known = attributes(source)
    started = qmgr.known_start
    values: dict[str, Value | None] = {
        **dict.fromkeys(f"{_STATUS_TEXTS} {_STATUS_NUMBERS} {_STATUS_REST}".split()),
        "QMNAME": qmgr.name,
        "TYPE": "QMGR",
        "STATUS": "RUNNING",
        "CHINIT": _starts_with(source, known["SCHINIT"]),
        "CMDSERV": _starts_with(source, known["SCMDSERV"]),
        "STARTDA": None if started is None else mq_date(started),
        "STARTTI": None if started is None else mq_time(started),
    }
    yield FoundRow(values, (qmgr.position,))


def _starts_with(source: DisplaySource, control: Value) -> str | None:
    """Return whether a part of the queue manager runs; None of an imported one: nobody saw it."""
    if source.qmgr.is_only_observed:
        return None
    return "RUNNING" if control == "QMGR" else "STOPPED"


def _pubsub(source: DisplaySource) -> Iterator[FoundRow]:
    mode, seen = str(attributes(source)["PSMODE"]), source.qmgr.is_only_observed
    values: dict[str, Value | None] = {
        "QMNAME": source.qmgr.name,
        "TYPE": "LOCAL",
        "STATUS": _PUBSUB_STATUS.get(mode, mode),
        "TPCOUNT": None,
        "SUBCOUNT": None if seen else sum(kind == "SUB" for kind, _ in source.qmgr.definitions),
    }
    yield FoundRow(values, (source.qmgr.position,))


QUEUE_MANAGER_VIEWS: Final = {
    "QMGR": DisplayView(
        message="AMQ8408",
        first=("QMNAME",),
        columns=columns_of("QMGR"),
        find=_itself,
        nameless=True,
        groups={word: tuple(keywords.split()) for word, keywords in _GROUPS.items()},
    ),
    "QMSTATUS": DisplayView(
        message="AMQ8705",
        first=("QMNAME",),
        columns=fixed((*texts(_STATUS_TEXTS), *numbers(_STATUS_NUMBERS), *texts(_STATUS_REST))),
        find=_status,
        always=frozenset({"STATUS"}),
        whole=False,
        selectors={"TYPE": frozenset({"QMGR"})},
        unmodelled=frozenset({"TYPE(NATIVEHA)"}),
    ),
    "PUBSUB": DisplayView(
        message="AMQ8723",
        first=("QMNAME",),
        columns=fixed((*texts("TYPE STATUS"), *numbers("SUBCOUNT TPCOUNT"))),
        find=_pubsub,
        always=frozenset({"TYPE", "STATUS"}),
        whole=False,
        selectors={"TYPE": frozenset({"LOCAL", "PARENT", "CHILD", "ALL"})},
    ),
}
