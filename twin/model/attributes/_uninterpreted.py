"""Types whose values are stored unchanged: their known keywords, in order, with defaults.

They have no effect in clusters. A keyword that is not in these tables is stored too, and is shown
after the others. CHLAUTH and AUTHREC are records: they are named by a profile and by `identity`.

Which keywords AUTHINFO and the records have depends on their type, so their attributes have no
defaults: a display shows those that were set, or that the template of the type has.

Source: dmpmqcfg -a of a 9.3.0.2 queue manager; DISPLAY LISTENER shows CONTROL before TRPTYPE
(9.4.2), dmpmqcfg the other way round.
"""

from __future__ import annotations

from typing import Final

from twin.model.attributes._attribute import (
    ALTERED,
    CREATED,
    DESCR,
    LARGEST,
    Attribute,
    ObjectType,
    choice,
    number,
    shown,
    text,
)
from twin.model.attributes._forms import Given, HexString, Number, Secret, TextList

_LONG: Final = 10_240


def _uninterpreted(keyword: str) -> Attribute:
    return Attribute(keyword, Given(), "")


def _word(keyword: str, default: str) -> Attribute:
    return Attribute(keyword, Given(quoted=False), default)


def _own(keyword: str, *, quoted: bool = True, since: int = 0) -> Attribute:
    return Attribute(keyword, Given(quoted=quoted), None, since=since)


def _type(
    name: str,
    template: str,
    *attributes: Attribute,
    mandatory: tuple[str, ...] = (),
    identity: tuple[str, ...] = (),
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
    )


UNINTERPRETED: Final = (
    _type(
        "LISTENER",
        "SYSTEM.DEFAULT.LISTENER.TCP",
        choice("CONTROL", "MANUAL QMGR STARTONLY", "MANUAL"),
        choice("TRPTYPE", "TCP LU62 NETBIOS SPX", "TCP"),
        number("PORT", 0, 65_535, 0),
        text("IPADDR", 48),
        number("BACKLOG", 0, LARGEST, 0),
        DESCR,
        *ALTERED,
        mandatory=("TRPTYPE",),
    ),
    _type(
        "PROCESS",
        "SYSTEM.DEFAULT.PROCESS",
        _word("APPLTYPE", "UNIX"),
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
        _own("AUTHTYPE", quoted=False),
        _own("ADOPTCTX", quoted=False, since=800),
        DESCR,
        _own("CONNAME"),
        _own("OCSPURL"),
        _own("CHCKCLNT", quoted=False, since=800),
        _own("CHCKLOCL", quoted=False, since=800),
        _own("CLASSGRP"),
        _own("CLASSUSR"),
        Attribute("FAILDLAY", Number(0, 60), None, since=800),
        _own("FINDGRP"),
        _own("BASEDNG"),
        _own("BASEDNU"),
        _own("LDAPUSER"),
        Attribute("LDAPPWD", Secret(256), None),
        _own("SHORTUSR"),
        _own("GRPFIELD"),
        _own("USRFIELD"),
        _own("AUTHORMD", quoted=False, since=800),
        _own("NESTGRP", quoted=False, since=800),
        _own("SECCOMM", quoted=False, since=800),
        _own("AUTHENMD", quoted=False, since=800),
        *ALTERED,
        mandatory=("AUTHTYPE",),
    ),
    _type(
        "SUB",
        "SYSTEM.DEFAULT.SUB",
        text("TOPICSTR", _LONG, blank=""),
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
        choice("SUBSCOPE", "ALL QMGR", "ALL"),
        number("SUBLEVEL", 0, 9, 1),
        shown("SUBTYPE", "ADMIN"),
        choice("VARUSER", "ANY FIXED", "ANY"),
        choice("WSCHEMA", "TOPIC CHAR", "TOPIC"),
        _uninterpreted("SUBUSER"),
        *CREATED,
        *ALTERED,
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
        _word("ENCODING", "ASPUB"),
        text("GRPADDR", 48, "239.0.0.0"),
        number("MCHBINT", 0, 999_999, 2000),
        choice("MCPROP", "ALL REPLY USER NONE COMPAT", "ALL"),
        number("MONINT", 0, 999_999, 60),
        number("MSGHIST", 0, LARGEST, 100),
        choice("NSUBHIST", "NONE ALL", "NONE"),
        number("PORT", 0, 65_535, 1414),
        mandatory=("TYPE",),
    ),
    _type(
        "POLICY",
        "SYSTEM.DEFAULT.POLICY",
        _word("SIGNALG", "NONE"),
        _word("ENCALG", "NONE"),
        _uninterpreted("SIGNER"),
        _uninterpreted("RECIP"),
        _word("ENFORCE", "NO"),
        _word("KEYREUSE", "DISABLED"),
    ),
    _type(
        "CHLAUTH",
        "",
        _own("TYPE", quoted=False),
        DESCR,
        text("CUSTOM", 128),
        _own("SSLPEER"),
        _own("SSLCERTI"),
        _own("ADDRESS"),
        _own("CLNTUSER"),
        _own("QMNAME"),
        Attribute("USERLIST", TextList(264), None),
        Attribute("ADDRLIST", TextList(264), None),
        _own("MCAUSER"),
        _own("USERSRC", quoted=False),
        _own("CHCKCLNT", quoted=False, since=800),
        _own("WARN", quoted=False),
        *ALTERED,
        mandatory=("TYPE",),
        identity=("TYPE", "SSLPEER", "SSLCERTI", "ADDRESS", "CLNTUSER", "QMNAME"),
    ),
    _type(
        "AUTHREC",
        "",
        _own("PROFILE"),
        _own("PRINCIPAL"),
        _own("GROUP"),
        _own("OBJTYPE", quoted=False),
        _own("AUTHADD", quoted=False),
        _own("AUTHRMV", quoted=False),
        _own("SERVCOMP"),
        mandatory=("OBJTYPE",),
        identity=("OBJTYPE", "PRINCIPAL", "GROUP"),
    ),
)
