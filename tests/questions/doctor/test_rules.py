"""Every rule of the doctor finds its planted fault, and no other rule finds anything."""

from __future__ import annotations

import pytest

from tests.questions.doctor.healthy import healthy
from tests.questions.doctor.planted import ALL
from tests.questions.doctor.planting import Planted, tell
from tests.questions.telling import facts_of
from tests.sandbox import Sandbox
from twin import events
from twin.fold.estate import Confirmation
from twin.model.instants import DAY
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.question import READS
from twin.questions.doctor.registry import RULES


def _found(estate: Sandbox) -> list[Found]:
    facts = facts_of(estate, READS)
    return list(diagnose(estate.estate, estate.as_of.valid, facts=facts).found)


def test_a_healthy_estate_has_no_finding_above_info() -> None:
    """No rule finds an error or a warning in an estate without faults."""
    findings = _found(healthy())
    assert [each for each in findings if each.severity is not Severity.INFO] == []


@pytest.mark.parametrize("planted", ALL, ids=lambda planted: planted.rule)
def test_a_planted_fault_is_found_by_its_rule(planted: Planted) -> None:
    """The rule of a fault finds it and says what to do; only rules that are named find more."""
    findings = _found(planted.plant(healthy()))
    (found,) = (
        each
        for each in findings
        if (each.rule.id, each.finding.object) == (planted.rule, planted.subject)
    )
    assert found.finding.on
    assert found.finding.evidence or found.severity is Severity.INFO
    for each in findings:
        assert each.finding.fix or each.rule.what_to_do, each
    others = {
        each.rule.id
        for each in findings
        if each.severity is not Severity.INFO
        and each.root is None
        and (each.rule.id, each.finding.object) != (planted.rule, planted.subject)
    }
    assert others == planted.also


def test_every_rule_without_commands_says_what_to_do() -> None:
    """A finding that only a person can mend comes with what to do, and where."""
    assert [rule.id for rule in RULES.values() if rule.fix is None and not rule.what_to_do] == []


def test_every_rule_has_a_planted_fault() -> None:
    """No rule is without a fault that it must find."""
    assert RULES.keys() == {planted.rule for planted in ALL}


def test_topics_with_other_topic_strings_are_a_warning() -> None:
    """MQ uses one of the definitions at each queue manager, and only warns."""
    estate = healthy()
    for name, string in {"PR1": "prices", "PR2": "costs"}.items():
        estate.run(name, f"DEFINE TOPIC(PRICES) TOPICSTR('{string}') CLUSTER(SALES)")
    (found,) = (each for each in _found(estate) if each.rule.id == "cluster-topics-conflict")
    assert found.severity is Severity.WARNING
    assert found.finding.text.startswith(
        "The definitions differ: PR1 TOPICSTR('prices'); PR2 TOPICSTR('costs'). Each queue "
    )


def test_queue_manager_aliases_are_no_queues_with_one_instance() -> None:
    """Neither among those with one instance, nor in how many queues the cluster has."""
    estate = healthy()
    estate.run("PR1", "DEFINE QREMOTE(PR3) RNAME(' ') RQMNAME(PR3) CLUSTER(SALES)")
    assert not [each for each in _found(estate) if each.rule.id == "single-instance"]
    estate.run("PR1", "DEFINE QLOCAL(RARE) CLUSTER(SALES)")
    (found,) = (each for each in _found(estate) if each.rule.id == "single-instance")
    assert found.finding.text == "1 of 3 queues has one instance: RARE."


def test_a_deletion_that_is_on_its_way_leaves_no_record_without_a_queue() -> None:
    """A full repository that has ended still holds the record; it is told as it starts."""
    estate = healthy()
    estate.run("PR1", "DEFINE QLOCAL(SHORT) CLUSTER(SALES)")
    estate.control("endmqm", "FR1")
    estate.run("PR1", "DELETE QLOCAL(SHORT)")
    held = estate.estate.qmgr("FR1").repository.beliefs
    assert ("SALES", "queue", "SHORT") in held
    assert not [each for each in _found(estate) if each.rule.id == "record-without-queue"]


def test_a_record_that_is_newer_than_what_was_seen_of_its_owner_lacks_no_queue() -> None:
    """A dump that was made before the queue was defined does not say that it is gone."""
    estate = next(each for each in ALL if each.rule == "record-without-queue").plant(healthy())
    owner = estate.estate.qmgr("PR1")
    for at, found in ((estate.as_of.valid, 1), (estate.as_of.valid - 7 * DAY, 0)):
        owner.observed, owner.confirmed["QUEUE"] = True, Confirmation(1, 1, at)
        rows = [each for each in _found(estate) if each.rule.id == "record-without-queue"]
        assert len(rows) == found


PAIRS = (
    ("cluster-sender-to-partial", "cluster-receiver-stopped"),
    ("dead-letter-queue-blank", "queue-full"),
    ("rank-for-failover", "all-instances-suspended"),
    ("clchname-ambiguous", "listener-manual"),
    ("cluster-sender-wrong-name", "full-repository-single"),
    ("instances-differ", "cluster-queue-hidden"),
)


@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_faults_in_pairs_are_both_found(pair: tuple[str, str]) -> None:
    """A fault is found beside another one."""
    estate, chosen = healthy(), [each for each in ALL if each.rule in pair]
    for planted in chosen:
        planted.plant(estate)
    findings = {(each.rule.id, each.finding.object) for each in _found(estate)}
    assert {(planted.rule, planted.subject) for planted in chosen} <= findings


def test_a_queue_whose_last_owner_was_deleted_is_found_until_one_runs() -> None:
    """Of a deleted owner the records of others count; a running instance ends the finding."""
    estate = healthy()
    for command, name in (("endmqm", "PR1"), ("endmqm", "PR2"), ("dltmqm", "PR2")):
        estate.control(command, name)
    ended = [each for each in _found(estate) if each.rule.id == "all-instances-ended"]
    assert [each.finding.object for each in ended] == ["CLUSTER(SALES) ended PR1 PR2"]
    assert "BILLING, ORDERS" in ended[0].finding.text
    assert ended[0].finding.text.endswith("PR2. Messages wait.")
    estate.control("strmqm", "PR1")
    assert "all-instances-ended" not in {each.rule.id for each in _found(estate)}


@pytest.mark.parametrize(
    ("days", "says", "knows", "asks"),
    [
        (0, "Messages wait.", 0, 0),
        (29, "Messages wait.", 0, 0),
        (31, "have expired: where none is held, a put ends with 2085.", 0, 2085),
        (61, "have expired: where none is held, a put ends with 2085.", 0, 2085),
        (91, "PR1, PR2. No record of BILLING, ORDERS is left: a put ends with 2085.", 2085, 2085),
    ],
)
def test_what_is_said_of_ended_owners_is_what_a_put_meets(
    days: int, says: str, knows: int, asks: int
) -> None:
    """PR3 has opened ORDERS and not BILLING: the finding of each day says what both puts do."""
    estate = healthy()
    for name in ("PR1", "PR2"):
        estate.control("endmqm", name)
    estate.pass_time(days * DAY)
    (found,) = (each for each in _found(estate) if each.rule.id == "all-instances-ended")
    assert found.finding.text.endswith(says)
    puts = [estate.put("PR3", queue, bind="notfixed") for queue in ("ORDERS", "BILLING")]
    assert [put.reason for put in puts] == [knows, asks]


def test_a_queue_that_nobody_defines_or_remembers_is_no_finding() -> None:
    """Once the owners are deleted and their records removed, there is no such queue any more."""
    estate = healthy()
    for name in ("PR1", "PR2"):
        estate.control("endmqm", name)
        estate.control("dltmqm", name)
    estate.pass_time(91 * DAY)
    assert "all-instances-ended" not in {each.rule.id for each in _found(estate)}


def _only(estate: Sandbox, rule: str) -> Found:
    (found,) = (each for each in _found(estate) if each.rule.id == rule)
    return found


@pytest.mark.parametrize("bind", ["OPEN", "NOTFIXED"])
@pytest.mark.parametrize("dead", ["SYSTEM.DEAD.LETTER.QUEUE", "' '"])
def test_a_loop_of_aliases_says_what_becomes_of_messages_by_their_binding(
    bind: str, dead: str
) -> None:
    """What DEFBIND says comes first; where messages end on dead-letter queues, nothing is stuck."""
    estate = healthy()
    for name, alias, target in (("PR1", "A", "B"), ("PR2", "B", "A")):
        estate.run(name, f"ALTER QMGR DEADQ({dead})")
        script = f"DEFINE QALIAS({alias}) TARGET({target}) CLUSTER(SALES) DEFBIND({bind})"
        assert estate.run(name, script) == ["AMQ8006I"]
    found = _only(estate, "gateway-loop")
    bound, free = found.finding.text.index("With bind open"), found.finding.text.index("notfixed")
    assert (bound < free) is (bind == "OPEN")
    assert "go round for ever: A at PR1 -> B at PR2 -> A at PR1." in found.finding.text
    assert "messages for A end at PR1 with 2082" in found.finding.text
    held = "hold up SALES.PR1, as PR1 has no dead-letter queue" in found.finding.text
    assert held is (dead == "' '")
    mild = bind == "OPEN" and not held
    assert found.severity is (Severity.WARNING if mild else Severity.ERROR)


def test_a_loop_over_a_clustered_queue_manager_alias_is_found() -> None:
    """A remote queue names a queue manager alias that another shares, and that leads back."""
    estate = healthy()
    estate.run("PR1", "DEFINE QREMOTE(ROUND) RNAME(ROUND) RQMNAME(OTHER)")
    estate.run("PR2", "DEFINE QREMOTE(OTHER) RQMNAME(PR1) CLUSTER(SALES)")
    found = _only(estate, "gateway-loop").finding
    assert "ROUND at PR1 -> OTHER at PR2 -> ROUND at PR1" in found.text


def test_a_remote_queue_without_its_transmission_queue_is_an_error() -> None:
    """MQOPEN fails for certain, and the finding names the reason code."""
    estate = healthy()
    estate.run("PR1", "DEFINE QREMOTE(REMOTE) RNAME(ORDERS) RQMNAME(PR2) XMITQ(LOCAL)")
    found = _only(estate, "undefined-reference")
    assert found.severity is Severity.ERROR
    assert "MQOPEN ends with 2092" in found.finding.text
    estate.run("PR1", "ALTER QREMOTE(REMOTE) XMITQ(NONE)")
    assert "MQOPEN ends with 2196" in _only(estate, "undefined-reference").finding.text
    estate.run("PR1", "ALTER QREMOTE(REMOTE) XMITQ(' ') RQMNAME(LOCAL)")
    named = _only(estate, "undefined-reference").finding
    assert named.attributes == ("RQMNAME",)
    assert "MQOPEN ends with 2092" in named.text


def test_channel_authentication_is_said_to_be_unchecked_only_where_somebody_set_it() -> None:
    """The records of a new queue manager do not count; those that block channels are named."""
    assert not [each for each in _found(healthy()) if "CHLAUTH" in each.finding.object]
    estate = healthy()
    estate.run("PR1", "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    found = _only(estate, "channel-authentication-unchecked")
    assert "may block SALES.PR1 of PR1" in found.finding.text


def test_stopped_channels_to_some_full_repositories_are_a_warning_and_to_all_an_error() -> None:
    """A partial repository without a way to any full repository can open no new names."""
    estate = healthy()
    estate.run("PR3", "STOP CHANNEL(SALES.FR1)")
    assert _only(estate, "channel-stopped").severity is Severity.WARNING
    estate.run("PR3", "STOP CHANNEL(SALES.FR2)")
    found = [each for each in _found(estate) if each.rule.id == "channel-stopped"]
    assert [each.severity for each in found] == [Severity.ERROR] * 2
    assert all("2189" in each.finding.text for each in found)


@pytest.mark.parametrize("definition", ["QALIAS(A) TARGET(ORDERS)", "QLOCAL(A)"])
def test_a_full_repository_that_shares_any_queue_is_named(definition: str) -> None:
    """A shared alias is an application queue as a local queue is."""
    estate = healthy()
    estate.run("FR1", f"DEFINE {definition} CLUSTER(SALES) DEFBIND(NOTFIXED)")
    assert "1 queue: A" in _only(estate, "full-repository-with-applications").finding.text


@pytest.mark.parametrize("name", ["PR1.FAR.A", "TO.FAR", "FAR"])
def test_the_name_of_a_sender_channel_names_no_queue_manager(name: str) -> None:
    """Only a CLUSSDR has the name of a channel that its partner defines."""
    estate = healthy()
    seen = [
        events.StatedObject(name=name, type="SDR", values={"CONNAME": "far.example", "XMITQ": "X"}),
        events.StatedObject(
            name=f"SALES.{name}", type="CLUSSDR", values={"CLUSTER": "SALES", "CONNAME": "far"}
        ),
    ]
    tell(estate, events.ObjectsObserved(qmgr="SEEN", kind="CHANNEL", said=tuple(seen)))
    found = [each for each in _found(estate) if each.rule.id == "queue-manager-not-in-twin"]
    (only,) = [each.finding for each in found]
    assert f"SEEN (CLUSSDR SALES.{name}) leads" in only.text


def test_an_alias_of_an_alias_is_found() -> None:
    """TARGET names an alias at the same queue manager: MQOPEN ends with 2001, as a put does."""
    estate = healthy()
    estate.run("PR1", "DEFINE QALIAS(INNER) TARGET(ORDERS)\nDEFINE QALIAS(OUTER) TARGET(INNER)")
    found = _only(estate, "alias-to-nothing").finding
    assert (found.object, "2001" in found.text) == ("PR1 QUEUE(OUTER)", True)
    assert estate.put("PR1", "OUTER").reason == 2001


def test_a_dead_letter_queue_that_differs_in_case_is_named() -> None:
    """The fix names the queue that there is, and defines no other one."""
    estate = healthy()
    estate.run("PR1", "ALTER QMGR DEADQ('System.Dead.Letter.Queue')")
    found = _only(estate, "dead-letter-queue-missing").finding
    assert "SYSTEM.DEAD.LETTER.QUEUE differs from it" in found.text
    assert [each.text for each in found.fix] == ["ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)"]
