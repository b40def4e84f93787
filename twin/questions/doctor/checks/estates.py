"""Checks of the estate as a whole: what it lacks, what may not belong together, its defaults."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.model.amounts import verb
from twin.model.basis import Basis
from twin.model.instants import format_instant
from twin.model.objects import Definition, Subject, text_of
from twin.questions.completeness import Gap
from twin.questions.completeness.missing_queue_managers import missing_queue_managers
from twin.questions.doctor.checks import sender_targets
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Index, OwnedObject, Site
from twin.questions.sights import age, last_seen, old_since
from twin.rules.channels import channel_status

_ENVIRONMENTS: Final = {
    **dict.fromkeys(("PRD", "PROD", "LIVE"), "production"),
    **dict.fromkeys(("TST", "TEST", "QA", "UAT", "SIT", "ACC", "ACPT"), "test"),
    **dict.fromkeys(("DEV", "DVL"), "development"),
}
"""Words in names that tell environments apart."""

_WORD: Final = re.compile(r"[A-Z]+")


def not_in_twin(index: Index) -> Iterator[Finding]:
    """Find queue managers that something leads to and that are not in the twin.

    The address of one that only lacks a CLUSRCVR in the cluster, or the receiving channel of a SDR
    or SVR, says that it is in the twin. The name of a CLUSSDR is that of a CLUSRCVR, which usually
    ends with its queue manager; that of other channels names nobody.
    """
    known = set(index.estate.names.values())
    unready = {
        site.called(sender)
        for cluster, site, sender in index.senders()
        if sender_targets.unready(index, cluster, sender)
    } | {site.called(sender) for site, sender, _ in sender_targets.unmatched(index)}
    named: dict[str, list[tuple[str, Gap]]] = defaultdict(list)
    for gap in missing_queue_managers(index.estate):
        named_by = gap.definition and Subject(gap.on or "", "CHANNEL", gap.definition.name)
        guessed = gap.definition and gap.definition.type != "CLUSSDR" and gap.name not in known
        if gap.on is not None and named_by not in unready and not guessed:
            named[gap.name].append((gap.on, gap))
    for name, uses in sorted(named.items()):
        users = {f"{on} ({gap.by})" for on, gap in uses}
        yield Finding(
            subject=Subject(kind="QMGR", name=name),
            text=f"The queue manager is not in the twin; {some(users)} {verb(len(users), 'lead')} "
            "to it. What depends on it is not checked.",
            evidence=tuple(
                index.sites[on].place(gap.definition) if gap.definition else gap.position
                for on, gap in uses[:20]
            ),
            on=tuple(sorted({on for on, _ in uses})),
        )


def stale(index: Index) -> Iterator[Finding]:
    """Find imported queue managers whose newest evidence is old.

    It is a warning if others were seen since, so that only its collection fails. What all lack is
    said once.
    """
    seen = [(site, last_seen(site.qmgr)) for site in index]
    latest = max((at for _, at in seen if at is not None), default=0)
    together: list[Site] = []
    for site, at in seen:
        if at is None or old_since(index.estate, site.qmgr, index.at) is None:
            continue
        if old_since(index.estate, site.qmgr, latest) is None:
            together.append(site)
            continue
        yield Finding(
            subject=site.about("QMGR", aspect="age"),
            text=f"What is known of it is {age(index.at - at)} old, of {format_instant(at)}; "
            f"others were seen {age(latest - at)} later.",
            evidence=(site.place(),),
            on=(site.name,),
            severity=Severity.WARNING,
            basis=Basis.OBSERVED,
        )
    if together:
        names = [site.name for site in together]
        yield Finding(
            subject=Subject(kind="COLLECTION", aspect="age"),
            text=f"What is known of {some(names)} is {age(index.at - latest)} old or more.",
            evidence=tuple(site.place() for site in together[:20]),
            on=tuple(sorted(names)),
            basis=Basis.OBSERVED,
        )


def environments(index: Index) -> Iterator[Finding]:
    """Find clusters whose members' names speak of different environments."""
    for cluster in index.clusters:
        found: dict[str, set[str]] = defaultdict(set)
        for name, receivers in cluster.members.items():
            said = f"{name} {text_of(receivers[0], 'CONNAME').upper()}"
            for word in _WORD.findall(said):
                if environment := _ENVIRONMENTS.get(word):
                    found[environment].add(name)
        if len(found) > 1:
            each = "; ".join(f"{what}: {some(names)}" for what, names in sorted(found.items()))
            yield Finding(
                subject=cluster.about(aspect="environments"),
                text=f"The names of its members suggest several environments: {each}.",
                evidence=index.evidence_of(cluster, map(min, found.values())),
                on=tuple(sorted({name for names in found.values() for name in names})),
                cluster=cluster.name,
            )


_LEAST_OF_ESTATE: Final = 2


def defaults(index: Index) -> Iterator[Finding]:
    """Say once for the estate how often defaults are in use that some estates change.

    A default that no complete answer or dump showed is assumed, and counted apart.
    """
    counts: dict[str, int] = defaultdict(int)
    assumed: dict[str, int] = defaultdict(int)
    for site, definition in index.receivers():
        for keyword, default in _DEFAULTS.items():
            shown = counts if _shows(site.qmgr, definition, keyword) else assumed
            shown[f"{keyword}({default})"] += text_of(definition, keyword) == default
        shown = counts if channel_status.knows_configuration(site.qmgr) else assumed
        shown["AdoptNewMCA=NO"] += not channel_status.adopts(site.qmgr, definition.name)
    instances = [place for cluster in index.clusters for place in _with_instances(cluster.queues)]
    for site, definition in instances:
        for keyword, default in _OF_INSTANCES.items():
            shown = counts if _shows(site.qmgr, definition, keyword) else assumed
            what = f"{keyword}({default}) on queues with several instances"
            shown[what] += text_of(definition, keyword) == default
    parts = [
        f"{said}{', '.join(f'{count} x {what}' for what, count in each.items() if count)}."
        for said, each in (
            ("Defaults in use: ", counts),
            ("Assumed, because nothing showed them: ", assumed),
        )
        if any(each.values())
    ]
    if parts:
        yield Finding(
            subject=Subject(kind="DEFAULTS"),
            text=" ".join(parts),
            basis=Basis.ASSUMED if any(assumed.values()) else None,
            on=tuple(site.name for site in index if site.receivers),
            named=(),
        )


_DEFAULTS: Final = {"BATCHHB": "0", "HBINT": "300", "LONGTMR": "1200", "NPMSPEED": "FAST"}
"""Attributes of CLUSRCVRs that keep their default in most estates, for good reasons."""


_OF_INSTANCES: Final = {"DEFBIND": "OPEN", "CLWLUSEQ": "QMGR"}
"""The same for queues with several instances."""


def _shows(qmgr: QueueManager, definition: Definition, keyword: str) -> bool:
    """Return whether an attribute is known: it is simulated, set, or all of the kind was shown."""
    all_shown = qmgr.confirmed.get(definition.kind, NEVER_CONFIRMED).complete
    return not qmgr.observed or bool(all_shown) or keyword in definition.values


def _with_instances(queues: dict[str, list[OwnedObject]]) -> Iterator[OwnedObject]:
    for places in queues.values():
        if len(places) >= _LEAST_OF_ESTATE:
            yield from places
