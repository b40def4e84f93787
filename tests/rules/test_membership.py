"""The members of clusters, and the records that each of them gets."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox, small_cluster


def test_a_partial_repository_knows_itself_and_the_full_repositories() -> None:
    """A member that has used no queue knows itself and both full repositories."""
    sandbox = small_cluster()
    assert sandbox.knows("PR1", "qmgr") == {"PR1", "FR1", "FR2"}


def test_full_repositories_know_every_member() -> None:
    """Both full repositories know every member, though it names only one of them."""
    sandbox = small_cluster()
    everyone = {"FR1", "FR2", "PR1", "PR2"}
    assert sandbox.knows("FR1", "qmgr") == everyone
    assert sandbox.knows("FR2", "qmgr") == everyone


def test_order_of_definition_does_not_matter() -> None:
    """A member that is defined before its full repositories joins as soon as they exist."""
    sandbox = Sandbox().create("PR1", "PR2", "FR1", "FR2")
    sandbox.member("PR1", "FR1").member("PR2", "FR2")
    sandbox.full("FR1", "FR2").full("FR2", "FR1")
    assert sandbox.knows("FR1", "qmgr") == {"FR1", "FR2", "PR1", "PR2"}
    assert sandbox.knows("PR2", "qmgr") == {"PR2", "FR1", "FR2"}


def test_a_queue_is_unknown_to_members_until_they_open_it() -> None:
    """A clustered queue is known to its owner, to full repositories, and to members that use it."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    assert sandbox.knows("FR2", "queue") == {"ORD@PR2"}
    assert sandbox.knows("PR1", "queue") == set()
    opened = sandbox.open("PR1", "ORD").opened
    assert opened is not None
    assert [belief.owner_name for _, belief in opened.instances] == ["PR2"]
    assert sandbox.knows("PR1", "queue") == {"ORD@PR2"}
    assert sandbox.knows("PR1", "qmgr") == {"PR1", "PR2", "FR1", "FR2"}


def test_a_subscriber_gets_later_instances_and_changes() -> None:
    """A subscriber gets later instances, alterations and deletions."""
    sandbox = small_cluster()
    sandbox.open("PR1", "ORD")
    assert sandbox.knows("PR1", "queue") == set()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.run("FR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    assert sandbox.knows("PR1", "queue") == {"ORD@PR2", "ORD@FR2"}
    sandbox.run("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    records = sandbox.estate.qmgr("PR1").repository.instances("CA", "queue", "ORD")
    assert {belief.owner_name: belief.values.get("PUT") for belief in records.values()} == {
        "PR2": "DISABLED",
        "FR2": None,
    }
    sandbox.run("PR2", "DELETE QLOCAL(ORD)")
    assert sandbox.knows("PR1", "queue") == {"ORD@FR2"}


def test_taking_a_queue_out_of_the_cluster_is_told() -> None:
    """A queue whose CLUSTER is blanked disappears everywhere except at its owner."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    sandbox.run("PR2", "ALTER QLOCAL(ORD) CLUSTER(' ')")
    assert sandbox.knows("PR1", "queue") == set()
    assert sandbox.knows("FR1", "queue") == set()


def test_an_open_of_an_unknown_queue_says_2085_and_stays_a_request() -> None:
    """A name that no full repository knows fails with 2085; without an answer, with 2189."""
    sandbox = small_cluster()
    opened = sandbox.open("PR1", "NOSUCH").opened
    assert opened is not None
    assert opened.reason == 2085
    assert ("CA", "queue", "NOSUCH") in sandbox.estate.qmgr("PR1").repository.subscriptions
    alone = Sandbox().create("PR9").member("PR9", "FR1")
    opened = alone.open("PR9", "ORD").opened
    assert opened is not None
    assert opened.reason == 2189


def test_full_repositories_without_a_manual_channel_between_them_diverge() -> None:
    """Full repositories pass on others' publications only over manual CLUSSDRs."""
    sandbox = Sandbox().create("FR1", "FR2", "PR1")
    sandbox.full("FR1").full("FR2")
    sandbox.member("PR1", "FR1")
    assert "PR1" in sandbox.knows("FR1", "qmgr")
    assert "PR1" not in sandbox.knows("FR2", "qmgr")


def test_a_publication_goes_to_two_full_repositories_which_send_it_to_the_third() -> None:
    """A publication goes to two full repositories, manual ones first; they send it to the third."""
    sandbox = Sandbox().create("FR1", "FR2", "FR3", "PR1")
    for name in ("FR1", "FR2", "FR3"):
        sandbox.full(name, *({"FR1", "FR2", "FR3"} - {name}))
    sandbox.member("PR1", "FR3")
    told = sandbox.estate.qmgr("PR1").repository.last_sent
    assert {sandbox.estate.names[qmid] for _, qmid in told} == {"FR3", "FR1"}
    assert "PR1" in sandbox.knows("FR2", "qmgr")


def test_overlapping_clusters_do_not_leak() -> None:
    """A full repository of two clusters sends members of one nothing about the other."""
    sandbox = Sandbox().create("FR", "P1", "P2")
    sandbox.run("FR", "DEFINE NAMELIST(BOTH) NAMES(CA,CB)")
    sandbox.run("FR", "ALTER QMGR REPOSNL(BOTH)")
    sandbox.run("FR", "DEFINE CHANNEL(TO.FR) CHLTYPE(CLUSRCVR) CONNAME(FR) CLUSNL(BOTH)")
    for name, cluster in (("P1", "CA"), ("P2", "CB")):
        sandbox.run(
            name,
            f"DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CONNAME({name}) CLUSTER({cluster})\n"
            f"DEFINE CHANNEL(TO.FR) CHLTYPE(CLUSSDR) CONNAME(FR) CLUSTER({cluster})\n"
            f"DEFINE QLOCAL(Q.{name}) CLUSTER({cluster})",
        )
    assert sandbox.knows("FR", "qmgr", cluster="CA") == {"FR", "P1"}
    assert sandbox.knows("FR", "qmgr", cluster="CB") == {"FR", "P2"}
    sandbox.open("P1", "Q.P2")
    assert sandbox.knows("P1", "queue", cluster="CA") == {"Q.P1@P1"}
    assert sandbox.knows("P1", "queue", cluster="CB") == set()


def test_changing_a_namelist_changes_membership() -> None:
    """A cluster added to the CLUSNL of a CLUSRCVR is joined, one taken out is left."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE NAMELIST(MINE) NAMES(CA)\nDEFINE QLOCAL(N) CLUSNL(MINE)")
    assert "N@PR2" in sandbox.knows("FR1", "queue")
    sandbox.run("PR2", "ALTER NAMELIST(MINE) NAMES(' ')")
    assert "N@PR2" not in sandbox.knows("FR1", "queue")


def test_a_deleted_cluster_receiver_takes_the_queue_manager_out() -> None:
    """A queue manager without CLUSRCVR, and its queues, are removed from full repositories."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.run("PR2", "DELETE CHANNEL(CA.PR2)")
    assert sandbox.knows("FR1", "qmgr") == {"FR1", "FR2", "PR1"}
    assert sandbox.knows("FR2", "queue") == set()


def test_a_full_repository_that_becomes_partial_is_known_as_normal() -> None:
    """A full repository that sets REPOS(' ') is published with QMTYPE NORMAL."""
    sandbox = small_cluster()
    sandbox.run("FR2", "ALTER QMGR REPOS(' ')")
    repository = sandbox.estate.qmgr("FR1").repository
    types = {
        belief.owner_name: belief.values.get("QMTYPE", "NORMAL")
        for _, belief in repository.of_kind("qmgr")
    }
    assert types == {"FR1": "REPOS", "FR2": "NORMAL", "PR1": "NORMAL", "PR2": "NORMAL"}


def test_a_member_that_is_down_hears_what_waited_when_it_is_back() -> None:
    """A record for an ended queue manager waits for the sender's retry after its return."""
    sandbox = small_cluster()
    sandbox.open("PR1", "ORD")
    sandbox.control("endmqm", "PR1")
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    assert sandbox.knows("PR1", "queue") == set()
    waiting = sandbox.estate.qmgr("FR1").repository.waiting
    assert list(waiting) == ["CA.PR1"]
    sandbox.control("strmqm", "PR1")
    assert sandbox.at("+59s").knows("PR1", "queue") == set()
    assert sandbox.at("+60s").knows("PR1", "queue") == {"ORD@PR2"}
    assert not sandbox.estate.qmgr("FR1").repository.waiting


def test_a_clustered_topic_is_told_to_every_member() -> None:
    """A topic with CLUSTER is sent to all members without a request."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE TOPIC(NEWS) TOPICSTR('/news') CLUSTER(CA)")
    assert sandbox.knows("PR1", "topic") == {"NEWS@PR2"}
    assert "PR2" in sandbox.knows("PR1", "qmgr")


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("DEFINE QLOCAL(X) CLUSTER(A) CLUSNL(B)", "AMQ8438E"),
        ("ALTER QMGR REPOS(A) REPOSNL(B)", "AMQ8439E"),
        ("DEFINE QLOCAL(X) USAGE(XMITQ) CLUSTER(A)", "AMQ8440E"),
        ("ALTER QLOCAL(NOSUCH) PUT(DISABLED)", "AMQ8147E"),
        ("DEFINE CHANNEL(X) CHLTYPE(CLUSSDR) CLUSTER(A)", "AMQ8214E"),
        ("DELETE QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE)", "AMQ8148E"),
        ("DEFINE QLOCAL(SYSTEM.DEAD.LETTER.QUEUE)", "AMQ8150E"),
    ],
)
def test_what_may_not_be_is_refused_and_changes_nothing(command: str, answer: str) -> None:
    """A combination that MQ refuses gets MQ's message and changes nothing."""
    sandbox = Sandbox().create("QM1")
    before = dict(sandbox.estate.qmgr("QM1").definitions)
    assert sandbox.run("QM1", command) == [answer]
    assert sandbox.estate.qmgr("QM1").definitions == before


def test_hundreds_of_members_hear_of_their_full_repository() -> None:
    """Hundreds of members react to a record of their full repository one after the other."""
    sandbox = Sandbox().create("FR1").full("FR1")
    names = [f"M{number}" for number in range(400)]
    sandbox.create(*names)
    for name in names:
        sandbox.member(name, "FR1")
    sandbox.run("FR1", "SUSPEND QMGR CLUSTER(CA)")
    records = [sandbox.estate.qmgr(name).repository.of_kind("qmgr") for name in names]
    assert all(any(belief.values.get("SUSPEND") for _, belief in each) for each in records)
