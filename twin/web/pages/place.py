"""The place of a page: everything that its URL says, so that it can be pasted into a ticket."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self
from urllib.parse import urlencode

from starlette.requests import Request

from twin.model.instants import MAIN
from twin.web.errors import UnknownQueryParameter
from twin.web.pages.parameters import ZONE
from twin.web.pages.zones import UTC, TimeZone, zone_of
from twin.web.points import Point
from twin.web.service import service_of

_COMMON: Final = ("cluster", "eyes", "against", "zone")
"""The parameters that every view has, besides the point."""

_POINT: Final = ("branch", "as-of", "known-at")
_SHARED: Final = frozenset((*_COMMON, *_POINT, *(f"twin-{name}" for name in _POINT)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlace:
    """What a URL says: the view, the point in time, and what every view shares.

    Attributes:
        view: the name of the view.
        point: the point in time and the branch.
        cluster: the cluster that is shown; None for all.
        eyes: the queue manager whose beliefs are shown; None for what is defined and runs.
        against: the instant or the branch that is compared with; None if none is.
        zone: the time zone in which instants are written.
        own: the parameters of this view alone.
        prefix: the path in front of every URL.
    """

    view: str
    point: Point
    cluster: str | None = None
    eyes: str | None = None
    against: str | None = None
    zone: TimeZone = UTC
    own: Mapping[str, str]
    prefix: str = ""

    @classmethod
    def of(cls, request: Request, view: str) -> Self:
        """Read the place from a request; a parameter without a value counts as missing.

        Raises:
            BadParameter: if the time zone is unknown.
        """
        given = {name: value for name, value in request.query_params.items() if value}
        ZONE.demand_form("zone", given.get("zone", ""))
        return cls(
            view=view,
            point=Point.of(request),
            cluster=given.get("cluster"),
            eyes=given.get("eyes"),
            against=given.get("against"),
            zone=zone_of(given.get("zone", "")),
            own={name: value for name, value in given.items() if name not in _SHARED},
            prefix=service_of(request).settings.prefix,
        )

    def at(self, as_of: str | None) -> PagePlace:
        """Return the same place at another instant; None stands for now."""
        return replace(self, point=self.point._replace(as_of=as_of))

    def parameters(self) -> dict[str, str]:
        """Return the query parameters of the URL, without those that have their default."""
        branch = None if self.point.branch == MAIN else self.point.branch
        values = {
            "branch": branch,
            "as-of": self.point.as_of,
            "known-at": self.point.known_at,
            "cluster": self.cluster,
            "eyes": self.eyes,
            "against": self.against,
            "zone": None if self.zone is UTC else self.zone.name,
            **self.own,
        }
        return {name: value for name, value in values.items() if value}

    def url(self, view: str | None = None, /, *, suffix: str = "", **changes: str | None) -> str:
        """Return the URL of this place with some parameters changed; None leaves one out.

        In the names of parameters `_` stands for `-`. Another view keeps the parameters that
        every view shares. `suffix` is `.json`, `.csv`, or the path of a part of the view.
        """
        same = view in (None, self.view)
        place = self if same else replace(self, view=view or self.view, own={})
        changed = {name.replace("_", "-"): value for name, value in changes.items()}
        named = place.parameters() | changed
        shown = [(name, value) for name, value in sorted(named.items(), key=_order) if value]
        path = place.view if suffix or place.view != "estate" else ""
        query = f"?{urlencode(shown)}" if shown else ""
        return f"{self.prefix}/{path}{suffix}{query}"

    def command(self, *words: str, **options: str | bool | None) -> str:
        """Return a command line of twin at this point, quoted for a shell.

        In the names of options `_` stands for `-`. An option that is None or False is left out.
        """
        branch, default = self.point.branch, MAIN
        point = {"as-of": self.point.as_of, "known-at": self.point.known_at}
        named = {name.replace("_", "-"): value for name, value in options.items()} | point
        line = ["twin", *(["--branch", branch] if branch != default else []), *words]
        for name, value in named.items():
            if value:
                line += [f"--{name}", *([] if value is True else [value])]
        return shlex.join(line)


def demand_known(request: Request, own: Collection[str]) -> None:
    """Check that a request has only the parameters that every view has, and these.

    Raises:
        UnknownQueryParameter: if it has another one.
    """
    for name in request.query_params:
        if name not in _SHARED and name not in own:
            raise UnknownQueryParameter(name, {*own, *_COMMON, *_POINT})


def _order(item: tuple[str, str | None]) -> tuple[int, str]:
    """Sort parameters: those that every view has come first, so that a place has one URL."""
    every = (*_POINT, *_COMMON)
    return (every.index(item[0]) if item[0] in every else len(every), item[0])
