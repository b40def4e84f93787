"""Baselines: the findings of an earlier run, which are known and do not count again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from twin.errors import SubjectError
from twin.model.amounts import counted
from twin.review.doctor.examination import Examination


class BadBaseline(
    SubjectError, ValueError, message="{}: {}; expected the output of twin doctor --format json"
):
    """A file that is not the JSON of an earlier run of the doctor."""


def read_baseline(text: str, file: str) -> dict[str, str]:
    """Return the findings of an earlier run, also those suppressed then: fingerprint -> rule.

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
        known = {row["fingerprint"]: row.get("id") for each in rows for row in each}
    except (AttributeError, KeyError, TypeError):
        raise BadBaseline(file, "a row has no fingerprint (is it from twin ask doctor?)") from None
    if not all(isinstance(each, str) for pair in known.items() for each in pair):
        raise BadBaseline(file, "a fingerprint or an id is not a text")
    return known


def compared(examination: Examination, known: Mapping[str, str]) -> Examination:
    """Mark the findings that an earlier run had, and say how many of those are gone.

    What was not looked for everywhere, as with `--rule` or `--on`, is not called gone.
    """
    unchecked = {each.id for each in examination.not_checked}
    looked_for = examination.looked_for - unchecked
    findings = tuple(
        each._replace(known=each.found.fingerprint in known) for each in examination.findings
    )
    found = {each.found.fingerprint for each in findings}
    gone = sum(
        rule in looked_for for fingerprint, rule in known.items() if fingerprint not in found
    )
    notes = [f"{counted(gone, 'finding')} of the baseline {'is' if gone == 1 else 'are'} gone"]
    return replace(
        examination,
        findings=findings,
        notes=(*examination.notes, *(notes if gone else [])),
        has_baseline=True,
    )
