"""`ask access`: who may put, by which profile, what would change, and what is not known."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.sandbox import Sandbox
from twin import events
from twin.events import Caller
from twin.events.base import GroupsAlone
from twin.model.basis import Source
from twin.questions.access import access, caller_in
from twin.questions.answer import Answer
from twin.rules.deriving import derive

RECORDS: Final = """
SET AUTHREC PROFILE('SYSTEM.CLUSTER.**') OBJTYPE(QUEUE) GROUP('all') AUTHADD(PUT)
SET AUTHREC PROFILE('STOCK') OBJTYPE(QUEUE) GROUP('one') AUTHADD(PUT,INQ)
SET AUTHREC PROFILE('STO*') OBJTYPE(QUEUE) GROUP('two') AUTHADD(GET)
SET AUTHREC PROFILE('HUB') OBJTYPE(RQMNAME) PRINCIPAL('ann') AUTHADD(PUT)
"""


def scene(platform: str = "UNIX") -> Sandbox:
    """Make a cluster whose member EDGE puts to STOCK at HUB; no name was asked for yet."""
    box = Sandbox().create("HUB").full("HUB")
    box.control("crtmqm", "EDGE", f"platform={platform}")
    box.control("strmqm", "EDGE")
    box.member("EDGE", "HUB")
    box.run("HUB", "DEFINE QLOCAL(STOCK) CLUSTER(CA)")
    box.run("EDGE", RECORDS)
    return box


def asked(box: Sandbox, **filters: str) -> Answer:
    """Ask about STOCK at EDGE."""
    return access(box.estate, box.as_of, queue="STOCK", on="EDGE", **filters)


def granted(answer: Answer, mode: str) -> dict[Any, Any]:
    """Return who may put with a mode: entity -> whether, and by which profile."""
    return {
        row["entity"]: (row["granted"], row["matched_profile"])
        for row in answer.rows
        if row["mode"] == mode
    }


def test_each_entity_has_a_row_for_either_access_control() -> None:
    """What is checked, and by which profile it is granted, differs between Xmitq and RQMName."""
    answer = asked(scene())
    assert granted(answer, "Xmitq") == {
        "mqm": (True, None),
        "all": (True, "SYSTEM.CLUSTER.**"),
        "one": (False, None),
        "two": (False, None),
    }
    assert granted(answer, "RQMName") == {
        "mqm": (True, None),
        "all": (False, None),
        "one": (True, "STOCK"),
        "two": (False, "STO*"),
    }
    assert {row["in_force"] for row in answer.rows if row["mode"] == "Xmitq"} == {True}
    assert [note for note in answer.notes if "only with" in note] == [
        "EDGE: only with Xmitq may put: GROUP(all)",
        "EDGE: only with RQMName may put: GROUP(one)",
    ]


def test_a_queue_manager_that_is_named_has_a_profile_of_its_own() -> None:
    """With an ObjectQMgrName, RQMName looks at the profile of that queue manager."""
    answer = asked(scene(), to="HUB", **{"as": "ann"})
    assert [
        (row["mode"], row["objtype"], row["profile"], row["granted"]) for row in answer.rows
    ] == [
        ("Xmitq", "QUEUE", "SYSTEM.CLUSTER.TRANSMIT.QUEUE", False),
        ("RQMName", "RQMNAME", "HUB", True),
    ]


def test_a_refusal_without_groups_is_assumed() -> None:
    """Of a user whose groups were not given a refusal is assumed; with groups it is derived."""
    alone = asked(scene(), **{"as": "ben"}).rows[0]
    assert (alone["granted"], alone["basis"]) == (False, "assumed")
    member = asked(scene(), groups="one, two", **{"as": "ben"}).rows[0]
    assert (member["granted"], member["basis"]) == (False, "derived")


def test_z_os_has_another_model() -> None:
    """On z/OS nothing is granted or refused: RACF decides by a profile of the name."""
    answer = asked(scene("MVS"), **{"as": "ann"})
    (row,) = answer.rows
    assert (row["mode"], row["objtype"], row["profile"], row["granted"]) == (
        "RACF",
        "MQQUEUE",
        "EDGE.STOCK",
        None,
    )
    assert any("RACF decides" in note for note in answer.notes)
    box = scene("MVS")
    assert box.put("EDGE", "STOCK", caller=Caller(name="eve")).reason == 0


def seen(box: Sandbox, *records: events.StatedObject, complete: bool) -> None:
    """Let EDGE be observed, with these authority records."""
    derive(box.draft, events.ObjectsObserved(qmgr="EDGE", kind="QUEUE", said=(STOCK,)))
    derive(
        box.draft,
        events.ObjectsObserved(
            qmgr="EDGE", kind="AUTHREC", said=records, complete="*" if complete else None
        ),
    )


STOCK: Final = events.StatedObject(name="STOCK", type="QLOCAL")
GRANT: Final = events.StatedObject(
    name="STO* QUEUE apps",
    type="AUTHREC",
    values={"PROFILE": "STO*", "OBJTYPE": "QUEUE", "GROUP": "apps", "AUTHLIST": ("PUT",)},
)
EXACT: Final = events.StatedObject(
    name="STOCK QUEUE apps",
    type="AUTHREC",
    values={"PROFILE": "STOCK", "OBJTYPE": "QUEUE", "GROUP": "apps", "AUTHLIST": ("PUT",)},
)


@pytest.mark.parametrize(
    ("records", "complete", "groups", "may"),
    [
        ((), False, "apps", None),
        ((GRANT,), False, "apps", None),
        ((EXACT,), False, "apps", True),
        ((EXACT,), False, "others", None),
        ((GRANT,), True, "apps", True),
        ((GRANT,), True, "others", False),
        ((), True, "apps", False),
    ],
)
def test_what_no_file_showed_is_neither_allowed_nor_refused(
    records: tuple[events.StatedObject, ...],
    complete: bool,  # noqa: FBT001 - a case
    groups: str,
    may: bool | None,  # noqa: FBT001 - a case
) -> None:
    """Without all authority records of an imported queue manager, only an exact profile is sure."""
    box = Sandbox()
    seen(box, *records, complete=complete)
    answer = asked(box, groups=groups, **{"as": "ann"})
    assert {row["granted"] for row in answer.rows} == {may}
    assert {answer.marked(number)["granted"] for number, _ in enumerate(answer.rows)} == {
        "?" if may is None else may
    }
    sources = {each["granted"].source for each in answer.unknowns() if "granted" in each}
    assert sources == ({Source.DUMP} if may is None else set())
    caller = Caller(name="ann", groups=(("ann", tuple(groups.split())),))
    assert (box.put("EDGE", "STOCK", caller=caller).reason == 2035) == (may is False)


def test_an_unseen_qm_ini_leaves_open_what_the_modes_decide() -> None:
    """Where Xmitq and RQMName differ, and no qm.ini was seen, a user is neither let nor refused."""
    box = scene()
    qmgr = box.estate.qmgr("EDGE")
    qmgr.observed = True
    derive(
        box.draft,
        events.ObjectsObserved(
            qmgr="EDGE",
            kind="AUTHREC",
            complete="*",
            said=(EXACT,),
        ),
    )
    answer = asked(box, groups="apps", **{"as": "ann"})
    assert [(row["in_force"], row["granted"]) for row in answer.rows] == [
        (None, False),
        (None, True),
    ]
    assert any("qm.ini of EDGE was never observed" in note for note in answer.notes)


def test_groups_without_their_user_are_refused() -> None:
    """No filter is ignored: without a user nobody is in the groups."""
    with pytest.raises(GroupsAlone, match="name it, too"):
        caller_in({"groups": "apps"})
    assert caller_in({}) is None
