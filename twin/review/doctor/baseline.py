"""Baselines: the findings of an earlier run, which are known and do not count again."""

from __future__ import annotations

import json
from dataclasses import replace

from twin.errors import TwinError
from twin.model.amounts import counted
from twin.review.doctor.examination import Examination


class BadBaseline(TwinError, ValueError):
    """A file that is not the JSON of an earlier run of the doctor."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{file}: {problem}; expected the output of twin doctor --format json")
        self.values = (file,)


def read_baseline(text: str, file: str) -> frozenset[str]:
    """Return the fingerprints of all findings of an earlier run, also of those suppressed then.

    Raises:
        BadBaseline: if it is not the JSON of a run.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise BadBaseline(file, "this is not JSON") from None
    if not isinstance(document, dict) or document.get("question") != "doctor":
        raise BadBaseline(file, "this is no answer of the doctor")
    rows = [document.get("rows"), document.get("suppressed", [])]
    try:
        prints = frozenset(row["fingerprint"] for each in rows for row in each)
    except (KeyError, TypeError):
        raise BadBaseline(file, "a row has no fingerprint (is it from twin ask doctor?)") from None
    if not all(isinstance(each, str) for each in prints):
        raise BadBaseline(file, "a fingerprint is not a text")
    return prints


def compared(examination: Examination, known: frozenset[str]) -> Examination:
    """Mark the findings that an earlier run had, and say how many of those are gone."""
    findings = tuple(
        each._replace(known=each.found.fingerprint in known) for each in examination.findings
    )
    gone = len(known - {each.found.fingerprint for each in findings})
    notes = [f"{counted(gone, 'finding')} of the baseline {'is' if gone == 1 else 'are'} gone"]
    return replace(
        examination,
        findings=findings,
        notes=(*examination.notes, *(notes if gone else [])),
        has_baseline=True,
    )
