"""DISPLAY QMGR, QMSTATUS and PUBSUB, and of object types without a model of their own.

Sources: IBM MQ 9.3, DISPLAY QMGR, for the groups SYSTEM and EVENT; ALTER QMGR for CLUSTER; CHINIT
and PUBSUB are unverified. DISPLAY QMSTATUS: captures of 9.1 and 9.4.2; its
columns are those of 9.4 [mem: ARCHLOG, ARCHSZ, CURRLOG, MEDIALOG, MEDIASZ, RECLOG, RECSZ], and what
twin does not model is blank. PUBSUB: IBM MQ, DISPLAY PUBSUB; PSMODE decides the status.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from twin.model.attributes import Value, full
from twin.model.instants import mq_date, mq_time
from twin.model.messages import NOT_FOUND
from twin.model.objects import Definition, in_order, profile_of
from twin.model.platforms import shown_version
from twin.model.system_objects import initial_values
from twin.questions.display._definitions import (
    SUBSCRIPTIONS,
    DisplaySource,
    DisplayView,
    FoundRow,
    columns_of,
    dated,
    defined,
    evidence_of,
    fixed,
    keywords,
    numbers,
    row_of,
    texts,
    words,
)
from twin.rules.standing import runs

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

_MESSAGES: Final = {
    "NAMELIST": "AMQ8550",
    "PROCESS": "AMQ8407",
    "LISTENER": "AMQ8630",
    "SERVICE": "AMQ8629",
    "SUB": "AMQ8096",
    "COMMINFO": "AMQ8861",
}

_ANY: Final = frozenset[str]()

_ENTITIES: Final = ("PRINCIPAL", "GROUP")


def _objects(name: str, message: str, *first: str, missing: str = NOT_FOUND) -> DisplayView:
    """Return the view of a type whose rows start with its name."""
    return DisplayView(
        message=message,
        first=(name, *first),
        columns=columns_of(name),
        find=defined(name),
        missing=missing,
    )


def _rules(source: DisplaySource) -> Iterator[FoundRow]:
    exact = source.request.selected.get("MATCH") == "EXACT"
    for profile, definition in _records(source, "CHLAUTH"):
        if profile != source.request.pattern if exact else not source.request.names(profile):
            continue
        row = row_of(source, definition)
        yield replace(row, values={**row.values, "CHLAUTH": profile})


_AUTHORITY: Final = fixed(
    (*texts("ENTITY"), words("ENTTYPE", "PRINCIPAL GROUP"), *texts("OBJTYPE AUTHLIST"))
)


def _authorities(source: DisplaySource) -> Iterator[FoundRow]:
    selected = source.request.selected
    for profile, definition in _records(source, "AUTHREC"):
        recorded = definition.values
        if any(
            selected.get(keyword, recorded.get(keyword)) != recorded.get(keyword)
            for keyword in _ENTITIES
        ):
            continue
        entity = "PRINCIPAL" if recorded.get("PRINCIPAL") else "GROUP"
        values: dict[str, Value] = {
            "PROFILE": profile,
            "ENTITY": recorded.get(entity, ""),
            "ENTTYPE": entity,
            "OBJTYPE": recorded.get("OBJTYPE", ""),
            "AUTHLIST": recorded.get("AUTHLIST", recorded.get("AUTHADD", "")),
        }
        yield FoundRow(values, evidence_of(source, definition))


OTHER_OBJECTS: Final = {
    **{name: _objects(name, message) for name, message in _MESSAGES.items()},
    "LISTENER": replace(
        _objects("LISTENER", _MESSAGES["LISTENER"]),
        selectors={"TRPTYPE": keywords("ALL LU62 NETBIOS SPX TCP")},
    ),
    "SUB": replace(
        _objects("SUB", _MESSAGES["SUB"]),
        selectors=SUBSCRIPTIONS,
        unmodelled=frozenset({"SUBID", "SUMMARY"}),
    ),
    "POLICY": _objects("POLICY", "AMQ9086", missing="AMQ8958"),
    "AUTHINFO": replace(
        _objects("AUTHINFO", "AMQ8566", "AUTHTYPE"),
        selectors={"AUTHTYPE": keywords("ALL CRLLDAP IDPWLDAP IDPWOS OCSP")},
    ),
    "CHLAUTH": DisplayView(
        message="AMQ8878",
        first=("CHLAUTH", "TYPE"),
        columns=columns_of("CHLAUTH"),
        find=_rules,
        always=keywords(
            "SSLPEER SSLCERTI ADDRESS CLNTUSER QMNAME USERLIST ADDRLIST MCAUSER USERSRC"
        ),
        whole=False,
        selectors={
            "TYPE": keywords("BLOCKUSER BLOCKADDR SSLPEERMAP ADDRESSMAP USERMAP QMGRMAP ALL"),
            "MATCH": frozenset({"GENERIC", "EXACT", "ALL"}),
            **dict.fromkeys(("ADDRESS", "CLNTUSER", "QMNAME", "SSLPEER", "SSLCERTI"), _ANY),
        },
        unmodelled=frozenset({"MATCH(RUNCHECK)"}),
        missing="AMQ8884",
    ),
    "AUTHREC": DisplayView(
        message="AMQ8864",
        first=("PROFILE",),
        columns=_AUTHORITY,
        find=_authorities,
        nameless=True,
        selectors={
            **dict.fromkeys(("PROFILE", "PRINCIPAL", "GROUP", "OBJTYPE", "SERVCOMP"), _ANY),
            "MATCH": frozenset({"PROFILE", "MEMBERSHIP", "EXACT"}),
        },
    ),
}


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
    yield FoundRow(attributes(source), (source.qmgr.position,))


def _status(source: DisplaySource) -> Iterator[FoundRow]:
    qmgr = source.qmgr
    known = attributes(source)
    started = qmgr.known_start
    values: dict[str, Value | None] = {
        **dict.fromkeys(f"{_STATUS_TEXTS} {_STATUS_NUMBERS} {_STATUS_REST}".split()),
        "QMNAME": qmgr.name,
        "TYPE": "QMGR",
        "STATUS": "RUNNING" if runs(qmgr) else None,
        **{part: _starts_with(source, part, known[f"S{part}"]) for part in ("CHINIT", "CMDSERV")},
        "STARTDA": None if started is None else mq_date(started),
        "STARTTI": None if started is None else mq_time(started),
    }
    yield FoundRow(values, (qmgr.position,))


def _starts_with(source: DisplaySource, part: str, control: Value) -> str | None:
    """Return the status of a part of the queue manager; of an imported one as it was last seen."""
    if source.qmgr.is_only_observed:
        seen = source.qmgr.activity.seen.servers.get(part)
        return None if seen is None else seen.status
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


def _records(source: DisplaySource, kind: str) -> Iterator[tuple[str, Definition]]:
    """Go through the records of a kind, each with its profile."""
    records = [
        each
        for each in source.qmgr.definitions.values()
        if each.kind == kind and source.qmgr.was_shown(each)
    ]
    for definition in sorted(records, key=in_order):
        yield profile_of(definition), definition
