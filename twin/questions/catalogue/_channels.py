"""Questions about channels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.words import STATUSES
from twin.questions.catalogue._filters import CHANNEL, ON, ON_BASIS, RESTS_ON
from twin.questions.declared import KEY, NULL, UNKNOWN, VOLATILE, WIDE, Column, Question

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "channels": Question(
            summary="List the cluster channels with their status.",
            columns=(
                Column(
                    "on", "text", "Queue manager whose end of the channel has this status.", KEY
                ),
                Column("channel", "text", "Name of the channel.", KEY),
                Column(
                    "status",
                    "text",
                    "Status of the channel.",
                    UNKNOWN | VOLATILE,
                    choices=STATUSES,
                ),
                Column(
                    "since",
                    "instant",
                    "Start of this status; of one that was only seen, at the latest. null: it "
                    "never ran.",
                    NULL | UNKNOWN,
                ),
                Column(
                    "since_earliest",
                    "instant",
                    "Start of a status that was seen, at the earliest; of a RETRYING channel if "
                    "attempts fail at once. null: nothing bounds it, or `since` is exact.",
                    NULL | WIDE,
                ),
                Column(
                    "next_retry",
                    "instant",
                    "Time of the next retry; null: none is due.",
                    NULL | UNKNOWN | VOLATILE,
                ),
                Column(
                    "attempts",
                    "integer",
                    "Failed retries since the channel began to retry; null: not RETRYING.",
                    NULL | UNKNOWN | VOLATILE,
                ),
                Column("xmitq", "text", "Transmission queue in use.", NULL),
                Column(
                    "pending_xmitq",
                    "text",
                    "Transmission queue to which the channel is switching, or will switch.",
                    NULL,
                ),
                Column(
                    "reason",
                    "text",
                    "AMQ message of the last failure; null: none, or no log names one.",
                    NULL | UNKNOWN,
                ),
                Column(
                    "switch_reason",
                    "integer",
                    "Reason code for which its switch has stopped; null: it has not.",
                    NULL,
                ),
                Column(
                    "instances",
                    "list",
                    "Instances of a CLUSRCVR that were seen: partner, address and status.",
                    NULL | WIDE,
                ),
                RESTS_ON,
            ),
            narrowed_by=(ON, CHANNEL, ON_BASIS),
            empty="no channels",
            limits=(
                "Repository commands use a disconnected channel without starting it (decision 13): "
                "it stays INACTIVE, where MQ shows RUNNING until its DISCINT has passed again. The "
                "workload algorithm treats both alike."
            ),
            home="twin.questions.channels:channels",
        ),
        "heartbeats": Question(
            summary="List how soon channel ends notice a silent partner.",
            columns=(
                Column("on", "text", "Queue manager at the sending end.", KEY),
                Column("channel", "text", "Name of the channel.", KEY),
                Column("partner", "text", "Queue manager at the receiving end."),
                Column(
                    "hbint",
                    "integer",
                    "Heartbeat interval of both ends; 0: none.",
                    unit="seconds",
                ),
                Column(
                    "sending",
                    "integer",
                    "Longest time in which an idle sending end notices; null: never.",
                    NULL,
                    unit="seconds",
                ),
                Column(
                    "receiving",
                    "integer",
                    "Longest time in which the receiving end notices; null: never.",
                    NULL,
                    unit="seconds",
                ),
                Column(
                    "batch",
                    "integer",
                    "How long a batch waits for its confirmation.",
                    unit="seconds",
                ),
                Column(
                    "adopts",
                    "boolean",
                    "Whether the partner ends an old receiving end for a new one.",
                    UNKNOWN,
                ),
                Column("advice", "list", "Changes to consider."),
            ),
            narrowed_by=(ON, CHANNEL),
            empty="no channels",
            home="twin.questions.heartbeats:heartbeats",
        ),
    }
)
