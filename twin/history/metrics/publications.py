"""What each publication of records says of queues."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.visible import narrowed

PUBLISHED: Final = ("InformationPublished", "InformationRepublished")
_SAID: Final = """
    records array<struct<kind string, name string, deleted boolean, values struct<PUT string>>>,
    names array<array<string>>
"""


def publications(events: DataFrame) -> DataFrame:
    """Return the queues of each publication, and those that it deletes, or that are `disabled`."""
    body = F.from_json("body", _SAID)
    queues = F.filter(F.col("said.records"), lambda record: record["kind"] == "queue")
    deleted = F.filter(queues, lambda record: record["deleted"])
    published = (
        narrowed(events, "repository")
        .where(F.col("type").isin(*PUBLISHED))
        .select(F.col("qmid").alias("owner"), "cluster", "sequence", body.alias("said"))
    )
    then = F.filter(
        F.col("shut"),
        lambda each: (
            (each["since"] <= F.col("sequence"))
            & (each["upto"].isNull() | (F.col("sequence") < each["upto"]))
        ),
    )
    return published.join(
        F.broadcast(_put_disabled(published)), ["owner", "cluster"], "left"
    ).select(
        "owner",
        "sequence",
        F.coalesce(
            F.transform(queues, lambda record: record["name"]), named_queues(F.col("said.names"))
        ).alias("queues"),
        F.transform(deleted, lambda record: record["name"]).alias("deleted"),
        F.transform(then, lambda each: each["queue"]).alias("disabled"),
    )


def _put_disabled(published: DataFrame) -> DataFrame:
    """Return between which of an owner's publications its queues were PUT(DISABLED), as `shut`.

    A republication names its records only: their attributes are those of the last publication.
    """
    order = Over.partitionBy("owner", "cluster", "queue").orderBy("since")
    records = published.select(
        "owner", "cluster", F.col("sequence").alias("since"), F.inline("said.records")
    ).select("owner", "cluster", "since", "kind", F.col("name").alias("queue"), "values.PUT")
    return (
        records.where("kind = 'queue'")
        .withColumn("upto", F.lead("since").over(order))
        .where("PUT = 'DISABLED'")
        .groupBy("owner", "cluster")
        .agg(F.collect_list(F.struct("queue", "since", "upto")).alias("shut"))
    )


def named_queues(names: Column) -> Column:
    """Return the names of the queues in a list of (kind, name)."""
    return F.transform(F.filter(names, lambda each: each[0] == "queue"), lambda each: each[1])
