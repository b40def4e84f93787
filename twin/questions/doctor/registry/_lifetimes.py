"""Rules about what expires, and about repository managers."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import lifetimes, undefined_records
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Need

_RETAINING: Final = "IBM MQ 9.4, How long do the queue manager repositories retain information?"
_REFRESHING: Final = "IBM MQ 9.2, REFRESH CLUSTER; Clustering: Using REFRESH CLUSTER best practices"
_RECOVERING: Final = "IBM MQ 9.4, Changes to cluster error recovery on servers on Multiplatforms"

RULES: Final = (
    DoctorRule(
        id="record-overdue",
        severity=Severity.WARNING,
        condition="The record of a member was not renewed 27 days after its publication; info if "
        "the date of publication is assumed.",
        why="Its owner has ended or cannot reach the full repositories. The record expires in "
        "three days.",
        what_to_do="At its owner: check that the queue manager runs, and that its CLUSSDR to a "
        "full repository runs (DISPLAY CHSTATUS). START CHANNEL(name) if it is STOPPED. The queue "
        "manager then publishes by itself.",
        source="IBM PH34265 (AMQ9469); IBM MQ 9.4, How long do the queue manager repositories "
        "retain information?",
        check=lifetimes.overdue,
        follows=("queue-manager-name-duplicate",),
    ),
    DoctorRule(
        id="record-expired",
        severity=Severity.ERROR,
        condition="The record of a member has expired, 30 days after its publication; info if the "
        "date of publication is assumed.",
        why="Full repositories no longer give it to members that ask: an MQOPEN there ends with "
        "2085.",
        what_to_do="At its owner: check that the queue manager and its CLUSSDR to a full "
        "repository run. It then publishes by itself. If the owner is gone for ever, `twin runbook "
        "leave QM --lost --qmid QMID` shows how to remove it.",
        source=_RETAINING,
        check=lifetimes.expired,
        follows=("queue-manager-name-duplicate",),
    ),
    DoctorRule(
        id="record-removed-soon",
        severity=Severity.ERROR,
        condition="The record of a member will be removed within a week; info if the date of "
        "publication is assumed.",
        why="After that no member can send to its owner, and open handles end with 2041.",
        what_to_do="Before that day, at its owner: check that the queue manager and its CLUSSDR "
        "to a full repository run. It then publishes by itself. If the owner is gone for ever, "
        "nothing needs to be done.",
        source=_RETAINING,
        check=lifetimes.soon_removed,
        follows=("queue-manager-name-duplicate",),
    ),
    DoctorRule(
        id="member-dropped-out",
        severity=Severity.ERROR,
        condition="A member was started, and no full repository of its cluster holds its record.",
        why="Other members cannot send to it. It never reached a full repository, or did not "
        "reach one for 90 days.",
        what_to_do="At the member, DISPLAY CHSTATUS of its CLUSSDR to a full repository, and the "
        "error log, say why the channel does not run. Correct that, and START CHANNEL(name): the "
        "member joins again by itself.",
        source=_RETAINING,
        check=lifetimes.dropped_out,
        needs=(Need.RECORDS,),
        follows=(
            "cluster-sender-none",
            "cluster-sender-without-target",
            "cluster-sender-wrong-name",
            "cluster-sender-other-cluster",
            "cluster-sender-to-partial",
            "channel-retrying",
            "channel-stopped",
            "cluster-sender-never-connected",
        ),
    ),
    DoctorRule(
        id="repository-manager-failing",
        severity=Severity.ERROR,
        condition="An operation of a repository manager failed. It is tried again every 10 "
        "minutes.",
        why="After five days without success the queue manager ends (not on z/OS).",
        what_to_do="At this queue manager, AMQ9511 in the error log names the queue and the "
        "reason code. Correct the queue (space, GET, PUT, MAXDEPTH): the operation is tried again "
        "within 10 minutes.",
        source=_RECOVERING,
        check=lifetimes.repository_trouble,
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
        why="Operations that need storage fail until the queue manager is restarted.",
        what_to_do="Find out why its repository is so large: twin ask capacity --figure records.",
        last="Then, on the machine of this queue manager: endmqm, and strmqm.",
        source="IBM MQ, What happens when a repository fails",
        check=lifetimes.repository_storage,
    ),
    DoctorRule(
        id="refresh-repeated",
        severity=Severity.WARNING,
        condition="REFRESH CLUSTER was run more than once within 27 days at one queue manager.",
        why="Each run makes other queue managers publish all records again at once, and again "
        "every 27 days.",
        what_to_do="Do not run it again at this queue manager. `twin runbook refresh QM` says "
        "what is wrong, and what corrects it.",
        source=_REFRESHING,
        check=lifetimes.repeated_refresh,
    ),
    DoctorRule(
        id="refresh-on-full-repository",
        severity=Severity.WARNING,
        condition="REFRESH CLUSTER was run at a full repository within the last 27 days, or was "
        "refused there.",
        why="Members ask it for what it forgot. REPOS(YES) needs a queue manager that is no "
        "longer a full repository (AMQ9406).",
        what_to_do="Run it only at the partial repository that has the problem, and only if `twin "
        "runbook refresh QM` says so.",
        source=_REFRESHING,
        check=lifetimes.refreshed_full_repository,
    ),
    DoctorRule(
        id="restored-without-refresh",
        severity=Severity.ERROR,
        condition="A queue manager was restored to an earlier state, others hold what it published "
        "after that, and REFRESH CLUSTER was not run since. From level 940 on it is an info, on "
        "z/OS at 9.3 a warning.",
        why="Its sequence numbers went back, so other queue managers ignore what it publishes of "
        "these records. From 9.4 on it gives them new numbers when it starts.",
        what_to_do="`twin runbook refresh QM` for the restored queue manager says what is missing.",
        last="At the restored queue manager, once, when its channels run: DISPLAY CHSTATUS(*) "
        "INDOUBT, and if nothing is in doubt REFRESH CLUSTER(cluster) REPOS(NO). If it is a full "
        "repository, as that runbook says.",
        source="IBM MQ 8.0, Out of date information in a restored cluster; APAR PH58212",
        check=lifetimes.restored,
    ),
    DoctorRule(
        id="record-without-queue",
        severity=Severity.WARNING,
        condition="A full repository holds the record of a queue that its owner does not share, "
        "and the owner has not published a deletion.",
        why="Messages are sent to a queue that is not there. The record stays until 90 days after "
        "it was last renewed.",
        last="At the owner, for each of these queues: DEFINE QLOCAL(queue) CLUSTER(cluster), "
        "then DELETE QLOCAL(queue): this publishes the deletion.",
        source="IBM MQ 8.0, Out of date information in a restored cluster; 9.4, How long do the "
        "queue manager repositories retain information?",
        check=undefined_records.undefined_records,
        fix=FixClass.OWNER,
        follows=("restored-without-refresh",),
    ),
    DoctorRule(
        id="dates-in-future",
        severity=Severity.WARNING,
        condition="The CLUSDATE of a record is more than a day later than the instant that the "
        "doctor examines.",
        why="A wrong clock or time zone makes records look newer or older than they are.",
        what_to_do="On the machine of that queue manager: set the clock right. If it is right, "
        "import its answers again with their time zone (--tz).",
        source="IBM MQ 9.4, How long do the queue manager repositories retain information?",
        check=lifetimes.future_dates,
    ),
)
