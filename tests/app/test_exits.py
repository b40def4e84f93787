"""Workload exits are limited in time while they run, and fail in their own way only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from threading import Event

import pytest

from tests.app.scenes import START
from twin.app import exits
from twin.app.twin import Twin
from twin.rules.workload.exits import MQWDR, MQWQR, MQWXP, REASON_PUT

BLOCK = MQWXP(
    exit_reason=REASON_PUT,
    exit_data="",
    flags=0,
    q_name="ORD",
    q_mgr_name="QMS",
    destination_count=0,
    destination_chosen=0,
    clwl_mru_channels=1,
)


class _Hanging:
    """An exit that never answers, until it is interrupted or released."""

    def __init__(self, kind: str) -> None:
        self.kind, self.ended, self.released = kind, Event(), Event()

    def __call__(self, block: MQWXP, *_: tuple[MQWDR, ...] | tuple[MQWQR, ...]) -> MQWXP:
        try:
            if self.kind == "waits":
                self.released.wait()
            while not self.released.is_set():
                if self.kind == "stubborn":
                    with suppress(exits.TooSlow):
                        time.sleep(0.01)
        finally:
            self.ended.set()
        return block


@pytest.fixture(params=["loops", "waits", "stubborn"])
def hanging(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Hanging]:
    """Make an exit that does not answer, and release it at the end."""
    monkeypatch.setattr(exits, "ALLOWED", 20_000)
    made = _Hanging(request.param)
    yield made
    made.released.set()


def test_an_exit_that_never_answers_has_failed(hanging: _Hanging) -> None:
    """Its call ends after the limit, and one that loops is interrupted."""
    with pytest.raises(exits.TooSlow, match="no answer within 1 s"):
        exits.ExitCalls({"HANGS": hanging}).exits["HANGS"](BLOCK, (), ())
    if hanging.kind == "loops":
        hanging.ended.wait()


def test_a_put_whose_exit_hangs_fails_with_2266(sqlite_url: str, hanging: _Hanging) -> None:
    """The put fails as with any exit that fails, and what comes after it is carried out."""
    with Twin.open(sqlite_url, clock=lambda: START, exits={"HANGS": hanging}) as twin:
        twin.crtmqm("QM1", at=START)
        twin.strmqm("QM1", at=START)
        twin.runmqsc("QM1", CLUSTER, at=START)
        assert twin.put("QM1", "ORD", at=START).reason == 2266
        twin.runmqsc("QM1", "ALTER QMGR CLWLEXIT(' ')", at=START)
        assert twin.put("QM1", "ORD", at=START).reason == 0


CLUSTER = """ALTER QMGR REPOS(CA) CLWLEXIT(HANGS)
DEFINE CHANNEL(CA.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(CA)
DEFINE QLOCAL(ORD) CLUSTER(CA)
"""


def test_an_exit_that_ends_the_program_has_failed() -> None:
    """What is no ordinary failure of foreign code is a failure of the exit, and ends nothing."""

    def leaving(*_: object) -> MQWXP:
        raise SystemExit(3)

    with pytest.raises(RuntimeError, match="SystemExit"):
        exits.ExitCalls({"LEAVES": leaving}).exits["LEAVES"](BLOCK, (), ())
