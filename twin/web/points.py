"""The point in time and the branch that a request asks about."""

from __future__ import annotations

from typing import NamedTuple, Self

from starlette.requests import Request

from twin.app.twin import Twin
from twin.model.asof import MAIN
from twin.model.instants import Instant, parse_instant


class Point(NamedTuple):
    """The point that a request names, in the words of the request; None stands for now.

    Attributes:
        as_of: the valid time: an instant, or a span before or after now such as `-2h`.
        known_at: the time by which the log had learnt what counts.
        branch: the name of the branch.
    """

    as_of: str | None = None
    known_at: str | None = None
    branch: str = MAIN

    @classmethod
    def of(cls, request: Request) -> Self:
        """Read the point from query parameters, or else from headers, both `twin-as-of` and so on.

        Pages use the same names without `twin-`.
        """

        def value(name: str) -> str | None:
            query = request.query_params
            given = query.get(f"twin-{name}") or query.get(name)
            return given or request.headers.get(f"twin-{name}") or None

        return cls(value("as-of"), value("known-at"), value("branch") or MAIN)

    @property
    def is_now(self) -> bool:
        """Whether neither time is given."""
        return self.as_of is None and self.known_at is None

    def instants(self, twin: Twin) -> tuple[Instant | None, Instant | None]:
        """Return the valid and the known instant, relative to the now of a twin.

        Raises:
            BadInstant: if one of them is malformed.
        """
        valid = self.as_of and parse_instant(self.as_of, now=twin.now())
        known = self.known_at and parse_instant(self.known_at, now=twin.clock())
        return valid or None, known or None
