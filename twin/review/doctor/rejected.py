"""The rule for commands of scripts that runmqsc would reject; it reads files, not an estate.

So it is not in the registry: no live queue manager has such a command. It cannot be skipped.
"""

from __future__ import annotations

from typing import Final

from twin.model.basis import Basis
from twin.model.objects import Subject
from twin.questions.doctor.diagnosis import Found
from twin.questions.doctor.finding import Finding, Severity
from twin.questions.doctor.rule import DoctorRule

REJECTED: Final = DoctorRule(
    id="command-rejected",
    severity=Severity.ERROR,
    condition="A script has a command that runmqsc rejects: an unknown verb or keyword, or a "
    "value that cannot be.",
    why="The queue manager carries out nothing of the command, and the rest of the script runs "
    "(AMQ8405).",
    what_to_do="Correct the command in its file.",
    source="IBM MQ 9.4, AMQ8405",
    check=lambda _: iter(()),
)


def rejected(on: str, command: str, text: str) -> Found:
    """Return the finding about a command in a script of a queue manager."""
    finding = Finding(subject=Subject(on, aspect=command), text=text, on=(on,))
    return Found(REJECTED, finding, REJECTED.severity, None, Basis.OBSERVED)
