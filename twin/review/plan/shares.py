"""The destinations of a put that take turns, and their shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from twin.model.names import connection
from twin.questions.reachability import Rerouting, rerouting
from twin.questions.turn_parts import parts_of
from twin.rules.draft import Draft

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.estate import Estate, QueueManager
    from twin.questions.explanation import Explanation
    from twin.rules.workload.routes import Route
    from twin.rules.workload.trace import Trace


class RouteShare(NamedTuple):
    """A destination that takes turns.

    Attributes:
        qmgr: the queue manager.
        channel: the channel to it; '' if it is local.
        share: its share of 100 puts.
        ended: whether the queue manager has ended, so that what goes there waits, or is rerouted
            when its channel fails.
        then: the queue manager that a message goes to when its channel fails; '' if none.
        stays: why a message waits until its channel works; '' if it goes elsewhere.
        qmid, then_qmid: the QMIDs of the two queue managers; '' if they are not known, or none.
        address: where the channel leads: the CONNAME in the record that the sender holds; '' if it
            is local, or the record has none.
    """

    qmgr: str
    channel: str
    share: int
    ended: bool = False
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
    estate = rehearsal.estate
    draft = Draft(estate, rehearsal.now(), estate.position + 1)
    qmgr = estate.qmgrs[explained.qmgr]
    movable = explained.bind == "notfixed" and not explained.resolved.fixed
    shares = []
    for route, share in turns_of(trace):
        channel = "" if route.local else route.channel
        ended, goes = _has_ended(estate, route.qmid), Rerouting()
        if ended and channel:
            workload = qmgr.messaging.workload
            goes = rerouting(draft, qmgr, trace, workload, route, movable=movable)
        then, then_qmid = (goes.then.qmgr, goes.then.qmid) if goes.then is not None else ("", "")
        address = "" if route.local else _address(qmgr, route)
        place = (route.qmgr, channel, share, ended, then, goes.stays, route.qmid, then_qmid)
        shares.append(RouteShare(*place, address))
    return tuple(sorted(shares))


def _address(qmgr: QueueManager, route: Route) -> str:
    """Return the addresses in the record of a channel: hosts, each with a port."""
    records = qmgr.repository.instances(route.cluster, "qmgr", route.channel)
    conname = records[route.qmid].values.get("CONNAME", "") if route.qmid in records else ""
    return ",".join(f"{host}({port})" for host, port in connection(str(conname)))


def _has_ended(estate: Estate, qmid: str) -> bool:
    """Return whether a queue manager in the twin was deleted or does not run."""
    return qmid in estate.names and not estate.owner(qmid).running
