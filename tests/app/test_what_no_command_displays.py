"""What no command displays is assumed or unknown: a use, who sent a record, an answer to come."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from random import Random

import pytest

from tests.app.test_laws import fresh
from tests.truth.collected_in_part import CAPTURED
from tests.truth.faulty_clusters import Truth
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR

_CLUSTER = "RIVER"


@pytest.fixture(name="river")
def _river() -> Iterator[tuple[Truth, Twin]]:
    """Two full repositories, the owner of EELS, and MILL with an alias of it that nobody uses."""
    with fresh(2) as (simulated, told):
        truth = Truth(simulated, Random(5), _CLUSTER, full=("WEIR", "LOCK"))
        for name in ("WEIR", "LOCK", "DAM", "MILL"):
            truth.scripts[name] = []
            truth.create(name)
        for name in truth.names:
            truth.join(name)
        truth.run("DAM", f"DEFINE QLOCAL(EELS) CLUSTER({_CLUSTER})")
        truth.run("MILL", "DEFINE QALIAS(FISH) TARGET(EELS)")
        truth.later(2 * HOUR)
        yield truth, told


def _collect(truth: Truth, told: Twin, *names: str, scripted: str = "") -> None:
    """Import what queue managers, or all, define and display; of one its script and no dump."""
    for name in names or truth.names:
        lines = truth.twin.dmpmqcfg(name, as_of=truth.now)
        shown = truth.twin.runmqsc(name, "\n".join(CAPTURED), as_of=truth.now).lines
        files = [FileText("\n".join([*shown, ""]))]
        if name == scripted:
            files.append(FileText("\n".join([*truth.scripts[name], ""]), name))
        else:
            files.append(FileText("\n".join([*lines, ""])))
        told.ingest_files(files, at=truth.now)


def _found(twin: Twin, at: int, on: str) -> set[object]:
    return {row["id"] for row in twin.ask("doctor", as_of=at).rows if on in str(row["object"])}


def test_a_record_that_was_never_asked_for_is_not_missing(river: tuple[Truth, Twin]) -> None:
    """A queue manager with an alias that nobody uses lacks nothing, and no sight says it does."""
    truth, told = river
    _collect(truth, told)
    assert not told.ask("divergence", as_of=truth.now).rows


def test_an_answer_that_would_come_is_assumed(river: tuple[Truth, Twin]) -> None:
    """A route that a full repository would name is assumed; in a simulated estate it follows."""
    truth, told = river
    _collect(truth, told)
    asked = {"on": "MILL", "queue": "FISH"}
    for twin, basis in ((told, "assumed"), (truth.twin, "derived")):
        answer = twin.ask("explain", asked, as_of=truth.now)
        assert [row["qmgr"] for row in answer.rows] == ["DAM"]
        row, differing = answer.rows[0], answer.basis_of[0] if answer.basis_of else {}
        assert differing.get("qmgr", row["basis"]) == basis


def test_who_sent_a_record_is_unknown(river: tuple[Truth, Twin]) -> None:
    """At an observed queue manager only the source of its own records is known."""
    truth, told = river
    _collect(truth, told)
    for row in told.ask("beliefs", as_of=truth.now).rows:
        assert row["source"] == (row["owner"] if row["owner"] == row["observer"] else None)


@pytest.mark.parametrize("scripted", ["", "MILL"])
def test_a_leaver_with_stopped_channels_is_told(river: tuple[Truth, Twin], scripted: str) -> None:
    """What waits to say goodbye is told, and what still leads into the cluster, also of a script.

    That it has left follows from a complete DISPLAY CLUSQMGR without a row of its own.
    """
    truth, told = river
    truth.twin.put("MILL", "FISH", at=truth.now)
    truth.later(HOUR)
    for full in truth.full:
        truth.run("MILL", f"STOP CHANNEL({_CLUSTER}.{full})")
    truth.run("MILL", f"ALTER CHANNEL({_CLUSTER}.MILL) CHLTYPE(CLUSRCVR) CLUSTER(' ')")
    truth.later(HOUR)
    _collect(truth, told, scripted=scripted)
    for twin in (truth.twin, told):
        assert {"channel-stopped", "left-cluster-used"} <= _found(twin, truth.now, "MILL")
    rows = [twin.ask("channels", on="MILL", as_of=truth.now).rows for twin in (truth.twin, told)]
    assert [row["channel"] for row in rows[0]] == [row["channel"] for row in rows[1]]


@pytest.mark.parametrize("names", [("DAM",), ("DAM", "MILL"), ("DAM", "WEIR")])
def test_all_instances_are_known_if_a_full_repository_was_seen(
    river: tuple[Truth, Twin], names: tuple[str, ...]
) -> None:
    """Unless one was, a member that was not imported may have another instance of a queue."""
    truth, told = river
    truth.twin.runmqsc("DAM", f"SUSPEND QMGR CLUSTER({_CLUSTER})", at=truth.now)
    _collect(truth, told, *names)
    said = "all-instances-suspended" in _found(told, truth.now, _CLUSTER)
    assert said == ("WEIR" in names)


def test_a_member_has_sent_its_records_to_a_full_repository_that_it_was_seen_to_know(
    river: tuple[Truth, Twin],
) -> None:
    """Also to one that no CLUSSDR of it leads to, and of which only a dump was imported."""
    truth, told = river
    own = " ".join(truth.scripts["MILL"])
    (other,) = [each for each in truth.full if f"DEFINE CHANNEL({_CLUSTER}.{each})" not in own]
    dump = truth.twin.dmpmqcfg(other, as_of=truth.now)
    told.ingest_files([FileText("\n".join([*dump, ""]))], at=truth.now)
    _collect(truth, told, "MILL")
    held = told.ask("lifetimes", on=other, owner="MILL", as_of=truth.now).rows
    assert [row["qmid"] for row in held] == [truth.twin.view()[0].qmgr("MILL").qmid]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_an_assumed_use_was_answered_with_what_a_full_repository_was_seen_to_hold(
    river: tuple[Truth, Twin], order: tuple[int, ...]
) -> None:
    """Also with the record of an owner that was not imported, whichever file comes first."""
    truth, told = river
    dumps = [truth.twin.dmpmqcfg(name, as_of=truth.now) for name in ("MILL", "WEIR")]
    shown = truth.twin.runmqsc("WEIR", "\n".join(CAPTURED), as_of=truth.now).lines
    files = [FileText("\n".join([*lines, ""])) for lines in (*dumps, shown)]
    for each in order:
        told.ingest_files([files[each]], at=truth.now)
    rows = told.ask("beliefs", on="MILL", kind="queue", as_of=truth.now).rows
    assert [(row["name"], row["owner"], row["basis"]) for row in rows] == [
        ("EELS", "DAM", "assumed")
    ]


@pytest.mark.parametrize("since", [0, HOUR])
def test_repository_commands_that_wait_are_among_the_messages_that_were_seen(
    river: tuple[Truth, Twin], since: int
) -> None:
    """CURDEPTH counts them, and does not say what they are: those put since are told beside it."""
    truth, told = river
    for full in truth.full:
        truth.twin.link("cut", "MILL", full, at=truth.now)
    truth.run("MILL", f"ALTER CHANNEL({_CLUSTER}.MILL) CHLTYPE(CLUSRCVR) DESCR('moor')")
    truth.later(HOUR)
    _collect(truth, told)
    if since:
        truth.run("MILL", f"ALTER CHANNEL({_CLUSTER}.MILL) CHLTYPE(CLUSRCVR) DESCR('brook')")
        truth.later(since)
        dump = truth.twin.dmpmqcfg("MILL", as_of=truth.now)
        told.ingest_files([FileText("\n".join([*dump, ""]))], at=truth.now)
    right, found = (
        each.ask("transmission", on="MILL", as_of=truth.now).rows for each in (truth.twin, told)
    )
    assert sum(int(str(row["count"])) for row in found) == len(right) > 0
    assert [row["queue"] is None for row in found].count(True) == 1


@pytest.mark.parametrize(("days", "basis"), [(1, "observed"), (29, "observed"), (31, "assumed")])
def test_a_record_that_was_shown_may_have_gone_since(
    river: tuple[Truth, Twin], days: int, basis: str
) -> None:
    """Once it may have expired it is only assumed to be held; its channel did connect once."""
    truth, told = river
    _collect(truth, told, "DAM")
    answer = told.ask("beliefs", on="DAM", kind="qmgr", as_of=truth.now + days * DAY)
    rows = zip(answer.rows, answer.basis_of, strict=True)
    assert {held.get("name", row["basis"]) for row, held in rows if row["owner"] != "DAM"} == {
        basis
    }
    later = truth.now + 95 * DAY
    assert "cluster-sender-never-connected" not in _found(told, later, "DAM")


def test_a_full_repository_told_the_members_that_it_was_seen_to_hold_of_itself(
    river: tuple[Truth, Twin],
) -> None:
    """Also if its dump was imported before, and no full repository that a CLUSSDR leads to."""
    truth, told = river
    own = " ".join(truth.scripts["MILL"])
    (other,) = [each for each in truth.full if f"DEFINE CHANNEL({_CLUSTER}.{each})" not in own]
    for name in (other, "MILL"):
        dump = truth.twin.dmpmqcfg(name, as_of=truth.now)
        told.ingest_files([FileText("\n".join([*dump, ""]))], at=truth.now)
    shown = truth.twin.runmqsc(other, "\n".join(CAPTURED), as_of=truth.now).lines
    told.ingest_files([FileText("\n".join([*shown, ""]))], at=truth.now)
    rows = told.ask("beliefs", on="MILL", kind="qmgr", as_of=truth.now).rows
    assert other in {row["owner"] for row in rows}


def test_a_record_that_was_seen_after_its_deletion_is_not_deleted_again(
    river: tuple[Truth, Twin],
) -> None:
    """A full repository that was seen to hold a leaver tells no one who asks that it is gone."""
    truth, told = river
    truth.run("MILL", f"DEFINE QLOCAL(EELS) CLUSTER({_CLUSTER})")
    truth.twin.put("DAM", "EELS", at=truth.now)
    truth.later(HOUR)
    _collect(truth, told)
    for full in truth.full:
        truth.run("DAM", f"STOP CHANNEL({_CLUSTER}.{full})")
    truth.run("DAM", f"ALTER CHANNEL({_CLUSTER}.DAM) CHLTYPE(CLUSRCVR) CLUSTER(' ')")
    truth.later(HOUR)
    dump = truth.twin.dmpmqcfg("DAM", as_of=truth.now)
    told.ingest_files([FileText("\n".join([*dump, ""]))], at=truth.now)
    _collect(truth, told, "WEIR", "LOCK")
    rows = told.ask("explain", {"on": "MILL", "queue": "EELS"}, as_of=truth.now).rows
    right = truth.twin.ask("explain", {"on": "MILL", "queue": "EELS"}, as_of=truth.now).rows
    assert {row["qmgr"] for row in rows} == {row["qmgr"] for row in right} == {"DAM", "MILL"}
