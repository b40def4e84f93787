"""`twin runbook refresh`: whether REFRESH CLUSTER is needed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, MINUTE, Instant
from twin.review.runbooks import refresh_text
from twin.review.runbooks.refresh_reasons import REASONS
from twin.review.runbooks.refreshing import RefreshDecision, decide
from twin.review.runbooks.scene import Scene
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.walk import run

NOW = START + 3 * DAY


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster with ORD at PR1, and a sender PR2 that uses it."""
    twin = build(make_twin(sqlite_url, lambda: NOW))
    twin.runmqsc("PR1", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
    twin.put("PR2", "ORD", count=2, at=START)
    return twin


def asked(twin: Twin, name: str, *, at: Instant = NOW) -> RefreshDecision:
    """Decide for a queue manager at an instant."""
    return decide(twin, RunbookRequest(qmgr=name, cluster="CA"), as_of=at)


def found(decision: RefreshDecision) -> dict[str, str]:
    """Return what was found, with what mends it instead of a refresh."""
    return {each.reason.id: each.judgement.instead for each in decision.reasons if each[1].found}


@examples(cost=2)
@given(histories(), st.sampled_from(["FR1", "FR2", "PR1", "PR2"]), st.integers(0, 120))
def test_a_cluster_in_which_everything_was_said_needs_no_refresh(
    history: list[Act], name: str, days: int
) -> None:
    """Commands, uses and time call for nothing; what lapsed is asked for again at the next use."""
    with fresh(1) as (twin,):
        build(twin)
        for act in history:
            if not act.observed:
                act.perform(twin)
        decision = asked(twin, name, at=history[-1].at + days * DAY)
        assert not decision.is_needed
        assert set(found(decision)) <= {"lapsed", "expired"}
        assert found(decision).get("expired", "nothing").startswith("nothing")
        assert refresh_text.answer(decision).startswith("Answer: no.")


_FAULTS = st.sampled_from(["restore", "remove", "leave"])


@examples(cost=2)
@given(histories(), st.sampled_from(["PR1", "PR2"]), st.lists(_FAULTS, min_size=1, max_size=2))
def test_a_refresh_that_is_needed_mends_what_it_is_needed_for(
    history: list[Act], name: str, faults: list[str]
) -> None:
    """After the command that is named no reason calls for it any more."""
    with fresh(1) as (twin,):
        build(twin)
        for act in history:
            if not act.observed:
                act.perform(twin)
        at = history[-1].at + HOUR
        for fault in faults:
            if fault == "restore":
                twin.restore(name, to=START, at=at)
            elif fault == "remove":
                command = f"RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME({name}) QUEUES(YES)"
                twin.runmqsc("FR1", command, at=at)
            else:
                command = f"ALTER CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CLUSTER(' ')"
                twin.runmqsc(name, command, at=at)
            at += HOUR
        decision = asked(twin, name, at=at)
        rehearsal = twin.rehearse(as_of=at)
        if not decision.is_needed:
            assert "leave" not in faults or faults[-1] == "restore"
            return
        assert not decision.is_blocked
        assert run(rehearsal, decision.command) == ""
        rehearsal.advance(at + 2 * HOUR)
        scene = Scene(rehearsal.estate, rehearsal.now(), decision.subject)
        left = [each.check(scene, rehearsal.estate.qmgrs[name]) for each in REASONS]
        assert not [each for each in left if each.needs_refresh]


def test_a_backup_of_a_point_in_time_calls_for_it(twin: Twin) -> None:
    """What was published after the backup is newer to others than what comes now."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) DEFPRTY(3)", at=START + DAY)
    twin.restore("PR1", to=START + HOUR, at=START + 2 * DAY)
    decision = asked(twin, "PR1")
    assert found(decision) == {"restored": "", "not-heard": ""}
    assert str(decision.command) == "PR1: REFRESH CLUSTER(CA) REPOS(NO)"
    assert refresh_text.answer(decision) == (
        "Answer: yes (restored, not-heard). On PR1: REFRESH CLUSTER(CA) REPOS(NO) (destructive; "
        "rests on simulated facts, positions 75, 76, 78, 79, 80). On no other queue manager, and "
        "one at a time."
    )
    assert asked(twin, "PR2").is_needed is False
    twin.runmqsc("PR1", "REFRESH CLUSTER(CA) REPOS(NO)", at=START + 2 * DAY + HOUR)
    assert found(asked(twin, "PR1")) == {}


def test_a_command_about_another_record_mends_nothing(twin: Twin) -> None:
    """Only what waits and is about the record that is wrong is a reason to wait for it."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) DEFPRTY(3)", at=START + DAY)
    twin.restore("PR1", to=START + HOUR, at=START + 2 * DAY)
    for full in ("FR1", "FR2"):
        twin.link("cut", "PR1", full, at=START + 2 * DAY)
    twin.runmqsc("PR1", "DEFINE QLOCAL(OTHER) CLUSTER(CA)", at=START + 2 * DAY)
    assert found(asked(twin, "PR1"))["not-heard"] == ""


def test_a_command_about_another_record_removes_no_wrong_record(twin: Twin) -> None:
    """What a restored queue manager holds again goes by no command that waits for it."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) CLUSTER(' ')", at=START + DAY)
    twin.restore("PR2", to=START + HOUR, at=START + DAY + HOUR)
    for full in ("FR1", "FR2"):
        twin.link("cut", "PR2", full, at=START + 2 * DAY)
    altered = "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) NETPRTY(3)"
    twin.runmqsc("PR1", altered, at=START + 3 * DAY - MINUTE)
    assert found(asked(twin, "PR2"))["wrong-records"] == ""


def test_a_linear_log_does_not_call_for_it(twin: Twin) -> None:
    """A restore to the instant of the failure loses nothing."""
    twin.endmqm("PR1", at=START + DAY)
    twin.restore("PR1", to=START + DAY, at=START + 2 * DAY)
    twin.strmqm("PR1", at=START + 2 * DAY)
    assert found(asked(twin, "PR1")) == {}


def test_one_that_left_forgets_the_full_repositories_too(twin: Twin) -> None:
    """The command is REPOS(YES); while it ends it blocks."""
    twin.runmqsc("PR2", "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) CLUSTER(' ')", at=START + DAY)
    decision = asked(twin, "PR2")
    assert (decision.is_needed, decision.command.text) == (True, "REFRESH CLUSTER(CA) REPOS(YES)")
    assert not decision.is_blocked
    twin.endmqm("PR2", at=START + 2 * DAY)
    decision = asked(twin, "PR2")
    assert (decision.is_blocked, decision.blockers) == (True, ("PR2 has ended",))
    assert decision.effects is None


def test_one_that_left_asks_for_nothing_afterwards(twin: Twin) -> None:
    """Its queues of the cluster are unknown to it then: 2085, and no subscription."""
    twin.runmqsc("PR2", "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) CLUSTER(' ')", at=START + DAY)
    decision = asked(twin, "PR2", at=START + 2 * DAY)
    assert decision.effects is not None
    said = list(refresh_text.sentences(decision.effects))
    assert said[1] == (
        "It makes no subscription for ORD: an MQOPEN of a queue that is neither its own nor in "
        "another of its clusters fails with 2085 MQRC_UNKNOWN_OBJECT_NAME"
    )
    assert said[2] == "It sends no own record, and renews none: it has left the cluster"
    effects = refresh_text.document_of(decision)["effects"]
    assert (effects["asked_again"], effects["unknown_afterwards"]) == ([], ["ORD"])
    assert effects["is_member"] is False
    twin.runmqsc("PR2", decision.command.text, at=START + 2 * DAY)
    assert twin.put("PR2", "ORD", at=START + 2 * DAY + HOUR).reason == 2085
    assert not twin.ask("subscriptions", on="PR2", as_of=NOW).rows
    member = asked(twin, "PR1").effects
    assert member is not None
    assert "It sends 2 own records again, and from then on" in "\n".join(
        refresh_text.sentences(member)
    )


def test_an_instance_that_it_never_asked_for_is_not_missing(twin: Twin) -> None:
    """A member with a queue of its own does not hear of the instances of others, and need not."""
    for name in ("PR2", "FR2"):
        twin.runmqsc(name, "DEFINE QLOCAL(OWN) CLUSTER(CA)", at=START)
    twin.runmqsc("PR1", "DEFINE QLOCAL(OWN) CLUSTER(CA)", at=START)
    for name in ("PR1", "PR2", "FR1", "FR2"):
        assert found(asked(twin, name)) == {}


def test_a_record_that_nobody_else_has_is_wrong(twin: Twin) -> None:
    """What was seen of a partial repository that is cut off from a deletion calls for it."""
    for full in ("FR1", "FR2"):
        twin.link("cut", "PR2", full, at=START + HOUR)
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) CLUSTER(' ')", at=START + DAY)
    wrong = found(asked(twin, "PR2"))
    assert wrong["wrong-records"].startswith("repair the channel CA.PR2 of FR")
    assert not asked(twin, "PR2").is_needed


def test_what_something_else_mends_is_no_reason(twin: Twin) -> None:
    """Commands that wait, an owner that is silent, and two QMIDs have other cures."""
    for full in ("FR1", "FR2"):
        twin.link("cut", "PR1", full, at=START + HOUR)
    twin.runmqsc("PR1", "ALTER QLOCAL(ORD) DEFPRTY(3)", at=START + DAY)
    decision = asked(twin, "PR1")
    assert set(found(decision)) == {"not-heard", "stuck"}
    assert not decision.is_needed
    assert "repair the channel" in found(decision)["stuck"]
    assert "its commands wait at PR1" in found(decision)["not-heard"]
    text = refresh_text.answer(decision)
    assert text.startswith("Answer: no. Something else fixes what is wrong (not-heard, stuck).")
    later = asked(twin, "PR2", at=START + 40 * DAY)
    assert found(later)["expired"].startswith("let PR1 renew them")
    assert not later.is_needed


def test_two_qmids_have_another_cure(twin: Twin) -> None:
    """A queue manager that was made again without leaving is removed by its old QMID."""
    twin.endmqm("PR1", at=START + DAY)
    twin.dltmqm("PR1", at=START + DAY)
    twin.crtmqm("PR1", at=START + DAY)
    twin.strmqm("PR1", at=START + DAY)
    twin.runmqsc(
        "PR1",
        "DEFINE CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME('pr1(1414)') CLUSTER(CA)\n"
        "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)\n",
        at=START + DAY,
    )
    decision = asked(twin, "FR1")
    assert "two-qmids" in found(decision)
    assert not decision.is_needed


def test_the_only_full_repository_is_not_refreshed(twin: Twin) -> None:
    """What it forgets comes back only when the owners publish again; puts of others fail."""
    twin.endmqm("FR2", at=START + DAY)
    decision = asked(twin, "FR1")
    assert decision.blockers[0].startswith("no other full repository of CA runs: what is forgotten")
    effects = decision.effects
    assert effects is not None
    assert (effects.forgotten, effects.back) == ({"queue": 1}, 0)
    assert decision.is_blocked is False  # it is not needed


def test_what_it_would_do_is_rehearsed(twin: Twin) -> None:
    """A partial repository forgets what it used, and asks again when it is used next."""
    effects = asked(twin, "PR2").effects
    assert effects is not None
    assert effects.names == ("ORD",)
    assert effects.forgotten == {"qmgr": 1, "queue": 1}
    assert (effects.back, effects.published, effects.puts) == (0, 1, ())
    assert effects.commands > 0
    before: Any = twin.ask("beliefs", on="PR2").rows
    assert twin.ask("beliefs", on="PR2").rows == before


def test_what_nobody_observed_is_not_known(twin: Twin) -> None:
    """Of an observed queue manager, what would show a reason is named where it is missing."""
    member = (
        "DEFINE CHANNEL('CA.SEEN') CHLTYPE(CLUSRCVR) CONNAME('seen(1414)') CLUSTER('CA') REPLACE\n"
        "DEFINE CHANNEL('CA.FR1') CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER('CA') REPLACE\n"
    )
    twin.ingest(f"* dump\n{member}", qmgr="SEEN", at=START + DAY)
    decision = asked(twin, "SEEN")
    unknown = [each.reason.id for each in decision.reasons if each.judgement.unknown]
    assert unknown == [
        *("restored", "wrong-records", "expired", "stuck", "two-qmids", "lapsed"),
        "repository-fails",
    ]
    assert refresh_text.answer(decision) == (
        "Answer: no, by what was observed. Not known: restored, wrong-records, expired, stuck, "
        "two-qmids, lapsed, repository-fails. IBM Support may ask for it nevertheless."
    )
    text = "\n".join(refresh_text.text_of(decision))
    assert "seen: an answer to DISPLAY CLUSQMGR was never observed" not in text
    assert "unknown: an answer to DISPLAY CLUSQMGR was never observed at SEEN" in text


def test_what_a_refresh_makes_it_forget_is_unknown_until_its_records_were_seen(twin: Twin) -> None:
    """Of one whose definitions were imported only, nothing is said about records and puts."""
    member = (
        "DEFINE CHANNEL('CA.SEEN') CHLTYPE(CLUSRCVR) CONNAME('seen(1414)') CLUSTER('CA') REPLACE\n"
        "DEFINE CHANNEL('CA.FR1') CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER('CA') REPLACE\n"
    )
    twin.ingest(f"* dump\n{member}", qmgr="SEEN", at=START + DAY)
    unseen = asked(twin, "SEEN")
    text = "\n".join(refresh_text.text_of(unseen))
    assert (
        "  - Unknown: what SEEN holds, because none of its answers to DISPLAY CLUSQMGR was" in text
    )
    assert "It forgets nothing\n" not in text
    assert "works as before" not in text
    effects = refresh_text.document_of(unseen)["effects"]
    assert effects["is_seen"] is False
    simulated = asked(twin, "PR2")
    assert refresh_text.document_of(simulated)["effects"]["is_seen"] is True
