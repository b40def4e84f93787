"""Who may put to a queue, by which profile, and what ClusterQueueAccessControl would change.

The rule is `twin.rules.messages.authority`. A name that a queue manager has not asked for yet is
resolved by what the members of its clusters share.

Sources: IBM MQ, "Access control and multiple cluster transmission queues"; "Granting authority to
put messages to a remote cluster queue".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, product
from typing import Final, TypeAlias

from twin.errors import TwinError
from twin.events import Caller
from twin.fold.estate import Estate, QueueManager
from twin.model.authorities import ADMINISTRATORS, PUT, expanded, groups_by_user
from twin.model.basis import Basis, Source, Unknown
from twin.model.instants import AsOf
from twin.model.platforms import ZOS
from twin.model.reasons import reason_name
from twin.questions.answer import Answer, BasedRow, Row
from twin.questions.belief import observers
from twin.rules.draft import Draft
from twin.rules.messages import authority
from twin.rules.messages.authority import MODES, Authorization, Entity
from twin.rules.messages.destinations import Resolver
from twin.rules.path.graph import PathGraph
from twin.rules.path.resolved import Resolved
from twin.rules.workload.routes import Route

RACF: Final = "RACF"

_SETTLES: Final = {"records": Source.DUMP, "mode": Source.CONFIGURATION}
"""Why it is not known whether somebody may put -> what would settle it."""


class NoQueueAsked(TwinError, ValueError):
    """The queue of the question is missing."""

    def __init__(self) -> None:
        super().__init__("access needs queue (the name to put to)")


def access(
    estate: Estate,
    as_of: AsOf,
    *,
    queue: str | None = None,
    on: str | None = None,
    to: str = "",
    **who: str,
) -> Answer:
    """List who may put to a queue; `who` has the filters `as` and `groups`.

    Raises:
        NoQueueAsked: when there is no `queue`.
        GroupsAlone: if groups are given without a user.
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    if not queue:
        raise NoQueueAsked
    graph, caller = PathGraph(estate), caller_in(who)
    rows: list[BasedRow] = []
    notes: list[str] = []
    for qmgr in observers(estate, on):
        draft = Draft(estate, as_of.valid, estate.position + 1)
        resolved = Resolver(draft, qmgr, asks=False).resolve(queue, to)
        if resolved.reason:
            resolved = graph.at(qmgr).resolve(queue, to)
        if not resolved.path:
            failed = f"{resolved.reason} {reason_name(resolved.reason)}"
            notes += [f"{queue} on {qmgr.name}: {failed}"] if on else []
            continue
        opened = f"{queue}@{to}" if to else queue
        found = [*_rows(qmgr, resolved, opened, caller)]
        rows += (row for row, _ in found)
        notes += (f"{qmgr.name}: {note}" for note in _notes(qmgr, resolved, found))
    return Answer.based("access", as_of, rows, notes=tuple(dict.fromkeys(notes)))


def caller_in(filters: Mapping[str, str]) -> Caller | None:
    """Return the user in the filters `as` and `groups` of a question; None without a user.

    Raises:
        GroupsAlone: if groups are given without a user.
    """
    user = filters.get("as", "")
    return Caller.of(user, groups_by_user(user, filters.get("groups", "").split()))


_Found: TypeAlias = tuple[BasedRow, Authorization]


def _rows(
    qmgr: QueueManager, resolved: Resolved, opened: str, caller: Caller | None
) -> Iterator[_Found]:
    """Go through the rows of a queue manager: one for each mode and entity, or for the user."""
    modes, on_zos = authority.modes_of(qmgr), qmgr.platform == ZOS
    not_seen = Unknown(qmgr.name, Source.CONFIGURATION)
    for mode, ((kind, name), entities) in product(
        MODES[: 1 if on_zos else None], _askers(qmgr, resolved, caller).items()
    ):
        found = authority.access(qmgr, resolved, entities, modes=(mode,))
        unknown = Unknown(qmgr.name, _SETTLES.get(found.unknown))
        by = sorted(found.by, key=lambda each: PUT not in each.words)
        row: Row = {
            "on": qmgr.name,
            "opened": opened,
            "mode": RACF if on_zos else mode,
            "in_force": mode in modes if len(modes) == 1 else not_seen,
            "entity": name or None,
            "enttype": kind or None,
            "objtype": found.type_name or None,
            "profile": found.name or None,
            "granted": unknown if found.granted is None else found.granted,
            "matched_profile": (by[0].profile or None) if by else None,
            "authority": expanded(found.type_name, chain(*(each.words for each in by))),
        }
        yield BasedRow(row, _evidence(qmgr, found), _bases(found, caller)), found


def _askers(
    qmgr: QueueManager, resolved: Resolved, caller: Caller | None
) -> Mapping[Entity, tuple[Entity, ...]]:
    """Return who is asked about, each with the entities that he is: a user, or all with a profile.

    Administrators come first.
    """
    if caller is not None:
        return {("USER", caller.name): authority.entities_of(qmgr, caller, caller.name)}
    if qmgr.platform == ZOS:
        return {("", ""): ()}
    found = {
        each.entity
        for checked in filter(None, _checked(qmgr, resolved))
        for each in authority.granted(qmgr, *checked)
    }
    return {each: (each,) for each in (("GROUP", ADMINISTRATORS), *sorted(found))}


def _checked(qmgr: QueueManager, resolved: Resolved) -> set[Entity | None]:
    """Return type and name of the profiles that are checked with either mode."""
    return {authority.checked_object(qmgr, resolved, mode) for mode in MODES}


def _bases(found: Authorization, caller: Caller | None) -> Mapping[str, Basis]:
    """Return what a row rests on: a refusal of a user whose groups were not given is assumed."""
    lacks_groups = caller is not None and not caller.groups_of(caller.name)
    assumed = lacks_groups and found.granted is False
    return {"profile": Basis.DERIVED, "granted": Basis.ASSUMED if assumed else Basis.DERIVED}


def _evidence(qmgr: QueueManager, found: Authorization) -> tuple[int, ...]:
    """Return the positions of the records that count, and of the sights of all and of qm.ini."""
    seen, all_seen = qmgr.activity.seen.configuration.get(qmgr.name), qmgr.confirmed.get("AUTHREC")
    positions = [each.position for each in found.by]
    positions += [all_seen.complete] if all_seen is not None else []
    positions += [seen.position] if seen is not None else []
    return tuple(sorted({qmgr.position, *positions} - {0}))


def _notes(qmgr: QueueManager, resolved: Resolved, found: Iterable[_Found]) -> Iterator[str]:
    """Say what is not known, what the mode decides, and that the default grants all queues."""
    rows = [(row.row, each) for row, each in found]
    differs, modes = len(_checked(qmgr, resolved)) > 1, authority.modes_of(qmgr)
    unknown = {each.unknown: each for _, each in rows if each.unknown}
    if qmgr.platform != ZOS:
        if not authority.knows_records(qmgr):
            unknown.setdefault("records", Authorization(None, unknown="records"))
        if differs and len(modes) > 1:
            unknown["mode"] = Authorization(None, unknown="mode")
    yield from (why_unknown(qmgr, each) for each in unknown.values())
    may = {
        mode: {
            shown((str(row["enttype"]), str(row["entity"])))
            for row, each in rows
            if each.granted and row["mode"] == mode
        }
        for mode in MODES
    }
    for mode, other in (MODES, MODES[::-1]):
        if only := sorted(may[mode] - may[other]):
            yield f"only with {mode} may put: {', '.join(only)}"
    if differs and modes == ("Xmitq",) and qmgr.platform != ZOS:
        yield "with Xmitq, who may put to one remote cluster queue may put to all of them"


def shown(entity: Entity) -> str:
    """Write an entity as SET AUTHREC does: GROUP(apps)."""
    return f"{entity[0]}({entity[1]})"


def why_unknown(qmgr: QueueManager, found: Authorization) -> str:
    """Say why it is not known whether somebody may put."""
    return {
        "platform": f"on z/OS RACF decides, by profile {found.name} of class {found.type_name}",
        "alias": "which profile counts for a queue manager alias is not documented",
        "records": f"no file showed all authority records of {qmgr.name}: {Source.DUMP}",
        "mode": f"ClusterQueueAccessControl decides, and qm.ini of {qmgr.name} was never observed",
        "": "",
    }[found.unknown]


def lines_of(qmgr: QueueManager, resolved: Resolved, caller: Caller) -> tuple[str, ...]:
    """Say whether a user may put to a resolved name, by which profile, and what would grant it."""
    user, entities = caller.name, authority.entities_of(qmgr, caller, caller.name)
    return _said(qmgr, authority.access(qmgr, resolved, entities), user, caller, (PUT,))


def arrival_lines(
    draft: Draft, resolved: Resolved, route: Route, caller: Caller
) -> tuple[str, ...]:
    """Say whether the receiving end of a route may put for a user; () if nothing is checked."""
    receiver = draft.estate.qmgrs.get(route.qmgr)
    end = receiver.definitions.get(("CHANNEL", route.channel)) if receiver is not None else None
    if receiver is None or end is None or route.local:
        return ()
    there = Resolver(draft, receiver, asks=False).arrived(
        resolved.queue, resolved.named, bound=bool(resolved.fixed)
    )
    found = authority.on_arrival(receiver, end, there, caller)
    if found is None:
        return ()
    user, needs = authority.user_of(end, caller)
    return tuple(
        f"where it arrives, at {receiver.name}: {line}"
        for line in _said(receiver, found, user, caller, needs)
    )


def _said(
    qmgr: QueueManager,
    found: Authorization,
    user: str,
    caller: Caller,
    needs: tuple[str, ...],
) -> tuple[str, ...]:
    if found.granted is None:
        return (f"whether {user} may put is not known: {why_unknown(qmgr, found)}",)
    checked, words = f"{found.type_name} {found.name}", ",".join(needs)
    if found.granted:
        by = [
            f"{shown(each.entity)}{f' by profile {each.profile}' if each.profile else ''}"
            for each in found.by
            if not each.profile or not {*needs}.isdisjoint(each.words)
        ]
        return (f"{user} may put: {checked} is checked; {', '.join(by)}",)
    groups = caller.groups_of(user)
    whom = f"GROUP('{groups[0]}')" if groups else f"PRINCIPAL('{user}')"
    return (
        f"{user} may not put: no profile grants {words} on {checked}",
        f"SET AUTHREC PROFILE('{found.name}') OBJTYPE({found.type_name}) {whom} AUTHADD({words})",
        *(() if groups else (f"the groups of {user} were not given: it is taken to be in none",)),
    )
