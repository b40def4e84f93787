"""Channels: one table of all attributes, and the keywords of each type.

Sources: order and defaults, dmpmqcfg -a of a 9.3.0.2 queue manager and DISPLAY CHANNEL(*) ALL of
9.4.2; ranges, IBM MQ, DEFINE CHANNEL, and Cluster workload balancing - channel attributes.
CONNAME is optional for a cluster-receiver (if it is blank, the queue manager generates one).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from twin.model.attributes._attribute import (
    ALTERED,
    CLUSTER_OR_NAMELIST,
    DESCR,
    LARGEST,
    Attribute,
    Clash,
    ObjectType,
    choice,
    choices,
    exits,
    name,
    number,
    secret,
    shown,
    text,
)
from twin.model.attributes._forms import CipherSpec, Connection

_EXIT: Final = 999
_EXIT_DATA: Final = 32
_RETRY_SECONDS: Final = 999_999

_ATTRIBUTES: Final = (
    choice("AFFINITY", "PREFERRED NONE", "PREFERRED"),
    *ALTERED,
    number("AMQPKA", 0, 99_999, "AUTO", words="AUTO"),
    number("BATCHHB", 0, 999_999, 0),
    number("BATCHINT", 0, LARGEST, 0),
    number("BATCHLIM", 0, 999_999, 5000, since=710),
    number("BATCHSZ", 1, 9999, 50),
    text("CERTLABL", 64, since=800),
    number("CLNTWGHT", 0, 99, 0),
    name("CLUSNL"),
    name("CLUSTER"),
    number("CLWLPRTY", 0, 9, 0),
    number("CLWLRANK", 0, 9, 0),
    number("CLWLWGHT", 1, 99, 50),
    choices("COMPHDR", "NONE SYSTEM", "NONE"),
    choices("COMPMSG", "NONE RLE ZLIBFAST ZLIBHIGH LZ4FAST LZ4HIGH ANY", "NONE"),
    Attribute("CONNAME", Connection(), ""),
    choice("CONVERT", "NO YES", "NO"),
    choice("DEFRECON", "NO YES QMGR DISABLED", "NO", since=701),
    DESCR,
    number("DISCINT", 0, 999_999, 6000),
    number("HBINT", 0, 999_999, 300),
    number("KAINT", 0, 99_999, "AUTO", words="AUTO"),
    text("LOCLADDR", 48),
    number("LONGRTY", 0, LARGEST, LARGEST),
    number("LONGTMR", 0, _RETRY_SECONDS, 1200),
    number("MAXINST", 0, LARGEST, LARGEST),
    number("MAXINSTC", 0, LARGEST, LARGEST),
    number("MAXMSGL", 0, 104_857_600, 4_194_304),
    text("MCANAME", 20),
    choice("MCATYPE", "PROCESS THREAD", "PROCESS"),
    text("MCAUSER", 64),
    text("MODENAME", 8),
    choice("MONCHL", "QMGR OFF LOW MEDIUM HIGH", "QMGR"),
    text("MRDATA", _EXIT_DATA),
    text("MREXIT", _EXIT),
    number("MRRTY", 0, LARGEST, 10),
    number("MRTMR", 0, LARGEST, 1000),
    exits("MSGDATA", _EXIT_DATA),
    exits("MSGEXIT", _EXIT),
    number("NETPRTY", 0, 9, 0),
    choice("NPMSPEED", "FAST NORMAL", "FAST"),
    secret("PASSWORD", 12),
    number("PORT", 0, 65_535, 5672),
    choice("PROPCTL", "COMPAT NONE ALL", "COMPAT"),
    choice("PUTAUT", "DEF CTX ONLYMCA ALTMCA", "DEF"),
    text("QMNAME", 48),
    exits("RCVDATA", _EXIT_DATA),
    exits("RCVEXIT", _EXIT),
    shown("RESETSEQ", "NO"),
    text("SCYDATA", _EXIT_DATA),
    text("SCYEXIT", _EXIT),
    exits("SENDDATA", _EXIT_DATA),
    exits("SENDEXIT", _EXIT),
    number("SEQWRAP", 100, LARGEST, LARGEST),
    number("SHARECNV", 0, LARGEST, 10),
    number("SHORTRTY", 0, LARGEST, 10),
    number("SHORTTMR", 0, _RETRY_SECONDS, 60),
    choice("SSLCAUTH", "REQUIRED OPTIONAL", "REQUIRED"),
    Attribute("SSLCIPH", CipherSpec(), ""),
    text("SSLPEER", 1024),
    choice("STATCHL", "QMGR OFF LOW MEDIUM HIGH", "QMGR"),
    text("TPNAME", 64),
    text("TPROOT", 10_240, "SYSTEM.BASE.TOPIC"),
    name("TMPMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE", since=930),
    text("TMPQPRFX", 33, "AMQP.*", since=930),
    choice("TRPTYPE", "TCP LU62 NETBIOS SPX", "TCP"),
    choice("USECLTID", "NO YES", "NO"),
    choice("USEDLQ", "YES NO", "YES", since=710),
    text("USERID", 12),
    name("XMITQ"),
)

_BY_KEYWORD: Final = {attribute.keyword: attribute for attribute in _ATTRIBUTES}

_SENDS: Final = """BATCHHB BATCHINT BATCHLIM BATCHSZ COMPHDR COMPMSG CONNAME CONVERT DESCR DISCINT
    HBINT KAINT LOCLADDR LONGRTY LONGTMR MAXMSGL MCANAME MCATYPE MCAUSER MODENAME MONCHL MSGDATA
    MSGEXIT NPMSPEED PROPCTL RCVDATA RCVEXIT RESETSEQ SCYDATA SCYEXIT SENDDATA SENDEXIT SEQWRAP
    SHORTRTY SHORTTMR SSLCIPH SSLPEER STATCHL TPNAME TRPTYPE USEDLQ"""
_RECEIVES: Final = """BATCHSZ CERTLABL COMPHDR COMPMSG DESCR HBINT KAINT MAXMSGL MCAUSER MONCHL
    MRDATA MREXIT MRRTY MRTMR MSGDATA MSGEXIT NPMSPEED PUTAUT RCVDATA RCVEXIT RESETSEQ SCYDATA
    SCYEXIT SENDDATA SENDEXIT SEQWRAP SSLCAUTH SSLCIPH SSLPEER STATCHL TRPTYPE USEDLQ"""
_CLUSTERED: Final = "CLUSNL CLUSTER CLWLPRTY CLWLRANK CLWLWGHT"
_LOGS_ON: Final = "PASSWORD USERID"
_CLIENT: Final = """CERTLABL COMPHDR COMPMSG DESCR HBINT KAINT MAXMSGL RCVDATA RCVEXIT SCYDATA
    SCYEXIT SENDDATA SENDEXIT SHARECNV SSLCIPH SSLPEER TRPTYPE"""

_TALKS_AMQP: Final = """CERTLABL DESCR AMQPKA LOCLADDR MAXINST MAXMSGL MCAUSER PORT SSLCAUTH SSLCIPH
    SSLPEER TPROOT TMPMODEL TMPQPRFX USECLTID"""


def _of(keywords: str, **defaults: str | int) -> tuple[Attribute, ...]:
    """Return attributes in the order of the table; `defaults` replace those of this type."""
    wanted = {"ALTDATE", "ALTTIME", *keywords.split()}
    return tuple(
        replace(attribute, default=defaults[attribute.keyword])
        if attribute.keyword in defaults
        else attribute
        for attribute in _ATTRIBUTES
        if attribute.keyword in wanted
    )


_AMQP: Final = (
    *ALTERED,
    *(_BY_KEYWORD[keyword] for keyword in _TALKS_AMQP.split()),
)


def _channel(
    name: str,
    template: str,
    attributes: tuple[Attribute, ...],
    *mandatory: str,
    clashes: tuple[Clash, ...] = (),
) -> ObjectType:
    return ObjectType(
        name=name,
        kind="CLNTCONN" if name == "CLNTCONN" else "CHANNEL",
        word="CHANNEL",
        type_keyword="CHLTYPE",
        template=template,
        attributes=attributes,
        mandatory=("CHLTYPE", *mandatory),
        clashes=clashes,
    )


CHANNELS: Final = (
    _channel(
        "SDR",
        "SYSTEM.DEF.SENDER",
        _of(f"{_SENDS} CERTLABL {_LOGS_ON} XMITQ"),
        "CONNAME",
        "XMITQ",
    ),
    _channel(
        "SVR",
        "SYSTEM.DEF.SERVER",
        _of(f"{_SENDS} CERTLABL {_LOGS_ON} SSLCAUTH XMITQ"),
        "XMITQ",
    ),
    _channel("RCVR", "SYSTEM.DEF.RECEIVER", _of(_RECEIVES)),
    _channel(
        "RQSTR",
        "SYSTEM.DEF.REQUESTER",
        _of(f"{_RECEIVES} {_LOGS_ON} CONNAME LOCLADDR MCANAME MCATYPE MODENAME TPNAME"),
        "CONNAME",
    ),
    _channel(
        "SVRCONN",
        "SYSTEM.DEF.SVRCONN",
        _of(f"{_CLIENT} DISCINT MAXINST MAXINSTC MCAUSER MONCHL SSLCAUTH", DISCINT=0),
    ),
    _channel(
        "CLNTCONN",
        "SYSTEM.DEF.CLNTCONN",
        _of(
            f"{_CLIENT} {_LOGS_ON} AFFINITY CLNTWGHT CONNAME DEFRECON LOCLADDR MODENAME QMNAME"
            " TPNAME"
        ),
        "CONNAME",
    ),
    _channel(
        "CLUSSDR",
        "SYSTEM.DEF.CLUSSDR",
        _of(f"{_SENDS} {_CLUSTERED} {_LOGS_ON}", MCATYPE="THREAD"),
        "CONNAME",
        clashes=(CLUSTER_OR_NAMELIST,),
    ),
    _channel(
        "CLUSRCVR",
        "SYSTEM.DEF.CLUSRCVR",
        _of(f"{_SENDS} {_RECEIVES} {_CLUSTERED} NETPRTY", MCATYPE="THREAD"),
        clashes=(CLUSTER_OR_NAMELIST,),
    ),
    _channel("AMQP", "SYSTEM.DEF.AMQP", _AMQP),
)
