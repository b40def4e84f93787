"""Questions about the records that repositories hold."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.questions.catalogue._filters import (
    CLUSTER,
    KINDS,
    OBSERVER,
    ON_BASIS,
    RECORDS,
    RESTS_ON,
)
from twin.questions.declared import (
    BASIS,
    KEY,
    LABEL,
    NULL,
    VOLATILE,
    WIDE,
    Column,
    Filter,
    Question,
)
from twin.questions.verdicts import VERDICTS

_CHANNEL: Final = Column(
    "channel",
    "text",
    "Cluster-receiver of a record of kind qmgr; null: another kind.",
    KEY | NULL | WIDE,
)

_RECORD: Final = (
    Column("observer", "text", "Queue manager that holds the record.", KEY),
    Column("cluster", "text", "Cluster of the record.", KEY),
    Column("kind", "text", "Kind of the record.", KEY, choices=KINDS),
    Column("name", "text", "Name of the queue, topic or queue manager.", KEY),
    Column(
        "owner", "text", "Queue manager that the record is about or that owns the object.", LABEL
    ),
    Column("qmid", "text", "QMID of the owner.", KEY | WIDE),
    _CHANNEL,
)

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "members": Question(
            summary="List the members of each cluster, and who knows them.",
            columns=(
                Column("cluster", "text", "Cluster.", KEY),
                Column("qmgr", "text", "Queue manager that is a member.", LABEL),
                Column("qmid", "text", "QMID of the member.", KEY),
                Column(
                    "qmtype",
                    "text",
                    "REPOS for a full repository, NORMAL for a partial one; assumed if nothing "
                    "says which; null where that rests on less than `--basis`.",
                    NULL,
                    choices=("REPOS", "NORMAL"),
                ),
                Column(
                    "suspend",
                    "text",
                    "YES if it was seen suspended, or its latest record says so; assumed if only a "
                    "dump of it was imported, or if what was seen is no longer fresh; null where "
                    "that rests on less than `--basis`.",
                    NULL,
                    choices=("YES", "NO"),
                ),
                Column(
                    "known_by",
                    "list",
                    "Queue managers that hold a record of the member.",
                    BASIS,
                ),
                Column(
                    "last_seen",
                    "instant",
                    "Newest evidence of the member itself; null: it is simulated, or was not "
                    "imported.",
                    VOLATILE | NULL,
                ),
                RESTS_ON._replace(
                    meaning="What the row rests on, without known_by: its weakest; observed, "
                    "derived by the rules, assumed, or unknown.",
                ),
            ),
            narrowed_by=(CLUSTER, ON_BASIS),
            empty="no members",
            home="twin.questions.belief:members",
            needs_all=True,
        ),
        "beliefs": Question(
            summary="List the records that queue managers hold.",
            columns=(
                *_RECORD,
                Column(
                    "state",
                    "text",
                    "fresh for 30 days after the owner published the record, then expired.",
                    VOLATILE | NULL,
                    choices=("fresh", "expired"),
                ),
                Column(
                    "source",
                    "text",
                    "Queue manager that sent the record; null where it was observed: no command "
                    "displays it.",
                    WIDE | BASIS | NULL,
                ),
                Column(
                    "received", "instant", "Time at which the record was received.", WIDE | NULL
                ),
                Column("expires", "instant", "30 days after the owner published the record.", NULL),
                Column("removal", "instant", "90 days after the owner published the record.", NULL),
                RESTS_ON,
            ),
            narrowed_by=(*RECORDS, ON_BASIS),
            empty="no records",
            home="twin.questions.belief:beliefs",
            needs_all=True,
        ),
        "reconcile": Question(
            summary="Compare what was seen in DISPLAY with what the rules derive.",
            columns=(
                _RECORD[0],
                _RECORD[1]._replace(traits=KEY | WIDE),
                *_RECORD[2:],
                Column(
                    "field",
                    "text",
                    "Attribute that differs; `record` for the record as a whole.",
                    KEY,
                ),
                Column("observed", "text", "Value that was seen; null: not shown.", NULL),
                Column(
                    "derived", "text", "Value that follows by the rules; null: no record.", NULL
                ),
                Column(
                    "verdict",
                    "text",
                    "agrees; behind: the rules expect it to lag; differs; or only one side has it.",
                    choices=VERDICTS,
                ),
                Column("reason", "text", "Likeliest reason; null: it agrees.", NULL),
                Column("at", "instant", "Time of the observation.", WIDE),
            ),
            narrowed_by=(
                *RECORDS,
                Filter(
                    "verdict",
                    "VERDICT",
                    "Only rows with this verdict.",
                    VERDICTS,
                ),
            ),
            empty="nothing to compare: no answer to DISPLAY CLUSQMGR, QCLUSTER or TCLUSTER",
            limits="Only the last answer of each queue manager and kind of record is compared.",
            home="twin.questions.reconcile:reconcile",
            in_lines=True,
            beside_beliefs=True,
        ),
        "divergence": Question(
            summary="List records that differ from the owner's definition.",
            columns=(
                Column("cluster", "text", "Cluster of the record.", KEY),
                Column("kind", "text", "Kind of the record.", KEY, choices=KINDS),
                Column("name", "text", "Name of the queue, topic or queue manager.", KEY),
                Column("owner", "text", "Queue manager that owns the object.", KEY),
                Column("observer", "text", "Queue manager that holds the record.", KEY),
                Column("qmid", "text", "QMID of the owner.", KEY | WIDE),
                _CHANNEL,
                Column("other", "text", "The same as `owner`.", LABEL | WIDE),
                Column(
                    "field",
                    "text",
                    "Attribute that differs; `record` if only one side has it.",
                    KEY,
                ),
                Column("here", "text", "Value in the observer's record; null: no record.", NULL),
                Column("there", "text", "Value at the owner; null: not defined there.", NULL),
                RESTS_ON,
            ),
            narrowed_by=(OBSERVER, CLUSTER, ON_BASIS),
            empty="no differences",
            home="twin.questions.divergence:divergence",
            needs_all=True,
        ),
        "lifetimes": Question(
            summary="List when each record is republished, expires and is removed.",
            columns=(
                *_RECORD,
                Column(
                    "published",
                    "instant",
                    "Time at which the owner published the record.",
                    WIDE | NULL,
                ),
                Column(
                    "republish_due",
                    "instant",
                    "27 days after `published`: the owner should republish the record.",
                    WIDE | NULL,
                ),
                Column("expires", "instant", "30 days after `published`.", NULL),
                Column("removal", "instant", "90 days after `published`.", WIDE | NULL),
                Column(
                    "state",
                    "text",
                    "active until republication is due, overdue until `expires`, then expired.",
                    VOLATILE | NULL,
                    choices=("active", "overdue", "expired"),
                ),
                Column(
                    "days_to_removal",
                    "integer",
                    "Days until removal, rounded up.",
                    VOLATILE | NULL,
                    unit="days",
                ),
                Column(
                    "or_published",
                    "instant",
                    "`published` if the owner sent a renewal that nobody saw; null: settled.",
                    WIDE | NULL,
                ),
                Column("or_removal", "instant", "90 days after `or_published`.", WIDE | NULL),
                RESTS_ON,
            ),
            narrowed_by=(*RECORDS, Filter("owner", "QM", "Only records of this owner."), ON_BASIS),
            empty="no records",
            home="twin.questions.belief:lifetimes",
            needs_all=True,
            drawn_by="twin.questions.picture",
        ),
        "subscriptions": Question(
            summary="List what partial repositories subscribed to, and until when.",
            columns=(
                Column("observer", "text", "Queue manager that subscribed.", KEY),
                Column("cluster", "text", "Cluster of the subscription.", KEY),
                Column("kind", "text", "Kind of the object.", KEY, choices=KINDS),
                Column("name", "text", "Name of the object.", KEY),
                Column(
                    "made",
                    "instant",
                    "Time of the subscription or of its last renewal.",
                    KEY | WIDE | NULL,
                ),
                Column(
                    "check_due",
                    "instant",
                    "27 days after `made`: a used subscription is renewed.",
                    NULL,
                ),
                Column(
                    "expires",
                    "instant",
                    "30 days after `made`: an unrenewed subscription lapses.",
                    NULL,
                ),
                Column(
                    "referenced",
                    "instant",
                    "Time of the last use; null: not used.",
                    NULL | WIDE,
                ),
                Column(
                    "state",
                    "text",
                    "active until it expires, then lapsed; dates and state are null where they "
                    "rest on less than `--basis`.",
                    VOLATILE | NULL,
                    choices=("active", "lapsed"),
                ),
                RESTS_ON,
            ),
            narrowed_by=(
                Filter("on", "QM", "Only subscriptions of this queue manager."),
                CLUSTER,
                Filter("kind", "KIND", "Only subscriptions to this kind of object.", KINDS),
                Filter("name", "NAME", "Only subscriptions to this name."),
                ON_BASIS,
            ),
            empty="no subscriptions",
            home="twin.questions.subscriptions:subscriptions",
        ),
    }
)
