"""DISPLAY of object types without a model of their own, and of channel authentication records.

Sources: captures of 9.1 (namelist), 9.4.2 (listener, channel authentication), and IBM MQ, the pages
of the commands. By default a channel authentication record shows whom it maps, and to what. The
name in the command is a pattern for profiles (MATCH(GENERIC)) unless MATCH(EXACT) is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from twin.model.attributes import Value
from twin.model.messages import NOT_FOUND
from twin.model.objects import Definition
from twin.model.records import in_order, profile_of
from twin.questions.display._definitions import columns_of, defined, evidence_of, row_of
from twin.questions.display._view import (
    SUBSCRIPTIONS,
    DisplaySource,
    DisplayView,
    FoundRow,
    fixed,
    keywords,
    texts,
    words,
)

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


def _records(source: DisplaySource, kind: str) -> Iterator[tuple[str, Definition]]:
    """Go through the records of a kind, each with its profile."""
    records = [each for each in source.qmgr.definitions.values() if each.kind == kind]
    for definition in sorted(records, key=in_order):
        yield profile_of(definition), definition


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
