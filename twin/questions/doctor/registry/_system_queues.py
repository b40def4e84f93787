"""Rules about the system queues of clusters."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import system_queues
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Effective, Need

_TROUBLE: Final = "IBM MQ, What happens when a repository fails"

RULES: Final = (
    DoctorRule(
        id="system-queue-usage",
        severity=Severity.ERROR,
        condition="SYSTEM.CLUSTER.TRANSMIT.QUEUE is not a transmission queue, or another system "
        "queue is one.",
        why="The repository manager cannot send (AMQ9511 with 2092). After five days without "
        "success the queue manager ends.",
        source="IBM IT39744; IBM MQ 9.1, Default cluster objects",
        attributes=("USAGE",),
        check=system_queues.usage,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="cluster-queue-get-disabled",
        severity=Severity.ERROR,
        condition="A system queue of clusters, or a transmission queue of cluster channels, is "
        "GET(DISABLED).",
        why="Channels cannot get from it (AMQ9549), or the repository manager does nothing.",
        source=_TROUBLE,
        attributes=("GET",),
        check=system_queues.get_disabled,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="cluster-queue-put-disabled",
        severity=Severity.ERROR,
        condition="A system queue of clusters, or a transmission queue of cluster channels, is "
        "PUT(DISABLED).",
        why="Puts to cluster queues fail (2269, 2051), and repository commands are dead-lettered.",
        source=_TROUBLE,
        attributes=("PUT",),
        check=system_queues.put_disabled,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="cluster-queue-capexpry",
        severity=Severity.ERROR,
        condition="A system queue of clusters, or a transmission queue of cluster channels, has "
        "CAPEXPRY.",
        why="It shortens the expiry of repository commands, so records are not renewed.",
        source="IBM IT28022",
        attributes=("CAPEXPRY",),
        check=system_queues.capped,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="command-queue-not-empty",
        severity=Severity.ERROR,
        condition="Repository commands wait on SYSTEM.CLUSTER.COMMAND.QUEUE.",
        why="The repository manager does not run, or gets more commands than it can process.",
        what_to_do="At this queue manager: DISPLAY QSTATUS(SYSTEM.CLUSTER.COMMAND.QUEUE) IPPROCS, "
        "and the error log. If IPPROCS is 0, the repository manager does not run: restart the "
        "queue manager, on z/OS the channel initiator.",
        source="IBM MQ 9.1, Default cluster objects",
        check=system_queues.commands_waiting,
        needs=(Need.DEPTHS,),
        follows=(
            "repository-manager-failing",
            "repository-manager-idle",
            "cluster-queue-get-disabled",
        ),
    ),
    DoctorRule(
        id="transmission-queue-index",
        severity=Severity.ERROR,
        condition="On z/OS a transmission queue of cluster channels lacks INDXTYPE(CORRELID).",
        why="Channels get messages by correlation identifier. A switch to this queue stops with "
        "2394.",
        source="IBM PH00544",
        attributes=("INDXTYPE",),
        check=system_queues.index_types,
        fix=FixClass.SAFE,
        effective=Effective.CHANNEL,
    ),
)
