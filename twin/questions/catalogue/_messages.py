"""Questions about messages: where they go, where they wait, and why."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.instants import DAY
from twin.model.words import BINDS, PROFILES, STATUSES
from twin.questions.catalogue._filters import AS, CHANNEL, GROUPS, ON, RESTS_ON
from twin.questions.declared import KEY, NULL, UNKNOWN, VOLATILE, WIDE, Column, Filter, Question

ENDS: Final = (
    *("delivered", "fails", "dead-lettered", "returned", "waits", "loop", "not-in-twin", "more"),
)
"""What becomes of a message at the end of a route."""

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "explain": Question(
            summary="Explain where a message goes: one row for each route.",
            columns=(
                Column("qmgr", "text", "Destination queue manager.", KEY),
                Column(
                    "channel", "text", "Channel to the destination; null: none is used.", KEY | NULL
                ),
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
                Column(
                    "bind",
                    "text",
                    "How messages are bound; null: no cluster is involved.",
                    NULL | WIDE,
                    choices=("open", "notfixed", "group"),
                ),
                Column("path", "list", "Steps in which the name was resolved.", WIDE),
                RESTS_ON,
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
                AS,
                GROUPS,
                Filter("position", "N", "Recorded choice to explain, instead of --on and --queue."),
            ),
            empty="no routes",
        ),
        "route": Question(
            summary="Follow a message hop by hop, over gateways and aliases.",
            columns=(
                Column("step", "text", "Number of the step; 1.2 comes after 1.", KEY),
                Column("on", "text", "Queue manager that resolves the name."),
                Column("queue", "text", "Name that it resolves."),
                Column("path", "list", "Steps in which it resolves the name."),
                Column("to", "text", "Next queue manager; null: the message ends here.", NULL),
                Column("channel", "text", "Channel to the next queue manager.", NULL),
                Column("turns", "integer", "Routes that take turns here; six are followed.", WIDE),
                Column(
                    "share",
                    "integer",
                    "Share of the puts that comes to this step if all routes take their turns.",
                    WIDE,
                    unit="percent",
                ),
                Column(
                    "end",
                    "text",
                    "What becomes of the message here; null: it goes on. returned: it cannot be "
                    "put, so the channel that brought it ends, and it waits at its sender; waits: "
                    "no channel takes it on; loop: it was here before; more: further steps are not "
                    "shown.",
                    NULL,
                    choices=ENDS,
                ),
                Column(
                    "reason",
                    "integer",
                    "Reason code of the end, or because of which it goes to another instance.",
                ),
                Column(
                    "waits",
                    "text",
                    "Why it would wait for the channel; null: it would not.",
                    NULL | VOLATILE,
                ),
                Column(
                    "fails",
                    "text",
                    "Why the channel would fail, if the message is not bound and then goes to "
                    "another instance; null: it would not, or the message waits.",
                    NULL | VOLATILE | WIDE,
                ),
                Column(
                    "then",
                    "text",
                    "Queue manager that it goes to when the channel fails; the next step is "
                    "there. null: none.",
                    NULL | VOLATILE | WIDE,
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
                AS,
                GROUPS,
            ),
            empty="no route",
            limits=(
                "Only routes that take turns are followed, not those that a rule excluded. A "
                "message that waits for a channel is followed as if it had been sent. One that is "
                "not bound, and whose channel would fail, is followed to where it then goes."
            ),
            home="twin.questions.route:route",
            needs_all=True,
            in_lines=True,
        ),
        "access": Question(
            summary="List who may put to a queue, by which profile.",
            columns=(
                Column("on", "text", "Queue manager that the application is connected to.", KEY),
                Column("opened", "text", "Name that it opens; @: the queue manager named.", KEY),
                Column(
                    "mode",
                    "text",
                    "ClusterQueueAccessControl of qm.ini; RACF: z/OS has another model.",
                    KEY,
                    choices=("Xmitq", "RQMName", "RACF"),
                ),
                Column("in_force", "boolean", "true if qm.ini says so, or by default.", UNKNOWN),
                Column("entity", "text", "User, or user or group of a profile.", KEY | NULL),
                Column(
                    "enttype",
                    "text",
                    "What the entity is; USER: the one asked about, with its groups.",
                    KEY | NULL,
                    choices=("USER", "PRINCIPAL", "GROUP"),
                ),
                Column("objtype", "text", "Type of the profile that is checked.", NULL | WIDE),
                Column("profile", "text", "Name that is checked.", NULL),
                Column("granted", "boolean", "true if it may put.", UNKNOWN),
                Column("matched_profile", "text", "Most specific profile of the entity.", NULL),
                Column("authority", "list", "Authorities of the entity for that name.", WIDE),
                RESTS_ON,
            ),
            narrowed_by=(
                Filter("queue", "NAME", "Queue to put to.", required=True),
                ON,
                Filter("to", "QMGR", "ObjectQMgrName of the open."),
                AS,
                GROUPS,
            ),
            empty="nobody",
            limits=(
                "Each name is shown for both values of ClusterQueueAccessControl: so you see who "
                "would lose or win by a change. CHLAUTH, LDAP and AMS are not looked at."
            ),
            home="twin.questions.access:access",
            needs_all=True,
        ),
        "transmission": Question(
            summary="List messages on transmission queues, and which may be moved.",
            columns=(
                Column("on", "text", "Queue manager where the messages wait.", KEY),
                Column("name", "text", "Name that a story gave the messages.", NULL | WIDE),
                Column("queue", "text", "Target queue at the destination.", KEY | UNKNOWN),
                Column(
                    "count",
                    "integer",
                    "Number of messages; of those that captures show, at least.",
                    VOLATILE,
                    unit="messages",
                ),
                Column(
                    "at_most",
                    "integer",
                    "Number at most: CHSTATUS shows 999 where there are more.",
                    UNKNOWN | VOLATILE | WIDE,
                    unit="messages",
                ),
                Column(
                    "channel",
                    "text",
                    "Channel that the messages wait for; null: no channel reads the queue.",
                    KEY | NULL | UNKNOWN,
                ),
                Column(
                    "qmgr", "text", "Destination queue manager; null: none.", KEY | NULL | UNKNOWN
                ),
                Column("xmitq", "text", "Transmission queue; null: see `xmitq_candidates`.", NULL),
                Column(
                    "xmitq_candidates", "list", "Transmission queues that match equally well.", NULL
                ),
                Column(
                    "eligible",
                    "boolean",
                    "true if reallocation may move the messages.",
                    UNKNOWN,
                ),
                Column(
                    "why",
                    "text",
                    "Why they may not be moved. bind-on-open, bind-on-group, named-qmgr: "
                    "the destination is fixed; system: repository commands; in-doubt, at-risk: "
                    "already sent in a batch; no-channel: their channel no longer exists. "
                    "null: they may.",
                    NULL | UNKNOWN,
                ),
                Column(
                    "put_at",
                    "instant",
                    "Time of the put, or of the last choice of a route.",
                    KEY | UNKNOWN | WIDE,
                ),
                Column(
                    "in_doubt",
                    "boolean",
                    "true if the batch of the messages is in doubt.",
                    UNKNOWN | WIDE,
                ),
                Column(
                    "next_pass",
                    "instant",
                    "When the next retry ends. If it fails, the messages are reallocated.",
                    NULL | UNKNOWN | WIDE | VOLATILE,
                ),
                Column(
                    "stranded",
                    "boolean",
                    "true if their channel no longer reads this queue.",
                    UNKNOWN | WIDE,
                ),
                Column("status", "text", "Status of the channel.", NULL | UNKNOWN | VOLATILE),
                Column(
                    "waits_for",
                    "text",
                    "What all messages for the channel wait for, and why its partner cannot put "
                    "(AMQ9544); null: it sends them now.",
                    NULL | UNKNOWN | VOLATILE,
                ),
                Column(
                    "next_start",
                    "instant",
                    "Next retry of the channel; null: none is due.",
                    NULL | UNKNOWN | WIDE | VOLATILE,
                ),
            ),
            narrowed_by=(
                ON,
                Filter("channel", "NAME", "Only messages for this channel."),
                Filter("queue", "NAME", "Only messages for this queue."),
                Filter("xmitq", "NAME", "Only messages on this transmission queue."),
            ),
            empty="no waiting messages",
            home="twin.questions.transmission:transmission",
            repeats=True,
            needs_all=True,
        ),
        "waiting": Question(
            summary="Explain messages that wait, and what a pass would do now.",
            columns=(
                Column("on", "text", "Queue manager where the messages wait.", KEY),
                Column("queue", "text", "Target queue at the destination.", KEY | UNKNOWN),
                Column(
                    "count",
                    "integer",
                    "Number of messages; of those that captures show, at least.",
                    VOLATILE,
                    unit="messages",
                ),
                Column(
                    "at_most",
                    "integer",
                    "Number at most: CHSTATUS shows 999 where there are more.",
                    UNKNOWN | VOLATILE | WIDE,
                    unit="messages",
                ),
                Column("channel", "text", "Channel that they wait for.", KEY | UNKNOWN),
                Column(
                    "qmgr", "text", "Destination queue manager; null: none.", KEY | NULL | UNKNOWN
                ),
                Column("xmitq", "text", "Transmission queue.", KEY | WIDE),
                Column(
                    "named",
                    "text",
                    "Queue manager in the transmission header, if it is another.",
                    KEY | NULL | UNKNOWN | WIDE,
                ),
                Column(
                    "why",
                    "text",
                    "Why they may not be moved, as in `transmission`, or stranded; null: they may.",
                    KEY | NULL | UNKNOWN,
                ),
                Column(
                    "put_at",
                    "instant",
                    "When the first of them was put.",
                    UNKNOWN | WIDE | VOLATILE,
                ),
                Column(
                    "status",
                    "text",
                    "Status of the channel.",
                    NULL | UNKNOWN | VOLATILE,
                    choices=STATUSES,
                ),
                Column(
                    "waits_for",
                    "text",
                    "What they wait for, and why its partner cannot put; null: they are sent now.",
                    NULL | UNKNOWN | WIDE | VOLATILE,
                ),
                Column(
                    "next_start",
                    "instant",
                    "Next retry of the channel; null: none is due.",
                    NULL | UNKNOWN | WIDE | VOLATILE,
                ),
                Column(
                    "next_pass",
                    "instant",
                    "When the next retry ends; if it fails, a pass looks at them.",
                    NULL | UNKNOWN | VOLATILE,
                ),
                Column(
                    "stays",
                    "text",
                    "Why a pass would leave them now: `why`, or no-better-route, no-destination, "
                    "no-room; null: it would move them.",
                    NULL | UNKNOWN | VOLATILE,
                ),
                Column(
                    "moves_to",
                    "text",
                    "Where a pass would move them now.",
                    NULL | UNKNOWN | VOLATILE,
                ),
                Column(
                    "moves_by",
                    "text",
                    "Channel to it; null: it is here.",
                    NULL | UNKNOWN | VOLATILE,
                ),
            ),
            narrowed_by=(
                ON,
                Filter(
                    "queue",
                    "NAME",
                    "Only messages for this queue, or for that to which an alias or a remote "
                    "definition of this name leads.",
                ),
                CHANNEL,
                Filter("position", "N", "Only messages that the event at this position put."),
            ),
            empty="no waiting messages",
            limits=(
                "Repository commands, and messages for channels outside the clusters, are not "
                "explained: see `transmission`. A workload exit is not called: it may choose "
                "otherwise."
            ),
            home="twin.questions.waiting:waiting",
            needs_all=True,
            in_lines=True,
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
                    "AccountingToken: zeros if they may not be reallocated; null: no CorrelId.",
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
                Column(
                    "reason",
                    "integer",
                    "Reason code in the dead-letter header; null: they have none.",
                    KEY | NULL,
                ),
                Column("reason_name", "text", "Name of the reason code.", NULL),
                Column(
                    "dest_queue",
                    "text",
                    "DestQName: the queue that they could not be put on.",
                    KEY | NULL,
                ),
                Column(
                    "dest_qmgr",
                    "text",
                    "DestQMgrName: the queue manager that they were for.",
                    KEY | NULL,
                ),
                Column("under_way", "boolean", "true if a channel is sending them.", WIDE),
            ),
            narrowed_by=(
                Filter("on", "QM", "Queue manager that has the queue.", required=True),
                Filter("queue", "NAME", "Local queue to browse.", required=True),
            ),
            empty="no messages",
            home="twin.questions.browse:browse",
            repeats=True,
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
                    "Messages that stayed, also repository commands; null: not yet known.",
                    NULL,
                    unit="messages",
                ),
                Column(
                    "stayed_why",
                    "list",
                    "Why they stayed; null: none stayed, or not yet known. no-better-route: their "
                    "route is among the best; no-destination: the choice fails; no-room: the new "
                    "queue is full or put-disabled; exit: the workload exit kept them; "
                    "interrupted: a forced stop ended the pass; others: as in "
                    "`twin ask transmission`.",
                    NULL,
                ),
            ),
            narrowed_by=(ON, CHANNEL),
            empty="no passes",
            home="twin.questions.passes:passes",
            repeats=True,
            back=DAY,
        ),
    }
)
