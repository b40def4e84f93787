"""Workload exits are timed if there is a clock."""

from __future__ import annotations

import pytest

from twin.app import exits
from twin.rules.workload.exits import MQWDR, MQWQR, MQWXP, REASON_PUT


def test_an_exit_that_takes_longer_than_it_may_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exit that takes longer than its limit fails; one that takes exactly the limit does not."""

    def slow(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
        del destinations, queues
        return block

    readings = iter([0, exits.ALLOWED * 1000, 0, exits.ALLOWED * 1000 + 1000])
    monkeypatch.setattr("twin.app.exits.time.perf_counter_ns", lambda: next(readings))
    timed = exits.ExitCalls({"SLOW": slow}).exits["SLOW"]
    block = MQWXP(
        exit_reason=REASON_PUT,
        exit_data="",
        flags=0,
        q_name="ORD",
        q_mgr_name="QMS",
        destination_count=0,
        destination_chosen=0,
        clwl_mru_channels=1,
    )
    assert timed(block, (), ()) is block
    with pytest.raises(exits.TooSlow, match=r"^the exit took 1000001 microseconds; 1000000 are"):
        timed(block, (), ())
