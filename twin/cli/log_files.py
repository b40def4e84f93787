"""`twin log upgrade`, `backup`, `export`, `import-log`, `purge-evidence`: a log as a whole."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, BinaryIO

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage, UnreadableFile, UnwritableFile
from twin.cli.files import check_regular
from twin.cli.output import DONE, FAILED, ProgressBar, complain, emit, save_snapshots
from twin.cli.target import log_time, target_of
from twin.errors import TwinError, reason_of
from twin.model.amounts import counted
from twin.model.harmless import visible_json
from twin.output_files import whole_file


def upgrade(
    context: Context,
    *,
    snapshots: Annotated[
        bool, Option("--snapshots/--no-snapshots", help="Save snapshots of every branch at once")
    ] = True,
) -> int:
    """Upgrade a log of an older version of twin.

    The tables change, and no event does. Older versions of twin cannot open the log afterwards. A
    SQLite log is copied first, to NAME.edition-1 beside it. On PostgreSQL, end all other programs
    that use the log, and back it up with pg_dump. If the upgrade is interrupted, the log stays as
    it was.

    An upgrade drops the snapshots, which are saved states that make answers fast. With
    --no-snapshots the next questions take longer.
    """
    from twin.app.clocks import system_clock
    from twin.app.twin import Twin
    from twin.log import Log

    with ProgressBar("pages") as bar:
        log = Log.upgrade(target_of(context).url, progress=bar.show)
    with Twin(log, clock=system_clock, branch="main") as twin:
        emit(log.notices or ["the log is of the newest edition already"])
        if snapshots and log.notices:
            names = [branch.name for branch in log.branches()]
            saved = sum(save_snapshots(twin, names).values())
            emit([f"{counted(saved, 'snapshot')} saved"])
    return DONE


def backup(
    context: Context,
    file: Annotated[str, Argument(metavar="FILE", help="File that does not exist yet")],
) -> int:
    """Copy a SQLite log to a file.

    The copy is the log as it is at one moment; others may write to the log meanwhile.

    For a PostgreSQL log, the command copies nothing: it prints the pg_dump command that makes the
    copy, without the password.

    Exit codes: 0 copied; 10 nothing was copied, run the printed command; 20 bad input.
    """
    with target_of(context).reader() as twin, ProgressBar("pages") as bar:
        end = twin.log.last()
        command = twin.log.back_up(Path(file), progress=bar.show)
    if command:
        complain("nothing was copied; run this command where the server can be reached:")
        emit([command])
        return FAILED
    emit([f"{file} is a copy of the log, with {counted(end.position, 'event')} or more"])
    return DONE


def export(
    context: Context,
    file: Annotated[
        str, Argument(metavar="[FILE]", help="File that does not exist yet [standard output]")
    ] = "-",
) -> int:
    """Write the log as lines of JSON.

    `twin log import-log` makes the same log again from them. The lines have all branches and
    events, also deleted branches and retracted events, but no snapshots. Each line has a digest. An
    imported log has the same head, in SQLite and in PostgreSQL.
    """
    with target_of(context).reader() as twin, ProgressBar("events") as bar:
        if file == "-":
            emit(map(visible_json, twin.log.export(progress=bar.show)))
            return DONE
        end = twin.log.last()
        _write_new(Path(file), twin.log.export(progress=bar.show))
    emit([f"{file} has {counted(end.position, 'event')} or more"])
    return DONE


def _write_new(path: Path, lines: Iterable[str]) -> None:
    from twin.log import BackupExists

    if path.exists():
        raise BackupExists(str(path))
    try:
        with whole_file(path) as output:
            for line in lines:
                output.write(f"{line}\n".encode())
    except OSError as error:
        if isinstance(error, TwinError):
            raise
        raise UnwritableFile(str(path), reason_of(error) or str(error)) from None


def import_log(
    context: Context,
    file: Annotated[str, Argument(metavar="FILE", help="Export of a log; - is standard input")],
) -> int:
    """Make a log from exported lines, and check each one.

    The lines are those that `twin log export` wrote. The log (--log) must be new or empty. All of
    it is imported in one transaction: after an error or an interruption nothing is imported, and
    the import can be repeated.
    """
    target = target_of(context)
    with ExitStack() as opened:
        lines = sys.stdin.buffer if file == "-" else opened.enter_context(_opened(file))
        twin = opened.enter_context(target.writer(create=True))
        bar = opened.enter_context(ProgressBar("events"))
        head = twin.log.import_lines(lines, progress=bar.show)
        branches = len(twin.log.branches(retired=True))
    of = "1 branch" if branches == 1 else f"{branches} branches"
    emit([f"{counted(head.position, 'event')} of {of} imported, head {head}"])
    return DONE


def _opened(path: str) -> BinaryIO:
    check_regular(path)
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise UnreadableFile(path, reason_of(error) or str(error)) from None


def purge_evidence(
    context: Context,
    *,
    before: Annotated[
        str | None,
        Option(metavar="T", help="Texts that were first read before this time: ISO 8601 or -90d"),
    ] = None,
    match: Annotated[
        str | None, Option(metavar="RE", help="Texts in which this regular expression is found")
    ] = None,
) -> int:
    """Remove raw texts of imported records for ever.

    No event and no answer changes. The digests stay, so twin log verify holds, and a text that was
    purged is not kept again when its file is read again. With both options, only texts that fit
    both are removed. Backups, exports and copies of the file that were made before still have the
    texts.

    Exit codes: 0 the texts are removed, even if there were none; 20 bad input.
    """
    if before is None and match is None:
        problem = "say which texts: --before T or --match RE"
        raise BadUsage(command="log purge-evidence", problem=problem)
    try:
        wanted = re.compile(match or "")
    except re.error as error:
        problem = f"malformed --match {match}: {error}"
        raise BadUsage(command="log purge-evidence", problem=problem) from None
    with target_of(context).writer() as twin:
        texts = twin.log.kept_evidence(before=log_time(twin, before))
        digests = [digest for digest, text in texts if wanted.search(text)]
        emit([f"{counted(twin.log.purge_evidence(digests), 'text')} purged"])
    return DONE


def register(app: Typer) -> None:
    """Add these commands to `twin log`."""
    app.command("purge-evidence")(purge_evidence)
    app.command()(upgrade)
    app.command()(backup)
    app.command()(export)
    app.command("import-log")(import_log)
