"""Checks of the estate as a whole: what is not in the twin, and what may not belong together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.model.amounts import verb
from twin.model.objects import Subject, text_of
from twin.questions.completeness import Gap
from twin.questions.completeness.missing_queue_managers import missing_queue_managers
from twin.questions.doctor.checks import sender_receivers, sender_targets
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import Index

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
    or SVR, says that it is in the twin.
    """
    unready = {
        site.called(sender)
        for cluster, site, sender in index.senders()
        if sender_targets.unready(index, cluster, sender)
    } | {site.called(sender) for site, sender, _ in sender_receivers.unmatched(index)}
    named: dict[str, list[tuple[str, Gap]]] = defaultdict(list)
    for gap in missing_queue_managers(index.estate):
        named_by = gap.definition and Subject(gap.on or "", "CHANNEL", gap.definition.name)
        if gap.on is not None and named_by not in unready:
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
