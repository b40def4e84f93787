"""DISPLAY QMGR, QMSTATUS and PUBSUB, and of object types without a model of their own.

Sources: IBM MQ 9.3, DISPLAY QMGR, for the groups SYSTEM and EVENT; ALTER QMGR for CLUSTER; CHINIT
and PUBSUB are unverified. DISPLAY QMSTATUS: captures of 9.1 and 9.4.2; its
columns are those of 9.4 [mem: ARCHLOG, ARCHSZ, CURRLOG, MEDIALOG, MEDIASZ, RECLOG, RECSZ], and what
twin does not model is blank unless a capture shows it. PUBSUB: IBM MQ, DISPLAY PUBSUB; PSMODE
decides the status.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from twin.events import Caller
from twin.fold.estate import QueueManager
from twin.model.attributes import Value, full
from twin.model.authorities import ADMINISTRATORS, expanded, matches
from twin.model.instants import mq_date, mq_time
from twin.model.messages import NOT_FOUND
from twin.model.objects import Definition, authorities_of, in_order, profile_of
from twin.model.platforms import shown_version
from twin.model.system_objects import initial_values
from twin.model.words import OWN_NUMBERS, OWN_REST, OWN_TEXTS
from twin.questions.display._definitions import (
    SUBSCRIPTIONS,
    DisplaySource,
    DisplayView,
    FoundRow,
    as_shown,
    columns_of,
    defined,
    evidence_of,
    fixed,
    keywords,
    numbers,
    object_dates,
    row_of,
    texts,
    words,
)
from twin.rules.messages.authority import Entity, entities_of, entity_of, granted, knows_records
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

_STATUS_COLUMNS: Final = f"{OWN_TEXTS} {OWN_NUMBERS} {OWN_REST}"

_OF_THE_PRODUCT: Final = ("CMDLEVEL", "PLATFORM", "VERSION")

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
    """Go through the authority records that DISPLAY AUTHREC selects.

    MATCH(PROFILE), the default, selects the profiles that apply to a name, and of a generic profile
    only itself; MATCH(EXACT) only the profile. MATCH(MEMBERSHIP) adds the groups of a principal,
    of which only the one that everybody is in is known.
    """
    selected = source.request.selected
    wanted, match = selected.get("PROFILE", "*"), selected.get("MATCH", "PROFILE")
    is_name = match != "EXACT" and {*"*?"}.isdisjoint(wanted)
    only = _selected_entities(source, members=match == "MEMBERSHIP")
    for profile, definition in _records(source, "AUTHREC"):
        applies = wanted in {"*", profile} or (is_name and matches(profile, wanted))
        if not applies or (only and entity_of(definition) not in only):
            continue
        values: dict[str, Value] = {
            "PROFILE": profile,
            **_of_entity(entity_of(definition)),
            "OBJTYPE": definition.values.get("OBJTYPE", ""),
            "AUTHLIST": authorities_of(definition) or _NO_AUTHORITY,
        }
        yield FoundRow(values, evidence_of(source, definition))


def _entity(source: DisplaySource) -> Iterator[FoundRow]:
    """Show what an entity may do with an object, by all profiles that count for it.

    Of a principal, only the group that everybody is in is known. The list is blank if not all
    authority records were seen.
    """
    selected, qmgr = source.request.selected, source.qmgr
    only = _selected_entities(source, members=True)
    if not only or "OBJTYPE" not in selected:
        return
    of_type = selected["OBJTYPE"]
    found = granted(qmgr, of_type, selected.get("OBJNAME", ""), only)
    words = ["ALL"] if ("GROUP", ADMINISTRATORS) in only else []
    words += [word for each in found for word in each.words]
    values: dict[str, Value | None] = {
        **_of_entity(only[0]),
        "OBJTYPE": of_type,
        "AUTHLIST": expanded(of_type, words) or _NO_AUTHORITY if knows_records(qmgr) else None,
    }
    yield FoundRow(values, (qmgr.position,))


_NO_AUTHORITY: Final = ("NONE",)


def _selected_entities(source: DisplaySource, *, members: bool) -> tuple[Entity, ...]:
    """Return the principal or the group that is selected; with its groups, as far as known."""
    selected = source.request.selected
    if "GROUP" in selected or "PRINCIPAL" not in selected:
        return (("GROUP", selected["GROUP"]),) if "GROUP" in selected else ()
    user = selected["PRINCIPAL"]
    both = entities_of(source.qmgr, Caller(name=user), user)
    return both if members else both[:1]


def _of_entity(entity: Entity) -> dict[str, Value]:
    return {"ENTITY": entity[1], "ENTTYPE": entity[0]}


_OBJECT_TYPES: Final = keywords(
    """ALL AUTHINFO CHANNEL CLNTCONN COMMINFO LISTENER NAMELIST PROCESS QMGR QUEUE RQMNAME SERVICE
    TOPIC"""
)


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
            "SSLPEER SSLCERTI ADDRESS CLNTUSER QMNAME USERLIST ADDRLIST MCAUSER USERSRC CHCKCLNT"
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
            **dict.fromkeys(("PROFILE", "PRINCIPAL", "GROUP", "SERVCOMP"), _ANY),
            "OBJTYPE": _OBJECT_TYPES,
            "MATCH": frozenset({"PROFILE", "MEMBERSHIP", "EXACT"}),
        },
        found_by=frozenset({"PROFILE"}),
    ),
    "ENTAUTH": DisplayView(
        message="AMQ8866",
        first=("ENTITY",),
        columns=_AUTHORITY,
        find=_entity,
        nameless=True,
        selectors={
            **dict.fromkeys(("PRINCIPAL", "GROUP", "OBJNAME", "SERVCOMP"), _ANY),
            "OBJTYPE": _OBJECT_TYPES - {"ALL"},
        },
    ),
}


def own_values(qmgr: QueueManager) -> dict[str, Value | None]:
    """Return all attributes of a queue manager itself; None for those that nobody showed.

    Of an imported one, defaults are facts once an answer or a dump showed all attributes.
    """
    dates = object_dates(qmgr)
    identity: dict[str, Value] = {
        "CMDLEVEL": qmgr.cmdlevel,
        "PLATFORM": qmgr.platform,
        "QMID": "" if qmgr.made_qmid else qmgr.qmid,
        "VERSION": shown_version(qmgr.known_version),
    }
    initial = initial_values(qmgr.name, level=qmgr.cmdlevel)
    values = {**initial, **qmgr.values, **dict.fromkeys(dates, ""), **identity}
    shown = full("QMGR", values, level=qmgr.cmdlevel)
    known = {*qmgr.values, "QMID", *(() if qmgr.made_level else _OF_THE_PRODUCT)}
    unknown = [] if qmgr.shows_all else shown.keys() - known
    unknown = [*unknown, *(each for each, value in identity.items() if not value)]
    return {**shown, **dict.fromkeys(unknown), **dates, "QMNAME": qmgr.name}


def _itself(source: DisplaySource) -> Iterator[FoundRow]:
    yield FoundRow(own_values(source.qmgr), (source.qmgr.position,))


def _status(source: DisplaySource) -> Iterator[FoundRow]:
    qmgr = source.qmgr
    started = qmgr.known_start
    seen = qmgr.activity.seen.servers.get("") if qmgr.is_only_observed else None
    values: dict[str, Value | None] = {
        **dict.fromkeys(_STATUS_COLUMNS.split()),
        "STARTDA": None if started is None else mq_date(started),
        "STARTTI": None if started is None else mq_time(started),
    }
    if not qmgr.is_only_observed:
        for part in ("CHINIT", "CMDSERV"):
            values[part] = "RUNNING" if qmgr.text(f"S{part}") == "QMGR" else "STOPPED"
    elif seen is not None and seen.at >= (started or 0):
        values |= as_shown(seen.cells, OWN_NUMBERS)
    values |= {"QMNAME": qmgr.name, "TYPE": "QMGR", "STATUS": "RUNNING" if runs(qmgr) else None}
    yield FoundRow(values, (qmgr.position, *((seen.position,) if seen else ())))


def _pubsub(source: DisplaySource) -> Iterator[FoundRow]:
    mode, seen = own_values(source.qmgr)["PSMODE"], source.qmgr.is_only_observed
    values: dict[str, Value | None] = {
        "QMNAME": source.qmgr.name,
        "TYPE": "LOCAL",
        "STATUS": None if mode is None else _PUBSUB_STATUS.get(str(mode), mode),
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
        columns=fixed((*texts(OWN_TEXTS), *numbers(OWN_NUMBERS), *texts(OWN_REST))),
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
