"""The objects other than queues that a queue manager is created with.

Source: dmpmqcfg -a of a 9.3.0.2 queue manager; levels are those of the release that announced the
function (channel authentication 710, connection authentication 800, AMQP 802).
"""

from __future__ import annotations

from typing import Final

from twin.model.attributes import Value
from twin.model.objects import record_name
from twin.model.system_objects._queues import SystemObject

_CHANNELS: Final = (
    SystemObject("RCVR", "SYSTEM.AUTO.RECEIVER", {"DESCR": "Auto-defined by"}),
    SystemObject("SVRCONN", "SYSTEM.AUTO.SVRCONN", {"DESCR": "Auto-defined by"}),
    SystemObject("AMQP", "SYSTEM.DEF.AMQP", since=802),
    SystemObject("CLUSRCVR", "SYSTEM.DEF.CLUSRCVR"),
    SystemObject("CLUSSDR", "SYSTEM.DEF.CLUSSDR"),
    SystemObject("RCVR", "SYSTEM.DEF.RECEIVER"),
    SystemObject("RQSTR", "SYSTEM.DEF.REQUESTER"),
    SystemObject("SDR", "SYSTEM.DEF.SENDER"),
    SystemObject("SVR", "SYSTEM.DEF.SERVER"),
    SystemObject("SVRCONN", "SYSTEM.DEF.SVRCONN"),
    SystemObject("CLNTCONN", "SYSTEM.DEF.CLNTCONN"),
)

_NAMELISTS: Final = (
    SystemObject("NAMELIST", "SYSTEM.DEFAULT.NAMELIST"),
    SystemObject(
        "NAMELIST",
        "SYSTEM.QPUBSUB.QUEUE.NAMELIST",
        {
            "NAMES": ("SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM"),
            "DESCR": "A list of queues for the queued Pub/Sub interface to monitor",
        },
    ),
    SystemObject(
        "NAMELIST",
        "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST",
        {
            "NAMES": ("SYSTEM.BROKER.DEFAULT.SUBPOINT",),
            "DESCR": "Topic objects list used to match to RFH2 subscription points",
        },
    ),
)

_OPEN_TOPIC: Final[dict[str, Value]] = {
    "DURSUB": "YES",
    "PUB": "ENABLED",
    "SUB": "ENABLED",
    "DEFPSIST": "NO",
    "DEFPRTY": 0,
    "DEFPRESP": "SYNC",
    "PMSGDLV": "ALLDUR",
    "NPMSGDLV": "ALLAVAIL",
    "MDURMDL": "SYSTEM.DURABLE.MODEL.QUEUE",
    "MNDURMDL": "SYSTEM.NDURABLE.MODEL.QUEUE",
    "MCAST": "DISABLED",
    "USEDLQ": "YES",
}
_CLOSED_TOPIC: Final[dict[str, Value]] = {"WILDCARD": "BLOCK", "MCAST": "DISABLED"}

_TOPICS: Final = (
    SystemObject(
        "TOPIC",
        "SYSTEM.ADMIN.TOPIC",
        {
            **_OPEN_TOPIC,
            "TOPICSTR": "$SYS/MQ",
            "DESCR": "Root topic for MQ administrative topics",
            "PUBSCOPE": "QMGR",
            "SUBSCOPE": "QMGR",
            "WILDCARD": "BLOCK",
        },
        since=900,
    ),
    SystemObject(
        "TOPIC",
        "SYSTEM.BASE.TOPIC",
        {
            **_OPEN_TOPIC,
            "DESCR": "Base topic for resolving attributes",
            "PUBSCOPE": "ALL",
            "SUBSCOPE": "ALL",
            "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
        },
    ),
    SystemObject(
        "TOPIC",
        "SYSTEM.BROKER.ADMIN.STREAM",
        {
            **_CLOSED_TOPIC,
            "TOPICSTR": "SYSTEM.BROKER.ADMIN.STREAM",
            "DESCR": "Admin stream for queued Pub/Sub interface",
        },
    ),
    SystemObject(
        "TOPIC",
        "SYSTEM.BROKER.DEFAULT.STREAM",
        {**_CLOSED_TOPIC, "DESCR": "Default stream for queued Pub/Sub interface"},
    ),
    SystemObject(
        "TOPIC",
        "SYSTEM.BROKER.DEFAULT.SUBPOINT",
        {
            **_CLOSED_TOPIC,
            "DESCR": "Default RFH2 subscription point for queued Pub/Sub interface",
        },
    ),
    SystemObject("TOPIC", "SYSTEM.DEFAULT.TOPIC"),
)

_LDAP: Final[dict[str, Value]] = dict.fromkeys(
    (
        *("CONNAME", "CLASSGRP", "CLASSUSR", "FINDGRP", "BASEDNG", "BASEDNU", "LDAPUSER"),
        *("LDAPPWD", "SHORTUSR", "GRPFIELD", "USRFIELD"),
    ),
    "",
)

_AUTHINFO: Final = (
    SystemObject(
        "AUTHINFO",
        "SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP",
        {
            **_LDAP,
            "AUTHTYPE": "IDPWLDAP",
            "ADOPTCTX": "YES",
            "CHCKCLNT": "REQUIRED",
            "CHCKLOCL": "OPTIONAL",
            "FAILDLAY": 1,
            "AUTHORMD": "OS",
            "NESTGRP": "NO",
            "SECCOMM": "NO",
        },
        since=800,
    ),
    SystemObject(
        "AUTHINFO",
        "SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
        {
            "AUTHTYPE": "IDPWOS",
            "ADOPTCTX": "YES",
            "CHCKCLNT": "REQDADM",
            "CHCKLOCL": "OPTIONAL",
            "FAILDLAY": 1,
            "AUTHENMD": "OS",
        },
        since=800,
    ),
    SystemObject("AUTHINFO", "SYSTEM.DEFAULT.AUTHINFO.OCSP", {"AUTHTYPE": "OCSP", "OCSPURL": ""}),
    SystemObject(
        "AUTHINFO",
        "SYSTEM.DEFAULT.AUTHINFO.CRLLDAP",
        {"AUTHTYPE": "CRLLDAP", "CONNAME": "", "LDAPUSER": "", "LDAPPWD": ""},
    ),
)

_SERVICES: Final = (
    SystemObject(
        "SERVICE",
        "SYSTEM.AMQP.SERVICE",
        {
            "CONTROL": "QMGR",
            "SERVTYPE": "SERVER",
            "STARTCMD": "+MQ_INSTALL_PATH+/bin/amqp.sh",
            "STARTARG": 'start -m +QMNAME+ -d "+MQ_Q_MGR_DATA_PATH+/." -g "+MQ_DATA_PATH+/."',
            "STOPCMD": "+MQ_INSTALL_PATH+/bin/endmqsde",
            "STOPARG": '-m +QMNAME+ -n "+MQ_SERVICE_NAME+" -t AMQP',
            "STDOUT": "+MQ_Q_MGR_DATA_PATH+/amqp.stdout",
            "STDERR": "+MQ_Q_MGR_DATA_PATH+/amqp.stderr",
            "DESCR": "Manages clients that use the AMQP protocol",
        },
        since=802,
    ),
    SystemObject("SERVICE", "SYSTEM.DEFAULT.SERVICE"),
)


def _rule(profile: str, **values: Value) -> SystemObject:
    return SystemObject(
        "CHLAUTH", record_name("CHLAUTH", profile, values), {"CHLAUTH": profile, **values}, 710
    )


_RULES: Final = (
    _rule(
        "SYSTEM.ADMIN.SVRCONN",
        TYPE="ADDRESSMAP",
        DESCR="Default rule to allow MQ Explorer access",
        ADDRESS="*",
        USERSRC="CHANNEL",
        CHCKCLNT="ASQMGR",
    ),
    _rule(
        "SYSTEM.*",
        TYPE="ADDRESSMAP",
        DESCR="Default rule to disable all SYSTEM channels",
        ADDRESS="*",
        USERSRC="NOACCESS",
        WARN="NO",
    ),
    _rule(
        "*",
        TYPE="BLOCKUSER",
        DESCR="Default rule to disallow privileged users",
        USERLIST=("*MQADMIN",),
        WARN="NO",
    ),
)

OTHERS: Final = (
    *_NAMELISTS,
    SystemObject("PROCESS", "SYSTEM.DEFAULT.PROCESS"),
    *_CHANNELS,
    *_AUTHINFO,
    SystemObject("LISTENER", "SYSTEM.DEFAULT.LISTENER.TCP"),
    *_SERVICES,
    SystemObject("COMMINFO", "SYSTEM.DEFAULT.COMMINFO.MULTICAST", since=710),
    *_TOPICS,
    SystemObject("SUB", "SYSTEM.DEFAULT.SUB"),
    *_RULES,
)
