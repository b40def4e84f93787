"""The queue manager as a table.

Sources: order and defaults, DISPLAY QMGR ALL of 9.4.2 and dmpmqcfg -a of a 9.3.0.2 queue manager
(they agree), DISPLAY QMGR of 7.0.1 for the earlier levels; ranges, IBM MQ, ALTER QMGR, and Cluster
workload balancing - queue manager attributes. REPOS with REPOSNL: reason code 3089; the cluster
transmission queue as DEFXMITQ: reason code 3269. First levels that no capture shows exactly
(710, 802, 902) follow the release in which the function was announced.
"""

from __future__ import annotations

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
    choice,
    choices,
    name,
    number,
    secret,
    shown,
    text,
)
from twin.model.attributes._forms import Flag

_ABLE: Final = "ENABLED DISABLED"
_ON_OFF: Final = "ON OFF"
_LEVELS: Final = "OFF LOW MEDIUM HIGH"
_INTERVAL: Final = 604_800
_TREE_LIFE: Final = 604_000

_ATTRIBUTES: Final = (
    choice("ACCTCONO", _ABLE, "DISABLED"),
    number("ACCTINT", 0, _INTERVAL, 1800),
    choice("ACCTMQI", _ON_OFF, "OFF"),
    choice("ACCTQ", "ON OFF NONE", "OFF"),
    choice("ACTIVREC", "MSG QUEUE DISABLED", "MSG"),
    choice("ACTVCONO", _ABLE, "DISABLED", since=710),
    choice("ACTVTRC", _ON_OFF, "OFF", since=710),
    shown("ADVCAP", "ENABLED", since=910),
    *ALTERED,
    shown("AMQPCAP", "YES", since=802),
    choice("AUTHOREV", _ABLE, "DISABLED"),
    number("CCSID", 1, 65_535, 1208),
    text("CERTLABL", 64, since=800),
    choice("CERTVPOL", "ANY RFC5280", "ANY", since=710),
    choice("CHAD", _ABLE, "DISABLED"),
    choice("CHADEV", _ABLE, "DISABLED"),
    text("CHADEXIT", 999),
    choice("CHLEV", "ENABLED DISABLED EXCEPTION", "DISABLED"),
    choice("CHLAUTH", _ABLE, "ENABLED", since=710),
    text("CLWLDATA", 32),
    text("CLWLEXIT", 999),
    number("CLWLLEN", 0, LARGEST, 100),
    number("CLWLMRUC", 1, LARGEST, LARGEST),
    choice("CLWLUSEQ", "LOCAL ANY", "LOCAL"),
    choice("CMDEV", "ENABLED DISABLED NODISPLAY", "DISABLED"),
    shown("CMDLEVEL"),
    shown("COMMANDQ", "SYSTEM.ADMIN.COMMAND.QUEUE"),
    choice("CONFIGEV", _ABLE, "DISABLED"),
    name("CONNAUTH", "SYSTEM.DEFAULT.AUTHINFO.IDPWOS", since=800),
    *CREATED,
    text("CUSTOM", 128, since=710),
    name("DEADQ"),
    choice("DEFCLXQ", "SCTQ CHANNEL", "SCTQ", since=750),
    name("DEFXMITQ"),
    DESCR,
    shown("DISTL", "YES"),
    number("IMGINTVL", 1, LARGEST, 60, words="OFF", since=902),
    number("IMGLOGLN", 1, LARGEST, "OFF", words="OFF", since=902),
    choice("IMGRCOVO", "YES NO", "YES", since=902),
    choice("IMGRCOVQ", "YES NO", "YES", since=902),
    choice("IMGSCHED", "AUTO MANUAL", "MANUAL", since=902),
    choice("INHIBTEV", _ABLE, "DISABLED"),
    secret("INITKEY", 256, since=930),
    choice("IPADDRV", "IPV4 IPV6", "IPV4"),
    choice("LOCALEV", _ABLE, "DISABLED"),
    choice("LOGGEREV", _ABLE, "DISABLED"),
    number("MARKINT", 0, LARGEST, 5000, words="NOLIMIT"),
    number("MAXHANDS", 1, LARGEST, 256),
    number("MAXMSGL", 32_768, 104_857_600, 4_194_304),
    number("MAXPROPL", 0, 104_857_600, "NOLIMIT", words="NOLIMIT"),
    shown("MAXPRTY", 9),
    number("MAXUMSGS", 1, LARGEST, 10_000),
    choice("MONACLS", f"QMGR {_LEVELS}", "QMGR"),
    choice("MONCHL", f"NONE {_LEVELS}", "OFF"),
    choice("MONQ", f"NONE {_LEVELS}", "OFF"),
    choice("OTELPCTL", "MANUAL AUTO", "MANUAL", since=943),
    choice("OTELTRAC", "OFF ON NONE", "OFF", since=943),
    text("PARENT", 48),
    choice("PERFMEV", _ABLE, "DISABLED"),
    shown("PLATFORM"),
    choice("PSMODE", "ENABLED COMPAT DISABLED", "ENABLED"),
    choice("PSCLUS", _ABLE, "ENABLED", since=710),
    choice("PSNPMSG", "DISCARD KEEP", "DISCARD"),
    choice("PSNPRES", "NORMAL SAFE DISCARD KEEP", "NORMAL"),
    number("PSRTYCNT", 0, LARGEST, 5),
    choice("PSSYNCPT", "IFPER YES", "IFPER"),
    shown("QMID"),
    choice("REMOTEEV", _ABLE, "DISABLED"),
    name("REPOS"),
    name("REPOSNL"),
    choice("REVDNS", _ABLE, "ENABLED", since=800),
    choice("ROUTEREC", "MSG QUEUE DISABLED", "MSG"),
    choice("SCHINIT", "QMGR MANUAL", "QMGR"),
    choice("SCMDSERV", "QMGR MANUAL", "QMGR"),
    shown("SPLCAP", "ENABLED", since=750),
    name("SSLCRLNL"),
    secret("SSLCRYP", 256),  # holds the password of a PKCS #11 token
    choice("SSLEV", _ABLE, "DISABLED"),
    choice("SSLFIPS", "NO YES", "NO"),
    secret("KEYRPWD", 1024, since=930),
    text("SSLKEYR", 256),
    number("SSLRKEYC", 0, LARGEST, 0),
    choice("STATACLS", f"QMGR {_LEVELS}", "QMGR"),
    choice("STATCHL", f"NONE {_LEVELS}", "OFF"),
    number("STATINT", 0, _INTERVAL, 1800),
    choice("STATMQI", _ON_OFF, "OFF"),
    choice("STATQ", "ON OFF NONE", "OFF"),
    choice("STRSTPEV", _ABLE, "ENABLED"),
    choices("SUITEB", "NONE 128_BIT 192_BIT", "NONE", since=710),
    Attribute("SYNCPT", Flag("NOSYNCPT"), "YES", access="show"),
    number("TREELIFE", 0, _TREE_LIFE, 1800),
    number("TRIGINT", 0, LARGEST, LARGEST),
    shown("VERSION", since=710),
    shown("XRCAP", "YES", since=710),
)

QUEUE_MANAGER: Final = ObjectType(
    name="QMGR",
    kind="QMGR",
    word="QMNAME",
    type_keyword="",
    template="",
    attributes=_ATTRIBUTES,
    clashes=(
        Clash((("REPOS", GIVEN), ("REPOSNL", GIVEN)), 3089, "REPOS and REPOSNL exclude each other"),
        Clash(
            (("DEFXMITQ", "SYSTEM.CLUSTER.TRANSMIT.QUEUE"),),
            3269,
            "the cluster transmission queue cannot be the default transmission queue",
        ),
    ),
    earlier=(710, ("PSRTYCNT", "PSNPMSG", "PSNPRES", "PSSYNCPT", "QMID", "PSMODE")),
)
