"""Outages of cluster-senders and planned stops, with their causes, and what changed before."""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import MICROSECONDS, Window, moment, narrowed, states
from twin.history.metrics.changes import definition_changes
from twin.history.metrics.channel_status import with_clusters
from twin.history.metrics.metric import Metric, shared
from twin.history.metrics.stretches import made, stretches
from twin.history.metrics.suspensions import suspended_times
from twin.model.instants import DAY, HOUR

_STARTED: Final = "QueueManagerStarted"
_ENDED: Final = "QueueManagerEnded"

STOPPED: Final = "stopped"
ENDED: Final = "ended"
LOST: Final = "lost"
SUSPENDED: Final = "suspended"
UNREACHABLE: Final = "unreachable"
"""The causes of an outage: an operator stopped the channel; its partner had ended on purpose; its
partner was lost; its partner was suspended with MODE(FORCE); nothing is known.
"""

FORGOTTEN: Final = 30 * DAY
"""An end that lasts this long is a loss, whoever asked for it. Decided here: records expire after
this time, so that the cluster begins to forget the queue manager. Source: IBM MQ 9.4, "How long do
the queue manager repositories retain information?".
"""


def outages(events: DataFrame, window: Window) -> DataFrame:
    """List the outages and planned stops of cluster-senders that overlap a window."""
    return known_outages(events, window).select(
        "qmgr",
        "channel",
        "cluster",
        "partner",
        moment("began").alias("began"),
        moment("ended").alias("ended"),
        (inside(window) * MICROSECONDS).alias("seconds"),
        "reason",
        "retries",
        "planned",
        "cause",
    )


@shared
def known_outages(events: DataFrame, window: Window) -> DataFrame:
    """Return the outages and planned stops that overlap a window, in microseconds.

    Returns:
        qmgr, channel, cluster, partner; began and ended (null if it has not ended), instants;
        began_position; reason (null if none is known); retries; stopped, cause and planned;
        caused (when the partner ended or was suspended; null if it was not the cause).
    """
    found = _found(stretches(events, window), window)
    return _with_causes(with_clusters(found, events, window), events, window)


def inside(window: Window) -> Column:
    """Return how much of an outage lies inside a window."""
    last = F.least(F.coalesce("ended", F.lit(window.until)), F.lit(window.until))
    return last - F.greatest("began", F.lit(window.since))


def _found(stood: DataFrame, window: Window) -> DataFrame:
    """Join the stretches of each outage or planned stop that overlaps a window."""
    said = (F.col("reason") != "") & (F.col("begin") < window.until)
    upto = f"least(coalesce(end, {window.until}), {window.until}) - 1"
    tried = F.when(
        (F.col("status") == "RETRYING") & (F.col("begin") < window.until),
        made(upto) - made("begin - 1"),
    )
    return (
        stood.where(F.col("grouping").isin("outage", "stopped") & (F.col("began") < window.until))
        .groupBy("qmgr", "channel", "partner", "began", "began_position", "grouping")
        .agg(
            F.expr("if(count_if(end is null) > 0, null, max(end))").alias("ended"),
            F.min_by("reason", F.when(said, F.col("begin"))).alias("reason"),
            F.coalesce(F.sum(tried), F.lit(0)).alias("retries"),
        )
        .withColumn("stopped", F.col("grouping") == "stopped")
        .where(F.col("ended").isNull() | (F.col("ended") > window.since))
    )


def _with_causes(found: DataFrame, events: DataFrame, window: Window) -> DataFrame:
    """Add to outages their cause, and whether it was planned.

    Source of a suspension as a cause: IBM MQ 9.4, "SUSPEND QMGR": MODE(FORCE) stops the inbound
    channels of the cluster. If a channel has several clusters, only the first by name is compared:
    MQ stops it if all of them are suspended.
    """
    suspended = suspended_times(events)
    ends = _ends(events, suspended, window).toDF("of", "down", "up", "down_position", "lost")
    forced = suspended.where("forced").select(
        F.col("qmgr").alias("who"),
        F.col("cluster").alias("in_cluster"),
        F.col("begin").alias("forced"),
        F.col("end").alias("resumed"),
        F.col("position").alias("forced_position"),
    )
    at_end = "partner = of and (down, down_position) < (began, began_position)"
    at_suspension = """
        partner = who and cluster = in_cluster
        and (forced, forced_position) < (began, began_position)
    """
    cause = (
        F.when(F.col("stopped"), STOPPED)
        .when(F.col("lost"), LOST)
        .when(F.col("down").isNotNull(), ENDED)
        .when(F.col("forced").isNotNull(), SUSPENDED)
        .otherwise(UNREACHABLE)
    )
    return (
        found.join(F.broadcast(ends), F.expr(f"{at_end} and (up is null or began < up)"), "left")
        .join(
            F.broadcast(forced),
            F.expr(f"{at_suspension} and (resumed is null or began < resumed)"),
            "left",
        )
        .withColumn("cause", cause)
        .withColumns(
            {
                "planned": F.col("cause").isin(STOPPED, ENDED, SUSPENDED),
                "caused": F.when(~F.col("stopped"), F.coalesce("down", "forced")),
            }
        )
    )


def _ends(events: DataFrame, suspended: DataFrame, window: Window) -> DataFrame:
    """Return when queue managers had ended (`of`, `begin`, `end`, `position`), and if `lost`.

    One is lost if nobody ended it and it was suspended from no cluster, or if it is forgotten.
    """
    turns = (
        narrowed(events, "queue_managers")
        .where(F.col("type").isin(_STARTED, _ENDED))
        .withColumn("failed", F.get_json_object("body", "$.failed").eqNullSafe("true"))
        .select(F.col("qmgr").alias("of"), "type", "failed", "occurred_at", "position")
    )
    ends = states(turns, "of").where(F.col("type") == _ENDED).drop("type")
    suspended = suspended.select(
        F.col("qmgr"), F.col("begin").alias("since"), F.col("end").alias("till")
    )
    at_end = (F.col("of") == F.col("qmgr")) & F.expr(
        "begin >= since and (till is null or begin < till)"
    )
    lasted = F.coalesce("end", F.lit(window.until)) - F.col("begin")
    return (
        ends.join(suspended, at_end, "left")
        .groupBy("of", "begin", "end", "position", "failed")
        .agg(F.max("since").alias("since"))
        .select(
            *("of", "begin", "end", "position"),
            (F.expr("failed and since is null") | (lasted >= FORGOTTEN)).alias("lost"),
        )
    )


OUTAGES: Final = Metric(
    name="outages",
    title="Outages of cluster-senders",
    compute=outages,
    says=(
        "Each unbroken time in which a cluster-sender was neither RUNNING nor INACTIVE and its "
        "queue manager had not ended. STARTING, INITIALIZING and BINDING are a start and no "
        "outage, unless they last for more than 127 seconds. It is planned if it began with an "
        "operator's STOP of a channel that was RUNNING or INACTIVE, or while its partner had ended "
        "by a command or while suspended, or was suspended from the channel's cluster with "
        "MODE(FORCE). An end of 30 days is a loss and not planned: records expire after that time. "
        "A STOP during an outage does not end it. It goes on while nobody observes it."
    ),
    source=(
        'IBM MQ 9.1, "DISPLAY CHSTATUS" (STATUS); IBM MQ 8.0, "STOP CHANNEL"; IBM MQ 9.4, "Short '
        'retry interval"; "SUSPEND QMGR"'
    ),
    columns={
        "qmgr": "the queue manager that sends",
        "channel": "the cluster-sender",
        "cluster": "cluster of the channel; if it has several, the first by name; null: unknown",
        "partner": "the queue manager at the other end, the last one known; null: unknown",
        "began": "instant, UTC; may lie before the window",
        "ended": "instant, UTC; may lie after the window; null: it has not ended",
        "seconds": "seconds inside the window",
        "reason": "the first message that gave a reason; null: none",
        "retries": "retries that failed before the window's end",
        "planned": "true: an operator had stopped the channel, or its partner had ended or was "
        "suspended on purpose",
        "cause": "stopped: an operator stopped it; ended: its partner had ended on purpose; "
        "suspended: its partner was suspended with MODE(FORCE); lost: its partner was lost; "
        "unreachable: nothing is known",
    },
    rests_on=(stretches, known_outages),
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
