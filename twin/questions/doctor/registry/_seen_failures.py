"""Rules that join what was seen of failures: in logs, in captures, and in what others hold."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import (
    channel_states,
    failure_causes,
    stale_addresses,
    system_queues,
)
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Need

_TROUBLE: Final = "IBM MQ, Troubleshooting queue manager cluster problems"

RULES: Final = (
    DoctorRule(
        id="channel-starting",
        severity=Severity.WARNING,
        condition="A channel was seen BINDING, STARTING, INITIALIZING or REQUESTING, and still so "
        "ten minutes later.",
        why="It connects to nobody, and does not fail either: messages wait, and no retry reroutes "
        "them.",
        what_to_do="At the queue manager of the channel: DISPLAY CHSTATUS(name) ALL shows its "
        "CONNAME and SUBSTATE. Something at that address takes the connection and does not "
        "answer: look whether the partner runs there, and at its error log, its channel exits, "
        "and firewalls or load balancers between them.",
        source=_TROUBLE,
        check=channel_states.starting,
        needs=(Need.STATUS,),
    ),
    DoctorRule(
        id="messages-stuck",
        severity=Severity.ERROR,
        condition="Messages have waited for five minutes (--stuck-after) for a channel that does "
        "not run, whatever the cause.",
        why="They reach their destination only when the channel runs, or when they are rerouted.",
        what_to_do="At the queue manager of the channel: DISPLAY CHSTATUS(name) ALL and the error "
        "log say why it does not run.",
        source=_TROUBLE,
        check=channel_states.stuck,
        needs=(Need.STATUS, Need.DEPTHS),
        follows=(
            "channel-retrying",
            "channel-stopped",
            "channel-starting",
            "channel-gone",
            "nothing-due",
        ),
    ),
    DoctorRule(
        id="nothing-due",
        severity=Severity.WARNING,
        condition="Repository commands or messages wait on a transmission queue, and nothing that "
        "is due will move them: their channel is INACTIVE, or does not get from that queue.",
        why="A channel that ended, for example because its queue was GET(DISABLED), starts with "
        "the next message for it or by START CHANNEL, and nobody may put one for days. While "
        "repository commands wait, other queue managers learn nothing new.",
        what_to_do="At the queue manager of the queue: START CHANNEL(name) for each channel for "
        "which something waits. Messages that were left on another queue come back when the "
        "channel uses that queue again: set its CLCHNAME, and stop and start the channel. For "
        "messages on a queue from which no channel gets, define the channel, or move them.",
        source="IBM MQ 8.0, STOP CHANNEL; Cluster-administration considerations; runswchl",
        check=channel_states.unmoved,
        fix=FixClass.SAFE,
        needs=(Need.STATUS, Need.DEPTHS),
        follows=("cluster-queue-get-disabled",),
    ),
    DoctorRule(
        id="messages-dead-lettered",
        severity=Severity.WARNING,
        condition="An error log of the last day says that messages of a channel went to a "
        "dead-letter queue (AMQ9544).",
        why="Their applications wait for them. Location 1 is the dead-letter queue of the queue "
        "manager that wrote it, location 2 that of its partner.",
        what_to_do="At the queue manager with that dead-letter queue: browse it. Each message has "
        "the reason in its header. Correct that, then run runmqdlq.",
        source="IBM MQ, AMQ9544; Working with dead-letter queues",
        check=failure_causes.dead_lettered,
    ),
    DoctorRule(
        id="stale-address",
        severity=Severity.WARNING,
        condition="A queue manager holds an address of another one that has a new one now, and its "
        "channel to the old one was seen RETRYING.",
        why="The channel calls a host that no longer answers until the new address arrives from a "
        "full repository.",
        what_to_do="Repair the channels between this queue manager and its full repositories, and "
        "those between the owner and its own: then the new address comes by itself.",
        source="IBM MQ, Moving a queue manager to another host",
        check=stale_addresses.stale,
        needs=(Need.RECORDS, Need.STATUS),
        follows=(
            "full-repositories-moved",
            "channel-retrying",
            "channel-stopped",
        ),
    ),
    DoctorRule(
        id="full-repositories-moved",
        severity=Severity.ERROR,
        condition="Two full repositories hold each other's old address, and their channels to "
        "these were seen RETRYING.",
        why="Each has to be told the new address of the other by the other, and cannot be reached.",
        what_to_do="At one of them, the manual CLUSSDR to the other must name the new address: "
        "ALTER CHANNEL(name) CHLTYPE(CLUSSDR) CONNAME('new host(port)') if it does not. If the "
        "channel runs then, no more is needed.",
        last="If it does not: DISPLAY CHSTATUS(*) INDOUBT there, and if nothing is in doubt demote "
        "it in every cluster (ALTER QMGR REPOS(' ') REPOSNL(' ')), REFRESH CLUSTER(*) REPOS(YES), "
        "and promote it again (ALTER QMGR REPOS(cluster), or REPOSNL).",
        source="IBM MQ, Two full repositories moved at the same time",
        check=stale_addresses.moved_together,
        needs=(Need.RECORDS,),
        needs_of_full=True,
    ),
    DoctorRule(
        id="repository-manager-idle",
        severity=Severity.WARNING,
        condition="At a member, SYSTEM.CLUSTER.REPOSITORY.QUEUE was seen empty, or nobody had "
        "SYSTEM.CLUSTER.COMMAND.QUEUE open, or the channel initiator did not run.",
        why="Its repository manager does not work: it learns nothing and publishes nothing, while "
        "all its channels may run.",
        what_to_do="At this queue manager: the error log (AMQ9448, on z/OS CSQX448E), and DISPLAY "
        "QSTATUS(SYSTEM.CLUSTER.*) CURDEPTH IPPROCS. If the repository manager does not run, "
        "restart the queue manager, on z/OS the channel initiator.",
        source="IBM MQ 9.1, Default cluster objects; What happens when a repository fails",
        check=system_queues.idle,
        needs=(Need.DEPTHS,),
        follows=("repository-manager-failing",),
    ),
)
