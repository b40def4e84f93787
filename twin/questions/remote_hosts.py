"""The remote hosts of channels at earlier instants, as messages of error logs name them.

A message names the CONNAME that its channel had as the message was written. A defined channel has
that of its definition. An auto-defined one has that of the record that its queue manager held, and
nothing is read of when records arrived: the record is the last one that the partner had published
by then. If the record that is held in the end came later, it is the last one that differs from it.

Source: IBM MQ 9.x, "How cluster channels are defined"; the rest is [decided here].
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from twin import events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from twin.fold.beliefs import Belief
    from twin.fold.estate import Estate
    from twin.model.attributes import Value
    from twin.model.instants import Instant

READS: Final = frozenset(
    {
        events.InformationPublished,
        events.ObjectAltered,
        events.ObjectDefined,
        events.ObjectDeleted,
    }
)
"""The events that say where channels lead."""

_CONNAME: Final = "CONNAME"


class RemoteHosts:
    """Where channels led, by the events that are noted in fold order.

    `estate` is that after the last event, and `before` the one before the first; None if that is
    the first of the log.
    """

    def __init__(self, estate: Estate, before: Estate | None) -> None:
        """Begin with the channels before the first event."""
        self._estate = estate
        self._before = before
        self._defined: dict[tuple[str, str], str] = {}
        self._published: dict[tuple[str, str], list[Mapping[str, Value]]] = defaultdict(list)

    def note(self, event: events.Event) -> None:
        """Note what an event says of where a channel leads."""
        match event:
            case events.ObjectDefined(kind="CHANNEL") | events.ObjectAltered(kind="CHANNEL"):
                if isinstance(event, events.ObjectDefined) or _CONNAME in event.values:
                    self._defined[event.qmgr, event.name] = str(event.values.get(_CONNAME, ""))
            case events.ObjectDeleted(kind="CHANNEL"):
                self._defined[event.qmgr, event.name] = ""
            case events.InformationPublished():
                for record in event.records:
                    if record.kind == "qmgr" and not record.deleted:
                        self._published[event.qmgr, record.name].append(record.values)

    def host(self, at: Instant, event: events.ChannelStatusChanged) -> str:
        """Return the host that a message of an event names; all events before it were noted.

        It is the partner, or else the channel, if no CONNAME is known.
        """
        conname = self._of_definition(event) or self._of_record(at, event)
        return conname or event.partner or event.channel

    def _of_definition(self, event: events.ChannelStatusChanged) -> str:
        """Return the CONNAME of a defined channel; '' if it is not defined."""
        key = (event.qmgr, event.channel)
        if key in self._defined:
            return self._defined[key]
        estate = self._estate if self._before is None else self._before
        qmgr = estate.qmgrs.get(event.qmgr)
        definition = qmgr.definitions.get(("CHANNEL", event.channel)) if qmgr is not None else None
        return str(definition.values.get(_CONNAME, "")) if definition is not None else ""

    def _of_record(self, at: Instant, event: events.ChannelStatusChanged) -> str:
        """Return the CONNAME in the record that was held of a channel; '' if none is known."""
        held = [*self._held(self._estate, event)]
        since = [each for each in held if each.since <= at]
        if since:
            return str(since[0].values.get(_CONNAME, ""))
        last = [each.values for each in held]
        published = [
            *self._published_before(event),
            *self._published.get((event.partner, event.channel), ()),
        ]
        if others := [values for values in published if values not in last]:
            return str(others[-1].get(_CONNAME, ""))
        earlier = self._held(self._before, event) if self._before is not None else ()
        return next((str(each.values.get(_CONNAME, "")) for each in (*earlier, *held)), "")

    def _published_before(
        self, event: events.ChannelStatusChanged
    ) -> Iterator[Mapping[str, Value]]:
        """Yield what the partner had published of a channel before the first event."""
        partner = self._before.qmgrs.get(event.partner) if self._before is not None else None
        for publication in partner.published.values() if partner is not None else ():
            record = publication.records.get(("qmgr", event.channel))
            if record is not None and not record.deleted:
                yield record.values

    def _held(self, estate: Estate, event: events.ChannelStatusChanged) -> Iterator[Belief]:
        """Yield the records of a channel that its sender holds, those of its partner first."""
        qmgr = estate.qmgrs.get(event.qmgr)
        if qmgr is None:
            return
        found = [
            belief
            for name, belief in qmgr.repository.of_kind("qmgr")
            if name[2] == event.channel and belief.owner != qmgr.qmid
        ]
        yield from sorted(found, key=lambda each: each.owner_name != event.partner)
