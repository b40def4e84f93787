"""Scrapes and answers of Prometheus turned into facts."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from twin import events
from twin.feeds.converters import CONVERTERS
from twin.feeds.converting.scrapes import NO_COUNT, NO_INSTANT, NO_NAME, NO_QMGR, NO_WORD
from twin.feeds.detect import FileFormat
from twin.feeds.observed import Converted, DatedFact, FeedSource, NotRecorded, PassedOver
from twin.model.instants import SECOND, Instant

AT = 1_800_000_000 * SECOND
SOURCE = FeedSource(file="scrape.txt", at=AT)


def converted(text: str, source: FeedSource = SOURCE) -> list[Converted]:
    """Convert a scrape."""
    return list(CONVERTERS[FileFormat.PROMETHEUS_SCRAPE](text.splitlines(), source))


def said(rows: list[Converted]) -> list[tuple[Instant, events.Event]]:
    """Return the instants and the events of facts, without origins."""
    return [
        (each.at, replace(each.event, origin=None))
        for each in rows
        if isinstance(each, DatedFact) and isinstance(each.event, events.Observation)
    ]


def channel(name: str, type_: str, status: int, connname: str = "") -> str:
    """Write one line of a scrape."""
    labels = f'qmgr="HAMBURG",channel="{name}",type="{type_}",connname="{connname}"'
    return f"ibmmq_channel_status{{{labels}}} {status}\n"


def test_what_a_twin_computed_is_no_observation() -> None:
    """A series with source="twin" was derived by rules: importing it records nothing."""
    text = 'ibmmq_qmgr_status{qmgr="HAMBURG",platform="UNIX",source="twin"} 0\n'
    assert converted(text) == [PassedOver(1, "qmgr_status", "")]
    assert said(converted(text.replace(',source="twin"', "")))


def test_a_sending_channel_has_one_status_and_a_receiving_one_several() -> None:
    """Of two of a sender the order of their words decides, no order of lines, and no rank."""
    text = channel("TO.KIEL", "CLUSSDR", 3, "a") + channel("TO.KIEL", "CLUSSDR", 5, "b")
    text += channel("TO.HAMBURG", "CLUSRCVR", 3, "a") + channel("TO.HAMBURG", "CLUSRCVR", 6, "b")
    text += channel("APP", "SVRCONN", 3)
    text += 'ibmmq_channel_status_squash{qmgr="HAMBURG",channel="TO.KIEL",type="CLUSSDR"} 0\n'
    rows = converted(text)
    assert said(rows) == [
        (
            AT,
            events.ChannelObserved(
                qmgr="HAMBURG", channel=name, status=status, instance=partner, kind=kind
            ),
        )
        for name, kind, status, partner in (
            ("TO.HAMBURG", "CLUSRCVR", "RUNNING", "a"),
            ("TO.HAMBURG", "CLUSRCVR", "STOPPED", "b"),
            ("TO.KIEL", "CLUSSDR", "RUNNING", "a"),
        )
    ]
    passed = [each for each in rows if isinstance(each, PassedOver)]
    assert passed == [
        PassedOver(5, "channel_status", ""),
        PassedOver(6, "channel_status_squash", ""),
    ]


def test_a_queue_manager_its_queues_and_its_clusters_are_observed() -> None:
    """The status with the start, the depths of all queues, and suspensions."""
    text = 'ibmmq_qmgr_status{qmgr="HAMBURG"} 2\nibmmq_qmgr_uptime{qmgr="HAMBURG"} 60\n'
    text += 'ibmmq_queue_depth{qmgr="HAMBURG",queue="B"} 7\n'
    text += 'ibmmq_queue_depth{qmgr="HAMBURG",queue="A"} 0\n'
    text += 'ibmmq_queue_oldest_message_age{qmgr="HAMBURG",queue="B"} 9\n'
    text += 'ibmmq_cluster_suspend{qmgr="HAMBURG",cluster="CA"} 1\n'
    text += 'ibmmq_qmgr_status{qmgr="KIEL"} 0\n'
    a, b = (
        events.QueueDepth(queue="A", depth=0),
        events.QueueDepth(queue="B", depth=7, oldest=9),
    )
    assert said(converted(text)) == [
        (
            AT,
            events.QueueManagerStatusObserved(
                qmgr="HAMBURG", status="RUNNING", started=AT - 60 * SECOND
            ),
        ),
        (AT, events.SuspensionObserved(qmgr="HAMBURG", cluster="CA", suspended=True)),
        (AT, events.DepthsObserved(qmgr="HAMBURG", depths=(a, b))),
        (AT, events.QueueManagerStatusObserved(qmgr="KIEL", status="ENDED")),
    ]


def test_each_value_that_gives_no_fact_is_reported() -> None:
    """A value without an instant, a queue manager, a name, a status or a count."""
    lines = [
        'ibmmq_channel_status{channel="A"} 3',
        'ibmmq_channel_status{qmgr="Q",channel="not allowed"} 3',
        'ibmmq_channel_status{qmgr="Q",channel="A"} 77',
        'ibmmq_queue_depth{qmgr="Q",queue="A"} NaN',
    ]
    whys = [
        (each.line, each.why)
        for each in converted("\n".join(lines * 2))
        if isinstance(each, NotRecorded)
    ]
    assert whys == [
        (line + more, why)
        for more in (0, 4)
        for line, why in enumerate((NO_QMGR, NO_NAME, NO_WORD, NO_COUNT), 1)
    ]
    (problem,) = converted(channel("A", "SDR", 3), FeedSource())
    assert problem == NotRecorded(1, "channel_status", NO_INSTANT)


VALUES = st.lists(
    st.tuples(
        st.integers(0, 3).map(lambda minute: AT // SECOND + 60 * minute),
        st.sampled_from(["TO.KIEL", "TO.BREMEN"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from([0, 3, 5, 6]),
    ),
    unique_by=lambda each: each[:3],
)


@given(VALUES)
def test_scrapes_and_ranges_of_one_run_give_the_same_facts(
    values: list[tuple[int, str, str, int]],
) -> None:
    """The value of a series at an instant is the same fact in both forms."""
    scrape = ""
    series: dict[tuple[str, str], list[list[object]]] = {}
    for at, name, partner, status in values:
        line = channel(name, "CLUSSDR", status, partner).rstrip()
        scrape += f"{line} {at * 1000}\n"
        series.setdefault((name, partner), []).append([at, str(status)])
    labels = {"__name__": "ibmmq_channel_status", "qmgr": "HAMBURG", "type": "CLUSSDR"}
    answer: list[dict[str, object]] = [
        {"metric": {**labels, "channel": name, "connname": partner}, "values": found}
        for (name, partner), found in series.items()
    ]
    text = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": answer}})
    source = FeedSource()
    ranged = CONVERTERS[FileFormat.PROMETHEUS_ANSWER]([text], source)
    assert list(ranged) == converted(scrape, source)


def test_passwords_are_masked() -> None:
    """A label may have the address of a partner with a password."""
    rows = converted(channel("TO.KIEL", "CLUSSDR", 3, "https://me:hush@kiel"))
    assert len(said(rows)) == 1
    assert "hush" not in repr(rows)
