"""Saved answers to DISPLAY QMGR turned into the attributes of the queue manager."""

from __future__ import annotations

import pytest

from tests.feeds.captures.test_captures_of_twin import estate, printed
from twin.events import ObjectsObserved
from twin.feeds.captures.records import Capture
from twin.feeds.captures.runmqsc import read_captures
from twin.feeds.converting.shown_definitions import own_attributes
from twin.model.observed_objects import differing_attributes
from twin.model.system_objects import initial_values


def said(lines: list[str]) -> ObjectsObserved | None:
    """Return what the only answer of a session with QM1 says."""
    (capture,) = read_captures(lines)
    assert isinstance(capture, Capture)
    return own_attributes([capture], "QM1")


def test_what_twin_displays_of_a_queue_manager_changes_nothing() -> None:
    """All attributes are read as they are known, or as every queue manager has them."""
    box = estate()
    qmgr = box.estate.qmgr("QM1")
    event = said(printed(box, "QM1", "DISPLAY QMGR ALL"))
    assert event is not None
    assert (event.qmid, event.cmdlevel, event.platform) == (
        qmgr.qmid,
        qmgr.cmdlevel,
        qmgr.platform,
    )
    assert len(event.said[0].values) > 50
    known = {**initial_values("QM1", level=qmgr.cmdlevel), **qmgr.values}
    assert differing_attributes("QM1", qmgr.cmdlevel, known, event.said) == {}


def test_a_full_repository_and_a_number_are_read() -> None:
    """Words, names and numbers are values; what is unknown or secret is left out."""
    lines = """Starting MQSC for queue manager QM1.
     1 : DISPLAY QMGR ALL
AMQ8408I: Display Queue Manager details.
   QMNAME(QM1)                             QMID(QM1_2026-01-01_00.00.00)
   REPOS(CA)                               MAXMSGL(1048576)
   CLWLUSEQ(ANY)                           NEWWORD(1)
   DESCR( )                                CMDLEVEL(935)
   SSLKEYP(hush)                           PLATFORM(UNIX)
1 MQSC command read.
"""
    event = said(lines.split("\n"))
    assert event is not None
    assert dict(event.said[0].values) == {
        "REPOS": "CA",
        "MAXMSGL": 1048576,
        "CLWLUSEQ": "ANY",
        "DESCR": "",
    }
    assert event.cmdlevel == 935
    assert "hush" not in repr(event)


@pytest.mark.parametrize("shown", ["QMNAME(QM1)  REPOS(CA)", "QMNAME(QM2)  QMID(QM2_X)"])
def test_an_answer_without_a_qmid_or_of_another_is_not_taken(shown: str) -> None:
    """A queue manager is known by its QMID."""
    lines = f"""Starting MQSC for queue manager QM1.
     1 : DISPLAY QMGR
AMQ8408I: Display Queue Manager details.
   {shown}
1 MQSC command read.
"""
    assert said(lines.split("\n")) is None
