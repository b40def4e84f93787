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
from twin.model.platforms import ZOS
from twin.questions.doctor import fixes
from twin.questions.doctor.finding import some
from twin.questions.rehearsing import SETTLES_WITHIN
from twin.review.plan.beliefs import belief_changes
from twin.review.plan.pair import RehearsedPair
from twin.review.plan.routing import routing_changes
from twin.review.runbooks import checks
from twin.review.runbooks.scene import clusters_known_by
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


def _is_started(scene: Scene) -> Checked:
    if scene.qmgr is None:
        return done(f"{scene.name} no longer exists")
    return unknown(f"whether the copy of {scene.name} runs, and none of its channels")


def _copy(scene: Scene) -> str:
    return f"the copy of {scene.name}"


def _start(scene: Scene) -> Iterator[StepCommand]:
    """Yield the command that starts the copy, and nothing that starts its channels.

    `strmqm -ns` starts no channel initiator, listener, command server or service. On z/OS the
    channel initiator is started by itself.
    """
    qmgr = scene.qmgr
    if qmgr is not None and qmgr.platform == ZOS:
        yield StepCommand(_copy(scene), "START QMGR", control=True)
    elif qmgr is not None:
        yield StepCommand(_copy(scene), f"strmqm -ns {scene.name}", control=True)


def _is_disarmed(scene: Scene) -> Checked:
    qmgr = scene.qmgr
    if qmgr is None:
        return done(f"{scene.name} no longer exists")
    channels = [
        f"{type_}({name}) {text_of(definition, 'CONNAME')}"
        for name, type_ in sorted(qmgr.channels.items())
        if type_ in (*_LEADS, "CLUSRCVR") and not name.startswith("SYSTEM.")
        for definition in [qmgr.definitions["CHANNEL", name]]
    ]
    shown = "; ".join(channels[:_SHOWN])
    more = f"; and {len(channels) - _SHOWN} more" if len(channels) > _SHOWN else ""
    return unknown(
        f"whether the copy of {scene.name} has other addresses than production ({shown}{more}), "
        "and has forgotten production"
    )


def _disarm(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands to run at the copy, before any of its channels runs.

    They are about all its clusters: in one that is left out, the copy would still publish. A full
    repository gives up its role meanwhile: REPOS(YES) is refused at one. On z/OS the repository
    manager is part of the channel initiator; so the channels are stopped before it works.
    """
    qmgr = scene.qmgr
    if qmgr is None:
        return
    copy = _copy(scene)
    if qmgr.platform == ZOS:
        yield StepCommand(copy, "START CHINIT")
        for definition, _ in membership.channels_of(qmgr, "CLUSSDR"):
            yield StepCommand(copy, f"STOP CHANNEL({fixes.value(definition.name)})")
    is_full = bool(membership.full_repository_of(qmgr))
    keyword = "REPOS" if qmgr.values.get("REPOS") else "REPOSNL"
    if is_full:
        yield StepCommand(copy, f"ALTER QMGR {keyword}(' ')")
    for cluster in clusters_known_by(qmgr):
        yield StepCommand(copy, f"REFRESH CLUSTER({fixes.value(cluster)}) REPOS(YES)")
    if is_full:
        named = fixes.value(str(qmgr.values[keyword]))
        yield StepCommand(copy, f"ALTER QMGR {keyword}({named})")


def _connect(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands that let the channels of the copy run."""
    qmgr = scene.qmgr
    if qmgr is None:
        return
    if qmgr.platform != ZOS:
        yield StepCommand(_copy(scene), "START CHINIT")
    for (kind, name), _ in sorted(qmgr.definitions.items()):
        if kind == "LISTENER" and not name.startswith("SYSTEM."):
            yield StepCommand(_copy(scene), f"START LISTENER({fixes.value(name)})")
    for definition, _ in membership.channels_of(qmgr, "CLUSSDR"):
        yield StepCommand(_copy(scene), f"START CHANNEL({fixes.value(definition.name)})")


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
        done_when="You tried to connect from both sides, and could not; twin cannot see it.",
        check=_is_fenced,
        source=_RESTORED,
    ),
    RunbookStep(
        id="start",
        text="Start the copy within the fence, without its channel initiator, listeners and "
        "services: no channel runs then.",
        done_when="The copy of {name} runs, and none of its channels; twin cannot see it.",
        check=_is_started,
        commands=_start,
        is_elsewhere=True,
        source="IBM MQ 9.2, strmqm (-ns); Avoiding MQ cluster problems after disaster recovery "
        "testing",
    ),
    RunbookStep(
        id="disarm",
        text="Give all channels of the copy the addresses of the test site, with ALTER CHANNEL; "
        "then let it forget production, in every cluster that it is in.",
        done_when="The copy of {name} has no address of production, and holds no record of it; "
        "twin cannot see it.",
        check=_is_disarmed,
        commands=_disarm,
        is_elsewhere=True,
        destructive=True,
        source=f"{_RESTORED}; {_REFRESH}",
    ),
    RunbookStep(
        id="test",
        text="Let the channels of the copy run, test, and delete the copy of {name} before the "
        "fence is taken down.",
        done_when="The copy is gone; twin cannot see it.",
        check=_is_tested,
        commands=_connect,
        is_elsewhere=True,
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
        text="Wait until no queue manager holds a record of the copy of {name} any more.",
        done_when="Nobody holds a record of another QMID of {name}.",
        check=_is_forgotten,
        patience=FORGOTTEN_WITHIN,
        lasts=False,
        source="IBM MQ 9.4, How long do the queue manager repositories retain information?",
    ),
)
