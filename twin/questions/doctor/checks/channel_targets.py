"""Checks of the queues that channels bring messages for: one that is PUT(DISABLED) holds them up.

If the dead-letter queue takes no more, the channel of a message that cannot be put is RETRYING
with AMQ9544, and all messages after it wait.
"""

from __future__ import annotations

from collections.abc import Iterator

from twin.model.amounts import verb
from twin.model.commands import Command
from twin.model.objects import UNCLUSTERED, Definition
from twin.model.reasons import PUT_INHIBITED
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, Probe, some
from twin.questions.doctor.index import Index, Site
from twin.questions.reachability import NotPut, not_put
from twin.rules.draft import Draft


def put_disabled(index: Index) -> Iterator[Finding]:
    """Find queues that are PUT(DISABLED) and make channels retry."""
    held: dict[tuple[str, str], list[tuple[Site, str, NotPut]]] = {}
    for site in index:
        for channel in sorted(site.qmgr.activity.channels) if site.qmgr.running else ():
            refused = refusal(index, site, channel)
            if refused is not None and enabling(index, refused):
                held.setdefault((refused.partner, refused.base), []).append(
                    (site, channel, refused)
                )
    for (name, base), channels in held.items():
        yield _finding(index, index.sites[name], base, channels)


def _finding(
    index: Index, partner: Site, base: str, held: list[tuple[Site, str, NotPut]]
) -> Finding:
    definition = partner.qmgr.definitions["QUEUE", base]
    site, channel, refused = held[0]
    also = f", and {refused.dead_letters}" if refused.dead_letters else ""
    from_ = some(f"{name} of {each.name}" for each, name, _ in held)
    return Finding(
        subject=partner.called(definition),
        text=f"The queue is PUT(DISABLED){also}: {from_} {verb(len(held), 'are')} RETRYING "
        "(AMQ9544). The first message for this queue waits, and all messages after it.",
        evidence=(
            partner.place(definition),
            *(each.qmgr.activity.channels[name].position for each, name, _ in held),
        ),
        on=(partner.name, *dict.fromkeys(each.name for each, _, _ in held)),
        cluster=next((each.name for each in index.clusters if channel in each.receivers), ""),
        fix=enabling(index, refused),
        probe=delivery(site, channel, refused),
    )


def refusal(index: Index, site: Site, channel: str) -> NotPut | None:
    """Return what keeps the partner of a RETRYING channel from putting; None if nothing is known.

    The partner is in the index.
    """
    refused = not_put(Draft(index.estate, index.at, index.estate.position + 1), site.qmgr, channel)
    return refused if refused is not None and refused.partner in index.sites else None


def target(index: Index, refused: NotPut) -> Definition | None:
    """Return the queue of the partner that a refusal is about; None if it is about none."""
    return index.sites[refused.partner].queue(refused.base) if refused.base else None


def enabling(index: Index, refused: NotPut) -> tuple[Command, ...]:
    """Return the command that enables PUT where that is what is wrong; else ()."""
    definition = target(index, refused)
    if definition is None or refused.reason != PUT_INHIBITED:
        return ()
    return (fixes.alter(index.sites[refused.partner], definition, PUT="ENABLED"),)


def delivery(site: Site, channel: str, refused: NotPut) -> Probe:
    """Return the probe that follows a put over the channel to its end.

    A channel outside the clusters may have no name that leads to it alone: its status is read.
    """
    if site.qmgr.channels.get(channel) in UNCLUSTERED:
        return probes.status(site, channel)
    return probes.opened(site.name, refused.queue, to=refused.partner)
