"""A channel that was seen RUNNING runs since it started, if the capture shows when that was."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, picture
from tests.app.test_laws import fresh
from tests.app.test_standing import imported, observe
from tests.laws import examples
from twin import events
from twin.app.twin import Twin
from twin.model.instants import HOUR, MINUTE, Instant, mq_date, mq_time
from twin.questions.answer import Row
from twin.questions.channels import channels

CHANNELS: Final = ("CA.F1", "CA.P2", "CA.F2")


class Sight(NamedTuple):
    """What somebody saw of a channel at an instant, and when it had started by that."""

    at: Instant
    channel: str
    status: str
    began: Instant | None

    def event(self) -> events.ChannelObserved:
        """Return the observation."""
        began = self.began
        shown = {} if began is None else {"CHSTADA": mq_date(began), "CHSTATI": mq_time(began)}
        return events.ChannelObserved(
            qmgr="P1",
            channel=self.channel,
            status=self.status,
            instance="",
            kind="CLUSSDR",
            began=began,
            cells={"CHANNEL": self.channel, **shown},
        )


@st.composite
def sights(draw: st.DrawFn) -> list[Sight]:
    """Let channels run, fail and start again; look at them at some hours, and say what was seen."""
    found = []
    for channel in CHANNELS:
        status, began = "INACTIVE", None
        for hour in range(1, draw(st.integers(2, 12))):
            happens = draw(st.sampled_from(["start", "fail", "stop", "nothing", "look", "look"]))
            at = START + hour * HOUR + CHANNELS.index(channel) * MINUTE
            if happens == "start":
                status, began = "RUNNING", at
            elif happens in {"fail", "stop"}:
                status, began = {"fail": "RETRYING", "stop": "STOPPED"}[happens], None
            elif happens == "look":
                shown = began if draw(st.booleans()) else None
                found.append(Sight(at, channel, status, shown))
    return found


def told(seen: list[Sight], channel: str, at: Instant) -> str | None:
    """Return the status that is known of an instant: the last one seen or started by then."""
    known = [(each.at, each.status) for each in seen if each.channel == channel]
    known += [(e.began, e.status) for e in seen if e.channel == channel and e.began is not None]
    return max((each for each in known if each[0] <= at), default=(0, None))[1]


def rows(twin: Twin, at: Instant, channel: str, known: Instant | None = None) -> list[Row]:
    """Return the rows of a channel: none if it is INACTIVE and nothing else is known of it."""
    view = twin.view(as_of=at, known_at=known)
    return list(channels(*view, on="P1", channel=channel).rows)


def status(twin: Twin, at: Instant, channel: str, known: Instant | None = None) -> object:
    """Return the status of a channel."""
    found = rows(twin, at, channel, known)
    return found[0]["status"] if found else "INACTIVE"


@examples(cost=5)
@given(sights(), st.randoms(use_true_random=False))
def test_a_channel_runs_from_its_start_and_not_from_its_capture(
    seen: list[Sight], chance: Random
) -> None:
    """So it is in any order of imports; who asks what was known before is told what was."""
    shuffled = list(seen)
    chance.shuffle(shuffled)
    seen.sort()
    with fresh(2) as (one, other):
        for twin, order in ((one, seen), (other, shuffled)):
            imported(twin)
            for number, each in enumerate(order):
                observe(twin, each.at, each.event())
                expected = told(order[: number + 1], each.channel, each.at)
                assert status(twin, each.at, each.channel) == expected
        instants = {each.at for each in seen} | {e.began for e in seen if e.began is not None}
        for at in sorted(instants | {each + 1 for each in instants}):
            for channel in CHANNELS:
                if (expected := told(seen, channel, at)) is not None:
                    assert status(one, at, channel) == expected
                    shown = rows(one, at, channel)
                    assert all(each["basis"] == "observed" for each in shown)
                    assert shown == rows(other, at, channel)
            assert picture(one.view(as_of=at)[0]) == picture(other.view(as_of=at)[0])
        one.log.verify()


def test_what_was_known_of_a_channel_before_it_was_seen_to_run_stays_known() -> None:
    """A later capture says that it ran; as known before, it was still RETRYING."""
    with fresh(1) as (twin,):
        imported(twin)
        observe(twin, START + HOUR, Sight(START + HOUR, "CA.F1", "RETRYING", None).event())
        known = twin.clock()
        began = START + 2 * HOUR
        observe(twin, START + 3 * HOUR, Sight(START + 3 * HOUR, "CA.F1", "RUNNING", began).event())

        assert status(twin, began, "CA.F1") == "RUNNING"
        assert status(twin, began - 1, "CA.F1") == "RETRYING"
        assert status(twin, began, "CA.F1", known) == "RETRYING"
