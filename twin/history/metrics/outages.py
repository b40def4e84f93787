"""Outages of cluster-senders, planned stops, and what changed in the hour before an outage."""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import MICROSECONDS, moment
from twin.history.metrics.changes import definition_changes
from twin.history.metrics.channel_status import with_clusters
from twin.history.metrics.metric import Metric
from twin.history.metrics.stretches import made, stretches
from twin.history.visible import narrowed
from twin.history.window import Window
from twin.model.instants import HOUR


def outages(events: DataFrame, window: Window) -> DataFrame:
    """List the outages and planned stops of cluster-senders that overlap a window."""
    with_cluster = with_clusters(found_outages(stretches(events, window), window), events, window)
    until = F.coalesce("ended", F.lit(window.until))
    return with_cluster.select(
        "qmgr",
        "channel",
        "cluster",
        "partner",
        moment("began").alias("began"),
        moment("ended").alias("ended"),
        ((until - F.col("began")) * MICROSECONDS).alias("seconds"),
        "reason",
        "retries",
        "planned",
    )


def found_outages(stood: DataFrame, window: Window) -> DataFrame:
    """Join the stretches of each outage or planned stop that overlaps a window.

    Returns:
        qmgr, channel; began and ended (null if it has not ended), instants; began_position;
        partner; reason (null if none is known); retries that failed; planned.
    """
    tried = F.when(
        F.col("status") == "RETRYING",
        made(f"coalesce(end, {window.until}) - 1") - made("begin - 1"),
    )
    return (
        stood.where(F.col("grouping").isin("outage", "stopped"))
        .groupBy("qmgr", "channel", "partner", "began", "began_position", "grouping")
        .agg(
            F.expr("if(count_if(end is null) > 0, null, max(end))").alias("ended"),
            F.expr("min_by(reason, if(reason <> '', begin, null))").alias("reason"),
            F.coalesce(F.sum(tried), F.lit(0)).alias("retries"),
        )
        .withColumn("planned", F.col("grouping") == "stopped")
        .where(F.col("ended").isNull() | (F.col("ended") > window.since))
    )


OUTAGES: Final = Metric(
    name="outages",
    title="Outages of cluster-senders",
    compute=outages,
    says=(
        "Each unbroken time in which a cluster-sender was neither RUNNING nor INACTIVE and its "
        "queue manager had not ended. It is planned if it began with an operator's STOP of a "
        "channel that was RUNNING or INACTIVE; otherwise it is an outage. A STOP during an outage "
        "does not end it."
    ),
    source=(
        'IBM MQ 9.1, "DISPLAY CHSTATUS" (STATUS); IBM MQ 8.0, "STOP CHANNEL"; IBM MQ 9.4, "Short '
        'retry interval"'
    ),
    columns={
        "qmgr": "the queue manager that sends",
        "channel": "the cluster-sender",
        "cluster": "cluster of the channel; if it has several, the first by name; null: unknown",
        "partner": "the queue manager at the other end, the last one in the window; null: unknown",
        "began": "instant, UTC; may lie before the window",
        "ended": "instant, UTC; null: it has not ended",
        "seconds": "whole length in seconds; up to the window's end if it has not ended",
        "reason": "the first message that gave a reason; null: none",
        "retries": "retries that failed",
        "planned": "true if an operator had stopped the channel",
    },
    rests_on=(stretches,),
)


BEFORE: Final = HOUR
"""How long before an outage changes are listed, in microseconds."""

_DEFINED: Final = ("defined", "deleted", "vanished")
"""Changes that are listed once for the object, not for each attribute."""

_QMGR: Final = ("QMGR", "qmgr")
_CLUSTER: Final = ("CLUSTER", "cluster")

_ACTS: Final = {
    "QueueManagerStarted": ("queue_managers", *_QMGR, "started"),
    "QueueManagerEnded": ("queue_managers", *_QMGR, "ended"),
    "QueueManagerDeleted": ("queue_managers", *_QMGR, "deleted"),
    "QueueManagerRestored": ("restoring", *_QMGR, "restored"),
    "QueueManagerSuspended": ("clusters", *_CLUSTER, "suspended"),
    "QueueManagerResumed": ("clusters", *_CLUSTER, "resumed"),
    "RepositoryRefreshed": ("clusters", *_CLUSTER, "refreshed"),
    "MemberForceRemoved": ("clusters", *_CLUSTER, "reset"),
}
"""Event type -> its family, the kind of object, the column of its name, and the action."""


def before_outages(events: DataFrame, window: Window) -> DataFrame:
    """List the changes in the hour before each outage that began in a window."""
    begun = (
        found_outages(stretches(events, window), window)
        .where(~F.col("planned") & (F.col("began") >= window.since))
        .select("qmgr", "channel", "began", "began_position", "partner")
    )
    both = F.array(
        F.struct(F.col("qmgr").alias("changed_on"), F.col("partner").alias("peer")),
        F.struct(F.col("partner").alias("changed_on"), F.col("qmgr").alias("peer")),
    )
    hour = F.floor(F.col("began") / HOUR)
    places = begun.select("*", F.inline(both)).where("changed_on is not null")
    hours = places.withColumn("hour", F.explode(F.array(hour, hour - 1)))
    done = acts(events, window).withColumns(
        {"changed_on": F.col("on"), "hour": F.floor(F.col("at") / HOUR)}
    )
    lasted = F.col("began") - F.col("at")
    return (
        hours.join(done, ["changed_on", "hour"])
        .where((lasted >= 0) & (lasted <= BEFORE))
        .where((lasted > 0) | (F.col("position") < F.col("began_position")))
        .where("other is null or other = peer")
        .select(
            "qmgr",
            "channel",
            moment("began").alias("outage_began"),
            moment("at").alias("changed_at"),
            (lasted * MICROSECONDS).alias("seconds_before"),
            "changed_on",
            "kind",
            "name",
            "attribute",
            "what",
        )
    )


def acts(events: DataFrame, window: Window) -> DataFrame:
    """Return actions that may be related to an outage that began in a window.

    Returns:
        at, an instant; position; on, the queue manager; other, the queue manager at the other end
        of a link, else null; kind, name, attribute ('' if the whole object is concerned), what.
    """
    since = window.since - BEFORE
    in_span = narrowed(
        events, "channels", "clusters", "commands", "queue_managers", "restoring"
    ).where((F.col("occurred_at") >= since) & (F.col("occurred_at") < window.until))
    attributes = F.when(F.col("what").isin(*_DEFINED), F.array(F.lit(""))).otherwise(
        F.col("attributes")
    )
    definitions = (
        definition_changes(events, window)
        .where(F.col("at") >= since)
        .select(
            "at",
            "position",
            F.col("qmgr").alias("on"),
            F.lit(None).cast("string").alias("other"),
            "kind",
            "name",
            F.explode(attributes).alias("attribute"),
            "what",
        )
    )
    return reduce(DataFrame.union, [definitions, *_done(in_span), _stops(in_span), _links(in_span)])


def _done(events: DataFrame) -> list[DataFrame]:
    """Return actions on queue managers and in clusters, family by family."""
    by_family = []
    for family in ("queue_managers", "restoring", "clusters"):
        types = {name: act[1:] for name, act in _ACTS.items() if act[0] == family}
        kind, name, _ = next(iter(types.values()))
        words = F.create_map(
            *(F.lit(text) for type_, act in types.items() for text in (type_, act[2]))
        )
        chosen = narrowed(events, family).where(F.col("type").isin(*types))
        by_family.append(_acts(chosen, kind, F.col(name), words[F.col("type")]))
    return by_family


def _stops(events: DataFrame) -> DataFrame:
    """Return when an operator stopped a channel, at either end."""
    stopped = narrowed(events, "channels").where(
        (F.col("type") == "ChannelStatusChanged") & (F.col("status") == "STOPPED")
    )
    unasked = F.coalesce("reason", F.lit("")) == ""
    return _acts(stopped.where(unasked), "CHANNEL", F.col("channel"), F.lit("stopped"))


def _links(events: DataFrame) -> DataFrame:
    """Return when links were cut and healed, at one of their ends."""
    changed = (
        narrowed(events, "commands")
        .where(F.col("type") == "LinkChanged")
        .withColumn("cut", F.get_json_object("body", "$.cut"))
        .where("cut is not null")
        .withColumn("other", F.get_json_object("body", "$.other"))
    )
    what = F.when(F.col("cut") == "true", "cut").otherwise("healed")
    return _acts(changed, "LINK", F.col("other"), what, other=F.col("other"))


def _acts(
    events: DataFrame, kind: str, name: Column, what: Column, *, other: Column | None = None
) -> DataFrame:
    return events.select(
        F.col("occurred_at").alias("at"),
        "position",
        F.col("qmgr").alias("on"),
        (F.lit(None) if other is None else other).cast("string").alias("other"),
        F.lit(kind).alias("kind"),
        name.alias("name"),
        F.lit("").alias("attribute"),
        what.alias("what"),
    )


BEFORE_OUTAGES: Final = Metric(
    name="before_outages",
    title="What changed before outages",
    compute=before_outages,
    says=(
        "What was changed in the hour before an outage of a cluster-sender: at its queue manager, "
        "at its partner, or on the link between them. A change at the instant at which the outage "
        "began is listed if it comes before the outage in the log. A change that came before an "
        "outage is not necessarily its cause."
    ),
    source="twin",
    columns={
        "qmgr": "the queue manager that sends",
        "channel": "the cluster-sender that failed",
        "outage_began": "instant, UTC",
        "changed_at": "instant, UTC; may lie before the window",
        "seconds_before": "seconds from the change to the outage",
        "changed_on": "the queue manager of the change: the sender or its partner",
        "kind": "kind of object, as in MQSC; or QMGR, CLUSTER, LINK",
        "name": "the object; for a link, the queue manager at its other end",
        "attribute": "the attribute that was set; empty: the object as a whole",
        "what": (
            "defined, altered, deleted, observed (with other values), vanished; started, ended, "
            "restored; suspended, resumed, refreshed, reset; stopped (a channel); cut, healed"
        ),
    },
    rests_on=(stretches,),
)
