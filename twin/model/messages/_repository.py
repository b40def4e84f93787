"""Messages of the repository manager, about clusters.

Source of the numbers and meanings: domain facts on repository messages, from public error logs, a
public catalogue of log patterns and IBM's page on PH34265.
"""

from __future__ import annotations

from typing import Final

from twin.model.messages._row import DOC, LOG, OLD_TEXTS, MessageRow

_RETAIN: Final = 'IBM MQ 9.4, "How long do the queue manager repositories retain information?"'
_RESET: Final = 'IBM MQ 9.2, "RESET CLUSTER"'
_REFRESH: Final = 'IBM MQ 9.2, "REFRESH CLUSTER"'
_SUSPEND: Final = 'IBM MQ 9.2, "SUSPEND QMGR, RESUME QMGR and clusters"'
ERRORS_OF_REPOSITORY: Final = 'IBM MQ 9.2, "Cluster error recovery"'
_OVERDUE: Final = f"APAR PH34265; {_RETAIN}"
_SENDERS: Final = (
    "DISPLAY CHSTATUS(*) STATUS INDOUBT and DISPLAY QSTATUS(SYSTEM.CLUSTER.COMMAND.QUEUE) CURDEPTH "
    "IPPROCS at {owner}; start or repair its channels to both full repositories. Then publish it "
    "again: change DESCR there"
)
_LAST: Final = (
    "If {owner} is gone for good, at a full repository: RESET CLUSTER({cluster}) "
    "ACTION(FORCEREMOVE) QMID({qmid}) QUEUES(YES). Last, if the record does not come and nothing "
    "is in doubt: REFRESH CLUSTER({cluster}) REPOS(NO) at {owner}"
)
_LOOK: Final = "DISPLAY CHSTATUS(*) INDOUBT there, and if nothing is in doubt"
_TOPIC: Final = (
    "Compare the definitions: DISPLAY TCLUSTER(*) ALL. Make them equal: ALTER TOPIC at one owner"
)
_MISDIRECTED: Final = (
    "Find who sends it: DISPLAY CHANNEL(*) CHLTYPE(CLUSSDR) CONNAME CLUSTER at the members. A "
    "CLUSSDR must lead to a full repository of its cluster: ALTER CHANNEL CONNAME. Then, if it is "
    f"a partial repository: {_LOOK}, REFRESH CLUSTER({{cluster}}) REPOS(YES)"
)
_STORAGE: Final = (
    "DISPLAY QSTATUS(SYSTEM.CLUSTER.*) CURDEPTH IPPROCS. Repair the cause that the message before "
    "names (full or inhibited queue, disk); the operation is run again every 10 minutes"
)
_NO_REPOSITORY: Final = (
    "DISPLAY QMGR REPOS REPOSNL at the full repositories; DISPLAY CLUSQMGR(*) WHERE(QMTYPE EQ "
    "REPOS). Start them and their channels, or define a CLUSSDR to one"
)
REPOSITORY: Final = (
    MessageRow(
        "AMQ9405I",
        "FORCEREMOVE QUEUES(YES) processed for {qmid}, cluster {cluster}.",
        zos="I",
        means="RESET CLUSTER ACTION(FORCEREMOVE) QUEUES(YES) was processed.",
        page=_RESET,
    ),
    MessageRow(
        "AMQ9406E",
        "REFRESH CLUSTER REPOS(YES) failed: {qmgr} is a full repository of cluster {cluster}.",
        zos="E",
        means="REFRESH CLUSTER REPOS(YES) was refused: this queue manager is a full repository.",
        do=f"Use REPOS(NO), or make it a partial repository first: {_LOOK}, ALTER QMGR REPOS(' '), "
        "then REFRESH CLUSTER({cluster}) REPOS(YES), then ALTER QMGR REPOS({cluster})",
        page=_REFRESH,
    ),
    MessageRow(
        "AMQ9407W",
        "Cluster queue {queue} is defined inconsistently.",
        means="Instances of one cluster queue differ in DEFPRTY, DEFPSIST, DEFPRESP or DEFBIND: "
        "what a put does depends on the instance that it finds first.",
        do="DISPLAY QCLUSTER({queue}) DEFPRTY DEFPSIST DEFPRESP DEFBIND; make the owners alike "
        "with ALTER QLOCAL",
    ),
    MessageRow(
        "AMQ9408W",
        "Messages for channel '{channel}' moved to the dead-letter queue.",
        means="Messages bound on open were put on the dead-letter queue, because their channel "
        "{channel} was deleted or its definition withdrawn.",
        do="BROWSE the dead-letter queue, and put them again: runmqdlq",
    ),
    MessageRow(
        "AMQ9409E",
        "Repository manager ended abnormally.",
        seen=True,
        means="The repository manager ended abnormally. The queue manager may end too; the cluster "
        "is not updated until it runs again.",
        do="Read the message before and the FFST files. Restart the queue manager: endmqm, strmqm",
        page=ERRORS_OF_REPOSITORY,
    ),
    MessageRow(
        "AMQ9410I",
        "Repository manager started.",
        seen=True,
        basis=LOG,
        zos="I",
        means="The repository manager started, with its queue manager.",
    ),
    MessageRow(
        "AMQ9411I",
        "Repository manager ended normally.",
        seen=True,
        basis=LOG,
        zos="I",
        means="The repository manager ended, with its queue manager.",
    ),
    MessageRow(
        "AMQ9412W",
        "Repository command received for queue manager {qmgr}.",
        means="A repository command arrived that is meant for another queue manager: a channel "
        "leads to the wrong one, or a queue manager was rebuilt under its old name.",
        do="DISPLAY CLUSQMGR(*) QMID CONNAME: look for one name with two QMIDs. RESET "
        "CLUSTER({cluster}) ACTION(FORCEREMOVE) QMID(old) QUEUES(NO) at a full repository",
        page=_RESET,
    ),
    MessageRow(
        "AMQ9413E",
        "Repository command format error, command code {code}.",
        means="A repository command has a format that this version does not know. It was ignored.",
        do="A member is of a newer version or its message was changed: DISPLAY CLUSQMGR(*) VERSION",
        page="IBM technote 1615036",
    ),
    MessageRow(
        "AMQ9414",
        means="The repository manager refused or ignored a command.",
        do="Read the messages before it; DISPLAY CLUSQMGR(*) ALL at both full repositories",
    ),
    MessageRow(
        "AMQ9415E",
        "Unexpected repository command received.",
        means="A repository command arrived that nobody expected here.",
        do=_MISDIRECTED,
    ),
    MessageRow(
        "AMQ9416E",
        "Repository command processing error, RC={reason}.",
        means="A repository command could not be processed.",
        do=_STORAGE,
    ),
    MessageRow(
        "AMQ9417I",
        "Manually defined CLUSSDR channels have been forced to stop.",
        means="SUSPEND QMGR MODE(FORCE) stopped the manually defined cluster-sender channels.",
        page=_SUSPEND,
    ),
    MessageRow(
        "AMQ9418W",
        "Only one repository for cluster {cluster}.",
        seen=True,
        names="cluster",
        basis=OLD_TEXTS,
        means="Only one full repository is known for cluster {cluster}. If it is lost, the cluster "
        "learns nothing new.",
        do="Make a second one: ALTER QMGR REPOS({cluster}), with a CLUSSDR each way between the "
        "two",
        page='IBM MQ, "Selecting queue managers to hold full repositories"',
    ),
    MessageRow(
        "AMQ9419W",
        "No CLUSRCVR channel for cluster {cluster}.",
        names="cluster",
        means="This queue manager heard of cluster {cluster} but has no cluster-receiver channel "
        "for it, so nobody can send to it.",
        do="DEFINE CHANNEL(name) CHLTYPE(CLUSRCVR) CLUSTER({cluster}) CONNAME('host(port)')",
    ),
    MessageRow(
        "AMQ9420W",
        "No repositories for cluster {cluster}.",
        seen=True,
        names="cluster",
        basis=OLD_TEXTS,
        means="No full repository is known for cluster {cluster}: names that are not known yet "
        "cannot be resolved (2189), and nothing is renewed.",
        do=_NO_REPOSITORY,
    ),
    MessageRow(
        "AMQ9422E",
        "Repository manager error, RC={reason}.",
        seen=True,
        basis=OLD_TEXTS,
        means="The repository manager met an error and ends or tries again.",
        do=_STORAGE,
    ),
    MessageRow(
        "AMQ9426",
        means="A message of the repository manager that this table does not explain.",
        do="Read its explanation in the error log; DISPLAY CLUSQMGR(*) ALL",
    ),
    MessageRow(
        "AMQ9427E",
        "CLUSSDR channel '{channel}' does not lead to a repository queue manager.",
        means="A CLUSSDR leads to a queue manager that is no full repository of its cluster.",
        do="DISPLAY CHANNEL({channel}) CONNAME CLUSTER; ALTER CHANNEL({channel}) CHLTYPE(CLUSSDR) "
        "CONNAME('host(port) of a full repository')",
    ),
    MessageRow(
        "AMQ9428E",
        "Unexpected publication of a cluster queue received.",
        means="A queue was published to this queue manager, which is no full repository of the "
        "cluster.",
        do=_MISDIRECTED,
    ),
    MessageRow(
        "AMQ9429E",
        "Unexpected deletion of a cluster queue received.",
        means="The deletion of a queue was published to this queue manager, which is no full "
        "repository of the cluster.",
        do=_MISDIRECTED,
    ),
    MessageRow(
        "AMQ9430E",
        "Unexpected queue manager publication received.",
        means="A queue manager published itself to this one, which is no full repository of the "
        "cluster.",
        do=_MISDIRECTED,
    ),
    # The order of channel and cluster is that of the explanation, not of the message.
    MessageRow(
        "AMQ9431I",
        (
            "Remote queue manager {qmgr} no longer a repository for cluster {cluster}, channel "
            "{channel}."
        ),
        seen=True,
        basis=OLD_TEXTS,
        means="A remote queue manager is no longer a full repository, so the CLUSSDR to it is no "
        "longer used for the cluster.",
        do="If it was not planned: DISPLAY QMGR REPOS there. Else define a CLUSSDR to another full "
        "repository and delete this one",
    ),
    MessageRow(
        "AMQ9432E",
        "Repository query received at a queue manager that is no repository.",
        means="Somebody asked this queue manager for cluster information, but it is no full "
        "repository.",
        do=_MISDIRECTED,
    ),
    MessageRow(
        "AMQ9433E",
        "CLUSRCVR and CLUSSDR channels are in different clusters.",
        means="The CLUSSDR at one end and the CLUSRCVR at the other name different clusters.",
        do="DISPLAY CHANNEL({channel}) CLUSTER CLUSNL at both ends; ALTER the wrong one",
    ),
    MessageRow(
        "AMQ9434E",
        "Unrecognised message on the repository command queue.",
        means="SYSTEM.CLUSTER.COMMAND.QUEUE has a message that is no repository command.",
        do="Find the application that puts there: DISPLAY CONN(*) WHERE(OBJNAME EQ "
        "SYSTEM.CLUSTER.COMMAND.QUEUE). Revoke its authority",
    ),
    MessageRow(
        "AMQ9435E",
        "Unable to put repository message, reason {reason}.",
        means="A repository message could not be put.",
        do=_STORAGE,
        page=ERRORS_OF_REPOSITORY,
    ),
    MessageRow(
        "AMQ9436E",
        "Unable to send repository message, reason {reason}.",
        means="A repository message could not be sent.",
        do=_STORAGE,
        page=ERRORS_OF_REPOSITORY,
    ),
    MessageRow(
        "AMQ9437E",
        "Unable to commit repository changes.",
        seen=True,
        basis=OLD_TEXTS,
        means="Repository changes could not be committed.",
        do=_STORAGE,
        page=ERRORS_OF_REPOSITORY,
    ),
    MessageRow(
        "AMQ9440E",
        "RESET CLUSTER failed for cluster {cluster}.",
        means="RESET CLUSTER failed.",
        do="DISPLAY CLUSQMGR(*) QMID QMTYPE at a full repository; run RESET there, with the QMID",
        page=_RESET,
    ),
    MessageRow(
        "AMQ9441I",
        "RESET CLUSTER processed, cluster {cluster}, queue manager {qmid}.",
        zos="I",
        means="RESET CLUSTER was processed.",
        page=_RESET,
    ),
    MessageRow(
        "AMQ9442I",
        (
            "Refresh Cluster command processed, {refreshed} objects refreshed, {republished} "
            "republished."
        ),
        seen=True,
        basis=OLD_TEXTS,
        zos="I",
        means="REFRESH CLUSTER was processed: what was known of the cluster was dropped and is "
        "being learnt again. Until then opens may end in 2189.",
        do="Wait for it: DISPLAY QSTATUS(SYSTEM.CLUSTER.COMMAND.QUEUE) CURDEPTH falls to 0",
        page=_REFRESH,
    ),
    MessageRow(
        "AMQ9443I",
        "SUSPEND QMGR processed for cluster {cluster}.",
        zos="I",
        means="SUSPEND QMGR was processed: others avoid this queue manager while they have a "
        "choice.",
        do="After the maintenance: RESUME QMGR CLUSTER({cluster})",
        page=_SUSPEND,
    ),
    MessageRow(
        "AMQ9444I",
        "RESUME QMGR processed for cluster {cluster}.",
        zos="I",
        means="RESUME QMGR was processed: others choose it again.",
        page=_SUSPEND,
    ),
    MessageRow(
        "AMQ9447E",
        "Unable to back out repository changes.",
        seen=True,
        basis=OLD_TEXTS,
        means="Repository changes could not be backed out.",
        do=_STORAGE,
        page=ERRORS_OF_REPOSITORY,
    ),
    MessageRow(
        "AMQ9448E",
        (
            "Repository manager failed, retry in {minutes} minutes, queue manager ends in {left} "
            "minutes."
        ),
        means="The repository manager failed and tries again, at first in 10 minutes. If it fails "
        "for 5 days, the queue manager ends.",
        do=f"{_STORAGE}. To put off the end: ALTER QLOCAL(SYSTEM.CLUSTER.COMMAND.QUEUE) "
        "GET(DISABLED)",
        page=ERRORS_OF_REPOSITORY,
    ),
    MessageRow(
        "AMQ9449I",
        "Repository manager restarting.",
        means="The repository manager runs again: the clock of 5 days stopped.",
        page=ERRORS_OF_REPOSITORY,
    ),
    MessageRow(
        "AMQ9453E",
        "FORCEREMOVE refused: {qmgr} is ambiguous in cluster {cluster}.",
        means="RESET CLUSTER FORCEREMOVE was refused: the name fits more than one queue manager.",
        do="DISPLAY CLUSQMGR(*) QMID; RESET CLUSTER({cluster}) ACTION(FORCEREMOVE) QMID(qmid) "
        "QUEUES(NO)",
        page=_RESET,
    ),
    MessageRow(
        "AMQ9454E",
        "FORCEREMOVE refused: not a full repository of cluster {cluster}.",
        means="RESET CLUSTER FORCEREMOVE was refused: it works only at a full repository.",
        do="Run it at a full repository: DISPLAY CLUSQMGR(*) WHERE(QMTYPE EQ REPOS)",
        page=_RESET,
    ),
    MessageRow(
        "AMQ9455E",
        "FORCEREMOVE refused: {qmgr} is unknown in cluster {cluster}.",
        means="RESET CLUSTER FORCEREMOVE was refused: the queue manager is not known here.",
        do="DISPLAY CLUSQMGR(*) QMID shows what is known; it may be removed already",
        page=_RESET,
    ),
    # PH34265 gives the sense; the places are not seen.
    MessageRow(
        "AMQ9456W",
        (
            "Update not received for {object} of queue manager {qmid}, used in the last 30 days, "
            "cluster {cluster}: expected {days} days ago, {left} days remaining."
        ),
        basis=DOC,
        zos="I",
        means="An object that this queue manager used in the last 30 days should have been renewed "
        "by its owner, and was not. It is removed 90 days after its last publication, and then "
        "opens fail.",
        do=f"{_SENDERS}, such as ALTER QLOCAL(name) DESCR('published again'). {_LAST}",
        page=_OVERDUE,
    ),
    MessageRow(
        "AMQ9457I",
        "Repository available, cluster {cluster}, channel {channel}, sender {sender}.",
        seen=True,
        names="cluster channel sender",
        basis=OLD_TEXTS,
        means="The repository is available again; what waited is processed.",
    ),
    MessageRow(
        "AMQ9465W",
        "New definition of clustered topic {topic} is inconsistent.",
        means="A new definition of a clustered topic differs from those that others made: "
        "publications may be routed otherwise than planned. Not about renewal.",
        do=_TOPIC,
    ),
    MessageRow(
        "AMQ9466W",
        "Existing definition of clustered topic {topic} is inconsistent.",
        means="An existing definition of a clustered topic differs from those of others. Not about "
        "renewal.",
        do=_TOPIC,
    ),
    MessageRow(
        "AMQ9468W",
        "Queue manager {qmgr} replaced another of the same channel name, {channel}.",
        means="A queue manager took over the CLUSRCVR name of another one: its record was "
        "replaced. Two CLUSRCVRs of one name, or a queue manager was rebuilt.",
        do="DISPLAY CLUSQMGR(*) CHANNEL QMID CONNAME. Rename one CLUSRCVR; remove what is gone: "
        "RESET CLUSTER({cluster}) ACTION(FORCEREMOVE) QMID({qmid}) QUEUES(NO)",
        page="APAR PH65188",
    ),
    # IT28022 and PH34265 show the order of the names in the message, and the days of z/OS.
    MessageRow(
        "AMQ9469W",
        (
            "Update not received for CLUSRCVR channel {channel} of queue manager {qmid}, cluster "
            "{cluster}: expected {days} days ago, {left} days remaining."
        ),
        names="channel qmid cluster",
        basis=DOC,
        zos="E",
        means="A full repository was not told again about a cluster-receiver channel: its owner "
        "renews it every 27 days. The record expires after 30 days, and after 90 the queue manager "
        "drops out of the cluster.",
        do=f"{_SENDERS}, ALTER CHANNEL({{channel}}) CHLTYPE(CLUSRCVR) DESCR('published again'). "
        f"CAPEXPRY on a cluster transmission queue also leads to this. {_LAST}",
        page=f"{_OVERDUE}; APAR IT28022",
    ),
    MessageRow(
        "AMQ9491W",
        "Transmission queue {queue} set to NOSHARE.",
        means="A transmission queue was set to NOSHARE while PipeLineLength is greater than 1.",
        do="ALTER QLOCAL({queue}) SHARE DEFSOPT(SHARED), or set PipeLineLength to 1 in qm.ini",
    ),
)
"""Rows about repositories and clusters."""
