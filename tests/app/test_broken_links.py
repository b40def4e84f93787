"""On a branch, what was broken at the fork stays broken, unless it is assumed to be healed."""

from __future__ import annotations

from tests.app.scenes import START
from tests.app.test_assumptions import explained, imported
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR

CUT = (
    "assumes that the link of CA.QM1 at QM2 is still cut, which is RETRYING since "
    "2026-01-01T01:00:00Z; twin branch create NAME --assume-healed assumes that it works"
)


def broken(twin: Twin, status: str = "RETRYING") -> Twin:
    """Import a cluster in which the channel from QM2 to QM1 is seen in a status."""
    imported(twin)
    twin.observe_channel("QM2", "CA.QM1", at=START + HOUR // 2, status="RUNNING")
    twin.observe_channel("QM2", "CA.QM1", at=START + HOUR, status=status)
    return twin


def fork(twin: Twin, name: str = "whatif", *, assume_healed: bool = False) -> Twin:
    """Fork a branch two hours after the start."""
    twin.create_branch(name, at=START + 2 * HOUR, assume_healed=assume_healed)
    return twin.on_branch(name)


def status(twin: Twin) -> str | None:
    """Return the status of the channel from QM2 to QM1."""
    rows = twin.ask("channels", on="QM2", channel="CA.QM1").rows
    return str(rows[0]["status"]) if rows else None


def test_a_broken_channel_stays_broken(twin: Twin) -> None:
    """Neither time nor START CHANNEL brings a channel back whose link is assumed to be cut."""
    branch = fork(broken(twin))
    assert branch.assumed_links() == (CUT,)
    branch.put("QM2", "APP.ORDERS", count=3)
    branch.tick(START + DAY)
    branch.runmqsc("QM2", "START CHANNEL(CA.QM1)")
    branch.tick(START + 2 * DAY)
    assert status(branch) == "RETRYING"
    assert branch.put("QM1", "ORDERS").reason == 0


def test_every_answer_on_the_branch_says_so(twin: Twin) -> None:
    """Each question, explanation and put on the branch names the assumption; main does not."""
    branch = fork(broken(twin))
    for question in ("members", "channels", "agenda", "beliefs"):
        assert branch.ask(question).notes[-1].startswith("assumes that the link of CA.QM1 at QM2")
        assert not any("cut" in note for note in twin.ask(question).notes)
    assert explained(branch).notes == (CUT,)
    assert branch.notes_of_put("QM2", "APP.ORDERS") == (CUT,)


def test_healed_links_are_used_at_the_next_retry(twin: Twin) -> None:
    """With assume_healed, the channel recovers by its own retry, and sends what waits."""
    branch = fork(broken(twin), assume_healed=True)
    (note,) = branch.assumed_links()
    assert note == "assumes that the link of 1 channel works again (--assume-healed)"
    branch.put("QM2", "APP.ORDERS", count=3)
    branch.tick(START + DAY)
    assert status(branch) in ("RUNNING", "INACTIVE")
    assert branch.view()[0].qmgr("QM1").messaging.local["ORDERS"][0].count == 3
    (fact,) = branch.log.events(branch="whatif", types=["AssumptionSet"])
    branch.retract([fact.position])
    assert branch.ask("channels").notes[-1].startswith("assumes that the link of CA.QM1 at QM2")


def test_healing_the_link_ends_the_assumption(twin: Twin) -> None:
    """`link heal` and a start of the partner let the channel recover."""
    branch = fork(broken(twin))
    branch.link("heal", "QM1", "QM2")
    branch.tick(START + DAY)
    assert status(branch) == "RUNNING"
    other = fork(twin, "restart")
    other.endmqm("QM1")
    other.strmqm("QM1")
    other.tick(START + DAY)
    assert status(other) == "RUNNING"


def test_a_stopped_channel_waits_for_its_start(twin: Twin) -> None:
    """A channel that was seen STOPPED stays so until START CHANNEL, which succeeds."""
    branch = fork(broken(twin, "STOPPED"))
    assert branch.assumed_links() == ()
    branch.tick(START + DAY)
    assert status(branch) == "STOPPED"
    branch.runmqsc("QM2", "START CHANNEL(CA.QM1)")
    assert status(branch) == "RUNNING"


def test_an_inactive_channel_is_usable(twin: Twin) -> None:
    """A channel that was seen INACTIVE starts for the first message."""
    branch = fork(broken(twin, "INACTIVE"))
    branch.put("QM2", "APP.ORDERS")
    assert status(branch) == "RUNNING"
