"""Rules about the status of sending channels."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import channel_states
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Input, Need

RULES: Final = (
    DoctorRule(
        id="channel-retrying",
        severity=Severity.ERROR,
        condition="A channel is RETRYING, and nobody ended its partner, or messages wait for one "
        "of which the queue manager holds no record any more: an error if messages wait for it.",
        why="Messages wait, and the members lose touch: after 27 days records are overdue.",
        what_to_do="At the queue manager of the channel: DISPLAY CHSTATUS(name) ALL and the "
        "error log say why. At the partner: see that it runs, and its listener "
        "(DISPLAY LSSTATUS(*)).",
        source="IBM MQ 9.1, Long retry interval; Troubleshooting queue manager cluster problems",
        check=channel_states.retrying,
        inputs=Input.STATUS | Input.CHANNELS | Input.MESSAGES,
        needs=(Need.STATUS,),
        follows=(
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
        ),
    ),
    DoctorRule(
        id="channel-stopped",
        severity=Severity.ERROR,
        condition="A channel is STOPPED: an error if messages wait for it.",
        why="Only START CHANNEL starts it; messages that are put later do not.",
        source="IBM MQ 9.1, Stopping a channel; STOP CHANNEL",
        check=channel_states.stopped,
        inputs=Input.STATUS | Input.CHANNELS | Input.MESSAGES,
        fix=FixClass.SAFE,
        needs=(Need.STATUS,),
    ),
    DoctorRule(
        id="channel-gone",
        severity=Severity.ERROR,
        condition="Messages wait on a transmission queue for a cluster channel that is neither "
        "defined at the queue manager nor known from a record, and has no status.",
        why="Nothing starts such a channel: START CHANNEL ends with AMQ8227, new messages use "
        "other channels, and no reallocation moves these.",
        what_to_do="If their destination still exists, give it a CLUSRCVR of that name in the "
        "cluster, then START CHANNEL(name) here, and delete it when nothing waits. If not, DEFINE "
        "CHANNEL(name) CHLTYPE(CLUSSDR) with the CONNAME of a member, then START CHANNEL(name): "
        "it fails, and each failure moves the messages that are not bound.",
        source="IBM MQ 9.2, Working with cluster transmission queues and cluster-sender channels; "
        "re-allocation of messages",
        check=channel_states.gone,
        inputs=Input.CHANNELS | Input.RECORDS | Input.STATUS | Input.MESSAGES,
        fix=FixClass.OWNER,
        needs=(Need.RECORDS,),
    ),
    DoctorRule(
        id="channel-in-doubt",
        severity=Severity.WARNING,
        condition="A channel has a batch in doubt.",
        why="Its messages are never given another route, and a REFRESH CLUSTER before it is "
        "resolved can lose the channel.",
        what_to_do="Let the partner or the link come back: the batch then resolves itself. If "
        "the partner never comes back, compare CURLUWID here with LSTLUWID there "
        "(DISPLAY CHSTATUS(name) SAVED); then at this queue manager: RESOLVE "
        "CHANNEL(name) ACTION(COMMIT) if they are equal, else ACTION(BACKOUT).",
        source="IBM MQ, In-doubt channels; REFRESH CLUSTER",
        check=channel_states.in_doubt,
        inputs=Input.STATUS | Input.MESSAGES,
        fix=FixClass.SAFE,
        follows=("channel-retrying",),
    ),
)
