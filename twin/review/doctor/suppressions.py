"""Findings that do not count: those that somebody accepts, and those of an earlier run.

They stand in a YAML file (`.twin-doctor.yaml`), or as a comment right above a definition in MQSC:
`* twin:ignore RULE [until YYYY-MM-DD] REASON`. After its last day a suppression no longer counts,
and the finding says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from twin.errors import BadInstant, SubjectError, reason_of
from twin.model.amounts import counted
from twin.model.instants import DAY, Instant, parse_instant
from twin.questions.doctor.question import NoSuchRule, check_rule
from twin.review.doctor.examination import Examination, Reviewed, Suppressed
from twin.review.doctor.places import file_and_line

FILE: Final = ".twin-doctor.yaml"
"""The name of the file with suppressions."""

_KEYS: Final = ("id", "object", "reason", "until")
_COMMENT: Final = re.compile(
    r"\*\s*twin:ignore\s+(?P<id>\S+)(\s+until\s+(?P<until>\S+))?(?P<reason>.*)", re.DOTALL
)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")


class BadSuppression(SubjectError, ValueError, message="{}: {}"):
    """An entry of a file of suppressions that cannot be used."""


class Suppression(NamedTuple):
    """One suppression.

    Attributes:
        id: the rule.
        object: the object of the finding; it may end with an asterisk. '' for every object.
        reason: why the finding is accepted.
        until: the instant at which it no longer counts; None for never.
        place: the file and line where it stands.
    """

    id: str
    object: str
    reason: str
    until: Instant | None
    place: str

    def covers(self, each: Reviewed) -> bool:
        """Return whether it is about a finding, whether or not it still counts."""
        subject, wanted = each.found.finding.object, self.object
        is_same = subject.startswith(wanted[:-1]) if wanted.endswith("*") else subject == wanted
        return self.id == each.found.rule.id and (is_same or not wanted)


def suppressions_in(path: Path) -> tuple[Suppression, ...]:
    """Read a file of suppressions by its path.

    Raises:
        BadSuppression: if it cannot be read, or as `read_suppressions`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = reason_of(error) if isinstance(error, OSError) else "this is not UTF-8"
        raise BadSuppression(str(path), f"cannot be read: {problem}") from None
    return read_suppressions(text, str(path))


def read_suppressions(text: str, file: str) -> tuple[Suppression, ...]:
    """Read a file of suppressions.

    Raises:
        BadSuppression: if it is not YAML, or an entry has an unknown key, an unknown rule or no
            reason.
    """
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
        whole = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes only text
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        place = f"{file}:{line}"
        raise BadSuppression(place, "this is not YAML") from None
    except RecursionError:
        place = f"{file}:1"
        raise BadSuppression(place, "this is nested too deeply") from None
    if whole in (None, ""):
        return ()
    has_one_key = isinstance(root, yaml.MappingNode) and len(root.value) == 1
    entries = whole.get("ignore") if has_one_key else None
    if not isinstance(entries, list):
        place = f"{file}:1"
        raise BadSuppression(place, "expected a list under the key ignore, once, and nothing else")
    lines = _lines_of(root)
    return tuple(
        _entry(entry, f"{file}:{line}") for entry, line in zip(entries, lines, strict=True)
    )


def _lines_of(root: Any) -> list[int]:
    """Return the line of each entry under the key `ignore`."""
    ((_, entries),) = root.value
    return [entry.start_mark.line + 1 for entry in entries.value]


def _entry(entry: object, place: str) -> Suppression:
    if not isinstance(entry, dict) or not all(isinstance(each, str) for each in entry.values()):
        raise BadSuppression(place, f"expected the keys {', '.join(_KEYS)}")
    if unknown := sorted(entry.keys() - set(_KEYS)):
        raise BadSuppression(place, f"unknown key {unknown[0]}; expected {', '.join(_KEYS)}")
    return _made(place, entry)


def _made(place: str, entry: Mapping[str, str]) -> Suppression:
    if not entry.get("id"):
        raise BadSuppression(place, "the id of a rule is missing")
    try:
        check_rule(entry["id"])
    except NoSuchRule as error:
        raise BadSuppression(place, str(error)) from None
    if not entry.get("reason", "").strip():
        raise BadSuppression(place, f"a reason for ignoring {entry['id']} is missing")
    until = _end(place, entry["until"]) if entry.get("until") else None
    return Suppression(entry["id"], entry.get("object", ""), entry["reason"].strip(), until, place)


def _end(place: str, text: str) -> Instant:
    """Return the end of a day."""
    try:
        day = parse_instant(text, now=0) if _DATE.fullmatch(text) else None
    except BadInstant:
        day = None
    if day is None:
        raise BadSuppression(place, f"until {text!r} is not a day: write 2026-01-31")
    return day + DAY


def suppress(
    examination: Examination,
    suppressions: Sequence[Suppression],
    read: Callable[[str], Sequence[str]],
) -> Examination:
    """Mark the findings that are suppressed, and those whose suppression has ended.

    `read` returns the lines of a file that a definition came from; none if it is not there.
    """
    files: dict[str, Sequence[str]] = {}
    problems: dict[str, None] = {}

    def lines_in(file: str) -> Sequence[str]:
        if file not in files:
            files[file] = read(file)
        return files[file]

    used: set[Suppression] = set()
    findings = []
    for each in examination.findings:
        inside = list(_above(each, lines_in, problems))
        found = [(one, "inSource") for one in inside if one.covers(each)]
        found += [(one, "external") for one in suppressions if one.covers(each)]
        used.update(one for one, _ in found)
        findings.append(_judged(each, found, examination.as_of.valid))
    unused = [
        f"{one.place}: {one.id} {one.object or '(any object)'} suppresses nothing"
        for one in suppressions
        if one not in used and one.id in examination.looked_for
    ]
    notes = (*examination.notes, *problems, *unused)
    return replace(examination, findings=tuple(findings), notes=notes)


def _judged(each: Reviewed, found: Iterable[tuple[Suppression, str]], at: Instant) -> Reviewed:
    if each.suppressed:
        return each
    for one, kind in found:
        if one.until is None or at < one.until:
            return each._replace(suppressed=Suppressed(one.reason, kind, one.place))
        each = each._replace(note=f"no longer suppressed ({one.place}): {one.reason}")
    return each


def _above(
    each: Reviewed, lines_in: Callable[[str], Sequence[str]], problems: dict[str, None]
) -> Iterator[Suppression]:
    """Yield the suppressions in the comments right above the definitions of a finding."""
    for origin in each.origins:
        place = file_and_line(origin)
        if place is None:
            continue
        file, line = place
        lines, at = lines_in(file), line - 1
        while 0 < at <= len(lines) and lines[at - 1].startswith("*"):
            at -= 1
            comment = _COMMENT.fullmatch(lines[at].rstrip())
            if comment is None:
                continue
            said = {key: text or "" for key, text in comment.groupdict().items()}
            try:
                yield _made(f"{file}:{at + 1}", said)
            except BadSuppression as error:
                problems[str(error)] = None


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
