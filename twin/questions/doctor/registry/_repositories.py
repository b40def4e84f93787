"""Rules about the full repositories of clusters."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import (
    disagreeing_repositories,
    repositories,
)
from twin.questions.doctor.finding import FixClass, Severity
from twin.questions.doctor.rule import DoctorRule, Need

_SELECTING: Final = "IBM MQ, Selecting queue managers to hold full repositories"

RULES: Final = (
    DoctorRule(
        id="full-repositories-none",
        severity=Severity.ERROR,
        condition="A cluster has several members and no full repository; a warning if the "
        "attributes of a member are unknown.",
        why="Nobody stores what members publish, so no member learns about another one (AMQ9420).",
        what_to_do="At a member that all others reach: ALTER QMGR REPOS(cluster). If the full "
        "repositories were not imported, import them.",
        source=_SELECTING,
        check=repositories.none,
        fix=FixClass.OWNER,
        follows=("full-repository-without-receiver",),
    ),
    DoctorRule(
        id="full-repositories-ended",
        severity=Severity.ERROR,
        condition="All full repositories of a cluster have ended while another member runs.",
        why="Until one runs again, an MQOPEN of a name that its queue manager has not asked for "
        "before fails (2189), changes reach no other member, and records are not renewed.",
        what_to_do="On the machine of one of them: strmqm, and see that its listener runs "
        "(DISPLAY LSSTATUS(*)).",
        source=_SELECTING,
        check=repositories.ended,
    ),
    DoctorRule(
        id="full-repository-single",
        severity=Severity.WARNING,
        condition="A cluster of more than two members has one full repository.",
        why="While it is down, no member learns anything new and no record is renewed. Two are "
        "recommended (AMQ9418).",
        what_to_do="At a second member that all others reach: ALTER QMGR REPOS(cluster). Then at "
        "each of the two: DEFINE CHANNEL(name) CHLTYPE(CLUSSDR) to the CLUSRCVR of "
        "the other.",
        source=_SELECTING,
        check=repositories.single,
        follows=("full-repository-without-receiver",),
    ),
    DoctorRule(
        id="full-repositories-many",
        severity=Severity.INFO,
        condition="A cluster has more than two full repositories.",
        why="A member publishes to two of them only. The others get the records over the CLUSSDRs "
        "between full repositories, and all of them carry more traffic.",
        what_to_do="Keep two. First delete the manual CLUSSDRs of members that lead to the "
        "others, then at each of these: ALTER QMGR REPOS(' '). More than two are right if each has "
        "a manual CLUSSDR to every other one.",
        source=_SELECTING,
        attributes=("REPOS", "REPOSNL"),
        check=repositories.many,
    ),
    DoctorRule(
        id="full-repositories-not-connected",
        severity=Severity.ERROR,
        condition="No chain of manual CLUSSDRs leads from one full repository to another.",
        why="Full repositories forward publications over manual CLUSSDRs only. Without them they "
        "hold different records.",
        source=_SELECTING,
        attributes=("REPOS", "REPOSNL"),
        check=disagreeing_repositories.not_connected,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="cluster-in-groups",
        severity=Severity.WARNING,
        condition="Two groups of queue managers use one cluster name. Each has its own full "
        "repositories, and no channel connects them.",
        why="As soon as a channel connects them, the groups become one cluster and exchange "
        "messages, for example test and production.",
        what_to_do="If they are to be one cluster, define a manual CLUSSDR from a full repository "
        "of each group to one of the other. If not, give one group another cluster name, at all "
        "its members.",
        source="IBM MQ 9.4, Overlapping clusters",
        check=disagreeing_repositories.in_islands,
    ),
    DoctorRule(
        id="full-repository-without-receiver",
        severity=Severity.ERROR,
        condition="A queue manager has REPOS or REPOSNL for a cluster, and no CLUSRCVR in it; the "
        "name may be misspelt.",
        why="No member can publish to it, and it ignores what it receives for the cluster "
        "(AMQ9419).",
        what_to_do="At the full repository: DEFINE CHANNEL(name) CHLTYPE(CLUSRCVR) CONNAME('its "
        "own host(port)') CLUSTER(cluster). If the name of the cluster is misspelt, correct it in "
        "REPOS, or use a namelist with the right names in REPOSNL.",
        source="IBM MQ, ALTER QMGR (REPOS); Components of a cluster",
        attributes=("REPOS", "REPOSNL"),
        check=repositories.without_receiver,
        fix=FixClass.SAFE,
    ),
    DoctorRule(
        id="full-repository-with-applications",
        severity=Severity.INFO,
        condition="A full repository also shares application queues.",
        why="Load and maintenance of the applications then disturb the repository. A guess: in "
        "small estates this is often intended.",
        what_to_do="Accept it in a small estate. Otherwise define the queues at other members "
        "first, then at the full repository: ALTER QLOCAL(name) CLUSTER(' ').",
        source=_SELECTING,
        attributes=("CLUSTER", "CLUSNL"),
        check=repositories.on_application_queue_manager,
    ),
    DoctorRule(
        id="full-repository-older-level",
        severity=Severity.WARNING,
        condition="A full repository has a lower command level than a member.",
        why="An older full repository cannot store the attributes of newer members. Migrate full "
        "repositories first.",
        what_to_do="Migrate the full repositories before the members, one after the other.",
        source="IBM MQ 9.1, Migrating a queue manager cluster",
        check=repositories.older_level,
    ),
    DoctorRule(
        id="full-repositories-disagree",
        severity=Severity.ERROR,
        condition="For an hour, a full repository lacks a record that another one holds, or holds "
        "older values of it; a warning if it was altered within the hour, such as made a full "
        "repository, and lacks records a minute later.",
        why="Members get different answers, depending on which full repository they ask.",
        what_to_do="At both full repositories: check that the manual CLUSSDR to the other one "
        "runs (DISPLAY CHSTATUS), and START CHANNEL(name) if it does not. Both then receive what "
        "is published next.",
        source=_SELECTING,
        check=disagreeing_repositories.disagree,
        fix=FixClass.SAFE,
        needs=(Need.RECORDS,),
        needs_of_full=True,
        follows=(
            "full-repositories-not-connected",
            "cluster-receiver-stopped",
            "channel-retrying",
            "channel-stopped",
        ),
    ),
)
