"""Which cluster a channel belongs to, as far as anybody in it has said."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.visible import narrowed
from twin.history.window import Window


def with_clusters(rows: DataFrame, events: DataFrame, window: Window) -> DataFrame:
    """Add to rows with qmgr, channel and partner the cluster of the channel.

    It is that in which the partner published its CLUSRCVR of this name, else that of the
    definition at either end, else of any queue manager; of several the first by name; null where
    nobody has said.
    """
    names = F.from_json("body", "records array<struct<kind: string, name: string>>")["records"]
    text = F.col("body")
    published = (
        narrowed(events, "repository")
        .where(F.col("type") == "InformationPublished")
        .where(F.col("occurred_at") < window.until)
        .where(text.contains(':"qmgr"') | text.contains(': "qmgr"'))
        .select("cluster", F.col("qmgr").alias("owner"), F.inline(names))
        .where(F.col("kind") == "qmgr")
        .select(F.col("name").alias("channel"), "owner", "cluster")
    )
    defined = (
        narrowed(events, "objects")
        .where(F.col("kind") == "CHANNEL")
        .where(F.col("occurred_at") < window.until)
        .select(
            F.col("name").alias("channel"),
            F.col("qmgr").alias("owner"),
            F.get_json_object("body", "$.values.CLUSTER").alias("cluster"),
        )
        .where("cluster <> ''")
    )
    found = (
        published.union(defined)
        .groupBy("channel", "owner")
        .agg(F.min("cluster").alias("cluster"))
        .groupBy("channel")
        .agg(
            F.map_from_entries(F.collect_list(F.struct("owner", "cluster"))).alias("clusters"),
            F.min("cluster").alias("any"),
        )
    )
    cluster = F.expr(
        "coalesce(try_element_at(clusters, partner), try_element_at(clusters, qmgr), any)"
    )
    joined = rows.join(F.broadcast(found), "channel", "left")
    return joined.withColumn("cluster", cluster).drop("clusters", "any")
