"""Write an examination as SARIF 2.1.0, which code scanning tools read.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0. All rules are
listed, fired or not, and suppressed results stay with their justification: consumers close an alert
when its result is gone. A result needs a file: that of the definition, or else that of its queue
manager in the folder, or `QM1.mqsc`, as a dump of it would be called. MQSC is not an edit of a
file, so fixes are in the message and in the properties, not in `fixes`. A result is shown at its
first place alone; the message links to the other ones (3.11.6), which are its related locations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from twin.model.versions import VERSION
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.registry import RULES
from twin.questions.doctor.rule import DoctorRule
from twin.review.doctor.examination import REJECTED, Examination, Reviewed
from twin.review.doctor.places import file_and_line
from twin.review.doctor.report import row_of

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_RULES: Final = (*RULES.values(), REJECTED)
_SHOWN: Final = 5
"""How many places of a result there are at most."""

_PLACES: Final = {rule.id: place for place, rule in enumerate(_RULES)}


def sarif_of(examination: Examination, *, folder: str) -> dict[str, Any]:
    """Return the document. Paths below `folder` become relative to it."""
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "twin",
                        "version": VERSION,
                        "semanticVersion": VERSION,
                        "rules": [_rule(rule) for rule in _RULES],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": list(_notifications(examination)),
                    }
                ],
                "results": [_result(each, folder, examination) for each in examination.findings],
            }
        ],
    }


def _rule(rule: DoctorRule) -> dict[str, Any]:
    to_do = f"What to do: {rule.what_to_do} " if rule.what_to_do else ""
    text = f"{rule.condition} {rule.why} {to_do}Source: {rule.source}."
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.id.split("-")),
        "shortDescription": {"text": rule.condition},
        "fullDescription": {"text": f"{rule.condition} {rule.why}"},
        "help": {
            "text": text,
            "markdown": f"{rule.condition}\n\n**Why:** {rule.why}\n\n"
            + (f"**What to do:** {rule.what_to_do}\n\n" if rule.what_to_do else "")
            + f"**Source:** {rule.source}",
        },
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["ibm-mq", "cluster"], "precision": "very-high"},
    }


def _notifications(examination: Examination) -> Iterator[dict[str, Any]]:
    for each in examination.not_checked:
        yield {
            "level": "note",
            "message": {"text": f"{each.id} was not checked: {each.why}"},
            "associatedRule": {"id": each.id, "index": _PLACES[each.id]},
        }
    yield from ({"level": "note", "message": {"text": note}} for note in examination.notes)


def _result(each: Reviewed, folder: str, examination: Examination) -> dict[str, Any]:
    found, finding = each.found, each.found.finding
    row = row_of(each)
    fix = "".join(f"\nFix on {command.on}: {command.text}" for command in finding.fix)
    fix += f" (destructive; {found.rests_on})" if finding.destroys and finding.fix else ""
    if each.tried:
        fix += "".join(f"\nTried on {command.on}: {command.text}" for command in each.tried)
        fix += f"\n{each.proof}"
    first, *more = _written_at(each, folder, examination.files)
    also = ", ".join(f"[{_shown(place)}]({number})" for number, place in enumerate(more, 1))
    links = f"\nAlso at: {also}" * bool(more)
    result: dict[str, Any] = {
        "ruleId": found.rule.id,
        "ruleIndex": _PLACES[found.rule.id],
        "level": _LEVELS[found.severity],
        "message": {"text": f"{finding.object}: {finding.text}{fix}{links}"},
        "locations": [{"physicalLocation": first, "logicalLocations": list(_logical(each))}],
        "partialFingerprints": {"twin/v1": found.fingerprint},
        "properties": {
            key: row[key] for key in ("fix", "class", "effective", "proof", "basis", "evidence")
        },
    }
    if more:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": place, "message": {"text": _shown(place)}}
            for number, place in enumerate(more, 1)
        ]
    if each.suppressed:
        suppressed = each.suppressed
        result["suppressions"] = [{"kind": suppressed.kind, "justification": suppressed.reason}]
    if examination.has_baseline:
        result["baselineState"] = "unchanged" if each.known else "new"
    return result


def _written_at(each: Reviewed, folder: str, files: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the places of a finding, that of its fix first; one at least."""
    written = [place for place in map(file_and_line, each.origins) if place]
    return [_physical(*place, folder) for place in written[:_SHOWN] or [(_file(each, files), 1)]]


def _physical(file: str, line: int, folder: str) -> dict[str, Any]:
    path = PurePath(file)
    if path.is_absolute() and path.is_relative_to(folder):
        path = path.relative_to(folder)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, line)}}


def _shown(place: Mapping[str, Any]) -> str:
    """Return a place as `FILE:LINE`; its URI is quoted, so no bracket ends the link."""
    return f"{place['artifactLocation']['uri']}:{place['region']['startLine']}"


def _file(each: Reviewed, files: Mapping[str, str]) -> str:
    """Return the file of the first queue manager that a finding is about, or what a dump is called.

    `files` has the files of a folder, by queue manager.
    """
    on = each.found.finding.on
    name = on[0] if on else "twin"
    return files.get(name, f"{name}.mqsc")


def _logical(each: Reviewed) -> Iterator[dict[str, str]]:
    subject = each.found.finding.subject
    if path := subject.path:
        yield {"fullyQualifiedName": "/".join(path), "kind": path[-2].lower()}
    else:
        yield {"fullyQualifiedName": str(subject), "kind": "object"}
