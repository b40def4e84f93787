"""`twin doctor`: what is wrong with the clusters, what fixes it, and what of it is accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Context, Option

from twin.cli.answers import point_lines
from twin.cli.errors import BadUsage, UnwritableFile
from twin.cli.files import read_text
from twin.cli.folders import FromOption, folder_given
from twin.cli.output import DONE, FAILED, complain, emit, emit_json, note
from twin.cli.target import AsOfOption, FailOn, KnownAt, instant, log_time, target_of
from twin.csv_text import csv_text
from twin.errors import TwinError, reason_of
from twin.model.instants import parse_length

if TYPE_CHECKING:
    from twin.review.doctor.examination import Examination
    from twin.review.doctor.suppressions import Suppression


class ReportFormat(StrEnum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    SARIF = "sarif"


def doctor(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    *,
    on: Annotated[
        str | None, Option(metavar="QM", help="Only findings about this queue manager")
    ] = None,
    cluster: Annotated[
        str | None, Option(metavar="NAME", help="Only findings about this cluster")
    ] = None,
    rule: Annotated[
        list[str] | None, Option(metavar="ID", help="Run only this rule; may be repeated")
    ] = None,
    skip: Annotated[
        list[str] | None,
        Option(metavar="ID[:REASON]", help="Do not count findings of this rule; may be repeated"),
    ] = None,
    fail_on: Annotated[
        FailOn,
        Option(metavar="error|warning|info", help="Exit with 10 for findings this bad, or worse"),
    ] = FailOn.WARNING,
    no_prove: Annotated[
        bool, Option("--no-prove", help="Do not rehearse the fixes: faster")
    ] = False,
    stuck_after: Annotated[
        str | None,
        Option(
            metavar="TIME",
            help="How long messages may wait for a channel that does not run, such as 15m [5m]",
        ),
    ] = None,
    rules: Annotated[bool, Option("--rules", help="List all rules instead")] = False,
    folder: FromOption = None,
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    suppressions: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Findings that are accepted, in YAML [.twin-doctor.yaml, if it is there; with "
            "--from DIR the one in DIR]",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        Option(metavar="FILE", help="JSON of an earlier run: only new findings give exit code 10"),
    ] = None,
    output: Annotated[
        ReportFormat,
        Option("--format", metavar="text|json|csv|sarif", help="Format of the report"),
    ] = ReportFormat.TEXT,
    file: Annotated[
        str | None,
        Option(
            "--output", metavar="FILE", help="Write it to a file, and its text to standard error"
        ),
    ] = None,
) -> int:
    """Find what is wrong with the clusters.

    Each finding has the id of its rule, the object, the evidence, the commands that fix it, and the
    source. The fixes are rehearsed in memory: nothing is recorded. `--rules` lists the rules.

    With --from, the queue managers are as the files of a folder, and of the folders in it, define
    them. They are assumed to run and to reach each other. A dump names its queue manager; a script
    belongs to the queue manager in its file name (QM1.mqsc: QM1). A script command that runmqsc
    would reject is an error: command-rejected.

    To accept a finding, enter it in .twin-doctor.yaml in the current folder, or with --from DIR in
    DIR (ignore: a list of id, object, reason and until), or write a comment right above the
    definition in its script: * twin:ignore ID REASON.

    Exit codes: 0 no finding as bad as --fail-on; 10 findings, or commands of --from that cannot
    be used, unless --fail-on is error; 20 bad input.
    """
    if rules:
        others = (
            on,
            cluster,
            rule,
            skip,
            no_prove,
            stuck_after,
            folder,
            as_of,
            known_at,
            suppressions,
            baseline,
        )
        if any((*others, file, fail_on is not FailOn.WARNING)) or output is ReportFormat.SARIF:
            problem = "--rules lists all rules; it takes no other option than --format (not sarif)"
            raise BadUsage(command="doctor", problem=problem)
        _list_rules(output)
        return DONE
    from twin.questions.doctor.finding import Severity
    from twin.review.doctor.examination import ExamRequest, examine, skipped_rules

    accepted = Accepted.read(folder, suppressions, baseline)
    request = ExamRequest(
        rules=tuple(rule or ()),
        skipped=skipped_rules(skip or ()),
        on=on,
        cluster=cluster,
        prove=not no_prove,
    )
    if stuck_after is not None:
        request = replace(request, stuck_after=parse_length(stuck_after))
    lost = 0
    if folder is not None:
        from twin.review.folders.planning import examine_folder

        needs_log = {"--as-of": as_of, "--known-at": known_at}
        with folder_given(context, "doctor", folder, needs_log) as read:
            review, lost = examine_folder(read, request), read.lost_commands
    else:
        with target_of(context).reader(as_of, known_at) as twin:
            at, known = instant(twin, as_of), log_time(twin, known_at)
            review = examine(twin, replace(request, as_of=at, known_at=known))
    review = accepted.judge(review)
    _show(review, output, file, is_of_log=folder is None)
    least = Severity(fail_on.value)
    lost_counts = lost and least is not Severity.ERROR
    return FAILED if lost_counts or review.fails(least) else DONE


def _show(review: Examination, output: ReportFormat, file: str | None, *, is_of_log: bool) -> None:
    from twin.questions.doctor.question import finding_lines
    from twin.review.doctor import report

    text = [*report.lines_of(review)]
    text += [line for each in review.notes for line in finding_lines(each, first="")]
    text += point_lines(review.as_of) if is_of_log else []
    if file is not None:
        written = "\n".join(text if output is ReportFormat.TEXT else _formatted(review, output))
        _write(file, f"{written}\n")
        for line in text:
            note(line)
    elif output is ReportFormat.TEXT:
        emit(text)
    else:
        emit(_formatted(review, output))
        if output is ReportFormat.CSV:
            for each in (*review.notes, report.summary(review)):
                complain(each)


def _formatted(review: Examination, output: ReportFormat) -> Iterator[str]:
    from twin.review.doctor import report

    if output is ReportFormat.CSV:
        yield from _csv(review)
    elif output is ReportFormat.JSON:
        yield json.dumps(report.document_of(review), indent=2)
    else:
        from twin.review.doctor.sarif import sarif_of

        yield json.dumps(sarif_of(review, folder=str(Path.cwd())), indent=2)


def _write(file: str, text: str) -> None:
    from twin.output_files import write_whole

    try:
        write_whole(Path(file), text)
    except OSError as error:
        raise UnwritableFile(file, reason_of(error) or str(error)) from None


def _csv(review: Examination) -> Iterator[str]:
    from twin.review.doctor.report import row_of

    columns = ("id", "severity", "object", "finding", "evidence", "fix", "source")
    rows = []
    for each in review.counting:
        row = row_of(each)
        row["fix"] = "; ".join(f"{fix['on']}: {fix['mqsc']}" for fix in row["fix"] or ())
        rows.append([row[column] for column in columns])
    yield csv_text(columns, rows).removesuffix("\n")


def _list_rules(output: ReportFormat) -> None:
    from twin.questions.doctor.question import finding_lines
    from twin.questions.doctor.registry import RULES
    from twin.review.doctor.report import rule_document

    documents = [rule_document(rule) for rule in RULES.values()]
    if output is ReportFormat.JSON:
        emit_json({"rules": documents})
        return
    if output is ReportFormat.CSV:
        columns = ("id", "severity", "condition", "why", "what_to_do", "class", "source")
        rows = ([each[column] for column in columns] for each in documents)
        emit([csv_text(columns, rows).removesuffix("\n")])
        return
    for rule in RULES.values():
        emit([f"{rule.id}  ({rule.severity})"])
        emit(finding_lines(rule.condition))
        emit(finding_lines(f"Why: {rule.why}"))
        emit(finding_lines(f"What to do: {rule.what_to_do}") if rule.what_to_do else [])
        emit(
            finding_lines(
                f"Destructive, and only where observed or simulated facts call for it: {rule.last}"
            )
            if rule.last
            else []
        )
        emit(finding_lines(f"Source: {rule.source}"))
        emit([""])
    emit([f"{len(RULES)} rules"])


class Accepted(NamedTuple):
    """What is accepted: the suppressions of a file, and the findings of an earlier run.

    They are read before anything is examined, so that a mistake in them is said at once.
    """

    suppressions: tuple[Suppression, ...]
    known: dict[str, str] | None

    @classmethod
    def read(cls, folder: str | None, suppressions: str | None, baseline: str | None) -> Accepted:
        """Read the files that are named, or the file of suppressions in the folder.

        Raises:
            UnreadableFile, BadSuppression, BadBaseline: if one of them cannot be used.
        """
        from twin.review.doctor.suppressions import FILE, read_baseline, read_suppressions

        usual = Path(folder or ".") / FILE
        name = suppressions or (str(usual) if usual.is_file() else None)
        return cls(
            read_suppressions(read_text(name), name) if name else (),
            None if baseline is None else read_baseline(read_text(baseline), baseline),
        )

    def judge(self, review: Examination) -> Examination:
        """Mark the findings that are accepted."""
        from twin.review.doctor.suppressions import compared, suppress

        judged = suppress(review, self.suppressions, _lines_of)
        return judged if self.known is None else compared(judged, self.known)


def _lines_of(file: str) -> list[str]:
    """Return the lines of a file that a definition came from; none if it cannot be read."""
    try:
        return read_text(file).splitlines() if Path(file).is_file() else []
    except TwinError:
        return []
