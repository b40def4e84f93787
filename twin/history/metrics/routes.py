"""The routes to a clustered queue that take turns, according to the published records, over time.

A route is an instance of a queue and a channel to its queue manager, as their owner published them
in one cluster. A record is in force from its publication until its next publication. Only the rules
that depend on attributes are applied, in MQ's order: rank of the channel, rank of the queue, PUT,
not suspended if any is not, NETPRTY among channels to one queue manager, priority of the channel,
priority of the queue. The routes that are left take turns in proportion to CLWLWGHT.

Sources: IBM MQ 9.2, "The cluster workload management algorithm"; "CLWLWGHT channel attribute". The
step of a weight is the integer 1000 / CLWLWGHT [memory, unverified]. PUT is checked first: if all
instances of the highest rank are put-disabled, nothing is put. Queue manager aliases are left out.
Attributes that are not published have MQ's defaults.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import Window, narrowed

_IN_TURN: Final = "array<struct<qmid: string, owner: string, channel: string, share: double>>"

_RECORDS: Final = """
    records array<struct<
        kind: string, name: string, deleted: boolean,
        values: struct<CLUSQT: string, PUT: string, SUSPEND: string, CLWLRANK: string,
            CLWLPRTY: string, NETPRTY: string, CLWLWGHT: string>>>
"""
_QUEUE: Final = "queue"
_CHANNEL: Final = "qmgr"
_USUAL_WEIGHT: Final = 50
_NAME: Final = ("cluster", "queue")


def in_turn(events: DataFrame, window: Window) -> DataFrame:
    """Return for each clustered queue which routes take turns, from each change on.

    A queue with only one route has an empty list of routes: there is no choice to make.

    Returns:
        Rows with `cluster`, `queue`, `occurred_at`, `position` and `routes`: the QMID and the name
        of the owner, the channel, and the share of messages. The shares add up to 1.
    """
    owned = _by_owner(_in_force(_published(events, window)))
    return _taking_turns(_at_each_change(_routes(owned)))


def _published(events: DataFrame, window: Window) -> DataFrame:
    """Return each published record with the attributes that matter to a choice."""
    values = F.col("values")

    def number(keyword: str, usual: int) -> Column:
        return F.coalesce(values[keyword].try_cast("int"), F.lit(usual))

    rank, priority = number("CLWLRANK", 0), number("CLWLPRTY", 0)
    weight = F.greatest(number("CLWLWGHT", _USUAL_WEIGHT), F.lit(1))
    return (
        narrowed(events, "repository")
        .where((F.col("type") == "InformationPublished") & (F.col("occurred_at") < window.until))
        .select(
            *("cluster", "qmid", "qmgr"),
            F.struct("occurred_at", "position").alias("begin"),
            F.inline(F.from_json("body", _RECORDS)["records"]),
        )
        .where(F.col("kind").isin(_QUEUE, _CHANNEL))
        .select(
            *("cluster", "qmid", "begin", "kind", "name"),
            F.col("qmgr").alias("owner"),
            (
                F.coalesce("deleted", F.lit(False))  # noqa: FBT003
                | ((F.col("kind") == _QUEUE) & values["CLUSQT"].eqNullSafe(F.lit("QMGR")))
            ).alias("gone"),
            rank.alias("rank"),
            priority.alias("priority"),
            values["PUT"].eqNullSafe(F.lit("DISABLED")).alias("disabled"),
            F.when(values["SUSPEND"].eqNullSafe(F.lit("YES")), 0).otherwise(1).alias("resumed"),
            number("NETPRTY", 0).alias("netprty"),
            (F.lit(1.0) / F.floor(F.lit(1000) / weight)).alias("turns"),
        )
    )


def _in_force(records: DataFrame) -> DataFrame:
    """Add to each record the event that published it next."""
    order = Over.partitionBy("cluster", "qmid", "kind", "name").orderBy("begin")
    return records.withColumn("end", F.lead("begin").over(order)).where(~F.col("gone"))


def _by_owner(records: DataFrame) -> DataFrame:
    """Collect the queues and the channels that each owner published in a cluster."""
    of_queue = F.struct("name", "begin", "end", "rank", "priority", "disabled")
    of_channel = F.struct(
        *("name", "begin", "end", "owner", "rank", "priority", "resumed", "netprty", "turns")
    )
    return records.groupBy("cluster", "qmid").agg(
        F.collect_list(F.when(F.col("kind") == _QUEUE, of_queue)).alias("queues"),
        F.collect_list(F.when(F.col("kind") == _CHANNEL, of_channel)).alias("channels"),
    )


def _routes(owned: DataFrame) -> DataFrame:
    """Return the routes to each queue, with their attributes, and when each was in force."""
    queue, channel = F.col("of_queue"), F.col("of_channel")
    route = F.struct(
        "qmid",
        channel["owner"].alias("owner"),
        channel["name"].alias("channel"),
        queue["disabled"].alias("disabled"),
        F.struct(channel["rank"], queue["rank"], channel["resumed"]).alias("first"),
        channel["netprty"].alias("netprty"),
        F.struct(channel["priority"], queue["priority"]).alias("second"),
        channel["turns"].alias("turns"),
    )
    return (
        owned.where("size(channels) > 0")
        .select("cluster", "qmid", "channels", F.explode("queues").alias("of_queue"))
        .select("cluster", "qmid", "of_queue", F.explode("channels").alias("of_channel"))
        .select(
            "cluster",
            queue["name"].alias("queue"),
            route.alias("route"),
            F.greatest(queue["begin"], channel["begin"]).alias("begin"),
            F.least(queue["end"], channel["end"]).alias("end"),
        )
        .where("end IS NULL OR begin < end")
    )


def _at_each_change(routes: DataFrame) -> DataFrame:
    """Return the routes in force from each event that changed one of them, until the next."""
    one = F.struct("begin", "end", "route")
    marks = F.array_sort(F.array_union(F.collect_set("begin"), F.collect_set(F.col("end"))))
    first = F.array_position("marks", F.col("one.begin")).cast("int")
    behind = F.when(F.col("one.end").isNull(), F.size("marks") + 1).otherwise(
        F.array_position("marks", F.col("one.end")).cast("int")
    )
    return (
        routes.groupBy(*_NAME)
        .agg(marks.alias("marks"), F.collect_list(one).alias("all"))
        .where("size(all) > 1")
        .select(*_NAME, "marks", F.explode("all").alias("one"))
        # The end is added as a change, because the last route may end there.
        .select(*_NAME, "one", F.explode(F.slice("marks", first, behind - first + 1)).alias("mark"))
        .groupBy(*_NAME, "mark")
        .agg(
            F.array_sort(
                F.collect_list(
                    F.when(~F.col("mark").eqNullSafe(F.col("one.end")), F.col("one.route"))
                )
            ).alias("found")
        )
    )


_BEST: Final = """
    filter(found, r -> NOT r.disabled
        AND r.first = array_max(transform(filter(found, o -> NOT o.disabled), o -> o.first)))
"""
_NEAREST: Final = """
    filter(best, r -> NOT exists(best, o -> o.qmid = r.qmid AND o.netprty > r.netprty))
"""
_FIRST: Final = """
    filter(near, r -> r.second = array_max(transform(near, o -> o.second)))
"""
_TURNS: Final = """
    CASE WHEN size(found) > 1 THEN transform(left, r -> named_struct(
        'qmid', r.qmid, 'owner', r.owner, 'channel', r.channel,
        'share', r.turns / aggregate(left, 0D, (sum, o) -> sum + o.turns)))
    ELSE array() END
"""


def _taking_turns(routes: DataFrame) -> DataFrame:
    """Apply the rules to the routes in force, and return the shares of the routes that remain."""
    return (
        routes.withColumn("best", F.expr(_BEST))
        .withColumn("near", F.expr(_NEAREST))
        .withColumn("left", F.expr(_FIRST))
        .select(
            *_NAME,
            "mark.occurred_at",
            "mark.position",
            F.expr(_TURNS).cast(_IN_TURN).alias("routes"),
        )
    )
