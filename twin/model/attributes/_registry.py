"""The registry of object types, and their namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.attributes._attribute import ObjectType
from twin.model.attributes._channels import CHANNELS
from twin.model.attributes._queue_manager import QUEUE_MANAGER
from twin.model.attributes._queues import QUEUES
from twin.model.attributes._topics import NAMELIST, TOPIC
from twin.model.attributes._uninterpreted import UNINTERPRETED

TYPES: Final[Mapping[str, ObjectType]] = MappingProxyType(
    {
        object_type.name: object_type
        for object_type in (QUEUE_MANAGER, *QUEUES, *CHANNELS, NAMELIST, TOPIC, *UNINTERPRETED)
    }
)
"""Every object type by its name."""

ZOS_ONLY: Final = frozenset(
    {
        *("CMDSCOPE", "QSGDISP", "CFSTRUCT", "INDXTYPE", "STGCLASS", "NLTYPE", "DEFCDISP"),
        *("CERTQSGL", "CPILEVEL", "QSGNAME"),
        *("TPIPE", "CHLDISP", "IGQ", "IGQAUT", "IGQUSER", "SQQMNAME", "EXPRYINT", "ACTCHL"),
        *("ADOPTCHK", "ADOPTMCA", "BRIDGEEV", "CFCONLOS", "CHIADAPS", "CHIDISPS", "CHISERVP"),
        *("DNSGROUP", "DNSWLM", "GROUPUR", "LSTRTMR", "LU62ARM", "LU62CHL", "LUGROUP", "LUNAME"),
        *("MAXCHL", "OPORTMAX", "OPORTMIN", "SPLPROT", "RCVTIME", "RCVTMIN", "RCVTTYPE", "SCYCASE"),
        *("SSLTASKS", "TCPCHL", "TCPKEEP", "TCPNAME", "TCPSTACK", "TRAXSTR", "TRAXTBL"),
    }
)
"""Keywords for queue managers on z/OS only (IBM MQ 9.4, the pages of the commands)."""

KNOWN_KEYWORDS: Final = frozenset(
    keyword for object_type in TYPES.values() for keyword in object_type.by_keyword
) | frozenset({"CHLTYPE"})
"""Every keyword that is an attribute of a type."""


def types_of_kind(kind: str) -> tuple[ObjectType, ...]:
    """Return the types whose objects share this namespace."""
    return tuple(object_type for object_type in TYPES.values() if object_type.kind == kind)
