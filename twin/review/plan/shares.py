"""The destinations of a put that take turns, and their shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.names import connection
from twin.questions.blocked import block_of
from twin.questions.message_walk import parts_of
from twin.questions.reachability import Rerouting, failing, rerouting
from twin.rules.draft import Draft
from twin.rules.path import partners

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.estate import QueueManager
    from twin.questions.explanation import Explanation
    from twin.rules.workload.choosing import Trace
    from twin.rules.workload.routes import Route

_NO_CHOICE: Final = "it has no other route"


class RouteShare(NamedTuple):
    """A destination that takes turns.

    Attributes:
        qmgr: the queue manager.
        channel: the channel to it; '' if it is local.
        share: its share of 100 puts.
        obstacle: why a message would not be sent on at once: what is the matter with the channel,
            or with its partner; '' if it would.
        then: the queue manager that a message goes to when its channel fails; '' if none.
        stays: why a message waits until its channel works; '' if it goes elsewhere.
        qmid, then_qmid: the QMIDs of the two queue managers; '' if they are not known, or none.
        address: where the channel leads: the CONNAME in the record that the sender holds; '' if it
            is local, or the record has none.
    """

    qmgr: str
    channel: str
    share: int
    obstacle: str = ""
    then: str = ""
    stays: str = ""
    qmid: str = ""
    then_qmid: str = ""
    address: str = ""


def turns_of(trace: Trace) -> list[tuple[Route, int]]:
    """Return the routes that take turns, each with its share of 100 puts."""
    routes = trace.finalists or ((trace.chosen,) if trace.chosen else ())
    parts = parts_of(routes, even=trace.context.even)
    return [(route, round(100 * part)) for route, part in zip(routes, parts, strict=True)]


def shares_of(rehearsal: Rehearsal, explained: Explanation, trace: Trace) -> tuple[RouteShare, ...]:
    """Return the destinations that take turns, with their shares of 100 puts."""
    draft = _reading(rehearsal)
    qmgr = draft.estate.qmgrs[explained.qmgr]
    movable = explained.bind == "notfixed" and not explained.resolved.fixed
    shares = []
    for route, share in turns_of(trace):
        channel = "" if route.local else route.channel
        why = _obstacle(draft, qmgr, channel, route.qmgr) if channel else ""
        goes = Rerouting()
        if why:
            goes = rerouting(draft, qmgr, trace, qmgr.messaging.workload, route, movable=movable)
        then, then_qmid = (goes.then.qmgr, goes.then.qmid) if goes.then is not None else ("", "")
        address = "" if route.local else _address(qmgr, route)
        place = (route.qmgr, channel, share, why, then, goes.stays, route.qmid, then_qmid)
        shares.append(RouteShare(*place, address))
    return tuple(sorted(shares))


def share_alone(rehearsal: Rehearsal, explained: Explanation) -> tuple[RouteShare, ...]:
    """Return the one destination of a put without a choice; nothing if the put has none.

    An instance of the queue manager itself is the same whether the name was chosen in a cluster or
    is only local: so its QMID is filled in here too.
    """
    name, channel = explained.alone
    if not name:
        return ()
    draft = _reading(rehearsal)
    qmgr = draft.estate.qmgrs[explained.qmgr]
    partner = partners.leads_to(draft.estate, qmgr, channel) if channel else ""
    why = _obstacle(draft, qmgr, channel, partner) if channel else ""
    there = draft.estate.qmgrs.get(partner) if channel else qmgr
    qmid = there.qmid if there is not None and there.name == name else ""
    return (RouteShare(name, channel, 100, why, stays=_NO_CHOICE if why else "", qmid=qmid),)


def _reading(rehearsal: Rehearsal) -> Draft:
    """Return a draft of a rehearsal that is only read."""
    estate = rehearsal.estate
    return Draft(estate, rehearsal.now(), estate.position + 1)


def _obstacle(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> str:
    """Return why a message for a channel would not be sent on at once; '' if it would.

    When a channel is retried next is left out: that alone is no difference.
    """
    block = block_of(qmgr, channel, draft.at)
    if block is not None:
        return str(block._replace(next_retry=None))
    return failing(draft, qmgr, channel, partner)


def _address(qmgr: QueueManager, route: Route) -> str:
    """Return the addresses in the record of a channel: hosts, each with a port."""
    records = qmgr.repository.instances(route.cluster, "qmgr", route.channel)
    conname = records[route.qmid].values.get("CONNAME", "") if route.qmid in records else ""
    return ",".join(f"{host}({port})" for host, port in connection(str(conname)))
