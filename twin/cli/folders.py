"""`--from DIR`: a folder of definitions instead of a log; nothing is recorded anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from typer import Context, Option

from twin.cli.errors import BadUsage, NotText, UnreadableFile
from twin.cli.files import read_text
from twin.cli.source_files import SourceFile, files_below, forget_manifests
from twin.cli.target import typed_about_log
from twin.errors import reason_of
from twin.model.names import legal_name

if TYPE_CHECKING:
    from twin.app.observing import FileText
    from twin.review.folders.estates import Folder

FromOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--from",
        metavar="DIR",
        help="Instead of the log: a folder with a script or dump of each queue manager",
    ),
]


@contextmanager
def folder_given(
    context: Context,
    command: str,
    path: str,
    others: Mapping[str, object],
    *,
    option: str = "--from",
) -> Iterator[Folder]:
    """Read the folder of an option, and forget it at the end.

    `others` are the options of the command that need a log, with their values.

    Raises:
        BadUsage: if one of them or of the options about the log is given, or it is no folder.
        UnreadableFile, FileTooLong: if a file or a folder in it cannot be read.
    """
    from twin.review.folders.estates import opened_folder

    _demand_no_log(context, command, option, others)
    with opened_folder(path, list(_texts(command, option, path))) as folder:
        yield folder


def _demand_no_log(
    context: Context, command: str, option: str, others: Mapping[str, object]
) -> None:
    typed = [name for name, value in others.items() if value is not None]
    typed += typed_about_log(context)
    if typed:
        problem = f"{option} reads a folder, and no log: leave out {typed[0]}"
        raise BadUsage(command=command, problem=problem)


def _texts(command: str, option: str, path: str) -> Iterator[FileText]:
    """Yield the files of a folder that are text."""
    from twin.app.observing import FileText

    if not Path(path).exists():
        raise UnreadableFile(path, "there is no such folder")
    if not Path(path).is_dir():
        raise BadUsage(command=command, problem=f"{option} {path} is a file; name its folder")
    forget_manifests()
    for name in files_below(path, failed=_refuse):
        try:
            text = read_text(name)
        except NotText:
            text = "\0"
        stem = SourceFile(name, "").stem
        yield FileText(text, otherwise=stem if legal_name(stem) else "", file=name)


def _refuse(error: OSError) -> None:
    raise UnreadableFile(str(error.filename), reason_of(error) or str(error))
