"""What command levels and platforms decide."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox
from twin.model.messages import CATALOGUE, Message
from twin.questions.answer import FoldedFact
from twin.questions.errorlog import errorlog, shown


def test_crtmqm_p_makes_a_listener_that_starts_with_its_queue_manager() -> None:
    """With -p there is a listener with this port and CONTROL(QMGR); without it there is none."""
    estate = Sandbox().create("BARE")
    estate.control("crtmqm", "LISTENS", "p=1515")
    estate.control("strmqm", "LISTENS")
    made = estate.estate.qmgr("LISTENS")
    values = made.definitions["LISTENER", "SYSTEM.LISTENER.TCP.1"].values
    assert (values["PORT"], values["CONTROL"]) == (1515, "QMGR")
    assert "SYSTEM.LISTENER.TCP.1" in made.activity.listeners
    bare = estate.estate.qmgr("BARE")
    assert ("LISTENER", "SYSTEM.LISTENER.TCP.1") not in bare.definitions


def test_every_message_of_channels_and_repositories_has_its_z_os_form_there() -> None:
    """No queue manager on z/OS writes an id that begins with AMQ9, and no other one CSQX."""
    estate = Sandbox().create("DIST")
    estate.control("crtmqm", "ZOS", "cmdlevel=930", "platform=MVS")
    for id_ in (each for each in CATALOGUE if each.startswith("AMQ9")):
        for on, begins in (("ZOS", "CSQX"), ("DIST", id_)):
            written, text = shown(estate.estate, on, Message(id_), estate.draft.at)
            assert written.startswith(begins), (on, id_)
            assert text.startswith(begins), (on, id_)


def test_a_start_is_logged_before_what_it_does() -> None:
    """AMQ9002 comes first, then what the start of the channel says about its queue."""
    estate = Sandbox().create("FR1", "QM1").full("FR1").member("QM1", "FR1")
    estate.run("QM1", "STOP CHANNEL(CA.FR1)\nDEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME(CA.FR1)")
    begun = len(estate.draft.events)
    estate.run("QM1", "START CHANNEL(CA.FR1)")
    decided = enumerate(estate.draft.events[begun:], 1)
    facts = [FoldedFact(at, number, event) for number, (at, event) in decided]
    rows = errorlog(estate.estate, estate.as_of, facts=facts, on="QM1").rows
    ids = [str(row["id"]) for row in rows]
    assert ids[0] == "AMQ9002"
    assert len(ids) > 1


@pytest.mark.parametrize("word", ["DOS", "OS2", "VMS", "USER", "IMSBRIDGE", "77"])
def test_every_application_type_is_taken(word: str) -> None:
    """DEFINE PROCESS takes each word of MQAT, and a number, at any level; and no other word."""
    estate = Sandbox().create("OLD", level=750).create("NEW", level=940)
    for name in ("OLD", "NEW"):
        assert estate.run(name, f"DEFINE PROCESS(P) APPLTYPE({word})") == ["AMQ8010I"]
        assert estate.run(name, "DEFINE PROCESS(Q) APPLTYPE(BOGUS)") == ["AMQ8405I"]
