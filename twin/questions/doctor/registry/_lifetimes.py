"""Rules about what expires, and about repository managers."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import lifetimes
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.rule import DoctorRule, Input, Need

_RETAINING: Final = "IBM MQ 9.4, How long do the queue manager repositories retain information?"
_REFRESHING: Final = "IBM MQ 9.2, REFRESH CLUSTER; Clustering: Using REFRESH CLUSTER best practices"
_RECOVERING: Final = "IBM MQ 9.4, Changes to cluster error recovery on servers on Multiplatforms"

RULES: Final = (
    DoctorRule(
        id="record-overdue",
        severity=Severity.WARNING,
        condition="The record of a member was not renewed 27 days after its publication; "
        "information if that date is assumed.",
        why="Its owner cannot reach the full repositories, or is down: in three days the record "
        "expires.",
        what_to_do="At its owner: see that it runs, and that its CLUSSDR to a full repository "
        "runs (DISPLAY CHSTATUS); START CHANNEL(name) if it is STOPPED. It then "
        "publishes by itself.",
        source="IBM PH34265 (AMQ9469); IBM MQ 9.4, How long do the queue manager repositories "
        "retain information?",
        check=lifetimes.overdue,
        inputs=Input.RECORDS,
        follows=("queue-manager-name-duplicate",),
    ),
    DoctorRule(
        id="record-expired",
        severity=Severity.ERROR,
        condition="The record of a member has expired, 30 days after its publication; "
        "information if that date is assumed.",
        why="Full repositories do not give it to members that ask: MQOPEN ends with 2085 there.",
        what_to_do="At its owner: see that it runs, and that its CLUSSDR to a full repository "
        "runs; it then publishes by itself. If it has gone for ever, `twin runbook "
        "leave QM --lost` shows how to remove it.",
        source=_RETAINING,
        check=lifetimes.expired,
        inputs=Input.RECORDS,
        follows=("queue-manager-name-duplicate",),
    ),
    DoctorRule(
        id="record-removed-soon",
        severity=Severity.ERROR,
        condition="The record of a member is removed within a week; information if that date is "
        "assumed.",
        why="Then nobody can send to it, and handles that are open end with 2041.",
        what_to_do="Before that day, at its owner: see that it runs, and that its CLUSSDR to a "
        "full repository runs; it then publishes by itself. If it has gone for ever, "
        "nothing needs to be done.",
        source=_RETAINING,
        check=lifetimes.soon_removed,
        inputs=Input.RECORDS,
        follows=("queue-manager-name-duplicate",),
    ),
    DoctorRule(
        id="member-dropped-out",
        severity=Severity.ERROR,
        condition="No full repository of a cluster holds a record of a member that was started.",
        why="Nobody can send to it: it never reached a full repository, or was away for 90 days.",
        what_to_do="At the member: DISPLAY CHSTATUS of its CLUSSDR to a full repository, and the "
        "error log, say why it does not run. Mend that and START CHANNEL(name): it "
        "joins again by itself.",
        source=_RETAINING,
        check=lifetimes.dropped_out,
        inputs=Input.RECORDS | Input.CHANNELS | Input.QMGR | Input.STATUS,
        needs=(Need.RECORDS,),
        follows=(
            "cluster-sender-none",
            "cluster-sender-without-target",
            "cluster-sender-wrong-name",
            "cluster-sender-other-cluster",
            "cluster-sender-to-partial",
            "cluster-sender-never-connected",
            "channel-retrying",
            "channel-stopped",
        ),
    ),
    DoctorRule(
        id="repository-manager-failing",
        severity=Severity.ERROR,
        condition="An operation of a repository manager failed and is tried again every 10 "
        "minutes.",
        why="After five days without success the queue manager ends (not on z/OS).",
        what_to_do="At this queue manager: AMQ9511 in the error log names the queue and the "
        "reason code. Mend the queue (space, GET, PUT, MAXDEPTH): the operation is "
        "tried again within 10 minutes.",
        source=_RECOVERING,
        check=lifetimes.repository_trouble,
        inputs=Input.STATUS | Input.QUEUES,
        follows=(
            "system-queue-usage",
            "cluster-queue-put-disabled",
            "cluster-queue-get-disabled",
            "queue-full",
        ),
    ),
    DoctorRule(
        id="repository-out-of-storage",
        severity=Severity.ERROR,
        condition="A repository ran out of storage.",
        why="What needs storage fails until the queue manager is started again.",
        what_to_do="On the machine of this queue manager: endmqm, then strmqm. Then see why its "
        "repository is that large: twin ask capacity --figure records.",
        source="IBM MQ, What happens when a repository fails",
        check=lifetimes.repository_storage,
        inputs=Input.STATUS,
    ),
    DoctorRule(
        id="refresh-repeated",
        severity=Severity.WARNING,
        condition="REFRESH CLUSTER was run more than once within 27 days at one queue manager.",
        why="Each makes everything be published again at once, and again every 27 days.",
        what_to_do="Do not run it again at this queue manager. `twin runbook refresh QM` says "
        "what is wrong, and what mends it.",
        source=_REFRESHING,
        check=lifetimes.repeated_refresh,
        inputs=Input.OTHER,
    ),
    DoctorRule(
        id="refresh-on-full-repository",
        severity=Severity.WARNING,
        condition="REFRESH CLUSTER was run at a full repository within 27 days, also if it was "
        "refused.",
        why="Every member of the cluster takes part; REPOS(YES) needs REPOS to be taken off "
        "first (AMQ9406).",
        what_to_do="Run it only at the partial repository that has the problem, if at all: `twin "
        "runbook refresh QM` says whether.",
        source=_REFRESHING,
        check=lifetimes.refreshed_full_repository,
        inputs=Input.OTHER | Input.QMGR,
    ),
    DoctorRule(
        id="restored-without-refresh",
        severity=Severity.ERROR,
        condition="A queue manager was restored to an earlier state and not refreshed since.",
        why="Its sequence numbers went back, so that others ignore what it publishes.",
        what_to_do="At the restored queue manager, once, when its channels run: REFRESH "
        "CLUSTER(cluster) REPOS(NO); at a full repository as `twin runbook refresh "
        "QM` says.",
        source="IBM MQ 8.0, Out of date information in a restored cluster",
        check=lifetimes.restored,
        inputs=Input.RECORDS,
    ),
    DoctorRule(
        id="dates-in-future",
        severity=Severity.WARNING,
        condition="The CLUSDATE of a record lies more than a day after the instant of the "
        "examination.",
        why="A wrong clock or zone makes records look newer or older than they are.",
        what_to_do="On the machine of that queue manager: set the clock right. If it is right, "
        "import its answers again with their time zone (--tz).",
        source="IBM MQ 9.4, How long do the queue manager repositories retain information?",
        check=lifetimes.future_dates,
        inputs=Input.RECORDS,
    ),
)
