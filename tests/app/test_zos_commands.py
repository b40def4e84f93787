"""Commands for queue managers on z/OS: recognised there, and syntax errors elsewhere."""

from __future__ import annotations

from typing import Final

import pytest

from tests.app.scenes import START
from twin.app.twin import Twin
from twin.model.attributes import ZOS_ONLY, Choice, Number, Text, zos_attributes

COMMANDS: Final = (
    ("ALTER", "BUFFPOOL(4) BUFFERS(2000)"),
    ("ALTER", "PSID(5) EXPAND(USER)"),
    ("ALTER", "SECURITY INTERVAL(10)"),
    ("ALTER", "SMDS(*) CFSTRUCT(APP1)"),
    ("ALTER", "TRACE(S) TNO(1) CLASS(1)"),
    ("ARCHIVE", "LOG MODE(QUIESCE)"),
    ("BACKUP", "CFSTRUCT(APP1)"),
    ("DEFINE", "BP(4) BUFFERS(1000)"),
    ("DEFINE", "CFSTRUCT(APP1) CFLEVEL(5)"),
    ("DEFINE", "LOG(CSQ.DS) COPY(1)"),
    ("DEFINE", "PSID(5) BUFFPOOL(4)"),
    ("DEFINE", "STC(REMOTE) PSID(2)"),
    ("DELETE", "STGCLASS(REMOTE)"),
    ("DISPLAY", "ARCHIVE"),
    ("DISPLAY", "CFSTATUS(*)"),
    ("DISPLAY", "CFSTRUCT(*) ALL"),
    ("DISPLAY", "CMDSERV"),
    ("DISPLAY", "GROUP"),
    ("DISPLAY", "SMDS(*) CFSTRUCT(*)"),
    ("DISPLAY", "STGCLASS(*)"),
    ("DISPLAY", "SYSTEM"),
    ("DISPLAY", "THREAD(*)"),
    ("DISPLAY", "TRACE(*)"),
    ("DISPLAY", "USAGE PSID(*)"),
    ("MOVE", "QLOCAL(A) TYPE(ADD) TOQLOCAL(B)"),
    ("RECOVER", "BSDS"),
    ("RECOVER", "CFSTRUCT(APP1)"),
    ("RESET", "CFSTRUCT(APP1) ACTION(FAIL)"),
    ("RESET", "QSTATS(*)"),
    ("RESET", "TPIPE(X) XCFMNAME(Y)"),
    ("RESOLVE", "INDOUBT(X) ACTION(COMMIT) NID(Y)"),
    ("RVERIFY", "SECURITY(USER1)"),
    ("SET", "ARCHIVE UNIT(TAPE)"),
    ("SET", "SYSTEM LOGLOAD(10000)"),
    ("START", "CMDSERV"),
    ("START", "TRACE(S) CLASS(1)"),
    ("STOP", "CHINIT"),
    ("STOP", "QMGR MODE(QUIESCE)"),
)
"""The verb, and the rest of the command."""

IN_NO_CLUSTER: Final = (
    *("CHANNEL.INITQ", "CHANNEL.SYNCQ", "CLUSTER.COMMAND.QUEUE", "CLUSTER.REPOSITORY.QUEUE"),
    *("COMMAND.INPUT", "QSG.CHANNEL.SYNCQ", "QSG.TRANSMIT.QUEUE"),
)
"""Source: IBM MQ, reason code 3090."""


@pytest.fixture
def twins_of_both(twin: Twin) -> Twin:
    """Make a queue manager on z/OS and one on Linux."""
    for qmgr, platform in (("MQ1A", "MVS"), ("QM1", "UNIX")):
        twin.crtmqm(qmgr, platform=platform, at=START)
        twin.strmqm(qmgr, at=START)
    return twin


def _answers(twin: Twin, qmgr: str, script: str) -> list[str]:
    lines = twin.runmqsc(qmgr, script, at=START).lines[4:-3]
    return [line for line in lines if " : " not in line]


def test_commands_for_zos_are_not_modelled_there_and_unknown_elsewhere(twins_of_both: Twin) -> None:
    """On z/OS each is answered with TWN0001, elsewhere with AMQ8405 up to its object word."""
    script = "".join(f"{verb} {rest}\n" for verb, rest in COMMANDS)
    answers = _answers(twins_of_both, "MQ1A", script)
    assert len(answers) == len(COMMANDS)
    assert all(line.startswith("TWN0001E: ") for line in answers)
    refused = _answers(twins_of_both, "QM1", script)
    heads = [f"{verb} {rest.split('(')[0].split(' ')[0]}" for verb, rest in COMMANDS]
    assert refused[1::2] == heads
    assert {line[:9] for line in refused[::2]} == {"AMQ8405I:"}


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("SUSPEND QMGR LOG", "TWN0001E: SUSPEND QMGR LOG is"),
        ("RESUME QMGR FACILITY(DB2)", "TWN0001E: RESUME QMGR FACILITY is"),
        ("SET LOG DEALLCT(5)", "TWN0001E: SET LOG is"),
        ("START LISTENER TRPTYPE(TCP) PORT(1500) INDISP(QMGR)", "AMQ8021I: "),
        ("STOP LISTENER TRPTYPE(TCP) PORT(1500) INDISP(QMGR)", "AMQ8731E: "),
        ("DISPLAY CHSTATUS(*) SHORT", "TWN0001E: DISPLAY CHSTATUS SHORT is"),
        ("DISPLAY CHSTATUS(*) CHLDISP(ALL) CMDSCOPE(' ')", "AMQ8420I: "),
        ("DISPLAY QUEUE(*) QSGDISP(SHARED)", "TWN0001E: DISPLAY QUEUE QSGDISP(SHARED) is"),
    ],
)
def test_options_for_zos_are_read_on_zos_only(
    twins_of_both: Twin, command: str, answer: str
) -> None:
    """On z/OS an option is accepted or not modelled; elsewhere it is a syntax error."""
    (answered,) = _answers(twins_of_both, "MQ1A", command)
    assert answered.startswith(answer)
    assert _answers(twins_of_both, "QM1", command)[0].startswith("AMQ8405I: ")


@pytest.mark.parametrize("keyword", sorted(ZOS_ONLY))
def test_an_attribute_for_zos_takes_only_its_own_values(twins_of_both: Twin, keyword: str) -> None:
    """What is no value of an attribute is refused, and what is its default is accepted."""
    attribute = ZOS_ONLY[keyword]
    of_qmgr = attribute in zos_attributes("QMGR")
    command = f"ALTER QMGR {keyword}" if of_qmgr else f"DEFINE QLOCAL(Q.{keyword}) {keyword}"
    checked = isinstance(attribute.form, Choice | Number | Text)
    for value, refused in (("BOGUS.AND.LONG.WORD", checked), (attribute.default, False)):
        lines = twins_of_both.mqsc("MQ1A", at=START).run(f"{command}('{value}')").lines
        assert ("AMQ8405" in " ".join(lines)) == refused


def test_unset_attributes_of_zos_have_their_defaults(twins_of_both: Twin) -> None:
    """An attribute for z/OS that was never set is displayed with its default, there only."""
    zos, unix = (twins_of_both.mqsc(each, at=START) for each in ("MQ1A", "QM1"))
    for mqsc in (zos, unix):
        mqsc.run("DEFINE QLOCAL(FODDER)")
    shown = "\n".join(zos.run("DISPLAY QUEUE(FODDER) INDXTYPE STGCLASS").lines)
    assert "INDXTYPE(NONE)" in shown
    assert "STGCLASS(DEFAULT)" in shown
    assert "ADOPTMCA(ALL)" in "\n".join(zos.run("DISPLAY QMGR ALL").lines)
    assert "ADOPTMCA" not in "\n".join(unix.run("DISPLAY QMGR ALL").lines)


@pytest.mark.parametrize("name", IN_NO_CLUSTER)
@pytest.mark.parametrize("keyword", ["CLUSTER", "CLUSNL"])
def test_queues_of_the_system_are_in_no_cluster(
    twins_of_both: Twin, name: str, keyword: str
) -> None:
    """Queues that reason code 3090 lists are refused in a cluster, for each keyword."""
    mqsc = twins_of_both.mqsc("QM1", at=START)
    lines = mqsc.run(f"DEFINE QLOCAL(SYSTEM.{name}) REPLACE {keyword}(HERDS)").lines
    assert "AMQ8440" in " ".join(lines)
