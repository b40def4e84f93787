"""The point in time and the branch that a request asks about."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from starlette.requests import Request

from twin.app.twin import Twin
from twin.errors import SubjectError, TwinError
from twin.model.instants import DAY, MAIN, Instant, format_instant, parse_instant

AHEAD: Final = 400 * DAY
"""How far after now a request looks: time passes in memory for it, which takes a while."""

PARAMETERS: Final = frozenset({"as-of", "known-at", "branch"})
"""The query parameters with the point in time; also with `twin-` in front."""


class TooFarAhead(
    TwinError,
    ValueError,
    message=f"{{}} is more than {AHEAD // DAY} days after now; let time pass on a branch "
    "first (twin --branch NAME advance --to T)",
):
    """An instant so late that an answer would take long."""


class TwoPoints(
    SubjectError,
    ValueError,
    message="the header twin-{0} and the query parameter {0} differ; give one of them",
):
    """A request that names two points in time, or two branches."""


def demand_near(at: Instant | None, twin: Twin) -> None:
    """Check that an instant is not too late.

    Raises:
        TooFarAhead: if it is.
    """
    if at is not None and at > twin.now() + AHEAD:
        raise TooFarAhead(format_instant(at))


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

        Raises:
            TwoPoints: if a header and a parameter have different values.
        """

        def value(name: str) -> str | None:
            query = request.query_params
            given = query.get(f"twin-{name}") or query.get(name)
            header = request.headers.get(f"twin-{name}")
            if given and header and given != header:
                raise TwoPoints(name)
            return given or header or None

        return cls(value("as-of"), value("known-at"), value("branch") or MAIN)

    @property
    def is_now(self) -> bool:
        """Whether neither time is given."""
        return self.as_of is None and self.known_at is None

    def instants(self, twin: Twin) -> tuple[Instant | None, Instant | None]:
        """Return the valid and the known instant, relative to the now of a twin.

        Raises:
            BadInstant: if one of them is malformed.
            TooFarAhead: if the valid instant is too late.
        """
        valid = None if self.as_of is None else parse_instant(self.as_of, now=twin.now())
        known = None if self.known_at is None else parse_instant(self.known_at, now=twin.clock())
        demand_near(valid, twin)
        return valid, known
