"""Changes that administrators made to definitions, by day, object and attribute."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import Window, day_of, narrowed
from twin.history.metrics.metric import Metric

_WHAT: Final = {
    "ObjectDefined": "defined",
    "ObjectAltered": "altered",
    "ObjectDeleted": "deleted",
    "ObjectVanished": "vanished",
    "QueueManagerAltered": "altered",
}
"""What an event does to a definition."""

_SEEN: Final = ("ObjectObserved", "QueueManagerObserved")
_SAID: Final = ("ObjectsObserved", "ObjectsDated")
"""What states objects: an observation, and what a later one shows of an earlier instant."""

_CONTENT: Final = """
    complete string,
    said array<struct<act: string, name: string, type: string, base: string,
        values: map<string, string>>>
"""
"""The fields of an observation that are read; see `twin.events.ObjectsObserved`."""

_KEY: Final = ("qmgr", "kind", "name")
_OTHERWISE: Final = """
    filter(map_keys(map_concat(now, map_filter(then, (k, v) -> not map_contains_key(now, k)))),
           k -> not (now[k] <=> then[k]) and (whole or map_contains_key(now, k)))
"""
"""The attributes that differ. Unless an observation has the whole object, only the attributes in it
are compared: those of a script, and of older events about a queue manager.
"""

_IN_ORDER: Final = """
    transform(array_sort(collect_list(struct(pos, col)), (a, b) -> a.pos - b.pos), e -> e.col)
"""
"""The statements about one object in the order of the observation."""

_MERGED: Final = """
    aggregate(acts,
        map_from_arrays(cast(array() as array<string>), cast(array() as array<string>)),
        (before, each) -> map_concat(
            map_filter(before, (k, v) -> not map_contains_key(each.values, k)), each.values))
"""
"""What several statements about one object come to."""

_MATCHES: Final = """
    complete = name or (complete like '%*' and startswith(name, rtrim('*', complete)))
"""
"""Whether a name is one that an observation is complete for."""


def changes(events: DataFrame, window: Window) -> DataFrame:
    """Count how often objects, and which of their attributes, were changed on each day."""
    attributes = F.concat(F.array(F.lit("")), F.col("attributes"))
    return (
        definition_changes(events, window)
        .where(F.col("at") >= window.since)
        .select(day_of("at").alias("day"), *_KEY, F.explode(attributes).alias("attribute"), "what")
        .groupBy("day", *_KEY, "attribute", "what")
        .agg(F.count("*").alias("changes"))
    )


def definition_changes(events: DataFrame, window: Window) -> DataFrame:
    """Return every change of a definition before a window's end, also those before the window.

    An observation is a change if it differs from the observation before. It counts from the instant
    of its ALTDATE and ALTTIME, if it shows them.

    Returns:
        at, an instant; position; qmgr; kind and name (for a queue manager, QMGR and its name);
        what; attributes, an array of keywords.
    """
    changing = narrowed(events, "objects", "queue_managers").where(
        F.col("occurred_at") < window.until
    )
    values = F.get_json_object("body", "$.values")
    none = F.array().cast("array<string>")
    commanded = changing.where(F.col("type").isin(*_WHAT)).select(
        *_subject(),
        F.create_map(*(F.lit(text) for pair in _WHAT.items() for text in pair))[
            F.col("type")
        ].alias("what"),
        F.coalesce(F.json_object_keys(values), none).alias("attributes"),
    )
    said = _said(changing)
    observed = (
        changing.where(F.col("type").isin(*_SEEN))
        .select(*_subject(), values.alias("text"))
        .withColumn("whole", F.col("kind") != "QMGR")
        .unionByName(said.where("exists").select("at", "position", *_KEY, "text", "whole"))
    )
    order = Over.partitionBy(*_KEY).orderBy("at", "position")
    differing = (
        observed.withColumn("former", F.lag("text").over(order))
        .where("text <> former")
        .withColumns({"now": _map("text"), "then": _map("former")})
        .withColumns({"what": F.lit("observed"), "attributes": F.expr(_OTHERWISE)})
        .where("size(attributes) > 0")
    )
    gone = _gone(said, observed).withColumns({"what": F.lit("vanished"), "attributes": none})
    return commanded.union(differing.select(*commanded.columns)).union(
        gone.select(*commanded.columns)
    )


def _said(changing: DataFrame) -> DataFrame:
    """Return what each observation says of each object, several statements about one as one.

    Returns:
        the subject; complete, a generic name; exists, whether the object exists after them; whole,
        whether they state the whole object; text, its attributes as JSON.
    """
    return (
        changing.where(F.col("type").isin(*_SAID))
        .select(*_subject(), F.from_json("body", _CONTENT).alias("body"))
        .select("at", "position", "qmgr", "kind", "body.complete", F.posexplode("body.said"))
        .withColumn("kind", F.expr("if(col.type = 'CLNTCONN', col.type, kind)"))
        .withColumn("name", F.expr("if(kind = 'QMGR', qmgr, col.name)"))
        .groupBy("at", "position", *_KEY, "complete")
        .agg(F.expr(_IN_ORDER).alias("acts"))
        .withColumns(
            {
                "exists": F.expr("element_at(acts, -1).act <> 'delete'"),
                "whole": F.expr("forall(acts, each -> each.act = 'define' and each.base = '')"),
                "text": F.to_json(F.expr(_MERGED)),
            }
        )
        .drop("acts")
    )


def _gone(said: DataFrame, observed: DataFrame) -> DataFrame:
    """Return where observed objects were first missing, or reported as deleted."""
    complete = said.where("complete is not null").select(
        "at", "position", "qmgr", "kind", "complete"
    )
    missing = (
        observed.select(*_KEY)
        .distinct()
        .join(complete.distinct(), ["qmgr", "kind"])
        .where(_MATCHES)
        .join(said.select("position", *_KEY), ["position", *_KEY], "left_anti")
    )
    deleted = said.where("not exists")
    columns = ("at", "position", *_KEY)
    absent = missing.select(*columns).union(deleted.select(*columns))
    order = Over.partitionBy(*_KEY).orderBy("at", "position")
    return (
        observed.select(*columns, F.lit(True).alias("there"))  # noqa: FBT003
        .union(absent.withColumn("there", F.lit(False)))  # noqa: FBT003
        .withColumn("before", F.lag("there").over(order))
        .where("before and not there")
    )


def _subject() -> list[Column]:
    """Return the subject of an event; for a queue manager itself, its name."""
    return [
        F.col("occurred_at").alias("at"),
        F.col("position"),
        F.col("qmgr"),
        F.coalesce("kind", F.lit("QMGR")).alias("kind"),
        F.coalesce("name", "qmgr").alias("name"),
    ]


def _map(values: str) -> Column:
    return F.from_json(values, "map<string, string>")


METRIC: Final = Metric(
    name="changes",
    title="Changed definitions",
    compute=changes,
    says=(
        "How often definitions were changed on each day. The row with an empty attribute counts "
        "the changes of the object; each other row counts those that set one attribute. An "
        "observation is a change if it differs from the observation before it; it counts on the "
        "day of its ALTDATE, if a file shows one that explains it. An object that was observed has "
        "vanished if a later observation should name it and does not."
    ),
    source='IBM MQ 9.4, "MQSC commands reference" (DEFINE, ALTER, DELETE); the count is twin\'s',
    columns={
        "day": "the day, UTC",
        "qmgr": "the queue manager",
        "kind": "kind of object, as in MQSC; QMGR: the queue manager itself",
        "name": "the object",
        "attribute": "the attribute's keyword in MQSC; empty: the object as a whole",
        "what": "defined, altered, deleted; observed (with other values), vanished",
        "changes": "number of changes",
    },
)
