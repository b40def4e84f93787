"""Checks of dead-letter queues: without a usable one, one message stops a channel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from twin.model.amounts import counted
from twin.model.attributes import LARGEST
from twin.model.commands import Command
from twin.model.objects import Definition, number_of, text_of
from twin.model.reasons import PUT_INHIBITED, reason_name
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks.system_queues import NEARLY_FULL, WHOLE, depths_of
from twin.questions.doctor.finding import Finding, FixClass, Severity
from twin.questions.doctor.index import Index, Site
from twin.questions.sender_channels import messaging_of

_USUAL: Final = "SYSTEM.DEAD.LETTER.QUEUE"
_NEW: Final = ("DEAD.LETTER.QUEUE", "DEAD.LETTERS")
"""Names for a new one."""

_SHOWN: Final = 3
"""How many kinds of dead letters a finding names."""


def blank(index: Index) -> Iterator[Finding]:
    """Find members without a dead-letter queue."""
    for site in index:
        if site.receivers and site.knows_all("QMGR") and not _name(site):
            yield Finding(
                subject=site.about("QMGR", aspect="DEADQ"),
                text="The queue manager has no dead-letter queue. One message that cannot be put "
                "stops the channel that brings it, with all messages after it.",
                evidence=(site.place(),),
                on=(site.name,),
                fix=(fixes.alter_qmgr(site, DEADQ=_USUAL),) if _is_usable(site) else (),
                probe=probes.undelivered(index, site),
            )


def missing(index: Index) -> Iterator[Finding]:
    """Find DEADQ that names no local queue."""
    for site in index:
        name = _name(site)
        queue = site.queue(name)
        if not name or (queue is not None and queue.type == "QLOCAL"):
            continue
        what = f"is a {queue.type}" if queue is not None else "does not exist"
        near = next((each for each in _local_queues(site) if each.upper() == name.upper()), "")
        if queue is None and near:
            what += f": {near} differs from it in upper and lower case"
        yield Finding(
            subject=site.about("QUEUE", name),
            text=f"DEADQ of {site.name} names this queue, which {what}.",
            evidence=(site.place(), *([site.place(queue)] if queue else [])),
            on=(site.name,),
            severity=None if queue is not None or site.knows_all("QUEUE") else Severity.WARNING,
            fix=(
                _another(site)
                if queue is not None
                else (fixes.alter_qmgr(site, DEADQ=near),)
                if near
                else (fixes.command(site, "DEFINE", "QLOCAL", name),)
            ),
            probe=probes.undelivered(index, site),
        )


def _local_queues(site: Site) -> Iterator[str]:
    for (kind, name), definition in site.qmgr.definitions.items():
        if kind == "QUEUE" and definition.type == "QLOCAL":
            yield name


def usage(index: Index) -> Iterator[Finding]:
    """Find dead-letter queues that are transmission queues."""
    for site, queue in _queues(index):
        if queue.is_transmission_queue:
            yield Finding(
                subject=site.called(queue),
                text="The queue is a transmission queue, and the dead-letter queue: dead letters "
                "cannot be put there.",
                evidence=(site.place(queue),),
                on=(site.name,),
                fix=_of_normal_use(site, queue),
            )


def _of_normal_use(site: Site, queue: Definition) -> tuple[Command, ...]:
    """Return the commands that give a queue manager a dead-letter queue with USAGE(NORMAL).

    USAGE of a queue with messages is not altered, nor that of one that channels get from
    (IBM MQ, "ALTER QLOCAL (USAGE)").
    """
    if not _is_usable(site) and _is_free(site, queue):
        return (fixes.alter(site, queue, USAGE="NORMAL"),)
    return _another(site)


def _is_usable(site: Site) -> bool:
    """Return whether dead letters can be put on the usual queue for them."""
    queue = site.queue(_USUAL)
    return queue is not None and queue.type == "QLOCAL" and not queue.is_transmission_queue


def _is_free(site: Site, queue: Definition) -> bool:
    """Return whether a transmission queue is known to be empty, and nothing names it as one."""
    unseen = site.qmgr.observed and queue.name not in site.qmgr.activity.seen.depths
    if unseen or depths_of(site).get(queue.name) or text_of(queue, "CLCHNAME"):
        return False
    users = {
        text_of(each, keyword)
        for each in site.qmgr.definitions.values()
        for keyword in ("XMITQ", "RQMNAME")
    }
    return queue.name not in {site.qmgr.text("DEFXMITQ"), *users}


def _another(site: Site) -> tuple[Command, ...]:
    """Return the commands that name another dead-letter queue: the usual one, or a new one."""
    if _is_usable(site):
        return (fixes.alter_qmgr(site, DEADQ=_USUAL),)
    name = next((each for each in _NEW if site.queue(each) is None), "")
    if not name:
        return ()
    made = fixes.command(site, "DEFINE", "QLOCAL", name)
    return (made, fixes.alter_qmgr(site, DEADQ=name))


def disabled(index: Index) -> Iterator[Finding]:
    """Find dead-letter queues that are put-disabled."""
    for site, queue in _queues(index):
        if queue.is_put_inhibited:
            yield Finding(
                subject=site.called(queue),
                text="The dead-letter queue is PUT(DISABLED).",
                evidence=(site.place(queue),),
                on=(site.name,),
                fix=(fixes.alter(site, queue, PUT="ENABLED"),),
                probe=probes.undelivered(index, site),
            )


def full(index: Index) -> Iterator[Finding]:
    """Find dead-letter queues that are full, or nearly full.

    A deeper queue is no cure alone: what fills it is enabled first, if that is a queue with
    PUT(DISABLED).
    """
    for site, queue in _queues(index):
        depth, most = depths_of(site).get(queue.name, 0), number_of(queue, "MAXDEPTH")
        if depth and depth >= most * NEARLY_FULL // WHOLE:
            disabled_queues, fills = _put_disabled(site, queue), _what_fills(site, queue)
            yield Finding(
                subject=site.called(queue),
                text=f"The dead-letter queue has {depth} of {counted(most)}{fills}",
                evidence=(site.place(queue),),
                on=(site.name,),
                severity=None if depth >= most else Severity.WARNING,
                fix=(
                    *(fixes.alter(site, each, PUT="ENABLED") for each in disabled_queues),
                    fixes.alter(site, queue, MAXDEPTH=min(2 * most, LARGEST)),
                ),
                fix_class=FixClass.OWNER,
                because=tuple(site.called(each) for each in disabled_queues),
                probe=probes.undelivered(index, site)
                if depth >= most and not site.qmgr.observed
                else None,
            )


def _what_fills(site: Site, queue: Definition) -> str:
    """Return the end of a sentence: what the dead letters are for, and why they are there."""
    counts: Counter[tuple[str, int]] = Counter()
    for parcel in messaging_of(site.qmgr).local.get(queue.name, ()):
        if parcel.reason:
            counts[parcel.queue, parcel.reason] += parcel.count
    if not counts:
        return ". Look at their reasons with runmqdlq before you make it deeper."
    common = counts.most_common(_SHOWN)
    kinds = [f"{n} for {name} ({code} {reason_name(code)})" for (name, code), n in common]
    rest = counts.total() - sum(n for _, n in common)
    more = f" and {rest} others" if rest else ""
    return f": {', '.join(kinds)}{more}. If it is only made deeper, it fills again."


def _put_disabled(site: Site, queue: Definition) -> list[Definition]:
    """Return the queues that are PUT(DISABLED) now, and for which dead letters are here."""
    parcels = messaging_of(site.qmgr).local.get(queue.name, ())
    names = {each.queue for each in parcels if each.reason == PUT_INHIBITED}
    found = [site.queue(name) for name in sorted(names)]
    return [each for each in found if each is not None and each.is_put_inhibited]


def used(index: Index) -> Iterator[Finding]:
    """Find messages on dead-letter queues."""
    for site, queue in _queues(index):
        depth, most = depths_of(site).get(queue.name, 0), number_of(queue, "MAXDEPTH")
        if 0 < depth < most * NEARLY_FULL // WHOLE:
            yield Finding(
                subject=site.called(queue),
                text=f"The dead-letter queue has {counted(depth)}. Repository commands among them "
                "expire after about 30 days.",
                evidence=(site.place(queue),),
                on=(site.name,),
            )


def _name(site: Site) -> str:
    return site.qmgr.text("DEADQ")


def _queues(index: Index) -> Iterator[tuple[Site, Definition]]:
    for site in index:
        queue = site.queue(_name(site))
        if queue is not None and queue.type == "QLOCAL":
            yield site, queue
