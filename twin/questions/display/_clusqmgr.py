"""DISPLAY CLUSQMGR: the members of its clusters that a queue manager knows, and their channels.

Sources: IBM MQ 9.1, DISPLAY CLUSQMGR (DEFTYPE, CLUSDATE); 9.4, "Monitoring transmission queue
switching" (XMITQ is the queue in use, even if the definitions changed); IBM MQ 9.0, "DISPLAY
CLUSQMGR shows CLUSQMGR names starting SYSTEM.TEMP."; a capture of a 9.0 full repository for the
columns and for its own row. Rows are sorted by name, then by cluster and channel. The QMTYPE of a
temporary name is not documented: it is NORMAL here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from operator import itemgetter
from typing import Final

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, ChannelState, QueueManager
from twin.model.attributes import TYPES, Value
from twin.model.objects import Definition
from twin.model.platforms import shown_version
from twin.model.words import STATUSES
from twin.questions.basis import (
    basis_of_content,
    last_seen,
    role_known,
    suspension_known_until,
)
from twin.questions.display._definitions import (
    Columns,
    DisplaySource,
    DisplayView,
    FoundRow,
    attributes_of,
    dates_of,
    defaults,
    evidence_of,
    held_since,
    instance_columns,
    texts,
    unknown_columns,
    words,
)
from twin.questions.sender_channels import SenderChannels
from twin.rules import membership, standing
from twin.rules.channels.channel_status import current_state

TEMPORARY_NAME: Final = "SYSTEM.TEMPQMGR."

_NOT_SHOWN: Final = frozenset({"CERTLABL", "CLUSNL", "CLUSTER", "MONCHL", "RESETSEQ", "STATCHL"})
_SENDER_ONLY: Final[Mapping[str, Value]] = {"PASSWORD": "", "USERID": ""}
_OWN_COLUMNS: Final = (
    *texts("CHANNEL CLUSDATE CLUSTER CLUSTIME QMID VERSION XMITQ"),
    words("DEFTYPE", "CLUSSDR CLUSSDRA CLUSSDRB CLUSRCVR"),
    words("QMTYPE", "REPOS NORMAL"),
    words("STATUS", " ".join(word for word in STATUSES if word != "DISCONNECTED")),
    words("SUSPEND", "YES NO"),
)


@cache
def _columns(level: int) -> tuple[Columns, ...]:
    """Return the columns in alphabetical order: those of cluster channels, and others."""
    channel = {
        attribute.keyword: attribute
        for type_name in ("CLUSSDR", "CLUSRCVR")
        for attribute in TYPES[type_name].at(level)
        if attribute.keyword not in _NOT_SHOWN
    }
    own = {column.keyword: column for column in _OWN_COLUMNS}
    return (tuple(column for _, column in sorted({**channel, **own}.items())),)


def _find(source: DisplaySource) -> Iterator[FoundRow]:
    rows = [*_own(source), *_believed(source), *_temporary(source)]
    order = itemgetter("CLUSQMGR", "CLUSTER", "CHANNEL", "QMID")
    yield from sorted(rows, key=lambda row: tuple(map(str, order(row.values))))


def _row(values: Mapping[str, Value | None], *evidence: int) -> FoundRow:
    return FoundRow(values, evidence)


def _own(source: DisplaySource) -> Iterator[FoundRow]:
    """Show the queue manager itself, once per CLUSRCVR and cluster."""
    qmgr = source.qmgr
    if not source.request.names(qmgr.name):
        return
    for definition, clusters in membership.channels_of(qmgr, "CLUSRCVR"):
        attributes = attributes_of(qmgr, definition)
        state = qmgr.activity.channels.get(definition.name)
        for cluster in clusters:
            key = (cluster, "qmgr", definition.name)
            belief = qmgr.repository.instances(*key).get(qmgr.qmid)
            published: Mapping[str, Value] = belief.values if belief else {}
            since = definition.alter_date or qmgr.created_at
            if belief is not None:
                since = held_since(source, key, belief)
            seen = belief and last_seen(qmgr, key, belief)
            is_told = not qmgr.is_only_observed or cluster in qmgr.suspended
            is_known = is_told or suspension_known_until(qmgr, key) > 0
            role = "REPOS" if membership.is_full(qmgr, cluster) else "NORMAL"
            values = {
                **attributes,
                **_SENDER_ONLY,
                **dates_of("CLUS", since),
                **(dates_of("ALT", seen.altered) if seen and seen.altered else {}),
                "CLUSQMGR": qmgr.name,
                "CLUSTER": cluster,
                "DEFTYPE": "CLUSRCVR",
                "QMID": qmgr.qmid,
                "QMTYPE": role if is_told or role_known(qmgr, key) else None,
                "STATUS": state.status if state else _receives(qmgr, definition.name),
                "SUSPEND": published.get("SUSPEND", "NO") if is_known else None,
                "VERSION": shown_version(qmgr.known_version),
                "XMITQ": "",
            }
            yield _row(values, *evidence_of(source, definition), state.position if state else 0)


def _receives(qmgr: QueueManager, channel: str) -> str | None:
    """Return the status of a CLUSRCVR: as it was seen, else by the rules; None if nobody saw it."""
    if seen := standing.own_row(qmgr, channel) or standing.seen_status(qmgr, channel):
        return seen.status
    return None if qmgr.is_only_observed else "RUNNING"


def _believed(source: DisplaySource) -> Iterator[FoundRow]:
    """Return a row for every other queue manager that the repository knows."""
    qmgr = source.qmgr
    senders = SenderChannels(qmgr)
    manual = _manual(source)
    for name, belief in qmgr.repository.of_kind("qmgr"):
        if belief.owner == qmgr.qmid or not source.request.names(belief.owner_name):
            continue
        cluster, _, channel = name
        state = current_state(qmgr, channel, source.at)
        values = {
            **_record(source, name, belief),
            "DEFTYPE": _deftype(qmgr, name, belief, is_manual=(cluster, channel) in manual),
            "STATUS": _status(qmgr, channel, state),
            "XMITQ": senders.association(channel).queue,
        }
        found = _row(values, belief.position, state.position if state else 0)
        yield replace(found, basis=basis_of_content(qmgr, name, belief))


def _status(qmgr: QueueManager, channel: str, state: ChannelState | None) -> str | None:
    """Return the status of a channel that sends; None if nobody saw it."""
    if standing.is_unseen(qmgr, channel):
        return None
    return state.status if state else "INACTIVE"


def _deftype(qmgr: QueueManager, key: RecordName, belief: Belief, *, is_manual: bool) -> str:
    """Return DEFTYPE as it was seen, unless all channels of the queue manager were seen later."""
    seen = qmgr.repository.shown.get((key, belief.owner))
    channels = qmgr.confirmed.get("CHANNEL", NEVER_CONFIRMED)
    stands = qmgr.is_only_observed or not channels.complete
    if seen is not None and seen.deftype and stands and seen.at >= channels.at:
        return seen.deftype
    return "CLUSSDRB" if is_manual else "CLUSSDRA"


def _record(source: DisplaySource, name: RecordName, belief: Belief) -> dict[str, Value | None]:
    """Return the columns from the record of a queue manager; defaults are those of a CLUSRCVR."""
    return {
        **defaults("CLUSRCVR", source.level),
        **instance_columns(source, name, belief),
        **_SENDER_ONLY,
        "CHANNEL": name[2],
        "QMTYPE": belief.values.get("QMTYPE", "NORMAL"),
        "SUSPEND": belief.values.get("SUSPEND", "NO"),
        "VERSION": shown_version(str(belief.values.get("VERSION", ""))),
        **unknown_columns(belief),
    }


def _manual(source: DisplaySource) -> dict[tuple[str, str], Definition]:
    """Return the manual CLUSSDRs by cluster and name."""
    return {
        (cluster, definition.name): definition
        for definition, clusters in membership.channels_of(source.qmgr, "CLUSSDR")
        for cluster in clusters
    }


def _temporary(source: DisplaySource) -> Iterator[FoundRow]:
    """Return a row for every manual CLUSSDR whose target is not known yet."""
    qmgr = source.qmgr
    senders = SenderChannels(qmgr)
    for (cluster, channel), definition in _manual(source).items():
        address = str(definition.values.get("CONNAME", ""))
        known = qmgr.repository.instances(cluster, "qmgr", channel)
        if not source.request.names(TEMPORARY_NAME + address) or known.keys() - {qmgr.qmid}:
            continue
        state = current_state(qmgr, channel, source.at)
        values = {
            **defaults("CLUSRCVR", source.level),
            **attributes_of(qmgr, definition),
            **dates_of("CLUS", definition.alter_date or qmgr.created_at),
            "CLUSQMGR": TEMPORARY_NAME + address,
            "CLUSTER": cluster,
            "DEFTYPE": "CLUSSDR",
            "QMID": "SYSTEM.TEMPUUID." + address,
            "QMTYPE": "NORMAL",
            "STATUS": _status(qmgr, channel, state),
            "SUSPEND": "NO",
            "VERSION": "",
            "XMITQ": senders.association(channel).queue,
        }
        yield _row(values, *evidence_of(source, definition), state.position if state else 0)


CLUSQMGR: Final = DisplayView(
    message="AMQ8441",
    first=("CLUSQMGR",),
    columns=_columns,
    find=_find,
    lead=("CHANNEL", "CLUSTER"),
    selectors={"CHANNEL": frozenset(), "CLUSTER": frozenset()},
)
