"""Fixes keep what is not at fault: other clusters, TLS; and they use what runs."""

from __future__ import annotations

import pytest

from tests.questions.doctor.healthy import healthy, sender
from tests.questions.doctor.planting import receiver
from tests.sandbox import Sandbox
from twin.model.objects import Subject
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import FixClass, Severity


def found_by(estate: Sandbox, rule: str) -> list[Found]:
    """Return the findings of one rule, among those of all."""
    found = diagnose(estate.estate, estate.as_of.valid).found
    return [each for each in found if each.rule.id == rule]


def _commands(found: Found) -> list[str]:
    return [each.text for each in found.finding.fix]


_MORE = """
DEFINE NAMELIST(BOTH) NAMES(SALES,MORE)
ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSRCVR) CLUSTER(' ') CLUSNL(BOTH)
ALTER QMGR REPOS(' ') REPOSNL(BOTH)
"""


def _in_two_clusters() -> Sandbox:
    """Let FR1 serve a second cluster over one CLUSRCVR, and PR1 and PR2 be in it."""
    estate = healthy()
    estate.run("FR1", _MORE)
    for name in ("PR1", "PR2"):
        estate.run(name, receiver(name, "MORE"))
    estate.run("PR2", sender("FR1").replace("SALES.FR1", "MORE.FR1"))
    return estate


def test_a_cluster_sender_stays_in_its_other_cluster() -> None:
    """Of an existing CLUSSDR, CLUSTER is not overwritten: a namelist names both clusters."""
    estate = _in_two_clusters()
    (found,) = (
        each for each in found_by(estate, "cluster-sender-none") if "PR1" in each.finding.on
    )
    defined, altered = _commands(found)
    assert defined == "DEFINE NAMELIST(MORE.SALES) NAMES(MORE,SALES)"
    assert altered.startswith("ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSSDR) ")
    assert altered.endswith("CLUSTER(' ') CLUSNL(MORE.SALES)")
    assert found.fix_class is FixClass.OWNER
    for command in found.finding.fix:
        estate.run(command.on, command.text)
    assert not [
        each for each in found_by(estate, "cluster-sender-none") if "PR1" in each.finding.on
    ]


def test_an_existing_namelist_of_exactly_both_clusters_is_used() -> None:
    """One that has more names is not: it would let the channel join another cluster."""
    estate = _in_two_clusters()
    estate.run("PR1", "DEFINE NAMELIST(ALL) NAMES(SALES,MORE,THIRD)")
    estate.run("PR1", "DEFINE NAMELIST(TWO) NAMES(SALES,MORE)")
    (found,) = (
        each for each in found_by(estate, "cluster-sender-none") if "PR1" in each.finding.on
    )
    (command,) = _commands(found)
    assert command.endswith("CLUSTER(' ') CLUSNL(TWO)")


def test_without_a_free_name_for_a_namelist_there_is_no_command() -> None:
    """A namelist of that name with other clusters is left as it is."""
    estate = _in_two_clusters()
    estate.run("PR1", "DEFINE NAMELIST(MORE.SALES) NAMES(SALES)")
    (found,) = (
        each for each in found_by(estate, "cluster-sender-none") if "PR1" in each.finding.on
    )
    assert _commands(found) == []


def test_a_new_cluster_receiver_is_as_secure_as_the_one_its_address_is_from() -> None:
    """SSLCIPH, SSLCAUTH and CERTLABL are copied where they are set."""
    estate = healthy()
    secure = "SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) CERTLABL('Mine')"
    estate.run("PR1", f"ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) {secure}")
    for name in ("PR1", "PR2"):
        estate.run(name, sender("FR1").replace("SALES", "OTHER"))
    joining = found_by(estate, "cluster-sender-without-receiver")
    made = {each.finding.on[0]: _commands(each)[0] for each in joining}
    define = (
        "DEFINE CHANNEL(OTHER.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}.example({1})') CLUSTER(OTHER)"
    )
    assert made["PR1"] == f"{define.format('PR1', 1416)} {secure}"
    assert made["PR2"] == define.format("PR2", 1417)


def test_cluster_senders_to_a_full_repository_without_receiver_follow_from_it() -> None:
    """The CLUSRCVR gets the name that they have, and they are no findings of their own."""
    estate = healthy()
    estate.run("FR2", "DEFINE NAMELIST(TWO) NAMES(SALES,U)\nALTER QMGR REPOS(' ') REPOSNL(TWO)")
    for name in ("PR1", "PR2"):
        to = sender("FR2").replace("CLUSTER(SALES)", "CLUSTER(U)").replace("SALES.FR2", "TO.FR2.U")
        estate.run(name, receiver(name, "U") + to)
    (root,) = found_by(estate, "full-repository-without-receiver")
    assert _commands(root) == [
        "DEFINE CHANNEL(TO.FR2.U) CHLTYPE(CLUSRCVR) CONNAME('FR2.example(1415)') CLUSTER(U)"
    ]
    following = found_by(estate, "cluster-sender-without-target")
    assert [each.root for each in following] == [(root.rule.id, root.finding.subject)] * 2
    assert found_by(estate, "full-repository-single")


def test_commands_are_for_a_full_repository_that_runs() -> None:
    """FR1 has ended: a new member joins through FR2, and FR2 forgets the QMID that is gone."""
    estate = healthy()
    estate.at("+1d").control("endmqm", "PR3")
    estate.control("dltmqm", "PR3")
    estate.create("PR3", "NEW")
    estate.run("PR3", receiver("PR3", host="PR3.example(1418)") + sender("FR1"))
    estate.control("endmqm", "FR1")
    estate.run("NEW", receiver("NEW"))
    (found,) = found_by(estate, "cluster-sender-none")
    assert "CHANNEL(SALES.FR2)" in _commands(found)[0]
    (found,) = found_by(estate, "queue-manager-name-duplicate")
    assert {each.on for each in found.finding.otherwise} == {"FR2"}


def _suspend(estate: Sandbox, name: str, mode: str = "MODE(FORCE)") -> None:
    """Let a queue manager be suspended in the two clusters of its CLUSRCVR."""
    estate.run(
        name,
        "DEFINE NAMELIST(TWO) NAMES(SALES,T)\n"
        f"ALTER CHANNEL(SALES.{name}) CHLTYPE(CLUSRCVR) CLUSTER(' ') CLUSNL(TWO)\n"
        f"SUSPEND QMGR CLUSNL(TWO) {mode}",
    )


def test_messages_for_a_queue_manager_suspended_by_force_are_said_to_wait() -> None:
    """Its CLUSRCVR opens again when it is resumed in each cluster of it."""
    estate = healthy()
    _suspend(estate, "PR1")
    estate.run("PR1", "DEFINE QLOCAL(RARE) CLUSTER(SALES)")
    estate.at("+4h")
    estate.put("PR3", queue="RARE", count=2)
    estate.at("+4h30m")
    (found,) = found_by(estate, "all-instances-suspended")
    assert found.finding.text.endswith(
        "MODE(FORCE) stopped their CLUSRCVRs: messages from other queue managers wait."
    )
    commands = [(each.on, each.text) for each in found.finding.fix]
    assert commands[:2] == [
        ("PR1", "RESUME QMGR CLUSTER(SALES)"),
        ("PR1", "RESUME QMGR CLUSTER(T)"),
    ]
    assert ("PR3", "START CHANNEL(SALES.PR1)") in commands[2:]
    for on, mqsc in commands:
        estate.run(on, mqsc)
    assert estate.at("+4h31m").depth("PR1", "RARE") == 2
    assert not found_by(estate, "all-instances-suspended")


def test_of_two_suspended_queue_managers_the_one_without_force_gets_messages() -> None:
    """Only what is for the forced one waits; without MODE(FORCE) both get messages."""
    estate = healthy()
    _suspend(estate, "PR1")
    estate.run("PR2", "SUSPEND QMGR CLUSTER(SALES)")
    (found,) = found_by(estate, "all-instances-suspended")
    assert "stopped the CLUSRCVRs of PR1: " in found.finding.text
    assert found.finding.text.endswith("PR2 still gets messages.")
    estate.run("PR1", "SUSPEND QMGR CLUSNL(TWO) MODE(QUIESCE)")
    (found,) = found_by(estate, "all-instances-suspended")
    assert found.finding.text.endswith("They get the messages all the same.")
    assert _commands(found) == ["RESUME QMGR CLUSTER(SALES)"] * 2


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("ALTER QMGR REPOS(SALE)", ["ALTER QMGR REPOS(SALES)"]),
        (
            "DEFINE NAMELIST(N) NAMES(SALE,OTHER)\nALTER QMGR REPOS(' ') REPOSNL(N)",
            ["DEFINE NAMELIST(OTHER.SALES) NAMES(OTHER,SALES)", "ALTER QMGR REPOSNL(OTHER.SALES)"],
        ),
    ],
)
def test_a_misspelt_name_in_repos_is_the_cause_of_what_follows(
    wrong: str, right: list[str]
) -> None:
    """The name is corrected; the CLUSSDR of the other full repository is needed, and stays."""
    estate = healthy()
    estate.run("FR2", receiver("FR2", "OTHER"))
    estate.run("FR2", wrong)
    (root,) = found_by(estate, "full-repository-without-receiver")
    assert root.finding.text.endswith("It is a member of SALES: the name may be misspelt.")
    assert _commands(root) == right
    assert root.fix_class is FixClass.OWNER
    for rule in ("cluster-sender-to-partial", "full-repository-single"):
        (following,) = found_by(estate, rule)
        assert following.root == (root.rule.id, root.finding.subject)
        assert not following.finding.fix
    for command in root.finding.fix:
        estate.run(command.on, command.text)
    for rule in ("cluster-sender-to-partial", "full-repository-single", root.rule.id):
        assert not found_by(estate, rule)


def test_a_cluster_that_others_use_is_not_called_misspelt() -> None:
    """Its full repository lacks a CLUSRCVR, although the name is like that of another cluster."""
    estate = healthy()
    estate.run("FR2", "DEFINE NAMELIST(N) NAMES(SALES,SALES2)\nALTER QMGR REPOS(' ') REPOSNL(N)")
    estate.run("PR1", receiver("PR1", "SALES2"))
    (found,) = found_by(estate, "full-repository-without-receiver")
    assert "misspelt" not in found.finding.text
    assert "CHLTYPE(CLUSRCVR)" in _commands(found)[0]


def test_a_cluster_without_full_repository_follows_from_misspelt_names() -> None:
    """Both full repositories have a wrong name: no member is made a third one."""
    estate = healthy()
    for name in ("FR1", "FR2"):
        estate.run(name, "ALTER QMGR REPOS(SALE)")
    (found,) = found_by(estate, "full-repositories-none")
    assert found.root == ("full-repository-without-receiver", Subject("FR1", cluster="SALE"))
    assert not found.finding.fix


def test_a_misspelt_cluster_of_a_sender_is_the_cause_of_what_follows() -> None:
    """Nothing proposes to join the cluster of that name, of which nobody is a member."""
    estate = healthy().create("NEW")
    estate.run("NEW", receiver("NEW") + sender("FR1").replace("CLUSTER(SALES)", "CLUSTER(SALSE)"))
    (root,) = found_by(estate, "cluster-sender-other-cluster")
    assert root.finding.text.endswith("The name may be misspelt.")
    wanted = "ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSSDR) CLUSTER(SALES)"
    assert _commands(root) == [wanted]
    (none,) = found_by(estate, "cluster-sender-none")
    (without,) = found_by(estate, "cluster-sender-without-receiver")
    assert {none.root, without.root} == {(root.rule.id, root.finding.subject)}
    assert _commands(none) == [wanted]
    assert none.fix_class is FixClass.OWNER
    assert _commands(without) == []


@pytest.mark.parametrize(
    ("has", "gives"),
    [
        ("DEFINE NAMELIST(NL) NAMES(X)\nALTER QMGR REPOSNL(NL)", "ALTER QMGR REPOSNL(NEW.X)"),
        ("ALTER QMGR REPOS(X)", "ALTER QMGR REPOS(' ') REPOSNL(NEW.X)"),
        ("ALTER QMGR REPOS(' ')", "ALTER QMGR REPOS(NEW)"),
    ],
)
def test_a_full_repository_of_another_cluster_becomes_one_of_both(has: str, gives: str) -> None:
    """Only one of REPOS and REPOSNL may have a value (AMQ8439E)."""
    estate = healthy()
    for name in ("PR1", "PR2"):
        estate.run(name, receiver(name, "NEW"))
    estate.run("PR2", sender("PR1").replace("SALES", "NEW"))
    estate.run("PR1", receiver("PR1", "X") + has)
    (found,) = found_by(estate, "full-repositories-none")
    assert _commands(found)[-1] == gives
    for command in found.finding.fix:
        assert {each[-1] for each in estate.run(command.on, command.text)} == {"I"}
    assert not found_by(estate, "full-repositories-none")


def _run_all(estate: Sandbox, found: Found) -> None:
    for command in found.finding.fix:
        assert {each[-1] for each in estate.run(command.on, command.text)} == {"I"}, command


@pytest.mark.parametrize(
    ("limits", "commands"),
    [
        (
            "",
            [
                "ALTER QMGR MAXMSGL(9000000)",
                "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) MAXMSGL(9000000)",
            ],
        ),
        (
            "ALTER QMGR MAXMSGL(9000000)",
            ["ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) MAXMSGL(9000000)"],
        ),
        (
            "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) MAXMSGL(0)",
            ["ALTER QMGR MAXMSGL(9000000)"],
        ),
    ],
)
def test_each_limit_of_the_message_length_is_raised(limits: str, commands: list[str]) -> None:
    """One run of the commands is enough: of queue manager and CLUSRCVR, both may be too low."""
    estate = healthy()
    estate.run("PR1", f"{limits}\nDEFINE QLOCAL(BIG) CLUSTER(SALES) MAXMSGL(9000000)")
    (found,) = (
        each for each in found_by(estate, "message-length") if each.severity is not Severity.INFO
    )
    assert _commands(found) == commands
    _run_all(estate, found)
    assert not [each for each in found_by(estate, "message-length") if "PR1" in each.finding.on]


_DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
_USER = f"DEFINE QREMOTE(R) RNAME(R) RQMNAME(X) XMITQ({_DEAD})"


@pytest.mark.parametrize(
    ("rule", "script", "commands"),
    [
        (
            "dead-letter-queue-usage",
            f"ALTER QLOCAL({_DEAD}) USAGE(XMITQ)",
            [f"ALTER QLOCAL({_DEAD}) USAGE(NORMAL)"],
        ),
        (
            "dead-letter-queue-usage",
            f"ALTER QLOCAL({_DEAD}) USAGE(XMITQ)\n{_USER}",
            ["DEFINE QLOCAL(DEAD.LETTER.QUEUE)", "ALTER QMGR DEADQ(DEAD.LETTER.QUEUE)"],
        ),
        (
            "dead-letter-queue-usage",
            "DEFINE QLOCAL(DLQ) USAGE(XMITQ)\nALTER QMGR DEADQ(DLQ)",
            [f"ALTER QMGR DEADQ({_DEAD})"],
        ),
        (
            "dead-letter-queue-missing",
            f"DELETE QLOCAL({_DEAD})\nDEFINE QALIAS({_DEAD}) TARGET(LOCAL)",
            ["DEFINE QLOCAL(DEAD.LETTER.QUEUE)", "ALTER QMGR DEADQ(DEAD.LETTER.QUEUE)"],
        ),
    ],
)
def test_the_fix_of_a_dead_letter_queue_mends_it(
    rule: str, script: str, commands: list[str]
) -> None:
    """To name the same queue once more is no fix; one that is in use keeps its USAGE."""
    estate = healthy()
    estate.run("PR1", script)
    (found,) = found_by(estate, rule)
    assert _commands(found) == commands
    _run_all(estate, found)
    assert not found_by(estate, rule)


def test_a_dead_letter_queue_with_messages_keeps_its_usage() -> None:
    """Another queue gets the dead letters."""
    estate = healthy()
    estate.put("PR1", queue=_DEAD, count=1)
    estate.run("PR1", f"ALTER QLOCAL({_DEAD}) USAGE(XMITQ)")
    found = found_by(estate, "dead-letter-queue-usage")
    assert [_commands(each)[-1] for each in found] == ["ALTER QMGR DEADQ(DEAD.LETTER.QUEUE)"]


def test_weights_are_about_the_queues_of_the_weighted_queue_manager() -> None:
    """PR3 has no queue, and then one; with two, other channels may still have no weight."""
    estate = healthy()
    estate.run("PR3", "ALTER CHANNEL(SALES.PR3) CHLTYPE(CLUSRCVR) CLWLWGHT(80)")
    assert not found_by(estate, "weights-with-shared-channels")
    estate.run("PR3", "DEFINE QLOCAL(ORDERS) CLUSTER(SALES) DEFBIND(NOTFIXED)")
    assert not found_by(estate, "weights-with-shared-channels")
    estate.run("PR3", "DEFINE QLOCAL(BILLING) CLUSTER(SALES)")
    (found,) = found_by(estate, "weights-with-shared-channels")
    assert found.finding.text.startswith(
        "CLWLWGHT is set for SALES.PR3, and several queues with several instances use the channel: "
        "BILLING, ORDERS."
    )


@pytest.mark.parametrize(("rank", "commands"), [("", 3), ("CLWLRANK(3)", 0), ("CLWLRANK(5)", 3)])
def test_priorities_of_a_queue_are_right_in_all_its_clusters_or_not_given(
    rank: str, commands: int
) -> None:
    """PR3 has an instance in the second cluster only, where its rank decides, too."""
    estate = healthy()
    estate.run("FR1", "DEFINE NAMELIST(N) NAMES(SALES,T)\nALTER QMGR REPOS(' ') REPOSNL(N)")
    estate.run("FR1", receiver("FR1", "T"))
    for name in ("PR1", "PR2", "PR3"):
        estate.run(name, receiver(name, "T") + sender("FR1").replace("SALES", "T"))
        estate.run(name, "DEFINE NAMELIST(N) NAMES(SALES,T)")
    for name in ("PR1", "PR2"):
        estate.run(name, "ALTER QLOCAL(ORDERS) CLUSTER(' ') CLUSNL(N)")
    estate.run("PR1", "ALTER QLOCAL(ORDERS) CLWLRANK(5)")
    estate.run("PR3", f"DEFINE QLOCAL(ORDERS) CLUSTER(T) {rank}")
    found = {each.finding.object: each for each in found_by(estate, "rank-for-failover")}
    assert found.keys() == {f"CLUSTER({each}) QUEUE(ORDERS) CLWLRANK" for each in ("SALES", "T")}
    sales, t = found.values()
    assert set(sales.finding.fix) == set(t.finding.fix)
    assert len(sales.finding.fix) == commands
    assert sales.finding.probe is not None
    assert ("PR3" in sales.finding.probe.steady) == bool(commands)
