"""A session of an administrator: each command with the start of its answer."""

from __future__ import annotations

from typing import Final

from tests.app.scenes import START
from twin.app.twin import Twin

SESSION: Final = (
    ("alter qmgr repos(CA) deadq(DLQ) descr('it''s mine')", "AMQ8005I: "),
    ("Def Chl(CA.QM1) ChlType(clusrcvr) Cluster(CA) ConName('h(1414)')", "AMQ8014I: "),
    ("DEF CHL(TO.B) CHLTYPE(SDR) CONNAME(b(1414),c(1415)) XMITQ(B)", "AMQ8014I: "),
    ("DEF CHL(TO.C) CHLTYPE(SDR) CONNAME('c(1414)')", "AMQ8230E: "),
    ("DEF CHL(TO.C) CHLTYPE(SDR) XMITQ(B)", "AMQ8214E: "),
    ("DEF CHL(TO.C) CHLTYPE(RCVR) CONNAME(X)", "AMQ8405I: "),
    ("DEF CHL(A.CHANNEL.NAME.TOO.LONG) CHLTYPE(RCVR)", "AMQ8424E: "),
    ("DEF CHL(S) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) MAXINST(9)", "AMQ8014I: "),
    ("ALTER CHL(TO.B) HBINT(10)", "AMQ8405I: "),
    ("ALTER CHL(TO.B) CHLTYPE(RCVR) HBINT(10)", "AMQ8213E: "),
    ("ALTER CHL(NOSUCH) CHLTYPE(SDR) HBINT(10)", "AMQ8227E: "),
    ("DELETE CHL(NOSUCH)", "AMQ8227E: "),
    ("DEF QL(B) USAGE(XMITQ)", "AMQ8006I: "),
    ("DEF QL(APP.IN) CLUSTER(CA) DEFBIND(NOTFIXED) CLWLUSEQ(ANY)", "AMQ8006I: "),
    ("DEF QL(APP.IN)", "AMQ8150E: "),
    ("DEF QL(APP.IN) REPLACE LIKE(NOSUCH)", "AMQ8147E: "),
    ("DEF QL(XX) USAGE(XMITQ) CLUSTER(CA)", "AMQ8440E: "),
    ("DEF QA(APP.IN) TARGET(B) REPLACE", "AMQ8151E: "),
    ("DEF QA(AL) TARGQ(APP.IN)", "AMQ8006I: "),
    ("DEF QR(RQ) RNAME(X) RQMNAME(B) XMITQ(B)", "AMQ8006I: "),
    ("DEF QL(Q1) MAXDEPTH(1000000000)", "AMQ8405I: "),
    ("DEF QL(Q1) MAXDEPHT(5)", "AMQ8405I: "),
    ("DEF QL(Q1) SHARE NOSHARE", "AMQ8405I: "),
    ("DEF QL(Q1) DESCR('no closing quote)", "AMQ8405I: "),
    ("DEL QL(APP.IN)", "AMQ8405I: "),
    ("DEFI QL(Q1)", "AMQ8405I: "),
    ("ALTER QL(APP.IN) CLUSTER(CA) CLUSNL(NL)", "AMQ8438E: "),
    ("ALTER QL(APP.IN) MAXDEPTH(9) NOFORCE", "AMQ8008I: "),
    ("ALTER QA(APP.IN) DESCR('x')", "AMQ8151E: "),
    ("DELETE QL(NOSUCH)", "AMQ8147E: "),
    ("CLEAR QL(APP.IN)", "AMQ8022I: "),
    ("DEF NL(NL) NAMES(CA,CB)", "AMQ8552I: "),
    ("DEF PRO(P) APPLTYPE(JUNK)", "AMQ8405I: "),
    ("DEF TOPIC(T) TOPICSTR('a/b') CLUSTER(CA)", "AMQ8690I: "),
    ("DEF TOPIC(U)", "AMQ8421E: "),
    ("DEF SUB(SUB1) TOPICSTR('a/b') DEST(APP.IN)", "AMQ8094I: "),
    ("DEF SUB(SUB2) TOPICSTR('a/b')", "AMQ8421E: "),
    ("ALTER SUB(SUB1) DEST(B)", "AMQ8092I: "),
    ("ALTER SUB(SUB1) TOPICSTR('c')", "AMQ8405I: "),
    ("ALTER SUB(SUB1) WSCHEMA(CHAR)", "AMQ8405I: "),
    ("DEF AUTHINFO(AI) AUTHTYPE(OCSP) OCSPURL('http://x')", "AMQ8563I: "),
    ("ALTER AUTHINFO(AI) AUTHTYPE(IDPWOS) FAILDLAY(1)", "AMQ8151E: "),
    ("ALTER AUTHINFO(AI) OCSPURL('http://y')", "AMQ8421E: "),
    ("DEF AUTHINFO(AJ) AUTHTYPE(IDPWLDAP) CONNAME('h') FAILEDDLAY(1)", "AMQ8405I: "),
    ("DEF LSTR(L) TRPTYPE(TCP) PORT(1415)", "AMQ8626I: "),
    ("START LISTENER(L)", "AMQ8021I: "),
    ("START LISTENER(L)", "AMQ8730E: "),
    ("SET CHLAUTH(S) TYPE(BLOCKADDR) ADDRLIST('1.*')", "AMQ8405I: "),
    ("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('1.*')", "AMQ8877I: "),
    ("SET CHLAUTH(S) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) MCAUSER('u')", "AMQ8405I: "),
    ("SET CHLAUTH(S) TYPE(ADDRESSMAP) ADDRESS('*') ACTION(REMOVE)", "AMQ8884E: "),
    ("SET AUTHREC PROFILE(APP.**) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT,GET)", "AMQ8862I: "),
    ("SET AUTHREC PROFILE(APP.**) OBJTYPE(QUEUE) AUTHADD(GET)", "AMQ8421E: "),
    ("SET POLICY(APP.IN) SIGNALG(SHA256) ENCALG(AES256)", "AMQ8421E: "),
    ("DELETE POLICY(APP.IN)", "AMQ8958E: "),
    ("PING QMGR", "AMQ8415I: "),
    ("PING CHL(S)", "AMQ8213E: "),
    ("START CHL(NOSUCH)", "AMQ8227E: "),
    ("REFRESH CLUSTER(CA) REPOS(YES)", "AMQ8558I: "),
    ("RESET CLUSTER(CA) QMNAME(QMZ)", "AMQ8421E: "),
    ("SUSPEND QMGR", "AMQ8421E: "),
    ("SUSPEND QMGR CLUSTER(CA)", "AMQ8557I: "),
    ("ALTER QMGR REPOSNL(NL)", "AMQ8439E: "),
    ("ALTER QMGR ADOPTMCA(ALL)", "AMQ8405I: "),
    ("REF SEC TYPE(CONNAUTH)", "AMQ8560I: "),
    ("dis q(app*) where(clwluseq eq any)", "AMQ8409I: "),
    ("dis q('app*')", "AMQ8147E: "),
    ("DIS QL(*) WHERE(MAXDEPTH LK 1*)", "AMQ8569E: "),
    ("display queue (APP.IN), curdepth, maxdepth;", "AMQ8409I: "),
    ("dis q(APP.IN)TYPE", "AMQ8405I: "),
    ("DIS CLUSQMGR(*) WHERE(QMTYPE EQ REPOS) SUSPEND", "AMQ8441I: "),
    ("DIS CHS(*) WHERE(CHLTYPE EQ CLUSSDR)", "AMQ8420I: "),
    ("DIS CHS(*) CHLTYPE(CLUSSDR)", "AMQ8405I: "),
    ("DIS LSSTATUS(L) PORT", "AMQ8631I: "),
    ("DIS SUB SUBID('414D51')", "TWN0001E: "),
    ("FOO BAR", "AMQ8405I: "),
)


def test_an_administrator_is_answered_as_by_mq(twin: Twin) -> None:
    """Upper and lower case, synonyms, typing errors and misuse of every object are answered."""
    twin.crtmqm("QM1", at=START)
    twin.strmqm("QM1", at=START)
    script = "".join(f"{command}\n" for command, _ in SESSION)
    lines = twin.runmqsc("QM1", script, at=START).lines
    answers = [line for line, before in zip(lines[1:], lines, strict=False) if " : " in before]
    assert [
        (command, answer[: len(expected)])
        for (command, expected), answer in zip(SESSION, answers, strict=False)
    ] == list(SESSION)
    assert len(answers) >= len(SESSION)
