"""Rules about queues, aliases and namelists."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import gateways, left_clusters, queues, system_queues
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Need

_RESOLVING: Final = "IBM MQ, Queue name resolution"
_ALIAS: Final = "IBM MQ, Messages put to a cluster alias queue go to SYSTEM.DEAD.LETTER.QUEUE"
_DEPTH: Final = "IBM MQ, API reason codes (2053); QDEPTHHI"

RULES: Final = (
    DoctorRule(
        id="shared-object-without-receiver",
        severity=Severity.ERROR,
        condition="A queue or topic names a cluster in which its queue manager has no CLUSRCVR.",
        why="It is not published, so no other member learns of it.",
        what_to_do="At the queue manager: DEFINE CHANNEL(name) CHLTYPE(CLUSRCVR) "
        "CLUSTER(cluster) and a CLUSSDR to a full repository; or take the object out "
        "of the cluster: ALTER, with CLUSTER(' ').",
        source="IBM MQ 9.2, Queue definition commands",
        attributes=("CLUSTER", "CLUSNL"),
        check=queues.without_receiver,
        fix=FixClass.OWNER,
        follows=(
            "cluster-one-member",
            "cluster-sender-without-receiver",
            "full-repository-without-receiver",
        ),
    ),
    DoctorRule(
        id="cluster-namelist",
        severity=Severity.ERROR,
        condition="CLUSNL or REPOSNL names a namelist that is missing or empty.",
        why="An object that uses the namelist is in no cluster.",
        what_to_do="At the queue manager: DEFINE NAMELIST(name) NAMES(cluster,...); if it "
        "exists, ALTER NAMELIST.",
        source="IBM MQ, Cluster namelists",
        attributes=("NAMES", "CLUSNL", "REPOSNL"),
        fix=FixClass.OWNER,
        check=queues.namelists,
    ),
    DoctorRule(
        id="cluster-one-member",
        severity=Severity.WARNING,
        condition="A cluster has one member, and another cluster has almost the same name; an "
        "error if its CLUSSDR is in it, too, and so reaches no member; info if no other name is "
        "similar.",
        why="A misspelt CLUSTER makes a separate cluster, without any message.",
        what_to_do="If the name is misspelt, alter CLUSTER of the CLUSRCVR, of the CLUSSDR and of "
        "the queues at this member. If it is right, add a member, or remove CLUSTER from these "
        "objects.",
        source="IBM MQ, Components of a cluster",
        attributes=("CLUSTER", "CLUSNL"),
        check=queues.one_member,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="default-object-in-cluster",
        severity=Severity.ERROR,
        condition="A default object (SYSTEM.DEF., SYSTEM.DEFAULT.) has CLUSTER or CLUSNL.",
        why="Every object that is defined later without these attributes is shared in the cluster.",
        source="IBM MQ 9.1, Default cluster objects; DEFINE queues (LIKE)",
        attributes=("CLUSTER", "CLUSNL"),
        check=queues.default_objects,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="alias-to-nothing",
        severity=Severity.ERROR,
        condition="The TARGET of an alias is an alias there, or exists neither at its queue "
        "manager nor in a cluster of this; a warning if not all definitions are known, info if a "
        "member of a cluster was not imported, which may have it.",
        why="MQOPEN ends with 2082 UNKNOWN_ALIAS_BASE_Q, or 2001 ALIAS_BASE_Q_TYPE_ERROR.",
        what_to_do="At the queue manager of the alias: define the target, or ALTER QALIAS(name) "
        "TARGET(queue). If the target is at a queue manager that was not imported, import it.",
        source=_RESOLVING,
        attributes=("TARGET",),
        check=queues.alias_targets,
        follows=("channel-retrying", "channel-stopped", "channel-starting"),
    ),
    DoctorRule(
        id="undefined-reference",
        severity=Severity.ERROR,
        condition="A remote queue names an XMITQ that is no transmission queue, so MQOPEN fails; a "
        "warning if a definition names a process, queue or queue manager that no definition has; "
        "info if a queue manager that was not imported may have it.",
        why="The first use fails: 2085, 2087, 2196, or no trigger.",
        what_to_do="At the queue manager of the definition: define what it names, or alter the "
        "definition. A process or a queue, such as an XMITQ, must be at that queue manager itself. "
        "If RQMNAME names a queue manager that was not imported, import it.",
        source=_RESOLVING,
        attributes=("PROCESS", "INITQ", "XMITQ", "RQMNAME"),
        check=queues.undefined,
    ),
    DoctorRule(
        id="remote-queue-to-nothing",
        severity=Severity.ERROR,
        condition="RNAME of a remote queue names a queue that is not at the queue manager of "
        "RQMNAME, or an alias there whose target is elsewhere; a warning if not all queues of that "
        "queue manager are known. Or RNAME is given, and RQMNAME is blank.",
        why="A message that names a queue manager finds there only what that has itself; if it "
        "comes by an XMITQ, an alias there leads on. Puts "
        "work, but at RQMNAME the message goes to the dead-letter queue: with 2085, or with 2082 "
        "for an alias. If RQMNAME is blank, MQOPEN ends with 2087.",
        what_to_do="Let RNAME and RQMNAME of the remote queue name the queue and the queue manager "
        "that has it. Or, at the queue manager of RQMNAME, define a queue RNAME; if that is an "
        "alias there, replace it by a remote queue that names the target and its queue manager.",
        source=f"{_ALIAS}; Queue name resolution; API reason codes (2087)",
        attributes=("RNAME", "RQMNAME", "TARGET"),
        check=gateways.remote_targets,
        follows=("alias-to-nothing",),
    ),
    DoctorRule(
        id="default-transmission-queue",
        severity=Severity.ERROR,
        condition="DEFXMITQ names a queue that does not exist or is not a transmission queue.",
        why="Messages for queue managers without another route end with 2197 or 2199.",
        source="IBM MQ, ALTER QMGR (DEFXMITQ)",
        attributes=("DEFXMITQ",),
        check=queues.default_transmission_queue,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="alias-bound-elsewhere",
        severity=Severity.ERROR,
        condition="A shared alias has DEFBIND(OPEN), and its target is at another queue manager.",
        why="A message that is bound on open names the queue manager of the alias. The target is "
        "not there, so the message goes to its dead-letter queue with 2082.",
        source=_ALIAS,
        attributes=("DEFBIND",),
        check=gateways.bound_aliases,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="cluster-queue-hidden",
        severity=Severity.WARNING,
        condition="A local queue has the name of a cluster queue and is not in the cluster; info "
        "for an alias or a remote queue, which is often intended.",
        why="Applications of this queue manager use the local object, so their messages stay here "
        "and no other instance gets any.",
        what_to_do="At this queue manager: if it is to be one more instance, ALTER "
        "QLOCAL(name) CLUSTER(cluster).",
        last="If applications are to use the cluster queue, empty the local one and DELETE "
        "QLOCAL(name).",
        source=_RESOLVING,
        attributes=("CLUSTER", "CLUSNL"),
        check=queues.shadows,
    ),
    DoctorRule(
        id="queue-full",
        severity=Severity.ERROR,
        condition="A queue has MAXDEPTH messages.",
        why="A put ends with 2053. A message that arrives goes to the dead-letter queue, or stops "
        "its channel.",
        what_to_do="At the queue manager, DISPLAY QSTATUS(name) IPPROCS shows whether an "
        "application gets from the queue. Start that application, or raise MAXDEPTH.",
        source=_DEPTH,
        attributes=("MAXDEPTH",),
        check=system_queues.full,
        fix=FixClass.OWNER,
        needs=(Need.DEPTHS,),
    ),
    DoctorRule(
        id="queue-nearly-full",
        severity=Severity.WARNING,
        condition="A queue has 80 percent of MAXDEPTH or more.",
        why="It will soon be full.",
        what_to_do="At the queue manager, DISPLAY QSTATUS(name) IPPROCS shows whether an "
        "application gets from the queue. Start that application, or raise MAXDEPTH.",
        source=_DEPTH,
        attributes=("MAXDEPTH",),
        check=system_queues.nearly_full,
        fix=FixClass.OWNER,
        needs=(Need.DEPTHS,),
    ),
    DoctorRule(
        id="gateway-loop",
        severity=Severity.ERROR,
        condition="Remote queues, aliases or queue manager aliases form a loop, at one queue "
        "manager or over several, and no way leads out of it.",
        why="Over several queue managers messages circulate for ever: MQ does not limit how often "
        "they are forwarded. Those that are bound on open to an alias whose target is elsewhere "
        "end there with 2082. At one queue manager MQOPEN fails.",
        what_to_do="At one of these queue managers: alter RNAME or RQMNAME of the remote queue, "
        "or TARGET of the alias, so that it names the queue that is to get the messages.",
        source="IBM MQ, Queue manager aliases and clusters; Queue name resolution",
        attributes=("RNAME", "RQMNAME", "TARGET", "XMITQ"),
        check=gateways.gateway_loops,
    ),
    DoctorRule(
        id="left-cluster-used",
        severity=Severity.ERROR,
        condition="A queue manager has left a cluster, and messages wait at it for members of the "
        "cluster; a warning if only aliases or remote queues lead into it.",
        why="For up to 90 days names of the cluster still resolve, so puts succeed, but nothing is "
        "sent. Without a record, they end with 2082, 2085 or 2087.",
        what_to_do="At the queue manager: stop the applications, delete the definitions or alter "
        "their targets, and get the messages that wait with a program. If it was not to leave, "
        "ALTER CHANNEL(name) CHLTYPE(CLUSRCVR) CLUSTER(cluster): the messages then go.",
        last="If it was to leave, and nothing waits: DISPLAY CHSTATUS(*) INDOUBT, and if nothing "
        "is in doubt REFRESH CLUSTER(cluster) REPOS(YES).",
        source="IBM MQ 9.4, Restoring a queue manager to its pre-cluster state",
        attributes=("RNAME", "RQMNAME", "TARGET"),
        check=left_clusters.still_used,
    ),
)
