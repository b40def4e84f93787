"""Scrapes that say the same again: one event, and each row once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.app.test_seen_again import rows_of
from tests.laws import seeds
from twin.app.importing import dated
from twin.app.importing.feeds import FeedFile, feed_format
from twin.app.twin import Twin
from twin.model.instants import MINUTE, SECOND, Instant


def scrape(at: Instant, statuses: Sequence[int], *, file: str) -> FeedFile:
    """Write a scrape of one queue manager with channels of these statuses."""
    stamp = at // (SECOND // 1000)
    lines = [
        f'ibmmq_qmgr_status{{qmgr="LAKE1"}} 2 {stamp}\n',
        f'ibmmq_queue_depth{{qmgr="LAKE1",queue="Q"}} 3 {stamp}\n',
        *(
            f'ibmmq_channel_status{{qmgr="LAKE1",channel="C{number}"}} {each} {stamp}\n'
            for number, each in enumerate(statuses)
        ),
    ]
    form = feed_format("".join(lines))
    assert form is not None
    return FeedFile(file, lambda: iter(lines), form, file=file)


def _types(twin: Twin, last: int) -> Counter[str]:
    return Counter(each.type for each in twin.log.events(after=last))


def test_an_unchanged_scrape_is_one_event() -> None:
    """A scrape like the one before is one event; imported again, it records nothing."""
    with fresh(1) as (twin,):
        twin.ingest_feeds([scrape(START, (3,) * 30, file="a")])
        last = twin.log.last().position
        twin.ingest_feeds([scrape(START + MINUTE, (3,) * 30, file="b")])
        assert _types(twin, last) == {"SeenAgain": 1, "ImportBegun": 1, "ImportEnded": 1}
        last = twin.log.last().position
        again = [scrape(START + MINUTE, (3,) * 30, file="b")]
        (read,) = twin.ingest_feeds(again)
        assert read.recorded == 0
        assert twin.log.last().position == last
        more = [scrape(START + MINUTE, (3,) * 31, file="c")]
        (read,) = twin.ingest_feeds(more)
        assert read.recorded == 1
        assert _types(twin, last)["ChannelObserved@2"] == 1


@pytest.mark.parametrize("seed", seeds(1, *range(2, 9)))
def test_scrapes_in_any_order_give_the_rows_of_events_of_their_own(seed: int) -> None:
    """Series of scrapes, in order or not, some twice: the log says the same without shortening."""
    random = Random(seed)
    with fresh(2) as (plain, short):
        taken = []
        statuses = [3] * 8
        for number in range(10):
            if random.random() < 0.4:
                statuses[random.randrange(8)] = random.choice([0, 3, 5, 6])
            taken.append(scrape(START + number * MINUTE, tuple(statuses), file=f"{number}"))
        if random.random() < 0.5:
            random.shuffle(taken)
        taken.append(random.choice(taken))
        for file in taken:
            short.ingest_feeds([file])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dated, "shortened", lambda facts, *_, **__: list(facts))
            for file in taken:
                plain.ingest_feeds([file])
        assert rows_of(short) == rows_of(plain)
        assert short.log.last().position < plain.log.last().position
        short.log.verify()
