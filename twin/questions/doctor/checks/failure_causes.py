"""What an error log says of why a channel is RETRYING, in words, and what mends it."""

from __future__ import annotations

from collections.abc import Iterator

from twin.events.logged import EXPLAINING, FailureKind
from twin.model.commands import Command
from twin.model.instants import DAY, format_instant
from twin.questions.doctor import fixes
from twin.questions.doctor.finding import Finding
from twin.questions.doctor.index import Index, Site
from twin.questions.reachability import said
from twin.rules import logged, standing
from twin.rules.logged import LoggedCause


def sentence(site: Site, channel: str, partner: Site | None, cause: LoggedCause | None) -> str:
    """Return the sentence that says why a channel fails, or which log could say it; '' for none.

    It begins with a blank.
    """
    if cause is not None:
        other = partner.name if partner is not None and cause.on == site.name else site.name
        says = said(cause, other)
        at = format_instant(cause.record.at)
        where = f"({cause.record.id} in the error log of {cause.on}, {at})"
        return f" {says[0].upper()}{says[1:]} {where}."
    since = logged.failed_since(site.qmgr, channel)
    if since is None or partner is None or not partner.qmgr.observed:
        return ""
    if logged.knows_log(partner.qmgr, since):
        return ""
    return f" No line of that time of the error log of {partner.name} was imported; it may say why."


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
                text=f"For {channel}, {said(cause, partner)} ({record.id}, last "
                f"{format_instant(record.at)}).",
                evidence=(record.position,),
                on=tuple(dict.fromkeys((site.name, *([at] if at in index.sites else [])))),
                because=tuple(
                    index.sites[at].about("QUEUE", index.sites[at].qmgr.text("DEADQ"))
                    for at in ({at} & index.sites.keys())
                ),
            )
