"""The lifetimes of records: when each should be renewed, expires and is removed."""

from __future__ import annotations

from typing import Final

from twin.fold.estate import Estate
from twin.model.basis import Basis
from twin.model.instants import DAY, AsOf, Instant
from twin.questions.answer import Answer, BasedRow, Row
from twin.questions.belief import ObservedRecord, RecordFilters, records
from twin.questions.renewals import Renewals
from twin.rules.repository.lifetimes import RESEND_AFTER, expires, removal

ACTIVE: Final = "active"
OVERDUE: Final = "overdue"
EXPIRED: Final = "expired"


def lifetimes(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    owner: str | None = None,
    basis: str | None = None,
) -> Answer:
    """List the records that queue managers hold: when each is due again, expires, is removed.

    `on` is the observer. A record is `active` for 27 days after its owner sent it, `overdue` until
    it expires at 30, and `expired` until it is removed at 90 (IBM MQ 9.4, repository information
    retention). At each of these instants the record has the later state.

    Where a renewal is due that nobody saw (`twin.questions.renewals`), the dates are those without
    it, and `or_published` and `or_removal` those with it, unless captures show that renewals move
    CLUSDATE at the level of the observer: then a note says in how many.

    With `basis`, a record whose removal rests on less has no row: the dates are what is asked.

    Days to removal are rounded up, as in the warnings AMQ9469 and AMQ9456: n whole days overdue
    and 63 - n days left, so that 0 means removed.
    """
    filters = RecordFilters(on, cluster, kind, name, owner)
    renewals = Renewals(estate, as_of.valid)
    held = list(records(estate, filters))
    least = Basis.UNKNOWN if basis is None else Basis(basis)
    rows = [
        row
        for record in held
        if (row := _row(estate, renewals, record, as_of.valid)).basis["removal"].rank <= least.rank
    ]
    shown = {renewals.readings_of(record.observer) for record in held if record.observer.observed}
    notes = tuple(
        f"{each}: {'it is' if each.moves else 'so it may not be'} the date of the last renewal"
        for each in sorted(shown)
        if each.moved
    )
    return Answer.based("lifetimes", as_of, rows, basis=basis, notes=notes)


def republish_due(published: Instant) -> Instant:
    """Return when the owner should renew a record that it published at `published`."""
    return published + RESEND_AFTER


def state_of(published: Instant, *, at: Instant) -> str:
    """Return whether a record published at `published` is active, overdue or expired."""
    if at >= expires(published):
        return EXPIRED
    return OVERDUE if at >= republish_due(published) else ACTIVE


def days_to_removal(published: Instant, *, at: Instant) -> int:
    """Return how many days remain until a record is removed; a started day counts."""
    return max(0, -((at - removal(published)) // DAY))


def _row(estate: Estate, renewals: Renewals, record: ObservedRecord, at: Instant) -> BasedRow:
    known, basis = renewals.of(*record), record.basis(estate)
    published, other = known.at, known.other
    dated: Row = {
        "published": published,
        "republish_due": republish_due(published),
        "expires": expires(published),
        "removal": removal(published),
        "state": state_of(published, at=at),
        "days_to_removal": days_to_removal(published, at=at),
        "or_published": other,
        "or_removal": removal(other) if other is not None else None,
    }
    bases = {"name": basis.content, **dict.fromkeys(dated, known.basis)}
    if known.by_log and known.basis is not Basis.ASSUMED:
        bases |= dict.fromkeys(("republish_due", "removal", "days_to_removal"), Basis.OBSERVED)
    warned = record.observer.repository.warned.get((record.key, record.belief.owner))
    evidence = (*record.evidence(), *((warned.position,) if known.by_log and warned else ()))
    return BasedRow({**record.columns(), **dated}, evidence, bases)
