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
                    "fresh for 30 days after the owner published the record, then expired.",
                    VOLATILE,
                    choices=("fresh", "expired"),
                ),
                Column("source", "text", "Queue manager that sent the record.", WIDE | BASIS),
                Column("received", "instant", "Time at which the record was received.", WIDE),
                Column("expires", "instant", "30 days after the owner published the record."),
                Column("removal", "instant", "90 days after the owner published the record."),
            ),
            narrowed_by=_RECORDS,
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
            narrowed_by=(_OBSERVER, _CLUSTER),
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
                    "active until republication is due, overdue until it expires, then expired.",
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
            narrowed_by=(*_RECORDS, Filter("owner", "QM", "Only records of this owner.")),
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
                Column("made", "instant", "Time at which it was made or last renewed.", KEY | WIDE),
                Column(
                    "check_due", "instant", "27 days after `made`: it is renewed if it was used."
                ),
                Column(
                    "expires", "instant", "30 days after `made`: it lapses unless it is renewed."
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
                _CLUSTER,
                Filter("kind", "KIND", "Only subscriptions to this kind of object.", KINDS),
                Filter("name", "NAME", "Only subscriptions to this name."),
            ),
            empty="no subscriptions",
            home="twin.questions.subscriptions:subscriptions",
        ),
        "errorlog": Question(
            summary="List what queue managers would write to their error logs.",
            columns=(
                Column("on", "text", "Queue manager that wrote the entry.", KEY),
                Column("id", "text", "Message id, without the severity letter.", KEY),
                Column("at", "instant", "Time of the entry.", KEY),
                Column("inserts", "list", "Values inserted in the text.", KEY | WIDE),
                Column("text", "text", "The message."),
            ),
            narrowed_by=(
                _ON,
                Filter("id", "AMQnnnn", "Only messages of this id."),
                Filter(
                    "severity", "I|W|E", "Only messages of at least this severity.", ("I", "W", "E")
                ),
            ),
            empty="no error log entries",
            home="twin.questions.errorlog:errorlog",
            reads_facts=True,
        ),
        "changes": Question(
            summary="List what changed between two instants, most important first.",
            columns=(
                Column("at", "instant", "Time of the change; null: not in the log.", NULL),
                Column("position", "integer", "Position of the event in the log.", WIDE | BASIS),
                Column("on", "text", "Queue manager of the change.", KEY),
                Column(
                    "kind",
                    "text",
                    "qmgr, queue, channel, ...; belief:qmgr, belief:queue, belief:topic.",
                    KEY,
                ),
                Column("name", "text", "Name of the object or record.", KEY),
                Column("field", "text", "Attribute that changed.", KEY),
                Column("before", "text", "Value before; null: it did not exist.", NULL),
                Column("after", "text", "Value after; null: it no longer exists.", NULL),
            ),
            narrowed_by=(_ON,),
            empty=(
                "no changes in definitions, queue managers or records "
                "(messages, channel status and expiry are not compared)"
            ),
            limits=(
                "The command compares definitions, the status of queue managers, and the records "
                "that they hold, with their attributes. It does not compare messages, the status "
                "of channels and the expiry of records."
            ),
            home="twin.questions.changes:changes",
            compares=True,
        ),
        "explain": Question(
            summary="Explain where a message goes: one row for each route.",
            columns=(
                Column("qmgr", "text", "Destination queue manager.", KEY),
                Column("channel", "text", "Channel to it; null: no channel is used.", KEY | NULL),
                Column("removed_by", "text", "Rule that excluded the route.", NULL),
                Column("attribute", "text", "Attribute that the rule compares.", NULL),
                Column("value", "value", "Value of the attribute for the route.", NULL),
                Column("best", "value", "Value of the routes that remained.", NULL),
                Column("chosen", "boolean", "true if the message takes this route.", VOLATILE),
                Column("status", "text", "Status of the channel.", NULL | VOLATILE),
                Column(
                    "waits",
                    "boolean",
                    "true if the message would wait on the transmission queue.",
                    NULL | VOLATILE,
                ),
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
                Filter(
                    "on", "QM", "Queue manager that the application is connected to.", required=True
                ),
                Filter("queue", "NAME", "Queue to put to.", required=True),
                Filter("to", "QMGR", "ObjectQMgrName of the open."),
                Filter("bind", "BIND", "When a destination is chosen; default asqdef.", BINDS),
                Filter(
                    "profile",
                    "PROFILE",
                    "Order of the workload rules; default by the command level.",
                    PROFILES,
                ),
                Filter("position", "N", "Recorded choice to explain, instead of --on and --queue."),
            ),
            empty="no routes",
        ),
        "transmission": Question(
            summary="List messages on transmission queues, and which may be moved.",
            columns=(
                Column("on", "text", "Queue manager where the messages wait.", KEY),
                Column("name", "text", "Name that a story gave the messages.", NULL | WIDE),
                Column("queue", "text", "Target queue at the destination.", KEY),
                Column("count", "integer", "Number of messages.", VOLATILE, unit="messages"),
                Column("channel", "text", "Channel that the messages wait for.", KEY | NULL),
                Column("qmgr", "text", "Destination queue manager.", KEY | NULL),
                Column("xmitq", "text", "Transmission queue; null: see `xmitq_candidates`.", NULL),
                Column(
                    "xmitq_candidates", "list", "Transmission queues that match equally well.", NULL
                ),
                Column("eligible", "boolean", "true if reallocation may move the messages."),
                Column(
                    "why",
                    "text",
                    "Why they may not be moved. bind-on-open, bind-on-group, named-qmgr: "
                    "the destination is fixed; system: repository commands; in-doubt, at-risk: "
                    "already sent in a batch.",
                    NULL,
                ),
                Column(
                    "put_at",
                    "instant",
                    "Time of the put, or of the last choice of a route.",
                    KEY | WIDE,
                ),
                Column(
                    "in_doubt", "boolean", "true if the batch of the messages is in doubt.", WIDE
                ),
                Column(
                    "next_pass",
                    "instant",
                    "Next retry of the channel. If it fails, the messages are reallocated.",
                    NULL | WIDE | VOLATILE,
                ),
                Column(
                    "stranded", "boolean", "true if their channel no longer reads this queue.", WIDE
                ),
                Column("status", "text", "Status of the channel.", NULL | VOLATILE),
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
        "browse": Question(
            summary="List the messages on a local queue and their descriptors.",
            columns=(
                Column("on", "text", "Queue manager that has the queue.", KEY | WIDE),
                Column("queue", "text", "Local queue that the messages are on.", KEY | WIDE),
                Column(
                    "correlid",
                    "text",
                    "CorrelId: the cluster-sender that they wait for; null: they wait for none.",
                    KEY | NULL,
                ),
                Column("count", "integer", "Number of messages.", VOLATILE, unit="messages"),
                Column(
                    "accounting_token",
                    "text",
                    "AccountingToken: zeros if they may not be reallocated; null as `correlid`.",
                    NULL,
                    choices=("zeros", "set"),
                ),
                Column("put_date", "text", "PutDate in UTC: YYYYMMDD.", KEY),
                Column("put_time", "text", "PutTime in UTC: HHMMSSTH, with hundredths.", KEY),
                Column(
                    "persistence",
                    "text",
                    "YES if they are persistent.",
                    choices=("YES", "NO"),
                ),
                Column("group_id", "text", "GroupId: the group that they belong to.", NULL),
                Column(
                    "remote_queue",
                    "text",
                    "Target queue in the transmission header.",
                    KEY | NULL | WIDE,
                ),
                Column(
                    "remote_qmgr",
                    "text",
                    "Queue manager in the transmission header.",
                    KEY | NULL | WIDE,
                ),
                Column("name", "text", "Name that a story gave the messages.", NULL | WIDE),
                Column("under_way", "boolean", "true if a channel is sending them.", WIDE),
            ),
            narrowed_by=(
                Filter("on", "QM", "Queue manager that has the queue.", required=True),
                Filter("queue", "NAME", "Local queue to browse.", required=True),
            ),
            empty="no messages",
            home="twin.questions.browse:browse",
        ),
        "channels": Question(
            summary="List the cluster channels with their status.",
            columns=(
                Column(
                    "on", "text", "Queue manager whose end of the channel has this status.", KEY
                ),
                Column("channel", "text", "Name of the channel.", KEY),
                Column("status", "text", "Status of the channel.", VOLATILE, choices=STATUSES),
                Column("since", "instant", "Start of this status; null: it never ran.", NULL),
                Column("next_retry", "instant", "Time of the next retry.", NULL | VOLATILE),
                Column(
                    "attempts",
                    "integer",
                    "Failed retries since the channel began to retry; null: not RETRYING.",
                    NULL | VOLATILE,
                ),
                Column("xmitq", "text", "Transmission queue in use.", NULL),
                Column(
                    "pending_xmitq",
                    "text",
                    "Transmission queue to which the channel is switching, or will switch.",
                    NULL,
                ),
                Column("reason", "text", "AMQ message of the last failure.", NULL),
            ),
            narrowed_by=(_ON, _CHANNEL),
            empty="no channels",
            home="twin.questions.channels:channels",
        ),
        "passes": Question(
            summary="List reallocation passes, and the next one of each channel.",
            columns=(
                Column("on", "text", "Queue manager where the messages wait.", KEY),
                Column("channel", "text", "Channel that the messages wait for.", KEY),
                Column("at", "instant", "Time of the pass.", KEY),
                Column(
                    "cause",
                    "text",
                    "stop: the channel stopped or failed; retry: a start or retry failed.",
                    choices=("stop", "retry"),
                ),
                Column(
                    "moved",
                    "integer",
                    "Messages that were moved; null: not yet known.",
                    NULL,
                    unit="messages",
                ),
                Column(
                    "stayed",
                    "integer",
                    "All messages that stayed, with repository commands; null: not yet known.",
                    NULL,
                    unit="messages",
                ),
                Column(
                    "stayed_why",
                    "list",
                    "Why they stayed; null: none did, or not yet known. no-better-route: theirs is "
                    "among the best; no-destination: the choice fails; no-room: the new queue is "
                    "full or put-disabled; exit, interrupted: the workload exit kept them, or a "
                    "forced stop ended the pass; others: as in `twin ask transmission`.",
                    NULL,
                ),
            ),
            narrowed_by=(_ON, _CHANNEL),
            empty="no passes",
            home="twin.questions.passes:passes",
            back=DAY,
        ),
        "agenda": Question(
            summary="List the next timed events by kind and queue manager.",
            columns=(
                Column(
                    "kind", "text", "Kind of timed event, such as retry, resend or expiry.", KEY
                ),
                Column("on", "text", "Queue manager where it happens.", KEY),
                Column("due", "instant", "Time of the next event of this kind.", VOLATILE),
                Column(
                    "count",
                    "integer",
                    "Records, subscriptions, commands or channels due at that time.",
                    VOLATILE,
                ),
                Column(
                    "waiting",
                    "integer",
                    "Records, subscriptions, commands or channels due at that time or later.",
                    VOLATILE,
                ),
            ),
            narrowed_by=(_ON,),
            empty="nothing is due",
            home="twin.questions.agenda:agenda",
        ),
    }
)
"""Every question by its name."""
