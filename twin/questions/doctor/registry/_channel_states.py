"""Rules about the status of sending channels."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import channel_states, channel_targets
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Need

RULES: Final = (
    DoctorRule(
        id="channel-retrying",
        severity=Severity.ERROR,
        condition="A channel is RETRYING although nobody ended its partner, or messages wait for "
        "a RETRYING channel of which the queue manager holds no record; a warning if no messages "
        "wait.",
        why="Messages wait, and the queue managers no longer get each other's updates: after 27 "
        "days records are overdue.",
        what_to_do="At the queue manager of the channel, DISPLAY CHSTATUS(name) ALL and the error "
        "log say why. If they say AMQ9544, the partner runs but cannot put what arrives: at the "
        "partner, correct the queue that the finding names, or the dead-letter queue. Otherwise "
        "check that the partner and its listener run (DISPLAY LSSTATUS(*)).",
        source="IBM MQ 9.1, Long retry interval; Troubleshooting queue manager cluster problems",
        check=channel_states.retrying,
        fix=FixClass.OWNER,
        needs=(Need.STATUS,),
        follows=(
            "stale-address",
            "channel-target-put-disabled",
            "queue-full",
            "cluster-receiver-stopped",
            "cluster-sender-without-target",
            "cluster-sender-wrong-name",
            "cluster-sender-to-partial",
            "cluster-sender-other-cluster",
            "cluster-receiver-port",
            "cluster-receiver-localhost",
            "adoption-refused",
            "ssl-cipher-differs",
            "cluster-sender-never-connected",
            "transmission-queue-shared",
        ),
    ),
    DoctorRule(
        id="channel-target-put-disabled",
        severity=Severity.ERROR,
        condition="A queue is PUT(DISABLED), its queue manager cannot put what arrives for it on "
        "its dead-letter queue either, and a channel is RETRYING because of that (AMQ9544).",
        why="The message returns to its sender, and all messages after it wait there, also those "
        "for other queues.",
        source="IBM MQ, Cluster-administration considerations, What happens if I put-disable a "
        "cluster queue?; AMQ9544",
        attributes=("PUT",),
        check=channel_targets.put_disabled,
        fix=FixClass.OWNER,
        needs=(Need.STATUS,),
    ),
    DoctorRule(
        id="channel-stopped",
        severity=Severity.ERROR,
        condition="A channel is STOPPED; a warning if no messages wait for it, and it does not cut "
        "its queue manager from all full repositories of a cluster.",
        why="Somebody stopped it, and only START CHANNEL starts it. New messages do not. A partial "
        "repository without a channel to a full repository learns no new names (2189), and "
        "publishes nothing.",
        source="IBM MQ 9.1, Stopping a channel; STOP CHANNEL",
        check=channel_states.stopped,
        fix=FixClass.OWNER,
        needs=(Need.STATUS,),
    ),
    DoctorRule(
        id="channel-gone",
        severity=Severity.ERROR,
        condition="Messages wait for a cluster channel that no longer exists: it has no "
        "definition, no record and no status at their queue manager.",
        why="Nothing starts the channel: START CHANNEL ends with AMQ8227. New messages use other "
        "channels, and a reallocation does not move the old ones.",
        what_to_do="If the destination still exists, give it a CLUSRCVR with the name of the "
        "channel in the cluster, then START CHANNEL(name) at this queue manager. Delete the "
        "CLUSRCVR when no messages wait. If the destination is gone, at this queue manager: DEFINE "
        "CHANNEL(name) CHLTYPE(CLUSSDR) with the CONNAME of a member, then START CHANNEL(name). It "
        "fails, and each failure reroutes the messages that are not bound.",
        source="IBM MQ 9.2, Working with cluster transmission queues and cluster-sender channels; "
        "re-allocation of messages",
        check=channel_states.gone,
        fix=FixClass.OWNER,
        needs=(Need.RECORDS,),
    ),
    DoctorRule(
        id="channel-in-doubt",
        severity=Severity.WARNING,
        condition="A channel has a batch in doubt.",
        why="Its messages are never rerouted. A REFRESH CLUSTER before the batch is resolved can "
        "lose the channel.",
        what_to_do="Let the partner or the link come back: the batch then resolves itself. If the "
        "partner never comes back, DISPLAY CHSTATUS(name) SAVED CURLUWID LSTLUWID INDOUBT at both "
        "ends.",
        last="Then at this queue manager: RESOLVE CHANNEL(name) ACTION(COMMIT) if CURLUWID here is "
        "LSTLUWID there, ACTION(BACKOUT) if LSTLUWID is equal at both ends.",
        source="IBM MQ, In-doubt channels; REFRESH CLUSTER",
        check=channel_states.in_doubt,
        fix=FixClass.SAFE,
        follows=("channel-retrying",),
    ),
)
