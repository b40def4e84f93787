"""Checks of what expires: records that are not renewed, and repository managers in trouble."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from twin.events import ErrorLogged, RepositoryRefreshed
from twin.events.logged import FAILED_PUTS, REFUSED_REFRESHES
from twin.fold.beliefs import Belief, RecordName, Trouble
from twin.fold.estate import QueueManager
from twin.fold.seen_states import SeenStates
from twin.model.amounts import counted, verb
from twin.model.basis import Basis
from twin.model.instants import DAY, Instant, format_instant
from twin.model.names import COMMAND_QUEUE
from twin.model.objects import Subject
from twin.model.platforms import NUMBERS_AGAIN, ZOS, renumbers
from twin.questions.belief import EXPIRED, OVERDUE, days_to_removal, state_of
from twin.questions.doctor import fixes
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Cluster, Index, Site
from twin.questions.known_holdings import is_surely_held, is_surely_lacked
from twin.questions.newer_versions import newer_versions
from twin.questions.renewals import Published, Renewals
from twin.rules.repository.lifetimes import RESEND_AFTER, expires, removal

_SOON: Final = 7
"""How many days before its removal a record is reported as soon removed."""

_CYCLE: Final = RESEND_AFTER
_REFUSED: Final = "AMQ9406"
"""The message of a REFRESH CLUSTER REPOS(YES) at a full repository."""

_NOTHING_DONE: Final = (
    "REFRESH CLUSTER REPOS(YES) was refused at a full repository (AMQ9406), last on {}: nothing "
    "was changed. With REPOS(NO) it is not refused, and the full repository forgets the queues and "
    "topics of others for a time."
)
_FORGETS: Final = (
    "REFRESH CLUSTER was run at a full repository, last on {}. A full repository that is refreshed "
    "forgets the queues and topics of others until another full repository sends them, or their "
    "owners publish again. Applications may see 2085 or 2189 meanwhile."
)


class _Late(NamedTuple):
    """A member whose own record was not renewed, as the holders of the latest one hold it.

    Attributes:
        cluster, holder, key, belief: the record.
        known: when it was published.
        doubt: why its owner may not have renewed it; '' if nobody doubts the date.
        severity: of the finding; None for that of the rule.
        holders: who holds it.
    """

    cluster: Cluster
    holder: Site
    key: RecordName
    belief: Belief
    known: Published
    doubt: str
    severity: Severity | None
    holders: tuple[str, ...]


def overdue(index: Index) -> Iterator[Finding]:
    """Find members whose record should have been renewed, and has not expired yet."""
    for late in _late(index, OVERDUE):
        published = late.known.at
        yield _finding(
            index,
            late,
            f"was last published {format_instant(published)} and should have been renewed after 27 "
            f"days (AMQ9469). It expires {format_instant(expires(published))}",
        )


def expired(index: Index) -> Iterator[Finding]:
    """Find members whose record has expired, and is not removed within a week."""
    for late in _late(index, EXPIRED):
        published = late.known.at
        if days_to_removal(published, at=index.at) > _SOON:
            yield _finding(
                index,
                late,
                f"expired {format_instant(expires(published))}: full repositories no longer answer "
                f"with it. It is removed {format_instant(removal(published))}",
            )


def soon_removed(index: Index) -> Iterator[Finding]:
    """Find members whose record is removed within a week."""
    for late in _late(index, EXPIRED):
        days = days_to_removal(late.known.at, at=index.at)
        if days <= _SOON:
            yield _finding(
                index,
                late,
                f"is removed in {counted(days, 'day')}: then nobody can send to it, and messages "
                "that wait for it have no route",
            )


def _finding(index: Index, late: _Late, what: str) -> Finding:
    owner = late.belief.owner_name
    now = index.sites.get(owner)
    gone = index.proof_of_death(late.belief.owner)
    why = f"{owner} {gone.why}" if gone is not None else ""
    if late.known.other is not None and gone is None:
        what, why = _unsettled(late, index.at), f"It is not known which: {late.doubt}"
    elif now is not None and now.qmgr.qmid == late.belief.owner:
        why = f"{owner} runs" if now.qmgr.running else f"{owner} does not run"
    elif gone is None:
        why = f"{owner} has another QMID now: whether this one runs is not known"
    full = [name for name in late.cluster.full if name in late.holders]
    known = is_surely_held(index.estate, late.holder.qmgr, late.key, late.belief)
    return Finding(
        subject=late.cluster.about(qmgr=owner, aspect=late.belief.owner),
        text=f"The record of {owner} {what}. {why}. Held by {some(late.holders)}.",
        evidence=(late.belief.position, *_positions(late)),
        on=(owner, *late.holders[:20]),
        named=(owner, *late.holders[:5]),
        qmids=(late.belief.owner,),
        cluster=late.cluster.name,
        severity=late.severity,
        basis=late.known.basis,
        because=(late.cluster.about("QMGR", owner),),
        otherwise=(fixes.force_removal(full[0], late.cluster.name, late.belief.owner),)
        if full and gone
        else (),
        grounds=late.known.basis if known and late.known.basis is not Basis.ASSUMED else None,
    )


def _unsettled(late: _Late, at: Instant) -> str:
    """Say of a record with two readings of its date when it is removed by each."""
    known, owner = late.known, late.belief.owner_name
    shown = f"has CLUSDATE {format_instant(known.shown)} at" if known.shown else "was shown by"
    tense = "expired" if expires(known.at) <= at else "expires"
    other = format_instant(removal(known.other or known.at))
    return (
        f"{shown} {late.holder.name}. If {owner} last sent it at {format_instant(known.at)}, "
        f"it {tense} {format_instant(expires(known.at))} and is removed "
        f"{format_instant(removal(known.at))}, "
        f"else it is removed {other}"
    )


def _positions(late: _Late) -> Iterator[int]:
    """Yield the positions of what was seen of a record: CLUSDATE, and the warning of a log."""
    record, repository = (late.key, late.belief.owner), late.holder.qmgr.repository
    for seen in (repository.shown.get(record), repository.warned.get(record)):
        if seen is not None:
            yield seen.position


def _late(index: Index, state: str) -> Iterator[_Late]:
    """Yield the members whose record is in a state at its holders that hold the latest of it.

    Where something was seen of the dates of holders, the others do not count. Whether a queue
    manager that is only named has renewed it since is not known, unless CLUSDATE or a log speaks
    against it. CLUSDATE does so as long as nothing shows that renewals do not move it.
    """
    renewals = Renewals(index.estate, index.at)
    for (cluster, qmid), held in sorted(index.member_records.items()):
        dates = index.member_dates[cluster, qmid]
        seen = [each for each in dates if each.shown is not None or each.by_log]
        known = max(seen or dates, key=lambda each: each.at)
        unsettled = known.other is not None
        holder = held[dates.index(known)][0].qmgr
        warns = unsettled and not renewals.keeps_clusdate(holder)
        is_sight = warns or known.by_log
        if state_of(known.at, at=index.at) != state or (index.is_only_named(qmid) and not is_sight):
            continue
        severity = Severity.INFO if known.basis is Basis.ASSUMED else None
        if warns:
            severity = Severity.WARNING
        yield _Late(
            index.cluster(cluster),
            *held[dates.index(known)],
            known,
            renewals.doubt(qmid, cluster, known.at + RESEND_AFTER) if unsettled else "",
            severity,
            tuple(sorted({site.name for site, _, _ in held})),
        )


def dropped_out(index: Index) -> Iterator[Finding]:
    """Find members of which no full repository of their cluster holds a record."""
    for cluster in index.clusters:
        full = [index.sites[name].qmgr for name in cluster.among(cluster.full)]
        for name, receivers in sorted(cluster.members.items()) if full else ():
            site = index.sites[name]
            unsure = site.qmgr.started is None or site.qmgr.may_be_rebuilt
            if name in cluster.full or unsure or cluster.name in index.in_part:
                continue
            keys = [(cluster.name, "qmgr", receiver.name) for receiver in receivers]
            if not site.knows_all("CHANNEL") or not all(
                _is_unknown_at(index, each, key, site) for each in full for key in keys
            ):
                continue
            text = f"No full repository of {cluster.name} holds a record of {name}."
            if not site.qmgr.running:
                text += f" {name} does not run; it joins again when it starts and reaches one."
            senders = [sender for sender, clusters in site.senders if cluster.name in clusters]
            yield Finding(
                subject=cluster.about(qmgr=name, aspect="record"),
                text=text,
                evidence=(site.place(receivers[0]), site.place()),
                on=(name, *sorted(each.name for each in full)),
                named=(name,),
                cluster=cluster.name,
                because=(cluster.about(qmgr=name), cluster.about(), *map(site.called, senders)),
            )


def _is_unknown_at(index: Index, full: QueueManager, key: RecordName, member: Site) -> bool:
    """Return whether a full repository is known to hold no record of a member."""
    qmid, since = member.qmgr.qmid, member.qmgr.created
    return qmid not in full.repository.instances(*key) and is_surely_lacked(
        index.estate, full, key, qmid, since=since
    )


def repository_trouble(index: Index) -> Iterator[Finding]:
    """Find repository managers whose operations fail: their queue manager ends after five days.

    If the end that an error log announces has passed, and nothing was seen since, it is not known
    what became of it. If anything was seen since, the repository manager works again.
    """
    for site in index:
        trouble, seen = site.qmgr.repository.trouble, site.qmgr.activity.seen
        if trouble is None or trouble.storage:
            continue
        over = trouble.seen and trouble.retry is not None and (trouble.ends or 0) < index.at
        if over and last_seen(seen, site.name) > (trouble.ends or 0):
            continue
        put = ""
        if trouble.queue:
            put = f": a put on {trouble.queue} ended with {trouble.reason} (AMQ9511)"
        yield Finding(
            subject=site.about("REPOSITORY"),
            text="Its repository manager has been failing since "
            f"{format_instant(trouble.since)}{put}. The operation is run again every 10 minutes "
            f"(AMQ9448). {_end(site, trouble, over=over)}",
            evidence=(
                trouble.position,
                *(each.position for each in seen.records.values() if each.id in FAILED_PUTS),
                site.place(),
            ),
            on=(site.name,),
            severity=Severity.WARNING if over else None,
            because=tuple(
                site.about("QUEUE", name)
                for name in dict.fromkeys(
                    (trouble.queue, "SYSTEM.CLUSTER.TRANSMIT.QUEUE", COMMAND_QUEUE)
                )
                if name
            ),
            basis=Basis.OBSERVED if trouble.seen else None,
        )


def _end(site: Site, trouble: Trouble, *, over: bool) -> str:
    """Return in words when a queue manager ends because its repository manager fails."""
    if trouble.ends is None:
        return (
            "On z/OS the queue manager does not end."
            if site.qmgr.platform == ZOS
            else "No record says when the queue manager ends: five days after the first failure."
        )
    if trouble.retry is None:
        return (
            f"The five days do not pass while the command queue is GET(DISABLED); "
            f"{counted(trouble.ends // DAY, 'day')} {verb(trouble.ends // DAY, 'are')} left."
        )
    ends = format_instant(trouble.ends)
    if over:
        return (
            f"The queue manager was to end {ends}. Nothing that was seen since says whether it "
            "did, or the fault was repaired or the end put off."
        )
    return (
        f"The queue manager ends {ends} unless one succeeds (AMQ9449), it is restarted, or the end "
        f"is put off: ALTER QLOCAL({COMMAND_QUEUE}) GET(DISABLED)."
    )


def last_seen(seen: SeenStates, name: str) -> Instant:
    """Return when anything of the states or the error log of a queue manager was last seen."""
    of = (seen.qmgr, seen.channels, seen.depths, seen.listeners)
    return max(
        (*(each.at for known in of for each in known.values()), seen.logs.get(name, 0)), default=0
    )


def repository_storage(index: Index) -> Iterator[Finding]:
    """Find repositories that ran out of storage."""
    for site in index:
        if site.qmgr.repository.exhausted:
            yield Finding(
                subject=site.about("REPOSITORY", aspect="storage"),
                text="The repository ran out of storage.",
                evidence=(site.place(),),
                on=(site.name,),
                grounds=Basis.DERIVED,
            )


def repeated_refresh(index: Index) -> Iterator[Finding]:
    """Find clusters that were refreshed more than once within 27 days at one queue manager."""
    runs: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for fact in index.facts:
        if isinstance(fact.event, RepositoryRefreshed) and fact.at > index.at - _CYCLE:
            runs[fact.event.qmgr, fact.event.cluster].append((fact.at, fact.position))
    for (qmgr, cluster), times in sorted(runs.items()):
        if len(times) > 1 and qmgr in index.sites:
            last = format_instant(max(at for at, _ in times))
            yield Finding(
                subject=Subject(qmgr, cluster=cluster, aspect="REFRESH"),
                text=f"REFRESH CLUSTER was run {len(times)} times within 27 days, last {last}. It "
                "repeats a burst of traffic every 27 days, and hides what is wrong.",
                evidence=tuple(position for _, position in times),
                on=(qmgr,),
                cluster=cluster,
            )


def refreshed_full_repository(index: Index) -> Iterator[Finding]:
    """Find REFRESH CLUSTER at a full repository within 27 days, also if it was refused."""
    found: dict[tuple[str, str], list[_Refresh]] = defaultdict(list)
    for fact in index.facts:
        event = fact.event
        if fact.at <= index.at - _CYCLE:
            continue
        if isinstance(event, RepositoryRefreshed):
            if event.qmgr in index.cluster(event.cluster).full:
                found[event.qmgr, event.cluster].append(_Refresh(fact.at, fact.position, _FORGETS))
        elif isinstance(event, ErrorLogged) and event.id.startswith(_REFUSED):
            refused = _Refresh(fact.at, fact.position, _NOTHING_DONE)
            found[event.qmgr, event.inserts[-1] if event.inserts else ""].append(refused)
    for site in index:
        joined = [each.name for each in index.clusters if site.name in each.members]
        for seen in site.qmgr.activity.seen.records.values():
            if seen.id in REFUSED_REFRESHES and seen.at > index.at - _CYCLE:
                named = next((each for each in seen.inserts if each in joined), "")
                refused = _Refresh(seen.at, seen.position, _NOTHING_DONE)
                found[site.name, named].append(refused)
    for (qmgr, cluster), runs in sorted(found.items()):
        last = max(runs)
        yield Finding(
            subject=Subject(qmgr, cluster=cluster, aspect="full repository REFRESH"),
            text=last.what.format(format_instant(last.at)),
            evidence=tuple(run.position for run in runs),
            on=(qmgr,),
            cluster=cluster,
        )


class _Refresh(NamedTuple):
    """A REFRESH CLUSTER, and what is said of it."""

    at: Instant
    position: int
    what: str


def restored(index: Index) -> Iterator[Finding]:
    """Find restored queue managers of which others hold newer versions of records."""
    for site in index:
        for cluster in sorted(site.qmgr.repository.rank_offset):
            newer = newer_versions(index.estate, site.qmgr, cluster)
            if not newer:
                continue
            names = some(dict.fromkeys(each.key[2] for each in newer))
            holders = {each.holder for each in newer}
            hold = f"{some(sorted(holders))} {verb(len(holders), 'hold')} newer versions of {names}"
            heard = renumbers(site.qmgr.cmdlevel, site.qmgr.platform)
            then = (
                f". At level {site.qmgr.cmdlevel} it gave its records new numbers as it started, "
                "so what it publishes next is accepted without REFRESH CLUSTER. IBM's procedure "
                "still asks for that, and what it has forgotten of others stays wrong until it is "
                "used."
                if heard
                else f", and {verb(len(holders), 'ignore')} what it publishes of them until their "
                "numbers are passed. IBM asks for REFRESH CLUSTER here, once."
            )
            if heard is None:
                then += " With the fix of APAR PH58212 they accept it."
            back = "" if heard else ", and its sequence numbers went back"
            left = site.qmgr.cmdlevel in NUMBERS_AGAIN and cluster in site.qmgr.repository.refreshed
            how = "left the cluster and joined it" if left else "was restored to an earlier state"
            refresh = fixes.command(site, "REFRESH", "CLUSTER", cluster, REPOS="NO")
            yield Finding(
                subject=site.about(cluster=cluster, aspect="restored"),
                text=f"The queue manager {how}{back}. {hold}{then}",
                evidence=(site.place(),),
                on=(site.name,),
                cluster=cluster,
                severity=Severity.INFO if heard else Severity.WARNING if heard is None else None,
                otherwise=() if heard else (refresh,),
                grounds=Basis.DERIVED,
            )


def future_dates(index: Index) -> Iterator[Finding]:
    """Find records whose CLUSDATE lies after the instant of the examination."""
    for site in index:
        later = [
            (key[2], seen.position)
            for (key, _), seen in site.qmgr.repository.shown.items()
            if seen.received is not None and seen.received > index.at + DAY
        ]
        if later:
            yield Finding(
                subject=site.about(aspect="dates"),
                text=f"{counted(len(later), 'record')} at {site.name} {verb(len(later), 'have')} a "
                f"CLUSDATE in the future: {some(name for name, _ in later)}. The clock of "
                f"{site.name}, or the zone of its feeds, is wrong.",
                evidence=tuple(position for _, position in later[:20]),
                on=(site.name,),
            )
