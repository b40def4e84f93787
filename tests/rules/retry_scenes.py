"""Random histories of a gateway, of exits that come and go, and of messages that wait meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from hypothesis import strategies as st

from twin.model.instants import DAY, HOUR, SECOND, Instant
from twin.rules.workload.exits import MQWDR, MQWQR, MQWXP, WorkloadExit

SCRIPTS: Final = {
    "FRN": """ALTER QMGR REPOS(NORTH)
DEFINE CHANNEL(NORTH.FRN) CHLTYPE(CLUSRCVR) CONNAME('frn') CLUSTER(NORTH)""",
    "FRS": """ALTER QMGR REPOS(SOUTH)
DEFINE CHANNEL(SOUTH.FRS) CHLTYPE(CLUSRCVR) CONNAME('frs') CLUSTER(SOUTH)""",
    "GW": """DEFINE NAMELIST(BOTH) NAMES(NORTH,SOUTH)
DEFINE CHANNEL(NORTH.GW) CHLTYPE(CLUSRCVR) CONNAME('gw') CLUSTER(NORTH)
DEFINE CHANNEL(NORTH.FRN) CHLTYPE(CLUSSDR) CONNAME('frn') CLUSTER(NORTH)
DEFINE CHANNEL(SOUTH.GW) CHLTYPE(CLUSRCVR) CONNAME('gw') CLUSTER(SOUTH)
DEFINE CHANNEL(SOUTH.FRS) CHLTYPE(CLUSSDR) CONNAME('frs') CLUSTER(SOUTH)
DEFINE QALIAS(FREIGHT) TARGET(FREIGHT) CLUSNL(BOTH)
DEFINE QLOCAL(MAIL) CLUSTER(NORTH)""",
    "FAR": """DEFINE CHANNEL(SOUTH.FAR) CHLTYPE(CLUSRCVR) CONNAME('far') CLUSTER(SOUTH)
DEFINE CHANNEL(SOUTH.FRS) CHLTYPE(CLUSSDR) CONNAME('frs') CLUSTER(SOUTH)
DEFINE QLOCAL(FREIGHT) CLUSTER(SOUTH)""",
    "NEAR": """DEFINE CHANNEL(NORTH.NEAR) CHLTYPE(CLUSRCVR) CONNAME('near') CLUSTER(NORTH)
DEFINE CHANNEL(NORTH.FRN) CHLTYPE(CLUSSDR) CONNAME('frn') CLUSTER(NORTH)
DEFINE QLOCAL(MAIL) CLUSTER(NORTH)""",
    "APP": """ALTER QMGR CLWLEXIT(MINE)
DEFINE CHANNEL(NORTH.APP) CHLTYPE(CLUSRCVR) CONNAME('app') CLUSTER(NORTH)
DEFINE CHANNEL(NORTH.FRN) CHLTYPE(CLUSSDR) CONNAME('frn') CLUSTER(NORTH)""",
}
"""A gateway between two clusters, a member beyond it, a member beside it, and an application."""


def first(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
    """Choose the first destination, whatever it is."""
    del destinations, queues
    return replace(block, destination_chosen=1)


def to_near(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
    """Choose NEAR if it is a destination."""
    del queues
    names = [destination.q_mgr_name.strip() for destination in destinations]
    return replace(block, destination_chosen=names.index("NEAR") + 1) if "NEAR" in names else block


EXITS: Final[Mapping[str, Mapping[str, WorkloadExit]]] = {
    "": {},
    "first": {"MINE": first},
    "near": {"MINE": to_near},
}


class Step(NamedTuple):
    """A stretch of time with the exit that is loaded, where it may be cut, and the act at its end.

    Attributes:
        lasts: how long, in microseconds.
        cuts: the parts at whose ends time may be cut, as fractions of the stretch.
        exit: the name of the exit that is loaded.
        qmgr: the queue manager of the act.
        act: MQSC, a control command, or `put QUEUE`.
    """

    lasts: Instant
    cuts: tuple[float, ...]
    exit: str
    qmgr: str
    act: str


_ACTS: Final = st.one_of(
    st.tuples(st.just("APP"), st.sampled_from(["put MAIL", "put FREIGHT"])),
    st.tuples(st.sampled_from(["NEAR", "FAR", "GW"]), st.sampled_from(["endmqm", "strmqm"])),
    st.tuples(
        st.sampled_from(["NEAR", "GW"]),
        st.sampled_from(["ALTER QLOCAL(MAIL) PUT(DISABLED)", "ALTER QLOCAL(MAIL) PUT(ENABLED)"]),
    ),
    st.tuples(
        st.just("FAR"),
        st.sampled_from(
            ["ALTER QLOCAL(FREIGHT) PUT(DISABLED)", "ALTER QLOCAL(FREIGHT) PUT(ENABLED)"]
        ),
    ),
    st.tuples(
        st.just("APP"),
        st.sampled_from(
            [
                "ALTER QMGR CLWLEXIT(' ')",
                "ALTER QMGR CLWLEXIT(MINE)",
                "STOP CHANNEL(NORTH.NEAR)",
                "STOP CHANNEL(NORTH.NEAR) MODE(FORCE)",
                "STOP CHANNEL(NORTH.NEAR) STATUS(INACTIVE)",
                "START CHANNEL(NORTH.NEAR)",
                "STOP CHANNEL(NORTH.GW)",
                "START CHANNEL(NORTH.GW)",
            ]
        ),
    ),
)
_STEPS: Final = st.builds(
    lambda lasts, cuts, exit_, act: Step(lasts, tuple(sorted(cuts)), exit_, *act),
    st.sampled_from([0, 30 * SECOND, 60 * SECOND, 130 * SECOND, HOUR, DAY // 2]),
    st.lists(st.floats(0, 1), max_size=3),
    st.sampled_from(sorted(EXITS)),
    _ACTS,
)
_BEGINNINGS: Final = st.sampled_from(
    [
        (),
        (Step(0, (), "near", "NEAR", "endmqm"), Step(SECOND, (), "near", "APP", "put MAIL")),
        (
            Step(0, (), "", "FAR", "ALTER QLOCAL(FREIGHT) PUT(DISABLED)"),
            Step(SECOND, (), "", "APP", "put FREIGHT"),
        ),
    ]
)
STEPS: Final = st.builds(
    lambda beginning, steps: [*beginning, *steps],
    _BEGINNINGS,
    st.lists(_STEPS, min_size=2, max_size=7),
)
"""Random steps, from the beginning or after a put that fails or is given back."""
