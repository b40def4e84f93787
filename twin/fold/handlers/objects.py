"""Fold what observations said of objects: the difference to what is known is computed here.

Fold definitions of MQ objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from twin import events
from twin.fold import seen_before
from twin.fold.estate import NEVER_CONFIRMED, Confirmation, Estate, QueueManager, Unsure
from twin.fold.handlers import queue_managers
from twin.model.attributes import Value
from twin.model.instants import SECOND, Instant, mq_date, mq_time
from twin.model.names import (
    CLUSTER_TRANSMISSION_QUEUE,
    COMMAND_QUEUE,
    creation_of,
    may_follow,
    qmid_of,
)
from twin.model.objects import Definition, value_in
from twin.model.observed_objects import differing, differing_attributes
from twin.model.platforms import DEFAULT_LEVEL, PLATFORMS
from twin.model.system_objects import initial_values

_CLUSTER_QUEUES: Final = frozenset({COMMAND_QUEUE, CLUSTER_TRANSMISSION_QUEUE})


def defined(
    estate: Estate,
    event: events.ObjectDefined | events.ObjectObserved,
    at: Instant,
    position: int,
) -> None:
    """Set a whole definition; if it replaces one of the same type, its creation instant is kept.

    An observation of an unknown queue manager is ignored: a late fact may have removed the queue
    manager, or its creation may be derived again at a higher position.
    """
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is None:
        return
    before = qmgr.definitions.get((event.kind, event.name))
    created = at if before is None or before.type != event.type else before.created
    definition = Definition(event.kind, event.name, event.type, event.values, created, at, position)
    add_definition(estate, qmgr, definition)


def altered(estate: Estate, event: events.ObjectAltered, at: Instant, position: int) -> None:
    """Set some attributes of a definition.

    If the definition is unknown, it vanished at the same instant: the event that says so has a
    higher position.
    """
    qmgr = estate.qmgrs[event.qmgr]
    key = (event.kind, event.name)
    before = qmgr.definitions.get(key)
    if before is None:
        return
    kind, name, type_, values, created = before[:5]
    values = {**values, **event.values}
    # Not _replace: most events of a long log are alterations, and it takes twice as long. The type
    # stays, so that the indexes of channels are right.
    now = Definition(kind, name, type_, values, created, at, position)
    if before.given is not None:
        now = now._replace(given=(*before.given, *event.values))
    qmgr.definitions[key] = now
    if _is_for_clusters(name, type_, values):
        qmgr.cluster_queues_changed = True
    qmgr.changed.add("definitions")
    if (unsure := qmgr.unsure.get(event.kind, {}).get(event.name)) is not None:
        changed = unsure._replace(values={**unsure.values, **event.values})
        qmgr.unsure[event.kind][event.name] = changed


def deleted(
    estate: Estate,
    event: events.ObjectDeleted | events.ObjectVanished,
    at: Instant,
    position: int,
) -> None:
    """Remove a definition, if it exists."""
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is not None:
        drop_definition(estate, qmgr, event.kind, event.name)
        if event.kind == "QUEUE" and isinstance(event, events.ObjectDeleted):
            forget_depth(estate, qmgr, event.name)


def forget_depth(estate: Estate, qmgr: QueueManager, queue: str) -> None:
    """Forget the depth that was seen of a queue which a command cleared or deleted."""
    if qmgr.observed and queue in qmgr.activity.seen.depths:
        seen = estate.changing(qmgr.name, "activity").activity.seen
        del seen.depths[queue]
        seen.queues.pop(queue, None)


def drop_definition(estate: Estate, qmgr: QueueManager, kind: str, name: str) -> None:
    """Remove a definition of a queue manager, if it exists."""
    qmgr.definitions.pop((kind, name), None)
    qmgr.unsure.get(kind, {}).pop(name, None)
    if kind == "CHANNEL" and name in qmgr.channels:
        forget_channel(estate, qmgr, name)
        if qmgr.observed and name in qmgr.activity.seen.channels:
            seen = estate.changing(qmgr.name, "activity").activity.seen
            del seen.channels[name]
            seen.rows.pop(name, None)
    qmgr.changed.add("definitions")


def add_definition(estate: Estate, qmgr: QueueManager, definition: Definition) -> None:
    """Set a definition of a queue manager; add a channel to the indexes of channels."""
    name = definition.name
    qmgr.definitions[definition.kind, name] = definition
    qmgr.unsure.get(definition.kind, {}).pop(name, None)
    if _is_for_clusters(name, definition.type, definition.values):
        qmgr.cluster_queues_changed = True
    if definition.kind == "CHANNEL":
        if name in qmgr.channels:
            forget_channel(estate, qmgr, name)
        qmgr.channels[name] = definition.type
        estate.ends.setdefault((name, definition.type), {})[qmgr.name] = None
    qmgr.changed.add("definitions")


def forget_channel(estate: Estate, qmgr: QueueManager, name: str) -> None:
    """Remove a channel from the indexes of channels."""
    channel_type = qmgr.channels.pop(name)
    del estate.ends[name, channel_type][qmgr.name]


def _is_for_clusters(name: str, type_: str, values: Mapping[str, Value]) -> bool:
    """Return whether a queue is one that a cluster's channels and repository manager use."""
    return type_ == "QLOCAL" and (name in _CLUSTER_QUEUES or values.get("USAGE") == "XMITQ")


_Shown: TypeAlias = events.ObjectsObserved | events.ObjectsDated | events.ObjectsImplied


def observed(estate: Estate, event: events.ObjectsObserved, at: Instant, position: int) -> None:
    """Set the objects that differ from what is known, and remove those that vanished.

    Objects that do not differ keep their instants and positions; that they were seen again is noted
    once for their kind. What is said of an earlier queue manager of the name says nothing of this
    one. An object that differs was altered when the observation says so, if that is after the last
    complete one, or if this joins the complete one of its instant; else at its instant. One that
    does not differ, but was altered after the last complete one, was set to the same values: it
    gets this instant only. A script without a date counts only for objects that nobody saw; they
    then have no date. One was created when the observation says so: nothing else knows it. An
    unknown queue manager is added; one that was rebuilt replaces the one before, and has the logs
    that reach to the date in its QMID.
    """
    seen_before.note(estate.seen_qmids, event, at)
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is not None and is_of_one_before(qmgr, event.qmid):
        return
    logs: dict[str, Instant] = {}
    if qmgr is not None and is_rebuilt(qmgr, event.qmid):
        logs, built = qmgr.activity.seen.logs, creation_of(event.qmid or "")
        logs = {name: end for name, end in logs.items() if end >= built}
        queue_managers.depart(estate, event.qmgr, position)
        qmgr = None
    if qmgr is None:
        queue_managers.first_seen(estate, first_seen(estate, event, at), at, position)
        qmgr = estate.qmgrs[event.qmgr]
        qmgr.made_qmid, qmgr.made_level = event.qmid is None, event.cmdlevel is None
        estate.changing(event.qmgr, "activity").activity.seen.logs.update(logs)
        if not qmgr.made_qmid and _was_seen_ended(qmgr):
            qmgr.activity.seen.qmgr.clear()
    queue_managers.note_level(qmgr, event)
    before = qmgr.confirmed.get(event.kind, Confirmation(position))
    if event.undated:
        qmgr.confirmed[event.kind] = before._replace(position=max(position, before.position))
        unseen = replace(event, said=qmgr.not_seen(event.kind, event.said))
        never: dict[str, Instant | None] = dict.fromkeys(each.name for each in unseen.said)
        _take(estate, qmgr, unseen, never, at, position)
        return
    estate.changing(event.qmgr, "activity").activity.seen.note_collection(at)
    complete = (position, at) if event.complete == "*" else (*before[1:3], _others(qmgr, event, at))
    qmgr.confirmed[event.kind] = Confirmation(max(position, before.position), *complete)
    since, joins = before.at, before.at == at and event.complete is None
    altered = {
        each.name: each.altered
        for each in event.said
        if each.altered is not None and (joins or since < each.altered) and each.altered < at
    }
    _take(estate, qmgr, event, altered, at, position, complete=event.complete)
    if event.kind == "QMGR":
        qmgr.built = _created(event, at).get("", qmgr.built)
    if event.kind in qmgr.unsure:
        seen = {each.name for each in event.said}
        qmgr.unsure[event.kind] = {
            name: each
            for name, each in qmgr.unsure[event.kind].items()
            if event.kind != "QMGR" and name not in seen
        }


def _others(qmgr: QueueManager, event: events.ObjectsObserved, at: Instant) -> dict[str, Instant]:
    """Return when objects were seen by observations that are not complete, with this one."""
    seen = [
        each
        for each in event.said
        if not each.base and (each.act == "define" or (not each.name and each.altered))
    ]
    names = {each.name for each in seen}
    others = dict(qmgr.confirmed.get(event.kind, Confirmation(0)).others or {})
    for type_name in {each.type for each in seen}:
        known = {
            each.name
            for (kind, _), each in qmgr.definitions.items()
            if kind == event.kind and each.type == type_name
        }
        if len(names) > 1 and known <= names:
            others[f"*{type_name}"] = at
            names -= known | {each.name for each in seen if each.type == type_name}
    return others | dict.fromkeys(names, at)


def dated(estate: Estate, event: events.ObjectsDated, at: Instant, position: int) -> None:
    """Set objects to what a later observation shows, since it says that they were altered now."""
    if (qmgr := estate.qmgrs.get(event.qmgr)) is not None:
        altered = {each.name: each.altered or at for each in event.said}
        _take(estate, qmgr, event, altered, at, position)
        unsure = qmgr.unsure.get(event.kind, {})
        for each in event.said:
            unsure.pop(each.name, None)


def implied(estate: Estate, event: events.ObjectsImplied, at: Instant, position: int) -> None:
    """Set objects to what a row about their queue manager shows of them."""
    if (qmgr := estate.qmgrs.get(event.qmgr)) is not None:
        altered = {each.name: each.altered or at for each in event.said}
        _take(estate, qmgr, event, altered, at, position)
        before = qmgr.confirmed.get(event.kind, NEVER_CONFIRMED)
        if event.kind == "CHANNEL":
            latest = max(position, before.position)
            others = {**(before.others or {}), **{f"+{each.name}": at for each in event.said}}
            qmgr.confirmed[event.kind] = Confirmation(latest, *before[1:3], others)


def unsure(estate: Estate, event: events.ObjectsUnsure, at: Instant, position: int) -> None:
    """Note what objects may be from now on, where that differs from what they were seen to be."""
    if (qmgr := estate.qmgrs.get(event.qmgr)) is None:
        return
    noted = qmgr.unsure.setdefault(event.kind, {})
    if event.kind == "QMGR":
        noted.update({each.name: Unsure(at, "QMGR", {}) for each in event.said if each.name})
        if values := differing_attributes(qmgr.name, qmgr.cmdlevel, qmgr.values, event.said):
            noted[""] = Unsure(at, "QMGR", values)
        return
    for (_, name), after in differing(
        qmgr.definitions, event.kind, event.said, complete=None
    ).items():
        if after is not None and (event.kind, name) in qmgr.definitions:
            noted[name] = Unsure(at, after.type, dict(after.values))


def _take(
    estate: Estate,
    qmgr: QueueManager,
    event: _Shown,
    altered: Mapping[str, Instant | None],
    at: Instant,
    position: int,
    *,
    complete: str | None = None,
) -> None:
    """Set what an observation says of objects, or of the queue manager itself."""
    shown = {each.name: each.altered for each in event.said if each.altered is not None}
    if shown:
        qmgr.zone = event.zone or ""
    if event.kind == "QMGR":
        _take_own(qmgr, event, altered, at, position)
        return
    changes = differing(qmgr.definitions, event.kind, event.said, complete=complete)
    for (kind, name), after in changes.items():
        if after is None:
            drop_definition(estate, qmgr, kind, name)
        else:
            before = qmgr.definitions.get((kind, name))  # what replaces it was created with it
            created = before.created if before is not None and before.type == after.type else None
            if created is None and kind == "CHANNEL":
                created = at  # DISPLAY shows none of a channel: this is when it became known
            date = altered.get(name, at)
            if before is not None and before.alter_date == shown.get(name, -1):
                date = shown[name]  # set without ALTER, as by MQSET
            definition = Definition(
                kind,
                name,
                after.type,
                dict(after.values),
                created,
                date,
                position,
                dated=date == shown.get(name, date) and name in shown,
                given=before.given if before is not None else None,
            )
            add_definition(estate, qmgr, definition)
    _note_given(qmgr, event, position)
    _date(estate, qmgr, event, altered, at, position)


def _note_given(qmgr: QueueManager, event: _Shown, position: int) -> None:
    """Note which attributes of objects were set that are known from scripts only.

    A DEFINE in a script has a base, of which its other attributes are; what a dump or an answer
    shows has none, and is known as a whole.
    """
    for each in event.said:
        known = qmgr.definitions.get((event.kind, each.name))
        if known is None or (known.given is None and not each.base):
            continue
        given = known.given
        if each.act == "define" and not each.base:
            given = None
        elif given is not None or known.position == position:
            given = tuple(sorted({*(given or ()), *each.values}))
        if given != known.given:
            _amend(qmgr, known, given=given)


def _take_own(
    qmgr: QueueManager,
    event: _Shown,
    altered: Mapping[str, Instant | None],
    at: Instant,
    position: int,
) -> None:
    """Set what an observation says of the queue manager itself, and when it was altered."""
    changed = differing_attributes(qmgr.name, qmgr.cmdlevel, qmgr.values, event.said)
    shown = min((at, *(each.altered for each in event.said if each.altered is not None)))
    if changed:
        qmgr.values = {**qmgr.values, **changed}
        qmgr.altered, qmgr.position = altered.get("", shown), position
        qmgr.dated = shown < at
    elif shown < at:
        qmgr.altered, qmgr.dated = shown, True
    if not qmgr.shows_all:
        qmgr.values = {**qmgr.values, **dict(_defaults_set(qmgr, event))}


def _defaults_set(qmgr: QueueManager, event: _Shown) -> Iterator[tuple[str, Value]]:
    """Yield what an observation says to have its default; what nothing says may differ from it."""
    values = {**initial_values(qmgr.name, level=qmgr.cmdlevel), **qmgr.values}
    for each in event.said:
        for keyword, value in each.values.items():
            if value_in("QMGR", values, keyword) == value:
                yield keyword, value


def _date(
    estate: Estate,
    qmgr: QueueManager,
    event: _Shown,
    altered: Mapping[str, Instant | None],
    at: Instant,
    position: int,
) -> None:
    """Set when objects were altered and created.

    Objects of the product have no date of their own before one is observed; that one is no change.
    A date that is shown takes the place of a later one: nobody saw that one, so it was that of an
    import. So it does of one that nothing showed.
    """
    for name, when in altered.items():
        same = qmgr.definitions.get((event.kind, name)) if when is not None else None
        if same and when and same.altered is not None and same.altered < when:
            add_definition(estate, qmgr, same._replace(altered=when, position=position, dated=True))
        elif same is not None and same.altered is None:
            _amend(qmgr, same, altered=when)
    for each in event.said:
        same = qmgr.definitions.get((event.kind, each.name))
        if same is None or same.position == position:
            continue
        is_first = not same.dated and each.altered is not None and each.altered <= at
        if is_first or (each.altered or at) < (same.altered or 0):
            _amend(qmgr, same, altered=each.altered, dated=True)
    for name, when in _created(event, at).items():
        known = qmgr.definitions.get((event.kind, name))
        if known is not None and known.created != when:
            _amend(qmgr, known, created=when)


def _amend(qmgr: QueueManager, definition: Definition, **known: Any) -> None:
    """Set what is known of a definition, such as its dates; its values do not change."""
    one = definition._replace(values=dict(definition.values), **known)
    qmgr.definitions[definition.kind, definition.name] = one
    qmgr.changed.add("definitions")


def _created(event: _Shown, at: Instant) -> dict[str, Instant]:
    """Return when objects were created, by name, if the observation says it; never later."""
    return {
        each.name: each.created
        for each in event.said
        if each.created is not None and each.created <= at
    }


def _was_seen_ended(qmgr: QueueManager) -> bool:
    """Return whether a queue manager that answers, with its QMID, was last seen not to run."""
    seen = qmgr.activity.seen.qmgr.get(qmgr.name)
    return seen is not None and seen.status != "RUNNING"


def is_rebuilt(known: QueueManager, qmid: str | None) -> bool:
    """Return whether a QMID is that of a later queue manager of the same name.

    If the twin made the known QMID, or the new one is earlier, nothing speaks for a rebuilt one. If
    the two cannot be ordered, the one that was seen itself last counts.
    """
    if qmid is None or not known.observed or known.made_qmid:
        return False
    return may_follow(qmid, known.qmid)


def is_of_one_before(known: QueueManager, qmid: str | None) -> bool:
    """Return whether a QMID is that of an earlier queue manager of the same name.

    It is not if the known QMID was not said by the queue manager itself.
    """
    if qmid in {None, known.qmid} or not known.observed or not known.says_qmid:
        return False
    return not is_rebuilt(known, qmid)


def first_seen(
    estate: Estate, event: events.ObjectsObserved, at: Instant
) -> events.QueueManagerFirstSeen:
    """Return what an observation says of an unknown queue manager.

    Without a QMID in it, one is made as crtmqm would make it at that instant.
    """
    moment, qmid = at, event.qmid
    while qmid is None or (event.qmid is None and qmid in estate.names):
        qmid = qmid_of(event.qmgr, mq_date(moment), mq_time(moment))
        moment += SECOND
    return events.QueueManagerFirstSeen(
        qmgr=event.qmgr,
        qmid=qmid,
        cmdlevel=event.cmdlevel or DEFAULT_LEVEL,
        platform=event.platform or PLATFORMS[0],
    )
