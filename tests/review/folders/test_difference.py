"""The difference of two folders as commands: they make the first folder the second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from twin.app.observing import FileText
from twin.fold.estate import Estate
from twin.questions.field_differences import of_attributes, of_definitions
from twin.review.folders.difference import FolderDifference, difference
from twin.review.folders.estates import Folder, opened_folder
from twin.review.plan.planned import PlannedScript, perform

NAMES: Final = ",".join(f"NAME.{number:03}.{'X' * 30}" for number in range(80))
LINES: Final = (
    "ALTER QMGR REPOS(CA) DESCR('it''s here')",
    "ALTER QMGR REPOSNL(LIST) DEADQ(DLQ) MAXMSGL(100000)",
    "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(7) DESCR('ours')",
    "ALTER CHANNEL(SYSTEM.DEF.CLUSSDR) CHLTYPE(CLUSSDR) HBINT(30)",
    "ALTER LISTENER(SYSTEM.DEFAULT.LISTENER.TCP) TRPTYPE(TCP) CONTROL(QMGR)",
    "DEFINE NAMELIST(LIST) NAMES(CA,CB,'lower')",
    f"DEFINE NAMELIST(LONG) NAMES({NAMES})",
    f"DEFINE NAMELIST(LONG) NAMES({NAMES},'last.one') REPLACE",
    "DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(CA)",
    "DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1415),b(1)') CLUSNL(LIST) REPLACE",
    "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA) SSLCIPH(ANY_TLS12)",
    "DEFINE CHANNEL(TO.B) CHLTYPE(SDR) CONNAME('b(1414)') XMITQ(XQ) CONVERT(YES)",
    "DEFINE CHANNEL(TO.B) CHLTYPE(RCVR)",
    "DEFINE CHANNEL(TO.B) CHLTYPE(CLNTCONN) CONNAME('b(1414)') QMNAME(B)",
    "DEFINE CHANNEL(APP) CHLTYPE(SVRCONN) MCAUSER('app') MAXINST(5)",
    "DEFINE QLOCAL(XQ) USAGE(XMITQ) TRIGGER TRIGDATA('TO.B') INITQ(SYSTEM.CHANNEL.INITQ)",
    "DEFINE QLOCAL(A) CLUSTER(CA) DEFBIND(NOTFIXED) CLWLPRTY(3)",
    "DEFINE QLOCAL(A) LIKE(XQ) DESCR(' ') NOTRIGGER REPLACE",
    "DEFINE QALIAS(B) TARGET(A) CLUSNL(LIST)",
    "DEFINE QREMOTE(B) RNAME(A) RQMNAME('Qm9') XMITQ(XQ)",
    "DEFINE QMODEL(M) DEFTYPE(PERMDYN) DEFSOPT(SHARED)",
    "DEFINE QLOCAL('lower.case') PUT(DISABLED) MAXDEPTH(9) HARDENBO",
    "DEFINE PROCESS(P) APPLICID('run it') USERDATA('a b')",
    "DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1515)",
    "DEFINE SERVICE(S) STARTCMD('/bin/x') STARTARG('-a \"b\"') SERVTYPE(SERVER)",
    "DEFINE AUTHINFO(AI) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)",
    "DEFINE AUTHINFO(AI) AUTHTYPE(OCSP) OCSPURL('http://x/y') REPLACE",
    "DEFINE TOPIC(T) TOPICSTR('a/b') CLUSTER(CA)",
    "DEFINE TOPIC(T) TOPICSTR('a/c') PUB(DISABLED) REPLACE",
    "DEFINE SUB('s 1') TOPICSTR('a/b') DEST(A)",
    "DEFINE COMMINFO(C) TYPE(MULTICAST) GRPADDR('239.0.0.1')",
    "SET CHLAUTH('APP') TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL)",
    "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('nobody','x')",
    "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT,GET)",
    "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('apps') AUTHADD(BROWSE)",
    "SET POLICY(A) SIGNALG(SHA256) ENCALG(AES256) RECIP('CN=a,O=b')",
    "DELETE CHANNEL(SYSTEM.DEF.AMQP)",
    "DELETE NAMELIST(SYSTEM.DEFAULT.NAMELIST)",
)
"""Commands of all types, in an order in which any of them can be left out."""

Scripts = Mapping[str, Sequence[str]]
scripts = st.dictionaries(
    st.sampled_from(["QM1", "QM2"]),
    st.lists(st.integers(0, len(LINES) - 1), unique=True, max_size=14).map(
        lambda chosen: ["PING QMGR", "DEFINE QLOCAL(KEPT)", *(LINES[at] for at in sorted(chosen))]
    ),
    min_size=1,
)


@contextmanager
def folders(path: str, said: Scripts) -> Iterator[Folder]:
    """Read scripts, by queue manager."""
    texts = [
        FileText("\n".join(lines), otherwise=name, file=f"{path}/{name}.mqsc")
        for name, lines in said.items()
    ]
    with opened_folder(path, texts) as folder:
        yield folder


def differing(one: Estate, other: Estate) -> list[object]:
    """Return how the definitions of two estates differ."""
    result: list[object] = [*(one.qmgrs.keys() ^ other.qmgrs.keys())]
    for name in one.qmgrs.keys() & other.qmgrs.keys():
        left, right = one.qmgrs[name], other.qmgrs[name]
        result += of_attributes(left, left.values, right.values)
        for key in left.definitions.keys() | right.definitions.keys():
            was, now = left.definitions.get(key), right.definitions.get(key)
            result += [(name, key, each) for each in of_definitions(was, now)]
    return result


def made(before: Scripts, after: Scripts) -> FolderDifference:
    """Return the difference of two folders, after checking that it does what it should."""
    with folders("base", before) as base, folders("head", after) as head:
        found = difference(base.single(), head.single())
        rehearsal = base.single().twin.rehearse()
        performed = perform(rehearsal, found.changes)
        refused = [each for each in performed.commands if not each.accepted]
        assert (refused, found.notes) == ([], ())
        assert differing(rehearsal.estate, head.single().twin.view()[0]) == []
        return found


@given(before=scripts, after=scripts)
@example(before={"QM1": LINES}, after={"QM2": LINES})
@example(before={"QM1": ["DEFINE QLOCAL(KEPT)"]}, after={"QM1": LINES})
@example(before={"QM1": LINES}, after={"QM1": ["DEFINE QLOCAL(KEPT)"]})
def test_the_commands_make_one_folder_the_other(before: Scripts, after: Scripts) -> None:
    """Whatever two folders say, all commands are accepted and no definition differs then."""
    made(before, after)


def test_equal_folders_have_no_difference() -> None:
    """Nothing is to do if nothing differs."""
    assert made({"QM1": LINES}, {"QM1": LINES}) == FolderDifference((), ())


def test_a_queue_manager_is_altered_between_what_it_names_and_its_channels() -> None:
    """A full repository keeps its role while its clusters move to a namelist, which exists first.

    Its old namelist, its old dead-letter queue, go after it has the new ones.
    """
    channel = "DEFINE CHANNEL(C.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUS{0}({1})"
    before = [
        *("DEFINE NAMELIST(OLD) NAMES(C)", "DEFINE QLOCAL(DEAD)"),
        *("ALTER QMGR REPOSNL(OLD) DEADQ(DEAD)", channel.format("TER", "C")),
    ]
    after = [
        *("DEFINE NAMELIST(NEW) NAMES(C,D)", "DEFINE QLOCAL(DLQ)"),
        *("ALTER QMGR REPOSNL(NEW) DEADQ(DLQ)", channel.format("NL", "NEW")),
    ]
    changes = made({"QM1": before}, {"QM1": after}).changes
    texts = [each.text for each in changes if isinstance(each, PlannedScript)]
    assert [" ".join(text.split(")")[0].split()[:2]) for text in texts] == [
        *("DEFINE NAMELIST(NEW", "DEFINE QLOCAL(DLQ", "ALTER QMGR", "ALTER CHANNEL(C.QM1"),
        *("DELETE QLOCAL(DEAD", "DELETE NAMELIST(OLD"),
    ]


def test_commands_name_the_line_that_asks_for_them() -> None:
    """What is new or altered has its line; what is gone has the file that lacks it."""
    before = {"QM1": ["DEFINE QLOCAL(A)", "DEFINE QLOCAL(B)"], "QM2": ["DEFINE QLOCAL(A)"]}
    after = {"QM1": ["* a comment", "DEFINE QLOCAL(A) +", "MAXDEPTH(5)", "DEFINE QLOCAL(C)"]}
    changes = made(before, {**after, "QM3": ["DEFINE QLOCAL(A)"]}).changes
    assert [
        (each.on, each.text, each.file, each.line)
        for each in changes
        if isinstance(each, PlannedScript)
    ] == [
        ("QM1", "ALTER QLOCAL(A) MAXDEPTH(5)", "head/QM1.mqsc", 2),
        ("QM1", "DEFINE QLOCAL(C)", "head/QM1.mqsc", 4),
        ("QM1", "DELETE QLOCAL(B)", "head/QM1.mqsc", 0),
        ("QM3", "DEFINE QLOCAL(A)", "head/QM3.mqsc", 1),
    ]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("DEFINE CHANNEL(C) CHLTYPE(SVRCONN) SSLCIPH(NEW_CIPHER_OF_2030)", "SSLCIPH"),
        ("DEFINE QLOCAL(C) STGCLASS(FAST)", "STGCLASS"),
        ("DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('h') XMITQ(X) PASSWORD('secret')", "PASSWORD"),
    ],
)
def test_what_no_command_can_do_is_said(line: str, note: str) -> None:
    """An attribute that the twin stores and cannot set is a note, and the rest is rehearsed."""
    with (
        folders("base", {"QM1": ["DEFINE QLOCAL(A)"]}) as base,
        folders("head", {"QM1": ["DEFINE QLOCAL(A)", line]}) as head,
    ):
        found = difference(base.single(), head.single())
    assert len(found.changes) == 1
    assert found.notes == (f"QM1 C (head/QM1.mqsc:2): {note} differs and is not rehearsed",)


def test_a_new_password_alone_is_no_command() -> None:
    """What a file says of a password is that it is set; a plan cannot set it."""
    channel = "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('h') XMITQ(X)"
    with (
        folders("base", {"QM1": [channel]}) as base,
        folders("head", {"QM1": [f"{channel} PASSWORD('secret')"]}) as head,
    ):
        found = difference(base.single(), head.single())
    assert found.changes == ()
    assert found.notes == ("QM1 C (head/QM1.mqsc:1): PASSWORD differs and is not rehearsed",)
