"""Rules about workload balancing."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import ended_instances, ranks, suspensions, workload
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule

_QUEUE: Final = "IBM MQ 9.2, Cluster workload balancing - queue attributes"
_QMGR: Final = "IBM MQ 9.2, Cluster workload balancing - queue manager attributes"
_ORDER: Final = "IBM MQ 9.2, The cluster workload management algorithm"
_SUSPEND: Final = "IBM MQ 9.2, SUSPEND QMGR, RESUME QMGR and clusters"

RULES: Final = (
    DoctorRule(
        id="weights-with-shared-channels",
        severity=Severity.WARNING,
        condition="A channel that has a CLWLWGHT other than 50 is used by several queues with "
        "several instances.",
        why="CLWLWGHT belongs to the channel: the choice for one queue also depends on how often "
        "the channel was chosen for the other queues.",
        what_to_do="Either at all owners: ALTER CHANNEL(name) CHLTYPE(CLUSRCVR) CLWLWGHT(50); or "
        "give the queues that need weights an overlapping cluster with CLUSRCVRs of "
        "its own.",
        source="IBM MQ 8.0, CLWLWGHT channel attribute",
        attributes=("CLWLWGHT",),
        check=workload.weights,
    ),
    DoctorRule(
        id="alias-ignores-clwluseq",
        severity=Severity.WARNING,
        condition="A queue has CLWLUSEQ and is reached through a shared alias with several "
        "instances.",
        why="The CLWLUSEQ of an alias's target has no effect on the choice of a destination.",
        source=_QUEUE,
        attributes=("CLWLUSEQ",),
        check=workload.alias_use_queue,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="instances-differ",
        severity=Severity.WARNING,
        condition="Instances of a queue differ in DEFPRTY, DEFPSIST, DEFPRESP or DEFBIND.",
        why="An application gets the values of the instance that its queue manager finds "
        "(AMQ9407).",
        source="IBM MQ, AMQ9407 (CSQX407I)",
        attributes=("DEFPRTY", "DEFPSIST", "DEFPRESP", "DEFBIND"),
        check=workload.differing_instances,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="rank-for-failover",
        severity=Severity.WARNING,
        condition="CLWLRANK differs between the instances of a queue.",
        why="Rank is compared before SUSPEND and before the status of channels: messages wait for "
        "the instance with the highest rank although others run. The commands give all instances "
        "priorities in the same order, and CLWLUSEQ(ANY) to those that take no local puts today "
        "because of their rank.",
        what_to_do="If CLWLRANK or CLWLPRTY of the CLUSRCVRs differ, priorities of this queue "
        "alone may not keep the order. Decide for all queues of the cluster: at all owners, ALTER "
        "CHANNEL(name) CHLTYPE(CLUSRCVR) CLWLRANK(0) CLWLPRTY(0), then CLWLRANK(0) and CLWLPRTY "
        "at the queues.",
        source="IBM MQ 9.2, Cluster workload balancing - channel attributes",
        attributes=("CLWLRANK",),
        check=ranks.ranks,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="high-rank-put-disabled",
        severity=Severity.ERROR,
        condition="All instances with the highest CLWLRANK are put-disabled, and others are not.",
        why="Since MQ 8.0 rank is compared before PUT, so a put ends with 2268.",
        source=_ORDER,
        attributes=("PUT",),
        check=workload.high_rank_disabled,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="all-instances-put-disabled",
        severity=Severity.ERROR,
        condition="All instances of a cluster queue are put-disabled.",
        why="No application can put: 2268, or 2051.",
        source=_ORDER,
        attributes=("PUT",),
        check=workload.all_disabled,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="all-instances-ended",
        severity=Severity.ERROR,
        condition="All instances of a queue are at ended or deleted queue managers, while another "
        "member runs.",
        why="Messages wait on the transmission queues of their senders until an instance runs. "
        "After 30 days full repositories answer nobody with its record; after 90 days the record "
        "is removed. Without it, a put ends with 2085.",
        what_to_do="On the machine of an owner: strmqm. If it was deleted: DEFINE QLOCAL(name) "
        "CLUSTER(cluster) at another member, or take the queue out of use.",
        source=_ORDER,
        check=ended_instances.all_ended,
    ),
    DoctorRule(
        id="all-instances-suspended",
        severity=Severity.WARNING,
        condition="All instances of a queue are at suspended queue managers.",
        why="SUSPEND only asks other queue managers to avoid this one. If there is no other "
        "instance, messages still go there. MODE(FORCE) stops its CLUSRCVRs: messages wait until "
        "the queue manager is resumed in each cluster of the CLUSRCVR and channels try again.",
        source=_SUSPEND,
        check=suspensions.all_suspended,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="suspended-long",
        severity=Severity.WARNING,
        condition="A queue manager has been suspended for more than a week.",
        why="Somebody may have forgotten RESUME QMGR. Other queue managers avoid it.",
        source=_SUSPEND,
        check=suspensions.long_suspended,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="single-instance",
        severity=Severity.INFO,
        condition="One finding for each cluster: its queues with one instance.",
        why="If the queue manager of the instance is lost, messages wait. This is often intended.",
        what_to_do="If a queue must stay available: DEFINE QLOCAL(name) CLUSTER(cluster) at a "
        "second member, with the same attributes. Use DEFBIND(NOTFIXED) at both if messages need "
        "not stay together.",
        source=_QUEUE,
        check=workload.single_instances,
    ),
    DoctorRule(
        id="clwlmruc-below-instances",
        severity=Severity.WARNING,
        condition="CLWLMRUC is less than the number of routes to a queue.",
        why="Only the most recently used channels are chosen. The other instances get no messages.",
        source=_QMGR,
        attributes=("CLWLMRUC",),
        check=workload.recently_used,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="workload-exit",
        severity=Severity.INFO,
        condition="A queue manager has a workload exit (CLWLEXIT).",
        why="The exit can change every choice, so answers about routes are not reliable.",
        what_to_do="Compare the routes with what the exit does. If it is no longer needed, at its "
        "queue manager: ALTER QMGR CLWLEXIT(' ').",
        source="IBM MQ 9.2, Writing and compiling cluster workload exits",
        attributes=("CLWLEXIT",),
        check=workload.exits,
    ),
    DoctorRule(
        id="publish-subscribe-disabled",
        severity=Severity.ERROR,
        condition="A member has PSCLUS(DISABLED), and topics are shared in its cluster.",
        why="It refuses the publications and subscriptions of the cluster.",
        source="IBM MQ, ALTER QMGR (PSCLUS)",
        attributes=("PSCLUS",),
        check=workload.disabled_publish,
        fix=FixClass.OWNER,
    ),
)
