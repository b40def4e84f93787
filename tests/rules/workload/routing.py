"""Routes for tests: built from a letter and unusual attributes, or drawn at random."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st

from twin.fold.messaging import RouteUse, Workload
from twin.rules.workload.choosing import RoutePlan, Trace
from twin.rules.workload.routes import UNLIMITED, Context, Route

SENDER: Final = Context(qmgr="QMS", queue="ORD", queue_useq="")
"""A queue manager without a local instance, of today's order of rules."""


def route(name: str, channel: str = "", /, **values: Any) -> Route:
    """Make a route to a queue manager in cluster CA."""
    return Route(
        **{
            "qmgr": name,
            "qmid": f"{name}_1",
            "channel": channel or f"CA.{name}",
            "cluster": "CA",
            "queue": "ORD",
            "queue_cluster": "CA",
            **values,
        }
    )


def fell(routes: list[Route], context: Context = SENDER) -> dict[str, str | None]:
    """Return the rule that excluded each queue manager; None for the chosen one."""
    trace = Trace.of(routes, context, Workload())
    return {
        str(row["qmgr"]): None if row["chosen"] else str(row["removed_by"]) for row in trace.rows()
    }


def shares(routes: list[Route], count: int, context: Context = SENDER) -> dict[str, int]:
    """Return the number of messages for each channel, with counters that start at zero."""
    return {
        each.route.channel: each.count
        for each in RoutePlan.of(routes, context).take(Workload(), count)
    }


_FEW: Final = st.integers(0, 2)
_WEIGHTS: Final = st.sampled_from([50, 50, 50, 1, 20, 40, 99])


@st.composite
def routes(draw: st.DrawFn, *, local: bool = True, most: int = 7) -> list[Route]:
    """Draw candidates: some queue managers with several channels, some values alike, some not."""
    found: list[Route] = []
    here = draw(st.booleans()) if local else False
    for name in draw(st.lists(st.sampled_from("ABCDE"), min_size=1, max_size=most)):
        found.append(
            route(
                name,
                f"CA.{name}.{len(found)}",
                local=here and name == "A",
                channel_rank=draw(st.integers(0, 1)),
                suspended=draw(st.booleans()),
                status=draw(
                    st.sampled_from(["INACTIVE", "RUNNING", "RETRYING", "STOPPED", "BINDING"])
                ),
                netprty=draw(_FEW),
                channel_priority=draw(_FEW),
                queue_priority=ord(name) % 3,
                queue_rank=ord(name) % 2,
                weight=draw(_WEIGHTS),
                cluster=draw(st.sampled_from(["CA", "CA", "CA", "CB"])),
                member=draw(st.sampled_from([True, True, True, False])),
            )
        )
    put = {name: draw(st.booleans()) for name in "ABCDE"}
    return [replace(each, put_enabled=put[each.qmgr]) for each in found]


@st.composite
def contexts(draw: st.DrawFn) -> Context:
    """Draw a context of either order."""
    return Context(
        qmgr="QMS",
        queue="ORD",
        profile=draw(st.sampled_from(["v8", "v7"])),
        queue_useq=draw(st.sampled_from(["", "ANY", "LOCAL", "QMGR"])),
        qmgr_useq=draw(st.sampled_from(["ANY", "LOCAL"])),
        arrived=draw(st.booleans()),
        mruc=draw(st.sampled_from([UNLIMITED, UNLIMITED, 1, 2, 3])),
        even=draw(st.booleans()),
    )


@st.composite
def histories(draw: st.DrawFn, candidates: list[Route]) -> Workload:
    """Draw counters of routes: some never used, the others one after the other."""
    used = [each.key for each in candidates if draw(st.booleans())]
    order = draw(st.permutations(used))
    factors = st.integers(0, 6).map(lambda steps: steps * 25)
    return Workload(
        {key: RouteUse(number, draw(factors)) for number, key in enumerate(order, start=1)},
        last=len(order),
    )
