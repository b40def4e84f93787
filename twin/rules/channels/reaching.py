"""Whether a channel can reach its partner (`twin.rules.path.partners` says which that is).

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

from collections.abc import Mapping

from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.attributes import Value
from twin.model.ini import merged, read_ini
from twin.model.messages import HOST_NOT_AVAILABLE, NOT_AVAILABLE, OUT_OF_SEQUENCE
from twin.model.objects import PARTNERS, RECEIVING
from twin.model.platforms import ZOS
from twin.rules import logged, membership, standing
from twin.rules.draft import Draft


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
    if draft.estate.links and draft.estate.link(sender.name, target).cut:
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
