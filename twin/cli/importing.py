"""`twin import`: records files as observations, and reports what was not recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Context, Option

from twin.cli.answers import show_lines
from twin.cli.errors import BadUsage
from twin.cli.import_feeds import MODIFIED, ImportOptions, divide, feed_lines
from twin.cli.import_run import (
    ImportedFile,
    import_answer,
    import_lines,
    import_refusals,
    import_sources,
    said_of_dates,
    said_of_missing,
    said_of_several_zones,
    said_of_zones,
)
from twin.cli.output import BAD_INPUT, DONE, FAILED, complain
from twin.cli.source_files import files_of, forget_manifests, manifest_of, sources_of
from twin.cli.table import dim
from twin.cli.target import Format, FormatOption, StrictOption, target_of, zone_named

if TYPE_CHECKING:
    from twin.app.twin import Twin


def import_files(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    paths: Annotated[
        list[str],
        Argument(metavar="PATH...", help="Files or folders to read; - is standard input"),
    ],
    *,
    qmgr: Annotated[
        str | None,
        Option(metavar="QM", help="Queue manager that the definitions belong to"),
    ] = None,
    at: Annotated[
        str | None,
        Option(
            metavar="T",
            help="Time at which the files were true: ISO 8601, -3d, or mtime [see below]",
        ),
    ] = None,
    tz: Annotated[
        str | None,
        Option(metavar="ZONE", help="Zone of local times in files, such as Europe/Berlin [UTC]"),
    ] = None,
    gone: Annotated[
        list[str] | None,
        Option("--gone", metavar="QM", help="State that this queue manager no longer exists"),
    ] = None,
    renamed: Annotated[
        list[str] | None,
        Option("--renamed", metavar="OLD=NEW", help="State that OLD was built again as NEW"),
    ] = None,
    dates: Annotated[
        Literal["dmy", "mdy"] | None,
        Option(metavar="dmy|mdy", help="Order of day and month in ambiguous dates of logs"),
    ] = None,
    strict: StrictOption = False,
    output: FormatOption = Format.TEXT,
) -> int:
    """Import definitions, states and logs of queue managers.

    Reads scripts, dumps, answers to DISPLAY, error logs, event messages and scrapes, and records
    what they show as observations. Reads a folder with the folders in it. A script or dump,
    and standard input, may have up to 64 MiB; saved answers, a log, output of amqsevt or of
    Prometheus may have any size.

    Without --at, a file is dated by the manifest of collect-script beside it, by the header of the
    dump, or by a date in its path (2026-01-31, 20260131T0213Z), in this order. Files that were
    collected together share one instant. Files of several instants are recorded in the order of
    their instants. A dump or an answer without a date is taken as true now; with --at mtime, at the
    time when it was last modified. A script without a date counts only for objects that nobody saw.

    --tz is the zone of all files of one import. If queue managers are in several zones, import once
    for each zone, in any order. A time with a zone of its own (Z, +0100) stays as it is. twin keeps
    the zone for the queue managers of the files, and uses it at the next import. If you give
    another zone, the output says which facts to retract and which files to import again.

    A dump names its queue manager. For a script, name the queue manager with --qmgr. If you import
    several files without --qmgr, each script belongs to the queue manager in its file name
    (QM1.mqsc: QM1).

    An answer to DISPLAY is saved output of runmqsc, or JSON of mqweb. Answers about CLUSQMGR,
    QCLUSTER, QUEUE CLUSINFO and TCLUSTER show the records that the queue manager holds. If a
    complete answer does not show a record, the queue manager does not hold it. Answers are recorded
    after scripts and dumps.

    A queue manager with a later QMID was rebuilt: it replaces the queue manager of its name. If you
    import several queue managers, the output says how many of them the files have, and which ones
    no full repository holds any more; --gone and --renamed state what became of these.

    Each record of a log, each event message and each sample has its own instant. It is recorded
    once, also if files overlap, grow or rotate. Local times in logs need --tz, and --dates if the
    log does not show whether 03/04 is in March or April. A log that does not name its queue manager
    belongs to --qmgr, or to the folder qmgrs/NAME/errors that it is in, or to the only queue
    manager that the files of its folder name. The same is true of qm.ini.

    Records in the future are counted, and not recorded: a clock or the zone is wrong.

    twin reads all files before it records anything. If the command is killed, run it again to
    finish the import. twin ask ingest lists what was imported, and what is missing.

    Prints how many commands of each file were recorded, and which were not.

    Exit codes: 0 all facts are recorded or were known; 10 parts were not understood, or something
    is missing and --strict is given; 20 nothing could be read.
    """
    names = gone_names(gone, renamed)
    zone = None if tz is None else zone_named(tz, command="import")
    forget_manifests()
    files = [file for path in paths for file in files_of(path)]
    logs, others = divide(files)
    sources = list(sources_of(others))
    if not sources and not logs:
        return BAD_INPUT
    by_name = len(files) > 1 or files != paths
    with target_of(context).writer(None if at == MODIFIED else at, create=True) as twin:
        options = ImportOptions(qmgr, zone, dates, at, by_name)
        done = import_sources(twin, logs, sources, options)
        already: list[str] = []
        kept = list(state_gone(twin, names, done.files, already))
        absent = [*kept, *already, *said_of_absent(twin, done.files)]
        answer = import_answer(twin, done)
        missing = twin.incompleteness(twin.as_of())
    if not done.has_read:
        for line in [*import_refusals(done.files), *feed_lines(done.feeds)]:
            complain(line)
        return BAD_INPUT
    answer = replace(answer, notes=missing, gaps=missing)
    lines = [
        *said_of_dates([file.dated for file in done.files if file.is_read], done.now),
        *said_of_missing([manifest_of(path) for path in files]),
        *said_of_several_zones(done.files),
        *said_of_zones(done.zones),
        *import_lines(done.files),
        *feed_lines(done.feeds),
        *absent,
        *map(dim, missing),
    ]
    show_lines(answer, lines, output)
    understood = not kept and not any(file.observed.not_understood for file in done.files)
    understood = understood and not any(each.not_understood or each.ahead for each in done.feeds)
    complete = len(done.files) + len(done.feeds) == len(files) and not (strict and missing)
    return DONE if understood and complete else FAILED


def gone_names(gone: Sequence[str] | None, renamed: Sequence[str] | None) -> dict[str, str]:
    """Return the queue managers that are stated to be gone, each with its new name or ''.

    Raises:
        BadUsage: if a word of --renamed is not OLD=NEW.
    """
    names = dict.fromkeys(gone or (), "")
    for word in renamed or ():
        old, equals, new = word.partition("=")
        if not (old and equals and new):
            raise BadUsage(command="import", problem=f"--renamed {word}: expected OLD=NEW")
        names[old] = new
    return names


def state_gone(
    twin: Twin, names: dict[str, str], imported: Sequence[ImportedFile], already: list[str]
) -> Iterator[str]:
    """Record that queue managers are gone, at the latest instant of the files, or now.

    Yield a line for each that cannot be recorded, because the files have it, or because the twin
    does not know it, or its new name. Add to `already` a line for each that was gone by then.
    """
    at = max((file.dated.date.at for file in imported), default=twin.now())
    read = _names(imported)
    for name, renamed in names.items():
        if name in read:
            yield f"{name} is in these files, so it is not recorded as gone"
            continue
        if not twin.was_known(name):
            yield f"{name} is not in the twin, so it is not recorded as gone"
            continue
        if renamed and not twin.is_known(renamed):
            yield f"{renamed} is not in the twin, so {name} is not recorded as renamed to it"
            continue
        if not twin.state_gone(name, at=at, renamed=renamed):
            to = f", and not as renamed to {renamed}" if renamed else ""
            already.append(f"{name} was gone already, so it is not recorded again{to}")


def said_of_absent(twin: Twin, imported: Sequence[ImportedFile]) -> Iterator[str]:
    """Yield lines about observed queue managers that several files do not have.

    An option is offered only for one that a whole answer of a full repository no longer has.
    """
    read = _names(imported)
    absent = twin.absent(read) if len(read) > 1 else []
    if absent:
        yield f"{len(read)} of {len(read) + len(absent)} queue managers are in these files"
    for each in absent:
        if each.renamed and not each.held:
            option = f"--renamed {each.name}={each.renamed}"
            yield f"{each.renamed} has the CONNAME of {each.name}: if it is the same, {option}"
        elif each.gone:
            name = each.name
            yield f"no full repository holds {name} any more: if it is gone, --gone {name}"


def _names(imported: Sequence[ImportedFile]) -> set[str]:
    """Return the queue managers of the files that were read."""
    return {name for file in imported if file.is_read for name in file.observed.qmgrs}
