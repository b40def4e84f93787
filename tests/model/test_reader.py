"""The one reader: which keywords a command may give, and what it must."""

from __future__ import annotations

import pytest

from tests.model.commands import reading
from twin.model.attributes import (
    Reading,
    conflict,
    options_of,
    read_options,
    read_values,
)
from twin.mqsc.statement import Parameter, Token

MAP = "SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') "


def test_only_what_is_given() -> None:
    """A reading has the attributes of the command and, separately, its options."""
    found = reading("DEFINE QLOCAL(Q) LIKE(P) MAXDEPTH(5000) REPLACE")
    assert found == Reading({"MAXDEPTH": 5000}, {"LIKE": "P", "REPLACE": ""})


@pytest.mark.parametrize(
    ("command", "kind", "keyword"),
    [
        ("DEFINE QLOCAL(Q) MAXDEPHT(5)", "unknown-keyword", "MAXDEPHT"),
        ("DEFINE QLOCAL(Q) CONNAME(A)", "keyword-not-for-type", "CONNAME"),
        ("DEFINE QMODEL(Q) CLUSTER(A)", "keyword-not-for-type", "CLUSTER"),
        ("DEFINE CHANNEL(C) CHLTYPE(CLUSSDR) NETPRTY(1)", "keyword-not-for-type", "NETPRTY"),
        ("DEFINE QLOCAL(Q) CMDSCOPE(' ')", "keyword-not-for-type", "CMDSCOPE"),
        ("DEFINE LISTENER(L) TRPTYPE(TCP) QSGDISP(QMGR)", "keyword-not-for-type", "QSGDISP"),
        ("ALTER QLOCAL(Q) CURDEPTH(5)", "not-alterable", "CURDEPTH"),
        ("ALTER QMGR QMID(X)", "not-alterable", "QMID"),
        ("DEFINE QALIAS(Q) TARGQ(A) TARGET(B)", "repeated", "TARGET"),
        ("DEFINE QLOCAL(Q) LIKE", "bad-value", "LIKE"),
        ("DEFINE QLOCAL(Q) REPLACE(YES)", "bad-value", "REPLACE"),
        ("DEFINE CHANNEL(C) CHLTYPE(CLUSSDR) CLUSTER(A)", "missing", "CONNAME"),
        ("DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME(A)", "missing", "XMITQ"),
        ("DEFINE CHANNEL(C) CHLTYPE(SVR)", "missing", "XMITQ"),
        ("DEFINE TOPIC(T)", "missing", "TOPICSTR"),
        ("DEFINE LISTENER(L) TRPTYPE(TCP) PRT(1415)", "unknown-keyword", "PRT"),
        ("DEFINE LISTENER(L) TRPTYPE(TCP) TPNAME(T)", "keyword-not-for-type", "TPNAME"),
        ("DEFINE LISTENER(L) PORT(1415)", "missing", "TRPTYPE"),
        ("DEFINE SERVICE(S) NOVELTY(1)", "unknown-keyword", "NOVELTY"),
        ("DEFINE PROCESS(P) APPLTYPE(NOSUCH)", "bad-value", "APPLTYPE"),
        ("DEFINE COMMINFO(C) TYPE(MULTICAST) ENCODING(X)", "bad-value", "ENCODING"),
        ("DEFINE COMMINFO(C)", "missing", "TYPE"),
        ("DEFINE AUTHINFO(A) AUTHTYPE(NOSUCH)", "bad-value", "AUTHTYPE"),
        ("DEFINE AUTHINFO(A) AUTHTYPE(OCSP) LDAPUSER(U)", "keyword-not-for-type", "LDAPUSER"),
        ("ALTER AUTHINFO(A) OCSPURL('http://a')", "missing", "AUTHTYPE"),
        ("DEFINE SUB(S) DEST(Q)", "missing", "TOPICSTR|TOPICOBJ"),
        ("DEFINE SUB(S) TOPICSTR(t)", "missing", "DEST"),
        ("SET CHLAUTH(C) TYPE(NOSUCH)", "bad-value", "TYPE"),
        ("SET CHLAUTH(C) TYPE(ADDRESSMAP) USERSRC(CHANNEL)", "missing", "ADDRESS"),
        ("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS(A) USERSRC(MAP)", "missing", "MCAUSER"),
        ("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER(U)", "missing", "MCAUSER"),
        ("SET CHLAUTH(C) TYPE(BLOCKADDR) ADDRLIST('1.*')", "exclusive", "TYPE"),
        (MAP + "USERSRC(CHANNEL) WARN(YES)", "exclusive", "USERSRC"),
        (MAP + "MCAUSER(U) WARN(YES)", "exclusive", "MCAUSER"),
        (MAP + "USERSRC(NOACCESS) MCAUSER(U)", "exclusive", "USERSRC"),
        ("SET POLICY(P) ENCALG(AES256)", "missing", "RECIP"),
        ("SET POLICY(P) ENFORCE TOLERATE RECIP(A)", "repeated", "TOLERATE"),
        ("SET CHLAUTH(C) TYPE(USERMAP) USERLIST(A)", "keyword-not-for-type", "USERLIST"),
        ("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL(A) AUTHADD(NOSUCH)", "bad-value", "AUTHADD"),
        ("SET AUTHREC OBJTYPE(QUEUE) PRINCIPAL(A) AUTHADD(GET)", "missing", "PROFILE"),
        ("SET AUTHREC OBJTYPE(QMGR) AUTHADD(INQ)", "missing", "PRINCIPAL|GROUP"),
        ("SET POLICY(P) ENCALG(NOSUCH)", "bad-value", "ENCALG"),
        ("DEFINE CHANNEL(C) CHLTYPE(RCVR) SSLCIPH(NOSUCH)", "unknown-cipherspec", "SSLCIPH"),
        ("DEFINE CHANNEL(C) CHLTYPE(CLUSSDR) BATCHHB(1000000)", "out-of-range", "BATCHHB"),
    ],
)
def test_first_problem(command: str, kind: str, keyword: str) -> None:
    """The first thing wrong is named with its kind and keyword."""
    problem = reading(command).problem
    assert problem is not None
    assert (problem.kind, problem.keyword) == (kind, keyword)


@pytest.mark.parametrize(
    "command",
    [
        "DEFINE CHANNEL(C) CHLTYPE(CLUSRCVR) CLUSTER(A)",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR)",
        "DEFINE CHANNEL(C) CHLTYPE(SDR) LIKE(D)",
        "DEFINE CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR) REPLACE",
        "ALTER CHANNEL(C) CHLTYPE(SDR) DESCR('no CONNAME')",
        "DEFINE TOPIC(T) TOPICSTR('')",
        "ALTER QLOCAL(Q) FORCE",
        "DEFINE SUB(S) TOPICOBJ(T) DESTCLAS(MANAGED)",
        "DEFINE LISTENER(L) TRPTYPE(LU62) TPNAME(T)",
        "SET CHLAUTH(C) TYPE(ADDRESSMAP) ACTION(REMOVEALL)",
        "SET AUTHREC OBJTYPE(QMGR) GROUP(G) AUTHADD(INQ,CONNECT)",
        "SET POLICY(P) SIGNALG(SHA256) ENCALG(AES256) RECIP('CN=A') TOLERATE",
        "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') ACTION(REPLACE)",
        "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('1.*') WARN(YES)",
        "SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER(U) ACTION(REMOVE)",
        MAP + "USERSRC(NOACCESS) WARN(YES)",
        MAP + "USERSRC(CHANNEL) WARN(NO)",
        MAP + "MCAUSER(U)",
        "SET POLICY(P) ENCALG(AES256) ACTION(REMOVE)",
        "SET POLICY(P) SIGNALG(SHA256)",
    ],
)
def test_nothing_missing(command: str) -> None:
    """A cluster-receiver needs no CONNAME; LIKE, ALTER and a template's own DEFINE need no more."""
    assert reading(command).problem is None


@pytest.mark.parametrize(
    ("keywords", "kind"),
    [
        ("SHARE SHARE", "repeated"),
        ("SHARE NOSHARE", "repeated"),
        ("REPLACE REPLACE", "repeated"),
        ("REPLACE NOREPLACE", "exclusive"),
    ],
)
def test_keywords_that_come_twice(keywords: str, kind: str) -> None:
    """A keyword may occur once, and so may its NO form, whatever wrote the parameters."""
    parameters = [Parameter(keyword, None) for keyword in keywords.split()]
    problem = read_values("QLOCAL", parameters, altering=False, level=940).problem
    assert problem is not None
    assert problem.kind == kind


def test_channel_type_must_agree() -> None:
    """The type of a channel must be that of the table, and is not an attribute."""
    found = reading("ALTER CHANNEL(C) CHLTYPE(rcvr) PUTAUT(CTX)")
    assert found.values == {"PUTAUT": "CTX"}
    given = Parameter("CHLTYPE", (Token("SDR", quoted=False),))
    other = read_values("RCVR", [given], altering=True, level=940)
    assert other.problem is not None
    assert other.problem.keyword == "CHLTYPE"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("DEFINE QLOCAL(Q) CLUSTER(A) CLUSNL(N)", 3088),
        ("ALTER CHANNEL(C) CHLTYPE(CLUSRCVR) CLUSTER(A) CLUSNL(N)", 3088),
        ("ALTER QMGR REPOS(A) REPOSNL(N)", 3089),
        ("DEFINE QLOCAL(Q) CLUSTER(A) USAGE(XMITQ)", 3090),
        ("DEFINE QLOCAL(Q) USAGE(XMITQ) CLUSNL(N)", 3090),
        ("ALTER QMGR DEFXMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)", 3269),
    ],
)
def test_values_that_exclude_each_other(command: str, reason: int) -> None:
    """CLUSTER with CLUSNL, and CLUSTER with USAGE(XMITQ), are problems with MQ's reason codes."""
    problem = reading(command).problem
    assert problem is not None
    assert (problem.kind, problem.reason) == ("exclusive", reason)


@pytest.mark.parametrize(
    "command",
    [
        "ALTER QMGR REPOS(A) REPOSNL(' ')",
        "ALTER QLOCAL(Q) CLUSTER(' ') USAGE(XMITQ)",
    ],
)
def test_a_blank_excludes_nothing(command: str) -> None:
    """A blank value does not conflict, so that one attribute can replace the other."""
    assert reading(command).problem is None


def test_conflict_with_what_was_there() -> None:
    """Values that came with different commands are held against each other too."""
    problem = conflict("QLOCAL", {"CLUSNL": "N", "USAGE": "XMITQ"})
    assert problem is not None
    assert problem.reason == 3090
    assert conflict("QLOCAL", {"USAGE": "XMITQ"}) is None


@pytest.mark.parametrize(
    ("command", "level"),
    [
        ("ALTER QLOCAL(Q) CLCHNAME(C)", 750),
        ("ALTER QLOCAL(Q) STREAMQ(S)", 923),
        ("ALTER QLOCAL(Q) CAPEXPRY(10)", 940),
        ("ALTER QMGR DEFCLXQ(CHANNEL)", 750),
        ("ALTER TOPIC(T) CLROUTE(TOPICHOST)", 800),
    ],
)
def test_first_level(command: str, level: int) -> None:
    """A keyword is unknown to queue managers of levels before its first."""
    assert reading(command, level=level).problem is None
    assert reading(command, level=level - 1).problem is not None


def test_options_of_a_type_its_kind_and_its_verb() -> None:
    """Options hold for a type, else for its kind, else for the verb; there may be none."""
    assert set(options_of("DELETE", "QLOCAL")) == {"AUTHREC", "IGNSTATE", "PURGE", "NOPURGE"}
    assert set(options_of("DELETE", "NAMELIST")) == {"AUTHREC", "IGNSTATE"}
    assert "CHLTABLE" in options_of("DELETE", "CLNTCONN")
    assert not options_of("CLEAR", "QLOCAL")


def test_options_are_read() -> None:
    """A command that sets no attributes has only options, each with its form."""
    parameters = [
        Parameter("ACTION", (Token("FORCEREMOVE", quoted=False),)),
        Parameter("QMID", (Token("QM1_2026-01-01_00.00.00", quoted=True),)),
    ]
    found = read_options("RESET", "CLUSTER", parameters)
    assert found.options == {"ACTION": "FORCEREMOVE", "QMID": "QM1_2026-01-01_00.00.00"}


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        (Parameter("ACTION", (Token("REMOVE", quoted=False),)), "bad-value"),
        (Parameter("MODUS", (Token("FORCE", quoted=False),)), "unknown-keyword"),
        (Parameter("MAXDEPTH", (Token("5", quoted=False),)), "keyword-not-for-type"),
        (Parameter("CMDSCOPE", (Token("", quoted=True),)), "keyword-not-for-type"),
    ],
)
def test_options_that_are_wrong(parameter: Parameter, kind: str) -> None:
    """An option that the command does not have, or a wrong value of one, is a problem."""
    problem = read_options("RESET", "CLUSTER", [parameter]).problem
    assert problem is not None
    assert problem.kind == kind
