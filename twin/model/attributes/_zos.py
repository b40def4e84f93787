"""The attributes that only queue managers on z/OS have, with their values and defaults.

Source: IBM MQ 9.4, ALTER QMGR, DEFINE queues, DEFINE NAMELIST and DEFINE CHANNEL on z/OS. Their
values are kept as texts; an attribute of which no source shows the values takes any.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.attributes._attribute import LARGEST, Attribute, choice, number, text
from twin.model.attributes._forms import Given

_ABLE: Final = "DISABLED ENABLED"
_MANY: Final = 9_999

_QUEUE_MANAGER: Final = (
    number("ACTCHL", 1, _MANY, 200),
    choice("ADOPTCHK", "ALL NETADDR NONE QMNAME", "ALL"),
    choice("ADOPTMCA", "ALL NO", "ALL"),
    choice("BRIDGEEV", _ABLE, "DISABLED"),
    choice("CFCONLOS", "TERMINATE TOLERATE", "TERMINATE"),
    number("CHIADAPS", 0, _MANY, 8),
    number("CHIDISPS", 1, _MANY, 5),
    number("EXPRYINT", 1, LARGEST, "OFF", words="OFF"),
    choice("GROUPUR", _ABLE, "DISABLED"),
    choice("IGQ", _ABLE, "DISABLED"),
    choice("IGQAUT", "DEF CTX ONLYIGQ ALTIGQ", "DEF"),
    text("IGQUSER", 12),
    number("LSTRTMR", 5, _MANY, 60),
    text("LU62ARM", 2),
    number("LU62CHL", 0, _MANY, 200),
    text("LUGROUP", 8),
    text("LUNAME", 8),
    number("MAXCHL", 1, _MANY, 200),
    number("OPORTMAX", 0, 65_535, 0),
    number("OPORTMIN", 0, 65_535, 0),
    number("RCVTIME", 0, 999_999, 0),
    number("RCVTMIN", 0, 999_999, 0),
    choice("RCVTTYPE", "MULTIPLY ADD EQUAL", "MULTIPLY"),
    choice("SCYCASE", "UPPER MIXED", "UPPER"),
    choice("SQQMNAME", "USE IGNORE", "USE"),
    number("SSLTASKS", 0, _MANY, 0),
    number("TCPCHL", 0, _MANY, 200),
    choice("TCPKEEP", "NO YES", "NO"),
    text("TCPNAME", 8, "TCPIP"),
    choice("TCPSTACK", "SINGLE MULTIPLE", "SINGLE"),
    choice("TRAXSTR", "YES NO", "YES"),
    number("TRAXTBL", 0, 2_048, 2),
)
_GROUPED: Final = (choice("QSGDISP", "QMGR COPY GROUP SHARED PRIVATE", "QMGR"),)
_STORED: Final = (
    text("CFSTRUCT", 12),
    choice("INDXTYPE", "NONE MSGID CORRELID GROUPID MSGTOKEN", "NONE"),
    *_GROUPED,
    text("STGCLASS", 8, "DEFAULT"),
)

_OF_TYPES: Final[Mapping[str, tuple[Attribute, ...]]] = MappingProxyType(
    {
        "QMGR": _QUEUE_MANAGER,
        "QLOCAL": _STORED,
        "QMODEL": _STORED,
        "QALIAS": _GROUPED,
        "QREMOTE": _GROUPED,
        "NAMELIST": (choice("NLTYPE", "NONE QUEUE Q CLUSTER AUTHINFO", "NONE"), *_GROUPED),
    }
)

_ANY: Final = (
    *("CMDSCOPE", "DEFCDISP", "CERTQSGL", "CPILEVEL", "QSGNAME", "TPIPE", "CHLDISP", "CHISERVP"),
    *("DNSGROUP", "DNSWLM", "SPLPROT"),
)

ZOS_ONLY: Final[Mapping[str, Attribute]] = MappingProxyType(
    {each: Attribute(each, Given(), "") for each in _ANY}
    | {each.keyword: each for group in _OF_TYPES.values() for each in group}
)
"""The attributes, and the options of commands, that only z/OS has, by keyword."""


def zos_attributes(type_name: str) -> tuple[Attribute, ...]:
    """Return the attributes with defaults that a type has on z/OS only."""
    return _OF_TYPES.get(type_name, ())
