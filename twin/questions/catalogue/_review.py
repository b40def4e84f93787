"""Questions that judge an estate."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.questions.catalogue._filters import CLUSTER, ON, ON_BASIS, RESTS_ON
from twin.questions.declared import KEY, NULL, Column, Filter, Question

SEVERITIES: Final = ("error", "warning", "info")
"""The severities of findings, the worst first."""

QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "doctor": Question(
            summary="List what is wrong with clusters, and what mends it.",
            columns=(
                Column("id", "text", "Id of the rule.", KEY),
                Column("severity", "text", "How bad it is.", choices=SEVERITIES),
                Column("object", "text", "Object that it is about.", KEY),
                Column("finding", "text", "What is wrong."),
                Column(
                    "fix",
                    "commands",
                    "Commands that mend it, in order; null: a person has to decide.",
                    NULL,
                ),
                Column("source", "text", "Document that says so."),
                RESTS_ON,
            ),
            narrowed_by=(
                ON,
                CLUSTER,
                Filter("rule", "ID", "Only findings of this rule."),
                Filter("severity", "SEVERITY", "Only findings this bad, or worse.", SEVERITIES),
                ON_BASIS,
            ),
            empty="no findings",
            limits="twin doctor also proves the fixes, and says which rules could not be checked. "
            "--since is where past events begin that rules count.",
            home="twin.questions.doctor.question:doctor",
            reads_facts=True,
            needs_all=True,
            in_lines=True,
        ),
    }
)
