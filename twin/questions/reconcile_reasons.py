"""Why what was seen at a queue manager may differ from what the rules derive: the likeliest reason.

Each reason names facts of the estate that the rules derive. If no fact explains a difference, the
reason says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.events import RecordSaid
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.basis import Basis
from twin.model.instants import Instant, format_instant
from twin.questions.basis import basis_of_record
from twin.questions.field_differences import FieldDifference
from twin.rules import membership
from twin.rules.channels.disconnecting import current_state

_USABLE: Final = frozenset({"INACTIVE", "RUNNING"})
_ALTERED: Final = "ALTERED"


def derived_only(
    derived: Estate, observer: QueueManager, name: RecordName, held: Belief, at: Instant
) -> str:
    """Say why a complete answer does not show a record that follows by the rules."""
    if basis_of_record(derived, observer, name, held).content is Basis.ASSUMED:
        return "it was assumed, and is not so"
    return waiting(derived, observer, held.owner, name[0], at)


def observed_only(
    derived: Estate, observer: QueueManager, name: RecordName, said: RecordSaid, at: Instant
) -> str:
    """Say why a record was seen that does not follow by the rules."""
    owner = owner_of(derived, said.owner) or (
        None if said.owner else derived.qmgrs.get(said.owner_name)
    )
    if owner is None:
        return f"not in the twin: {said.owner_name}?"
    if name not in membership.own_records(owner):
        return f"{owner.name} does not define it in the twin"
    if membership.is_full(observer, name[0]):
        return waiting(derived, observer, owner.qmid, name[0], at)
    what = f"a queue of {owner.name}" if name[1] == "qmgr" else "it"
    return f"nothing in the twin says that {observer.name}, a partial repository, used {what}"


def differing(
    derived: Estate,
    observer: QueueManager | None,
    name: RecordName,
    held: Belief,
    seen: RecordSaid,
    difference: FieldDifference,
) -> str:
    """Say why a field of a record differs."""
    owner = held.owner_name
    if difference.field == "QMID":
        return f"{owner} was rebuilt, or its definitions say no QMID and twin made one"
    if difference.field == "VERSION":
        return f"{owner} was upgraded, or its definitions say no level"
    then, now = seen.values.get(_ALTERED), held.values.get(_ALTERED)
    if isinstance(then, int) and isinstance(now, int) and then // 1_000_000 != now // 1_000_000:
        shown = f"seen as altered {format_instant(then)}, defined {format_instant(now)}"
        if then > now:
            return f"{shown}: the definitions in the twin are older"
        if observer is not None:
            return f"{shown}: {waiting(derived, observer, held.owner, name[0], derived.instant)}"
    return "nothing in the twin says why"


def waiting(
    derived: Estate, observer: QueueManager | None, owner: str, cluster: str, at: Instant
) -> str:
    """Say what on the way from an owner, over full repositories, to an observer is not usable."""
    found = list(_obstacles(derived, observer, owner, cluster, at))
    return "; ".join(found) or "every channel on the way is usable, as far as the twin knows"


def owner_of(derived: Estate, qmid: str) -> QueueManager | None:
    """Return the queue manager with a QMID that exists; None if there is none."""
    return next((each for each in derived.qmgrs.values() if each.qmid == qmid), None)


def _obstacles(
    derived: Estate, observer: QueueManager | None, qmid: str, cluster: str, at: Instant
) -> Iterator[str]:
    owner = owner_of(derived, qmid)
    full = [each for each in derived.qmgrs.values() if membership.is_full(each, cluster)]
    way = [*([owner] if owner else []), *full, *([observer] if observer else [])]
    for qmgr in dict.fromkeys(each.name for each in way):
        if not derived.qmgr(qmgr).running:
            yield f"{qmgr} has ended"
    seen = set()
    for place, sender in enumerate(way):
        for target in way[place + 1 :]:
            for definition, _ in membership.channels_of(target, "CLUSRCVR", cluster):
                state = current_state(sender, definition.name, at)
                key = (sender.name, definition.name)
                if state is not None and state.status not in _USABLE and key not in seen:
                    seen.add(key)
                    since = format_instant(state.since)
                    yield f"{definition.name} at {sender.name} is {state.status} since {since}"
