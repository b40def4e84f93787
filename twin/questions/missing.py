"""What is not known of imported queue managers, or old, and what to collect so that it is known.

What the answers call unknown names the command or file that would settle it. Beside that, states
are unknown that no row shows: whether a queue manager runs, what it holds, what else it defines.
A kind of facts is old when its newest sight is no longer fresh (`twin.questions.sights`). A queue
manager that is known to have ended cannot be asked, and one that was stated to be gone need not be.

Source: design laws 17, 18 and 21.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Final, TypeAlias

from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.amounts import counted
from twin.model.basis import Source
from twin.model.harmless import visible_line
from twin.model.instants import AsOf, Instant, format_instant
from twin.model.names import generic, legal_name
from twin.model.platforms import ZOS
from twin.questions.answer import Answer, Row
from twin.questions.belief import observers
from twin.questions.capacity import capacity
from twin.questions.channels import channels
from twin.questions.completeness.missing_queue_managers import missing_queue_managers
from twin.questions.heartbeats import heartbeats
from twin.questions.sights import fresh
from twin.questions.transmission import transmission
from twin.questions.transmission import transmission_queues_of as queues_of
from twin.rules import membership, standing

_ASKED: Final[Mapping[str, Callable[[Estate, AsOf], Answer]]] = MappingProxyType(
    {
        "channels": channels,
        "transmission": transmission,
        "heartbeats": heartbeats,
        "capacity": capacity,
    }
)
"""The questions whose unknown values are counted."""

_HELD: Final = {"qmgr": Source.MEMBERS, "queue": Source.QUEUES, "topic": Source.TOPICS}
"""The kind of a record -> what shows which of them a queue manager holds."""

_WEAKENED: Final = ("beliefs", "divergence", "explain", "lifetimes", "members")
"""The questions whose answers rest on what queue managers hold."""

_DEFINED: Final = ("CHANNEL", "QUEUE")
"""The kinds of objects on which the answers rest."""

_NOT_ON_ZOS: Final = frozenset({Source.QMSTATUS, Source.LISTENERS, Source.CONFIGURATION})
"""What a queue manager of z/OS does not have (IBM MQ, DISPLAY QMSTATUS, DISPLAY LSSTATUS)."""


@dataclass(slots=True)
class _Wanted:
    """What one command or file would settle.

    Attributes:
        unknown: question -> how many unknown values.
        stale: question -> how many values that are old.
        seen: when the old ones were seen last; None if none is old.
        position: the position of an event that says so.
    """

    unknown: Counter[str] = field(default_factory=Counter)
    stale: Counter[str] = field(default_factory=Counter)
    seen: Instant | None = None
    position: int = 0

    def age(self, question: str, instants: Collection[Instant], fresh_since: Instant) -> None:
        """Count values that were all seen before they were fresh."""
        latest = max(instants, default=fresh_since)
        if latest < fresh_since:
            self.stale[question] += len(instants)
            self.seen = max(latest, self.seen or latest)

    @property
    def settles(self) -> int:
        """How many values it would settle."""
        return self.unknown.total() + self.stale.total()

    def __str__(self) -> str:
        """Say how many values it would settle, and of which answers."""
        numbers = [(self.unknown.total(), "unknown"), (self.stale.total(), "old")]
        amounts = " and ".join(f"{number:,} {word}" for number, word in numbers if number)
        return f"{amounts}: {', '.join(sorted({*self.unknown, *self.stale}))}"


def missing(estate: Estate, as_of: AsOf, *, on: str | None = None) -> Answer:
    """List what to collect: see the declaration of the question.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`, and nothing names it.
    """
    wanted = _wanted(estate, as_of)
    if on is not None and all(name != on for name, _ in wanted):
        observers(estate, on)
    found = {key: each for key, each in wanted.items() if on in (None, key[0])}
    value: Counter[str] = Counter()
    for (name, _), each in found.items():
        value[name] += each.settles
    order = sorted(
        found, key=lambda key: (-value[key[0]], key[0], -found[key].settles, str(key[1]))
    )
    rows = [(_row(*key, found[key]), (found[key].position,)) for key in order]
    return Answer.of("missing", as_of, rows, lines=_script(estate, order, found))


def _row(name: str, source: Source, wanted: _Wanted) -> Row:
    return {
        "on": name,
        "source": str(source),
        "settles": wanted.settles,
        "unknown": wanted.unknown.total(),
        "stale": wanted.stale.total(),
        "answers": tuple(sorted({*wanted.unknown, *wanted.stale})),
        "last_seen": wanted.seen,
    }


_Wants: TypeAlias = dict[tuple[str, Source], _Wanted]
"""What would settle anything, by queue manager and by what is collected of it."""


def _wanted(estate: Estate, as_of: AsOf) -> _Wants:
    """Return what would settle anything; what has ended is not asked, nor what is simulated."""
    asked = {
        name: qmgr
        for name, qmgr in estate.qmgrs.items()
        if qmgr.is_only_observed and standing.runs(qmgr) is not False
    }
    wants: _Wants = defaultdict(_Wanted)
    for question, ask in _ASKED.items() if asked else ():
        for unknown in chain.from_iterable(each.values() for each in ask(estate, as_of).unknowns()):
            if unknown.source and unknown.on in asked:
                wants[unknown.on, unknown.source].unknown[question] += 1
    for name, qmgr in asked.items():
        for source, questions, number in _unseen(qmgr):
            wants[name, source].unknown.update(dict.fromkeys(questions, number))
        for source, question, instants in _sights(qmgr):
            wants[name, source].age(question, instants, as_of.valid - fresh(estate, qmgr))
    for (name, _), each in wants.items():
        each.position = asked[name].position
    for gap in missing_queue_managers(estate) if not estate.simulated else ():
        dump = wants[gap.name, Source.DUMP]
        dump.unknown.update(_WEAKENED)
        dump.position = dump.position or gap.position
    on_zos = {name for name, qmgr in asked.items() if qmgr.platform == ZOS}
    return {
        (name, source): each
        for (name, source), each in wants.items()
        if each.settles and (name not in on_zos or source not in _NOT_ON_ZOS)
    }


def _unseen(qmgr: QueueManager) -> Iterator[tuple[Source, Collection[str], int]]:
    """Yield what nobody saw of a queue manager: the source, the questions, and how many values."""
    seen, confirmed = qmgr.activity.seen, qmgr.confirmed
    if standing.runs(qmgr) is None:
        yield Source.QMGR if qmgr.platform == ZOS else Source.QMSTATUS, ("members",), 1
    yield Source.QMGR, ("members",), int(qmgr.made_qmid)
    for kind in _DEFINED:
        is_whole = confirmed.get(kind, NEVER_CONFIRMED).complete
        yield Source.DUMP, ("divergence", "explain"), int(not is_whole)
    for kind, source in _HELD.items() if membership.clusters_joined(qmgr) else ():
        if not confirmed.get(kind, NEVER_CONFIRMED).complete:
            held = sum(belief.owner != qmgr.qmid for _, belief in qmgr.repository.of_kind(kind))
            yield source, _WEAKENED, held or 1
    yield Source.DEPTHS, ("transmission",), len({*queues_of(qmgr)} - seen.depths.keys())
    listeners = [name for kind, name in qmgr.definitions if kind == "LISTENER"]
    unlisted = [
        name
        for name in listeners
        if not name.startswith("SYSTEM.")
        and not any(generic(each, name) for each in seen.listeners)
    ]
    yield Source.LISTENERS, ("doctor",), len(unlisted)


def _sights(qmgr: QueueManager) -> Iterator[tuple[Source, str, Collection[Instant]]]:
    """Yield the instants at which each kind of facts was seen, with what would show it again."""
    seen, confirmed = qmgr.activity.seen, qmgr.confirmed
    whole = {kind: each.at for kind, each in confirmed.items() if each.complete}
    yield Source.CHANNELS, "channels", [each.at for each in seen.channels.values()]
    yield Source.DEPTHS, "transmission", [each.at for each in seen.depths.values()]
    yield Source.QMSTATUS, "members", [each.at for each in seen.qmgr.values()]
    yield Source.DUMP, "explain", [whole[kind] for kind in _DEFINED if kind in whole]
    for kind, source in _HELD.items():
        shown = [each.at for (key, _), each in qmgr.repository.shown.items() if key[1] == kind]
        yield source, "beliefs", [*shown, whole[kind]] if kind in whole else ()


def _script(
    estate: Estate,
    order: Iterable[tuple[str, Source]],
    wanted: Mapping[tuple[str, Source], _Wanted],
) -> Iterator[str]:
    """Write what to collect as a script of the POSIX shell, which only reads."""
    by_name: dict[str, list[Source]] = defaultdict(list)
    for name, source in order:
        by_name[name].append(source)
    if not by_name:
        return
    yield "#!/bin/sh"
    yield "# It only reads. Then: twin import missing. All at once: twin collect-script --unix"
    yield "mkdir missing && cd missing || exit 20"
    for name, sources in by_name.items():
        found = {source: wanted[name, source] for source in sources}
        total = sum(each.settles for each in found.values())
        seen = [each.seen for each in found.values() if each.seen is not None]
        age = f", of {format_instant(max(seen))}" if seen else ""
        yield f"# {visible_line(name)}: {counted(total, 'value')}{age}"
        qmgr = estate.qmgrs.get(name)
        mark = "" if legal_name(name) and (qmgr is None or qmgr.platform != ZOS) else "# "
        yield from (f"{mark}{line}" for line in _commands(visible_line(name), found))


def _commands(name: str, wanted: Mapping[Source, _Wanted]) -> Iterator[str]:
    """Write the commands for one queue manager; its files have its name as dspmq writes it."""
    word, file = shlex.quote(name), shlex.quote(name.replace("/", "&"))
    mqsc = [source for source in wanted if source.is_mqsc]
    if mqsc:
        yield f"runmqsc {word} >{file}.txt <<'END'"
        for source in mqsc:
            yield f"* {wanted[source]}"
            yield str(source)
        yield "END"
    home = f"/var/mqm/qmgrs/{file.replace('.', '!')}"
    for source, line in (
        (Source.DUMP, f"{Source.DUMP} -m {word} >{file}.mqsc"),
        (Source.LOG, f"mkdir -p {file} && cp {home}/errors/AMQERR0?.LOG {file}"),
        (Source.CONFIGURATION, f"mkdir -p {file} && cp {home}/{Source.CONFIGURATION} {file}"),
    ):
        if source in wanted:
            yield f"# {wanted[source]}"
            yield line
