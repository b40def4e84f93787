"""`twin runbook refresh`: whether REFRESH CLUSTER is needed, and what it would do.

Source: IBM MQ 9.2, "REFRESH CLUSTER"; 8.0, "Out of date information in a restored cluster" (what a
partial repository knows afterwards).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from twin import events
from twin.app.rehearsing import Rehearsal
from twin.app.twin import Twin
from twin.fold.estate import QueueManager
from twin.model.commands import Command
from twin.model.instants import AsOf, Instant
from twin.questions.doctor.diagnosis import rests_on_positions
from twin.questions.doctor.finding import some
from twin.questions.doctor.fixes import looked_at_first
from twin.questions.sender_channels import messaging_of
from twin.review import hearing
from twin.review.plan.beliefs import belief_changes
from twin.review.plan.pair import RehearsedPair
from twin.review.plan.routing import Routing, routing_changes
from twin.review.runbooks import checks
from twin.review.runbooks.refresh_checks import Judgement
from twin.review.runbooks.refresh_reasons import REASONS, RefreshReason
from twin.review.runbooks.scene import RunbookSubject, Scene
from twin.review.runbooks.subjects import RunbookRequest, one_cluster, qmid_of
from twin.review.runbooks.walk import run
from twin.rules import membership
from twin.rules.repository.lifetimes import REJOIN_AFTER

_LEFT: Final = "left"
"""The id of the reason for which REPOS(YES) is meant."""


class JudgedReason(NamedTuple):
    """A reason, and whether it holds."""

    reason: RefreshReason
    judgement: Judgement


class FailingPut(NamedTuple):
    """A put that fails after the refresh, or goes elsewhere, and did not before."""

    on: str
    queue: str
    before: Routing
    after: Routing


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshEffects:
    """What a refresh would do within a minute, beside doing nothing.

    Attributes:
        forgotten: kind of record -> how many of others are dropped.
        back: how many of them are held again a minute later.
        names: the queues that are forgotten; a member asks for them again when they are used next.
        published: how many of its own records are sent again.
        commands: how many more repository commands arrive at others, and at it.
        waiting: how many more wait for a channel.
        elsewhere: how many records change at other queue managers.
        puts: the puts that fail or go elsewhere a minute later.
        is_seen: whether the records that it holds were observed, or are simulated. Otherwise it may
            forget more than the twin knows of.
        is_member: whether it is a member of the cluster. One that left asks for nothing there.
    """

    forgotten: dict[str, int]
    back: int
    names: tuple[str, ...]
    published: int
    commands: int
    waiting: int
    elsewhere: int
    puts: tuple[FailingPut, ...]
    is_seen: bool = True
    is_member: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshDecision:
    """Whether a queue manager needs REFRESH CLUSTER.

    Attributes:
        subject: the queue manager and the cluster.
        point: the point in time.
        reasons: every reason that was looked for.
        command: the command.
        blockers: what has to be mended before it is run.
        effects: what it would do; None if it cannot be run.
        notes: what else its reader should know, one line each.
        is_observed: whether the queue manager was imported.
    """

    subject: RunbookSubject
    point: AsOf
    reasons: tuple[JudgedReason, ...]
    command: Command
    blockers: tuple[str, ...]
    effects: RefreshEffects | None
    notes: tuple[str, ...] = ()
    is_observed: bool = False

    @property
    def is_needed(self) -> bool:
        """Whether any reason calls for it."""
        return any(each.judgement.needs_refresh for each in self.reasons)

    @property
    def rests_on(self) -> str:
        """On which facts a refresh rests, in words."""
        needing = [each.judgement for each in self.reasons if each.judgement.needs_refresh]
        positions = (at for each in needing for at in each.evidence)
        return f"destructive; {rests_on_positions(positions, seen=self.is_observed)}"

    @property
    def is_blocked(self) -> bool:
        """Whether it is needed, and something has to be mended first."""
        return self.is_needed and bool(self.blockers)


def decide(
    twin: Twin,
    wanted: RunbookRequest,
    *,
    as_of: Instant | None = None,
    known_at: Instant | None = None,
) -> RefreshDecision:
    """Decide whether a queue manager needs REFRESH CLUSTER at an instant, which defaults to now.

    Raises:
        NoSuchQueueManager: if the queue manager does not exist.
        TwinError: if it does not follow which cluster is meant.
    """

    def once() -> RefreshDecision:
        begin = twin.rehearse(as_of=as_of, known_at=known_at)
        qmgr = begin.estate.qmgr(wanted.qmgr)
        clusters = one_cluster(begin.estate, wanted, qmid_of(begin.estate, wanted))
        subject = RunbookSubject(name=qmgr.name, qmid=qmgr.qmid, clusters=clusters)
        scene = Scene(begin.estate, begin.now(), subject)
        reasons = tuple(JudgedReason(each, each.check(scene, qmgr)) for each in REASONS)
        has_left = any(r.id == _LEFT and judged.found for r, judged in reasons)
        repos = "YES" if has_left else "NO"
        command = Command.of(qmgr.name, "REFRESH", "CLUSTER", clusters[0], REPOS=repos)
        return RefreshDecision(
            subject=subject,
            point=begin.point,
            reasons=reasons,
            command=command,
            blockers=tuple(_blockers(scene, qmgr, command, has_left=has_left)),
            effects=_effects(begin, scene, command),
            notes=twin.incompleteness(begin.point),
            is_observed=qmgr.observed,
        )

    return twin.soundly(once)


def _blockers(
    scene: Scene, qmgr: QueueManager, command: Command, *, has_left: bool
) -> Iterator[str]:
    """Yield what has to be mended before a refresh."""
    if not qmgr.running:
        yield f"{qmgr.name} has ended"
        return
    cluster = scene.cluster
    doubts = sorted(messaging_of(qmgr).in_doubt)
    if doubts:
        yield (
            f"a batch is in doubt on {some(doubts)}: let it be confirmed; twin doctor says what to "
            "do if the partner never comes back"
        )
    for first in looked_at_first({qmgr.name: qmgr}, (command,), scene.at)[:-1]:
        yield f"whether a batch is in doubt was not seen lately: {first}"
    if enabling := hearing.enabling(qmgr):
        yield enabling
    if has_left:
        return
    running = checks.running_repositories(scene, cluster)
    if not running:
        yield (
            f"no other full repository of {cluster} runs: what is forgotten comes back only when "
            "its owners publish again, within 27 days"
        )
    for full in running:
        removed = full.repository.force_removed.get((cluster, qmgr.qmid))
        if removed and scene.at < removed[0] + REJOIN_AFTER:
            yield f"wait 10 seconds after RESET CLUSTER at {full.name}: until then it is ignored"
        if enabling := hearing.enabling(full):
            yield enabling


def _effects(begin: Rehearsal, scene: Scene, command: Command) -> RefreshEffects | None:
    """Rehearse a refresh beside doing nothing, for a minute."""
    base, changed = begin.fork(), begin.fork()
    first = len(begin.decided)
    if run(changed, command):
        return None
    refreshed = [
        event
        for _, event in changed.decided[first:]
        if isinstance(event, events.RepositoryRefreshed)
    ]
    if not refreshed:
        return None
    pair = RehearsedPair.advanced(begin, base, changed)
    more = Counter(type(event) for _, event in changed.decided[first:])
    more.subtract(type(event) for _, event in base.decided[first:])
    before, after = _held(base, scene), _held(changed, scene)
    dropped = _dropped(begin, scene, refreshed)
    gone = before - after
    qmgr = begin.estate.qmgrs.get(scene.name)
    return RefreshEffects(
        is_seen=qmgr is None or not checks.unseen_kinds(qmgr, "qmgr"),
        is_member=qmgr is None or scene.cluster in membership.clusters_joined(qmgr),
        forgotten=dict(sorted(Counter(kind for kind, _, _ in dropped).items())),
        back=len(dropped - gone),
        names=tuple(sorted({name for kind, name, _ in gone if kind == "queue"})),
        published=sum(event.republished for event in refreshed),
        commands=more[events.InformationReceived],
        waiting=more[events.ClusterCommandsQueued],
        elsewhere=sum(
            change.observer != scene.name and change.effect != "misses"
            for change in belief_changes(pair)
        ),
        puts=tuple(
            FailingPut(change.put.on, change.put.queue, change.before, change.after)
            for change in routing_changes(pair, ())
        ),
    )


def _held(rehearsal: Rehearsal, scene: Scene) -> set[tuple[str, str, str]]:
    """Return (kind, name, owner's QMID) of the records that the subject holds."""
    qmgr = rehearsal.estate.qmgrs[scene.name]
    return {
        (key[1], key[2], owner)
        for key, owners in qmgr.repository.beliefs.items()
        if key[0] in scene.clusters
        for owner in owners
    }


def _dropped(
    begin: Rehearsal, scene: Scene, refreshed: list[events.RepositoryRefreshed]
) -> set[tuple[str, str, str]]:
    """Return (kind, name, owner's QMID) of the records that a refresh drops."""
    repository = begin.estate.qmgrs[scene.name].repository
    dropped = set()
    for event in refreshed:
        for item in event.dropped:
            only = None if item.only is None else {*item.only}
            for name in repository.by_publication.get((item.owner, item.sequence), ()):
                if only is None or name[1:] in only:
                    dropped.add((name[1], name[2], item.owner))
    return dropped
