"""Types without effect in clusters: their keywords and values are checked, stored and displayed.

CHLAUTH and AUTHREC are records: they are named by a profile and by `identity`. Which keywords
LISTENER, AUTHINFO and CHLAUTH have depends on the value of TRPTYPE, AUTHTYPE and TYPE (`variants`).
Attributes that only some variants have, have no default: a display shows those that were set, or
that the template of the type has.

Sources: order and defaults, dmpmqcfg -a of a 9.3.0.2 queue manager; DISPLAY LISTENER shows CONTROL
before TRPTYPE (9.4.2), dmpmqcfg the other way round. Keywords and values, IBM MQ 9.4, DEFINE
LISTENER, DEFINE PROCESS, DEFINE COMMINFO, DEFINE SUB, DEFINE AUTHINFO, SET CHLAUTH, SET AUTHREC and
SET POLICY. WARN(NO) is the default, so every map accepts it. [mem]: SERVICE, lengths of PROCESS,
IDPWLDAP, what REMOVE of a CHLAUTH needs, and that TOPICSTR, SUBSCOPE and WSCHEMA of a SUB cannot be
altered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from twin.model.attributes._attribute import (
    ALTERED,
    CREATED,
    DESCR,
    GIVEN,
    LARGEST,
    Attribute,
    Clash,
    ObjectType,
    Variants,
    choice,
    flag,
    number,
    shown,
    text,
)
from twin.model.attributes._forms import (
    Choice,
    Choices,
    Connection,
    Form,
    Given,
    HexString,
    Number,
    Secret,
    TextList,
    Value,
)
from twin.model.authorities import AUTHORITIES
from twin.model.names import DEFAULT_PORT

_APPLICATION_TYPES: Final = (
    "AIX AMQP BATCH BROKER CHINIT CICS CICSBRIDGE CICSVSE DEF DOS DQM GUARDIAN IMS IMSBRIDGE JAVA "
    "MCASTPUBLISH MVS NOTESAGENT NSK OPENTP1 OS2 OS390 OS400 QMGR RRSBATCH SIB SYSTEMEXT TPF UNIX "
    "USER VM VMS VOS WINDOWS WINDOWSNT WLM XCF ZOS"
)
"""The values of MQAT as MQSC writes such words; which of them DEFINE PROCESS takes beyond those of
its page is not known, so it takes all. Source: cmqc.h, MQAT.
"""

_LONG: Final = 10_240


def _uninterpreted(keyword: str) -> Attribute:
    return Attribute(keyword, Given(), "")


def _own(keyword: str, form: Form | None = None, *, since: int = 0) -> Attribute:
    return Attribute(keyword, form or Given(), None, since=since)


def _one_of(keyword: str, words: str, *, since: int = 0) -> Attribute:
    return _own(keyword, Choice(tuple(words.split())), since=since)


def _type(
    name: str,
    template: str,
    *attributes: Attribute,
    mandatory: tuple[str, ...] = (),
    identity: tuple[str, ...] = (),
    variants: Variants | None = None,
    clashes: tuple[Clash, ...] = (),
    needs: Callable[[Mapping[str, Value]], tuple[str, ...]] = lambda _values: (),
    profiles: Mapping[str, str] = MappingProxyType({}),
) -> ObjectType:
    return ObjectType(
        name=name,
        kind=name,
        word=name,
        type_keyword="",
        template=template,
        attributes=attributes,
        mandatory=mandatory,
        identity=identity,
        kept=True,
        variants=variants,
        clashes=clashes,
        needs=needs,
        profiles=profiles,
    )


_CHECKED: Final = "NONE OPTIONAL REQDADM REQUIRED"
_TRANSPORTS: Final = {
    "TCP": "PORT IPADDR BACKLOG",
    "LU62": "TPNAME",
    "NETBIOS": "ADAPTER COMMANDS LOCLNAME NTBNAMES SESSIONS",
    "SPX": "BACKLOG SOCKET",
}
_LOCAL_USERS: Final = "ADOPTCTX CHCKCLNT CHCKLOCL FAILDLAY"
_AUTHINFO: Final = {
    "CRLLDAP": "CONNAME LDAPUSER LDAPPWD",
    "OCSP": "OCSPURL",
    "IDPWOS": f"{_LOCAL_USERS} AUTHENMD",
    "IDPWLDAP": f"""{_LOCAL_USERS} AUTHORMD BASEDNG BASEDNU CLASSGRP CLASSUSR CONNAME FINDGRP
        GRPFIELD LDAPPWD LDAPUSER NESTGRP SECCOMM SHORTUSR USRFIELD""",
}
_MAPS: Final = "ADDRESS USERSRC MCAUSER WARN CHCKCLNT"
_RULES: Final = {
    "BLOCKUSER": "USERLIST WARN",
    "BLOCKADDR": "ADDRLIST WARN",
    "SSLPEERMAP": f"{_MAPS} SSLPEER SSLCERTI",
    "ADDRESSMAP": _MAPS,
    "USERMAP": f"{_MAPS} CLNTUSER",
    "QMGRMAP": f"{_MAPS} QMNAME",
}
_RULE_KEYS: Final = {
    "SSLPEERMAP": "SSLPEER",
    "ADDRESSMAP": "ADDRESS",
    "USERMAP": "CLNTUSER",
    "QMGRMAP": "QMNAME",
}


def _user_of_map(values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return MCAUSER for a map to a user; USERSRC(MAP) is the default."""
    mapped = values.get("TYPE") in _RULE_KEYS and values.get("USERSRC", "MAP") == "MAP"
    return ("MCAUSER",) if mapped else ()


def _recipient(values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return RECIP for a policy that encrypts."""
    return ("RECIP",) if values.get("ENCALG", "NONE") != "NONE" else ()


_PROFILED: Final = """AUTHINFO CHANNEL CLNTCONN COMMINFO LISTENER NAMELIST PROCESS QUEUE RQMNAME
    SERVICE TOPIC"""

UNINTERPRETED: Final = (
    _type(
        "LISTENER",
        "SYSTEM.DEFAULT.LISTENER.TCP",
        choice("CONTROL", "MANUAL QMGR STARTONLY", "MANUAL"),
        choice("TRPTYPE", "TCP LU62 NETBIOS SPX", "TCP"),
        number("PORT", 0, 65_535, 0),
        text("IPADDR", 48),
        number("BACKLOG", 0, LARGEST, 0),
        _own("TPNAME"),
        _own("ADAPTER", Number(0, LARGEST)),
        _own("COMMANDS", Number(0, LARGEST)),
        _own("LOCLNAME"),
        _own("NTBNAMES", Number(0, LARGEST)),
        _own("SESSIONS", Number(0, LARGEST)),
        _own("SOCKET"),
        DESCR,
        *ALTERED,
        mandatory=("TRPTYPE",),
        variants=Variants("TRPTYPE", _TRANSPORTS),
    ),
    _type(
        "PROCESS",
        "SYSTEM.DEFAULT.PROCESS",
        number(
            "APPLTYPE",
            0,
            LARGEST,
            "UNIX",
            words=_APPLICATION_TYPES,
        ),
        text("APPLICID", 256),
        text("ENVRDATA", 128),
        text("USERDATA", 128),
        DESCR,
        *ALTERED,
    ),
    _type(
        "SERVICE",
        "SYSTEM.DEFAULT.SERVICE",
        choice("CONTROL", "MANUAL QMGR STARTONLY", "MANUAL"),
        choice("SERVTYPE", "COMMAND SERVER", "COMMAND"),
        text("STARTCMD", 255),
        text("STARTARG", 255),
        text("STOPCMD", 255),
        text("STOPARG", 255),
        text("STDOUT", 255),
        text("STDERR", 255),
        DESCR,
        *ALTERED,
    ),
    _type(
        "AUTHINFO",
        "SYSTEM.DEFAULT.AUTHINFO.{AUTHTYPE}",
        _one_of("AUTHTYPE", "CRLLDAP OCSP IDPWOS IDPWLDAP"),
        _one_of("ADOPTCTX", "YES NO", since=800),
        DESCR,
        _own("CONNAME", Connection()),
        _own("OCSPURL"),
        _one_of("CHCKCLNT", _CHECKED, since=800),
        _one_of("CHCKLOCL", _CHECKED, since=800),
        _own("CLASSGRP"),
        _own("CLASSUSR"),
        _own("FAILDLAY", Number(0, 60), since=800),
        _own("FINDGRP"),
        _own("BASEDNG"),
        _own("BASEDNU"),
        _own("LDAPUSER"),
        _own("LDAPPWD", Secret(256)),
        _own("SHORTUSR"),
        _own("GRPFIELD"),
        _own("USRFIELD"),
        _one_of("AUTHORMD", "OS SEARCHGRP SEARCHUSR SRCHGRPSN", since=800),
        _one_of("NESTGRP", "NO YES", since=800),
        _one_of("SECCOMM", "NO YES ANON", since=800),
        _one_of("AUTHENMD", "OS PAM", since=800),
        *ALTERED,
        mandatory=("AUTHTYPE",),
        variants=Variants("AUTHTYPE", _AUTHINFO),
    ),
    _type(
        "SUB",
        "SYSTEM.DEFAULT.SUB",
        replace(text("TOPICSTR", _LONG, blank=""), access="define"),
        _uninterpreted("TOPICOBJ"),
        shown("DISTYPE", "DEFINED"),
        _uninterpreted("DEST"),
        _uninterpreted("DESTQMGR"),
        _uninterpreted("PUBAPPID"),
        text("SELECTOR", _LONG, blank=""),
        shown("SELTYPE", "NONE"),
        _uninterpreted("USERDATA"),
        Attribute("PUBACCT", HexString(64), "0" * 64),
        Attribute("DESTCORL", HexString(48), "0" * 48),
        choice("DESTCLAS", "PROVIDED MANAGED", "PROVIDED"),
        shown("DURABLE", "YES"),
        number("EXPIRY", 0, LARGEST, "UNLIMITED", words="UNLIMITED"),
        choice("PSPROP", "MSGPROP NONE COMPAT RFH2", "MSGPROP"),
        number("PUBPRTY", 0, 9, "ASPUB", words="ASPUB ASQDEF"),
        choice("REQONLY", "NO YES", "NO"),
        replace(choice("SUBSCOPE", "ALL QMGR", "ALL"), access="define"),
        number("SUBLEVEL", 0, 9, 1),
        shown("SUBTYPE", "ADMIN"),
        choice("VARUSER", "ANY FIXED", "ANY"),
        replace(choice("WSCHEMA", "TOPIC CHAR", "TOPIC"), access="define"),
        _uninterpreted("SUBUSER"),
        *CREATED,
        *ALTERED,
        mandatory=("TOPICSTR|TOPICOBJ",),
        variants=Variants("DESTCLAS", {}, {"PROVIDED": "DEST"}),
    ),
    _type(
        "COMMINFO",
        "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
        choice("TYPE", "MULTICAST", "MULTICAST"),
        DESCR,
        *ALTERED,
        choice("BRIDGE", "ENABLED DISABLED", "ENABLED"),
        number("CCSID", 1, 65_535, "ASPUB", words="ASPUB"),
        choice("COMMEV", "ENABLED DISABLED EXCEPTION", "DISABLED"),
        number("ENCODING", 0, LARGEST, "ASPUB", words="ASPUB NORMAL REVERSED S390 TNS"),
        text("GRPADDR", 48, "239.0.0.0"),
        number("MCHBINT", 0, 999_999, 2000),
        choice("MCPROP", "ALL REPLY USER NONE COMPAT", "ALL"),
        number("MONINT", 0, 999_999, 60),
        number("MSGHIST", 0, LARGEST, 100),
        choice("NSUBHIST", "NONE ALL", "NONE"),
        number("PORT", 0, 65_535, DEFAULT_PORT),
        mandatory=("TYPE",),
    ),
    _type(
        "POLICY",
        "SYSTEM.DEFAULT.POLICY",
        choice("SIGNALG", "NONE MD5 SHA1 SHA256 SHA384 SHA512", "NONE"),
        choice("ENCALG", "NONE RC2 DES 3DES AES128 AES256", "NONE"),
        _uninterpreted("SIGNER"),
        _uninterpreted("RECIP"),
        flag("ENFORCE", "TOLERATE", "YES"),
        number("KEYREUSE", 0, LARGEST, "DISABLED", words="DISABLED UNLIMITED"),
        needs=_recipient,
    ),
    _type(
        "CHLAUTH",
        "",
        _one_of("TYPE", " ".join(_RULES)),
        DESCR,
        text("CUSTOM", 128),
        _own("SSLPEER"),
        _own("SSLCERTI"),
        _own("ADDRESS"),
        _own("CLNTUSER"),
        _own("QMNAME"),
        _own("USERLIST", TextList(264)),
        _own("ADDRLIST", TextList(264)),
        _own("MCAUSER"),
        _one_of("USERSRC", "MAP NOACCESS CHANNEL"),
        _one_of("CHCKCLNT", "ASQMGR REQDADM REQUIRED", since=800),
        _one_of("WARN", "NO YES"),
        *ALTERED,
        mandatory=("TYPE",),
        identity=("TYPE", "SSLPEER", "SSLCERTI", "ADDRESS", "CLNTUSER", "QMNAME"),
        variants=Variants("TYPE", _RULES, _RULE_KEYS),
        clashes=(
            *(
                Clash((("USERSRC", source), ("MCAUSER", GIVEN)), 0, f"MCAUSER is not for {source}")
                for source in ("NOACCESS", "CHANNEL")
            ),
            *(
                Clash((given, ("WARN", "YES")), 0, "WARN of a map is for NOACCESS")
                for given in (("USERSRC", "CHANNEL"), ("MCAUSER", GIVEN))
            ),
        ),
        needs=_user_of_map,
        profiles={"BLOCKADDR": "*"},
    ),
    _type(
        "AUTHREC",
        "",
        _own("PROFILE"),
        _own("PRINCIPAL"),
        _own("GROUP"),
        _one_of("OBJTYPE", f"QMGR {_PROFILED}"),
        _own("AUTHADD", Choices(AUTHORITIES)),
        _own("AUTHRMV", Choices(AUTHORITIES)),
        _own("SERVCOMP"),
        mandatory=("OBJTYPE", "PRINCIPAL|GROUP"),
        identity=("OBJTYPE", "PRINCIPAL", "GROUP"),
        variants=Variants("OBJTYPE", {}, dict.fromkeys(_PROFILED.split(), "PROFILE")),
    ),
)
