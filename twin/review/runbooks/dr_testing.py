"""The runbook `dr-test`: test a copy of a queue manager without poisoning production.

A restored copy has the names, the QMID and the repository of production: the addresses of all that
it knew. If it reaches a full repository, others learn its address, and messages go to it. If it was
made again it has another QMID, and others hold both for 90 days.

Sources: IBM MQ 8.0, "Out of date information in a restored cluster"; 9.2, "REFRESH CLUSTER" and
"RESET CLUSTER"; IBM PH65188 (a CLUSRCVR of one name at two queue managers replaces records).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.amounts import counted
from twin.model.names import connection
from twin.model.objects import text_of
from twin.questions.doctor import fixes
from twin.questions.doctor.finding import some
from twin.questions.rehearsing import SETTLES_WITHIN
from twin.review.plan.beliefs import belief_changes
from twin.review.plan.pair import RehearsedPair
from twin.review.plan.routing import routing_changes
from twin.review.runbooks import checks
from twin.review.runbooks.step import (
    FORGOTTEN_WITHIN,
    Checked,
    RunbookStep,
    StepCommand,
    done,
    missing,
    unknown,
)
from twin.rules import membership

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.beliefs import Belief
    from twin.fold.estate import QueueManager
    from twin.review.runbooks.scene import RunbookSubject, Scene

_RESTORED: Final = "IBM MQ 8.0, Out of date information in a restored cluster"
_REFRESH: Final = "IBM MQ 9.2, REFRESH CLUSTER"
_RESET: Final = "IBM MQ 9.2, RESET CLUSTER"
_SHOWN: Final = 20
_LEADS: Final = frozenset({"CLUSSDR", "SDR", "SVR"})


class CopySign(NamedTuple):
    """A record of production that a copy must have published.

    Attributes:
        observer: the queue manager that holds it.
        cluster: the cluster.
        qmid: the QMID in the record.
        text: what it shows, in words.
        position: the position of the event by which it came.
    """

    observer: str
    cluster: str
    qmid: str
    text: str
    position: int


def signs(scene: Scene) -> list[CopySign]:
    """Return the records that the subject did not publish although they have its name."""
    found = []
    for observer in scene.others():
        for cluster in scene.clusters:
            found += list(_signs_at(scene, observer, cluster))
    return found


def _signs_at(scene: Scene, observer: QueueManager, cluster: str) -> Iterator[CopySign]:
    qmgr = scene.qmgr
    for key, belief in observer.repository.of_kind("qmgr", cluster=cluster):
        address = belief.values.get("CONNAME") or "no address"
        if belief.owner_name == scene.name and belief.owner != scene.subject.qmid:
            text = f"{belief.owner} at {address}"
        elif belief.owner == scene.subject.qmid and qmgr is not None:
            own = qmgr.repository.instances(*key).get(qmgr.qmid)
            latest = max((each.published for each in _own(qmgr, cluster)), default=0)
            same = own is not None and own.values.get("CONNAME") == belief.values.get("CONNAME")
            if same or belief.received < latest:
                continue
            text = f"{key[2]} at {address}"
        else:
            continue
        yield CopySign(observer.name, cluster, belief.owner, text, belief.position)


def _own(qmgr: QueueManager, cluster: str) -> list[Belief]:
    return [
        qmgr.repository.beliefs[name][qmgr.qmid]
        for name in qmgr.repository.own_records
        if name[0] == cluster
    ]


def _is_clean(scene: Scene) -> Checked:
    """Check that no queue manager holds a record that a copy published."""
    found = signs(scene)
    if found:
        shown = some(f"{each.observer} holds {each.text}" for each in found)
        return missing(
            f"somebody else published as {scene.name}: {shown}. If it still runs, end it first: it "
            "would publish again.",
            *sorted({each.position for each in found if each.position})[:_SHOWN],
        )
    return done(f"nobody holds a record of {scene.name} that it did not publish")


def _clean(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands that remove what a copy published.

    Another QMID is removed by force. A record of the own QMID is published again.
    """
    found = signs(scene)
    for cluster in scene.clusters:
        others = {each.qmid for each in found if each.cluster == cluster}
        for qmid in sorted(others - {scene.subject.qmid}):
            holders = {each.observer for each in found if each.qmid == qmid}
            for full in checks.running_repositories(scene, cluster):
                if full.name in holders:
                    yield StepCommand(
                        full.name,
                        f"RESET CLUSTER({fixes.value(cluster)}) ACTION(FORCEREMOVE) "
                        f"QMID({fixes.value(qmid)}) QUEUES(YES)",
                    )
                    break
        if scene.subject.qmid in others:
            yield StepCommand(scene.name, f"REFRESH CLUSTER({fixes.value(cluster)}) REPOS(NO)")


def _is_fenced(scene: Scene) -> Checked:
    addresses = _addresses(scene)
    if not addresses:
        return done(f"{scene.name} knows no address")
    return unknown(
        f"whether the test network reaches what the copy knows, {len(addresses)} in all: "
        f"{some(addresses)}"
    )


def _addresses(scene: Scene) -> list[str]:
    """Return the addresses that a copy would connect to: of its channels, and in its repository."""
    qmgr = scene.qmgr
    if qmgr is None:
        return []
    names = {
        str(belief.values.get("CONNAME", ""))
        for _, belief in qmgr.repository.of_kind("qmgr")
        if belief.owner != qmgr.qmid
    }
    names |= {
        text_of(definition, "CONNAME")
        for definition in qmgr.definitions.values()
        if definition.type in _LEADS
    }
    return sorted({f"{host}({port})" for name in names for host, port in connection(name)})


def _is_disarmed(scene: Scene) -> Checked:
    if scene.qmgr is None:
        return done(f"{scene.name} no longer exists")
    return unknown(f"whether the copy of {scene.name} has forgotten production")


def _disarm(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands to run at the copy, before any of its channels runs.

    A full repository gives up its role meanwhile: REPOS(YES) is refused at one.
    """
    qmgr = scene.qmgr
    if qmgr is None:
        return
    copy = f"the copy of {scene.name}"
    for cluster in scene.clusters:
        for definition, _ in membership.channels_of(qmgr, "CLUSSDR", cluster):
            yield StepCommand(copy, f"STOP CHANNEL({fixes.value(definition.name)})")
    if not {*scene.clusters}.isdisjoint(membership.full_repository_of(qmgr)):
        keyword = "REPOS" if qmgr.values.get("REPOS") else "REPOSNL"
        yield StepCommand(copy, f"ALTER QMGR {keyword}(' ')")
    for cluster in scene.clusters:
        yield StepCommand(copy, f"REFRESH CLUSTER({fixes.value(cluster)}) REPOS(YES)")
    if not {*scene.clusters}.isdisjoint(membership.full_repository_of(qmgr)):
        keyword = "REPOS" if qmgr.values.get("REPOS") else "REPOSNL"
        named = fixes.value(str(qmgr.values[keyword]))
        yield StepCommand(copy, f"ALTER QMGR {keyword}({named})")


def _is_tested(scene: Scene) -> Checked:
    return unknown(f"whether the copy of {scene.name} was tested and deleted")


def _is_forgotten(scene: Scene) -> Checked:
    """Check that nobody holds a record of another QMID of the name."""
    held = sorted(
        {
            (observer.name, belief.owner)
            for observer in scene.others()
            for owners in observer.repository.beliefs.values()
            for belief in owners.values()
            if belief.owner_name == scene.name and belief.owner != scene.subject.qmid
        }
    )
    if held:
        names = some(f"{name} ({qmid})" for name, qmid in held)
        return missing(f"records of another QMID are held by {names}")
    return done(f"nobody holds a record of another QMID of {scene.name}")


def warnings(begin: Rehearsal, subject: RunbookSubject) -> Iterator[str]:
    """Say what would happen if the copy published in production: rehearsed beside doing nothing.

    The copy is the queue manager at the instant of its backup, which runs REFRESH CLUSTER.
    """
    if subject.since is None or subject.name not in begin.estate.qmgrs:
        return
    base, changed = begin.fork(), begin.fork()
    changed.restore(subject.name, to=subject.since)
    if not changed.estate.qmgrs[subject.name].running:
        changed.strmqm(subject.name)
    for cluster in subject.clusters:
        changed.runmqsc(subject.name, f"REFRESH CLUSTER({fixes.value(cluster)}) REPOS(NO)")
    until = begin.now() + SETTLES_WITHIN
    for rehearsal in (base, changed):
        rehearsal.advance(until)
    pair = RehearsedPair(begin, base, changed, until)
    records = [
        each
        for each in belief_changes(pair)
        if each.observer != subject.name and each.effect != "misses"
    ]
    observers = {each.observer for each in records}
    puts = [each for each in routing_changes(pair, ()) if each.put.on != subject.name]
    yield (
        f"If the copy published in production (REFRESH CLUSTER): {counted(len(records), 'record')} "
        f"would change at {counted(len(observers), 'queue manager')}, and "
        f"{counted(len(puts), 'route')} of puts; and messages for {subject.name} could go to it."
    )


_CLEAN: Final = RunbookStep(
    id="clean",
    text="Make sure that production has not heard of a copy of {name}.",
    done_when="Nobody holds a record of {name} with another QMID, or with an address that {name} "
    "did not publish.",
    check=_is_clean,
    commands=_clean,
    destructive=True,
    source=f"{_RESET}; {_REFRESH}; IBM PH65188",
)

STEPS: Final = (
    _CLEAN,
    RunbookStep(
        id="fence",
        text="Fence the test network off, before anything starts there: from the copy no address "
        "of production may be reached, and from production not the copy.",
        done_when="You have tried it; twin cannot see it.",
        check=_is_fenced,
        source=_RESTORED,
    ),
    RunbookStep(
        id="disarm",
        text="Start the copy inside the fence. With its channels stopped, give its CLUSSDRs and "
        "CLUSRCVRs the addresses of the test site; then let it forget production.",
        done_when="The copy of {name} holds no record of {clusters}; twin cannot see it.",
        check=_is_disarmed,
        commands=_disarm,
        is_elsewhere=True,
        destructive=True,
        source=f"{_RESTORED}; {_REFRESH}",
    ),
    RunbookStep(
        id="test",
        text="Test, and delete the copy of {name} before the fence is taken down.",
        done_when="The copy is gone; twin cannot see it.",
        check=_is_tested,
        source=_RESTORED,
    ),
    RunbookStep(
        id="clean-afterwards",
        text="Make sure again that production has not heard of the copy of {name}.",
        done_when=_CLEAN.done_when,
        check=_is_clean,
        commands=_clean,
        destructive=True,
        lasts=False,
        source=_CLEAN.source,
    ),
    RunbookStep(
        id="forgotten",
        text="Wait until nobody remembers the copy of {name}.",
        done_when="Nobody holds a record of another QMID of {name}.",
        check=_is_forgotten,
        patience=FORGOTTEN_WITHIN,
        lasts=False,
        source="IBM MQ 9.4, How long do the queue manager repositories retain information?",
    ),
)
