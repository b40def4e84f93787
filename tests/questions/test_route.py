"""`explain --route`: a message followed hop by hop, over gateways and aliases, to its ends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.laws import seeds
from tests.questions.two_clusters import two_clusters
from tests.soak.estates import histories, opened, perform
from twin import Twin, events
from twin.app.asking import BadFilterValue
from twin.app.rehearsing import Rehearsal
from twin.errors import TwinError
from twin.model.instants import SECOND
from twin.questions.route import MOST_TURNS, NoPut


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Return two clusters with a gateway."""
    with two_clusters(tmp_path) as made:
        yield made


def lines(twin: Twin, queue: str, **options: Any) -> list[str]:
    """Return the route of a message from QM1 in words."""
    return list(twin.ask("route", on="QM1", queue=queue, **options).lines)


ROUTES: dict[tuple[str, str, str], str] = {
    ("ORDERS", "", "asqdef"): """
1  QM1: ORDERS is a queue of cluster CA; to QM2 by CA.QM2, one of 2 that take turns (50%)
1.1  QM2: ORDERS is a local queue; delivered
2  QM1: ORDERS is a queue of cluster CA; to QM4 by CA.QM4, one of 2 that take turns (50%)
2.1  QM4: ORDERS is a local queue; delivered
""",
    ("STOCK", "QM3", "asqdef"): """
1  QM1: QM3 is a queue manager alias of cluster CA; to GW by CA.GW
1.1  GW: QM3 is an alias of queue manager QM3; QM3 is a queue manager of cluster CB; to QM3 by
     CB.QM3
1.1.1  QM3: STOCK is a local queue; delivered
""",
    ("STOCK.CA", "", "notfixed"): """
1  QM1: STOCK.CA is a queue of cluster CA; to GW by CA.GW
1.1  GW: STOCK.CA is an alias of STOCK; STOCK is a queue of cluster CB; to QM3 by CB.QM3
1.1.1  QM3: STOCK is a local queue; delivered
""",
    ("STOCK.CA", "", "open"): """
1  QM1: STOCK.CA is a queue of cluster CA; to GW by CA.GW
1.1  GW: STOCK.CA is an alias of STOCK; cannot be put with 2082 MQRC_UNKNOWN_ALIAS_BASE_Q: CA.GW
     ends and is retried; it waits at QM1, as do the messages after it; if not persistent, it is
     discarded
""",
    ("STOCK.R", "", "asqdef"): """
1  QM1: STOCK.R is a queue of cluster CA; to GW by CA.GW
1.1  GW: STOCK.R is a remote definition of STOCK at QM3; QM3 is a queue manager of cluster CB; to
     QM3 by CB.QM3
1.1.1  QM3: STOCK is a local queue; delivered
""",
    ("THERE", "", "asqdef"): """
1  QM1: THERE is an alias of HERE; HERE is a local queue; delivered
""",
    ("STOCK", "", "asqdef"): """
1  QM1: STOCK; the call fails with 2085 MQRC_UNKNOWN_OBJECT_NAME
""",
}


@pytest.mark.parametrize("asked", ROUTES, ids=" ".join)
def test_a_message_is_followed_to_its_ends(twin: Twin, asked: tuple[str, str, str]) -> None:
    """Each hop names how the name is resolved there, the next queue manager, or the end."""
    queue, to, bind = asked
    assert "\n".join(lines(twin, queue, to=to, bind=bind)) == ROUTES[asked].strip()


def test_a_loop_is_marked(twin: Twin) -> None:
    """Aliases that lead to each other are followed until the message is where it was before."""
    for name, (alias, target) in {"QM2": ("RING", "ROUND"), "QM4": ("ROUND", "RING")}.items():
        define = f"DEFINE QALIAS({alias}) TARGET({target}) CLUSTER(CA) DEFBIND(NOTFIXED)"
        assert twin.runmqsc(name, define).exit_code == 0
    last = "1.1.1.1  QM2: RING; the queue manager QM2 was already passed for RING: a loop"
    found = lines(twin, "RING")
    assert last in found
    assert "messages go round for ever: RING at QM2 -> ROUND at" in " ".join(found)
    answer = twin.ask("route", on="QM1", queue="RING")
    assert [(row["on"], row["end"]) for row in answer.rows] == [
        ("QM1", None),
        ("QM2", None),
        ("QM4", None),
        ("QM2", "loop"),
    ]
    bound = lines(twin, "RING", bind="open")
    assert "cannot be put with 2082" in " ".join(bound)
    assert "With bind notfixed, the DEFBIND of RING, ROUND, messages go round" in " ".join(bound)


def test_a_hop_says_what_the_message_would_wait_for(twin: Twin) -> None:
    """A channel that does not reach its partner is named where it is, at a gateway too."""
    twin.create_branch("lab")
    lab = twin.on_branch("lab")
    lab.endmqm("QM3")
    assert lines(lab, "STOCK", to="QM3")[-2:] == [
        "     CB.QM3; it waits: QM3 has ended",
        "1.1.1  QM3: STOCK is a local queue; delivered",
    ]


def test_a_message_that_is_not_bound_is_followed_to_another_instance(twin: Twin) -> None:
    """Its channel fails as it starts; then the message goes where a put really takes it."""
    lab = twin.rehearse()
    lab.endmqm("QM4")
    said = "\n".join(lab.ask("route", on="QM1", queue="ORDERS").lines)
    expected = """
2  QM1: ORDERS is a queue of cluster CA; to QM4 by CA.QM4, one of 2 that take turns (50%); CA.QM4
   would not start, as QM4 has ended; a message then goes to QM2
2.1  QM2: ORDERS is a local queue; delivered"""
    assert said.endswith(expected)
    failing, last = lab.ask("route", on="QM1", queue="ORDERS").rows[2:]
    assert (failing["to"], failing["then"], failing["waits"]) == ("QM4", "QM2", None)
    assert failing["fails"] == "CA.QM4 would not start, as QM4 has ended"
    assert (last["on"], last["end"]) == ("QM2", "delivered")
    bound = lab.ask("route", on="QM1", queue="ORDERS", bind="open").rows
    assert [row["waits"] for row in bound if row["to"] == "QM4"] == ["QM4 has ended"]
    put = lab.put("QM1", "ORDERS", count=2)
    arrived = [event for _, event in lab.decided if isinstance(event, events.MessagesArrived)]
    assert not put.reason
    assert {each.qmgr for each in arrived} == {"QM2"}


def test_a_message_goes_to_the_local_instance_when_the_channel_fails(twin: Twin) -> None:
    """The local instance takes turns with others, and none of the rest can be reached."""
    twin.runmqsc("QM1", "DEFINE QLOCAL(ORDERS) CLUSTER(CA) CLWLUSEQ(ANY) DEFBIND(NOTFIXED)")
    lab = twin.rehearse()
    for name in ("QM2", "QM4"):
        lab.endmqm(name)
    rows = lab.ask("route", on="QM1", queue="ORDERS", bind="notfixed").rows
    assert [row["then"] for row in rows if row["to"]] == ["QM1", "QM1"]
    assert {(row["on"], row["end"]) for row in rows if row["end"]} == {("QM1", "delivered")}


def test_a_message_for_a_deleted_queue_manager_waits_where_its_channel_begins(twin: Twin) -> None:
    """It is known that QM3 was deleted, so what follows is known: nothing."""
    twin.create_branch("lab")
    lab = twin.on_branch("lab")
    lab.endmqm("QM3")
    lab.dltmqm("QM3")
    said = lines(lab, "STOCK", to="QM3")
    assert said[-1].endswith("CB.QM3; it waits: QM3 was deleted")
    rows = lab.ask("route", on="QM1", queue="STOCK", to="QM3").rows
    assert (rows[-1]["on"], rows[-1]["end"]) == ("GW", "waits")


def test_what_is_not_in_the_twin_is_not_followed(twin: Twin) -> None:
    """A transmission queue leads to a queue manager of which nothing is known."""
    define = """DEFINE QLOCAL(QM9) USAGE(XMITQ)
    DEFINE CHANNEL(TO.QM9) CHLTYPE(SDR) CONNAME(QM9) XMITQ(QM9)
    DEFINE QREMOTE(GONE) RNAME(X) RQMNAME(QM9)
    DEFINE QLOCAL(QM8) USAGE(XMITQ)"""
    assert twin.runmqsc("QM1", define).exit_code == 0
    assert lines(twin, "GONE")[-1] == "1.1  QM9: X; not in the twin: what follows is not known"
    assert lines(twin, "X", to="QM8")[-1].endswith("no channel takes it on")


def test_many_instances_are_followed_up_to_a_limit(twin: Twin) -> None:
    """Of many routes that take turns, the first ones are followed, and all are counted."""
    for number in range(MOST_TURNS):
        name = f"QX{number}"
        twin.crtmqm(name)
        twin.strmqm(name)
        script = f"""DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME({name}) CLUSTER(CA)
        DEFINE CHANNEL(CA.FA) CHLTYPE(CLUSSDR) CONNAME(FA) CLUSTER(CA)
        DEFINE QLOCAL(ORDERS) CLUSTER(CA)"""
        assert twin.runmqsc(name, script).exit_code == 0
    rows = twin.ask("route", on="QM1", queue="ORDERS").rows
    assert sum(row["end"] == "delivered" for row in rows) == MOST_TURNS
    assert rows[0]["turns"] == MOST_TURNS + 2


def test_a_route_needs_a_name_and_known_words(twin: Twin) -> None:
    """A missing name or an unknown option is an error of one line."""
    wrong: list[dict[str, Any]] = [{"queue": "X"}, {"on": "QM1"}]
    for options in wrong:
        with pytest.raises(NoPut, match="route needs on"):
            twin.ask("route", **options)
    with pytest.raises(BadFilterValue, match="bad bind 'tight'; expected one of open, notfixed"):
        twin.ask("route", on="QM1", queue="X", bind="tight")


def _ends(rows: Any) -> set[tuple[str, str]]:
    return {(row["on"], row["end"]) for row in rows if row["end"]}


def _outcome(rehearsal: Rehearsal, on: str, queue: str, bind: Any) -> tuple[str, str] | None:
    """Put a message; return where it ends and how, None if it waits on its way."""
    before = len(rehearsal.decided)
    put = rehearsal.put(on, queue, bind=bind)
    if put.reason:
        return on, "fails"
    rehearsal.advance(rehearsal.now() + 15 * SECOND)
    last = None
    for _, event in rehearsal.decided[before:]:
        if isinstance(event, events.MessagesArrived | events.MessagesReturned) and any(
            parcel.put in put.positions for parcel in event.parcels
        ):
            last = event
    if last is None:
        home = any(share.to and not share.channel and share.count for share in put.shares)
        return (on, "delivered") if home else None
    if isinstance(last, events.MessagesReturned):
        return "", "returned"
    return last.qmgr, "dead-lettered" if last.reason else "delivered"


def _compared(base: Rehearsal, on: str, queue: str, bind: str) -> bool:
    """Compare the route of a message with where it ends; return whether both are known."""
    answer = base.ask("route", on=on, queue=queue, bind=bind)
    if any(row["waits"] for row in answer.rows):
        return False
    try:
        outcome = _outcome(base.fork(), on, queue, bind)
    except TwinError:
        return False
    ends = _ends(answer.rows)
    assert outcome in ends | {("", end) for _, end in ends} | {None}, answer.lines
    return outcome is not None


@pytest.mark.parametrize("number", seeds(2, 3, 4, 5))
def test_a_put_ends_where_a_route_does(number: int, tmp_path: Path) -> None:
    """Law: a message that is put, and does not wait, ends at one of the ends of its route."""
    compared = 0
    for place, (history, exits) in enumerate(histories(random.Random(number), 4)):
        if exits:
            continue
        with opened(f"sqlite:///{tmp_path / f'{place}.db'}") as twin:
            perform(twin, history)
            base = twin.rehearse(as_of=history[-1].at)
            for asked in product(sorted(base.estate.qmgrs), "ATUR", ("open", "notfixed")):
                compared += _compared(base, *asked)
    assert compared > 30
