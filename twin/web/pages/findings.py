"""What the doctor finds, the worst first, with the commands that mend it and their proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from twin.questions.doctor.finding import Severity
from twin.questions.doctor.registry import RULES
from twin.review.doctor.grouping import FindingRow, grouped
from twin.web.pages.examining import examination, nothing_found
from twin.web.pages.parameters import QUEUE_MANAGER, one_of
from twin.web.pages.view import PageContent, PageReading, PageRequest, PageTable, PageView

_COLUMNS: Final = (
    *("severity", "id", "object", "finding", "class", "verdict", "fix", "what_to_do"),
    *("source", "basis", "evidence", "suppressed"),
)
_SEVERITIES: Final = tuple(each.value for each in Severity)
_MOST: Final = 100
"""How many groups of findings are shown."""

_OWN: Final = {
    "on": QUEUE_MANAGER,
    "rule": one_of(tuple(RULES)),
    "severity": one_of(_SEVERITIES),
    "prove": one_of(("yes", "no")),
}


def show(reading: PageReading) -> PageContent:
    """Show the form; the findings themselves are loaded afterwards."""
    own, place = reading.place.own, reading.place
    asked = {name: own.get(name, "") for name in _OWN}
    return PageContent(
        title="Findings",
        values={
            "asked": asked,
            "rules": tuple(RULES),
            "severities": _SEVERITIES,
        },
        commands=(
            place.command(
                "doctor",
                on=asked["on"] or None,
                cluster=place.cluster,
                rule=asked["rule"] or None,
                no_prove=asked["prove"] == "no",
            ),
        ),
    )


def find(page: PageRequest) -> PageContent:
    """Examine the estate, and return what is found.

    Raises:
        TwinError: as `examination`.
    """
    own = page.place.own
    wanted = own.get("severity", "")
    document = examination(
        page,
        on=own.get("on"),
        rules=(own["rule"],) if "rule" in own else (),
        prove=own.get("prove") != "no",
    )
    rows = [row for row in document["rows"] if wanted in ("", row["severity"])]
    groups = grouped(rows, lambda row: row)
    return PageContent(
        title="Findings",
        values={
            "groups": groups[:_MOST],
            "more": len(groups) - _MOST,
            "nothing": nothing_found(document, wanted),
            "suppressed": document["suppressed"],
            "not_checked": _by_reason(document["not_checked"]),
            "summary": document["summary"],
            "notes": document.get("notes", ()),
        },
        tables=(
            PageTable.plain(
                "doctor",
                _COLUMNS,
                [_plain(row) for row in (*rows, *document["suppressed"])],
                document,
            ),
        ),
    )


def _plain(row: FindingRow) -> dict[str, Any]:
    """Return a finding as a row for CSV."""
    proof, suppressed = row["proof"], row.get("suppressed")
    return {
        **row,
        "verdict": proof["verdict"] if proof else None,
        "suppressed": suppressed["reason"] if suppressed else None,
    }


def _by_reason(not_checked: Sequence[FindingRow]) -> dict[str, list[str]]:
    """Return the rules that were not checked, by the reason."""
    reasons: dict[str, list[str]] = {}
    for each in not_checked:
        reasons.setdefault(str(each["why"]), []).append(str(each["id"]))
    return reasons


FINDINGS: Final = PageView(
    name="findings", title="Findings", show=show, long=find, own=_OWN, typed=("on",)
)
