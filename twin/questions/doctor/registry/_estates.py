"""Rules about the estate as a whole."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import estates
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.rule import DoctorRule

RULES: Final = (
    DoctorRule(
        id="queue-manager-not-in-twin",
        severity=Severity.INFO,
        condition="A definition or record names a queue manager that was not imported.",
        why="What depends on that queue manager cannot be checked.",
        what_to_do="Import its script, its dump or its answers to DISPLAY (`twin collect-script` "
        "collects them).",
        source="IBM MQ, Components of a cluster",
        attributes=("CONNAME",),
        check=estates.not_in_twin,
    ),
    DoctorRule(
        id="collection-stale",
        severity=Severity.INFO,
        condition="The newest evidence of an imported queue manager is old: older than three times "
        "the time for which it is fresh (the reading `fresh`; by default twice the median time "
        "between its last collections, at least 10 minutes, at most 26 hours). A warning if other "
        "queue managers were seen since.",
        why="What was changed there since is not known, and every answer that rests on it is as "
        "old.",
        what_to_do="Import what `twin collect-script` collects there. If the queue manager is "
        "gone, state it: twin import FILES --gone NAME. If it is collected more rarely: twin "
        "reading fresh:NAME=TIME.",
        source="Each value is that of the last observation",
        check=estates.stale,
    ),
    DoctorRule(
        id="environments-joined",
        severity=Severity.INFO,
        condition="The member names of one cluster look like those of several environments.",
        why="A guess: test and production in one cluster exchange messages.",
        what_to_do="If they are to be separate: at the members of one environment, change the "
        "cluster name in CLUSRCVRs, CLUSSDRs and queues, and REPOS of its full repositories.",
        source="IBM MQ 9.4, Overlapping clusters",
        attributes=("CONNAME",),
        check=estates.environments,
    ),
)
