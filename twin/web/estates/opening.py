"""How requests open the log: what a process needs to do so, which can be sent to another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from twin.app.exits import WorkloadExit
from twin.app.twin import Twin
from twin.log import LogPlace


@dataclass(frozen=True, slots=True)
class LogOpening:
    """The options with which every twin of a service is opened.

    Attributes:
        url: the URL of the log.
        simulate_on_main: whether commands on main may change observed queue managers.
        exits: the workload exits that CLWLEXIT may name: functions of modules.
        place: the file of the log when the service began; None if it is no file.
    """

    url: str
    simulate_on_main: bool = False
    exits: Mapping[str, WorkloadExit] = field(default_factory=dict)
    place: LogPlace | None = None

    def demand_place(self) -> None:
        """Check that the log is still the file that the service began with.

        Raises:
            LogMoved: if it is not.
        """
        if self.place is not None:
            self.place.demand()

    def reader(self) -> Twin:
        """Open the log for reading.

        Raises:
            LogMoved, TwinError: if it cannot be opened.
        """
        self.demand_place()
        return Twin.open(
            self.url,
            read_only=True,
            keeps_caches=True,
            simulate_on_main=self.simulate_on_main,
            exits=self.exits,
        )

    def writer(self) -> Twin:
        """Open the log for writing; it must be there.

        Raises:
            LogMoved, TwinError: if it cannot be opened.
        """
        self.demand_place()
        return Twin.open(
            self.url,
            create=False,
            simulate_on_main=self.simulate_on_main,
            exits=self.exits,
            instead=_on_branch,
        )


def _on_branch(name: str) -> str:
    """Return how a request does on a new branch what is refused on main."""
    return f"twin branch create {name}, then repeat the request with the header twin-branch: {name}"
