"""A plan follows puts over gateways and aliases: what changes behind them shows at the senders."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_laws import fresh
from tests.laws import examples, seeds
from tests.questions.two_clusters import START, built, member, receiver, sender, two_clusters
from tests.soak.estates import histories, opened, perform
from twin import Twin
from twin.app.rehearsing import Rehearsal
from twin.model.commands import Command
from twin.model.instants import HOUR, Instant
from twin.questions.explanation import ExplainRequest
from twin.review.plan.affected import ANY_QUEUE, NOT_OPENED, PlannedPut
from twin.review.plan.document import document_of
from twin.review.plan.onward import RouteEnd
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import PlannedChange, PlannedScript
from twin.review.plan.routing import Routing
from twin.review.plan.text import text_of

LOOSE = "ALTER QALIAS(STOCK.CA) DEFBIND(NOTFIXED)"
"""Messages to the alias of the gateway are not bound, so that it may forward them."""


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Return two clusters with a gateway that forwards STOCK.CA and STOCK.R to STOCK at QM3."""
    with two_clusters(tmp_path) as made:
        assert made.runmqsc("GW", LOOSE).exit_code == 0
        yield made


CLUSTER_QUEUE = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"

PRIVATE = """DEFINE QLOCAL(X) USAGE(XMITQ)
DEFINE CHANNEL(QM1.QM4) CHLTYPE(SDR) CONNAME(QM4) XMITQ(X)
DEFINE QREMOTE(BY.X) RNAME(ORDERS) RQMNAME(QM4) XMITQ(X)
ALTER QMGR DEFXMITQ(X)"""
"""A way from QM1 to QM4 outside the clusters, also for names that are in none."""


def planned(twin: Twin, *changes: PlannedChange, puts: tuple[PlannedPut, ...] = ()) -> Plan:
    """Plan these changes now."""
    return plan(twin, Request(changes=lambda _: changes, puts=puts))


def ends(made: Plan, on: str, queue: str) -> list[tuple[RouteEnd, ...]]:
    """Return where a put ends behind its first queue manager, before and after."""
    (change,) = (
        each
        for each in made.routing
        if each.put.queue == queue and on in (each.put.on, *each.alike)
    )
    return [change.before.ends, change.after.ends]


DELIVERED = RouteEnd(("GW", "QM3"), "STOCK", "delivered", 0, "")


def test_a_queue_behind_a_gateway_that_is_disabled_shows_at_the_senders(twin: Twin) -> None:
    """The gateway is chosen as before; the message waits where its channel could not deliver it."""
    made = planned(twin, PlannedScript("QM3", "ALTER QLOCAL(STOCK) PUT(DISABLED)"))
    assert ends(made, "QM1", "STOCK.CA") == [
        (DELIVERED,),
        (RouteEnd(("GW",), "STOCK.CA", "returned", 2268, "", "CA.GW"),),
    ]
    assert ends(made, "QM1", "STOCK.R") == [
        (DELIVERED,),
        (RouteEnd(("GW", "QM3"), "STOCK", "returned", 2051, "", "CB.QM3"),),
    ]
    text = " ".join(line.strip() for line in text_of(made))
    assert (
        "to STOCK.CA: GW by CA.GW, as before onward: GW to QM3: delivered -> GW: cannot be put "
        "with 2268 MQRC_CLUSTER_PUT_INHIBITED: CA.GW ends and is retried; it waits at its sender, "
        "as do the messages after it" in text
    )
    assert "2051 MQRC_PUT_INHIBITED: CB.QM3 ends and is retried; it waits at GW, as do" in text
    row = next(each for each in document_of(made)["routing"] if each["queue"] == "STOCK.R")
    assert [row["ends_before"][0]["end"], row["ends_after"][0]["reason"]] == ["delivered", 2051]
    assert all(each.is_worse for each in made.routing if each.put.queue == "STOCK.CA")


def test_a_queue_manager_behind_a_gateway_that_ends_shows_at_the_senders(twin: Twin) -> None:
    """A message would wait at the gateway."""
    made = planned(twin, Command.program("QM3", "endmqm"))
    assert ends(made, "QM1", "STOCK.CA")[1] == (
        RouteEnd(("GW", "QM3"), "STOCK", "waits", 0, "QM3 has ended"),
    )


def test_a_message_that_is_not_bound_goes_elsewhere_behind_a_gateway(twin: Twin) -> None:
    """QM3 ends; the gateway sends what comes for it to QM5, as the plan says of a direct put."""
    script = f"{member('QM5', 'CB')}DEFINE QLOCAL(STOCK) CLUSTER(CB) DEFBIND(NOTFIXED)"
    twin.crtmqm("QM5")
    twin.strmqm("QM5")
    assert twin.runmqsc("QM5", script).exit_code == 0
    twin.runmqsc("QM3", "ALTER QLOCAL(STOCK) DEFBIND(NOTFIXED)")
    made = planned(twin, Command.program("QM3", "endmqm"))
    _, after = ends(made, "QM1", "STOCK.CA")
    fails = "CB.QM3 would not start, as QM3 has ended; a message then goes to QM5"
    assert [(each.through, each.end, each.rerouted) for each in after] == [
        (("GW", "QM5"), "delivered", ""),
        (("GW", "QM5"), "delivered", fails),
    ]
    assert not any(each.is_bad for each in after)
    assert not any(each.is_worse for each in made.routing if each.put.queue == "STOCK.CA")
    text = " ".join(line.strip() for line in text_of(made))
    assert f"GW to QM5 50%: {fails}; delivered" in text


def test_an_alias_that_leads_elsewhere_shows_at_the_senders(twin: Twin) -> None:
    """Its record stays the same; what the gateway does with a message does not."""
    made = planned(twin, PlannedScript("GW", "ALTER QALIAS(STOCK.CA) TARGET(NOSUCH)"))
    assert ends(made, "QM1", "STOCK.CA")[1] == (
        RouteEnd(("GW",), "STOCK.CA", "returned", 2082, "", "CA.GW"),
    )
    assert {each.put.queue for each in made.routing} == {"STOCK.CA"}


def test_what_a_disabled_queue_passes_on_to_another_instance_shows_at_the_senders(
    twin: Twin,
) -> None:
    """ORDERS at QM4 takes nothing, so messages of QM1 go on from there to QM2, until it ends."""
    twin.runmqsc("QM4", "ALTER QLOCAL(ORDERS) CLWLRANK(9)")
    for name in ("QM1", "QM4"):
        assert twin.put(name, "ORDERS").reason == 0
    twin.link("cut", "QM4", "FA")  # QM1 does not hear that the queue is disabled
    twin.runmqsc("QM4", "ALTER QLOCAL(ORDERS) PUT(DISABLED)")
    before, after = ends(planned(twin, Command.program("QM2", "endmqm")), "QM1", "ORDERS")
    assert before == (RouteEnd(("QM4", "QM2"), "ORDERS", "delivered", 0, ""),)
    assert [(each.through, each.end) for each in after] == [(("QM4", "QM2"), "waits")]


def test_what_arrives_at_a_full_queue_goes_on_to_no_other_instance(twin: Twin) -> None:
    """It is dead-lettered or returned where it arrives: only a disabled queue sends it on."""
    twin.runmqsc("QM4", "ALTER QLOCAL(ORDERS) CLWLRANK(9)")
    made = planned(twin, PlannedScript("QM4", "ALTER QLOCAL(ORDERS) MAXDEPTH(0)"))
    (end,) = ends(made, "QM1", "ORDERS")[1]
    assert (end.through, end.end, end.reason) == (("QM4",), "returned", 2053)


def test_a_gateway_that_can_ask_one_of_two_clusters_shows_at_its_senders(twin: Twin) -> None:
    """GW has not opened STOCK of CB: when FB ends, its alias leads nowhere."""
    twin.runmqsc("QM2", f"{receiver('QM2', 'CB')}\n{sender('FB', 'CB')}")
    made = planned(twin, Command.program("FB", "endmqm"))
    (end,) = ends(made, "QM1", "STOCK.CA")[1]
    assert (end.end, end.reason) == ("returned", 2082)
    refused = {
        on: each.after.reason
        for each in made.routing
        if each.put.queue == NOT_OPENED
        for on in (each.put.on, *each.alike)
    }
    assert refused == {"GW": 2085, "QM2": 2085}  # FA answers that it knows no such queue
    begin = twin.rehearse()
    begin.endmqm("FB")
    begin.advance(made.until)
    assert [begin.explain(on, ExplainRequest(queue="STOCK")).reason for on in refused] == [2085] * 2
    assert begin.explain("QM3", ExplainRequest(queue="NOPE")).reason == 2189  # only FB could answer


def test_what_goes_over_a_gateway_that_leaves_waits_there(twin: Twin) -> None:
    """A plan, its route and a message that is put agree: retained records lead, nothing is sent."""
    leave = "ALTER CHANNEL(CB.GW) CHLTYPE(CLUSRCVR) CLUSTER(' ')"
    for queue in ("STOCK.CA", "STOCK.R"):  # GW asks for what is in CB
        assert twin.put("QM1", queue).reason == 0
    made = planned(twin, PlannedScript("GW", leave))
    why = "CB.QM3 leads into CB, which GW has left"
    for queue in ("STOCK.CA", "STOCK.R"):
        before, after = ends(made, "QM1", queue)
        assert before == (DELIVERED,)
        assert [(each.through, each.waits) for each in after] == [(("GW", "QM3"), why)]
    twin.runmqsc("GW", leave)
    put = twin.put("QM1", "STOCK.CA")
    outcome = twin.whereabouts("QM1", put, at=twin.clock())
    assert [(each.on, str(each)) for each in outcome.waits] == [("GW", why)]
    assert [row["waits"] for row in twin.ask("route", queue="STOCK.R", on="QM1").rows][1] == why


SECOND = f"""{member("G2", "CA")}{member("G2", "CB")}
DEFINE QALIAS(STOCK.CA) TARGET(STOCK) CLUSTER(CA) DEFBIND(NOTFIXED)
DEFINE QREMOTE(QM3) RQMNAME(QM3) CLUSTER(CA)
DEFINE QREMOTE(STOCK.R) RNAME(STOCK) RQMNAME(QM3) CLUSTER(CA)"""
"""A second gateway with the definitions of the first one."""


def test_each_way_over_two_gateways_has_its_share(twin: Twin) -> None:
    """A remote queue, an alias and a queue manager alias at both: each way has its share."""
    twin.crtmqm("G2")
    twin.strmqm("G2")
    assert twin.runmqsc("G2", SECOND).exit_code == 0
    twin.runmqsc("QM1", "DEFINE QREMOTE(REPLY) RNAME(STOCK) RQMNAME(QM3)")
    change = PlannedScript("G2", "ALTER CHANNEL(CA.G2) CHLTYPE(CLUSRCVR) CLWLWGHT(99)")
    made = planned(twin, change, PlannedScript("QM3", "ALTER QLOCAL(STOCK) PUT(DISABLED)"))
    for queue in ("STOCK.CA", "STOCK.R", "REPLY"):
        before, after = ends(made, "QM1", queue)
        assert [(each.through[:1], each.share, each.end) for each in before] == [
            (("G2",), 50, "delivered"),
            (("GW",), 50, "delivered"),
        ]
        assert [(each.through[:1], each.share) for each in after] == [(("G2",), 66), (("GW",), 34)]
        assert not any(each.end == "loop" for each in (*before, *after))
    assert "G2 to QM3 50%: delivered" in " ".join(line.strip() for line in text_of(made))


def test_a_way_that_more_puts_take_is_worse_only_if_it_ends_badly(twin: Twin) -> None:
    """More messages to a gateway that cannot deliver them are worse, fewer are not."""
    twin.crtmqm("G2")
    twin.strmqm("G2")
    twin.runmqsc("G2", SECOND.replace("RNAME(STOCK)", "RNAME(NOSUCH)"))
    for weight, is_worse in ((99, True), (1, False)):
        made = planned(
            twin, PlannedScript("G2", f"ALTER CHANNEL(CA.G2) CHLTYPE(CLUSRCVR) CLWLWGHT({weight})")
        )
        puts = [each for each in made.routing if each.put == PlannedPut("QM1", "STOCK.R")]
        assert [each.is_worse for each in puts] == [is_worse]


def test_a_reply_over_a_queue_manager_alias_shows_at_its_sender(twin: Twin) -> None:
    """STORE is an alias of QM3 at the gateway: a queue there that is disabled ends REPLY of QM1."""
    twin.runmqsc("GW", "DEFINE QREMOTE(STORE) RQMNAME(QM3) CLUSTER(CA)")
    twin.runmqsc("QM1", "DEFINE QREMOTE(REPLY) RNAME(STOCK) RQMNAME(STORE)")
    made = planned(twin, PlannedScript("QM3", "ALTER QLOCAL(STOCK) PUT(DISABLED)"))
    assert ends(made, "QM1", "REPLY") == [
        (DELIVERED,),
        (RouteEnd(("GW", "QM3"), "STOCK", "returned", 2051, "", "CB.QM3"),),
    ]
    made = planned(twin, PlannedScript("GW", "DELETE QREMOTE(STORE)"))
    assert [each.put.on for each in made.routing if each.put.queue == "REPLY"] == ["QM1"]


def test_a_dead_letter_queue_at_a_gateway_shows_at_its_senders(twin: Twin) -> None:
    """What cannot be put at the gateway goes to its dead-letter queue, and is not returned."""
    twin.runmqsc("QM1", "DEFINE QREMOTE(LOST) RNAME(NOSUCH) RQMNAME(GW)")
    made = planned(twin, PlannedScript("GW", "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)"))
    before, after = ends(made, "QM1", "LOST")
    assert [each.end for each in (*before, *after)] == ["returned", "dead-lettered"]


def test_only_the_senders_of_what_is_affected_are_compared(twin: Twin) -> None:
    """A change in the other cluster does not touch the aliases of the gateway."""
    made = planned(twin, PlannedScript("QM2", "ALTER QLOCAL(ORDERS) PUT(DISABLED)"))
    queues = {each.put.queue for each in made.routing}
    assert queues == {"ORDERS", "BOUND", "LOOSE", "REMOTE"}  # the last three lead there, at QM1


def goes(made: Plan, on: str, queue: str) -> tuple[int, tuple[str, ...]]:
    """Return how a put fails with the change, and the obstacles of its shares."""
    (found,) = (each for each in made.routing if (each.put.on, each.put.queue) == (on, queue))
    return found.after.reason, tuple(each.obstacle for each in found.after.shares)


@pytest.mark.parametrize(
    ("on", "command", "expected"),
    [
        (
            "QM1",
            f"ALTER QLOCAL({CLUSTER_QUEUE}) PUT(DISABLED)",
            {"ORDERS": (2051, ("", "")), "BOUND": (2051, ("", "")), "REMOTE": (2051, ("",))},
        ),
        ("QM1", "STOP CHANNEL(QM1.QM4)", {"BY.X": (0, ("QM1.QM4 is STOPPED",))}),
        ("QM1", "ALTER QLOCAL(X) PUT(DISABLED)", dict.fromkeys(("BY.X", "FAR"), (2051, ("",)))),
        ("QM1", "ALTER QMGR DEFXMITQ(' ')", {"FAR": (2087, ())}),
        (
            "QM2",
            "STOP CHANNEL(CA.QM2)",
            {"REMOTE": (0, ("CA.QM2 would not start, as CA.QM2 is STOPPED at QM2",))},
        ),
        (
            "QM4",
            "STOP CHANNEL(QM1.QM4)",
            {"BY.X": (0, ("QM1.QM4 would not start, as QM1.QM4 is STOPPED at QM4",))},
        ),
    ],
)
def test_remote_definitions_are_compared_where_what_they_send_may_go_otherwise(
    twin: Twin, on: str, command: str, expected: dict[str, tuple[int, tuple[str, ...]]]
) -> None:
    """A transmission queue, a channel or an attribute of QM1 differs, or a receiver elsewhere."""
    twin.runmqsc("QM1", PRIVATE)
    if CLUSTER_QUEUE in command:
        twin.put("QM1", "ORDERS")
    twin.runmqsc("QM4", "DEFINE CHANNEL(QM1.QM4) CHLTYPE(RCVR)")
    made = planned(twin, PlannedScript(on, command))
    assert {queue: goes(made, "QM1", queue) for queue in expected} == expected


_FEWER = ("QM1", "ALTER QMGR CLWLMRUC(1)")

_COMMANDS = [
    *(("GW", f"ALTER QALIAS(STOCK.CA) TARGET({queue})") for queue in ("ORDERS", "NOSUCH")),
    *(("GW", f"ALTER QALIAS(STOCK.CA) DEFBIND({bind})") for bind in ("OPEN", "NOTFIXED")),
    ("GW", "ALTER QREMOTE(STOCK.R) RQMNAME(QM2)"),
    ("GW", "DELETE QREMOTE(QM3)"),
    ("GW", "DEFINE QLOCAL(STOCK) CLUSTER(CB)"),
    ("GW", "DEFINE QALIAS(ORDERS.CB) TARGET(ORDERS) CLUSTER(CB) DEFBIND(NOTFIXED)"),
    ("GW", "SUSPEND QMGR CLUSTER(CB)"),
    ("GW", "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)"),
    ("QM1", "DEFINE QALIAS(AGAIN) TARGET(STOCK.CA)"),
    ("QM2", "DEFINE QALIAS(STOCK.CA) TARGET(ORDERS) CLUSTER(CA) DEFBIND(NOTFIXED)"),
    ("QM2", "ALTER QLOCAL(ORDERS) PUT(DISABLED)"),
    ("QM3", "ALTER QLOCAL(STOCK) PUT(DISABLED)"),
    ("QM3", "ALTER QLOCAL(STOCK) CLUSTER(' ')"),
    ("QM3", "DELETE QLOCAL(STOCK)"),
    ("QM3", "DEFINE QALIAS(ORDERS.B) TARGET(ORDERS) CLUSTER(CB)"),
    ("QM3", "STOP CHANNEL(CB.QM3)"),
    ("QM4", "DEFINE QREMOTE(STOCK.R) RNAME(STOCK.CA) RQMNAME(GW) CLUSTER(CA)"),
    ("QM1", f"ALTER QLOCAL({CLUSTER_QUEUE}) PUT(DISABLED)"),
    ("QM1", "STOP CHANNEL(CA.QM2)"),
    _FEWER,
    ("QM1", PRIVATE),
    ("QM1", "STOP CHANNEL(QM1.QM4)"),
    ("QM1", "ALTER QLOCAL(X) PUT(DISABLED)"),
    ("QM2", "STOP CHANNEL(CA.QM2)"),
    ("QM4", "DELETE CHANNEL(QM1.QM4)"),
]
_QUEUES = (
    *("STOCK.CA", "STOCK.R", "STOCK", "ORDERS", "ORDERS.CB", "AGAIN", "LOOSE", "REMOTE"),
    *("BOUND", "FAR", "BLANK", "BY.X"),
)
_QMGRS = ("QM1", "QM2", "QM3", "GW", "FA")


@examples(cost=3)
@given(
    st.lists(st.sampled_from(_COMMANDS), max_size=4),
    st.lists(st.sampled_from(_COMMANDS), max_size=3),
    st.sampled_from(["", "", "QM3", "GW", "QM2", "FA", "FB"]),
)
def test_a_put_that_a_plan_does_not_list_goes_the_same_way_with_the_change(
    before: Sequence[tuple[str, str]], then: Sequence[tuple[str, str]], ended: str
) -> None:
    """Each hop is the same on a branch with the change; and where it is listed, it ends there."""
    with fresh(1) as (twin,):
        built(twin)
        for on, text in before:
            twin.runmqsc(on, text, at=START)
        now = START + HOUR
        changes: list[PlannedChange] = [PlannedScript(on, text) for on, text in then]
        changes += [Command.program(ended, "endmqm")] if ended or not then else []
        if not ended and not then:
            changes = [Command.program("QM3", "endmqm")]
        made = plan(twin, Request(changes=lambda _: changes), as_of=now)
        twin.create_branch("w", at=now)
        branch = twin.on_branch("w")
        for change in changes:
            if isinstance(change, PlannedScript):
                branch.runmqsc(change.on, change.text, at=now)
            else:
                branch.endmqm(change.on, at=now)
        listed = {
            (on, each.put.queue): each.after
            for each in made.routing
            for on in (each.put.on, *each.alike)
        }
        for on, queue in product(_QMGRS, _QUEUES):
            if {(on, ANY_QUEUE), (on, NOT_OPENED)} & listed.keys():
                continue
            was, now_goes = (_hops(each, on, queue, made.until) for each in (twin, branch))
            if (on, queue) not in listed:
                nobody_has_it = {was[-1][-2], now_goes[-1][-2]} == {2085, 2189}
                # Of queues that are not opened yet, a plan does not compare the choice.
                chooses = _FEWER in then and on == _FEWER[0]
                assert nobody_has_it or chooses or was == now_goes, (on, queue)
                continue
            _agrees(listed[on, queue], on, now_goes)
            if all(each.end != "waits" for each in listed[on, queue].ends):
                shown = {(end.through[-1], end.end, end.reason) for end in listed[on, queue].ends}
                gone = {
                    (place, end, reason)
                    for step, place, _, end, reason, _ in now_goes
                    if "." in step and end
                }
                # A share names who is not in the twin: what becomes of the message is not known.
                bad = {each for each in gone if each[1] not in {"delivered", "not-in-twin"}}
                assert bad - {("", "", 0)} <= shown | _ended(branch, made.until), (on, queue)
                assert shown <= gone, (on, queue)


def _agrees(routing: Routing, on: str, hops: Sequence[tuple[Any, ...]]) -> None:
    """Check that a message waits on its first channel where its share has an obstacle.

    It does not wait if it then goes to another queue manager.
    """
    waits = {to: waits for _, place, to, _, _, waits in reversed(hops) if place == on and to}
    for share in routing.shares if not routing.reason else ():
        if share.channel and share.qmgr in waits:
            assert waits[share.qmgr] == (bool(share.obstacle) and not share.then), share


def _ended(twin: Twin, at: Instant) -> set[tuple[str, str, int]]:
    """Return nothing if all queue managers run: at one that has ended, a message only waits."""
    estate, _ = twin.view(as_of=at)
    if all(qmgr.running for qmgr in estate.qmgrs.values()):
        return set()
    reasons = range(2000, 2300)
    return {
        (name, end, reason)
        for name in estate.qmgrs
        for end in ("returned", "dead-lettered", "waits", "loop")
        for reason in (0, *reasons)
    }


def _hops(
    asked: Twin | Rehearsal, on: str, queue: str, at: Instant | None = None
) -> list[tuple[Any, ...]]:
    if isinstance(asked, Twin):
        rows = asked.ask("route", on=on, queue=queue, as_of=at).rows
    else:
        rows = asked.ask("route", on=on, queue=queue).rows
    columns = ("step", "on", "to", "end", "reason")
    return [(*(row[each] for each in columns), bool(row["waits"])) for row in rows]


_CHANGES = (
    "DELETE QLOCAL(T)",
    "ALTER QLOCAL(A) PUT(DISABLED)",
    "ALTER QLOCAL(U) PUT(DISABLED)",
    "DEFINE QALIAS(T) TARGET(A) CLUSTER(CA) REPLACE",
    f"ALTER QLOCAL({CLUSTER_QUEUE}) PUT(DISABLED)",
)


@pytest.mark.parametrize("number", [4, *seeds(6, 1, 2, 3, 8, 11, 12, 20, 23)])
def test_what_a_plan_does_not_list_is_the_same_in_random_estates(
    number: int, tmp_path: Path
) -> None:
    """Estates with two gateways, aliases, remote definitions and full queues: no hop differs."""
    chance, compared = random.Random(number), 0
    for place, (history, exits) in enumerate(histories(chance, 4)):
        if exits:
            continue
        with opened(f"sqlite:///{tmp_path / f'{place}.db'}") as twin:
            perform(twin, history)
            begin = twin.rehearse(as_of=history[-1].at)
            names = sorted(begin.estate.qmgrs)
            for _ in range(3):
                on, text = chance.choice(names), chance.choice(("", *_CHANGES))
                change = PlannedScript(on, text) if text else Command.program(on, "endmqm")
                compared += _compared(twin, begin, change, history[-1].at)
    assert compared > 100


def _compared(twin: Twin, begin: Rehearsal, change: PlannedChange, at: Instant) -> int:
    """Compare the routes that a plan does not list; return how many."""
    made = plan(twin, Request(changes=lambda _: [change]), as_of=at)
    without, done = begin.fork(), begin.fork()
    if isinstance(change, PlannedScript):
        done.runmqsc(change.on, change.text)
    elif done.estate.qmgrs[change.on].running:
        done.endmqm(change.on)
    for rehearsal in (without, done):
        rehearsal.advance(made.until)
    listed = {(on, each.put.queue) for each in made.routing for on in (each.put.on, *each.alike)}
    count = 0
    for on, queue in product(sorted(begin.estate.qmgrs), "ATUR"):
        if not {(on, queue), (on, ANY_QUEUE), (on, NOT_OPENED)} & listed:
            was, now = (_hops(each, on, queue) for each in (without, done))
            if {was[-1][-2], now[-1][-2]} != {2085, 2189}:  # nobody has it, or nobody can be asked
                assert was == now, (change, on, queue)
                count += 1
    return count
