"""What an error log says of why a channel is RETRYING, in words, and what mends it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from twin.events.logged import EXPLAINING, FailureKind
from twin.model.commands import Command
from twin.model.instants import DAY, format_instant
from twin.questions.doctor import fixes
from twin.questions.doctor.finding import Finding
from twin.questions.doctor.index import Index, Site
from twin.rules import logged, standing
from twin.rules.logged import LoggedCause

_SAYS: Final[Mapping[FailureKind, str]] = MappingProxyType(
    {
        FailureKind.SEQUENCE: "The ends disagree about the next sequence number",
        FailureKind.BLOCKED: "{on} blocks it by channel authentication",
        FailureKind.TLS: "The ends do not agree on TLS",
        FailureKind.LIMIT: "{on} runs as many channels as it may",
        FailureKind.IN_USE: "{on} takes an old instance of the channel for alive",
        FailureKind.STOPPED: "The other end lets nobody in: most often it is STOPPED there",
    }
)
"""What a record says, by its kind; of messages that could not be put, the location does."""


def sentence(site: Site, channel: str, partner: Site | None, cause: LoggedCause | None) -> str:
    """Return the sentence that says why a channel fails, or which log could say it; '' for none.

    It begins with a blank.
    """
    if cause is not None:
        where = f"({cause.record.id} in the error log of {cause.on}"
        says = _SAYS.get(cause.kind, "").format(on=cause.on) or _dead_letters(
            cause, site.name if partner is None or cause.on != site.name else partner.name
        )
        return f" {says} {where}, {format_instant(cause.record.at)})."
    since = logged.failed_since(site.qmgr, channel)
    if since is None or partner is None or not partner.qmgr.observed:
        return ""
    if logged.knows_log(partner.qmgr, since):
        return ""
    return f" The error log of {partner.name} of that time, which may say why, was not imported."


def _dead_letters(cause: LoggedCause, other: str) -> str:
    """Return where messages went that could not be put: location 1 is that of the writer.

    Source: the text of AMQ9544 of 7.x, and logs of 9.1 (ArithInsert1).
    """
    at = {1: cause.on, 2: other}.get(cause.location)
    if at is None:
        return "Messages could not be put on their queue"
    return f"Messages could not be put on their queue, and went to the dead-letter queue of {at}"


def fix(site: Site, channel: str, cause: LoggedCause | None) -> tuple[Command, ...]:
    """Return the commands that mend what an error log says of a channel; () if that takes more.

    A sequence number is reset at the sending end, which is this one. A batch in doubt is resolved
    before that (IBM MQ, "RESET CHANNEL": AMQ9507).
    """
    if cause is None or cause.kind is not FailureKind.SEQUENCE:
        return ()
    if standing.batch_in_doubt(site.qmgr, channel) is not None:
        return ()
    verbs = ("RESET", "START")
    return tuple(fixes.command(site, verb, "CHANNEL", channel) for verb in verbs)


def dead_lettered(index: Index) -> Iterator[Finding]:
    """Find messages that could not be put within a day, by the location in AMQ9544."""
    for site in index:
        for record in site.qmgr.activity.seen.records.values():
            kind = EXPLAINING.get(record.id)
            if kind is not FailureKind.NOT_PUT or record.at <= index.at - DAY:
                continue
            cause = LoggedCause(kind, site.name, record)
            channel = record.channel or "a channel"
            ends = index.estate.ends.get((record.channel, "CLUSRCVR"), {})
            partner = next((name for name in ends if name != site.name), "its partner")
            at = partner if cause.location == 2 else site.name  # noqa: PLR2004 - the partner
            yield Finding(
                subject=site.about("CHANNEL", record.channel, aspect="dead letters"),
                text=f"{_dead_letters(cause, partner)} ({record.id} about {channel}, last "
                f"{format_instant(record.at)}).",
                evidence=(record.position,),
                on=tuple(dict.fromkeys((site.name, *([at] if at in index.sites else [])))),
                because=tuple(
                    index.sites[at].about("QUEUE", index.sites[at].qmgr.text("DEADQ"))
                    for at in ({at} & index.sites.keys())
                ),
            )
