"""Captured answers of real queue managers, compared with the twin's answers.

The captures in `reference` are read there; tests are skipped if they are missing.
"""

from __future__ import annotations

import re

import pytest

from tests.questions.display.shown import SAMPLES, lines, rows
from tests.sandbox import Sandbox
from twin.mqsc.readback import SessionRecord, read_back

REFERENCE = SAMPLES / "reference"
CAPTURES = REFERENCE / "runmqsc-output"

SAMPLE_QUEUES = """
DEFINE QALIAS(SYSTEM.SAMPLE.ALIAS)
DEFINE QLOCAL(SYSTEM.SAMPLE.ECHO)
DEFINE QLOCAL(SYSTEM.SAMPLE.INQ)
DEFINE QLOCAL(SYSTEM.SAMPLE.LOCAL)
DEFINE QREMOTE(SYSTEM.SAMPLE.REMOTE)
DEFINE QMODEL(SYSTEM.SAMPLE.REPLY)
DEFINE QLOCAL(SYSTEM.SAMPLE.SET)
DEFINE QLOCAL(SYSTEM.SAMPLE.TRIGGER)
"""

needs_samples = pytest.mark.skipif(not CAPTURES.exists(), reason="no public samples here")


def captured(name: str) -> list[SessionRecord]:
    """Return the records of a capture."""
    return read_back((CAPTURES / name).read_text(encoding="utf-8")).records


def cells(sandbox: Sandbox, qmgr: str, command: str) -> list[object]:
    """Return the twin's cells, read back from its lines."""
    text = "\n".join(lines(sandbox, qmgr, command))
    return [record.cells for record in read_back(text).records]


def alpha() -> Sandbox:
    """Make the cluster ALPHA from the definitions of its four queue managers."""
    sandbox = Sandbox().at("2019-01-25T09:17:12Z").create(*"ABCD", level=900)
    sandbox.at("2019-01-25T09:17:13Z")
    for name in "ABCD":
        path = REFERENCE / "mqsc" / "ALPHA" / f"{name}.mqsc"
        script = path.read_text(encoding="utf-8").splitlines()
        sandbox.run(name, "\n".join(line for line in script if not line.startswith("DIS")))
    sandbox.open("C", "Q1")
    return sandbox


def first_answer(text: str, marker: str) -> list[str]:
    """Return the first message after a marker in a capture, with its cells."""
    found = re.search(r"(?m)^AMQ.*\n(?: {3}.*\n)+", text[text.index(marker) :])
    assert found
    return found[0].splitlines()


@needs_samples
@pytest.mark.parametrize("qmgr", ["A", "C"])
def test_alpha_knows_its_cluster_as_captured(qmgr: str) -> None:
    """A full and a partial repository of ALPHA list the queue managers that 9.0 listed."""
    records = captured("id6852209416__ALPHA_clusqmgr.txt")
    expected = [
        record.cells for record in records if record.qmgr == qmgr and len(record.cells) == 4
    ]
    assert len(expected) == 4
    assert cells(alpha(), qmgr, "DISPLAY CLUSQMGR(*) QMTYPE") == expected


@needs_samples
def test_alpha_shows_its_own_row_to_the_letter() -> None:
    """DISPLAY CLUSQMGR(A) has exactly the lines of the capture."""
    text = (CAPTURES / "id6852209416__ALPHA_clusqmgr.txt").read_text(encoding="utf-8")
    expected = first_answer(text, '"DISPLAY CLUSQMGR(A)"')
    assert len(expected) > 30
    shown = lines(alpha(), "A", "DISPLAY CLUSQMGR(A)")
    assert [line.rstrip() for line in shown] == [line.rstrip() for line in expected]


def session_701() -> Sandbox:
    """Make the queue manager of the 7.0.1 session, with its commands."""
    sandbox = Sandbox().at("2012-12-31T17:31:53Z").create("qmgr1", level=701)
    sandbox.run("qmgr1", SAMPLE_QUEUES)
    sandbox.at("2012-12-31T20:31:53Z")
    sandbox.run("qmgr1", "def ql(ql.a) descr('ql.a for qmgr1 in 2013-01-01')")
    return sandbox


@needs_samples
@pytest.mark.parametrize("command", ["dis qmgr", "dis q(system*)", "dis ql(ql.a)"])
def test_a_queue_manager_of_701_answers_as_captured(command: str) -> None:
    """The queue manager, its default queues and a new queue show as 7.0.1 showed them."""
    records = captured("id55882327986__interactive_session_v701.txt")
    expected = [record.cells for record in records if record.command == command]
    assert expected
    assert cells(session_701(), "qmgr1", command) == expected


@needs_samples
def test_attributes_come_in_the_captured_order() -> None:
    """MAXDEPTH and DESCR are shown in the order of 7.0.1: DESCR first."""
    sandbox = session_701()
    sandbox.run("qmgr1", "alter ql(ql.a) maxdepth(2000)")
    command = "dis ql(ql.a) maxdepth descr"
    records = captured("id55882327986__interactive_session_v701.txt")
    expected = [record.cells for record in records if record.command == command]
    assert cells(sandbox, "qmgr1", command) == expected


@needs_samples
@pytest.mark.parametrize("command", ["DISPLAY QUEUE(TI.LOG)", "DISPLAY QSTATUS(TI.LOG)"])
def test_a_queue_of_75_shows_as_captured(command: str) -> None:
    """A queue and its status have the cells of 7.5, in their order."""
    sandbox = Sandbox().at("2017-05-09T18:07:00Z").create("QMAPPT15", level=750)
    sandbox.run("QMAPPT15", "DEFINE QLOCAL(TI.LOG) DESCR('no description')")
    records = captured("id33350894186__zabbix_v75_queue_all.txt")
    expected = [record.cells for record in records if record.command == command]
    assert len(expected) == 1
    assert cells(sandbox, "QMAPPT15", command) == expected


@needs_samples
def test_a_receiver_channel_of_925_shows_as_captured() -> None:
    """A whole receiver channel has the cells of 9.2.5, long ones on lines of their own."""
    sandbox = Sandbox().create("QM2", level=925).at("2022-06-28T18:31:34Z")
    sandbox.run(
        "QM2",
        "DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR) CERTLABL('QM2') TRPTYPE(TCP) "
        "DESCR('Receiver channel using TLS from QM1 to QM2') "
        "SSLCIPH(TLS_RSA_WITH_AES_128_CBC_SHA256)",
    )
    records = captured("id33165179043__tls_sslpeer_session_v925.txt")
    expected = [record for record in records if record.id == "AMQ8414"][-1]
    assert cells(sandbox, "QM2", "DISPLAY CHANNEL(QM1.TO.QM2)") == [expected.cells]


@needs_samples
@pytest.mark.parametrize("name", ["QM1", "QM2"])
def test_two_full_repositories_see_each_other_as_captured(name: str) -> None:
    """Each of two full repositories shows both as running repositories of the cluster."""
    cluster = "GLOBAL_HA_CLUSTER"
    sandbox = Sandbox().create("QM1", "QM2")
    for qmgr, other in (("QM1", "QM2"), ("QM2", "QM1")):
        sandbox.run(
            qmgr,
            f"ALTER QMGR REPOS({cluster})\n"
            f"DEFINE CHANNEL(GLOBAL_HA_CHL_{qmgr}) CHLTYPE(CLUSRCVR) CLUSTER({cluster})\n"
            f"DEFINE CHANNEL(GLOBAL_HA_CHL_{other}) CHLTYPE(CLUSSDR) CLUSTER({cluster}) "
            f"CONNAME('{other}')",
        )
    records = captured(f"id55095233774__clusqmgr_{name}.txt")
    command = "DISPLAY CLUSQMGR(*) CLUSTER(GLOBAL_HA_CLUSTER) QMTYPE STATUS"
    assert cells(sandbox, name, command) == [record.cells for record in records]


def test_openly_licensed_captures_show_the_same_cells() -> None:
    """Depth and size of a queue, and a lone name, stand as in captures of 9.2 and 9.3."""
    sandbox = Sandbox().create("QM1", level=930)
    sandbox.run("QM1", "DEFINE QLOCAL(QUEUE1)\nDEFINE QLOCAL(TEST.QUEUE) MAXDEPTH(100)")
    assert lines(sandbox, "QM1", "dis ql(queue1) curdepth") == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(QUEUE1)                           TYPE(QLOCAL)",
        f"   {'CURDEPTH(0)':<37}",
    ]
    assert lines(sandbox, "QM1", "DISPLAY QLOCAL(TEST.QUEUE) MAXDEPTH CURDEPTH") == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(TEST.QUEUE)                       TYPE(QLOCAL)",
        "   CURDEPTH(0)                             MAXDEPTH(100)",
    ]
    assert rows(sandbox, "QM1", "DISPLAY QMGR QMNAME") == [{"qmname": "QM1"}]
