"""Records travel between repositories: some wait, arrive late or overtake others; none is lost."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox, small_cluster
from twin import events


def three() -> Sandbox:
    """Make three full repositories with channels between all of them, and a member."""
    sandbox = Sandbox().create("FR1", "FR2", "FR3", "PR1")
    for name in ("FR1", "FR2", "FR3"):
        sandbox.full(name, *sorted({"FR1", "FR2", "FR3"} - {name}))
    return sandbox.member("PR1", "FR1")


@pytest.mark.parametrize(
    "command", ["DELETE QLOCAL(Q)", "ALTER QLOCAL(Q) CLUSTER(CB)", "DELETE CHANNEL(CA.PR1)"]
)
def test_a_full_repository_that_was_down_catches_up_on_deletions(command: str) -> None:
    """A full repository that was down loses the records deleted meanwhile."""
    sandbox = three()
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.control("endmqm", "FR3")
    sandbox.run("PR1", command)
    sandbox.control("strmqm", "FR3")
    sandbox.at("+1m")
    assert sandbox.knows("FR3", "queue") == sandbox.knows("FR1", "queue") == set()
    assert sandbox.knows("FR3", "qmgr") == sandbox.knows("FR1", "qmgr")


def test_full_repositories_that_are_down_in_turn_agree_in_the_end() -> None:
    """A deletion reaches a full repository that was down through the one that was up."""
    sandbox = three()
    sandbox.control("endmqm", "FR2")
    sandbox.control("endmqm", "FR1")
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.control("strmqm", "FR2")
    sandbox.run("PR1", "DELETE QLOCAL(Q)")
    sandbox.control("strmqm", "FR1")
    sandbox.at("+1h")
    assert [sandbox.knows(name, "queue") for name in ("FR1", "FR2", "FR3")] == [set()] * 3


def test_a_definition_that_waited_does_not_bring_a_deleted_queue_back() -> None:
    """A deletion after a waiting definition waits, too, and arrives after it."""
    sandbox = small_cluster()
    sandbox.open("PR2", "Q2")
    sandbox.control("endmqm", "PR2")
    sandbox.run("PR1", "DEFINE QLOCAL(Q2) CLUSTER(CA)\nDELETE QLOCAL(Q2)")
    sandbox.control("strmqm", "PR2")
    assert sandbox.knows("PR2", "queue") == set()
    stopped = three()
    stopped.run("FR3", "STOP CHANNEL(CA.FR3)")
    stopped.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)\nDELETE QLOCAL(Q)")
    stopped.run("FR3", "START CHANNEL(CA.FR3)")
    assert stopped.knows("FR3", "queue") == set()


def test_what_waits_survives_the_end_of_the_sender() -> None:
    """A waiting repository command survives a restart and is sent after it."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.open("PR2", "Q")
    sandbox.control("endmqm", "PR2")
    sandbox.run("PR1", "ALTER QLOCAL(Q) DESCR(NEW)")
    for name in ("FR1", "FR2"):
        sandbox.control("endmqm", name)
    for name in ("PR2", "FR1", "FR2"):
        sandbox.control("strmqm", name)
    (belief,) = sandbox.estate.qmgr("PR2").repository.instances("CA", "queue", "Q").values()
    assert belief.values["DESCR"] == "NEW"
    assert not sandbox.estate.qmgr("FR1").repository.waiting


def test_starting_a_channel_to_a_partner_that_is_down_does_not_lose_it() -> None:
    """A failed START leads to retries, of which one succeeds when the partner is back."""
    sandbox = small_cluster()
    sandbox.control("endmqm", "PR2")
    sandbox.run("PR1", "DEFINE TOPIC(T) TOPICSTR(x) CLUSTER(CA)")
    for name in ("FR1", "FR2"):
        sandbox.run(name, "START CHANNEL(CA.PR2)")
    sandbox.control("strmqm", "PR2")
    sandbox.at("+1m")
    assert sandbox.knows("PR2", "topic") == {"T@PR1"}


def test_what_waited_goes_before_what_comes_later() -> None:
    """A channel that runs again sends its waiting commands before new ones."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.run(
        "PR1",
        "STOP CHANNEL(CA.FR1)\nSTOP CHANNEL(CA.FR2)\nALTER QLOCAL(Q) DESCR(NEW)\n"
        "STOP CHANNEL(CA.FR1) STATUS(INACTIVE)\nSTOP CHANNEL(CA.FR2) STATUS(INACTIVE)\n"
        "DEFINE QLOCAL(Q3) CLUSTER(CA)",
    )
    (belief,) = sandbox.estate.qmgr("FR1").repository.instances("CA", "queue", "Q").values()
    assert belief.values["DESCR"] == "NEW"
    assert "Q3@PR1" in sandbox.knows("FR1", "queue")
    assert not sandbox.estate.qmgr("PR1").repository.waiting


def test_a_full_repository_that_was_none_for_a_while_hears_what_it_missed() -> None:
    """A queue manager that is a full repository again gets everything it missed from members."""
    sandbox = Sandbox().create("FR1", "PR1")
    sandbox.full("FR1").member("PR1", "FR1")
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.run("FR1", "ALTER QMGR REPOS(' ')")
    sandbox.run("PR1", "DELETE QLOCAL(Q)\nDEFINE QLOCAL(Q2) CLUSTER(CA)")
    sandbox.run("FR1", "ALTER QMGR REPOS(CA)")
    assert sandbox.knows("FR1", "queue") == {"Q2@PR1"}


def test_the_last_full_repository_that_resigns_is_known_as_normal() -> None:
    """The last full repository that resigns publishes this as its last record."""
    sandbox = Sandbox().create("FR1", "PR1")
    sandbox.full("FR1").member("PR1", "FR1")
    sandbox.run("FR1", "ALTER QMGR REPOS(' ')")
    records = sandbox.estate.qmgr("PR1").repository.instances("CA", "qmgr", "CA.FR1")
    assert [belief.values.get("QMTYPE") for belief in records.values()] == [None]


def test_a_rebuilt_full_repository_is_told_everything() -> None:
    """A full repository with the same name and a new QMID gets all records."""
    sandbox = Sandbox().create("FR1", "PR1", "PR2")
    sandbox.full("FR1").member("PR1", "FR1")
    sandbox.control("endmqm", "FR1")
    sandbox.control("dltmqm", "FR1")
    sandbox.at("+1h").create("FR1").full("FR1")
    sandbox.at("+2h")
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.member("PR2", "FR1")
    assert sandbox.knows("FR1", "qmgr") == {"FR1", "PR1", "PR2"}
    opened = sandbox.open("PR2", "Q").opened
    assert opened is not None
    assert opened.reason == 0
    assert "PR1" in sandbox.knows("PR2", "qmgr")


def test_a_successor_of_the_same_name_does_not_inherit_requests() -> None:
    """A subscription or waiting command belongs to a QMID, not to a name."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.open("PR1", "Q")
    sandbox.control("endmqm", "PR1")
    sandbox.run("PR2", "ALTER QLOCAL(Q) DESCR(x)")
    sandbox.control("dltmqm", "PR1")
    sandbox.at("+1h").create("PR1").member("PR1")
    assert sandbox.knows("PR1", "queue") == set()
    sandbox.sender("PR1", "FR1")
    sandbox.run("PR2", "ALTER QLOCAL(Q) DESCR(y)")
    assert sandbox.knows("PR1", "queue") == set()


def test_a_member_that_rejoins_asks_again() -> None:
    """A member that rejoins asks again at its next use, and gets deletions, too."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.open("PR2", "Q")
    sandbox.run("PR2", "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) CLUSTER(' ')")
    sandbox.run("PR1", "DELETE QLOCAL(Q)")
    sandbox.run("FR2", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.run("PR2", "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) CLUSTER(CA)")
    sandbox.open("PR2", "Q")
    assert sandbox.knows("PR2", "queue") == {"Q@FR2"}


def test_a_member_with_two_receivers_is_reached_by_the_one_that_runs() -> None:
    """A member with two CLUSRCVRs is reached through the one that is not stopped."""
    sandbox = small_cluster()
    sandbox.run(
        "PR1",
        "DEFINE CHANNEL(CA.PR1.B) CHLTYPE(CLUSRCVR) CONNAME(b) CLUSTER(CA)\nSTOP CHANNEL(CA.PR1)",
    )
    sandbox.run("PR2", "DEFINE TOPIC(T) TOPICSTR(x) CLUSTER(CA)")
    assert sandbox.knows("PR1", "topic") == {"T@PR2"}


def test_another_full_repository_takes_the_place_of_one_behind_a_stopped_channel() -> None:
    """A publication goes to two full repositories that can be reached, manual channels or not."""
    sandbox = Sandbox().create("FR1", "FR2", "FR3", "PR1")
    for name in ("FR1", "FR2", "FR3"):
        sandbox.full(name, *sorted({"FR1", "FR2", "FR3"} - {name}))
    sandbox.member("PR1", "FR1", "FR2")
    sandbox.run("FR1", "STOP CHANNEL(CA.FR1)")
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    told = sandbox.estate.qmgr("PR1").repository.last_sent
    sequence = sandbox.estate.qmgr("PR1").repository.sequence
    latest = {
        sandbox.estate.names[qmid] for (_, qmid), told_to in told.items() if told_to == sequence
    }
    assert latest == {"FR2", "FR3"}


def test_a_stopped_channel_stays_stopped_over_a_restart() -> None:
    """A stopped channel starts again only with START CHANNEL."""
    sandbox = small_cluster()
    sandbox.run("FR1", "STOP CHANNEL(CA.FR1)")
    sandbox.control("endmqm", "FR1")
    sandbox.control("strmqm", "FR1")
    assert sandbox.estate.qmgr("FR1").activity.channels["CA.FR1"].status == "STOPPED"
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    assert sandbox.estate.qmgr("PR1").activity.channels["CA.FR1"].status == "RETRYING"
    sandbox.run("FR1", "START CHANNEL(CA.FR1)")
    sandbox.at("+1m")
    assert sandbox.estate.qmgr("PR1").activity.channels["CA.FR1"].status == "RUNNING"


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("STOP CHANNEL(CA.FR1) STATUS(RUNNING)", "AMQ8405I"),
        ("STOP CHANNEL(CA.FR1) MODE(BOGUS)", "AMQ8405I"),
        ("STOP CHANNEL(CA.FR1) FOO(BAR)", "AMQ8405I"),
        ("START CHANNEL(CA.FR1) FOO", "AMQ8405I"),
        ("STOP CHANNEL(CA.FR1) QMNAME(X) STATUS(STOPPED)", "AMQ8431E"),
        ("DELETE QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) FOO(BAR)", "AMQ8405I"),
        ("DELETE QLOCAL(SYSTEM.CLUSTER.COMMAND.QUEUE)", "AMQ8148E"),
        ("PING CHANNEL(CA.FR1)", "AMQ9514E"),
        ("PING CHANNEL(CA.PR1)", "AMQ8213E"),
        ("START CHANNEL(NOSUCH)", "AMQ8227E"),
    ],
)
def test_options_are_checked_for_every_verb(command: str, answer: str) -> None:
    """An option that a command does not have is a syntax error, and nothing is done."""
    sandbox = small_cluster()
    before = dict(sandbox.estate.qmgr("PR1").activity.channels)
    assert sandbox.run("PR1", command) == [answer]
    assert sandbox.estate.qmgr("PR1").activity.channels == before


def test_a_second_stop_finds_nothing_active() -> None:
    """STOP of a stopped channel answers AMQ9533."""
    sandbox = small_cluster()
    assert sandbox.run("PR1", "STOP CHANNEL(CA.FR1)\nSTOP CHANNEL(CA.FR1)") == [
        "AMQ8019I",
        "AMQ9533W",
    ]


def test_stopping_a_receiver_for_one_partner_leaves_the_others() -> None:
    """STOP with QMNAME fails only the channel of that partner."""
    sandbox = small_cluster()
    sandbox.run("FR1", "STOP CHANNEL(CA.FR1) QMNAME(PR1)")
    states = {
        name: sandbox.estate.qmgr(name).activity.channels["CA.FR1"].status
        for name in ("PR1", "PR2", "FR2")
    }
    assert states == {"PR1": "RETRYING", "PR2": "RUNNING", "FR2": "RUNNING"}


def test_the_status_of_a_deleted_channel_goes_with_it() -> None:
    """A deleted CLUSSDR that never found its partner has no status."""
    sandbox = Sandbox().create("PR1").member("PR1", "FR1")
    assert sandbox.estate.qmgr("PR1").activity.channels["CA.FR1"].status == "RETRYING"
    sandbox.run("PR1", "DELETE CHANNEL(CA.FR1)")
    assert not sandbox.estate.qmgr("PR1").activity.channels


@pytest.mark.parametrize("order", [("PR2", "PR4"), ("PR4", "PR2")])
def test_members_get_records_in_one_order(order: tuple[str, str]) -> None:
    """A record goes to members in the order of their QMIDs, whoever asked for it first."""
    sandbox = small_cluster().create("PR4").member("PR4", "FR1")
    sandbox.run("PR1", "DEFINE QLOCAL(QA) CLUSTER(CA)\nDEFINE QLOCAL(QB) CLUSTER(CA)")
    for name, queue in zip(order, ("QA", "QB"), strict=True):
        sandbox.open(name, queue)
    before = len(sandbox.draft.events)
    sandbox.run("PR1", "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) DESCR(NEW)")
    received = [
        each.event.qmgr
        for each in sandbox.draft.events[before:]
        if isinstance(each.event, events.InformationReceived) and each.event.sender == "FR1"
    ]
    assert [name for name in received if name in order] == ["PR2", "PR4"]
