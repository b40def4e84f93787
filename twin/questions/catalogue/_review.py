"""Questions that judge an estate."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.basis import Source
from twin.questions.catalogue._filters import CLUSTER, ON, ON_BASIS, RESTS_ON
from twin.questions.declared import KEY, NULL, UNKNOWN, VOLATILE, WIDE, Column, Filter, Question

LOSSES: Final = ("qmgr", "repository", "repositories", "link", "channel", "pair", "several")
"""The kinds of losses: a member, a full repository, all of a cluster, and on request the rest."""

SEVERITIES: Final = ("error", "warning", "info")
"""The severities of findings, the worst first."""

FIGURES: Final = (
    *("sending", "receiving", "running", "records", "own-records", "renewals-per-day"),
    "channels",
)
"""What a capacity is about."""

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "doctor": Question(
            summary="List what is wrong with clusters, and what fixes it.",
            columns=(
                Column("id", "text", "Id of the rule.", KEY),
                Column("severity", "text", "How bad it is.", choices=SEVERITIES),
                Column("object", "text", "Object that it is about.", KEY),
                Column("finding", "text", "What is wrong."),
                Column(
                    "fix",
                    "commands",
                    "Commands that fix it, in order; null: a person has to decide.",
                    NULL,
                ),
                Column("source", "text", "Document that says so."),
                RESTS_ON,
            ),
            narrowed_by=(
                ON,
                CLUSTER,
                Filter("rule", "ID", "Only findings of this rule."),
                Filter("severity", "SEVERITY", "Only findings this bad, or worse.", SEVERITIES),
                ON_BASIS,
            ),
            empty="no findings",
            limits="twin doctor also proves the fixes, and says which rules could not be checked. "
            "Rules that count past events count those after --since.",
            home="twin.questions.doctor.question:doctor",
            reads_facts=True,
            needs_all=True,
            in_lines=True,
        ),
        "missing": Question(
            summary="List what to collect, and how many values it would settle.",
            columns=(
                Column(
                    "on",
                    "text",
                    "Queue manager to ask; with ? if its name is guessed from a channel's.",
                    KEY,
                ),
                Column(
                    "source",
                    "text",
                    "Command to run there, or file to copy.",
                    KEY,
                    choices=tuple(Source),
                ),
                Column(
                    "settles",
                    "integer",
                    "Values that it would settle: unknown and old ones.",
                    VOLATILE,
                    unit="values",
                ),
                Column(
                    "unknown", "integer", "Those that are unknown.", VOLATILE | WIDE, unit="values"
                ),
                Column("stale", "integer", "Those that are old.", VOLATILE | WIDE, unit="values"),
                Column("answers", "list", "Questions whose answers have these values."),
                Column(
                    "last_seen",
                    "instant",
                    "When the old ones were seen last; null: none is old.",
                    NULL | VOLATILE,
                ),
            ),
            narrowed_by=(ON,),
            empty="nothing is missing",
            limits="Its text is a script for the shell; the queue manager first that would settle "
            "most. Values are old when they are no longer fresh (twin reading fresh=TIME). A queue "
            "manager that has ended, or that was stated to be gone, is not asked; nor is anything "
            "on a branch, where the rules decide all. Logs and qm.ini are asked for only where "
            "they would settle something.",
            home="twin.questions.missing:missing",
            in_lines=True,
            comment="# ",
        ),
        "resilience": Question(
            summary="List what each single loss would strand, the worst first.",
            columns=(
                Column("loss", "text", "What is lost: queue managers, a link, a channel.", KEY),
                Column(
                    "kind",
                    "text",
                    "Kind of the loss; repository, repositories: full ones of this cluster.",
                    KEY,
                    choices=LOSSES,
                ),
                Column("cluster", "text", "Cluster that the row is about.", KEY),
                Column(
                    "severity",
                    "text",
                    "error: a queue, a sender or all full repositories are lost, also if the queue "
                    "is lost already; warning: one instance or one full repository is left.",
                    choices=SEVERITIES,
                ),
                Column(
                    "queues_lost",
                    "list",
                    "Queues, and queue manager aliases, without a usable instance, also behind a "
                    "gateway, or that no sender knows any more.",
                ),
                Column(
                    "lost_already",
                    "list",
                    "Queues that have no usable instance without the loss either, and of which it "
                    "takes an instance, or a way on from one.",
                ),
                Column("queues_single", "list", "Queues with one instance left, of several."),
                Column(
                    "senders_cut",
                    "list",
                    "Queue managers that reach no instance of a queue, or have forgotten it.",
                ),
                Column(
                    "messages_waiting",
                    "integer",
                    "Messages that wait for what is lost.",
                    UNKNOWN | VOLATILE,
                    unit="messages",
                ),
                Column(
                    "messages_bound",
                    "integer",
                    "Those of them that no reallocation moves.",
                    UNKNOWN | VOLATILE | WIDE,
                    unit="messages",
                ),
                Column(
                    "opens_fail_from",
                    "instant",
                    "When opens begin to fail: at once for new names without a full repository, "
                    "else when a record of a lost queue is removed.",
                    NULL | WIDE,
                ),
                Column("first_expiry", "instant", "When the first record expires.", NULL | WIDE),
                Column(
                    "first_removal", "instant", "When the first record is removed.", NULL | WIDE
                ),
                Column(
                    "fix",
                    "text",
                    "What would keep it from doing harm; of one of two full repositories, what to "
                    "do if it does not come back; null: nothing needs to be done.",
                    NULL | WIDE,
                ),
            ),
            narrowed_by=(
                CLUSTER,
                Filter(
                    "lose",
                    "QM",
                    "Only losses that it is part of, also as an end of a link or a channel; repeat "
                    "it for the loss of several together.",
                    repeats=True,
                ),
                Filter("days", "N", "How long each loss lasts [30]."),
                Filter("links", "", "Also each link between two queue managers."),
                Filter("channels", "", "Also each cluster-sender channel."),
                Filter("pairs", "", "Also each pair of queue managers, without dates."),
            ),
            empty="no loss to show",
            limits="Each loss is rehearsed in memory, and compared with doing nothing. A sender "
            "has forgotten a queue if no full repository that it reaches can tell it "
            "again: its open is tried at the end of the loss. What no message reaches without a "
            "loss either is in lost_already, not in queues_lost: a queue that moves from one to "
            "the other has not become safer. A clustered alias or remote "
            "definition counts as lost if every queue that it leads to is lost. To find "
            "these queues, unbound messages are followed over gateways from one member, "
            "as they go before the loss. If a gateway gets no messages then, for example "
            "because its rank is lower, it is assumed to pass them on. Queue manager "
            "aliases are not followed.",
            home="twin.questions.resilience.question:resilience",
            needs_all=True,
            rehearses=True,
        ),
        "capacity": Question(
            summary="List what each member carries: channels, records, renewals.",
            columns=(
                Column("cluster", "text", "Cluster; * stands for all clusters together.", KEY),
                Column("qmgr", "text", "Member.", KEY),
                Column(
                    "figure",
                    "text",
                    "sending: channels to other members; receiving: channels of others to it; "
                    "running: those of both that are current; records: what it holds; own-records: "
                    "those of them that it publishes; renewals-per-day: records held / 27 days, "
                    "rounded up; channels: sending and receiving.",
                    KEY,
                    choices=FIGURES,
                ),
                Column("now", "integer", "Its value.", UNKNOWN | VOLATILE),
                Column(
                    "then",
                    "integer",
                    "Its value with the members of --add, assumed; null: without it.",
                    NULL | UNKNOWN | VOLATILE,
                ),
                Column(
                    "limit",
                    "integer",
                    "How many channels may be active; null: another figure.",
                    NULL | UNKNOWN,
                ),
                Column("limited_by", "text", "What sets the limit.", NULL | UNKNOWN | WIDE),
                Column(
                    "enough",
                    "boolean",
                    "Whether they fit, with --add then; null: another figure.",
                    NULL | UNKNOWN,
                ),
                RESTS_ON,
            ),
            narrowed_by=(
                ON,
                CLUSTER,
                Filter("figure", "FIGURE", "Only this figure.", FIGURES),
                Filter(
                    "add",
                    "N",
                    "Add N partial repositories to each cluster, each like the median one.",
                ),
                ON_BASIS,
            ),
            empty="no figures",
            limits="Channels are counted as if all known channels ran at once; client connections "
            "and members that are not in the twin are not counted. What further members use is "
            "spread evenly over the partial repositories, and rounded up.",
            home="twin.questions.capacity:capacity",
            needs_all=True,
        ),
    }
)
