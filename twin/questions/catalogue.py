"""Every question by its name: columns, filters, and where its implementation is.

Help, documentation, JSON Schema and completion are made from these declarations. Names of
questions and columns are public and stable.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.instants import DAY
from twin.model.words import BINDS, PROFILES, STATUSES
from twin.questions.declared import (
    BASIS,
    KEY,
    NULL,
    VOLATILE,
    WIDE,
    Column,
    Filter,
    Question,
)

KINDS: Final = ("qmgr", "queue", "topic")
"""The kinds of records that a repository holds."""

_OBSERVER: Final = Filter("on", "QM", "Only records that this queue manager holds.")
_CLUSTER: Final = Filter("cluster", "NAME", "Only this cluster.")
_KIND: Final = Filter("kind", "KIND", "Only records of this kind.", KINDS)
_NAME: Final = Filter("name", "NAME", "Only records of this name.")
_RECORDS: Final = (_OBSERVER, _CLUSTER, _KIND, _NAME)
_ON: Final = Filter("on", "QM", "Only this queue manager.")
_CHANNEL: Final = Filter("channel", "NAME", "Only this channel.")

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
            summary="List who is in each cluster, and who knows it.",
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
                Column("suspend", "text", "Whether it is suspended.", choices=("YES", "NO")),
                Column("known_by", "list", "Queue managers that know the member.", BASIS),
            ),
            narrowed_by=(_CLUSTER,),
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
                    "fresh for 30 days after the owner sent the record, then expired.",
                    VOLATILE,
                    choices=("fresh", "expired"),
                ),
                Column("source", "text", "Who the record was learnt from.", WIDE | BASIS),
                Column("received", "instant", "When it was received.", WIDE),
                Column("expires", "instant", "When it expires."),
                Column("removal", "instant", "When it is removed."),
            ),
            narrowed_by=_RECORDS,
            empty="no records",
            home="twin.questions.belief:beliefs",
        ),
        "divergence": Question(
            summary="List where beliefs differ from what owners say of themselves.",
            columns=(
                Column("cluster", "text", "Cluster of the record.", KEY),
                Column("kind", "text", "Kind of the record.", KEY, choices=KINDS),
                Column("name", "text", "Name of the queue, topic or queue manager.", KEY),
                Column("owner", "text", "Queue manager that owns it.", KEY),
                Column("observer", "text", "Queue manager that believes it.", KEY),
                Column("other", "text", "Queue manager that is compared with: the owner.", WIDE),
                Column("field", "text", "Attribute that differs, or `record` as a whole.", KEY),
                Column("here", "text", "What the observer believes; null: has no record.", NULL),
                Column("there", "text", "What is true; null: there is no such record.", NULL),
            ),
            narrowed_by=(_OBSERVER, _CLUSTER),
            empty="no differences",
            home="twin.questions.belief:divergence",
        ),
        "lifetimes": Question(
            summary="List when each record should be renewed, expires, is removed.",
            columns=(
                *_RECORD,
                Column("published", "instant", "When the owner sent it.", WIDE),
                Column("republish_due", "instant", "When the owner should send it again.", WIDE),
                Column("expires", "instant", "When it expires, 30 days after it was sent."),
                Column("removal", "instant", "When it is removed, 90 days after.", WIDE),
                Column(
                    "state",
                    "text",
                    "active until renewal is due, overdue until it expires, then expired.",
                    VOLATILE,
                    choices=("active", "overdue", "expired"),
                ),
                Column(
                    "days_to_removal",
                    "integer",
                    "Time left until removal; a day begun counts as a day.",
                    VOLATILE,
                    unit="days",
                ),
            ),
            narrowed_by=(*_RECORDS, Filter("owner", "QM", "Only records of this owner.")),
            empty="no records",
            home="twin.questions.lifetimes:lifetimes",
            drawn_by="twin.questions.picture",
        ),
        "subscriptions": Question(
            summary="List what partial repositories asked for, and until when.",
            columns=(
                Column("observer", "text", "Queue manager that asked.", KEY),
                Column("cluster", "text", "Cluster it asked in.", KEY),
                Column("kind", "text", "Kind of the object.", KEY, choices=KINDS),
                Column("name", "text", "Name it asked for.", KEY),
                Column("made", "instant", "When the subscription was made.", KEY | WIDE),
                Column("check_due", "instant", "When it is renewed, if it was used."),
                Column("expires", "instant", "When it lapses unless it is renewed."),
                Column("referenced", "instant", "When it was last used.", NULL | WIDE),
                Column(
                    "state",
                    "text",
                    "Whether it is active or has lapsed.",
                    VOLATILE,
                    choices=("active", "lapsed"),
                ),
            ),
            narrowed_by=_RECORDS,
            empty="no subscriptions",
            home="twin.questions.subscriptions:subscriptions",
        ),
        "errorlog": Question(
            summary="List what queue managers would write to their error logs.",
            columns=(
                Column("on", "text", "Queue manager that wrote the entry.", KEY),
                Column("id", "text", "Message id, without the severity letter.", KEY),
                Column("at", "instant", "When it was written.", KEY),
                Column("inserts", "list", "Values inserted in the text.", KEY | WIDE),
                Column("text", "text", "The message."),
            ),
            narrowed_by=(_ON, Filter("id", "AMQnnnn", "Only messages of this id.")),
            empty="no error log entries",
            home="twin.questions.errorlog:errorlog",
            reads_facts=True,
        ),
        "changes": Question(
            summary="List what changed between two instants, ranked by effect.",
            columns=(
                Column("at", "instant", "When it changed.", NULL),
                Column("position", "integer", "Position of the fact in the log.", WIDE | BASIS),
                Column("on", "text", "Queue manager where it changed.", KEY),
                Column("kind", "text", "What changed: qmgr, a definition or a belief.", KEY),
                Column("name", "text", "Name of the object or record.", KEY),
                Column("field", "text", "Attribute that changed.", KEY),
                Column("before", "text", "Value before; null: it did not exist.", NULL),
                Column("after", "text", "Value after; null: it no longer exists.", NULL),
            ),
            narrowed_by=(_ON,),
            empty="no changes",
            home="twin.questions.changes:changes",
            compares=True,
        ),
        "explain": Question(
            summary="Explain where a message goes: one row for each route.",
            columns=(
                Column("qmgr", "text", "Destination queue manager.", KEY),
                Column("channel", "text", "Channel to it; null: none is used.", KEY | NULL),
                Column("removed_by", "text", "Rule that removed the route.", NULL),
                Column("attribute", "text", "Attribute that the rule looks at.", NULL),
                Column("value", "value", "Value of the attribute for the route.", NULL),
                Column("best", "value", "Value that it should have had.", NULL),
                Column("chosen", "boolean", "Whether the message goes this way.", VOLATILE),
                Column("status", "text", "Status of the channel.", NULL | VOLATILE),
                Column("waits", "boolean", "Whether the message waits.", NULL | VOLATILE),
                Column(
                    "next_retry", "instant", "Next retry of the channel.", NULL | WIDE | VOLATILE
                ),
                Column("reason", "integer", "Reason code of the put; 0 for none.", NULL),
                Column("refused_by", "text", "Queue that refuses the message.", NULL | WIDE),
                Column("factor", "integer", "DestSeqFactor of the route.", NULL | WIDE | VOLATILE),
                Column(
                    "last_use", "integer", "DestSeqNumber of the route.", NULL | WIDE | VOLATILE
                ),
            ),
            narrowed_by=(
                Filter("on", "QM", "Where the application is connected.", required=True),
                Filter("queue", "NAME", "Queue to put to.", required=True),
                Filter("to", "QMGR", "Object queue manager name."),
                Filter("bind", "BIND", "MQOO_BIND option.", BINDS),
                Filter("profile", "PROFILE", "Order of the workload rules.", PROFILES),
                Filter("position", "N", "Recorded choice to explain, instead of --on, --queue."),
            ),
            empty="no routes",
            home="twin.questions.explain:explain",
        ),
        "transmission": Question(
            summary="List what waits on transmission queues, and what may move.",
            columns=(
                Column("on", "text", "Queue manager where the messages wait.", KEY),
                Column("name", "text", "Name that a story gave the messages.", NULL | WIDE),
                Column("queue", "text", "Queue they are for at their destination.", KEY),
                Column("count", "integer", "How many they are.", VOLATILE, unit="messages"),
                Column("channel", "text", "Channel they wait for.", KEY | NULL),
                Column("qmgr", "text", "Destination queue manager.", KEY | NULL),
                Column("xmitq", "text", "Transmission queue; null: it is ambiguous.", NULL),
                Column("xmitq_candidates", "list", "The queues it may be.", NULL),
                Column("eligible", "boolean", "Whether a reallocation pass may move them."),
                Column("why", "text", "Why they may not be moved.", NULL),
                Column("put_at", "instant", "When they were put or last routed.", KEY | WIDE),
                Column("in_doubt", "boolean", "Whether their batch is in doubt.", WIDE),
                Column(
                    "next_pass",
                    "instant",
                    "Next retry of the channel, a pass if it fails.",
                    NULL | WIDE | VOLATILE,
                ),
                Column("stranded", "boolean", "Whether no channel reads their queue.", WIDE),
            ),
            narrowed_by=(
                _ON,
                Filter("channel", "NAME", "Only messages for this channel."),
                Filter("queue", "NAME", "Only messages for this queue."),
                Filter("xmitq", "NAME", "Only messages on this transmission queue."),
            ),
            empty="no waiting messages",
            home="twin.questions.transmission:transmission",
        ),
        "channels": Question(
            summary="List the cluster channels and the state they are in.",
            columns=(
                Column("on", "text", "Queue manager that has the channel.", KEY),
                Column("channel", "text", "Channel.", KEY),
                Column("status", "text", "Status.", VOLATILE, choices=STATUSES),
                Column("since", "instant", "Since when it has this status.", NULL),
                Column("next_retry", "instant", "Next retry.", NULL | VOLATILE),
                Column("attempts", "integer", "Retries that failed.", NULL | VOLATILE),
                Column("xmitq", "text", "Transmission queue it uses.", NULL),
                Column("pending_xmitq", "text", "Transmission queue it switches to.", NULL),
                Column("reason", "text", "Message that says why it failed.", NULL),
            ),
            narrowed_by=(_ON, _CHANNEL),
            empty="no channels",
            home="twin.questions.channels:channels",
        ),
        "passes": Question(
            summary="List reallocation passes, and the next one of each channel.",
            columns=(
                Column("on", "text", "Queue manager where the messages wait.", KEY),
                Column("channel", "text", "Channel they wait for.", KEY),
                Column("at", "instant", "When the pass is.", KEY),
                Column("cause", "text", "Why it starts.", choices=("stop", "retry")),
                Column("moved", "integer", "How many it moved.", NULL, unit="messages"),
                Column("stayed", "integer", "How many it left.", NULL, unit="messages"),
            ),
            narrowed_by=(_ON, _CHANNEL),
            empty="no passes",
            home="twin.questions.passes:passes",
            back=DAY,
        ),
        "agenda": Question(
            summary="List what is due next by each rule at each queue manager.",
            columns=(
                Column("kind", "text", "Rule that waits.", KEY),
                Column("on", "text", "Queue manager where it waits.", KEY),
                Column("due", "instant", "Next instant at which something is due.", VOLATILE),
                Column("count", "integer", "How many things are due then.", VOLATILE),
                Column("waiting", "integer", "How many things wait in all.", VOLATILE),
            ),
            narrowed_by=(_ON,),
            empty="nothing is due",
            home="twin.questions.agenda:agenda",
        ),
    }
)
"""Every question by its name."""
