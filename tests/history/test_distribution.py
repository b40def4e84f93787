"""Where messages went, compared with the attributes in force."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.scene import event, told, window
from tests.history.together import Asking, ask, together
from twin.history.metrics.distribution import METRIC, distribution


def told_by(
    when: str, qmgr: str, *, deleted: bool = False, cluster: str = "CA", **values: Any
) -> list[dict[str, Any]]:
    """Let a queue manager publish its channel and queue Q; `Q_` begins attributes of the queue."""
    of_queue = {key[2:]: value for key, value in values.items() if key.startswith("Q_")}
    of_channel = {key: value for key, value in values.items() if not key.startswith("Q_")}
    records: list[dict[str, Any]] = [
        {"kind": "qmgr", "name": f"{cluster}.{qmgr}", "values": of_channel},
        {"kind": "queue", "name": "Q", "values": {"CLUSQT": "QLOCAL", **of_queue}},
    ]
    records[1]["deleted"] = deleted
    return [
        event(
            when,
            "InformationPublished",
            qmgr,
            qmid=f"{qmgr}_ID",
            cluster=cluster,
            sequence=1,
            records=records,
        )
    ]


def made(*qmgrs: str) -> list[dict[str, Any]]:
    """Make queue managers."""
    return [
        event("+0s", "QueueManagerCreated", qmgr, qmid=f"{qmgr}_ID", cmdlevel=940, platform="UNIX")
        for qmgr in qmgrs
    ]


def put(when: str, ways: Mapping[str, int], *, cluster: str = "CA", fixed: str = "") -> Any:
    """Put messages at QM1, with a number for each queue manager."""
    shares = [
        {
            "count": count,
            "to": f"{qmgr}_ID",
            "channel": "" if qmgr == "QM1" else f"{cluster}.{qmgr}",
            "lies_on": "X",
            "queue": "Q",
            "cluster": cluster,
            "named": "",
        }
        for qmgr, count in ways.items()
    ]
    return event(when, "MessagesPut", "QM1", queue="Q", shares=shares, fixed=fixed)


def row(day: str, qmgr: str, messages: int, share: float, expected: Any) -> dict[str, Any]:
    """Make the columns of a row about one route, without the statistic."""
    return {
        "day": day,
        "qmgr": "QM1",
        "queue": "Q",
        "destination": qmgr,
        "channel": "" if qmgr == "QM1" else f"CA.{qmgr}",
        "messages": messages,
        "share": share,
        "expected_share": expected,
    }


@together
def test_shares_follow_what_was_in_force_at_each_put() -> Asking:
    """The expected share of a day is the sum over its puts, each with the attributes in force."""
    events = [
        *made("QM2", "QM3"),
        *told_by("+1h", "QM2"),
        *told_by("+1h", "QM3"),
        put("+2h", {"QM2": 50, "QM3": 50}),
        *told_by("+3h", "QM2", CLWLWGHT=30),
        *told_by("+3h", "QM3", CLWLWGHT=10),
        put("+3h", {"QM2": 75, "QM3": 25}),
        put("+4h", {"QM2": 9, "QM3": 1}, fixed="bind-on-open"),
        put("+49h", {"QM2": 9, "QM3": 1}),
    ]
    weights = 1 / 33 / (1 / 33 + 1 / 100)
    limit = (1 - 2 / 9 + 3.090232306167813 * (2 / 9) ** 0.5) ** 3
    chi2 = (125 - 50 - 100 * weights) ** 2
    first = {
        "chi2": pytest.approx(chi2 / (50 + 100 * weights) + chi2 / (150 - 100 * weights)),
        "dof": 1,
        "chi2_limit": pytest.approx(limit),
        "judged": True,
        "parts": False,
    }
    expected = (50 + 100 * weights) / 200
    assert (yield ask(distribution, window("+0s", "+48h"), events)) == [
        {**row("2026-01-01", "QM2", 125, 0.625, pytest.approx(expected)), **first},
        {**row("2026-01-01", "QM3", 75, 0.375, pytest.approx(1 - expected)), **first},
    ]


@together
def test_a_day_parts_where_messages_go_where_none_are_expected() -> Asking:
    """A day deviates if a local instance gets all messages; a day of 99 messages is not judged."""
    events = [
        *made("QM1", "QM2"),
        *told_by("+1h", "QM1", CLWLPRTY=3),
        *told_by("+1h", "QM2", CLWLPRTY=4),
        put("+743h", {"QM1": 100}),
        put("+744h", {"QM1": 99}),
    ]
    limit = (1 - 2 / 9 + 3.090232306167813 * (2 / 9) ** 0.5) ** 3
    found = yield ask(distribution, window("+0s", "+60d"), events)
    assert found == [
        {
            **row(day, qmgr, messages, share, expected),
            "chi2": pytest.approx(2.0 * total * total + total),
            "dof": 1,
            "chi2_limit": pytest.approx(limit),
            "judged": parts,
            "parts": parts,
        }
        for day, total, parts in (("2026-01-31", 100, True), ("2026-02-01", 99, False))
        for qmgr, messages, share, expected in (("QM1", total, 1.0, 0.0), ("QM2", 0, 0.0, 1.0))
    ]


@pytest.mark.parametrize(
    ("second", "third", "expected"),
    [
        ({"CLWLRANK": 1, "SUSPEND": "YES"}, {"CLWLPRTY": 9}, {"QM2": 1.0}),
        ({"Q_CLWLRANK": 1, "Q_PUT": "DISABLED"}, {}, {"QM3": 0.5, "QM4": 0.5}),
        ({"SUSPEND": "YES"}, {"Q_CLWLPRTY": 2}, {"QM3": 1.0}),
        ({"CLWLWGHT": "99"}, {"deleted": True}, {"QM2": 2 / 3, "QM4": 1 / 3}),
    ],
)
@together
def test_the_rules_apply_in_their_order(
    second: dict[str, Any], third: dict[str, Any], expected: dict[str, float]
) -> Asking:
    """PUT is applied before rank, rank before suspension, suspension before priority."""
    events = [
        *made("QM2", "QM3", "QM4"),
        *told_by("+1h", "QM2", **second),
        *told_by("+1h", "QM3", **third),
        *told_by("+1h", "QM4"),
        put("+1h", dict.fromkeys(expected, 10)),
    ]
    found = yield ask(distribution, window("+0s", "+48h"), events)
    assert {each["destination"]: each["expected_share"] for each in found} == {
        qmgr: pytest.approx(share) for qmgr, share in expected.items()
    }


@together
def test_where_there_is_no_choice_there_is_nothing() -> Asking:
    """A put without a choice of published instances has no rows."""
    events = [
        put("+1h", {"QM2": 500}),
        *told_by("+2h", "QM2"),
        put("+3h", {"QM2": 500}),
        put("+3h", {"QM2": 500}, cluster="CB"),
    ]
    assert (yield ask(distribution, window("+0s", "+48h"), events)) == []


def test_sql_gives_the_same(spark: SparkSession) -> None:
    """DuckDB gives the same rows for random publications and puts, many at one instant."""
    chosen = random.Random(4)
    qmgrs = ("QM1", "QM2", "QM3", "QM4")
    events = made(*qmgrs[1:])
    for hour in sorted(chosen.randrange(30 * 24) for _ in range(500)):
        when, cluster = f"+{hour}h", chosen.choice(("CA", "CA", "CB"))
        if chosen.random() < 0.3:
            values: dict[str, Any] = {
                "CLWLRANK": chosen.randrange(2),
                "CLWLPRTY": chosen.randrange(2),
                "CLWLWGHT": chosen.choice((50, 50, 20, 99)),
                "SUSPEND": chosen.choice(("NO", "YES")),
                "Q_PUT": chosen.choice(("ENABLED", "ENABLED", "DISABLED")),
                "Q_CLWLPRTY": chosen.randrange(2),
                "Q_CLUSQT": chosen.choice(("QLOCAL", "QLOCAL", "QMGR")),
            }
            some = dict(chosen.sample(sorted(values.items()), 3))
            deleted = chosen.random() < 0.1
            events += told_by(when, chosen.choice(qmgrs), deleted=deleted, cluster=cluster, **some)
        else:
            ways = {qmgr: chosen.randrange(90) for qmgr in chosen.sample(qmgrs, 2)}
            fixed = chosen.choice(("", "", "", "bind-on-open"))
            events.append(put(when, ways, cluster=cluster, fixed=fixed))
    frame = told(spark, *events)
    assert demand_same_as_sql(METRIC, frame, window("+5d", "+25d")) > 30
