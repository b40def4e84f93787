"""A check of SDRs and SVRs: whether the queue manager that they call has the other end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from twin.model.names import connection
from twin.model.objects import PARTNERS, UNCLUSTERED, Definition, text_of
from twin.questions.doctor import probes
from twin.questions.doctor.checks.sender_targets import LOCAL
from twin.questions.doctor.finding import Finding, Severity
from twin.questions.doctor.index import SYSTEM, Index, Site

_Answering: TypeAlias = Mapping[tuple[str, int], set[str]]
"""Host and port -> the queue managers that have it in the CONNAME of a CLUSRCVR."""


def without_receiver(index: Index) -> Iterator[Finding]:
    """Find SDRs and SVRs to the address of a queue manager that has no such receiving channel."""
    for site, sender, other in unmatched(index):
        yield Finding(
            subject=site.called(sender),
            text=f"The CONNAME is that of {other.name}, which has no receiving channel "
            f"{sender.name}, so the {sender.type} cannot start (AMQ9520).",
            evidence=(site.place(sender), other.place()),
            on=(site.name, other.name),
            severity=None if other.knows_all("CHANNEL") else Severity.WARNING,
            probe=probes.status(site, sender.name),
        )


def unmatched(index: Index) -> Iterator[tuple[Site, Definition, Site]]:
    """Yield the SDRs and SVRs whose queue manager at their address has no such receiving channel.

    The address is that of a CLUSRCVR: a listener of the same queue manager answers there.
    """
    ends, answering = index.estate.ends, _answering(index)
    for site in index:
        for name, type_ in sorted(site.qmgr.channels.items()):
            if type_ not in UNCLUSTERED or name.startswith(SYSTEM):
                continue
            sender = site.qmgr.definitions["CHANNEL", name]
            other = _called_by(index, answering, sender)
            if other and not any(
                other.name in ends.get((name, end), ()) for end in PARTNERS[type_]
            ):
                yield site, sender, other


def _answering(index: Index) -> _Answering:
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for site in index:
        for receiver, _ in site.receivers:
            for host, port in connection(text_of(receiver, "CONNAME")):
                if host not in LOCAL:
                    found[host, port].add(site.name)
    return found


def _called_by(index: Index, answering: _Answering, sender: Definition) -> Site | None:
    """Return the queue manager at the address of a channel; None if none or several are."""
    said = connection(text_of(sender, "CONNAME"))
    names = {name for address in said for name in answering.get(address, ())}
    return index.sites[names.pop()] if len(names) == 1 else None
