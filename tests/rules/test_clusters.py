"""SUSPEND, RESUME, REFRESH and RESET: their effects here and at other queue managers."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox, small_cluster
from twin import events


def happened(sandbox: Sandbox, kind: type[events.Event]) -> list[events.Event]:
    """Return all events of a class so far."""
    return [each.event for each in sandbox.draft.events if isinstance(each.event, kind)]


def suspended(sandbox: Sandbox, observer: str) -> set[str]:
    """Return the queue managers that an observer believes to be suspended."""
    records = sandbox.estate.qmgr(observer).repository.of_kind("qmgr", cluster="CA")
    return {belief.owner_name for _, belief in records if belief.values.get("SUSPEND") == "YES"}


def test_a_suspension_is_told_and_taken_back() -> None:
    """A suspension and its end are published like any change of the CLUSRCVR."""
    sandbox = small_cluster()
    assert sandbox.run("PR1", "SUSPEND QMGR CLUSTER(CA)") == ["AMQ8557I"]
    assert suspended(sandbox, "FR1") == suspended(sandbox, "FR2") == {"PR1"}
    assert suspended(sandbox, "PR1") == {"PR1"}
    assert sandbox.run("PR1", "RESUME QMGR CLUSTER(CA)") == ["AMQ8556I"]
    assert suspended(sandbox, "FR1") == set()


def test_a_namelist_suspends_in_all_its_clusters() -> None:
    """The queue manager must be a member of every cluster that CLUSNL names."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE NL(NL) NAMES(CA)\nDEFINE NL(NL2) NAMES(CA,CX)")
    assert sandbox.run("PR1", "SUSPEND QMGR CLUSNL(NL)") == ["AMQ8557I"]
    assert suspended(sandbox, "FR1") == {"PR1"}
    assert sandbox.run("PR1", "SUSPEND QMGR CLUSNL(NL2)") == ["AMQ8147E"]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("SUSPEND QMGR", "AMQ8421E"),
        ("SUSPEND QMGR CLUSTER(CA) CLUSNL(NL)", "AMQ8438E"),
        ("SUSPEND QMGR CLUSTER(CX)", "AMQ8147E"),
        ("SUSPEND QMGR CLUSNL(NOSUCH)", "AMQ8147E"),
        ("RESUME QMGR CLUSTER(CA) MODE(FORCE)", "AMQ8405I"),
        ("REFRESH CLUSTER(CX)", "AMQ8147E"),
        ("RESET CLUSTER(CA) ACTION(FORCEREMOVE)", "AMQ8421E"),
        ("RESET CLUSTER(CA) QMNAME(PR1)", "AMQ8421E"),
        ("RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(A) QMID(B)", "AMQ8431E"),
    ],
)
def test_what_is_incomplete_or_contradicts_itself_is_refused(command: str, answer: str) -> None:
    """A command with too few or contradictory parameters is refused and changes nothing."""
    sandbox = small_cluster()
    before = len(sandbox.draft.events)
    assert sandbox.run("PR1", command) == [answer]
    assert len(sandbox.draft.events) == before + 1


def test_force_makes_the_channels_of_partners_fail_until_a_resume() -> None:
    """SUSPEND MODE(FORCE) fails the channels to a queue manager; no retry succeeds until RESUME."""
    sandbox = small_cluster()
    sandbox.at("+1h").run("PR1", "SUSPEND QMGR CLUSTER(CA) MODE(FORCE)")
    channel = sandbox.estate.qmgr("FR1").activity.channels
    assert channel["CA.PR1"].status == "RETRYING"
    assert channel["CA.PR2"].status == "RUNNING"
    sandbox.at("2026-01-01T03:00:00Z")
    assert channel["CA.PR1"].status == "RETRYING"
    sandbox.run("PR1", "RESUME QMGR CLUSTER(CA)")
    sandbox.at("2026-01-01T03:30:00Z")
    assert sandbox.estate.qmgr("FR1").activity.channels["CA.PR1"].status == "RUNNING"


def test_a_stopped_receiving_end_closes_the_connections_of_its_partners() -> None:
    """The host answers, so AMQ9202 (remote host not available) would be wrong."""
    sandbox = small_cluster()
    sandbox.at("+1h").run("PR1", "STOP CHANNEL(CA.PR1)")
    (failure,) = (
        each
        for each in happened(sandbox, events.ChannelStatusChanged)
        if isinstance(each, events.ChannelStatusChanged)
        and (each.qmgr, each.channel, each.status) == ("FR1", "CA.PR1", "RETRYING")
    )
    assert failure.reason == "AMQ9209"


def test_refresh_forgets_queues_and_members_and_keeps_full_repositories() -> None:
    """After REPOS(NO) a partial repository asks for a queue again at its next use."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    assert sandbox.knows("PR1", "qmgr") == {"FR1", "FR2", "PR1", "PR2"}
    sandbox.at("+1h")
    assert sandbox.run("PR1", "REFRESH CLUSTER(CA)") == ["AMQ8558I"]
    assert sandbox.knows("PR1", "queue") == set()
    assert sandbox.knows("PR1", "qmgr") == {"FR1", "FR2", "PR1"}
    assert sandbox.estate.qmgr("PR1").repository.subscriptions == {}
    (done,) = happened(sandbox, events.RepositoryRefreshed)
    assert isinstance(done, events.RepositoryRefreshed)
    assert (done.refreshed, done.republished) == (2, 1)
    sandbox.open("PR1", "ORD")
    assert sandbox.knows("PR1", "queue") == {"ORD@PR2"}


def test_refresh_of_all_finds_the_full_repositories_again_by_the_manual_channel() -> None:
    """After REPOS(YES) the full repository at the manual CLUSSDR tells about the others."""
    sandbox = small_cluster()
    sandbox.at("+1h").run("PR1", "REFRESH CLUSTER(*) REPOS(YES)")
    assert sandbox.knows("PR1", "qmgr") == {"FR1", "FR2", "PR1"}
    (belief,) = (
        belief
        for _, belief in sandbox.estate.qmgr("PR1").repository.of_kind("qmgr")
        if belief.owner_name == "FR2"
    )
    assert belief.received == sandbox.draft.at


def test_refresh_of_all_is_refused_at_a_full_repository() -> None:
    """REFRESH REPOS(YES) at a full repository logs AMQ9406 and drops nothing."""
    sandbox = small_cluster()
    before = sandbox.knows("FR1", "qmgr")
    assert sandbox.run("FR1", "REFRESH CLUSTER(CA) REPOS(YES)") == ["AMQ8558I"]
    (logged,) = happened(sandbox, events.ErrorLogged)
    assert logged == events.ErrorLogged(qmgr="FR1", id="AMQ9406", inserts=("FR1", "CA"))
    assert sandbox.knows("FR1", "qmgr") == before


def test_a_full_repository_refreshes_its_queues_from_the_other_one() -> None:
    """REPOS(NO) at a full repository keeps queue managers and gets queues from the other one."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.at("+1h").run("FR1", "REFRESH CLUSTER(CA)")
    assert sandbox.knows("FR1", "queue") == {"ORD@PR2"}
    (belief,) = sandbox.estate.qmgr("FR1").repository.instances("CA", "queue", "ORD").values()
    assert (belief.source, belief.received) == ("FR2", sandbox.draft.at)


def test_reset_removes_a_member_everywhere_but_its_queues() -> None:
    """RESET QUEUES(NO) keeps the queues; every queue manager that knew the member removes it."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    command = "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(PR2)"
    assert sandbox.at("+1h").run("FR1", command) == ["AMQ8559I"]
    for name in ("FR1", "FR2", "PR1"):
        assert "PR2" not in sandbox.knows(name, "qmgr"), name
        assert sandbox.knows(name, "queue") == {"ORD@PR2"}, name
    sandbox.run("FR1", f"{command} QUEUES(YES)")
    assert sandbox.knows("FR1", "queue") == set()


def test_reset_by_a_name_that_two_have_is_refused() -> None:
    """RESET by a name with two QMIDs logs AMQ9453; by QMID it removes the old queue manager."""
    sandbox = small_cluster()
    old = sandbox.estate.qmgr("PR2").qmid
    sandbox.control("endmqm", "PR2")
    sandbox.control("dltmqm", "PR2")
    sandbox.at("+1h").create("PR2").member("PR2", "FR1")
    sandbox.run("FR1", "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(PR2)")
    (logged,) = happened(sandbox, events.ErrorLogged)
    assert logged == events.ErrorLogged(qmgr="FR1", id="AMQ9453", inserts=("PR2", "CA"))
    sandbox.run("FR1", f"RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMID('{old}')")
    owners = {owner for _, owner in sandbox.estate.qmgr("FR2").repository.routes}
    assert old not in owners
    assert sandbox.estate.qmgr("PR2").qmid in owners


@pytest.mark.parametrize(
    ("on", "target", "message"),
    [("PR1", "QMNAME(PR2)", "AMQ9454"), ("FR1", "QMNAME(NOSUCH)", "AMQ9455")],
)
def test_reset_needs_a_full_repository_and_somebody_to_remove(
    on: str, target: str, message: str
) -> None:
    """RESET at another queue manager, or of an unknown member, only writes to the error log."""
    sandbox = small_cluster()
    sandbox.run(on, f"RESET CLUSTER(CA) ACTION(FORCEREMOVE) {target}")
    (logged,) = happened(sandbox, events.ErrorLogged)
    assert isinstance(logged, events.ErrorLogged)
    assert logged.id == message
    assert not happened(sandbox, events.MemberForceRemoved)


@pytest.mark.parametrize(("after", "back"), [("9.999999", set()), ("10", {"PR2"})])
def test_records_of_a_removed_member_are_ignored_for_ten_seconds(
    after: str, back: set[str]
) -> None:
    """Records that a removed member publishes within ten seconds are ignored."""
    sandbox = small_cluster()
    sandbox.at("+1h").run("FR1", "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(PR2)")
    sandbox.at(f"2026-01-01T01:00:{float(after):09.6f}Z")
    sandbox.run("PR2", "REFRESH CLUSTER(CA) REPOS(YES)")
    for name in ("FR1", "FR2"):
        assert sandbox.knows(name, "qmgr") & {"PR2"} == back
