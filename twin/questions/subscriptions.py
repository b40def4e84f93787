"""The requests of partial repositories: whether they are used, and when that is checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from twin.fold.beliefs import Name, Subscription
from twin.fold.estate import Estate, QueueManager
from twin.model.asof import AsOf
from twin.model.instants import Instant
from twin.questions.answer import Answer, Row
from twin.questions.belief import observers
from twin.rules.repository.lifetimes import CHECK_AFTER, LAPSE_AFTER, REMOVE_AFTER, has_lapsed

ACTIVE: Final = "active"
LAPSED: Final = "lapsed"


class _Request(NamedTuple):
    name: Name
    made: Subscription
    state: str


def subscriptions(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
) -> Answer:
    """List what partial repositories asked for, and until when they are told of it.

    `on` is the observer. A request lives 30 days; at 27 it is checked: made again if it was
    referenced since, else left to lapse (IBM MQ 9.4, repository information retention). Each making
    is a row. A lapsed one stays while the observer still holds a record of the name that it can
    have brought: what came just before it lapsed is removed 90 days after.
    """
    rows: list[Row] = []
    evidence = []
    for observer in observers(estate, on):
        for request in sorted(_requests(observer, as_of.valid), key=_order):
            if (
                cluster in (None, request.name[0])
                and kind in (None, request.name[1])
                and name in (None, request.name[2])
            ):
                rows.append(_row(observer.name, request))
                evidence.append((request.made.position,))
    return Answer.of("subscriptions", as_of, rows, evidence)


def _requests(observer: QueueManager, at: Instant) -> Iterator[_Request]:
    for name, made in observer.repository.subscriptions.items():
        yield _Request(name, made, LAPSED if has_lapsed(made.made, at=at) else ACTIVE)
    for name, made in observer.repository.lapsed:
        if at < _expires(made) + REMOVE_AFTER and _holds(observer, name):
            yield _Request(name, made, LAPSED)


def _holds(observer: QueueManager, name: Name) -> bool:
    """Return whether a queue manager holds a record of a name from another owner."""
    owners = observer.repository.beliefs.get(name, {})
    return any(owner != observer.qmid for owner in owners)


def _order(request: _Request) -> tuple[Name, Instant, int]:
    return request.name, request.made.made, request.made.position


def _expires(made: Subscription) -> Instant:
    return made.made + LAPSE_AFTER


def _row(observer: str, request: _Request) -> Row:
    made = request.made
    return {
        "observer": observer,
        "cluster": request.name[0],
        "kind": request.name[1],
        "name": request.name[2],
        "made": made.made,
        "check_due": made.made + CHECK_AFTER,
        "expires": _expires(made),
        "referenced": made.referenced,
        "state": request.state,
    }
