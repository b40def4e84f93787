"""The walk of a put through the rules: how many rooms it enters, and how often it comes back.

It is the put of docs/architecture.md, the first of QM1 for ORDERS of QM2: it resolves the name,
chooses, starts the channel and delivers three messages. A room is a module of `twin.rules`. A visit
begins with a call of a function of the room, if the function of the rules that was called last is
in another room. So a function that returns begins no visit, nor does a call by the same room;
comprehensions and generators count as functions. A return is a visit to a room that was visited
before.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Final

from tests.sandbox import Sandbox
from twin import rules

_ROOMS: Final = str(Path(rules.__file__).parent)
MOST_ROOMS: Final = 43
MOST_RETURNS: Final = 180
"""What the walk takes now. Lower these when it takes less."""


def visits_of_a_put() -> list[str]:
    """Return the rooms that a put visits, in order."""
    box = Sandbox().create("FR1", "QM1", "QM2").full("FR1")
    box.member("QM1", "FR1").member("QM2", "FR1").run("QM2", "DEFINE QLOCAL(ORDERS) CLUSTER(CA)")
    visits: list[str] = []

    def called(frame: FrameType, kind: str, _: object) -> None:
        room = frame.f_code.co_filename
        if kind == "call" and room.startswith(_ROOMS) and visits[-1:] != [room]:
            visits.append(room)

    sys.setprofile(called)
    try:
        put = box.put("QM1", "ORDERS", count=3)
    finally:
        sys.setprofile(None)
    assert (put.reason, box.depth("QM2", "ORDERS")) == (0, 3)
    return visits


def test_a_put_walks_through_few_rooms_and_seldom_comes_back() -> None:
    """The rooms of a put, and its returns to rooms that it has left, do not become more."""
    visits = Counter(visits_of_a_put())
    returns = visits.total() - len(visits)
    assert (len(visits) <= MOST_ROOMS, returns <= MOST_RETURNS) == (True, True), visits
