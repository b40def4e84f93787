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
        source="IBM MQ, Components of a cluster",
        check=estates.not_in_twin,
        inputs=Input.CHANNELS | Input.RECORDS,
    ),
    DoctorRule(
        id="environments-joined",
        severity=Severity.INFO,
        condition="The names of the members of a cluster speak of several environments.",
        why="A guess: test and production under one cluster name exchange messages.",
        source="IBM MQ 9.4, Overlapping clusters",
        check=estates.environments,
        inputs=Input.CHANNELS,
    ),
)
