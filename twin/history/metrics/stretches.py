"""The status of cluster-sender channels over time, which several metrics are based on.

A stretch is the time from one change of a channel to its next. Of several changes at one instant
only the last in the order of the log counts: a stretch is never empty. A stretch belongs to a
group: `up` (RUNNING, INACTIVE or a short start), `outage`, `stopped` (by an operator), `ended` (its
queue manager was down), `unknown` (up when it was last observed, but not observed now) or `gone`
(the cluster-sender does not exist).
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.window import WindowSpec

from twin.history.history import Window, narrowed
from twin.history.metrics.coverage import observed_stretches
from twin.history.metrics.metric import shared
from twin.model.retries import Retries
from twin.model.silence import CONNECT_TIMEOUT

STARTS: Final = ("STARTING", "INITIALIZING", "BINDING")
"""The statuses of a channel that starts."""

LONGEST_START: Final = CONNECT_TIMEOUT
"""The longest start that is no outage. Decided here: a channel that starts for longer waits for
something else than an answer to its connect.
"""

_NONE: Final = "NONE"
"""Stands for the status of a channel that has none."""

_GONE: Final = "GONE"
"""Stands for the type of a channel whose definition was deleted."""

_AUTO: Final = "AUTO"
"""Stands for the type of a channel without a definition: an automatic cluster-sender."""

_ROW: Final = (
    "qmgr string, channel string, at long, position long, "
    "status string, partner string, reason string, retries array<long>, type string, "
    "down boolean, ended boolean, covered boolean"
)


@shared
def stretches(events: DataFrame, window: Window) -> DataFrame:
    """Return the stretches of each cluster-sender, from its first change to its last.

    Stretches before and after the window are included. A channel exists from its definition or its
    first status. After its definition was deleted, it exists while it has a status [inferred: the
    cluster may keep it]. If its queue manager was deleted, it exists from its next status. When a
    queue manager ends, its channels become INACTIVE, but a STOPPED channel stays stopped. A start
    during an outage is part of it. An outage goes on while nobody observes its queue manager.

    Returns:
        qmgr, channel; begin and end (null for the last), instants; position (of the change that
        begins it); status; grouping; partner (the last one known, else null);
        reason (the message that gives the reason, or ''); since (when the status was recorded) and
        retries (or null), for `made`; starts (whether the stretch before was in another group);
        began and began_position (where the group began); failed (when the last outage began);
        before (the group before); back (when the channel was last RUNNING again after an outage).
    """
    statuses = _statuses(events)
    definitions = _definitions(events)
    defined = definitions.where(F.col("type") == "CLUSSDR").select("qmgr", "channel")
    names = statuses.select("qmgr", "channel").union(defined).distinct()
    observed = observed_stretches(events, window).withColumnRenamed("begin", "occurred_at")
    seen = names.join(F.broadcast(observed), "qmgr").withColumn("position", F.lit(0))
    changes = (
        statuses.unionByName(definitions)
        .unionByName(_lives(events, names))
        .unionByName(_rows(seen, covered="covered"))
    )
    return _grouped(_timed(_stood(changes)))


def _stood(changes: DataFrame) -> DataFrame:
    """Let each change last until the next, with all that is known of its channel by then."""
    order = Over.partitionBy("qmgr", "channel").orderBy("at", "position")
    so_far = order.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    ever = order.rowsBetween(Over.unboundedPreceding, Over.unboundedFollowing)
    status = F.struct("status", "reason", F.col("at").alias("since"), "retries")
    known = changes.select(
        "qmgr",
        "channel",
        F.col("at").alias("begin"),
        F.lead("at").over(order).alias("end"),
        "position",
        _last(F.when(F.col("status").isNotNull(), status), so_far).alias("last_change"),
        _last(F.expr("if(status is null, ended, false)"), so_far).alias("reset"),
        _last("type", so_far).alias("type"),
        _last("down", so_far).alias("down"),
        _last("covered", so_far).alias("covered"),
        _last("partner", ever).alias("partner"),
    )
    return known.where("end is null or begin < end").select(
        "qmgr",
        "channel",
        "begin",
        "end",
        "position",
        "partner",
        F.col("last_change.since").alias("since"),
        F.col("last_change.retries").alias("retries"),
        F.expr(_STATUS).alias("status"),
        F.expr("if(reset and last_change.status <> 'STOPPED', '', last_change.reason)").alias(
            "reason"
        ),
        F.coalesce("type", F.lit(_AUTO)).alias("type"),
        "down",
        "covered",
    )


def _timed(stood: DataFrame) -> DataFrame:
    """Add how long each start lasted (`start`), from its first status to its end; else null."""
    order = Over.partitionBy("qmgr", "channel").orderBy("begin")
    former = order.rowsBetween(Over.unboundedPreceding, -1)
    following = order.rowsBetween(1, Over.unboundedFollowing)
    starting = F.col("status").isin(*STARTS) & F.expr("not coalesce(down, false)")
    other_end = _last(F.when(~F.col("starting"), F.col("end")), former)
    first = F.first("begin").over(order.rowsBetween(Over.unboundedPreceding, 0))
    other_begin = F.first(F.when(~F.col("starting"), F.col("begin")), ignorenulls=True)
    last = F.last(F.coalesce("end", F.lit(2**62))).over(
        order.rowsBetween(0, Over.unboundedFollowing)
    )
    lasted = F.coalesce(other_begin.over(following), last) - F.coalesce(other_end, first)
    return stood.withColumn("starting", starting).withColumn(
        "start", F.when(F.col("starting"), lasted)
    )


def _grouped(stood: DataFrame) -> DataFrame:
    """Add the group of each stretch, and when that group and the last outage began."""
    order = Over.partitionBy("qmgr", "channel").orderBy("begin", "position")
    so_far = order.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    former = order.rowsBetween(Over.unboundedPreceding, -1)
    settled = F.expr("if(alone in ('stopped', 'start'), null, alone)")
    grouped = stood.withColumn("alone", F.expr(_GROUP)).withColumns(
        {
            "failing": _last(settled, so_far),
            "failed_before": _last(settled, former),
            "alone_before": F.lag("alone").over(order),
        }
    )
    grouped = grouped.withColumns(
        {
            "grouping": F.expr(_FAILING.format("alone", "failing")),
            "before": F.expr(_FAILING.format("alone_before", "failed_before")),
        }
    ).withColumn("starts", F.expr("before is null or before <> grouping"))
    return grouped.select(
        "qmgr",
        "channel",
        "begin",
        "end",
        "position",
        F.expr(f"if(status = '{_NONE}', 'INACTIVE', status)").alias("status"),
        "grouping",
        "partner",
        "reason",
        "since",
        "retries",
        "starts",
        _last(F.expr("if(starts, begin, null)"), so_far).alias("began"),
        _last(F.expr("if(starts, position, null)"), so_far).alias("began_position"),
        _last(F.expr("if(starts and grouping = 'outage', begin, null)"), so_far).alias("failed"),
        "before",
        _last(F.expr("if(status = 'RUNNING' and before = 'outage', begin, null)"), so_far).alias(
            "back"
        ),
    )


def _last(value: Column | str, frame: WindowSpec) -> Column:
    return F.last(value, ignorenulls=True).over(frame)


_STATUS: Final = f"""
    case when last_change is null then '{_NONE}'
         when reset and last_change.status not in ('STOPPED', '{_NONE}') then 'INACTIVE'
         else last_change.status end
"""
_GROUP: Final = f"""
    case when type not in ('CLUSSDR', '{_AUTO}', '{_GONE}') then 'gone'
         when type <> 'CLUSSDR' and status = '{_NONE}' then 'gone'
         when type = '{_GONE}' and status = 'INACTIVE' then 'gone'
         when down then 'ended'
         when status in ('RUNNING', 'INACTIVE', '{_NONE}')
             then if(covered = false, 'unknown', 'up')
         when start <= {LONGEST_START} then if(covered = false, 'unknown', 'start')
         when status in ('STOPPED', 'STOPPING') and coalesce(reason, '') = '' then 'stopped'
         else 'outage' end
"""
_FAILING: Final = """
    case when {0} in ('stopped', 'start') and {1} = 'outage' then 'outage'
         when {0} = 'start' then 'up' else {0} end
"""


def _statuses(events: DataFrame) -> DataFrame:
    """Return the recorded statuses of channels."""
    retries = F.when(
        (F.col("status") == "RETRYING") & F.col("body").contains('"retries"'),
        F.from_json(F.get_json_object("body", "$.retries"), "array<long>"),
    )
    changes = narrowed(events, "channels").where(F.col("type") == "ChannelStatusChanged")
    partner = F.expr("nullif(partner, '')")
    return _rows(changes, status="status", partner=partner, reason="reason", retries=retries)


def _definitions(events: DataFrame) -> DataFrame:
    """Return when channels were defined, with their type, and when deleted; without templates."""
    changes = (
        narrowed(events, "objects")
        .where((F.col("kind") == "CHANNEL") & (F.col("type") != "ObjectAltered"))
        .where(~F.col("name").startswith("SYSTEM."))
        .withColumn("channel", F.col("name"))
    )
    return _rows(changes, type=F.coalesce("object_type", F.lit(_GONE)))


def _lives(events: DataFrame, names: DataFrame) -> DataFrame:
    """Return the events of queue managers, once for each of their channels."""
    happened = F.col("type")
    lives = (
        narrowed(events, "queue_managers", "restoring")
        .where(happened.isin(*_LIFE))
        .select("qmgr", "type", "occurred_at", "position")
    )
    deleted = happened == "QueueManagerDeleted"
    return _rows(
        names.join(F.broadcast(lives), "qmgr"),
        status=F.when(deleted, _NONE).when(happened == "QueueManagerRestored", "INACTIVE"),
        type=F.when(deleted, _AUTO),
        down=happened.isin("QueueManagerEnded", "QueueManagerRestored"),
        ended=F.when(happened == "QueueManagerEnded", F.expr("true")),
    )


_LIFE: Final = (
    "QueueManagerDeleted",
    "QueueManagerEnded",
    "QueueManagerRestored",
    "QueueManagerStarted",
)


def _rows(changes: DataFrame, **columns: Column | str) -> DataFrame:
    """Give all changes the same columns; a missing one is null."""
    known: dict[str, Column | str] = {
        "qmgr": "qmgr",
        "channel": "channel",
        "at": "occurred_at",
        "position": "position",
        **columns,
    }
    chosen = []
    for each in _ROW.split(", "):
        name, type_ = each.split(" ")
        value = known.get(name)
        column = F.col(value) if isinstance(value, str) else value
        chosen.append((F.lit(None) if column is None else column).cast(type_).alias(name))
    return changes.select(*chosen)


def made(upto: str) -> Column:
    """Return how many retries a RETRYING channel has made up to and including an instant.

    Failed retries are not recorded: they follow from `since` and `retries` (decision 8), short
    retries first. Retries without an interval are a microsecond apart; if their number is
    unlimited, they count 0. The time that a retry waits on a silent link is not in the lake: such
    retries count as if each failed at once. Source: IBM MQ 9.4, "Short retry interval"; SHORTRTY,
    LONGRTY.

    Args:
        upto: an SQL expression of the instant.
    """
    usual = Retries()
    settings = (f"coalesce(retries[{number}], {value}L)" for number, value in enumerate(usual[:4]))
    short, pause, long, wait = settings
    ever = usual.long_count
    passed = f"(({upto}) - since)"
    # If the product overflows, that retry never takes place.
    later = f"({passed} - coalesce(try_multiply({short}, {pause}), {2**62}L))"
    return F.expr(f"""
        case when {passed} < 0 or ({pause} = 0 and {short} >= {ever}) then 0L
             else least({passed} div greatest({pause}, 1L), {short})
                + if({wait} = 0 and {long} >= {ever}, 0L,
                     greatest(least({later} div greatest({wait}, 1L), {long}), 0L)) end
    """)
