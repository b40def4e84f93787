"""Messages of the repository manager, about clusters."""

from __future__ import annotations

from typing import Final

from twin.feeds.errorlog.advice._advice import (
    ERRORS_OF_REPOSITORY,
    REFRESH,
    RESET,
    RETAIN,
    SUSPEND,
    Advice,
    noise,
)

_OVERDUE: Final = f"APAR PH34265; {RETAIN}"
_SENDERS: Final = (
    "At {owner}: DISPLAY CHSTATUS(*) WHERE(STATUS NE RUNNING), and start or repair its channels to "
    "both full repositories"
)
_REMOVE: Final = (
    "If {owner} is gone for good, at a full repository: RESET CLUSTER({cluster}) "
    "ACTION(FORCEREMOVE) QMID({qmid}) QUEUES(YES)"
)
_TOPIC: Final = (
    "Compare the definitions: DISPLAY TCLUSTER(*) ALL. Make them equal: ALTER TOPIC at one owner"
)
_MISDIRECTED: Final = (
    "Find who sends it: DISPLAY CHANNEL(*) CHLTYPE(CLUSSDR) CONNAME CLUSTER at the members. A "
    "CLUSSDR must lead to a full repository of its cluster: ALTER CHANNEL CONNAME, then REFRESH "
    "CLUSTER({cluster}) REPOS(YES) there, if it is a partial repository"
)
_STORAGE: Final = (
    "DISPLAY QSTATUS(SYSTEM.CLUSTER.*) CURDEPTH IPPROCS. Repair the cause that the message before "
    "names (full or inhibited queue, disk); the operation is run again every 10 minutes"
)
_NO_REPOSITORY: Final = (
    "DISPLAY QMGR REPOS REPOSNL at the full repositories; DISPLAY CLUSQMGR(*) WHERE(QMTYPE EQ "
    "REPOS). Start them and their channels, or define a CLUSSDR to one"
)

REPOSITORY: Final[dict[str, Advice]] = {
    "AMQ9405": noise("RESET CLUSTER ACTION(FORCEREMOVE) QUEUES(YES) was processed.", RESET),
    "AMQ9406": Advice(
        "REFRESH CLUSTER REPOS(YES) was refused: this queue manager is a full repository.",
        "Use REPOS(NO). Or make it a partial repository first: ALTER QMGR REPOS(' '), then REFRESH "
        "CLUSTER({cluster}) REPOS(YES), then ALTER QMGR REPOS({cluster})",
        REFRESH,
    ),
    "AMQ9407": Advice(
        "Instances of one cluster queue differ in DEFPRTY, DEFPSIST, DEFPRESP or DEFBIND: what a "
        "put does depends on the instance that it finds first.",
        "DISPLAY QCLUSTER({queue}) DEFPRTY DEFPSIST DEFPRESP DEFBIND; make the owners alike with "
        "ALTER QLOCAL",
    ),
    "AMQ9408": Advice(
        "Messages bound on open were put on the dead-letter queue, because their channel {channel} "
        "was deleted or its definition withdrawn.",
        "BROWSE the dead-letter queue, and put them again: runmqdlq",
    ),
    "AMQ9409": Advice(
        "The repository manager ended abnormally. The queue manager may end too; the cluster is "
        "not updated until it runs again.",
        "Read the message before and the FFST files. Restart the queue manager: endmqm, strmqm",
        ERRORS_OF_REPOSITORY,
    ),
    "AMQ9410": noise("The repository manager started, with its queue manager."),
    "AMQ9411": noise("The repository manager ended, with its queue manager."),
    "AMQ9412": Advice(
        "A repository command arrived that is meant for another queue manager: a channel leads to "
        "the wrong one, or a queue manager was rebuilt under its old name.",
        "DISPLAY CLUSQMGR(*) QMID CONNAME: look for one name with two QMIDs. RESET CLUSTER("
        "{cluster}) ACTION(FORCEREMOVE) QMID(old) QUEUES(NO) at a full repository",
        RESET,
    ),
    "AMQ9413": Advice(
        "A repository command has a format that this version does not know. It was ignored.",
        "A member is of a newer version or its message was changed: DISPLAY CLUSQMGR(*) VERSION",
        "IBM technote 1615036",
    ),
    "AMQ9414": Advice(
        "The repository manager refused or ignored a command.",
        "Read the messages before it; DISPLAY CLUSQMGR(*) ALL at both full repositories",
    ),
    "AMQ9415": Advice("A repository command arrived that nobody expected here.", _MISDIRECTED),
    "AMQ9416": Advice("A repository command could not be processed.", _STORAGE),
    "AMQ9417": noise(
        "SUSPEND QMGR MODE(FORCE) stopped the manually defined cluster-sender channels.", SUSPEND
    ),
    "AMQ9418": Advice(
        "Only one full repository is known for cluster {cluster}. If it is lost, the cluster "
        "learns nothing new.",
        "Make a second one: ALTER QMGR REPOS({cluster}), with a CLUSSDR each way between the two",
        'IBM MQ, "Selecting queue managers to hold full repositories"',
    ),
    "AMQ9419": Advice(
        "This queue manager heard of cluster {cluster} but has no cluster-receiver channel for it, "
        "so nobody can send to it.",
        "DEFINE CHANNEL(name) CHLTYPE(CLUSRCVR) CLUSTER({cluster}) CONNAME('host(port)')",
    ),
    "AMQ9420": Advice(
        "No full repository is known for cluster {cluster}: names that are not known yet cannot be "
        "resolved (2189), and nothing is renewed.",
        _NO_REPOSITORY,
    ),
    "AMQ9422": Advice("The repository manager met an error and ends or tries again.", _STORAGE, ""),
    "AMQ9426": Advice(
        "A message of the repository manager that this table does not explain.",
        "Read its explanation in the error log; DISPLAY CLUSQMGR(*) ALL",
    ),
    "AMQ9427": Advice(
        "A CLUSSDR leads to a queue manager that is no full repository of its cluster.",
        "DISPLAY CHANNEL({channel}) CONNAME CLUSTER; ALTER CHANNEL({channel}) CHLTYPE(CLUSSDR) "
        "CONNAME('host(port) of a full repository')",
    ),
    "AMQ9428": Advice(
        "A queue was published to this queue manager, which is no full repository of the cluster.",
        _MISDIRECTED,
    ),
    "AMQ9429": Advice(
        "The deletion of a queue was published to this queue manager, which is no full repository "
        "of the cluster.",
        _MISDIRECTED,
    ),
    "AMQ9430": Advice(
        "A queue manager published itself to this one, which is no full repository of the cluster.",
        _MISDIRECTED,
    ),
    "AMQ9431": Advice(
        "A remote queue manager is no longer a full repository, so the CLUSSDR to it is no longer "
        "used for the cluster.",
        "If it was not planned: DISPLAY QMGR REPOS there. Else define a CLUSSDR to another full "
        "repository and delete this one",
    ),
    "AMQ9432": Advice(
        "Somebody asked this queue manager for cluster information, but it is no full repository.",
        _MISDIRECTED,
    ),
    "AMQ9433": Advice(
        "The CLUSSDR at one end and the CLUSRCVR at the other name different clusters.",
        "DISPLAY CHANNEL({channel}) CLUSTER CLUSNL at both ends; ALTER the wrong one",
    ),
    "AMQ9434": Advice(
        "SYSTEM.CLUSTER.COMMAND.QUEUE has a message that is no repository command.",
        "Find the application that puts there: DISPLAY CONN(*) WHERE(OBJNAME EQ "
        "SYSTEM.CLUSTER.COMMAND.QUEUE). Revoke its authority",
    ),
    "AMQ9435": Advice("A repository message could not be put.", _STORAGE, ERRORS_OF_REPOSITORY),
    "AMQ9436": Advice("A repository message could not be sent.", _STORAGE, ERRORS_OF_REPOSITORY),
    "AMQ9437": Advice("Repository changes could not be committed.", _STORAGE, ERRORS_OF_REPOSITORY),
    "AMQ9440": Advice(
        "RESET CLUSTER failed.",
        "DISPLAY CLUSQMGR(*) QMID QMTYPE at a full repository; run RESET there, with the QMID",
        RESET,
    ),
    "AMQ9441": noise("RESET CLUSTER was processed.", RESET),
    "AMQ9442": Advice(
        "REFRESH CLUSTER was processed: what was known of the cluster was dropped and is being "
        "learnt again. Until then opens may end in 2189.",
        "Wait for it: DISPLAY QSTATUS(SYSTEM.CLUSTER.COMMAND.QUEUE) CURDEPTH falls to 0",
        REFRESH,
    ),
    "AMQ9443": Advice(
        "SUSPEND QMGR was processed: others avoid this queue manager while they have a choice.",
        "After the maintenance: RESUME QMGR CLUSTER({cluster})",
        SUSPEND,
    ),
    "AMQ9444": noise("RESUME QMGR was processed: others choose it again.", SUSPEND),
    "AMQ9447": Advice(
        "Repository changes could not be backed out.", _STORAGE, ERRORS_OF_REPOSITORY
    ),
    "AMQ9448": Advice(
        "The repository manager failed and tries again, at first in 10 minutes. If it fails for 5 "
        "days, the queue manager ends.",
        f"{_STORAGE}. To put off the end: ALTER QLOCAL(SYSTEM.CLUSTER.COMMAND.QUEUE) GET(DISABLED)",
        ERRORS_OF_REPOSITORY,
    ),
    "AMQ9449": noise(
        "The repository manager runs again: the clock of 5 days stopped.", ERRORS_OF_REPOSITORY
    ),
    "AMQ9453": Advice(
        "RESET CLUSTER FORCEREMOVE was refused: the name fits more than one queue manager.",
        "DISPLAY CLUSQMGR(*) QMID; RESET CLUSTER({cluster}) ACTION(FORCEREMOVE) QMID(qmid) "
        "QUEUES(NO)",
        RESET,
    ),
    "AMQ9454": Advice(
        "RESET CLUSTER FORCEREMOVE was refused: it works only at a full repository.",
        "Run it at a full repository: DISPLAY CLUSQMGR(*) WHERE(QMTYPE EQ REPOS)",
        RESET,
    ),
    "AMQ9455": Advice(
        "RESET CLUSTER FORCEREMOVE was refused: the queue manager is not known here.",
        "DISPLAY CLUSQMGR(*) QMID shows what is known; it may be removed already",
        RESET,
    ),
    "AMQ9456": Advice(
        "An object that this queue manager used in the last 30 days should have been renewed by "
        "its owner, and was not. It is removed 90 days after its last publication, and then opens "
        "fail.",
        f"{_SENDERS}. Renew at once: REFRESH CLUSTER({{cluster}}) REPOS(NO) at {{owner}}. "
        f"{_REMOVE}",
        _OVERDUE,
    ),
    "AMQ9457": noise("The repository is available again; what waited is processed."),
    "AMQ9465": Advice(
        "A new definition of a clustered topic differs from those that others made: publications "
        "may be routed otherwise than planned. Not about renewal.",
        _TOPIC,
    ),
    "AMQ9466": Advice(
        "An existing definition of a clustered topic differs from those of others. Not about "
        "renewal.",
        _TOPIC,
    ),
    "AMQ9468": Advice(
        "A queue manager took over the CLUSRCVR name of another one: its record was replaced. Two "
        "CLUSRCVRs of one name, or a queue manager was rebuilt.",
        "DISPLAY CLUSQMGR(*) CHANNEL QMID CONNAME. Rename one CLUSRCVR; remove what is gone: RESET "
        "CLUSTER({cluster}) ACTION(FORCEREMOVE) QMID({qmid}) QUEUES(NO)",
        "APAR PH65188",
    ),
    "AMQ9469": Advice(
        "A full repository was not told again about a cluster-receiver channel: its owner renews "
        "it every 27 days. The record expires after 30 days, and after 90 the queue manager drops "
        "out of the cluster.",
        f"{_SENDERS}. Renew at once: REFRESH CLUSTER({{cluster}}) REPOS(NO) at {{owner}}. "
        f"{_REMOVE}. CAPEXPRY on a cluster transmission queue also leads to this",
        f"{_OVERDUE}; APAR IT28022",
    ),
    "AMQ9491": Advice(
        "A transmission queue was set to NOSHARE while PipeLineLength is greater than 1.",
        "ALTER QLOCAL({queue}) SHARE DEFSOPT(SHARED), or set PipeLineLength to 1 in qm.ini",
    ),
}
"""Advice by id without severity letter."""
