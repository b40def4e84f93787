"""The status of a sending channel, whether the channel can be used, and its outcomes.

The disconnect interval: a channel becomes INACTIVE if it sends no message for that time.

Source: IBM MQ 9.4, "DEFINE CHANNEL", DISCINT; the error log of such a channel (AMQ9545). The twin
does not record that a channel has disconnected: it follows from the instant at which messages were
last sent (decision 13). Repository commands pass over a disconnected channel without starting it,
and do not keep a channel running [a simplification].

Whether a channel can reach its partner (`twin.rules.path.partners` says which that is).

The link of an observed channel that was last seen RETRYING is assumed to be cut (decision 43).

Until a receiving end notices that its partner is silent, a new start of the sending end is refused:
the receiving queue manager logs AMQ9514, the sending one AMQ9558. Adoption ends the old instance
instead: AdoptNewMCA in the stanza Channels of qm.ini (default NO; a list of channel types, or ALL),
on z/OS ADOPTMCA of the queue manager (default ALL). Decided here: the checks (AdoptNewMCACheck,
ADOPTCHK) always pass, because a partner keeps its name and its address in the twin;
AdoptNewMCATimeout takes no time. Sources: IBM MQ 9.4, "Channels stanza" (qm.ini), "ALTER QMGR"
(ADOPTMCA, ADOPTCHK); APAR IT31027 (AMQ9514); "Cluster-administration considerations".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from twin.events import Parcel, Portion, PortionAwaited
from twin.fold.estate import (
    DISCINT,
    NEVER_CONFIRMED,
    ChannelState,
    Estate,
    QueueManager,
)
from twin.model.attributes import Value
from twin.model.ini import merged, read_ini
from twin.model.instants import SECOND, Instant
from twin.model.messages import HOST_NOT_AVAILABLE, NOT_AVAILABLE, OUT_OF_SEQUENCE
from twin.model.names import connection
from twin.model.objects import PARTNERS, RECEIVING, UNCLUSTERED
from twin.model.platforms import ZOS
from twin.rules import logged, membership, standing
from twin.rules.draft import ChannelOutcome, Draft
from twin.rules.queues import left_clusters, transmission_queues


def status_of(qmgr: QueueManager, channel: str, at: Instant) -> str:
    """Return the status of a channel at an instant, as DISPLAY CHSTATUS writes it."""
    state = current_state(qmgr, channel, at)
    return state.status if state is not None else "INACTIVE"


def is_usable(draft: Draft, sender: QueueManager, channel: str, target: QueueManager) -> bool:
    """Return whether a channel runs, or would run if it were started now."""
    state = sender.activity.channels.get(channel)
    if state is not None and state.partner == target.name:
        if state.status != "RUNNING":
            return False
        if not is_idle(sender, channel, state, draft.at):
            return True
    return (state is None or state.status != "STOPPED") and can_reach(
        draft, sender, channel, target.name
    )


def carries_while_idle(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Return whether a channel has disconnected and still carries repository commands."""
    state = sender.activity.channels.get(channel)
    return (
        state is not None
        and state.partner == target
        and is_idle(sender, channel, state, draft.at)
        and can_reach(draft, sender, channel, target)
    )


def note_outcome(draft: Draft, qmgr: QueueManager, channel: str, outcome: ChannelOutcome) -> None:
    """Note what happened to a channel, if any messages at its queue manager are waiting."""
    if qmgr.name in draft.estate.qmgrs_with_waiting_messages:
        draft.channel_outcomes.pop((qmgr.name, channel), None)
        draft.channel_outcomes[qmgr.name, channel] = outcome


def is_rerouting(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel is STOPPING until its reallocation pass is done (z/OS).

    Source: IBM MQ 9.4, "Example of a cluster with more than one instance of a queue".
    """
    portion = qmgr.activity.portions.get((channel, "pass"))
    return portion is not None and bool(portion.then)


def await_portion(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    work: Literal["switch", "pass"],
    portion: Portion | None,
) -> None:
    """Let a switch or a pass go on with its next portion; None: it does not go on by itself."""
    draft.emit(PortionAwaited(qmgr=qmgr.name, channel=channel, work=work, portion=portion))


def interval(attributes: Mapping[str, Value]) -> Instant | None:
    """Return the disconnect interval of a channel in microseconds; None if it is the default.

    0 means that the channel never disconnects.
    """
    microseconds = int(str(attributes.get("DISCINT", DISCINT // SECOND))) * SECOND
    return None if microseconds == DISCINT else microseconds


def current_state(qmgr: QueueManager, channel: str, at: Instant) -> ChannelState | None:
    """Return the state of a channel at an instant; None if it is INACTIVE."""
    state = qmgr.activity.channels.get(channel)
    return None if state is None or is_idle(qmgr, channel, state, at) else state


def is_idle(qmgr: QueueManager, channel: str, state: ChannelState, at: Instant) -> bool:
    """Return whether a channel that ran has disconnected by the instant `at`.

    It did not disconnect if a message was waiting for it, held back or in doubt, when its interval
    ended. Messages that were put later make no difference. A status that was seen stands.
    """
    ends = state.ends
    if ends is None or at < ends or standing.stands(qmgr, channel):
        return False
    return not _waits(qmgr, channel, ends)


def is_over(state: ChannelState | None, at: Instant) -> bool:
    """Return whether a running channel sent nothing on record for its disconnect interval."""
    return state is not None and state.ends is not None and at >= state.ends


def disconnected_at(qmgr: QueueManager, channel: str, at: Instant) -> Instant | None:
    """Return when a channel disconnected; None if it is not disconnected at the instant `at`."""
    state = qmgr.activity.channels.get(channel)
    return state.ends if state is not None and is_idle(qmgr, channel, state, at) else None


def state_for_receiver(
    estate: Estate, sender: QueueManager, channel: str, at: Instant
) -> ChannelState | None:
    """Return the state of another queue manager's channel, as seen by the receiving end.

    Return None if it is INACTIVE. Waiting messages are checked only at senders that hold channels.
    """
    if sender.name in estate.qmgrs_holding_channels:
        return current_state(sender, channel, at)
    state = sender.activity.channels.get(channel)
    ends = state.ends if state is not None else None
    if ends is None or at < ends or standing.stands(sender, channel):
        return state
    return None


def _waits(qmgr: QueueManager, channel: str, before: Instant) -> bool:
    """Return whether a message that was put before an instant waits for a channel.

    Messages on the old queue of a switch that has stopped do not count: the channel gets none of
    them. Nor do those for a cluster that the queue manager has left.
    """
    if not qmgr.has_messaging or left_clusters.left_cluster(qmgr, channel):
        return False
    switch = qmgr.messaging.switching.get(channel)
    if switch is not None and switch.stopped:
        waiting = iter(qmgr.messaging.waiting.get(switch.to, {}).get(channel, ()))
    else:
        waiting = waiting_messages(qmgr, channel)
    return any(parcel.at < before for parcel in waiting)


def waiting_messages(qmgr: QueueManager, channel: str) -> Iterator[Parcel]:
    """Yield the messages that a channel would send next, in order.

    Messages on a queue that the channel no longer gets from are left out.
    """
    messaging = qmgr.messaging
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type not in UNCLUSTERED:
        yield from (parcel for _, parcel in transmission_queues.waiting(qmgr, channel))
        return
    for queue, label in sources(qmgr, channel):
        yield from messaging.waiting[queue][label] if label else messaging.local[queue]


def sources(qmgr: QueueManager, channel: str) -> list[tuple[str, str]]:
    """Return which messages on which queue a channel gets, as (transmission queue, label) pairs.

    The label of a message is the name of its cluster-sender channel, or '' if it has none. A
    cluster-sender channel gets the messages labelled with its own name. An SDR or SVR gets all
    messages on its queue; altering XMITQ moves no message (IBM MQ 9.4, "Working with cluster
    transmission queues and cluster-sender channels").
    """
    messaging = qmgr.messaging
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type not in UNCLUSTERED:
        return [(transmission_queues.queues(qmgr, channel)[0], channel)]
    queue = transmission_queues.queue_of(qmgr, channel)
    labels = [*messaging.waiting.get(queue, ()), *([""] if queue in messaging.local else [])]
    return [(queue, label) for label in labels]


def can_reach(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Return whether the target is running and the receiving end of this channel lets it in."""
    return not obstacle(draft, sender, channel, target)


def obstacle(draft: Draft, sender: QueueManager, channel: str, target: str) -> str:
    """Return the message id that says why a channel does not reach its partner; '' if it does.

    The partner does not let it in (AMQ9558) if the receiving end is stopped, if the partner is
    suspended by force, or if an old instance of the receiving end is still active and not adopted.
    A channel that is not defined at the sender is an auto-defined CLUSSDR, made from a CLUSRCVR.
    """
    other = draft.estate.qmgrs.get(target)
    receiving_types = PARTNERS.get(sender.channels.get(channel, ""), PARTNERS["CLUSSDR"])
    if other is None or not other.running or other.channels.get(channel) not in receiving_types:
        return HOST_NOT_AVAILABLE
    estate = draft.estate
    cut = bool(estate.links) and estate.link(sender.name, target).cut
    if cut or (estate.links and _has_moved(estate, sender, channel, other)):
        return HOST_NOT_AVAILABLE
    if sender.observed and is_assumed_cut(draft.estate, sender, channel, other):
        return HOST_NOT_AVAILABLE
    if sender.observed and logged.is_out_of_sequence(sender, channel, other):
        return OUT_OF_SEQUENCE
    state = other.activity.channels.get(channel)
    refuses = (
        (state is not None and state.status == "STOPPED")
        or (other.suspended and is_forced(other, channel))
        or is_refused(other, channel, sender.name)
    )
    return NOT_AVAILABLE if refuses else ""


def _has_moved(estate: Estate, sender: QueueManager, channel: str, target: QueueManager) -> bool:
    """Return whether no address of a channel leads to its target any more.

    A cluster-sender channel has the CONNAME in the record of its target, even where a manual
    CLUSSDR names another one; without a record, it has that of the definition (IBM MQ 9.4, "Working
    with auto-defined channels"; "Two full repositories moved at the same time").
    """
    held = (
        sender.repository.instances(cluster, "qmgr", channel).get(target.qmid)
        for cluster in sender.repository.clusters
    )
    values: list[Mapping[str, Value]] = [record.values for record in held if record is not None]
    defined = sender.definitions.get(("CHANNEL", channel))
    values += [defined.values] if defined is not None else []
    addresses = connection(str(values[0].get("CONNAME") or "")) if values else ()
    moved = [estate.link(target.name, f"{host}({port})").cut for host, port in addresses]
    return bool(moved) and all(moved)


def is_assumed_cut(
    estate: Estate, sender: QueueManager, channel: str, target: QueueManager
) -> bool:
    """Return whether the link of an observed channel is assumed to be cut.

    It is, once the channel was seen RETRYING, until it is seen in another status, the link is
    healed, or the target is started: then the target itself may have been the reason [decided
    here]. A channel that was seen STOPPED says nothing about its link. Ends that disagree about the
    sequence number (AMQ9526) have reached each other: RESET CHANNEL is what that channel needs.
    """
    seen = sender.activity.seen.of_channel(channel)
    if not sender.observed or seen is None or seen.status != "RETRYING":
        return False
    pair = (min(sender.name, target.name), max(sender.name, target.name))
    if any(seen.at <= estate.healed[each] for each in (("", ""), pair) if each in estate.healed):
        return False
    first_seen = target.observed and target.started == target.created
    since = first_seen or target.started is None or target.started <= seen.at
    return since and not logged.is_out_of_sequence(sender, channel, target)


def seems_down(estate: Estate, qmgr: QueueManager) -> bool:
    """Return whether a queue manager seems to be down, of which nobody saw that it runs.

    A channel to it was seen RETRYING, no channel from it or to it was seen RUNNING since, and it
    never answered. So nothing that it publishes arrives, until it is seen, started or healed
    [decided here].
    """
    if not qmgr.observed or standing.runs(qmgr) is not None:
        return False
    ways = [name for name, type_ in qmgr.channels.items() if type_ in RECEIVING]
    failed = runs = 0
    for other in estate.qmgrs.values() if ways else ():
        for name in ways:
            seen = other.activity.seen.channels.get(name) if other is not qmgr else None
            if seen is not None and seen.status == "RUNNING":
                runs = max(runs, seen.at)
            elif seen is not None and is_assumed_cut(estate, other, name, qmgr):
                failed = max(failed, seen.at)
        for rows in other.activity.seen.rows.values():
            came = [
                row.at
                for row in rows.values()
                if row.partner == qmgr.name and row.status == "RUNNING"
            ]
            runs = max([runs, *came])
    return failed > runs


def is_forced(receiver: QueueManager, channel: str) -> bool:
    """Return whether the clusters of a CLUSRCVR are all suspended by force; False if it has none.

    Source: IBM MQ 9.4, "SUSPEND QMGR", MODE(FORCE).
    """
    definition = receiver.definitions.get(("CHANNEL", channel))
    names = membership.clusters(receiver, definition) if definition is not None else ()
    return bool(names) and all(receiver.suspended.get(name) == "FORCE" for name in names)


def is_refused(receiver: QueueManager, channel: str, sender: str) -> bool:
    """Return whether an old receiving end is still active, and not adopted by a new one."""
    return is_active(receiver, channel, sender) and not adopts(receiver, channel)


def is_silent(draft: Draft, one: str, other: str) -> bool:
    """Return whether packets between two queue managers vanish."""
    return bool(draft.estate.links) and draft.estate.link(one, other).silent


def attributes_of(
    draft: Draft, qmgr: QueueManager, channel: str, partner: str
) -> Mapping[str, Value]:
    """Return the attributes of a sending channel: those of its partner's CLUSRCVR once it is known.

    Source: IBM MQ 9.x, "How cluster channels are defined".
    """
    other, repository = draft.estate.qmgrs.get(partner), qmgr.repository
    for cluster in membership.clusters_joined(qmgr) if other else ():
        if other and channel in repository.routes.get((cluster, other.qmid), ()):
            return repository.beliefs[cluster, "qmgr", channel][other.qmid].values
    definition = qmgr.definitions.get(("CHANNEL", channel))
    return definition.values if definition is not None else {}


def stanza(qmgr: QueueManager, name: str) -> Mapping[str, str]:
    """Return the attributes of a stanza of qm.ini, by name in upper case.

    Of an observed queue manager these are those that were last seen; else those of crtmqm -ii.
    """
    if qmgr.observed:
        seen = qmgr.activity.seen.configuration.get(qmgr.name)
        return {} if seen is None else seen.stanza(name)
    files = qmgr.configuration.ini if qmgr.configuration is not None else ()
    return merged((each for file in files for each in read_ini(file.text)), name) or {}


def is_active(receiver: QueueManager, channel: str, sender: str) -> bool:
    """Return whether a receiving end has not noticed yet that its sender went silent."""
    silence = receiver.activity.silent.get((channel, sender))
    return silence is not None and not silence.ended


def knows_configuration(qmgr: QueueManager) -> bool:
    """Return whether it is known what limits channels and adopts old ones.

    Of an observed queue manager it is once its qm.ini was seen, on z/OS its own attributes.
    """
    if qmgr.observed and qmgr.platform == ZOS:
        return bool(qmgr.confirmed.get("QMGR", NEVER_CONFIRMED).complete)
    return not qmgr.observed or qmgr.name in qmgr.activity.seen.configuration


def adopts(receiver: QueueManager, channel: str) -> bool:
    """Return whether a queue manager ends an old receiving end for a new one of this channel.

    What nothing shows is the default: see `knows_configuration`.
    """
    if receiver.platform == ZOS:
        return str(receiver.values.get("ADOPTMCA") or "ALL").upper() != "NO"
    listed = stanza(receiver, "Channels").get("ADOPTNEWMCA", "NO")
    types = {word.strip().upper() for word in listed.split(",")}
    return bool(types & {"ALL", receiver.channels.get(channel, "")})
