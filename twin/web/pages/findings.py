"""What the doctor finds, the worst first, with the commands that mend it and their proof.

The doctor's report for pages, computed in another process and shared by all pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from twin.app.twin import Twin
from twin.model.amounts import counted, verb
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.registry import RULES
from twin.review.doctor import report
from twin.review.doctor.examination import ExamRequest, examine
from twin.review.doctor.report import FindingRow, grouped
from twin.review.doctor.suppressions import BadSuppression, Suppression, suppress, suppressions_in
from twin.web.errors import Unavailable
from twin.web.pages.head_counts import count_key, note_findings
from twin.web.pages.parameters import QUEUE_MANAGER, one_of
from twin.web.pages.view import (
    PageContent,
    PageReading,
    PageRequest,
    PageTable,
    PageView,
    page_key,
)

_LARGEST: Final = 4 << 20
"""The size in bytes of the largest file in which comments that accept findings are looked for."""


class NothingFound(NamedTuple):
    """What a page says that shows no finding.

    Attributes:
        text: one sentence.
        healthy: whether it is good news: all rules were checked, and nothing is left out.
    """

    text: str
    healthy: bool = False


def nothing_found(document: Mapping[str, Any], severity: str = "") -> NothingFound:
    """Return what to say if no finding of a report is shown; `severity` is the one asked for."""
    rules, rows, doubtful = document["rules_run"], document["rows"], unchecked(document)
    if not rules:
        why = (
            document["not_checked"][0]["why"]
            if doubtful
            else "none of the rules asked for is in use"
        )
        return NothingFound(f"No rule was checked: {why}.")
    if severity and rows:
        others = Counter(row["severity"] for row in rows if row["severity"] != severity)
        says = ", ".join(_of_severity(count, name) for name, count in others.items())
        return NothingFound(f"No finding has the severity {severity}. Not shown: {says}.")
    if doubtful:
        some, be = f"{doubtful} of {counted(rules, 'rule')}", verb(doubtful, "are")
        return NothingFound(f"Nothing is found, but {some} {be} not checked.")
    if document["suppressed"]:
        return NothingFound("Nothing is found besides what is accepted.")
    return NothingFound(f"Nothing is found by {counted(rules, 'rule')}.", healthy=True)


def _of_severity(count: int, severity: str) -> str:
    """Write how many findings have a severity; `info` has no plural."""
    return f"{count} {severity}" if severity == "info" else counted(count, severity)


def unchecked(document: Mapping[str, Any]) -> int:
    """Return how many rules of a report could not be checked everywhere."""
    return len({row["id"] for row in document["not_checked"]})


def examined(
    twin: Twin, request: ExamRequest, suppressions: tuple[Suppression, ...]
) -> dict[str, Any]:
    """Return the report of the doctor as JSON's types, with its last line; it may take seconds."""
    review = suppress(examine(twin, request), suppressions, _lines_of)
    return {**report.document_of(review), "summary": report.summary(review)}


def examination(
    page: PageRequest, *, on: str | None = None, rules: tuple[str, ...] = (), prove: bool = True
) -> dict[str, Any]:
    """Return the report at the point of a page; that of now is computed again after a minute.

    Raises:
        NoSuchRule, NoSuchQueueManager, UnknownCluster: if something is named that does not exist.
        UnusableSuppressions: if the service's file of accepted findings cannot be used.
        Busy, TookTooLong, WorkerEnded: as `Workers.run`.
    """
    place, service = page.place, page.service
    with page.reading() as reading:
        at, shared, counted_as = reading.at, page_key(reading), count_key(reading)
    accepted = _accepted(service.settings.suppressions)
    key = (*shared, place.cluster, on, rules, prove, accepted)
    asked = ExamRequest(
        as_of=at.valid,
        known_at=at.known,
        on=on,
        rules=rules,
        cluster=place.cluster,
        prove=prove,
    )

    def compute() -> dict[str, Any]:
        return service.workers.run_on(at.branch, examined, asked, accepted)

    document = service.computed.get("doctor", key, compute)
    if on is None and not rules:
        note_findings(service.computed, counted_as, document["rows"])
    return document


class UnusableSuppressions(Unavailable, message="the file of accepted findings cannot be used: {}"):
    """A file of accepted findings that the service was started with, and that cannot be used."""


def _accepted(file: Path | None) -> tuple[Suppression, ...]:
    if file is None:
        return ()
    try:
        return suppressions_in(file)
    except BadSuppression as error:
        raise UnusableSuppressions(error) from None


def _lines_of(file: str) -> list[str]:
    """Return the lines of a file that a definition came from; none if it cannot be read."""
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return []
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


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
