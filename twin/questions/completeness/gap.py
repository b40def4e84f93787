"""A gap: something that observed queue managers name or hold, and that the twin does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from twin.model.objects import Definition

GapKind: TypeAlias = Literal["not-in-twin", "undefined", "replaced"]

NOT_IN_TWIN: Final[GapKind] = "not-in-twin"
UNDEFINED: Final[GapKind] = "undefined"
REPLACED: Final[GapKind] = "replaced"


class Gap(NamedTuple):
    """A name without what it names.

    Attributes:
        kind: `not-in-twin` for a queue manager, `undefined` for an object, `replaced` for a queue
            manager that is gone, or was rebuilt under its name.
        name: the name; of a queue manager with `?` if it is guessed from that of a channel.
        on: the queue manager that names it, itself if only states or logs of it are known; None for
            one that is gone.
        by: what names it there, such as `CLUSSDR TO.FR2`; of one that is gone its QMID.
        why: what else is known, such as a connection name.
        position: the position of the event that said so; 0 if it is unknown.
        keyword: the attribute that names it; '' if it is not named by one.
        definition: the object that names it; None if it is not an object.
    """

    kind: GapKind
    name: str
    on: str | None
    by: str
    why: str = ""
    position: int = 0
    keyword: str = ""
    definition: Definition | None = None
