"""Rules about the estate as a whole."""

from __future__ import annotations

from typing import Final

from twin.questions.doctor.checks import estates
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.rule import DoctorRule, Input

RULES: Final = (
    DoctorRule(
        id="queue-manager-not-in-twin",
        severity=Severity.INFO,
        condition="Something leads to a queue manager that is not in the twin.",
        why="What depends on it cannot be checked.",
        what_to_do="Import its script, its dump or its answers to DISPLAY (twin collect-script "
        "shows how to get them).",
        source="IBM MQ, Components of a cluster",
        check=estates.not_in_twin,
        inputs=Input.CHANNELS | Input.RECORDS,
    ),
    DoctorRule(
        id="environments-joined",
        severity=Severity.INFO,
        condition="The names of the members of a cluster speak of several environments.",
        why="A guess: test and production under one cluster name exchange messages.",
        what_to_do="If they are to be apart: at the members of one, give CLUSRCVRs, CLUSSDRs and "
        "queues another cluster name, and its full repositories another REPOS.",
        source="IBM MQ 9.4, Overlapping clusters",
        check=estates.environments,
        inputs=Input.CHANNELS,
    ),
)
