"""What is healthy has no finding above info: planned stops, years, two clusters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.questions.doctor.healthy import healthy
from tests.questions.doctor.healthy_estates import ESTATES
from tests.questions.doctor.planted import ALL
from tests.questions.telling import facts_of
from tests.sandbox import Sandbox
from twin import events
from twin.model.basis import Basis
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.question import READS
from twin.questions.doctor.registry import RULES
from twin.rules.deriving import derive


def _found(estate: Sandbox) -> list[Found]:
    facts = facts_of(estate, READS)
    return list(diagnose(estate.estate, estate.as_of.valid, facts=facts).found)


def _bad(estate: Sandbox) -> list[tuple[str, str]]:
    return [
        (each.rule.id, each.finding.object)
        for each in _found(estate)
        if each.severity is not Severity.INFO
    ]


def test_a_healthy_estate_stays_healthy() -> None:
    """After more than a year of renewals there is still nothing to find."""
    assert _bad(healthy().at("+400d")) == []


@pytest.mark.parametrize("made", ESTATES, ids=lambda made: made.__name__)
def test_an_estate_as_it_is_drawn_in_practice_has_no_finding(made: Callable[[], Sandbox]) -> None:
    """Nothing above info is found after two hours, nor after two renewals of all records."""
    estate = made().at("+2h")
    assert _bad(estate) == []
    assert _bad(estate.at("+60d")) == []


def test_a_retry_inside_a_planned_stop_is_not_found() -> None:
    """Channels that are retried because their partner was ended on purpose are no finding."""
    estate = healthy()
    estate.run("PR3", "START CHANNEL(SALES.PR1)\nSTART CHANNEL(SALES.FR1)")
    estate.control("endmqm", "PR1")
    estate.pass_time(3_600_000_000)
    states = estate.estate.qmgr("PR3").activity.channels
    assert states["SALES.PR1"].status == "RETRYING"
    assert _bad(estate) == []


def test_a_retry_while_the_partner_is_suspended_by_force_is_not_found() -> None:
    """SUSPEND QMGR MODE(FORCE) ends the channels to a queue manager on purpose."""
    estate = healthy()
    estate.run("PR3", "START CHANNEL(SALES.PR1)")
    estate.run("PR1", "SUSPEND QMGR CLUSTER(SALES) MODE(FORCE)")
    estate.pass_time(3_600_000_000)
    assert estate.estate.qmgr("PR3").activity.channels["SALES.PR1"].status == "RETRYING"
    assert _bad(estate) == []


def test_names_are_compared_within_one_cluster() -> None:
    """Two clusters may use the same queue and channel names for different things."""
    estate = healthy().create("X1", "X2", "Y1")
    for name, other in (("X1", "X2"), ("X2", "X1"), ("Y1", "X1")):
        estate.run(
            name,
            f"""DEFINE CHANNEL(O.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}.o(1415)') CLUSTER(O)
DEFINE CHANNEL(O.{other}) CHLTYPE(CLUSSDR) CONNAME('{other}.o(1415)') CLUSTER(O)
DEFINE QLOCAL(ORDERS) CLUSTER(O) DEFBIND(GROUP) PUT(ENABLED)
ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE) {"REPOS(O)" if name != "Y1" else ""}
DEFINE LISTENER(TCP) TRPTYPE(TCP) PORT(1415) CONTROL(QMGR)""",
        )
    assert _bad(estate.at("+4h")) == []


def test_a_refresh_at_a_full_repository_is_not_said_to_make_members_publish() -> None:
    """It renews only the record of its own queue manager, and forgets what others share."""
    estate = healthy()
    estate.run("FR1", "REFRESH CLUSTER(SALES)")
    (text,) = (
        each.finding.text for each in _found(estate) if each.rule.id == "refresh-on-full-repository"
    )
    assert "members are asked" not in text
    assert "forgets the queues and topics of others" in text


def test_refresh_and_reset_are_never_the_first_offer() -> None:
    """No fix of a planted fault is REFRESH or RESET; they may stand behind it."""
    for planted in ALL:
        for each in _found(planted.plant(healthy())):
            assert not [
                command
                for command in each.finding.fix
                if command.text.startswith(("REFRESH", "RESET"))
            ], each.rule.id


def test_ids_and_grounds_of_rules_are_complete() -> None:
    """Each rule has an id in kebab case and grounds in whole sentences; causes exist."""
    for rule in RULES.values():
        assert rule.id == rule.id.lower().strip("-").replace("_", "-")
        assert rule.condition.endswith(".")
        assert rule.why.endswith((".", ")"))
        assert rule.source
        assert RULES.keys() >= set(rule.follows)


def _observe(estate: Sandbox, *said: events.StatedObject, complete: str | None) -> list[Found]:
    event = events.ObjectsObserved(qmgr="SEEN", kind="QUEUE", said=said, complete=complete)
    derive(estate.draft, event)
    return _found(estate)


@pytest.mark.parametrize(
    ("complete", "severity"), [(None, Severity.WARNING), ("*", Severity.ERROR)]
)
def test_what_a_script_leaves_open_is_not_an_error(
    complete: str | None, severity: Severity
) -> None:
    """An alias to nothing is an error in a dump, and a warning in a script."""
    alias = events.StatedObject(name="A", type="QALIAS", values={"TARGET": "NOTHING"})
    (found,) = (
        each
        for each in _observe(Sandbox(), alias, complete=complete)
        if each.rule.id == "alias-to-nothing"
    )
    assert found.severity is severity
    assert found.basis is Basis.OBSERVED


def test_a_target_that_a_member_outside_the_twin_may_have_is_no_error() -> None:
    """A CLUSSDR leads to a full repository that was not imported: others may not be either."""
    estate, at = Sandbox(), (("TO.OUT", "CLUSSDR"), ("TO.SEEN", "CLUSRCVR"))
    said = tuple(
        events.StatedObject(name=name, type=type_, values={"CLUSTER": "OUT", "CONNAME": "h(1)"})
        for name, type_ in at
    )
    alias = events.StatedObject(name="A", type="QALIAS", values={"TARGET": "NOTHING"})
    derive(
        estate.draft, events.ObjectsObserved(qmgr="SEEN", kind="CHANNEL", said=said, complete="*")
    )
    (found,) = (
        each for each in _observe(estate, alias, complete="*") if each.rule.id == "alias-to-nothing"
    )
    assert found.severity is Severity.INFO


def test_nobody_is_said_to_get_messages_where_all_have_ended() -> None:
    """A member that is suspended and ended is found once: its messages wait."""
    estate = healthy()
    estate.run("PR2", "DEFINE QLOCAL(OWN) CLUSTER(SALES)\nSUSPEND QMGR CLUSTER(SALES)")
    assert "all-instances-suspended" in {rule for rule, _ in _bad(estate)}
    estate.control("endmqm", "PR2")
    rules = {rule for rule, _ in _bad(estate)}
    assert "all-instances-ended" in rules
    assert "all-instances-suspended" not in rules


def test_what_was_never_observed_is_not_checked() -> None:
    """Rules that need the status of channels, or depths, are listed for observed queue managers."""
    estate = Sandbox()
    _observe(estate, events.StatedObject(name="Q", type="QLOCAL"), complete=None)
    unchecked = {each.id for each in diagnose(estate.estate, estate.as_of.valid).not_checked}
    assert {"channel-retrying", "queue-full", "dead-letter-queue-blank"} <= unchecked
    assert diagnose(healthy().estate, estate.as_of.valid).not_checked == ()


def test_a_rule_about_full_repositories_needs_the_records_of_these_alone() -> None:
    """A partial repository without a capture does not keep it from being checked."""
    estate = Sandbox()
    for name, repos in (("FR1", "CA"), ("FR2", "CA"), ("PR1", "")):
        own = events.StatedObject(name="", type="QMGR", values={"REPOS": repos} if repos else {})
        said = events.ObjectsObserved(qmgr=name, kind="QMGR", said=(own,), complete="*")
        derive(estate.draft, said)
    unchecked = [["FR1, FR2"], ["FR2"], []]
    for captured, lacking in zip(("", "FR1", "FR2"), unchecked, strict=True):
        if captured:
            held = events.BeliefsObserved(qmgr=captured, kind="qmgr", complete="*")
            derive(estate.draft, held)
        not_checked = diagnose(estate.estate, estate.as_of.valid).not_checked
        whys = [each.why for each in not_checked if each.id == "full-repositories-disagree"]
        need = "a complete answer to DISPLAY CLUSQMGR"
        assert whys == [f"never observed at {names}: {need}" for names in lacking]
        assert "member-dropped-out" in {each.id for each in not_checked}
