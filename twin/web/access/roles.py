"""Users and their roles, as mqweb has them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The roles of mqweb."""

    ADMIN = "MQWebAdmin"
    READER = "MQWebAdminRO"
    USER = "MQWebUser"


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who may use the service: whoever has a role may read and rehearse."""

    name: str
    roles: frozenset[Role]

    @property
    def writes(self) -> bool:
        """Whether this user may change queue managers and branches."""
        return Role.ADMIN in self.roles

    @property
    def puts(self) -> bool:
        """Whether this user may put and get messages.

        In mqweb the messaging interface is for MQWebUser alone; an administrator of the twin may
        use it, too, because the twin has no authorities of queues.
        """
        return self.writes or Role.USER in self.roles
