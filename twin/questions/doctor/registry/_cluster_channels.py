"""Rules about manual CLUSSDRs and CLUSRCVRs."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import cluster_receivers as receivers
from twin.questions.doctor.checks import cluster_senders as senders
from twin.questions.doctor.checks import sender_targets
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Effective, Need

_JOINING: Final = "IBM MQ, Adding a queue manager to a cluster"
_SENDERS: Final = "IBM MQ, Cluster channels; Components of a cluster"
_PAIRED: Final = "IBM MQ, Troubleshooting queue manager cluster problems"
_CONNAME: Final = "IBM MQ, Connection name (CONNAME)"
_LISTENER: Final = "IBM MQ, DEFINE LISTENER (CONTROL, PORT)"

RULES: Final = (
    DoctorRule(
        id="cluster-sender-none",
        severity=Severity.ERROR,
        condition="A partial repository has no manual CLUSSDR in its cluster.",
        why="A member joins a cluster over one manual CLUSSDR to a full repository; MQ makes all "
        "other CLUSSDRs automatically.",
        what_to_do="At the member: DEFINE CHANNEL(name) CHLTYPE(CLUSSDR) CLUSTER(cluster), with "
        "the name and the CONNAME of the CLUSRCVR of a full repository.",
        source=_JOINING,
        check=senders.none,
        fix=FixClass.SAFE,
        follows=("full-repositories-none", "cluster-sender-other-cluster"),
    ),
    DoctorRule(
        id="cluster-sender-several",
        severity=Severity.INFO,
        condition="A partial repository has more than two manual CLUSSDRs.",
        why="One is enough to join. If a full repository moves, you have to change each further "
        "one.",
        what_to_do="At the partial repository, keep one or two that lead to full repositories.",
        last="For each other one: STOP CHANNEL(name) STATUS(INACTIVE), DISPLAY CHSTATUS(name) "
        "INDOUBT, and if nothing is in doubt DELETE CHANNEL(name). The auto-defined CLUSSDR of the "
        "same name inherits the status.",
        source=_JOINING,
        check=senders.several,
    ),
    DoctorRule(
        id="cluster-sender-to-partial",
        severity=Severity.ERROR,
        condition="A manual CLUSSDR leads to a queue manager that is not a full repository; a "
        "warning if the attributes of that queue manager are unknown.",
        why="The target does not store what is published over the channel (AMQ9427, AMQ9428).",
        what_to_do="At the member: DEFINE CHANNEL(name) CHLTYPE(CLUSSDR) to the CLUSRCVR of a "
        "full repository.",
        last="When the new channel runs: DISPLAY CHSTATUS(name) INDOUBT of this one, and if "
        "nothing is in doubt DELETE CHANNEL(name).",
        source=_SENDERS,
        check=sender_targets.to_partial,
        fix=FixClass.OWNER,
        follows=("full-repository-without-receiver",),
    ),
    DoctorRule(
        id="cluster-sender-without-target",
        severity=Severity.ERROR,
        condition="No CLUSRCVR of the cluster has the name or the address of a manual CLUSSDR; "
        "info if its queue manager was imported, because the target may not be in the log (but not "
        "if it was deleted).",
        why="The channel can never start.",
        what_to_do="At the member: compare the channel with DISPLAY CHANNEL(*) CHLTYPE(CLUSRCVR) "
        "at the full repository, and define it again with that name and CONNAME. If the full "
        "repository was not imported, import it.",
        source=_PAIRED,
        attributes=("CONNAME", "CLUSTER", "CLUSNL"),
        check=sender_targets.without_target,
        fix=FixClass.OWNER,
        follows=("full-repository-without-receiver",),
    ),
    DoctorRule(
        id="cluster-sender-wrong-name",
        severity=Severity.ERROR,
        condition="A manual CLUSSDR has the address of a CLUSRCVR that has another name.",
        why="Both ends of a channel must have the same name. The other end answers AMQ9519, and "
        "the channel retries for ever (AMQ9520).",
        source=_PAIRED,
        attributes=("CONNAME",),
        check=sender_targets.wrong_name,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="cluster-sender-wrong-address",
        severity=Severity.ERROR,
        condition="The CONNAME of a manual CLUSSDR differs from that of the CLUSRCVR with its "
        "name: an error if it is the CONNAME of another member, info if only the host differs.",
        why="Until the CLUSRCVR is known, and after REFRESH CLUSTER REPOS(YES), the channel uses "
        "this address.",
        source=_CONNAME,
        attributes=("CONNAME",),
        check=sender_targets.wrong_address,
        fix=FixClass.OWNER,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="cluster-sender-other-cluster",
        severity=Severity.ERROR,
        condition="The CLUSSDR and the CLUSRCVR of one channel name are in different clusters.",
        why="Each end ignores the cluster of the other (AMQ9433).",
        what_to_do="At the member: ALTER CHANNEL(name) CHLTYPE(CLUSSDR) CLUSTER(...) with the "
        "cluster of the CLUSRCVR. If the CLUSRCVR is wrong, alter it at its owner.",
        source=_SENDERS,
        attributes=("CLUSTER", "CLUSNL"),
        check=sender_targets.other_cluster,
        fix=FixClass.OWNER,
    ),
    DoctorRule(
        id="cluster-sender-to-itself",
        severity=Severity.WARNING,
        condition="A manual CLUSSDR has the address of its own queue manager.",
        why="It connects a queue manager with itself. The usual cause is a copied script.",
        source=_SENDERS,
        attributes=("CONNAME",),
        check=sender_targets.to_itself,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="cluster-sender-workload-attributes",
        severity=Severity.WARNING,
        condition="A manual CLUSSDR has CLWLRANK, CLWLPRTY or CLWLWGHT.",
        why="They have no effect there: the workload algorithm uses the values of the CLUSRCVR at "
        "the target.",
        source="IBM MQ 9.2, Cluster workload balancing - channel attributes",
        attributes=("CLWLRANK", "CLWLPRTY", "CLWLWGHT"),
        check=senders.workload_attributes,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="cluster-sender-without-receiver",
        severity=Severity.ERROR,
        condition="A queue manager has a manual CLUSSDR and no CLUSRCVR in the cluster.",
        why="It does not join: no other member can send to it (AMQ9419).",
        what_to_do="At the member: DEFINE CHANNEL(name) CHLTYPE(CLUSRCVR) CONNAME('its own "
        "host(port)') CLUSTER(cluster).",
        source=_JOINING,
        attributes=("CLUSTER", "CLUSNL"),
        check=senders.without_receiver,
        fix=FixClass.OWNER,
        follows=("cluster-one-member", "cluster-namelist", "cluster-sender-other-cluster"),
    ),
    DoctorRule(
        id="cluster-sender-addresses-differ",
        severity=Severity.WARNING,
        condition="Members define one CLUSSDR with different addresses, and its CLUSRCVR is "
        "unknown.",
        why="The usual cause is a full repository that was moved, and only some members were told.",
        what_to_do="Ask the owner of the CLUSRCVR for its CONNAME. At each member with another "
        "CONNAME: ALTER CHANNEL(name) CHLTYPE(CLUSSDR) CONNAME('host(port)').",
        source=_CONNAME,
        attributes=("CONNAME",),
        check=senders.addresses_differ,
    ),
    DoctorRule(
        id="cluster-sender-never-connected",
        severity=Severity.WARNING,
        condition="A queue manager holds the full repository of a manual CLUSSDR as "
        "SYSTEM.TEMPQMGR: its real name is unknown.",
        why="The channel has never reached its full repository, so nothing was published over it.",
        what_to_do="At the member, DISPLAY CHSTATUS(name) ALL and the error logs of both ends say "
        "why the channel does not run: CONNAME, listener, TLS or channel authentication. Correct "
        "that, then START CHANNEL(name).",
        source="IBM MQ 9.0, DISPLAY CLUSQMGR shows CLUSQMGR names starting SYSTEM.TEMP",
        attributes=("CONNAME",),
        check=senders.never_connected,
        needs=(Need.RECORDS,),
        follows=(
            "cluster-sender-without-target",
            "cluster-sender-wrong-name",
            "cluster-sender-other-cluster",
            "cluster-sender-to-partial",
            "full-repositories-none",
        ),
    ),
    DoctorRule(
        id="cluster-receiver-name-duplicate",
        severity=Severity.ERROR,
        condition="Two members of a cluster have a CLUSRCVR of the same name.",
        why="In every repository, the records of one silently replace those of the other.",
        what_to_do="At one of the two: define a CLUSRCVR with another name. When the other "
        "members have learnt it, stop and delete the old one.",
        source="IBM PH65188; IBM MQ 8.0, Cluster naming conventions",
        attributes=("CLUSTER", "CLUSNL"),
        check=receivers.duplicate_names,
        fix=FixClass.OWNER,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="cluster-receiver-address-shared",
        severity=Severity.ERROR,
        condition="Two members of a cluster have the same host and port in their CLUSRCVRs.",
        why="Channels to one of them reach the other and fail, or deliver to the wrong place.",
        what_to_do="Find which of the two listens there. At the other: ALTER CHANNEL(name) "
        "CHLTYPE(CLUSRCVR) CONNAME('its own host(port)').",
        source=_CONNAME,
        attributes=("CONNAME",),
        check=receivers.shared_address,
    ),
    DoctorRule(
        id="cluster-receiver-localhost",
        severity=Severity.ERROR,
        condition="A CLUSRCVR has localhost as CONNAME, unless all members do, with different "
        "ports.",
        why="Other members use this address to connect. On their own machines, it leads to "
        "themselves.",
        what_to_do="At its owner: ALTER CHANNEL(name) CHLTYPE(CLUSRCVR) CONNAME('host(port)'), "
        "with a host name that all members resolve to this machine.",
        source=_CONNAME,
        attributes=("CONNAME",),
        check=receivers.local_address,
    ),
    DoctorRule(
        id="cluster-receiver-container-address",
        severity=Severity.INFO,
        condition="The CONNAME of a CLUSRCVR looks like the address of a container.",
        why="A guess: such an address changes when the container restarts, and other members keep "
        "the old one.",
        what_to_do="At its owner: ALTER CHANNEL(name) CHLTYPE(CLUSRCVR) CONNAME('host(port)'), "
        "with the name of the service or load balancer in front of the container.",
        source=_CONNAME,
        attributes=("CONNAME",),
        check=receivers.container_address,
    ),
    DoctorRule(
        id="cluster-receiver-conname-blank",
        severity=Severity.INFO,
        condition="A CLUSRCVR has no CONNAME.",
        why="The queue manager publishes the address of its machine, with port 1414.",
        what_to_do="If the machine has several addresses or the listener another port, at its "
        "owner: ALTER CHANNEL(name) CHLTYPE(CLUSRCVR) CONNAME('host(port)').",
        source="IBM MQ, DEFINE CHANNEL (CONNAME of a cluster-receiver)",
        attributes=("CONNAME",),
        check=receivers.blank_address,
    ),
    DoctorRule(
        id="cluster-receiver-port",
        severity=Severity.ERROR,
        condition="No listener of a queue manager has the port in the CONNAME of its CLUSRCVR "
        "(1414 if it has none); info if the CONNAME has a port, because a container or a firewall "
        "may map it.",
        why="All members connect to a port at which nobody listens (AMQ9202).",
        what_to_do="At its owner: DISPLAY LSSTATUS(*) PORT shows the port of the listener. If "
        "members reach it by another port, nothing needs to be done. Otherwise alter the CONNAME "
        "of the CLUSRCVR.",
        source=_CONNAME,
        attributes=("CONNAME", "PORT"),
        check=receivers.wrong_port,
        fix=FixClass.SAFE,
        effective=Effective.CHANNEL,
    ),
    DoctorRule(
        id="listener-manual",
        severity=Severity.WARNING,
        condition="A member has listeners, and none starts with the queue manager.",
        why="After a restart of the queue manager all channels to it fail (AMQ9202).",
        what_to_do="At the member: ALTER LISTENER(name) TRPTYPE(TCP) CONTROL(QMGR).",
        source=_LISTENER,
        attributes=("CONTROL",),
        check=receivers.manual_listener,
        fix=FixClass.SAFE,
        effective=Effective.QMGR,
    ),
    DoctorRule(
        id="listener-absent",
        severity=Severity.INFO,
        condition="Members have no listener definition, and no listener runs there: one finding "
        "for all of them.",
        why="Channels reach such a member only if something else starts runmqlsr.",
        what_to_do="At each of them: DEFINE LISTENER(name) TRPTYPE(TCP) PORT(port) "
        "CONTROL(QMGR), then START LISTENER(name). Accept it where inetd, systemd or "
        "a container starts runmqlsr.",
        source=_LISTENER,
        check=receivers.no_listener,
        needs=(Need.LISTENERS,),
    ),
    DoctorRule(
        id="cluster-receiver-stopped",
        severity=Severity.ERROR,
        condition="A CLUSRCVR is STOPPED; info while its queue manager is suspended.",
        why="Every channel to this queue manager fails at every retry (AMQ9558).",
        source="IBM MQ 9.1, Stopping a channel",
        check=receivers.stopped,
        fix=FixClass.OWNER,
        needs=(Need.STATUS,),
    ),
    DoctorRule(
        id="queue-manager-name-duplicate",
        severity=Severity.ERROR,
        condition="Repositories hold two QMIDs with one queue manager name.",
        why="A queue manager was deleted without leaving the cluster, or two queue managers have "
        "one name. Messages are sent to both.",
        what_to_do="DISPLAY QMGR QMID at each machine that has a queue manager of this name shows "
        "which QMIDs exist. If both run, build one again under another name.",
        last="The one that was deleted: at a full repository, RESET CLUSTER(cluster) "
        "ACTION(FORCEREMOVE) QMID(qmid) QUEUES(YES).",
        source="IBM MQ 9.4, Overlapping clusters; IBM MQ 9.2, RESET CLUSTER (QMID)",
        check=receivers.duplicate_qmgr_names,
        needs=(Need.RECORDS,),
    ),
    DoctorRule(
        id="qmid-at-two-addresses",
        severity=Severity.ERROR,
        condition="For more than an hour, full repositories, or a full repository and the queue "
        "manager itself, have different addresses of one QMID.",
        why="A copy of the queue manager (a cloned machine, a restored backup) is running. The "
        "records of the copy and of the original replace each other.",
        what_to_do="DISPLAY QMGR QMID at both addresses shows whether a copy runs there, or "
        "whether one of the addresses is out of date. `twin runbook dr-test` shows how to test a "
        "copy.",
        source="IBM MQ, DISPLAY CLUSQMGR (QMID)",
        check=receivers.qmid_at_two_addresses,
        needs=(Need.RECORDS,),
    ),
)
