"""Records and subscriptions: republished or renewed in time, late or not at all."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import MICROSECONDS, Window, day_of, narrowed
from twin.history.metrics.metric import Metric
from twin.model.instants import DAY, EXPIRE_AFTER, MINUTE, RESEND_AFTER

_AGAIN: Final = "InformationRepublished"
_SAID: Final = "records array<struct<kind string, name string>>, names array<array<string>>"
_SLACK: Final = MINUTE
"""A republication is punctual if it is at most this much earlier or later than its due instant."""


def resends(events: DataFrame, window: Window) -> DataFrame:
    """Return for each month how late owners republished records, and how close to expiry.

    The age of a republication is that of the oldest record in it. A record's age counts from the
    last publication of its owner that contained it. A republication of records that were in none is
    only counted.
    """
    sent = _sent_again(events, window)
    late = F.col("age") - RESEND_AFTER
    early = late < -_SLACK
    return (
        sent.withColumns(
            {
                "month": F.trunc(day_of("at"), "month"),
                "late": F.when(~early, late),
                "left": EXPIRE_AFTER - F.col("age"),
            }
        )
        .groupBy("month", "cluster", "qmgr")
        .agg(
            F.count(F.lit(1)).alias("resends"),
            F.count(F.when(early, 1)).alias("early"),
            F.count(F.when(F.abs("late") <= _SLACK, 1)).alias("punctual"),
            (F.expr("percentile_disc(0.5) WITHIN GROUP (ORDER BY late)") * MICROSECONDS).alias(
                "late_p50_s"
            ),
            (F.max("late") * MICROSECONDS).alias("late_max_s"),
            (F.min("left") / F.lit(float(DAY))).alias("least_days_left"),
            F.count(F.when(F.col("left") < DAY, 1)).alias("near_misses"),
        )
    )


def _sent_again(events: DataFrame, window: Window) -> DataFrame:
    """Return each republication with the age of its oldest record; null if all are new."""
    body = F.from_json("body", _SAID)
    names = F.coalesce(
        F.col("said.names"),
        F.transform("said.records", lambda each: F.array(each["kind"], each["name"])),
    )
    order = Over.partitionBy("qmid", "cluster", "record").orderBy("at", "position")
    return (
        narrowed(events, "repository")
        .where(F.col("type").isin("InformationPublished", _AGAIN))
        .where(F.col("occurred_at") < window.until)
        .select(
            "qmid",
            "cluster",
            "qmgr",
            "position",
            F.col("occurred_at").alias("at"),
            (F.col("type") == _AGAIN).alias("again"),
            body.alias("said"),
        )
        .select("qmid", "cluster", "qmgr", "position", "at", "again",
                F.explode(names).alias("record"))
        .withColumn("age", F.col("at") - F.lag("at").over(order))
        .where(F.col("again") & (F.col("at") >= window.since))
        .groupBy("qmid", "cluster", "qmgr", "position", "at")
        .agg(F.max("age").alias("age"))
    )  # fmt: skip


RESENDS: Final = Metric(
    name="resends",
    title="Republications",
    compute=resends,
    says=(
        "How often an owner republished unchanged records, and how late. A republication is due 27 "
        "days after the last publication of the oldest of its records. It is punctual if it "
        "comes within a minute of this time, and early if it comes sooner, for example after "
        "REFRESH CLUSTER. Records expire 30 days after their last publication."
    ),
    source='IBM MQ 9.4, "How long do the queue manager repositories retain information?"',
    columns={
        "month": "its first day, UTC",
        "cluster": "the cluster",
        "qmgr": "the owner",
        "resends": "how often it republished records",
        "early": "republications more than 60 seconds before they were due",
        "punctual": "republications within 60 seconds of the instant at which they were due",
        "late_p50_s": "median delay in seconds of those that were not early: the shortest delay "
        "that half of them did not exceed",
        "late_max_s": "longest delay in seconds of those that were not early",
        "least_days_left": "fewest days left before expiry at a republication; negative: after it",
        "near_misses": "republications less than a day before expiry, or after it",
    },
    simulated=True,
)

_EXPIRED: Final = "InformationExpired"
_REMOVED: Final = "InformationRemoved"
_RECEIVED: Final = "InformationReceived"
_ITEMS: Final = "items array<struct<owner string, only array<array<string>>>>"


def losses(events: DataFrame, window: Window) -> DataFrame:
    """Count for each month and queue manager the records that expired, were removed, came back."""
    before = (
        Over.partitionBy("qmgr", "cluster", "owner")
        .orderBy("occurred_at", "position")
        .rowsBetween(Over.unboundedPreceding, -1)
    )
    expired, removed = F.col("type") == _EXPIRED, F.col("type") == _REMOVED
    last = F.last(F.when(~expired, F.col("type")), ignorenulls=True).over(before)
    returned = (F.col("type") == _RECEIVED) & (F.col("last") == _REMOVED)
    records = F.coalesce(F.size("only"), F.lit(0))
    return (
        _items(events, window)
        .withColumn("last", last)
        .where((F.col("occurred_at") >= window.since) & (expired | removed | returned))
        .groupBy(F.trunc(day_of("occurred_at"), "month").alias("month"), "cluster", "qmgr")
        .agg(
            F.count(F.when(expired, 1)).alias("expiries"),
            F.sum(F.when(expired, records).otherwise(0)).alias("expired_records"),
            F.count(F.when(removed, 1)).alias("removals"),
            F.sum(F.when(removed, records).otherwise(0)).alias("removed_records"),
            F.count_distinct(F.when(removed, F.col("owner"))).alias("owners_lost"),
            F.count(F.when(returned, 1)).alias("returns"),
        )
    )


def _items(events: DataFrame, window: Window) -> DataFrame:
    """Return the records that expired, were removed and were received."""
    items = F.from_json("body", _ITEMS)["items"]
    return (
        narrowed(events, "repository")
        .where(F.col("type").isin(_EXPIRED, _REMOVED, _RECEIVED))
        .where(F.col("occurred_at") < window.until)
        .select("qmgr", "cluster", "type", "occurred_at", "position", items.alias("items"))
        .select("qmgr", "cluster", "type", "occurred_at", "position", F.inline("items"))
    )


LOSSES: Final = Metric(
    name="losses",
    title="Expiries, removals and returns",
    compute=losses,
    says=(
        "Which records expired at a queue manager because they were not republished for 30 days, "
        "and which were removed after 90 days. An item is all that the queue manager held of one "
        "publication of an owner. An owner returns when the queue manager receives its records for "
        "the first time after some of them were removed."
    ),
    source='IBM MQ 9.4, "How long do the queue manager repositories retain information?"',
    columns={
        "month": "its first day, UTC",
        "cluster": "the cluster",
        "qmgr": "the queue manager that held the records",
        "expiries": "items that expired",
        "expired_records": "records that these items name; items of whole publications name none",
        "removals": "items that were removed",
        "removed_records": "records that these items name; items of whole publications name none",
        "owners_lost": "different owners of removed items",
        "returns": "how often an owner returned after a removal in this month or an earlier one",
    },
    simulated=True,
)


_COUNTS: Final = {
    "made": "SubscriptionMade",
    "referenced": "SubscriptionReferenced",
    "renewed": "SubscriptionsRenewed",
    "lapsed": "SubscriptionsLapsed",
}
"""The column in which each event type is counted."""


def subscription_turnover(events: DataFrame, window: Window) -> DataFrame:
    """Count for each month the subscriptions that were made, used, renewed, and that lapsed."""
    at, type_ = F.col("occurred_at"), F.col("type")
    many = F.size(F.from_json("body", "asks array<array<string>>")["asks"])
    listed = type_.isin("SubscriptionsRenewed", "SubscriptionsLapsed")
    return (
        narrowed(events, "subscriptions")
        .where(type_.isin(*_COUNTS.values()))
        .where((at >= window.since) & (at < window.until))
        .select(
            F.trunc(day_of("occurred_at"), "month").alias("month"),
            "cluster",
            "qmgr",
            "type",
            F.when(listed, many).otherwise(1).alias("count"),
        )
        .groupBy("month", "cluster", "qmgr")
        .agg(
            *(
                F.sum(F.when(type_ == one, F.col("count")).otherwise(0)).alias(name)
                for name, one in _COUNTS.items()
            )
        )
    )


SUBSCRIPTIONS: Final = Metric(
    name="subscription_turnover",
    title="Subscriptions",
    compute=subscription_turnover,
    says=(
        "How many subscriptions a partial repository made, used, renewed at their check after 27 "
        "days, and let lapse. A use is counted if it is the first since the subscription was made "
        "or renewed."
    ),
    source='IBM MQ 9.4, "How long do the queue manager repositories retain information?"',
    columns={
        "month": "its first day, UTC",
        "cluster": "the cluster",
        "qmgr": "the queue manager that subscribed",
        "made": "subscriptions made",
        "referenced": "subscriptions used for the first time since they were made or renewed",
        "renewed": "subscriptions renewed because they were in use",
        "lapsed": "subscriptions that lapsed",
    },
    simulated=True,
    earlier=(),
)


def renewal_warnings(events: DataFrame, window: Window) -> DataFrame:
    """Count for each month how often a queue manager warned that records were not renewed.

    In a month in which warnings of a queue manager were observed, those of the rules do not count.
    """
    at, logged = F.col("occurred_at"), F.col("type") == "RenewalOverdueObserved"
    return (
        narrowed(events, "repository", "observations")
        .where((F.col("type") == "RenewalOverdue") | logged)
        .where((at >= window.since) & (at < window.until))
        .select(
            F.trunc(day_of("occurred_at"), "month").alias("month"),
            "cluster",
            "qmgr",
            "message_id",
            "owner",
            "days",
            "days_left",
            logged.alias("logged"),
        )
        .withColumn("any_logged", F.max("logged").over(Over.partitionBy("month", "qmgr")))
        .where("logged = any_logged")
        .groupBy("month", "cluster", "qmgr", "message_id")
        .agg(
            F.count(F.lit(1)).alias("warnings"),
            F.size(F.collect_set("owner")).cast("long").alias("owners"),
            F.max("days").alias("most_days_overdue"),
            F.min("days_left").alias("least_days_left"),
        )
    )


WARNINGS: Final = Metric(
    name="renewal_warnings",
    title="Warnings of missed renewals",
    compute=renewal_warnings,
    says=(
        "How often a queue manager warned in its error log that records were not republished. It "
        "warns each day, from the day after the republication was due: a full repository with "
        "AMQ9469 about each CLUSRCVR, other queue managers with AMQ9456 about objects that they "
        "used in the last 30 days. If its error log was imported, the warnings in it count, and "
        "those of the rules in that month do not."
    ),
    source="IBM PH34265",
    columns={
        "month": "its first day, UTC",
        "cluster": "the cluster",
        "qmgr": "the queue manager that warned",
        "message_id": "AMQ9456 or AMQ9469",
        "warnings": "how often it warned",
        "owners": "different owners, by QMID, that it warned about",
        "most_days_overdue": "the most days since a republication was due",
        "least_days_left": "the fewest days left until records are removed",
    },
    simulated=True,
    earlier=(),
)
