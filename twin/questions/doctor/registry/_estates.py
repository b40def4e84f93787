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
