"""From when to when a queue manager held a record of a queue, or a subscription to a queue.

Rules: IBM MQ 9.4, "How long do the queue manager repositories retain information?"; "REFRESH
CLUSTER" and "RESET CLUSTER" of the MQSC reference. `twin.fold.handlers.information` and
`twin.fold.handlers.repository_removal` show the effect of each event.

If a held record is received again, only its publication changes. So only the first and the last
event of such a run are read: nearly all repository events in a log are of this kind.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame, WindowSpec
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import Window, narrowed

PUBLISHED: Final = ("InformationPublished", "InformationRepublished")
_PUBLICATION: Final = """
    records array<struct<kind string, name string, deleted boolean, values struct<PUT string>>>,
    names array<array<string>>
"""


def publications(events: DataFrame) -> DataFrame:
    """Return the queues of each publication, and those that it deletes, or that are `disabled`."""
    body = F.from_json("body", _PUBLICATION)
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


SUBSCRIPTION: Final = ""
"""The value of `owner` in rows that are about a subscription."""

_FAMILIES: Final = ("repository", "clusters", "queue_managers", "restoring", "subscriptions")
_OTHERS: Final = (
    "InformationReceived",
    "InformationRemoved",
    "MemberForceRemoved",
    "QueueManagerDeleted",
    "QueueManagerRestored",
    "RepositoryRefreshed",
    "SubscriptionMade",
    "SubscriptionsLapsed",
)
_ITEM: Final = "owner string, sequence long, only array<array<string>>"
_SAID: Final = f"""
    records array<struct<kind string, name string, deleted boolean, cluster string, owner string,
        sequence long, records array<struct<kind string, name string>>>>,
    items array<struct<{_ITEM}>>,
    dropped array<struct<{_ITEM}>>,
    asks array<array<string>>,
    requests array<struct<cluster string, kind string, name string>>,
    queues boolean,
    member string
"""
_ACT: Final = """array<struct<act string, cluster string, owner string, sequence long,
    only array<string>>>"""

_TOLD: Final = "told"
_KEPT: Final = "kept"
_LOST: Final = "lost"
_ENDED: Final = "ended"
_WIPED: Final = "wiped"

_OBSERVER: Final = ("qmgr",)
_PAIR: Final = (*_OBSERVER, "cluster", "owner")
_RECORD: Final = (*_PAIR, "queue")
_ORDER: Final = ("at", "position", "step")


def holdings(events: DataFrame, window: Window) -> DataFrame:
    """Return from when to when each queue manager held records of queues, and subscriptions.

    Args:
        events: the events that a branch sees.
        window: periods that go on at its end end there; periods that ended before it are included.

    Returns:
        `qmgr` (the holder), `cluster`, `queue`, `owner` (its QMID, or `SUBSCRIPTION`), `disabled`
        (whether the record that is held says PUT(DISABLED)), `begin` and `end` in microseconds.
        Intervals of the same record or subscription do not overlap, and touch only where `disabled`
        changes.
    """
    known = events.where(F.col("occurred_at") < window.until)
    return _joined(_stretches(_changes(_few(_named(known))), window))


def _named(events: DataFrame) -> DataFrame:
    """Return the acts, each with the queues that it affects.

    `names` are the queues that are received or lost; `shut` are those of them that are received as
    PUT(DISABLED), and `gone` are those received as deleted. A `whole` act affects everything that
    is held of a publication.
    """
    acts = _acts(events)
    none = F.array().cast("array<string>")
    queues = F.coalesce("only", "queues")
    gone = F.array_intersect(queues, F.coalesce("deleted", none))
    shut = F.array_intersect(queues, F.coalesce("disabled", none))
    return (
        acts.join(publications(events), ["owner", "sequence"], "left")
        .withColumns(
            {
                "whole": F.col("only").isNull(),
                "gone": F.when(F.col("act") == _TOLD, gone),
                "shut": F.when(F.col("act").isin(_TOLD, _KEPT), shut).otherwise(none),
                "names": F.when(F.col("act") == _TOLD, F.array_except(queues, gone)).otherwise(
                    queues
                ),
            }
        )
        .where(F.col("act").isin(_ENDED, _WIPED) | (F.size(queues) > 0))
        .drop("only", "queues", "deleted", "disabled")
    )


def _acts(events: DataFrame) -> DataFrame:
    """Return the acts that begin or end holdings, in the order of `at`, `position` and `step`."""
    body = F.from_json("body", _SAID)
    return (
        narrowed(events, *_FAMILIES)
        .where(F.col("type").isin(*PUBLISHED, *_OTHERS))
        .select("qmgr", "cluster", "type", "qmid", "sequence", "kind", "name", "occurred_at",
                "position", body.alias("said"))
        .select("qmgr", F.col("occurred_at").alias("at"), "position",
                F.posexplode(_acts_of_event()).alias("step", "does"))
        .select("qmgr", "at", "position", "step", "does.*")
    )  # fmt: skip


def _acts_of_event() -> Column:
    body, here, type_ = F.col("said"), F.col("cluster"), F.col("type")

    def items(name: str, act: str) -> Column:
        return F.transform(
            body[name],
            lambda item: _act(
                act, here, item["owner"], item["sequence"], named_queues(item["only"])
            ),
        )

    queue_asked_for = F.when(F.col("kind") == "queue", F.array(F.col("name")))
    restored = F.transform(
        body["records"],
        lambda each: _act(
            _KEPT,
            each["cluster"],
            each["owner"],
            each["sequence"],
            F.transform(
                F.filter(each["records"], lambda record: record["kind"] == "queue"),
                lambda record: record["name"],
            ),
        ),
    )
    requests = F.transform(
        F.filter(body["requests"], lambda each: each["kind"] == "queue"),
        lambda each: _act(_TOLD, each["cluster"], only=F.array(each["name"])),
    )
    wiped = F.array(_act(_WIPED, F.lit(None)))
    acts = {
        PUBLISHED: F.array(_act(_TOLD, here, F.col("qmid"), F.col("sequence"))),
        ("InformationReceived",): items("items", _TOLD),
        ("InformationRemoved",): items("items", _LOST),
        ("RepositoryRefreshed",): F.concat(items("dropped", _LOST), F.array(_act(_ENDED, here))),
        ("MemberForceRemoved",): F.when(
            body["queues"], F.array(_act(_ENDED, here, body["member"]))
        ),
        ("SubscriptionMade",): F.array(_act(_TOLD, here, only=queue_asked_for)),
        ("SubscriptionsLapsed",): F.array(_act(_LOST, here, only=named_queues(body["asks"]))),
        ("QueueManagerRestored",): F.concat(wiped, restored, requests),
        ("QueueManagerDeleted",): wiped,
    }
    chosen_act = F.lit(None).cast(_ACT)
    for types, does in acts.items():
        chosen_act = F.when(type_.isin(*types), does.cast(_ACT)).otherwise(chosen_act)
    return chosen_act


def _act(
    act: str,
    cluster: Column,
    owner: Column | None = None,
    sequence: Column | None = None,
    only: Column | None = None,
) -> Column:
    return F.struct(
        F.lit(act).alias("act"),
        cluster.cast("string").alias("cluster"),
        (F.lit(SUBSCRIPTION) if owner is None else owner).alias("owner"),
        (F.lit(None).cast("long") if sequence is None else sequence).alias("sequence"),
        (F.lit(None).cast("array<string>") if only is None else only).alias("only"),
    )


def _few(acts: DataFrame) -> DataFrame:
    """Leave out repeated receipts of what is held, and note when several holdings end at once.

    `life_end` is when the observer loses everything; `pair_end` is when it loses everything of an
    owner.
    """
    lives = _behind(*_OBSERVER)
    pairs = _behind(*_PAIR)
    wiped, ended = F.col("act") == _WIPED, F.col("act") == _ENDED
    breaks = ended | (F.col("act") == _LOST) | (F.size("gone") > 0) | (F.size("shut") > 0)
    said = F.md5(F.to_json(F.struct("names", "shut")))
    alike = (*_PAIR, said, "whole", "life", "turn", "act")
    same = Over.partitionBy(*alike).orderBy(*_ORDER)
    again = (
        (F.col("act") == _TOLD)
        & (F.size("gone") == 0)
        & F.lag("at").over(same).isNotNull()
        & F.lead("at").over(same).isNotNull()
    )
    return (
        acts.withColumns(
            {
                "life": F.count(F.when(wiped, 1)).over(lives),
                "life_end": F.min(F.when(wiped, F.col("at"))).over(lives),
            }
        )
        .withColumns(
            {
                "turn": F.count(F.when(breaks, 1)).over(pairs),
                "pair_end": F.min(F.when(ended, F.col("at"))).over(pairs),
            }
        )
        .where(F.col("act").isin(_TOLD, _KEPT, _LOST))
        .withColumn("again", again)
        .where(~F.col("again"))
        .drop("again", "life", "turn")
    )


def _behind(*key: str) -> WindowSpec:
    """Return a window over the rows after a row, the last one first."""
    latest_first = (F.desc(each) for each in _ORDER)
    return Over.partitionBy(*key).orderBy(*latest_first).rowsBetween(Over.unboundedPreceding, -1)


def _changes(acts: DataFrame) -> DataFrame:
    """Return for each queue the receipts of its record, and what ends them.

    The loss of a whole publication counts for everything held of that publication.
    """
    begins, no = F.col("act").isin(_TOLD, _KEPT), F.expr("false")
    queues = F.concat(
        F.transform(
            "names",
            lambda name: F.struct(
                name.alias("queue"),
                begins.alias("begins"),
                F.array_contains("shut", name).alias("disabled"),
            ),
        ),
        F.coalesce(
            F.transform(
                "gone",
                lambda name: F.struct(
                    name.alias("queue"), no.alias("begins"), no.alias("disabled")
                ),
            ),
            F.array().cast("array<struct<queue: string, begins: boolean, disabled: boolean>>"),
        ),
    )
    before = Over.partitionBy(*_RECORD).orderBy(*_ORDER).rowsBetween(Over.unboundedPreceding, -1)
    sequence = F.last(F.when(F.col("begins"), F.col("sequence")), ignorenulls=True).over(before)
    return (
        acts.select(
            *_PAIR, *_ORDER, "act", "sequence", "whole", "life_end", "pair_end", F.inline(queues)
        )
        .withColumn("held", sequence)
        .where(begins | ~F.col("whole") | (F.col("held") == F.col("sequence")))
    )


def _stretches(changes: DataFrame, window: Window) -> DataFrame:
    """Let each receipt hold until the next change."""
    order = Over.partitionBy(*_RECORD).orderBy(*_ORDER)
    end = F.least(F.lead("at").over(order), "life_end", "pair_end", F.lit(window.until))
    return (
        changes.withColumns({"begin": F.col("at"), "end": end})
        .where(F.col("begins") & (F.col("begin") < F.col("end")))
        .select(*_RECORD, "disabled", "begin", "end")
    )


def _joined(stretches: DataFrame) -> DataFrame:
    """Join intervals that touch, unless one is disabled and the other is not."""
    order = Over.partitionBy(*_RECORD).orderBy("begin")
    alike = F.lag(F.struct("end", "disabled")).over(order)
    apart = ~alike.eqNullSafe(F.struct(F.col("begin").alias("end"), "disabled"))
    return (
        stretches.withColumn("apart", apart)
        .withColumn("part", F.count(F.when(F.col("apart"), 1)).over(order))
        .groupBy(*_RECORD, "disabled", "part")
        .agg(F.min("begin").alias("begin"), F.max("end").alias("end"))
        .drop("part")
    )
