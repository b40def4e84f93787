"""Texts have at most 100 columns, except for commands, which stay whole."""

from __future__ import annotations

import re
from typing import Final

from tests.cli.conftest import Run

LATER: Final = "2025-03-03T10:00"
COMMAND: Final = re.compile(r" on [A-Z0-9]+: ")
"""The beginning of a command in a text: it stays in one line, to be copied."""

REVIEWS: Final = (
    ("ask", "resilience", "--links", "--channels", "--pairs", "--as-of", LATER),
    ("ask", "resilience", "--against", "-1h"),
    ("ask", "capacity", "--add", "5", "--as-of", LATER),
    ("ask", "doctor", "--as-of", LATER),
    ("doctor", "--as-of", LATER),
    ("doctor", "--rules"),
    ("plan", "--stop", "QM2", "--suspend", "QM1", "--at", LATER, "--advance", "91d"),
    ("runbook", "leave", "QM2", "--lost", "--as-of", LATER),
    ("runbook", "maintain", "QM2", "--done", "others", "--as-of", LATER),
    ("runbook", "move-full-repository", "FR1", "--to", "QM1", "--as-of", LATER),
    ("runbook", "dr-test", "QM2", "--backup", "2025-03-03T09:30", "--as-of", LATER),
    ("runbook", "refresh", "QM1", "--as-of", LATER),
)


def test_a_review_has_at_most_100_columns(cluster: Run) -> None:
    """This holds with long names of objects and branches, too."""
    long_name = "A.NAME.OF.FORTY-EIGHT.CHARACTERS.AS.MQ.ALLOWS.IT".replace("-", "_")
    typed = f"DEFINE QLOCAL({long_name}) CLUSTER(CA) PUT(DISABLED)"
    assert cluster("runmqsc", "QM2", "--at", LATER, typed=typed).code == 0
    branch = "a-branch-with-a-long-name"
    assert cluster("branch", "create", branch, "--at", LATER).code == 0
    for words in REVIEWS:
        shown = cluster("--branch", branch, *words)
        assert shown.code in (0, 10), shown.err
        wide = [line for line in shown.lines if len(line) > 100 and not COMMAND.search(line)]
        assert wide == [], words
