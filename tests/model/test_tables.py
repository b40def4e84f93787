"""The tables: the order and the defaults that real queue managers show.

The orders are facts from DISPLAY captures: QMGR at 7.0.1 and 9.4.2, QLOCAL at 7.0.1 and 7.5,
channels at 9.4.2, LISTENER at 9.4.2, NAMELIST at 9.1.
"""

from __future__ import annotations

import pytest

from twin.model.attributes import TYPES, full

QMGR_942 = """ACCTCONO ACCTINT ACCTMQI ACCTQ ACTIVREC ACTVCONO ACTVTRC ADVCAP ALTDATE ALTTIME
    AMQPCAP AUTHOREV CCSID CERTLABL CERTVPOL CHAD CHADEV CHADEXIT CHLEV CHLAUTH CLWLDATA CLWLEXIT
    CLWLLEN CLWLMRUC CLWLUSEQ CMDEV CMDLEVEL COMMANDQ CONFIGEV CONNAUTH CRDATE CRTIME CUSTOM DEADQ
    DEFCLXQ DEFXMITQ DESCR DISTL IMGINTVL IMGLOGLN IMGRCOVO IMGRCOVQ IMGSCHED INHIBTEV INITKEY
    IPADDRV LOCALEV LOGGEREV MARKINT MAXHANDS MAXMSGL MAXPROPL MAXPRTY MAXUMSGS MONACLS MONCHL MONQ
    PARENT PERFMEV PLATFORM PSMODE PSCLUS PSNPMSG PSNPRES PSRTYCNT PSSYNCPT QMID REMOTEEV REPOS
    REPOSNL REVDNS ROUTEREC SCHINIT SCMDSERV SPLCAP SSLCRLNL SSLCRYP SSLEV SSLFIPS KEYRPWD SSLKEYR
    SSLRKEYC STATACLS STATCHL STATINT STATMQI STATQ STRSTPEV SUITEB SYNCPT TREELIFE TRIGINT VERSION
    XRCAP"""

QMGR_701 = """ACCTCONO ACCTINT ACCTMQI ACCTQ ACTIVREC ALTDATE ALTTIME AUTHOREV CCSID CHAD CHADEV
    CHADEXIT CHLEV CLWLDATA CLWLEXIT CLWLLEN CLWLMRUC CLWLUSEQ CMDEV CMDLEVEL COMMANDQ CONFIGEV
    CRDATE CRTIME DEADQ DEFXMITQ DESCR DISTL INHIBTEV IPADDRV LOCALEV LOGGEREV MARKINT MAXHANDS
    MAXMSGL MAXPROPL MAXPRTY MAXUMSGS MONACLS MONCHL MONQ PARENT PERFMEV PLATFORM PSRTYCNT PSNPMSG
    PSNPRES PSSYNCPT QMID PSMODE REMOTEEV REPOS REPOSNL ROUTEREC SCHINIT SCMDSERV SSLCRLNL SSLCRYP
    SSLEV SSLFIPS SSLKEYR SSLRKEYC STATACLS STATCHL STATINT STATMQI STATQ STRSTPEV SYNCPT TREELIFE
    TRIGINT"""

QLOCAL_701 = """ACCTQ ALTDATE ALTTIME BOQNAME BOTHRESH CLUSNL CLUSTER CLWLPRTY CLWLRANK CLWLUSEQ
    CRDATE CRTIME CURDEPTH DEFBIND DEFPRTY DEFPSIST DEFPRESP DEFREADA DEFSOPT DEFTYPE DESCR DISTL
    GET HARDENBO INITQ IPPROCS MAXDEPTH MAXMSGL MONQ MSGDLVSQ TRIGGER NPMCLASS OPPROCS PROCESS PUT
    PROPCTL QDEPTHHI QDEPTHLO QDPHIEV QDPLOEV QDPMAXEV QSVCIEV QSVCINT RETINTVL SCOPE SHARE STATQ
    TRIGDATA TRIGDPTH TRIGMPRI TRIGTYPE USAGE"""

QLOCAL_750 = QLOCAL_701.replace("CLUSTER CLWL", "CLUSTER CLCHNAME CLWL").replace(
    "CURDEPTH DEFBIND", "CURDEPTH CUSTOM DEFBIND"
)

CLUSRCVR = """ALTDATE ALTTIME BATCHHB BATCHINT BATCHLIM BATCHSZ CERTLABL CLUSNL CLUSTER CLWLPRTY
    CLWLRANK CLWLWGHT COMPHDR COMPMSG CONNAME CONVERT DESCR DISCINT HBINT KAINT LOCLADDR LONGRTY
    LONGTMR MAXMSGL MCANAME MCATYPE MCAUSER MODENAME MONCHL MRDATA MREXIT MRRTY MRTMR MSGDATA
    MSGEXIT NETPRTY NPMSPEED PROPCTL PUTAUT RCVDATA RCVEXIT RESETSEQ SCYDATA SCYEXIT SENDDATA
    SENDEXIT SEQWRAP SHORTRTY SHORTTMR SSLCAUTH SSLCIPH SSLPEER STATCHL TPNAME TRPTYPE USEDLQ"""

CLUSSDR = """ALTDATE ALTTIME BATCHHB BATCHINT BATCHLIM BATCHSZ CLUSNL CLUSTER CLWLPRTY CLWLRANK
    CLWLWGHT COMPHDR COMPMSG CONNAME CONVERT DESCR DISCINT HBINT KAINT LOCLADDR LONGRTY LONGTMR
    MAXMSGL MCANAME MCATYPE MCAUSER MODENAME MONCHL MSGDATA MSGEXIT NPMSPEED PASSWORD PROPCTL
    RCVDATA RCVEXIT RESETSEQ SCYDATA SCYEXIT SENDDATA SENDEXIT SEQWRAP SHORTRTY SHORTTMR SSLCIPH
    SSLPEER STATCHL TPNAME TRPTYPE USEDLQ USERID"""

SDR = """ALTDATE ALTTIME BATCHHB BATCHINT BATCHLIM BATCHSZ CERTLABL COMPHDR COMPMSG CONNAME CONVERT
    DESCR DISCINT HBINT KAINT LOCLADDR LONGRTY LONGTMR MAXMSGL MCANAME MCATYPE MCAUSER MODENAME
    MONCHL MSGDATA MSGEXIT NPMSPEED PASSWORD PROPCTL RCVDATA RCVEXIT RESETSEQ SCYDATA SCYEXIT
    SENDDATA SENDEXIT SEQWRAP SHORTRTY SHORTTMR SSLCIPH SSLPEER STATCHL TPNAME TRPTYPE USEDLQ USERID
    XMITQ"""

SVR = SDR.replace("SSLCIPH", "SSLCAUTH SSLCIPH")

RCVR = """ALTDATE ALTTIME BATCHSZ CERTLABL COMPHDR COMPMSG DESCR HBINT KAINT MAXMSGL MCAUSER MONCHL
    MRDATA MREXIT MRRTY MRTMR MSGDATA MSGEXIT NPMSPEED PUTAUT RCVDATA RCVEXIT RESETSEQ SCYDATA
    SCYEXIT SENDDATA SENDEXIT SEQWRAP SSLCAUTH SSLCIPH SSLPEER STATCHL TRPTYPE USEDLQ"""

RQSTR = """ALTDATE ALTTIME BATCHSZ CERTLABL COMPHDR COMPMSG CONNAME DESCR HBINT KAINT LOCLADDR
    MAXMSGL MCANAME MCATYPE MCAUSER MODENAME MONCHL MRDATA MREXIT MRRTY MRTMR MSGDATA MSGEXIT
    NPMSPEED PASSWORD PUTAUT RCVDATA RCVEXIT RESETSEQ SCYDATA SCYEXIT SENDDATA SENDEXIT SEQWRAP
    SSLCAUTH SSLCIPH SSLPEER STATCHL TPNAME TRPTYPE USEDLQ USERID"""

SVRCONN = """ALTDATE ALTTIME CERTLABL COMPHDR COMPMSG DESCR DISCINT HBINT KAINT MAXINST MAXINSTC
    MAXMSGL MCAUSER MONCHL RCVDATA RCVEXIT SCYDATA SCYEXIT SENDDATA SENDEXIT SHARECNV SSLCAUTH
    SSLCIPH SSLPEER TRPTYPE"""

CLNTCONN = """AFFINITY ALTDATE ALTTIME CERTLABL CLNTWGHT COMPHDR COMPMSG CONNAME DEFRECON DESCR
    HBINT KAINT LOCLADDR MAXMSGL MODENAME PASSWORD QMNAME RCVDATA RCVEXIT SCYDATA SCYEXIT SENDDATA
    SENDEXIT SHARECNV SSLCIPH SSLPEER TPNAME TRPTYPE USERID"""

AMQP = """ALTDATE ALTTIME CERTLABL DESCR AMQPKA LOCLADDR MAXINST MAXMSGL MCAUSER PORT SSLCAUTH
    SSLCIPH SSLPEER TPROOT TMPMODEL TMPQPRFX USECLTID"""

ORDERS = [
    ("QMGR", 942, QMGR_942),
    ("QMGR", 701, QMGR_701),
    ("QLOCAL", 701, QLOCAL_701),
    ("QLOCAL", 750, QLOCAL_750),
    ("CLUSRCVR", 942, CLUSRCVR),
    ("CLUSSDR", 942, CLUSSDR),
    ("SDR", 942, SDR),
    ("SVR", 942, SVR),
    ("RCVR", 942, RCVR),
    ("RQSTR", 942, RQSTR),
    ("SVRCONN", 942, SVRCONN),
    ("CLNTCONN", 942, CLNTCONN),
    ("AMQP", 942, AMQP),
    ("LISTENER", 942, "CONTROL TRPTYPE PORT IPADDR BACKLOG DESCR ALTDATE ALTTIME"),
    ("NAMELIST", 910, "NAMCOUNT NAMES DESCR ALTDATE ALTTIME"),
]


@pytest.mark.parametrize(("type_name", "level", "keywords"), ORDERS)
def test_order_of_display(type_name: str, level: int, keywords: str) -> None:
    """At its level every object of a type has what a full display shows, in the same order."""
    table = TYPES[type_name].at(level)
    everywhere = [each for each in table if each.default is not None or not each.settable]
    assert [each.keyword for each in everywhere] == keywords.split()


def test_a_new_queue_manager() -> None:
    """The defaults of a queue manager are those of a display of a fresh one."""
    values = full("QMGR", {}, level=940)
    expected = {
        "CLWLMRUC": 999_999_999,
        "CLWLUSEQ": "LOCAL",
        "CLWLLEN": 100,
        "DEFCLXQ": "SCTQ",
        "CHLAUTH": "ENABLED",
        "MAXPROPL": "NOLIMIT",
        "SUITEB": ("NONE",),
        "MAXPRTY": 9,
        "REPOS": "",
    }
    assert {keyword: values[keyword] for keyword in expected} == expected


def test_a_new_local_queue() -> None:
    """The defaults of a local queue are those of a display of one defined without attributes."""
    values = full("QLOCAL", {}, level=940)
    expected = {
        "CLWLPRTY": 0,
        "CLWLRANK": 0,
        "CLWLUSEQ": "QMGR",
        "DEFBIND": "OPEN",
        "MAXDEPTH": 5000,
        "PUT": "ENABLED",
        "SHARE": "YES",
        "TRIGGER": "NO",
        "HARDENBO": "YES",
        "CURDEPTH": 0,
        "CAPEXPRY": "NOLIMIT",
    }
    assert {keyword: values[keyword] for keyword in expected} == expected


@pytest.mark.parametrize("type_name", ["CLUSSDR", "CLUSRCVR"])
def test_a_new_cluster_channel(type_name: str) -> None:
    """Cluster channels run as threads with weight 50 and the documented retry intervals."""
    values = full(type_name, {}, level=940)
    expected = {
        "BATCHLIM": 5000,
        "BATCHSZ": 50,
        "CLWLWGHT": 50,
        "DISCINT": 6000,
        "LONGRTY": 999_999_999,
        "LONGTMR": 1200,
        "MCATYPE": "THREAD",
        "SHORTRTY": 10,
        "SHORTTMR": 60,
    }
    assert {keyword: values[keyword] for keyword in expected} == expected


def test_defaults_that_differ_between_channels() -> None:
    """A sender runs as a process, and a server-connection never disconnects of itself."""
    assert full("SDR", {}, level=940)["MCATYPE"] == "PROCESS"
    assert full("SVRCONN", {}, level=940)["DISCINT"] == 0


@pytest.mark.parametrize(
    ("type_name", "cells"),
    [
        ("QLOCAL", (("QUEUE", "X"), ("TYPE", "QLOCAL"))),
        ("CLNTCONN", (("CHANNEL", "X"), ("CHLTYPE", "CLNTCONN"))),
        ("QMGR", (("QMNAME", "X"),)),
        ("NAMELIST", (("NAMELIST", "X"),)),
    ],
)
def test_heading(type_name: str, cells: tuple[tuple[str, str], ...]) -> None:
    """A display begins with the name and, of queues and channels, the type."""
    assert TYPES[type_name].heading("X") == cells


def types_of_kind(kind: str) -> set[str]:
    """Return the types whose objects share this namespace."""
    return {each.name for each in TYPES.values() if each.kind == kind}


def test_kinds_are_namespaces() -> None:
    """The four queue types share their names; client channels have names of their own."""
    assert types_of_kind("QUEUE") == {
        "QLOCAL",
        "QALIAS",
        "QREMOTE",
        "QMODEL",
    }
    assert "CLNTCONN" not in types_of_kind("CHANNEL")
    assert len(types_of_kind("CHANNEL")) == 8


@pytest.mark.parametrize("type_name", TYPES)
def test_tables_are_consistent(type_name: str) -> None:
    """No keyword stands twice, and what a table refers to is in it."""
    table = TYPES[type_name]
    keywords = [each.keyword for each in table.attributes]
    assert len(keywords) == len(set(keywords))
    assert set(table.synonyms.values()) <= set(keywords)
    assert {keyword for clash in table.clashes for keyword, _ in clash.values} <= set(keywords)
    needed = {each for words in table.mandatory for each in words.split("|")}
    assert needed <= {*keywords, table.type_keyword}
    assert set(table.identity) <= set(keywords)
    if variants := table.variants:
        special = {each for words in variants.keywords.values() for each in words.split()}
        assert {variants.keyword, *special, *variants.key.values()} <= set(keywords)
