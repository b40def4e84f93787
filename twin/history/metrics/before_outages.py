"""What changed in the hour before an outage of a cluster-sender."""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.metrics.changes import definition_changes
from twin.history.metrics.metric import Metric
from twin.history.metrics.outages import known_outages
from twin.history.metrics.stretches import stretches
from twin.history.visible import MICROSECONDS, Window, moment, narrowed
from twin.model.instants import HOUR

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
    """List the changes in the hour before each outage that began in a window and was not planned.

    The outage itself is not a change before it: a link that was cut, which is how a simulation says
    that the network failed, or the end of the partner.
    """
    begun = (
        known_outages(events, window)
        .where(~F.col("planned") & (F.col("began") >= window.since))
        .select("qmgr", "channel", "began", "began_position", "partner")
    )
    hour = F.floor(F.col("began") / HOUR)
    both = F.explode(F.array("qmgr", "partner")).alias("changed_on")
    places = begun.select("*", both).where("changed_on is not null")
    hours = places.withColumn("hour", F.explode(F.array(hour, hour - 1)))
    done = acts(events, window).withColumns(
        {"changed_on": F.col("on"), "hour": F.floor(F.col("at") / HOUR)}
    )
    lasted = F.col("began") - F.col("at")
    the_end = (F.col("changed_on") == F.col("partner")) & F.expr("kind = 'QMGR' and what = 'ended'")
    return (
        hours.join(done, ["changed_on", "hour"])
        .where((lasted >= 0) & (lasted <= BEFORE))
        .where((lasted > 0) | (F.col("position") < F.col("began_position")))
        .where(~the_end)
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
        at, an instant; position; on, the queue manager; kind, name, attribute ('' if the whole
        object is concerned), what.
    """
    since = window.since - BEFORE
    in_span = narrowed(events, "channels", "clusters", "queue_managers", "restoring").where(
        (F.col("occurred_at") >= since) & (F.col("occurred_at") < window.until)
    )
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
            "kind",
            "name",
            F.explode(attributes).alias("attribute"),
            "what",
        )
    )
    return reduce(DataFrame.union, [definitions, *_done(in_span), _stops(in_span)])


def _done(events: DataFrame) -> list[DataFrame]:
    """Return actions on queue managers and in clusters, family by family."""
    by_family = []
    for family in ("queue_managers", "restoring", "clusters"):
        types = {name: act[1:] for name, act in _ACTS.items() if act[0] == family}
        kind, name, _ = next(iter(types.values()))
        words = F.create_map(
            *(F.lit(text) for type_, act in types.items() for text in (type_, act[2]))
        )
        asked = ~F.get_json_object("body", "$.failed").eqNullSafe("true")
        chosen = narrowed(events, family).where(F.col("type").isin(*types) & asked)
        by_family.append(_acts(chosen, kind, F.col(name), words[F.col("type")]))
    return by_family


def _stops(events: DataFrame) -> DataFrame:
    """Return when an operator stopped a channel, at either end."""
    stopped = narrowed(events, "channels").where(
        (F.col("type") == "ChannelStatusChanged") & (F.col("status") == "STOPPED")
    )
    unasked = F.coalesce("reason", F.lit("")) == ""
    return _acts(stopped.where(unasked), "CHANNEL", F.col("channel"), F.lit("stopped"))


def _acts(events: DataFrame, kind: str, name: Column, what: Column) -> DataFrame:
    return events.select(
        F.col("occurred_at").alias("at"),
        "position",
        F.col("qmgr").alias("on"),
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
        "What was changed in the hour before an outage of a cluster-sender that was not planned, "
        "at its queue manager or at its partner. A change at the instant at which the outage "
        "began is listed if it comes before the outage in the log. The outage itself is not "
        "listed: links that were cut or healed, which is how a simulation says that the network "
        "failed, and the end of the partner. A change that came before an outage is not "
        "necessarily its cause."
    ),
    source="twin",
    columns={
        "qmgr": "the queue manager that sends",
        "channel": "the cluster-sender that failed",
        "outage_began": "instant, UTC",
        "changed_at": "instant, UTC; may lie before the window",
        "seconds_before": "seconds from the change to the outage",
        "changed_on": "the queue manager of the change: the sender or its partner",
        "kind": "kind of object, as in MQSC; or QMGR, CLUSTER",
        "name": "the object",
        "attribute": "the attribute that was set; empty: the object as a whole",
        "what": (
            "defined, altered, deleted, observed (with other values), vanished; started, ended, "
            "restored; suspended, resumed, refreshed, reset; stopped (a channel)"
        ),
    },
    rests_on=(stretches, known_outages),
)
