"""The registry of object types, and their namespaces; and the options of commands.

Options are keywords that say how a command works; they are not attributes.

Sources: IBM MQ 9.4, the pages of the commands; for DELETE also the keyword lists of IBM's MQSC
editor plug-in. Options for z/OS only are listed apart; other platforms refuse them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from twin.model.attributes._attribute import ObjectType
from twin.model.attributes._channels import CHANNELS
from twin.model.attributes._forms import (
    Choice,
    Connection,
    Form,
    Given,
    HexString,
    Name,
    Number,
    Text,
)
from twin.model.attributes._queue_manager import QUEUE_MANAGER
from twin.model.attributes._queues import NAMELIST, QUEUES, TOPIC
from twin.model.attributes._uninterpreted import UNINTERPRETED

TYPES: Final[Mapping[str, ObjectType]] = MappingProxyType(
    {
        object_type.name: object_type
        for object_type in (QUEUE_MANAGER, *QUEUES, *CHANNELS, NAMELIST, TOPIC, *UNINTERPRETED)
    }
)
"""Every object type by its name."""

KNOWN_KEYWORDS: Final = frozenset(
    keyword for object_type in TYPES.values() for keyword in object_type.by_keyword
) | frozenset({"CHLTYPE"})
"""Every keyword that is an attribute of a type."""


BARE: Final = None
"""The form of an option that has no value."""

_YES_NO: Final = Choice(("NO", "YES"))
_REPLACE: Final[dict[str, Form | None]] = {"REPLACE": BARE, "NOREPLACE": BARE}
_LIKE: Final[dict[str, Form | None]] = {"LIKE": Name(), **_REPLACE}
_FORCE: Final[dict[str, Form | None]] = {"FORCE": BARE, "NOFORCE": BARE}
_AUTHREC: Final[dict[str, Form | None]] = {"AUTHREC": _YES_NO, "IGNSTATE": _YES_NO}
_CLUSTERS: Final[dict[str, Form | None]] = {
    "CLUSTER": Name(),
    "CLUSNL": Name(),
    "MODE": Choice(("QUIESCE", "FORCE")),
}
_SHOW: Final[dict[str, Form | None]] = {"ALL": BARE}
_SHOW_CLUSTER: Final[dict[str, Form | None]] = {
    **_SHOW,
    "CLUSINFO": BARE,
    "CLUSDATE": BARE,
    "CLUSTIME": BARE,
    "CLUSQMGR": Given(),
    "QMID": BARE,
}

_OPTIONS: Final[dict[tuple[str, str], dict[str, Form | None]]] = {
    ("DEFINE", "*"): _LIKE,
    ("DEFINE", "QUEUE"): {**_LIKE, **_FORCE},
    ("ALTER", "QUEUE"): _FORCE,
    ("ALTER", "QMGR"): _FORCE,
    ("DELETE", "*"): _AUTHREC,
    ("DELETE", "QUEUE"): {**_AUTHREC, "PURGE": BARE, "NOPURGE": BARE},
    ("DELETE", "CHANNEL"): {
        "CHLTABLE": Choice(("QMGRTBL", "CLNTTAB")),
        "CHLTYPE": Given(quoted=False),
        "IGNSTATE": _YES_NO,
    },
    ("DELETE", "SUB"): {"SUBID": HexString(48), "IGNSTATE": _YES_NO},
    ("SET", "CHLAUTH"): {"ACTION": Choice(("ADD", "REPLACE", "REMOVE", "REMOVEALL"))},
    ("SET", "LOG"): {"ARCHIVED": Text(48), "ROTATE": BARE},
    ("SET", "POLICY"): {"ACTION": Choice(("ADD", "REPLACE", "REMOVE"))},
    ("START", "CHANNEL"): {"IGNSTATE": _YES_NO},
    ("START", "LISTENER"): {
        "IGNSTATE": _YES_NO,
        "BACKLOG": Number(0, 999_999_999),
        "IPADDR": Text(48),
        "PORT": Number(0, 65_535),
        "TRPTYPE": Choice(("TCP", "LU62", "NETBIOS", "SPX")),
    },
    ("START", "SERVICE"): {"IGNSTATE": _YES_NO},
    ("STOP", "CHANNEL"): {
        "IGNSTATE": _YES_NO,
        "CONNAME": Connection(),
        "QMNAME": Name(),
        "MODE": Choice(("QUIESCE", "FORCE", "TERMINATE")),
        "STATUS": Choice(("STOPPED", "INACTIVE")),
    },
    ("STOP", "LISTENER"): {"IGNSTATE": _YES_NO},
    ("STOP", "SERVICE"): {"IGNSTATE": _YES_NO},
    ("STOP", "CONN"): {"EXTCONN": HexString(32)},
    ("RESET", "CHANNEL"): {"IGNSTATE": _YES_NO, "SEQNUM": Number(1, 999_999_999)},
    ("RESET", "CLUSTER"): {
        "ACTION": Choice(("FORCEREMOVE",)),
        "QMNAME": Name(),
        "QMID": Text(48),
        "QUEUES": _YES_NO,
    },
    ("RESET", "QMGR"): {"TYPE": Given(quoted=False)},
    ("RESOLVE", "CHANNEL"): {"ACTION": Choice(("COMMIT", "BACKOUT"))},
    ("REFRESH", "CLUSTER"): {"REPOS": _YES_NO},
    ("REFRESH", "SECURITY"): {"TYPE": Choice(("AUTHSERV", "CONNAUTH", "SSL", "CLASSES"))},
    ("REFRESH", "QMGR"): {
        "TYPE": Choice(("CONFIGEV", "EXPIRY", "EARLY", "PROXYSUB")),
        "OBJECT": Given(quoted=False),
        "NAME": Text(48),
        "INCLINT": Number(0, 999_999),
    },
    ("SUSPEND", "QMGR"): _CLUSTERS,
    ("RESUME", "QMGR"): {"CLUSTER": Name(), "CLUSNL": Name()},
    ("PURGE", "CHANNEL"): {"CLIENTID": Given()},
    ("PING", "CHANNEL"): {"DATALEN": Number(16, 32_768)},
    ("CLEAR", "TOPICSTR"): {
        "CLRTYPE": Choice(("RETAINED",)),
        "SCOPE": Choice(("LOCAL", "QMGR", "ALL")),
    },
    ("DISPLAY", "*"): _SHOW,
    ("DISPLAY", "QUEUE"): {**_SHOW_CLUSTER, "TYPE": Given(quoted=False), "CLUSQT": BARE},
    ("DISPLAY", "TOPIC"): {**_SHOW_CLUSTER, "TYPE": Given(quoted=False), "CLSTATE": BARE},
    ("DISPLAY", "CHANNEL"): {**_SHOW, "TYPE": Given(quoted=False), "CHLTYPE": Given(quoted=False)},
    ("DISPLAY", "QMGR"): {
        **_SHOW,
        **dict.fromkeys(("CLUSTER", "EVENT", "PUBSUB", "SYSTEM", "CHINIT"), BARE),
    },
}

_FACILITY: Final[dict[str, Form | None]] = {"FACILITY": Given(), "LOG": BARE}

ZOS_OPTIONS: Final[dict[tuple[str, str], dict[str, Form | None]]] = {
    ("SUSPEND", "QMGR"): _FACILITY,
    ("RESUME", "QMGR"): _FACILITY,
    ("START", "CHINIT"): dict.fromkeys(("ENVPARM", "PARM"), Given()),
    ("START", "LISTENER"): {"INDISP": Given()},
    ("STOP", "LISTENER"): dict.fromkeys(("INDISP", "IPADDR", "PORT", "TRPTYPE"), Given()),
}
"""Options that a command has on z/OS only, apart from keywords such as CMDSCOPE."""

OPTION_KEYWORDS: Final = frozenset(keyword for options in _OPTIONS.values() for keyword in options)
"""Every keyword that is an option of some command."""


@cache
def options_of(verb: str, type_name: str) -> Mapping[str, Form | None]:
    """Return the options of a verb for a type or kind, with their forms; None for no value.

    A kind's options are those of its types. A kind without its own has the common ones of the verb.
    """
    kind = TYPES[type_name].kind if type_name in TYPES else type_name
    if kind == "CLNTCONN":
        kind = "CHANNEL"
    for key in ((verb, type_name), (verb, kind), (verb, "*")):
        if key in _OPTIONS:
            return MappingProxyType(_OPTIONS[key])
    return MappingProxyType({})
