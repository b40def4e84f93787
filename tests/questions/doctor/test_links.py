"""Every documented cause joins with its consequence where both are planted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import pytest

from tests.questions.doctor import planted_failures as failures
from tests.questions.doctor.healthy import healthy, sender
from tests.questions.doctor.planted import ALL
from tests.questions.doctor.planting import receiver, sender_to, tell
from tests.questions.telling import facts_of
from tests.sandbox import Sandbox
from twin import events
from twin.model.instants import DAY, HOUR, MINUTE
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.question import READS
from twin.questions.doctor.registry import RULES

Scene: TypeAlias = Callable[[Sandbox], object]

_TRANSMIT: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
_COMMANDS: Final = "SYSTEM.CLUSTER.COMMAND.QUEUE"


def _planted(*rules: str) -> Scene:
    """Plant the faults of some rules, in this order."""

    def scene(estate: Sandbox) -> None:
        for rule in rules:
            next(each for each in ALL if each.rule == rule).plant(estate)

    return scene


def _run(name: str, script: str, *, passing: int = 0) -> Scene:
    def scene(estate: Sandbox) -> None:
        estate.run(name, script)
        estate.pass_time(passing)

    return scene


def _new(script: str, *, cut: bool = False, days: int = 0) -> Scene:
    """Let a new member join, maybe without a network to FR1."""

    def scene(estate: Sandbox) -> None:
        estate.create("NEW")
        if cut:
            _cut(estate, "FR1", "NEW")
        estate.run("NEW", receiver("NEW") + script)
        estate.pass_time(days * DAY + 2 * MINUTE)

    return scene


def _cut(estate: Sandbox, one: str, other: str) -> None:
    tell(estate, events.LinkChanged(qmgr=one, other=other, cut=True))


def _retrying(first: str, script: str, channel: str, *, to: str) -> Scene:
    """Run a script at a queue manager, cut the network to another one, and start a channel."""

    def scene(estate: Sandbox) -> None:
        estate.run(first, script)
        _cut(estate, "PR3", to)
        estate.run("PR3", f"STOP CHANNEL({channel})\nSTART CHANNEL({channel})")
        estate.pass_time(2 * MINUTE)

    return scene


def _misspelt(*names: str) -> Scene:
    def scene(estate: Sandbox) -> None:
        for name in names:
            estate.run(name, "ALTER QMGR REPOS(SALE)")

    return scene


def _untargeted(estate: Sandbox) -> None:
    estate.run("FR2", "DEFINE NAMELIST(TWO) NAMES(SALES,U)\nALTER QMGR REPOS(' ') REPOSNL(TWO)")
    to = sender("FR2").replace("CLUSTER(SALES)", "CLUSTER(U)").replace("SALES.FR2", "TO.FR2.U")
    estate.run("PR1", receiver("PR1", "U") + to)


def _apart(estate: Sandbox) -> None:
    """Let PR1 publish to FR1 alone, which has no manual CLUSSDR to FR2."""
    estate.run("FR1", "STOP CHANNEL(SALES.FR2)\nDELETE CHANNEL(SALES.FR2)")
    estate.run("FR2", "STOP CHANNEL(SALES.FR1)\nDELETE CHANNEL(SALES.FR1)")
    estate.run("PR2", sender("FR2"))
    estate.run("PR1", "STOP CHANNEL(SALES.FR2)\nDEFINE QLOCAL(NEW) CLUSTER(SALES)")
    estate.pass_time(2 * HOUR)


def _behind(how: Scene) -> Scene:
    """Keep FR2 from what PR1 publishes, for two hours."""

    def scene(estate: Sandbox) -> None:
        how(estate)
        estate.run("PR1", "DEFINE QLOCAL(NEW) CLUSTER(SALES)")
        estate.pass_time(2 * HOUR)

    return scene


def _cut_from_second(estate: Sandbox) -> None:
    for name in ("FR1", "PR1"):
        _cut(estate, "FR2", name)


def _full(estate: Sandbox) -> None:
    """Let PR3 retry because PR1 can put neither on its queue nor on its dead-letter queue."""
    estate.run("PR1", "ALTER QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) MAXDEPTH(0)")
    estate.run("PR1", "ALTER QLOCAL(ORDERS) MAXDEPTH(1)")
    estate.put("PR3", queue="ORDERS", count=3, to="PR1")
    estate.pass_time(2 * MINUTE)


_NOWHERE: Final = "DEFINE QALIAS(NOWHERE) TARGET(NONE)"


def _cut_off(estate: Sandbox) -> None:
    """Let PR3 reach no full repository."""
    failures.cut(estate, "PR3", "FR1", "FR2")
    failures.start(estate, "PR3", "SALES.FR1", "SALES.FR2")


def _stopped(estate: Sandbox) -> None:
    estate.run("PR3", "STOP CHANNEL(SALES.FR1)\nSTOP CHANNEL(SALES.FR2)")


def _not_told(estate: Sandbox) -> None:
    for name in ("FR1", "FR2"):
        estate.run(name, "STOP CHANNEL(SALES.PR3)")


def _starting(estate: Sandbox) -> None:
    failures.keep_starting(estate, "PR3", "SALES.FR1", "SALES.FR2")


def _also(before: Scene, script: str) -> Scene:
    def scene(estate: Sandbox) -> None:
        before(estate)
        estate.run("PR3", script)

    return scene


def _old_address(before: Scene) -> Scene:
    """Let PR1 move after something that keeps PR3 from hearing of it."""

    def scene(estate: Sandbox) -> None:
        before(estate)
        failures.cut(estate, "PR3", "PR1")
        failures.move(estate, "PR1")
        failures.start(estate, "PR3", "SALES.PR1")

    return scene


def _stuck(before: Scene) -> Scene:
    """Let messages wait for a channel to PR1 that does not run."""

    def scene(estate: Sandbox) -> None:
        before(estate)
        estate.put("PR3", queue="ORDERS", count=2, to="PR1")
        estate.pass_time(6 * MINUTE)

    return scene


def _cannot_open(estate: Sandbox) -> None:
    """Let two channels of PR1 share a transmission queue; the second one fails."""
    estate.run("PR1", failures.SHARED_QUEUE)
    for channel, status in {"ONE": "RUNNING", "TWO": "RETRYING"}.items():
        failures.see(estate, "PR1", channel, status)


def _shut(estate: Sandbox) -> None:
    estate.run("PR1", "STOP CHANNEL(SALES.PR1)")
    estate.put("PR3", queue="ORDERS", count=1, to="PR1")
    estate.pass_time(2 * MINUTE)


def _in_doubt(estate: Sandbox) -> None:
    _planted("channel-in-doubt")(estate)
    _cut(estate, "PR1", "PR3")
    estate.pass_time(2 * MINUTE)


def _switch_to_full(estate: Sandbox) -> None:
    """Let a switch stop because its new queue is full of messages for another channel."""
    tell(estate, events.ChannelHeld(qmgr="PR3", channel="SALES.PR1"))
    estate.put("PR3", queue="ORDERS", count=2, to="PR1")
    estate.run("PR3", "STOP CHANNEL(SALES.PR1)\nSTOP CHANNEL(SALES.PR2)")
    estate.run("PR3", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('SALES.PR*') MAXDEPTH(2)")
    estate.run("PR3", "START CHANNEL(SALES.PR2)")
    tell(estate, events.ChannelHeld(qmgr="PR3", channel="SALES.PR2"))
    estate.put("PR3", queue="ORDERS", count=2, to="PR2")
    estate.run("PR3", "START CHANNEL(SALES.PR1)")


def _commands_wait(estate: Sandbox) -> None:
    estate.run("FR1", f"ALTER QLOCAL({_TRANSMIT}) USAGE(NORMAL)\nDEFINE QLOCAL(NEW) CLUSTER(SALES)")
    _planted("command-queue-not-empty")(estate)


def _commands_seen(estate: Sandbox) -> None:
    """See commands on the command queue of a member whose repository queue is empty, twice."""
    failures.see_idle(estate)
    for _ in range(2):
        filled = events.QueueDepth(queue=_COMMANDS, depth=3)
        tell(estate, events.DepthsObserved(qmgr="SEEN", depths=(filled,)))
        estate.pass_time(HOUR)


def _no_space(estate: Sandbox) -> None:
    """Let PR3 publish while its cluster transmission queue is full."""
    tell(estate, events.ChannelHeld(qmgr="PR3", channel="SALES.PR1"))
    estate.put("PR3", queue="ORDERS", count=2, to="PR1")
    estate.run("PR3", f"ALTER QLOCAL({_TRANSMIT}) MAXDEPTH(2)\nDEFINE QLOCAL(NEW) CLUSTER(SALES)")


def _behind_an_alias(estate: Sandbox) -> None:
    estate.run("PR1", "DEFINE QREMOTE(R) RNAME(ALIAS) RQMNAME(PR2)")
    estate.run("PR2", "DEFINE QALIAS(ALIAS) TARGET(NONE)")


def _lost(estate: Sandbox) -> None:
    """Let PR3 fall out of the cluster, without a network to the full repositories."""
    for name in ("FR1", "FR2"):
        _cut(estate, name, "PR3")
    estate.pass_time(95 * DAY)


def _elsewhere(script: str) -> Scene:
    """Let PR1 and PR2 be a cluster with a full repository that PR3 joins with a wrong CLUSSDR."""

    def scene(estate: Sandbox) -> None:
        estate.run("PR1", receiver("PR1", "OTHER") + "ALTER QMGR REPOS(OTHER)")
        estate.run("PR2", receiver("PR2", "OTHER") + sender("PR1").replace("SALES", "OTHER"))
        estate.run("PR3", receiver("PR3", "OTHER") + script)
        estate.pass_time(2 * MINUTE)

    return scene


_FR2: Final = sender("FR2").replace("CLUSTER(SALES)", "CLUSTER(OTHER)")


def _get_disabled(estate: Sandbox) -> None:
    estate.run("PR3", f"ALTER QLOCAL({_TRANSMIT}) GET(DISABLED)")
    estate.put("PR3", queue="ORDERS", count=3)


def _enabled_again(estate: Sandbox) -> None:
    _get_disabled(estate)
    estate.run("PR3", f"ALTER QLOCAL({_TRANSMIT}) GET(ENABLED)")


SCENES: Final[dict[tuple[str, str], Scene]] = {
    ("full-repositories-none", "full-repository-without-receiver"): _misspelt("FR1", "FR2"),
    ("full-repository-single", "full-repository-without-receiver"): _misspelt("FR2"),
    ("cluster-sender-to-partial", "full-repository-without-receiver"): _misspelt("FR2"),
    ("cluster-sender-without-target", "full-repository-without-receiver"): _untargeted,
    ("full-repositories-disagree", "full-repositories-not-connected"): _apart,
    ("full-repositories-disagree", "cluster-receiver-stopped"): _behind(
        _run("FR2", "STOP CHANNEL(SALES.FR2)")
    ),
    ("full-repositories-disagree", "channel-retrying"): _behind(_cut_from_second),
    ("full-repositories-disagree", "channel-stopped"): _planted("full-repositories-disagree"),
    ("cluster-sender-none", "full-repositories-none"): _planted("full-repositories-none"),
    ("cluster-sender-none", "cluster-sender-other-cluster"): _planted(
        "cluster-sender-other-cluster"
    ),
    ("cluster-sender-without-receiver", "cluster-one-member"): _run(
        "PR3", "ALTER CHANNEL(SALES.PR3) CHLTYPE(CLUSRCVR) CLUSTER(SALLES)"
    ),
    ("cluster-sender-without-receiver", "cluster-namelist"): _run(
        "PR3",
        "DEFINE NAMELIST(N)\nALTER CHANNEL(SALES.PR3) CHLTYPE(CLUSRCVR) CLUSTER(' ') CLUSNL(N)",
    ),
    ("cluster-sender-without-receiver", "cluster-sender-other-cluster"): _planted(
        "cluster-sender-other-cluster"
    ),
    ("cluster-sender-never-connected", "cluster-sender-without-target"): _planted(
        "cluster-sender-without-target"
    ),
    ("cluster-sender-never-connected", "cluster-sender-wrong-name"): _planted(
        "cluster-sender-wrong-name"
    ),
    ("cluster-sender-never-connected", "cluster-sender-other-cluster"): _elsewhere(_FR2),
    ("cluster-sender-never-connected", "cluster-sender-to-partial"): _planted(
        "cluster-sender-to-partial"
    ),
    ("cluster-sender-never-connected", "full-repositories-none"): _planted(
        "full-repositories-none"
    ),
    ("channel-retrying", "stale-address"): failures.hold_old_address,
    ("channel-retrying", "transmission-queue-shared"): _cannot_open,
    ("alias-to-nothing", "channel-retrying"): _also(_cut_off, _NOWHERE),
    ("alias-to-nothing", "channel-stopped"): _also(_stopped, _NOWHERE),
    ("alias-to-nothing", "channel-starting"): _also(_starting, _NOWHERE),
    ("stale-address", "full-repositories-moved"): failures.move_both,
    ("stale-address", "channel-retrying"): _old_address(_cut_off),
    ("stale-address", "channel-stopped"): _old_address(_not_told),
    ("messages-stuck", "channel-retrying"): _stuck(lambda estate: _cut(estate, "PR3", "PR1")),
    ("messages-stuck", "channel-stopped"): _stuck(_run("PR3", "STOP CHANNEL(SALES.PR1)")),
    ("messages-stuck", "channel-starting"): _stuck(
        lambda estate: failures.keep_starting(estate, "PR3", "SALES.PR1")
    ),
    ("messages-stuck", "channel-gone"): _stuck(_planted("channel-gone")),
    ("messages-stuck", "nothing-due"): _stuck(_enabled_again),
    ("nothing-due", "cluster-queue-get-disabled"): _get_disabled,
    ("repository-manager-idle", "repository-manager-failing"): lambda estate: failures.see_idle(
        estate, failing=True
    ),
    ("command-queue-not-empty", "repository-manager-idle"): _commands_seen,
    ("channel-retrying", "channel-target-put-disabled"): _planted("channel-target-put-disabled"),
    ("channel-retrying", "queue-full"): _full,
    ("channel-retrying", "cluster-receiver-stopped"): _shut,
    ("channel-retrying", "cluster-sender-without-target"): _planted(
        "cluster-sender-without-target"
    ),
    ("channel-retrying", "cluster-sender-wrong-name"): _planted("cluster-sender-wrong-name"),
    ("channel-retrying", "cluster-sender-to-partial"): _retrying(
        "PR3", sender("PR2"), "SALES.PR2", to="PR2"
    ),
    ("channel-retrying", "cluster-sender-other-cluster"): _retrying(
        "PR3", receiver("PR3", "OTHER") + _FR2, "SALES.FR2", to="FR2"
    ),
    ("channel-retrying", "cluster-receiver-port"): _retrying(
        "FR1",
        "ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSRCVR) CONNAME('FR1.example(999)')",
        "SALES.FR1",
        to="FR1",
    ),
    ("channel-retrying", "cluster-receiver-localhost"): _retrying(
        "FR1",
        "ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSRCVR) CONNAME('localhost(1414)')",
        "SALES.FR1",
        to="FR1",
    ),
    ("channel-retrying", "adoption-refused"): _planted("adoption-refused"),
    ("channel-retrying", "ssl-cipher-differs"): _retrying(
        "PR3",
        "ALTER CHANNEL(SALES.FR1) CHLTYPE(CLUSSDR) SSLCIPH(ANY_TLS12)",
        "SALES.FR1",
        to="FR1",
    ),
    ("channel-retrying", "cluster-sender-never-connected"): _new(sender("FR1"), cut=True),
    ("channel-in-doubt", "channel-retrying"): _in_doubt,
    ("shared-object-without-receiver", "cluster-one-member"): _run(
        "PR1", "ALTER CHANNEL(SALES.PR1) CHLTYPE(CLUSRCVR) CLUSTER(SALLES)"
    ),
    ("shared-object-without-receiver", "cluster-sender-without-receiver"): _run(
        "PR1",
        sender_to("OTHER.PR2", "pr2.example(1)", "OTHER") + "DEFINE QLOCAL(Q) CLUSTER(OTHER)",
    ),
    ("shared-object-without-receiver", "full-repository-without-receiver"): _run(
        "PR1", "ALTER QMGR REPOS(OTHER)\nDEFINE QLOCAL(Q) CLUSTER(OTHER)"
    ),
    ("remote-queue-to-nothing", "alias-to-nothing"): _behind_an_alias,
    ("dead-letter-queue-full", "channel-target-put-disabled"): _planted(
        "channel-target-put-disabled"
    ),
    ("command-queue-not-empty", "cluster-queue-get-disabled"): _planted("command-queue-not-empty"),
    ("command-queue-not-empty", "repository-manager-failing"): _commands_wait,
    ("switch-unfinished", "cluster-queue-get-disabled"): _planted(
        "switch-unfinished", "cluster-queue-get-disabled"
    ),
    ("switch-unfinished", "cluster-queue-put-disabled"): _planted("switch-unfinished"),
    ("switch-unfinished", "queue-full"): _switch_to_full,
    **{
        (rule, "queue-manager-name-duplicate"): _planted("queue-manager-name-duplicate", rule)
        for rule in ("record-overdue", "record-expired", "record-removed-soon")
    },
    ("member-dropped-out", "cluster-sender-none"): _planted("cluster-sender-none"),
    ("member-dropped-out", "cluster-sender-without-target"): _new(
        sender_to("SALES.NONE", "none.example(1)")
    ),
    ("member-dropped-out", "cluster-sender-wrong-name"): _new(
        sender_to("SALES.FRTWO", "FR2.example(1415)")
    ),
    ("member-dropped-out", "cluster-sender-other-cluster"): _elsewhere(_FR2),
    ("member-dropped-out", "cluster-sender-to-partial"): _new(sender("PR2")),
    ("member-dropped-out", "cluster-sender-never-connected"): _planted(
        "cluster-sender-never-connected"
    ),
    ("member-dropped-out", "channel-retrying"): _lost,
    ("member-dropped-out", "channel-stopped"): _run(
        "PR3", "STOP CHANNEL(SALES.FR1)\nSTOP CHANNEL(SALES.FR2)", passing=95 * DAY
    ),
    ("repository-manager-failing", "system-queue-usage"): _planted("repository-manager-failing"),
    ("repository-manager-failing", "cluster-queue-put-disabled"): _run(
        "PR1", f"ALTER QLOCAL({_TRANSMIT}) PUT(DISABLED)\nDEFINE QLOCAL(NEW) CLUSTER(SALES)"
    ),
    ("repository-manager-failing", "cluster-queue-get-disabled"): _run(
        "PR1",
        f"ALTER QLOCAL({_TRANSMIT}) MAXDEPTH(0)\nDEFINE QLOCAL(NEW) CLUSTER(SALES)\n"
        f"ALTER QLOCAL({_COMMANDS}) GET(DISABLED)",
    ),
    ("repository-manager-failing", "queue-full"): _no_space,
    ("record-without-queue", "restored-without-refresh"): _planted(
        "record-without-queue", "restored-without-refresh"
    ),
}
"""The rule of a consequence, and that of its cause -> what makes both."""


def found_in(scene: Scene) -> list[Found]:
    """Return what is found in the healthy estate after a scene."""
    estate = healthy()
    scene(estate)
    facts = facts_of(estate, READS)
    return list(diagnose(estate.estate, estate.as_of.valid, facts=facts).found)


@pytest.mark.parametrize("link", SCENES, ids="<-".join)
def test_a_documented_cause_joins(link: tuple[str, str]) -> None:
    """A consequence names its cause by subject, and the cause is found."""
    found = found_in(SCENES[link])
    roots = {each.root for each in found if each.rule.id == link[0]}
    causes = {(each.rule.id, each.finding.subject) for each in found if each.rule.id == link[1]}
    assert roots & causes


def test_every_documented_cause_has_a_scene() -> None:
    """No cause is documented that was never seen to join."""
    assert {(rule.id, cause) for rule in RULES.values() for cause in rule.follows} == {*SCENES}
