"""The requests of partial repositories: whether they are used, and when that is checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from twin.fold.beliefs import RecordName, Subscription
from twin.fold.estate import Estate, QueueManager
from twin.model.basis import Basis
from twin.model.instants import AsOf, Instant
from twin.questions.answer import Answer, BasedRow, Row
from twin.questions.basis import is_shown
from twin.questions.belief import RecordFilters, observers
from twin.rules.assumptions import seen_in_use
from twin.rules.repository.lifetimes import CHECK_AFTER, LAPSE_AFTER, REMOVE_AFTER, has_lapsed

ACTIVE: Final = "active"
LAPSED: Final = "lapsed"


def subscriptions(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    basis: str | None = None,
) -> Answer:
    """List the requests of partial repositories, and until when full repositories serve them.

    `on` is the observer. A request lives 30 days. At 27 days it is checked: it is made again if it
    was used, and left to lapse if not (IBM MQ 9.4, repository information retention). Each time a
    request is made is a row. A lapsed request is listed as long as the observer holds a record of
    the name that the request can have brought: the last one is removed after 90 days. One that is
    assumed is renewed as long as it is assumed. That a queue manager asked for a queue follows from
    a record that it was seen to hold since.
    """
    filters = RecordFilters(on, cluster, kind, name)
    rows = (
        _row(observer, subject, request, state)
        for observer in observers(estate, on)
        for subject, request, state in sorted(
            _requests(observer, as_of.valid), key=lambda each: (each[0], *each[1][:2])
        )
        if filters.let(observer.name, subject, subject[2])
    )
    return Answer.based("subscriptions", as_of, rows, basis=basis)


_Request: TypeAlias = tuple[RecordName, Subscription, str]
"""A name, a request for it, and the state of the request."""


def _requests(observer: QueueManager, at: Instant) -> Iterator[_Request]:
    for name, request in observer.repository.subscriptions.items():
        yield name, request, LAPSED if has_lapsed(request.made, at=at) else ACTIVE
    for name, request in observer.repository.lapsed:
        is_held = observer.repository.beliefs.get(name, {}).keys() - {observer.qmid}
        if is_held and at < request.made + LAPSE_AFTER + REMOVE_AFTER:
            yield name, request, LAPSED


def _row(observer: QueueManager, name: RecordName, request: Subscription, state: str) -> BasedRow:
    unused = request.assumed and request.referenced == request.made
    row: Row = {
        "observer": observer.name,
        "cluster": name[0],
        "kind": name[1],
        "name": name[2],
        "made": request.made,
        "check_due": request.made + CHECK_AFTER,
        "expires": request.made + LAPSE_AFTER,
        "referenced": None if unused else request.referenced,
        "state": state,
    }
    basis = Basis.ASSUMED if request.assumed else Basis.DERIVED
    shown = name in seen_in_use(observer) and is_shown(observer.repository, name, request)
    asked = Basis.DERIVED if shown else basis
    dates = dict.fromkeys(("made", "check_due", "expires", "state"), basis)
    return BasedRow(row, (request.position,), {"name": asked, **dates})
