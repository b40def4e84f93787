"""Fixes are proved by rehearsal: the fault and its effect are gone, and nothing as bad is new."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, cast

import pytest

from tests.questions.doctor.healthy import healthy, sender
from tests.questions.doctor.planted import ALL
from tests.questions.doctor.planting import Planted
from tests.questions.telling import facts_of
from tests.read_commands import read
from tests.sandbox import Sandbox
from twin.app.rehearsing import Beginning, Rehearsal
from twin.model.commands import Command
from twin.model.instants import MINUTE
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.question import READS
from twin.questions.explanation import ExplainRequest
from twin.review.doctor.proofs import Prover, prove_all

NOT_REHEARSABLE: Final = frozenset(
    {
        "alias-ignores-clwluseq",
        "channel-initiator-manual",
        "channel-limit",
        "cluster-queue-capexpry",
        "cluster-receiver-port",
        "cluster-sender-workload-attributes",
        "cluster-sender-wrong-address",
        "dead-letter-queue-usage",
        "instances-message-length",
        "listener-manual",
        "message-length",
        "publish-subscribe-disabled",
        "queue-nearly-full",
        "ssl-cipher-differs",
        "transmission-queue-index",
    }
)
"""The rules whose faults the twin's rules do not depend on."""

DEFINITION_CHECKED: Final = frozenset(
    {
        "cluster-sender-to-itself",
        "cluster-sender-to-partial",
        "cluster-sender-without-target",
        "heartbeat-interval",
        "instances-differ",
        "long-retry-interval",
        "retries-limited",
    }
)
"""The rules whose rehearsed fixes show no more than the new definition."""

NOT_PROVED: Final = frozenset({"switch-unfinished"})
"""A rule whose planted fault follows from another one, which has to be mended first."""

NO_FIX: Final = frozenset(
    {
        "adoption-refused",
        "channel-in-doubt",
        "channel-retrying",
        "cluster-namelist",
        "cluster-sender-without-receiver",
    }
)
"""Rules that have a fix in other cases than in the planted one."""


def _rehearsal(estate: Sandbox) -> Rehearsal:
    """Return a rehearsal of an estate without a log: only what reads the log needs a branch."""
    point = estate.as_of
    beginning = Beginning(cast("Any", None), point, (), estate.estate)
    return Rehearsal(beginning, estate.estate, now=point.valid, exits={})


def _found(estate: Sandbox, rule: str) -> list[Found]:
    facts = facts_of(estate, READS)
    found = diagnose(estate.estate, estate.as_of.valid, facts=facts, rules=[rule]).found
    return list(found)


@pytest.mark.parametrize("planted", ALL, ids=lambda planted: planted.rule)
def test_the_fix_of_a_planted_fault_is_proved(planted: Planted) -> None:
    """A fix is proved with the effect that it has, unless the twin does not model that."""
    estate = planted.plant(healthy())
    found = [
        each for each in _found(estate, planted.rule) if each.finding.object == planted.subject
    ]
    (each,) = found
    if not each.finding.fix:
        assert planted.rule in NO_FIX or each.rule.fix is None or each.severity is Severity.INFO
        return
    proof = Prover(_rehearsal(estate)).prove(each)
    expected = "proved"
    if planted.rule in NOT_REHEARSABLE:
        expected = "not rehearsable"
    elif planted.rule in DEFINITION_CHECKED:
        expected = "definition checked"
    elif planted.rule in NOT_PROVED:
        expected = "not proved"
    assert proof.verdict == expected, proof.says
    assert proof.verdict != "proved" or " -> " in proof.says


def _with_fix(found: Found, *fix: Command) -> Found:
    return found._replace(finding=replace(found.finding, fix=fix))


@pytest.mark.parametrize(
    ("mqsc", "says"),
    [
        ("ALTER CHANNEL(SALES.PR2) CHLTYPE(CLUSSDR) DESCR('x')", "the finding is still there"),
        ("DELETE CHANNEL(SALES.PR9)", "PR1 refuses DELETE CHANNEL(SALES.PR9): AMQ8227E"),
        (
            "DELETE CHANNEL(SALES.PR2)\nSTOP CHANNEL(SALES.PR1)",
            "new: cluster-receiver-stopped PR1 CHANNEL(SALES.PR1)",
        ),
    ],
)
def test_a_bad_fix_is_not_proved(mqsc: str, says: str) -> None:
    """Not proved: it fails, it leaves the finding, or it makes a new one that is as bad."""
    estate = healthy()
    estate.run("PR1", sender("PR2"))
    (found,) = _found(estate, "cluster-sender-to-partial")
    commands = (read("PR1", text) for text in mqsc.split("\n"))
    proof = Prover(_rehearsal(estate)).prove(_with_fix(found, *commands))
    assert proof.verdict == "not proved"
    assert proof.says.startswith(says)


@pytest.mark.parametrize(
    ("mqsc", "says"),
    [
        ("ALTER QLOCAL(ORDERS) PUT(DISABLED)", "MQRC_CLUSTER_PUT_INHIBITED"),
        ("ALTER QLOCAL(ORDERS) MAXDEPTH(0)", "MQRC_Q_FULL"),
    ],
)
def test_a_fix_after_which_a_put_ends_in_a_reason_code_is_not_proved(mqsc: str, says: str) -> None:
    """The put is followed to its end, which is not where the fix is."""
    estate = healthy()
    for name in ("PR1", "PR2"):
        estate.run(name, mqsc)
    estate.run("PR3", "DEFINE QALIAS(ALIAS) TARGET(ORDERS) CLUSTER(SALES)")
    (found,) = _found(estate, "alias-bound-elsewhere")
    proof = Prover(_rehearsal(estate)).prove(found)
    assert proof.verdict == "not proved"
    assert says in proof.says.partition(" -> ")[2]


def test_a_fix_after_which_messages_go_round_is_not_proved() -> None:
    """A loop is no end of a put."""
    estate = healthy()
    estate.run("PR3", "DEFINE QALIAS(ALIAS) TARGET(ORDERS) CLUSTER(SALES)")
    (found,) = _found(estate, "alias-bound-elsewhere")
    around = read("PR3", "ALTER QALIAS(ALIAS) TARGET(BACK) DEFBIND(NOTFIXED)")
    back = read("PR2", "DEFINE QALIAS(BACK) TARGET(ALIAS) CLUSTER(SALES) DEFBIND(NOTFIXED)")
    proof = Prover(_rehearsal(estate)).prove(_with_fix(found, back, around))
    assert proof.verdict == "not proved"
    assert "circulates for ever" in proof.says.partition(" -> ")[2]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (
            "rank-for-failover",
            "a put to ORDERS at FR1 after PR1 ended: 1 waits on SYSTEM.CLUSTER.TRANSMIT.QUEUE: ",
        ),
        ("clwlmruc-below-instances", "left out by mruc -> "),
        ("cluster-receiver-stopped", " CURRENT INDOUBT(NO) "),
    ],
)
def test_a_proof_names_what_is_gone_and_what_is_there_now(rule: str, says: str) -> None:
    """A proof is a sentence about effects, without words of the program."""
    (planted,) = (each for each in ALL if each.rule == rule)
    estate = planted.plant(healthy())
    (found,) = _found(estate, rule)
    proof = Prover(_rehearsal(estate)).prove(found)
    assert says in proof.says
    now = {
        "rank-for-failover": "delivered at PR2",
        "clwlmruc-below-instances": " takes turns",
        "cluster-receiver-stopped": "",
    }
    assert proof.says.partition(" -> ")[2].endswith(now[rule])
    assert "None" not in proof.says


def _routes(estate: Sandbox, queue: str) -> dict[str, set[str]]:
    """Return where the puts of each queue manager to a queue may go."""
    rehearsal, found = _rehearsal(estate), dict[str, set[str]]()
    for name in estate.estate.qmgrs:
        trace = rehearsal.explain(name, ExplainRequest(queue=queue, bind="notfixed")).trace
        rows = trace.rows() if trace is not None else []
        found[name] = {str(row["qmgr"]) for row in rows if row["removed_by"] in (None, "weight")}
    return found


@pytest.mark.parametrize(
    ("pr1", "pr2"),
    [
        ("CLWLRANK(1)", "CLWLPRTY(5)"),
        ("CLWLRANK(5) CLWLPRTY(2)", "CLWLRANK(5) CLWLPRTY(1)"),
        ("CLWLRANK(5)", "CLWLRANK(3) CLWLPRTY(9)"),
        ("CLWLRANK(5) CLWLUSEQ(ANY)", "CLWLUSEQ(ANY) CLWLPRTY(9)"),
    ],
)
def test_priorities_instead_of_ranks_keep_the_routes(pr1: str, pr2: str) -> None:
    """The fix is proved, and while nothing has failed every put goes where it went."""
    estate = healthy()
    for name, values in (("PR1", pr1), ("PR2", pr2)):
        estate.run(name, f"ALTER QLOCAL(ORDERS) {values}")
    estate.run("PR3", "DEFINE QLOCAL(ORDERS) CLUSTER(SALES) DEFBIND(NOTFIXED)")
    (found,) = _found(estate, "rank-for-failover")
    proof = Prover(_rehearsal(estate)).prove(found)
    assert proof.verdict == "proved", proof.says
    before = _routes(estate, "ORDERS")
    for command in found.finding.fix:
        assert {each[-1] for each in estate.run(command.on, command.text)} == {"I"}
    assert _routes(estate, "ORDERS") == before
    assert not _found(estate, "rank-for-failover")


def test_a_fix_that_moves_puts_while_nothing_has_failed_is_not_proved() -> None:
    """Priorities that turn the preference round fail over, too, and are no fix."""
    estate = healthy()
    estate.run("PR1", "ALTER QLOCAL(ORDERS) CLWLRANK(1)")
    estate.run("PR2", "ALTER QLOCAL(ORDERS) CLWLPRTY(5)")
    (found,) = _found(estate, "rank-for-failover")
    fix = read("PR1", "ALTER QLOCAL(ORDERS) CLWLRANK(0) CLWLPRTY(1)")
    proof = Prover(_rehearsal(estate)).prove(_with_fix(found, fix))
    assert proof.verdict == "not proved"
    assert proof.says.startswith("puts to ORDERS at FR1 go elsewhere while nothing has failed: ")


def test_ranks_of_channels_are_not_replaced_by_priorities_of_one_queue() -> None:
    """They belong to all queues: there are no commands, and what to do is said."""
    estate = healthy()
    estate.run("PR1", "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) CLWLRANK(1)")
    found = _found(estate, "rank-for-failover")
    assert [each.finding.fix for each in found] == [(), ()]
    assert "CHLTYPE(CLUSRCVR)" in found[0].rule.what_to_do


def test_fixes_that_need_each_other_are_proved_together() -> None:
    """Each of two faults in system queues hides the effect of the other one's fix."""
    estate = healthy()
    estate.run("PR1", "ALTER QLOCAL(SYSTEM.CLUSTER.COMMAND.QUEUE) GET(DISABLED)")
    estate.run("PR1", "ALTER QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) PUT(DISABLED)")
    estate.run("PR2", "DEFINE QLOCAL(ONLY.HERE) CLUSTER(SALES)")
    estate.run("FR1", "DEFINE QLOCAL(AT.FULL) CLUSTER(SALES)")
    found = [
        each
        for rule in ("cluster-queue-get-disabled", "cluster-queue-put-disabled")
        for each in _found(estate, rule)
    ]
    alone = [Prover(_rehearsal(estate)).prove(each) for each in found]
    proofs = prove_all(_rehearsal(estate), found)
    assert "not proved" in {each.verdict for each in alone}
    for each, before in zip(found, alone, strict=True):
        proof = proofs[each.fingerprint]
        assert proof.verdict != "not proved", proof.says
        if before.verdict == "not proved":
            assert f"{proof.verdict} together with " in proof.says


def test_a_rehearsed_fix_changes_nothing_outside_the_rehearsal() -> None:
    """After all proofs the estate has the same findings as before."""
    estate = healthy()
    estate.run("PR1", sender("PR2"))
    before = _found(estate, "cluster-sender-to-partial")
    proofs = prove_all(_rehearsal(estate), before)
    assert [proof.verdict for proof in proofs.values()] == ["definition checked"]
    assert _found(estate, "cluster-sender-to-partial") == before


def test_fixes_of_one_rule_are_proved_together() -> None:
    """Each of several fixes of a rule is proved with its own effect."""
    estate = healthy()
    for name in ("PR1", "PR2"):
        estate.run(name, f"ALTER CHANNEL(SALES.{name}) CHLTYPE(CLUSRCVR) LONGTMR(9999)")
    found = _found(estate, "long-retry-interval")
    proofs = prove_all(_rehearsal(estate), found)
    assert [proofs[each.fingerprint] for each in found] == [
        Prover(_rehearsal(estate)).prove(each) for each in found
    ]
    assert {proof.verdict for proof in proofs.values()} == {"definition checked"}


@pytest.mark.parametrize("planted", ALL, ids=lambda planted: planted.rule)
def test_what_is_found_after_a_fix_is_what_all_rules_find(planted: Planted) -> None:
    """Only rules run again that asked for something that the fix changes, and nothing is missed."""
    estate = planted.plant(healthy())
    prover = Prover(_rehearsal(estate))
    for each in _found(estate, planted.rule):
        trial = prover.beginning.fork()
        for command in each.finding.fix:
            trial.runmqsc(command.on, command.text)
        trial.advance(trial.now() + 2 * MINUTE)
        found = prover.after(trial, set())
        assert {(one.rule.id, one.finding.object) for one in found.values()} == _all_found(trial)


def _all_found(rehearsal: Rehearsal) -> set[tuple[str, str]]:
    found = diagnose(rehearsal.estate, rehearsal.now()).found
    return {(each.rule.id, each.finding.object) for each in found}
