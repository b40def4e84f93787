"""`ask resilience`: what each loss strands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.app.scenes import START, build, make_twin
from tests.laws import examples
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.fold.store.pages import pages_of
from twin.model.instants import DAY, HOUR, MINUTE
from twin.questions.answer import Answer
from twin.questions.explanation import ExplainRequest
from twin.questions.resilience.losses import Loss, LossRefused, losses
from twin.questions.resilience.question import OneLoss

NOW = START + HOUR


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return the cluster of `shared_queues`."""
    return shared_queues(make_twin(sqlite_url, lambda: NOW))


def shared_queues(made: Twin) -> Twin:
    """Make a cluster with Q at PR1 and FR2, ONLY at PR1, and a sender PR2 that uses both."""
    twin = build(made)
    for name, queue in (("PR1", "Q"), ("FR2", "Q"), ("PR1", "ONLY")):
        twin.runmqsc(name, f"DEFINE QLOCAL({queue}) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    for queue in ("Q", "ONLY"):
        twin.put("PR2", queue, at=START)
    return twin


def by_loss(answer: Answer) -> dict[tuple[Any, Any], Any]:
    """Return the rows by kind and name of the loss."""
    return {(row["kind"], row["loss"]): row for row in answer.rows}


def test_each_loss_names_what_it_takes_away(twin: Twin) -> None:
    """A queue with one instance is lost with it; one with two has one left; senders are cut off."""
    answer = twin.ask("resilience")
    rows = by_loss(answer)
    assert [row["loss"] for row in answer.rows] == ["PR1", "FR1 FR2", "FR1", "FR2", "PR2"]
    assert (rows["qmgr", "PR1"]["queues_lost"], rows["qmgr", "PR1"]["severity"]) == (
        ("ONLY",),
        "error",
    )
    assert rows["qmgr", "PR1"]["queues_single"] == ("Q",)
    assert rows["qmgr", "PR1"]["senders_cut"] == ("FR1", "FR2", "PR2")
    assert rows["qmgr", "PR1"]["opens_fail_from"] == START + 90 * DAY
    assert rows["repositories", "FR1 FR2"]["opens_fail_from"] == NOW
    assert rows["repositories", "FR1 FR2"]["first_expiry"] == START + 30 * DAY
    assert rows["repository", "FR1"]["severity"] == "warning"
    assert rows["qmgr", "PR2"]["severity"] == "info"


def test_the_estate_that_it_rehearses_from_stays_as_it_was(twin: Twin) -> None:
    """Every loss is rehearsed on a copy."""
    rehearsal = twin.rehearse()
    before = pages_of(rehearsal.estate)
    assert rehearsal.ask("resilience", links="yes").rows
    assert pages_of(rehearsal.estate) == before


def test_links_channels_and_pairs_are_added_on_request(twin: Twin) -> None:
    """A link or a channel cuts its own sender off; a pair takes what both have."""
    rows = by_loss(twin.ask("resilience", links="yes", channels="yes", pairs="yes"))
    assert rows["link", "PR1 - PR2"]["senders_cut"] == ("PR2",)
    assert rows["channel", "PR2 CA.PR1"]["senders_cut"] == ("PR2",)
    assert ("channel", "PR2 CA.PR2") not in rows
    assert rows["pair", "FR2 PR1"]["queues_lost"] == ("ONLY", "Q")
    assert rows["pair", "FR2 PR1"]["first_expiry"] is None
    assert set(by_loss(twin.ask("resilience", lose="PR1"))) == {("qmgr", "PR1")}
    assert twin.ask("resilience", cluster="CB").rows == ()
    with pytest.raises(NoSuchQueueManager):
        twin.ask("resilience", lose="NOSUCH")


def test_several_that_are_lost_together_are_one_loss(twin: Twin) -> None:
    """It has dates, as a single loss has, and no other loss is listed beside it."""
    (pair,) = twin.ask("resilience", lose="PR1 FR2").rows
    assert (pair["loss"], pair["kind"], pair["queues_lost"]) == ("FR2 PR1", "pair", ("ONLY", "Q"))
    single = by_loss(twin.ask("resilience", lose="PR1"))["qmgr", "PR1"]
    assert pair["first_expiry"] == single["first_expiry"] == START + 30 * DAY
    twin.endmqm("FR1", at=NOW)
    (three,) = twin.ask("resilience", lose="PR1 FR2 FR1").rows
    assert (three["kind"], three["opens_fail_from"]) == ("several", NOW)
    assert set(by_loss(twin.ask("resilience", lose="PR1 PR1"))) == {("qmgr", "PR1")}
    with pytest.raises(OneLoss):
        twin.ask("resilience", lose="PR1 FR2", pairs="yes")
    for nobody in ("PR1 NOSUCH", ""):
        with pytest.raises(NoSuchQueueManager):
            twin.ask("resilience", lose=nobody)


def test_nothing_that_could_be_lost_is_said_and_not_taken_for_health(twin: Twin) -> None:
    """Before the first queue manager nothing was checked; one that has ended cannot be lost."""
    early = START - DAY
    note, begins = twin.ask("resilience", as_of=early).notes
    assert note == "no queue manager exists at that instant: no loss was rehearsed"
    assert begins.startswith("the log begins at 2026-01-01T00:00:00Z")
    note, begins = twin.ask("doctor", as_of=early).notes
    assert note.endswith("rules not checked: no queue manager exists at that instant")
    twin.endmqm("PR1", at=START + HOUR)
    note, lost = twin.ask("resilience", lose="PR1", as_of=START + HOUR).notes
    assert note.startswith("PR1 has ended already: ")
    assert lost == "lost already, without any loss: ONLY of CA"


def test_a_loss_with_a_warning_names_what_would_mend_it(twin: Twin) -> None:
    """One instance left wants another; of two full repositories the role moves, if it must."""
    rows = [row for row in twin.ask("resilience").rows if row["severity"] == "warning"]
    assert rows
    for row in rows:
        fix = str(row["fix"])
        assert bool(row["queues_single"]) == (f"at another member of {row['cluster']}" in fix)
        moves = f"twin runbook move-full-repository {row['loss']} --to QM --cluster CA --lost"
        assert (row["kind"] == "repository") == (moves in fix)


def test_messages_that_would_wait_for_a_loss_are_counted(twin: Twin) -> None:
    """Messages on the transmission queue of a lost queue manager wait, and bound ones stay."""
    twin.link("cut", "PR2", "PR1", at=NOW)
    twin.put("PR2", "ONLY", count=3, bind="open", at=NOW)
    twin.put("PR2", "ONLY", count=2, bind="notfixed", at=NOW)
    row = by_loss(twin.ask("resilience"))["qmgr", "PR1"]
    assert (row["messages_waiting"], row["messages_bound"]) == (5, 3)


def test_what_was_cut_off_before_is_not_cut_off_by_a_loss(twin: Twin) -> None:
    """A sender that reaches nothing already loses nothing."""
    twin.link("cut", "PR2", "PR1", at=NOW)
    twin.put("PR2", "ONLY", at=NOW)
    assert by_loss(twin.ask("resilience"))["qmgr", "PR1"]["senders_cut"] == ("FR1", "FR2")


@pytest.mark.parametrize("loss", ["FR1", "FR2", "PR1", "PR2"])
def test_dates_are_those_of_really_losing_it(twin: Twin, loss: str) -> None:
    """The first expiry is that of the records that others hold when the loss has lasted so long."""
    row = next(row for row in twin.ask("resilience", lose=loss).rows if row["loss"] == loss)
    rehearsal = twin.rehearse()
    rehearsal.endmqm(loss)
    rehearsal.advance(NOW + 30 * DAY)
    stale = [
        each["expires"]
        for each in rehearsal.ask("lifetimes").rows
        if each["observer"] != loss and each["owner"] == loss and each["state"] != "active"
    ]
    assert row["first_expiry"] == (min(map(int, map(str, stale))) if stale else None)


def test_senders_that_rank_keeps_at_a_lost_instance_are_cut_off(twin: Twin) -> None:
    """Rank is compared before the status, so puts wait although another instance runs."""
    twin.runmqsc("PR1", "ALTER QLOCAL(ONLY) CLUSTER(' ')", at=START)
    for name, attribute, waits in (("r", "CLWLRANK(5)", True), ("p", "CLWLPRTY(5)", False)):
        twin.create_branch(name, at=NOW)
        branch = twin.on_branch(name)
        branch.runmqsc("PR1", f"ALTER QLOCAL(Q) {attribute}", at=NOW)
        (row,) = branch.ask("resilience", lose="PR1").rows
        branch.endmqm("PR1", at=NOW)
        cut = []
        for sender in ("FR1", "FR2", "PR2"):
            put = branch.put(sender, "Q", count=2, at=NOW + MINUTE)
            outcome = branch.whereabouts(sender, put, at=NOW + 2 * MINUTE)
            cut += [sender] if outcome.waiting else []
            assert outcome.waiting + outcome.delivered == 2
        assert row["senders_cut"] == tuple(cut)
        assert bool(cut) == waits
        assert row["queues_single"] == ("Q",)
        assert (row["severity"], row["fix"]) == (
            ("error", "prefer an instance of Q by CLWLPRTY, not CLWLRANK")
            if waits
            else ("warning", "define Q at another member of CA")
        )


def test_a_channel_whose_name_is_in_mixed_case_is_lost(twin: Twin) -> None:
    """The command that stops it quotes its name, which MQ else reads in upper case."""
    receiver = "DEFINE CHANNEL('CA.pr1') CHLTYPE(CLUSRCVR) CONNAME('pr1(1414)') CLUSTER(CA)"
    twin.runmqsc("PR1", f"{receiver}\nDELETE CHANNEL(CA.PR1)", at=START)
    rehearsal = twin.rehearse()
    (loss,) = (
        each
        for each in losses(rehearsal.estate, channels=True)
        if each.channel == ("PR2", "CA.pr1")
    )
    loss.befall(rehearsal)
    stopped = rehearsal.estate.qmgrs["PR2"].activity.channels["CA.pr1"]
    assert stopped.status == "STOPPED"


def test_a_loss_that_does_not_happen_is_no_answer(twin: Twin) -> None:
    """What a loss costs is not known when the command that makes it happen fails."""
    loss = Loss("channel", "PR2 NOSUCH", channel=("PR2", "NOSUCH"))
    with pytest.raises(LossRefused, match=r"^the loss of PR2 NOSUCH cannot be rehearsed: AMQ"):
        loss.befall(twin.rehearse())


def test_the_loss_of_a_channel_that_is_stopped_changes_nothing(twin: Twin) -> None:
    """It is stopped already: no second STOP CHANNEL is tried, which would be refused."""
    assert twin.runmqsc("PR2", "STOP CHANNEL(CA.PR1)", at=START).exit_code == 0
    assert ("channel", "PR2 CA.PR1") in by_loss(twin.ask("resilience", channels="yes"))


_LONG = ("FR1 FR2", "PR1", "FR2 PR1", "FR1")
"""Losses whose longer days are compared with fewer."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twin]:
    """Return the same cluster for several tests that only read."""
    url = f"sqlite:///{tmp_path_factory.mktemp('scene') / 'twin.db'}"
    with shared_queues(make_twin(url, lambda: NOW)) as twin:
        yield twin


@examples()
@given(st.sampled_from(_LONG), st.sets(st.integers(1, 130), min_size=2, max_size=3))
@example("FR1 FR2", {30, 89, 91, 95})
@example("PR1", {60, 90, 91})
def test_a_loss_that_lasts_longer_is_never_better(
    scene: Twin, loss: str, lengths: set[int]
) -> None:
    """It lists no fewer queues and senders, and the dates of the shorter one."""
    before: dict[str, Any] = {}
    for days in sorted(lengths):
        rows = {
            str(row["cluster"]): row
            for row in scene.ask("resilience", lose=loss, days=str(days)).rows
            if row["loss"] == loss
        }
        for cluster, shorter in before.items():
            longer: Any = rows[cluster]
            for column in ("queues_lost", "senders_cut"):
                assert set(shorter[column]) <= set(longer[column])
            for column in ("opens_fail_from", "first_expiry", "first_removal"):
                assert shorter[column] in (None, longer[column])
        before = rows


def test_what_is_forgotten_without_full_repositories_is_lost(scene: Twin) -> None:
    """After 90 days PR2 knows neither queue, as its opens say, though their owners run."""
    for days, lost, cut in ((89, (), ()), (95, ("ONLY", "Q"), ("PR2",))):
        (row,) = scene.ask("resilience", lose="FR1 FR2", days=str(days)).rows
        assert (row["queues_lost"], row["senders_cut"]) == (lost, cut)
        assert row["first_removal"] == START + 90 * DAY
        rehearsal = scene.rehearse()
        for name in ("FR1", "FR2"):
            rehearsal.endmqm(name)
        rehearsal.advance(NOW + days * DAY)
        for queue in ("ONLY", "Q"):
            failed = rehearsal.explain("PR2", ExplainRequest(queue=queue)).reason
            assert bool(failed) == (queue in lost)
    assert row["fix"] == "make another member a full repository of CA (ALTER QMGR REPOS)"


def test_a_link_to_the_only_full_repository_makes_a_sender_forget(sqlite_url: str) -> None:
    """After 90 days PR2 asks in vain for a queue to which its channel runs."""
    with shared_queues(make_twin(sqlite_url, lambda: NOW)) as twin:
        script = "ALTER QMGR REPOS(' ')"
        assert twin.runmqsc("FR1", script, at=START + MINUTE).exit_code == 0
        for days, cut in (("89", False), ("95", True)):
            rows = by_loss(twin.ask("resilience", links="yes", lose="PR2", days=days))
            row = rows["link", "FR2 - PR2"]
            assert ("PR2" in row["senders_cut"]) == cut
        assert row["queues_lost"] == ()
        assert row["fix"] == "keep a full repository in reach of those that ask for ONLY"
        assert row["opens_fail_from"] is not None


def test_a_queue_manager_is_part_of_the_channels_to_it(twin: Twin) -> None:
    """`lose` also shows the channels of others that lead to it."""
    rows = by_loss(twin.ask("resilience", channels="yes", lose="PR1"))
    assert {name for kind, name in rows if kind == "channel"} == {
        *("FR1 CA.PR1", "FR2 CA.PR1", "PR2 CA.PR1"),
        *("PR1 CA.FR1", "PR1 CA.FR2"),
    }
