"""The forms of values and their limits, through the commands that give them."""

from __future__ import annotations

import pytest

from tests.model.commands import reading
from twin.model.attributes import HIDDEN

SDR = "ALTER CHANNEL(C) CHLTYPE(SDR) "


@pytest.mark.parametrize(
    ("command", "values"),
    [
        ("ALTER QLOCAL(Q) MAXDEPTH(0)", {"MAXDEPTH": 0}),
        ("ALTER QLOCAL(Q) MAXDEPTH(999999999)", {"MAXDEPTH": 999_999_999}),
        ("ALTER QLOCAL(Q) QDEPTHHI(100) DEFPRTY(9)", {"QDEPTHHI": 100, "DEFPRTY": 9}),
        ("ALTER QLOCAL(Q) CLWLRANK(9) CLWLPRTY(0)", {"CLWLRANK": 9, "CLWLPRTY": 0}),
        ("ALTER QLOCAL(Q) CAPEXPRY(nolimit)", {"CAPEXPRY": "NOLIMIT"}),
        ("ALTER QLOCAL(Q) get('disabled')", {"GET": "DISABLED"}),
        (
            "ALTER QLOCAL(Q) NOTRIGGER NOSHARE HARDENBO",
            {
                "TRIGGER": "NO",
                "SHARE": "NO",
                "HARDENBO": "YES",
            },
        ),
        ("ALTER QLOCAL(Q) DESCR('It''s Mine ')", {"DESCR": "It's Mine"}),
        ("ALTER QLOCAL(Q) DESCR(' ') CLUSTER('')", {"DESCR": "", "CLUSTER": ""}),
        ("ALTER QLOCAL(Q) CLCHNAME('*.QM*')", {"CLCHNAME": "*.QM*"}),
        ("ALTER QALIAS(Q) TARGQ(other)", {"TARGET": "OTHER"}),
        (SDR + "KAINT(AUTO) SHORTTMR(999999)", {"KAINT": "AUTO", "SHORTTMR": 999_999}),
        (SDR + "CONNAME('a(1),b(2)')", {"CONNAME": "a(1),b(2)"}),
        (SDR + "MSGEXIT('one','two')", {"MSGEXIT": ("one", "two")}),
        (SDR + "COMPMSG(RLE,ZLIBFAST)", {"COMPMSG": ("RLE", "ZLIBFAST")}),
        (SDR + "PASSWORD('open sesame')", {"PASSWORD": HIDDEN}),
        ("ALTER NAMELIST(N) NAMES(A, 'b', C)", {"NAMES": ("A", "b", "C")}),
        ("ALTER NAMELIST(N) NAMES()", {"NAMES": ()}),
        ("ALTER QMGR SUITEB(128_BIT)", {"SUITEB": ("128_BIT",)}),
        ("ALTER SUB(S) DESTCORL(ab)", {"DESTCORL": "AB" + "0" * 46}),
        ("SET POLICY(P) RECIP('CN=A','CN=B')", {"RECIP": ("CN=A", "CN=B")}),
        (
            "SET POLICY(P) SIGNER('CN=S') RECIP('CN=A') SIGNER('CN=T') RECIP('CN=B')",
            {"SIGNER": ("CN=S", "CN=T"), "RECIP": ("CN=A", "CN=B")},
        ),
    ],
)
def test_values_are_canonical(command: str, values: dict[str, object]) -> None:
    """Numbers become integers, words upper case, pairs YES or NO, lists tuples, blanks ''."""
    found = reading(command)
    assert (found.problem, found.values) == (None, values)


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("ALTER QLOCAL(Q) MAXDEPTH(1000000000)", "out-of-range"),
        ("ALTER QLOCAL(Q) MAXDEPTH(-1)", "out-of-range"),
        ("ALTER QLOCAL(Q) CLWLRANK(10)", "out-of-range"),
        ("ALTER CHANNEL(C) CHLTYPE(CLUSRCVR) CLWLWGHT(0)", "out-of-range"),
        ("ALTER CHANNEL(C) CHLTYPE(CLUSRCVR) CLWLWGHT(100)", "out-of-range"),
        ("ALTER QMGR CLWLMRUC(0)", "out-of-range"),
        ("ALTER QLOCAL(Q) MAXDEPTH(many)", "bad-value"),
        ("ALTER QLOCAL(Q) MAXDEPTH(1,2)", "bad-value"),
        ("ALTER QLOCAL(Q) MAXDEPTH", "bad-value"),
        ("ALTER QLOCAL(Q) GET(MAYBE)", "bad-value"),
        ("ALTER QLOCAL(Q) SHARE(YES)", "bad-value"),
        ("ALTER QLOCAL(Q) REPLACE", "keyword-not-for-type"),
        (SDR + "COMPMSG(RLE,MP3)", "bad-value"),
        ("ALTER SUB(S) DESTCORL(XY)", "bad-value"),
        ("ALTER QLOCAL(Q) DESCR('" + "d" * 65 + "')", "too-long"),
        ("ALTER QLOCAL(Q) CLUSTER(" + "C" * 49 + ")", "too-long"),
        ("ALTER NAMELIST(N) NAMES(" + ",".join(["A"] * 257) + ")", "too-long"),
        ("ALTER SUB(S) DESTCORL(" + "0" * 49 + ")", "too-long"),
        (SDR + "CONNAME('" + "h" * 265 + "')", "too-long"),
        (SDR + "PASSWORD('" + "p" * 13 + "')", "too-long"),
        (SDR + "MSGEXIT('" + "e" * 1000 + "')", "too-long"),
        ("ALTER QLOCAL(Q) CLUSTER('A B')", "bad-name"),
        ("ALTER QLOCAL(Q) CLCHNAME('A?')", "bad-name"),
        ("ALTER NAMELIST(N) NAMES('A B')", "bad-name"),
    ],
)
def test_limits(command: str, kind: str) -> None:
    """A value beyond the limits of its form is a problem with its kind, never an exception."""
    problem = reading(command).problem
    assert problem is not None
    assert problem.kind == kind
    assert problem.text.startswith(problem.keyword)


def test_a_password_is_never_kept() -> None:
    """Only the existence of a password is stored."""
    found = reading("DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD('open sesame')")
    assert "sesame" not in repr(found)
