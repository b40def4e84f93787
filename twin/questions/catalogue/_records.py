"""Questions about the records that repositories hold."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.questions.catalogue._filters import CLUSTER, KINDS, OBSERVER, RECORDS
from twin.questions.declared import BASIS, KEY, NULL, VOLATILE, WIDE, Column, Filter, Question

_RECORD: Final = (
    Column("observer", "text", "Queue manager that holds the record.", KEY),
    Column("cluster", "text", "Cluster of the record.", KEY),
    Column("kind", "text", "Kind of the record.", KEY, choices=KINDS),
    Column("name", "text", "Name of the queue, topic or queue manager.", KEY),
    Column("owner", "text", "Queue manager that the record is about or that owns the object."),
    Column("qmid", "text", "QMID of the owner.", KEY | WIDE),
)

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "members": Question(
            summary="List the members of each cluster, and who knows them.",
            columns=(
                Column("cluster", "text", "Cluster.", KEY),
                Column("qmgr", "text", "Queue manager that is a member."),
                Column("qmid", "text", "QMID of the member.", KEY),
                Column(
                    "qmtype",
                    "text",
                    "REPOS for a full repository, NORMAL for a partial one.",
                    choices=("REPOS", "NORMAL"),
                ),
                Column(
                    "suspend",
                    "text",
                    "YES if the member's latest record says that it is suspended.",
                    choices=("YES", "NO"),
                ),
                Column(
                    "known_by", "list", "Queue managers that hold a record of the member.", BASIS
                ),
            ),
            narrowed_by=(CLUSTER,),
            empty="no members",
            home="twin.questions.belief:members",
        ),
        "beliefs": Question(
            summary="List the records that queue managers hold.",
            columns=(
                *_RECORD,
                Column(
                    "state",
                    "text",
                    "fresh for 30 days after the owner published the record, then expired.",
                    VOLATILE,
                    choices=("fresh", "expired"),
                ),
                Column("source", "text", "Queue manager that sent the record.", WIDE | BASIS),
                Column("received", "instant", "Time at which the record was received.", WIDE),
                Column("expires", "instant", "30 days after the owner published the record."),
                Column("removal", "instant", "90 days after the owner published the record."),
            ),
            narrowed_by=RECORDS,
            empty="no records",
            home="twin.questions.belief:beliefs",
        ),
        "divergence": Question(
            summary="List records that differ from the owner's definition.",
            columns=(
                Column("cluster", "text", "Cluster of the record.", KEY),
                Column("kind", "text", "Kind of the record.", KEY, choices=KINDS),
                Column("name", "text", "Name of the queue, topic or queue manager.", KEY),
                Column("owner", "text", "Queue manager that owns the object.", KEY),
                Column("observer", "text", "Queue manager that holds the record.", KEY),
                Column("other", "text", "The same as `owner`.", WIDE),
                Column(
                    "field",
                    "text",
                    "Attribute that differs; `record` if only one side has it.",
                    KEY,
                ),
                Column("here", "text", "Value in the observer's record; null: no record.", NULL),
                Column("there", "text", "Value at the owner; null: not defined there.", NULL),
            ),
            narrowed_by=(OBSERVER, CLUSTER),
            empty="no differences",
            home="twin.questions.belief:divergence",
        ),
        "lifetimes": Question(
            summary="List when each record is republished, expires and is removed.",
            columns=(
                *_RECORD,
                Column(
                    "published", "instant", "Time at which the owner published the record.", WIDE
                ),
                Column(
                    "republish_due",
                    "instant",
                    "27 days after `published`: the owner should republish the record.",
                    WIDE,
                ),
                Column("expires", "instant", "30 days after `published`."),
                Column("removal", "instant", "90 days after `published`.", WIDE),
                Column(
                    "state",
                    "text",
                    "active until republication is due, overdue until `expires`, then expired.",
                    VOLATILE,
                    choices=("active", "overdue", "expired"),
                ),
                Column(
                    "days_to_removal",
                    "integer",
                    "Days until removal, rounded up.",
                    VOLATILE,
                    unit="days",
                ),
            ),
            narrowed_by=(*RECORDS, Filter("owner", "QM", "Only records of this owner.")),
            empty="no records",
            home="twin.questions.lifetimes:lifetimes",
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
                    KEY | WIDE,
                ),
                Column(
                    "check_due", "instant", "27 days after `made`: a used subscription is renewed."
                ),
                Column(
                    "expires", "instant", "30 days after `made`: an unrenewed subscription lapses."
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
                    "active until it expires, then lapsed.",
                    VOLATILE,
                    choices=("active", "lapsed"),
                ),
            ),
            narrowed_by=(
                Filter("on", "QM", "Only subscriptions of this queue manager."),
                CLUSTER,
                Filter("kind", "KIND", "Only subscriptions to this kind of object.", KINDS),
                Filter("name", "NAME", "Only subscriptions to this name."),
            ),
            empty="no subscriptions",
            home="twin.questions.subscriptions:subscriptions",
        ),
    }
)
